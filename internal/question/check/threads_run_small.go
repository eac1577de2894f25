//go:build fencepost_small

package check

import (
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/verdict"
)

// How many threads run. Notes about threads and objects are not for the small part of the site. A statement that starts threads in a loop has a pool of them, which is larger than needed if
// the number of rounds is not known from constants.

// maxRunStates and maxRunBytes bound the states that are visited to count threads, and their size: a program that
// allocates in an endless loop has states that grow.
const (
	maxRunStates = 4_000
	maxRunBytes  = 2 << 20
)

// runs has what some executions under SC say.
type runs struct {
	flat  *ir.Program
	found []verdict.Warning // none here
}

func newRuns(flat *ir.Program) *runs { return &runs{flat: flat} }

// threads counts the threads that run in some execution under SC. Where there are too many states to visit, it
// counts the threads seen so far if every statement that starts threads was seen, and all threads otherwise.
func (r *runs) threads() int {
	flat := r.flat
	if !startsThreads(flat) {
		return len(flat.Threads)
	}
	y := memory.New(flat, memory.SC, memory.Options{})
	s := y.NewState()
	ran, seen := make([]bool, len(flat.Threads)), map[string]bool{}
	type start struct {
		thread int
		edge   ir.EdgeID
	}
	taken := map[start]bool{}
	truncated, bytes := false, 0
	var visit func()
	visit = func() {
		key := string(y.Codec().Encode(s, nil))
		if s.Over() || s.Faulted() || s.Err != nil || seen[key] {
			return
		}
		if len(seen) >= maxRunStates || bytes >= maxRunBytes {
			truncated = true
			return
		}
		seen[key] = true
		bytes += len(key)
		for t := range ran {
			ran[t] = ran[t] || s.Started(ir.ThreadID(t))
		}
		for _, st := range y.Enabled(s, nil) {
			if e := y.EdgeOf(s, st); e.Op.Kind == ir.Spawn {
				taken[start{int(st.Thread), e.ID}] = true
			}
			mark := s.Mark()
			y.Apply(s, st)
			visit()
			s.Undo(mark)
			s.Err = nil
		}
	}
	visit()
	n := 0
	for t, is := range ran {
		if !is {
			continue
		}
		n++
		f := flat.ThreadFunc(ir.ThreadID(t))
		for i := range f.Edges {
			if e := &f.Edges[i]; truncated && e.Op.Kind == ir.Spawn && !taken[start{t, e.ID}] {
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
