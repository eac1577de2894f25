// Package library translates the functions that C programs call without defining them:
// atomics, pthreads, C11 threads, memory and strings, builtins of compilers, and the
// conventions of verifiers.
//
// table.go is the table from names to translations. Functions that can be written in C
// from others are in source/. The front ends hand the library to package translate, which
// calls a translation with the lowering of the function around the call. A function that
// is not here and has no body is refused, never guessed.
package library
