//go:build fencepost_small

package check

import (
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/verdict"
)

// The small part of the playground counts the threads, too. Notes about threads and objects are not for it.

// runs has what some executions under SC say.
type runs struct {
	flat  *ir.Program
	found []verdict.Warning // none here
}

func newRuns(flat *ir.Program) *runs { return &runs{flat: flat} }

// threads counts the threads that run in some execution under SC.
func (r *runs) threads() int {
	flat := r.flat
	if !startsThreads(flat) {
		return len(flat.Threads)
	}
	y := memory.New(flat, memory.SC, memory.Options{})
	s := y.NewState()
	ran, seen := make([]bool, len(flat.Threads)), map[string]bool{}
	taken := map[spawned]bool{}
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
				taken[spawned{int(st.Thread), e.ID}] = true
			}
			mark := s.Mark()
			y.Apply(s, st)
			visit()
			s.Undo(mark)
			s.Err = nil
		}
	}
	visit()
	return countRun(flat, ran, taken, truncated)
}
