// Package smt asks a solver for satisfiability modulo theories: text in the
// language SMT-LIB 2 to a process that runs beside us, z3 or cvc5, answers and
// models back.
//
// A Solver is one process. Declarations made with Declare stay, every Check is
// a question of its own on top of them. A question has a limit of its own, and the
// context ends the process. Terms are plain strings; this package knows nothing of
// what they mean. Names of variables must be simple symbols.
//
// Limits: integers, booleans and what the solver's logic "ALL" has; values of a
// model are read back for integers and booleans only.
package smt
