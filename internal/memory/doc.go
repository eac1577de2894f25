// Package memory implements SC, TSO and PSO as one transition system over flat ir programs: a
// State, the steps Enabled in it, Apply with Undo, and a Codec between states and byte strings.
//
// A System is the compiled program under one model; it is immutable and shared by workers. A
// State is the mutable scratch state of one worker. The inner loops allocate nothing, use no
// maps and compare no strings.
//
// The rules are stated in docs/models.md; they extend [BCDM15 Fig. 2, 13], [BDM13 Table 1] and,
// for PSO, [AAAJLS15 App. C]. Package replay implements the same rules a second time, plainly;
// the tests compare the two.
//
//	system.go          options, compilation of a program
//	layout.go          static memory and addresses
//	code.go, live.go   compiled expressions, live registers
//	state.go, undo.go  states and the log that undoes steps
//	enabled.go         which steps are enabled
//	apply.go           what a step does
//	access.go          finding, reading and writing bytes; forwarding
//	buffer.go          store buffers
//	sync.go            mutexes, conditions, barriers
//	heap.go            allocated blocks
//	undefined.go       which bits of memory are undefined
//	havoc.go           nondeterministic choice
//	attack.go          the variant of the rules for robustness
//	thread_private.go  memory that needs no buffer, and the check that it does not
//	thread.go          questions about one thread in a state
//	advance.go         steps that other threads cannot notice
//	encode.go          states as byte strings
//
// Names in this package: y is the System, s the State, t a thread, e a compiled edge or a
// buffer entry, b a buffer or block, th a Thread.
//
// Deliberately absent: search and verdicts. Reductions of the state space are in memory/reduce.
package memory
