// Package export has what the writers of programs for other tools share. Users can ask another
// tool the same question; question export chooses the writer. Each language is a package below:
// promela for the model checker SPIN, herd for litmus tests, c11 for verifiers of C, and
// sequential for the sequential program of bounded model checking; cexpr has the expressions
// of both kinds of C.
//
// Input of a writer is a flat ir program with its properties, output is text. A construct that the language
// cannot express is a Refusal with a position and a reason, never left out. docs/export.md
// lists the refusals. A Refuser collects them, a Namer makes identifiers, and the other
// functions answer questions about a program that several writers have.
//
// Deliberately absent: running other tools.
package export
