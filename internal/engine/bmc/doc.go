// Package bmc answers by bounded model checking: all schedules of a number of rounds,
// all times at which stores can reach memory and all inputs are one formula, and a
// SAT solver looks for an execution that violates what is asked [TNIFLP16].
//
// Input is a flat program, which is unrolled first. The stages: flow finds what values
// can flow where; cells are the locations that are tracked; encoder, thread, access and
// sequence build a circuit, with memory behind the interface abstraction; questions
// says what is asked as gates of that circuit; decode turns a model into an execution of
// the program, which pipeline replays like every other.
//
// A safe holds up to the bounds: unrolling, rounds, times, lengths of lists. What
// cannot be encoded is unknown, with the place.
package bmc
