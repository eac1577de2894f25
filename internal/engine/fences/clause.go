package fences

import (
	"math"

	"fencepost/internal/ir"
	"fencepost/verdict"
)

// Clauses. The idea: from an execution that is bad, read off fences of which every
// repairing set must have at least one.
//
// Let W be a bad execution of the program with some fences. Let F be any set of
// fences none of which is in the clause of W. Then W, with its steps moved a little
// and the fences of F passed on the way, is an execution of the program with F and
// still bad, so F repairs nothing.
//
// For an attack on robustness: in W all threads but the attacker behave as under SC, and so does
// the attacker up to its delayed store s. Whenever they pass a fence of F, their buffers are empty
// or can be emptied first, since each store reaches memory before the next step of its thread. From
// s to its load l the attacker passes no fence of F, because the clause has every fence site on
// that path. After l the attacker only lets its stores reach memory. So W itself is an execution
// with F, and its happens-before relation, which does not contain fences, has the same cycle.
//
// Under PSO the attack may end in a store, and stores between s and its end may have reached memory
// while s waits. A store-store fence of F before such a store would make it wait, so the clause has
// store-store fences, too, at the sites from s to the last of these stores. The attacker passes a
// store-store fence of F after the last of them, or none: the stores that come after it wait anyway.
//
// An attack in which several threads delay, or the attacker goes on after l, has no such form. Its clause
// is that of an execution for assertions: there, loads read the same stores, and stores reach memory in
// the same order, so the happens-before relation stays, too.
//
// For assertions: move every step of a thread as late as possible, except for fixed steps. A step
// is fixed if it is a load, or another thread can notice it, or it can notice another thread. The
// steps in which stores reach memory do not move either. So a step comes just before the first of
// these: a fixed step of its thread after it; the step in which a store, issued at it or after it,
// reaches memory. Loads still find the same entries in the buffer, and other threads see the same,
// so W is still an execution and ends in the same bad state. A fence of F is a step that moves,
// too. When it is passed, an older store s of its thread is still in the buffer only if something
// after the fence had to come before s reached memory: a fixed step (then the fence is between s
// and that step), or a younger store that reached memory first (then the fence is between s and the
// younger store, which is possible under PSO and not under TSO). The clause has these fence sites:
// full fences for all of them, and store-store fences where two stores change their order, since a
// store-store fence only prevents that. Stores that never reach memory, and steps with nothing
// after them, move to the end of W, where the buffers can be emptied first, unnoticed. There is one
// exception: if another thread is in an atomic section at the end, no buffer can be emptied. Then
// everything that the thread did after such a store counts, and so does the path from its last step
// to its location, if a goal names that location. A thread that no goal names need not take that
// path.
//
// The clause has no fence that W passed, although it may have a full fence at the site of a
// store-store one: when W passed the fence, the buffer was empty, or no older store was overtaken.
// So every clause is new, and the search ends.
//
// Differs from the paper: [BDM13 §7] enumerates, attack by attack, all minimal sets of labels
// that stop it, and then solves one integer program. Here clauses come from
// executions, as they are needed.

// window has the fence sites that a thread passes between a store and a step that overtakes it.
// swap says that the latter is a store.
type window struct {
	sites []ir.SiteID
	swap  bool
}

// oneDelays reports whether in an attack only the delayed store and later ones of its thread wait, and
// the thread stops at the end of the attack.
func oneDelays(b *Break) bool {
	w := b.Witness
	attacker := w.Steps[b.Store].Thread
	waits := make([]int, len(w.Threads)) // by thread: 1 + the last store that waits and should not
	for i := range w.Steps {
		st := &w.Steps[i]
		switch {
		case st.Kind == verdict.StepFlush:
			if waits[st.Thread] == st.Of+1 {
				waits[st.Thread] = 0
			}
			continue
		case st.Kind == verdict.StepFail:
			continue
		case waits[st.Thread] > 0, st.Thread == attacker && i > b.Load:
			return false
		}
		if st.Kind == verdict.StepStore && st.Buffered && (st.Thread != attacker || i < b.Store) {
			waits[st.Thread] = i + 1
		}
	}
	return true
}

// attackWindows returns the windows of an attack.
func (v *view) attackWindows(b *Break) []window {
	w := b.Witness
	out := []window{{sites: v.between(w, b.Store, b.Load)}}
	waits := map[int]bool{b.Store: true} // stores that have not reached memory
	swapped := -1
	for i := b.Store + 1; i < len(w.Steps) && waits[b.Store]; i++ {
		switch st := &w.Steps[i]; {
		case st.Kind == verdict.StepStore && st.Buffered && st.Thread == w.Steps[b.Store].Thread && i <= b.Load:
			waits[i] = true
		case st.Kind == verdict.StepFlush && waits[st.Of]:
			delete(waits, st.Of)
			if st.Of != b.Store {
				swapped = max(swapped, st.Of)
			}
		}
	}
	if swapped >= 0 {
		out = append(out, window{sites: v.between(w, b.Store, swapped), swap: true})
	}
	return out
}

