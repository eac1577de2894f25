// Package smt asks a solver for satisfiability modulo theories: it sends text in SMT-LIB 2 to a
// child process, z3 or cvc5, and reads answers and models.
//
// A Solver is one process. Declarations made with Declare are permanent, and every Check is a
// separate question with them. Every question has a time limit, and the context ends the process.
// Terms are strings, which this package does not interpret. Names of variables must be simple
// symbols.
//
// Limits: integers, booleans and what the solver's logic "ALL" has; values of a
// model are read back for integers and booleans only.
package smt
