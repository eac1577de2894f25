package relation

import (
	"strings"

	"fencepost/verdict"
)

// An accessor is a call in which the program does one thing that other threads can notice:
// a function of a library that loads one variable, an unlock that is one store. A reader
// should see the call, as the caller wrote it: `n = load_acquire(&q->head)` says more than
// the body of load_acquire, which may come from a macro.

// IsLocal reports whether a step has no effect that other threads could notice: it accesses
// no memory, and starts, joins and wakes no thread.
func IsLocal(s *verdict.Step) bool {
	return s.Kind == verdict.StepExec && s.Note == "" && s.Other == 0 && !s.Signals
}

// invocation is a call and what happens in it.
type invocation struct {
	caller int   // step before the call, -1 if there is none
	steps  []int // not local
	count  int   // statements that they belong to
	ours   bool  // all of them are in headers of ours
}

// InHeader reports whether a position is in a header of ours whose functions have bodies, which no reader has written.
func InHeader(p *verdict.Pos) bool {
	return p != nil && strings.HasPrefix(p.File, "<fencepost>/fencepost/")
}

// Callers returns for each step the step of the caller that a reader should see instead: the
// one before the outermost accessor that the step is in. It is -1 for a step in no accessor,
// and for a local step.
func Callers(w *verdict.Witness) []int {
	out := make([]int, len(w.Steps))
	for i := range out {
		out[i] = -1
	}
	allocates := map[int]bool{}
	for _, b := range w.Blocks {
		allocates[b.Step] = true
	}
	type thread struct {
		open []invocation // by depth
		last int          // step
		pos  *verdict.Pos // of the last step that is not local
	}
	threads := make([]thread, len(w.Threads))
	for t := range threads {
		threads[t].last = -1
	}
	closeTo := func(t *thread, depth int) {
		for len(t.open) > depth {
			call := t.open[len(t.open)-1]
			t.open = t.open[:len(t.open)-1]
			if (call.count == 1 || call.ours) && call.caller >= 0 && w.Steps[call.caller].Pos != nil && !InHeader(w.Steps[call.caller].Pos) {
				for _, i := range call.steps {
					out[i] = call.caller // an outer call is closed later
				}
			}
		}
	}
	for i := range w.Steps {
		s := &w.Steps[i]
		if s.Kind == verdict.StepFlush || !hasThread(w, *s) {
			continue
		}
		t := &threads[s.Thread]
		depth := max(0, len(s.Stack)-1)
		closeTo(t, depth)
		for len(t.open) < depth {
			t.open = append(t.open, invocation{caller: t.last, ours: true})
			t.pos = nil
		}
		if !IsLocal(s) || allocates[i] {
			same := t.pos != nil && s.Pos != nil && *t.pos == *s.Pos
			for k := range t.open {
				if !same {
					t.open[k].count++
				}
				t.open[k].steps = append(t.open[k].steps, i)
				t.open[k].ours = t.open[k].ours && InHeader(s.Pos)
			}
			t.pos = s.Pos
		}
		t.last = i
	}
	for t := range threads {
		closeTo(&threads[t], 0)
	}
	return out
}
