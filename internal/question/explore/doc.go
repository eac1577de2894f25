// Package explore answers where a run leads: a list of steps that a user chose, one by one. It returns the state
// after them, the steps that are possible next with what each will read and write, the ones that are not with the
// reason, and the execution so far.
//
// A question keeps nothing: the program, the model and the run are the whole input, so that the user can go back,
// store a run and compare models by asking again. A run from outside is checked step by step against package
// memory, and a run that is not possible is refused. The execution is replayed, and the state after it compared with
// that of package replay, before it is shown.
//
//	explore.go  the question, and the names of steps
//	agree.go    the comparison with package replay
//	view.go     a state as plain data
//	reasons.go  why a thread cannot go on
//	compare.go  the same steps under another model
//	fence.go    the fence that forbids an execution, written into the program
//	graph.go    the graph of all states of a small program
package explore
