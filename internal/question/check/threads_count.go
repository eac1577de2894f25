package check

import "fencepost/internal/ir"

// How many threads run. A statement that starts threads in a loop has a pool of them, which is larger than needed if the
// number of rounds is not known from constants, so executions under SC show which of them are started.

// maxRunStates and maxRunBytes bound the states that are visited, and their size: a program that
// allocates in an endless loop has states that grow.
const (
	maxRunStates = 4_000
	maxRunBytes  = 2 << 20
)

// spawned is an edge of a thread that starts threads.
type spawned struct {
	thread int
	edge   ir.EdgeID
}

// countRun counts the threads that ran. Where there were too many states to visit, the search is truncated: it counts the
// threads seen so far if every statement that starts threads was seen, and all threads otherwise.
func countRun(flat *ir.Program, ran []bool, taken map[spawned]bool, truncated bool) int {
	n := 0
	for t, is := range ran {
		if !is {
			continue
		}
		n++
		f := flat.ThreadFunc(ir.ThreadID(t))
		for i := range f.Edges {
			if e := &f.Edges[i]; truncated && e.Op.Kind == ir.Spawn && !taken[spawned{t, e.ID}] {
				return len(flat.Threads)
			}
		}
	}
	return n
}

// startsThreads reports whether a statement of the program starts threads.
func startsThreads(flat *ir.Program) bool {
	for t := range flat.Threads {
		f := flat.ThreadFunc(ir.ThreadID(t))
		for i := range f.Edges {
			if f.Edges[i].Op.Kind == ir.Spawn {
				return true
			}
		}
	}
	return false
}
