// Package sat has an interface to SAT solvers: clauses in, a model out, with assumptions so that
// one formula answers several questions.
//
// There are two implementations: Embedded, a pure-Go solver that is always available, and Process,
// any program that reads DIMACS. Process starts a child process and writes a temporary file, so
// this package does I/O; its callers use the interface only.
package sat
