// Package fairness looks for endless executions in which every thread gets its turn: two threads whose
// compare-exchanges fail in turns, a lock that is stolen again and again, a loop that waits in vain.
//
// It builds the graph of all states of a flat program, without reductions other than local steps that a
// thread takes at once, and looks at its strongly connected components. A component is a violation if some
// execution stays in it for ever and is fair; docs/engines/liveness.md says what that means.
//
// Engine explicit asks it after its own search has found nothing else.
//
//	file            has
//	fair.go         the question and its answer
//	graph.go        the graph of all states
//	components.go   strongly connected components, and whether one is a violation
//	cycle.go        an execution that stays in a component, as a witness
package fairness