// windows returns the windows of all delays of an execution with a set of fences.
func (v *view) windows(w *verdict.Witness, set []ir.FenceAt) []window {
	arrives := map[int]int{}
	for i := range w.Steps {
		if st := &w.Steps[i]; st.Kind == verdict.StepFlush {
			arrives[st.Of] = i
		}
	}
	arrival := func(store int) int {
		if at, ok := arrives[store]; ok {
			return at
		}
		return math.MaxInt
	}
	holder, ends := v.end(w)
	var out []window
	for s := range w.Steps {
		st := &w.Steps[s]
		if st.Kind != verdict.StepStore || !st.Buffered {
			continue
		}
		last, swapped := -1, -1
		for i := s + 1; i < len(w.Steps); i++ {
			later := &w.Steps[i]
			if later.Thread != st.Thread || later.Kind == verdict.StepFlush {
				continue
			}
			switch {
			case v.fixed(later):
				if i < arrival(s) {
					last = i
				}
			case later.Kind == verdict.StepStore && later.Buffered && arrival(i) < arrival(s):
				swapped = i
			}
		}
		if arrival(s) == math.MaxInt && holder >= 0 && holder != st.Thread {
			last = ends[st.Thread]
			if sites := v.toGoal(w, last, set); len(sites) > 0 {
				out = append(out, window{sites: sites})
			}
		}
		if last >= 0 {
			out = append(out, window{sites: v.between(w, s, last)})
		}
		if swapped >= 0 {
			out = append(out, window{sites: v.between(w, s, swapped), swap: true})
		}
	}
	return out
}

// end returns the thread that is in an atomic section at the end of an execution, -1 if there is
// none, and the last step of each thread, not counting stores that reach memory.
func (v *view) end(w *verdict.Witness) (holder int, last []int) {
	holder, last = -1, make([]int, len(w.Threads))
	for i := range w.Steps {
		st := &w.Steps[i]
		if st.Edge < 0 {
			continue
		}
		last[st.Thread] = i
		switch v.ops[ir.EdgeID(st.Edge)] {
		case ir.AtomicBegin:
			holder = st.Thread
		case ir.AtomicEnd:
			holder = -1
		}
	}
	return holder, last
}

// toGoal returns the fence sites that a thread passes from its last step to its location, nil if no
// goal names that location.
func (v *view) toGoal(w *verdict.Witness, last int, set []ir.FenceAt) []ir.SiteID {
	return v.Fences.BeforeGoal(ir.EdgeID(w.Steps[last].Edge), v.Fences.Fenced(set))
}

// fixed reports whether a step is fixed: all steps but local ones and stores that enter the
// buffer.
func (v *view) fixed(st *verdict.Step) bool {
	switch st.Kind {
	case verdict.StepStore:
		return !st.Buffered
	case verdict.StepFail: // the last step of all
		return false
	case verdict.StepExec:
		op := ir.Op{Kind: v.ops[ir.EdgeID(st.Edge)]}
		return !op.Local()
	}
	return true
}

// stays reports whether a thread is at the same instruction after a step: a wait for a condition begins, perhaps wakes up, and
// locks its mutex again.
func (v *view) stays(st *verdict.Step) bool {
	return v.ops[ir.EdgeID(st.Edge)] == ir.CondWait && (st.Kind == verdict.StepWake || len(st.Accesses) == 2)
}

// between returns the fence sites that a thread passes from one of its steps to another.
func (v *view) between(w *verdict.Witness, first, last int) []ir.SiteID {
	var out []ir.SiteID
	at := first
	for i := first + 1; i <= last; i++ {
		st := &w.Steps[i]
		if st.Thread != w.Steps[first].Thread || st.Edge < 0 {
			continue
		}
		if v.stays(&w.Steps[at]) {
			at = i
			continue
		}
		out = v.Fences.Between(ir.EdgeID(w.Steps[at].Edge), ir.EdgeID(st.Edge), out)
		// A store-store fence is there already; a full fence is stronger.
		if site, ok := v.Fences.SiteOf(ir.EdgeID(st.Edge)); ok {
			out = append(out, site)
		}
		at = i
	}
	return out
}
