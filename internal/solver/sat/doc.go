// Package sat is the few calls we make to SAT solvers: clauses in, a model out,
// with assumptions so that one formula answers several questions.
//
// Two implementations: Embedded, a pure-Go solver that is always there, and
// Process, any program that reads DIMACS. The second one runs a child process and
// writes a temporary file, which makes this the one solver package that touches
// the world outside; whoever asks questions sees the interface only.
package sat
