// Package bmc answers by bounded model checking: all schedules with a number of rounds, all times
// at which stores can reach memory and all inputs become one formula, and a SAT solver searches it
// for an execution that violates what is asked [TNIFLP16].
//
// Input: a flat program, which is unrolled first. The stages: the value flow finds which values can
// be where (value_flow*.go, values.go, addresses.go); the scan finds the cells, the pieces of
// memory that are tracked (scan.go, cells.go); the encoder builds a circuit of the threads
// (encoder.go, thread.go, access.go, condition.go, blocks.go, spawn.go) and of the sequentialized
// program (sequence.go), with memory as the interface abstraction (abstraction.go, tso.go);
// lifetimes.go says when blocks exist; questions.go expresses what is asked as gates; ask.go puts
// the questions to the solver; decode.go turns a model into an execution of the program.
//
// A safe answer holds up to the bounds: unrolling, rounds, times, lengths of lists. A program that
// cannot be encoded is answered unknown, with a position.
//
// Names of receivers:
//
//	x   *encoder     c   *circuit     lf  *lifetimes   sq  *sequencer   as  *asker
//	sv  *scan        fl  *flow        p   *product     d   *decoder     r   *run
//	t   *thread      l   *location    st  *step        s   *local       a   *access
package bmc
