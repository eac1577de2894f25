// Package harness writes a first test of a C library: a program with two threads that call the
// library's functions at the same time, with the objects that the functions take and room for
// assertions. The program is a start: fencepost accepts it as it is where it accepts the library,
// and its author says what must hold. It is the question of the command init.
//
// harness.go asks the front end for the functions of a file. text.go writes the test: names of
// functions tell their parts. Functions that prepare an object run before the threads, functions
// that end its life run after them, and of functions that put and take, one thread calls the former
// and the other the latter. Both threads call all others.
package harness
