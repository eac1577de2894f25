package explicit

import (
	"slices"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory/reduce"
)

// Symmetry. Threads with the same code, the same arguments and no way to learn their identity
// can be exchanged: if a state is reachable, so is the state with two of them exchanged, and both
// have the same future up to the exchange. So states are stored up to the order of such threads
// (reduce.Symmetry).
//
// That is sound only where nothing depends on a thread's identity:
//   - no property names one of the threads (a goal's location, a register in a condition);
//   - no value holds a thread's identity: mutex words hold owners, spawn returns handles, the
//     address of a fresh block depends on the thread, a signal picks a waiter. Programs with any
//     of these operations have no symmetric threads;
//   - the search stops at the first violation: an assertion is an edge, and every thread has
//     edges of its own.

// symmetric finds the groups of exchangeable threads.
func symmetric(task *engine.Task) [][]ir.ThreadID {
	p := task.Program
	if task.NoReduction || task.KeepGoing {
		return nil
	}
	return reduce.Groups(p, task.Names())
}

// exchange marks the edges that run in executions which the search left out because they are the same with threads
// exchanged: what one thread of a group did, every thread of it can do.
func exchange(task *engine.Task, ran map[ir.EdgeID]bool) {
	for _, group := range symmetric(task) {
		for i := range task.Program.ThreadFunc(group[0]).Edges {
			id := func(t ir.ThreadID) ir.EdgeID { return task.Program.ThreadFunc(t).Edges[i].ID }
			if slices.ContainsFunc(group, func(t ir.ThreadID) bool { return ran[id(t)] }) {
				for _, t := range group {
					ran[id(t)] = true
				}
			}
		}
	}
}
