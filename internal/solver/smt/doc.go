// Package smt asks a solver for satisfiability modulo theories: it sends terms in SMT-LIB 2 to a child process, z3 or
// cvc5, and reads answers and models.
//
// Terms have sorts, and constructors refuse parts of wrong sorts. A question is a list of conditions:
//
//	x := smt.Constant("x", smt.Integer)
//	s.Send(smt.Declare(x))
//	status, values, err := s.Check([]smt.Term{smt.Apply(smt.Less, x, smt.Number(3, smt.Integer))}, []smt.Term{x})
//
// A Solver is one process. Commands are permanent, and every Check is a separate question with them. Every question has
// a time limit, and the context ends the process.
//
// The files: term.go terms, sort.go sorts, operator.go operators, command.go declarations and functions, smt.go the
// process, sexpr.go its answers.
//
// Limits: names of constants must be simple symbols; values of a model are text, in the usual notation for integers,
// bit-vectors of up to 64 bits and conditions.
package smt
