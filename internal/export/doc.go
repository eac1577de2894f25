// Package export writes programs in the input languages of other tools, so that
// a second opinion is one command away. Today that is Promela, the language of
// the model checker SPIN.
//
// Input is a flat ir program with its properties, output is text. The text
// states the memory model itself: SPIN knows sequential consistency only, so
// under TSO the store buffers are variables of the exported program and flushes
// are steps of processes of their own. The rules are those of docs/models.md;
// the tests hold SPIN's verdicts against ours.
//
// What does not fit into the language is refused with a position and a reason,
// never left out. docs/export.md lists what is refused.
//
// Deliberately absent: running other tools, and PSO.
package export
