// Package export writes programs in the input languages of other tools, so that users
// can ask another tool the same question. The only language is Promela, the language of
// the model checker SPIN.
//
// Input is a flat ir program with its properties, output is text. The text
// includes the memory model: SPIN knows sequential consistency only, so
// under TSO the store buffers are variables of the exported program, and a separate
// process per thread makes the flushes. The rules are in docs/models.md;
// the tests compare SPIN's verdicts with ours.
//
// A construct that the language cannot express is refused with a position and a reason,
// never left out. docs/export.md lists the refusals.
//
// Deliberately absent: running other tools, and PSO.
//
// Receivers: w is the promela that is being written, t is a thread, m is a monitors,
// l is the layout of memory.
package export
