// Package promela writes programs in Promela, the language of the model checker SPIN. The text
// includes the memory model: SPIN knows sequential consistency only, so under TSO the
// store buffers are variables of the exported program, and a separate process per thread
// makes the flushes. The rules are in docs/models.md; the tests compare SPIN's verdicts with ours.
//
// Input is a flat ir program with its properties; Write returns the text, or refusals.
//
// Receivers: w is the promela that is being written, t is a thread, m is a monitors, l is the
// layout of memory.
package promela
