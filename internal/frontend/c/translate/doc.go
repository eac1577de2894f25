// Package translate translates C with pthreads and C11 atomics. It lies below two front
// ends: frontend/c, whose programs begin at main, and frontend/litmus, whose tests
// are functions that run side by side. docs/languages/c.md says what is accepted;
// what is not is refused with a position, never ignored.
//
// Input: source files and a function that reads the files they include. Output:
// a structured ir program and diagnostics (Program), or the threads, objects and
// locals of a test (Test). Package read parses and checks types, package library has the
// functions that programs call without defining them. Lowering takes only what is
// reachable from where threads begin.
//
// Every read of memory is one Load edge and every write one Store edge, in the
// order of the text. Scalar locals whose address is not taken are registers,
// other locals are blocks that live until their function returns. What C11's
// orders do to store buffers is expressed by fences and RMWs.
//
// What is deliberately absent: optimisation of any kind (the compiler is not
// modelled), guesses about functions without a body, long double and complex numbers.
package translate
