// Package c is the front end for C with pthreads and C11 atomics.
// docs/languages/c.md says what is accepted; what is not is refused with a
// position, never ignored.
//
// Input: the source files of one program and a function that reads the files they
// include. Output: a structured ir program, the properties asked of it (assertions
// and other checks, deadlock), what a comment expects, and diagnostics. The
// translation is package translate's, which the litmus tests in C share.
package c
