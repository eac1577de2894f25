// Package replay is a second, independent implementation of the memory models: a
// small, plain interpreter of flat ir programs under SC, TSO and PSO.
//
// Replay executes a witness step by step, so that no mistake of an engine reaches
// the user. Enumerate visits every reachable state of a small program, so that tests
// can compare the fast implementation with it. Both use the same list of transitions
// and nothing else.
//
// In the pipeline, replay runs after the engines and before a result is reported.
// Its input is a flat program, the properties, the model and a witness. Its output is
// nil, or an error that names the wrong step and the difference.
//
// The rules come from [BCDM15 Fig. 2, Fig. 13] and [BDM13 Table 1] for TSO and
// [AAAJLS15 App. C] for PSO, with the additions of docs/models.md.
//
// Deliberately absent: speed, reductions, sharing of states, and every import of the
// packages that replay checks (memory, search, the engines).
//
// Files:
//
//	state.go      the state of a program and its key
//	bytes.go      memory, and which accesses are valid
//	buffer.go     store buffers and flushes
//	step.go       the list of transitions
//	turn.go       one thread that takes one edge
//	steps.go      the transitions that a turn adds
//	operands.go   the values of an operation's expressions
//	choices.go    the values of havocs and abstract loads
//	access.go     loads, stores, read-modify-writes and fences
//	mutex.go, sync.go, heap.go
//	              the other operations
//	undefined.go, trits.go
//	              which bits of values are undefined
//	condition.go  goals, final conditions and deadlocks
//
// Short names:
//
//	m   machine: a program under a model
//	s   state before a step
//	n   state after a step
//	t   index of a thread
//	th  thread of a state
//	c   turn: the current thread and the edge that it takes
//	f   function of a thread
package replay
