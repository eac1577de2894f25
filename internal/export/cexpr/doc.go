// Package cexpr writes expressions, lines and string literals of C, for the two writers of C.
// A register is an int64_t; whatever C leaves undefined is written out.
//
// Input is an expression of ir with the Names of what it reads, output is an Expr.
package cexpr
