// Package export writes programs in the input languages of other tools, so that users
// can ask another tool the same question: Promela, the language of the model checker SPIN
// (promela*.go), litmus tests for herd7 (litmus*.go), C11 for verifiers of C (c*.go), and
// the sequential program of bounded model checking (sequential*.go).
//
// Input is a flat ir program with its properties, output is text. A text in Promela
// includes the memory model: SPIN knows sequential consistency only, so
// under TSO the store buffers are variables of the exported program, and a separate
// process per thread makes the flushes. The rules are in docs/models.md;
// the tests compare SPIN's verdicts with ours. Litmus tests and C have no memory model, since
// the other tool knows it; the tests read them again.
//
// A construct that the language cannot express is refused with a position and a reason,
// never left out. docs/export.md lists the refusals.
//
// Deliberately absent: running other tools.
//
// Receivers: w is the promela, litmusTest or cProgram that is being written, t is a thread, c is
// a column of a litmus test, m is a monitors, l is the layout of memory.
package export
