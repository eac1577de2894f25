// Package irtext is the text form of programs of package ir. Print writes a program, Parse reads it;
// the two round-trip, and tests below the front ends are written in the form. FormatOp and
// FormatExpr write parts of a program for people, and Dot draws its automata.
//
// Parse returns diagnostics with positions and goes on after a mistake. It does not check what the
// program means: ir.Verify does.
//
// Naming: ps is the parser, lx the lexer, pr the printer.
package irtext
