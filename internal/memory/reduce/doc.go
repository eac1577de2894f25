// Package reduce holds reductions of the state space of package memory: steps that a thread
// takes without a state in between (eager.go, run.go), footprints for persistent and sleep
// sets (footprint.go), and states up to the order of symmetric threads (symmetry.go).
//
// A reduction changes which states a search visits, never which answers it gives. The rules of
// the memory models are not repeated here: everything is computed from the program and from
// the questions that memory answers.
//
// docs/engines/explicit.md has the arguments.
package reduce
