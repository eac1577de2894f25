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
// For an attack on robustness: everybody but the attacker is SC in W, and so is the attacker
// up to its delayed store s; wherever they pass a fence of F, their buffers are
// empty or can be emptied first, since each store reaches memory before the
// next step of its thread. From s to its load l the attacker passes no fence of F,
// because the clause has every place on that way. Behind l the attacker does nothing but let
// its stores go. So W itself runs, and its happens-before relation, which fences
// are no part of, has the same cycle.
//
// For assertions: move every step of a thread as late as possible, without moving
// loads, nor anything else that another thread can notice or that notices another
// (a fixed step), nor the moments at which stores reach memory. So a step comes
// just before the first of: a fixed step of its thread behind it, the arrival in memory of
// a store at or behind it. Loads still find the same entries in the buffer, and everybody else
// sees the same, so W stays an execution and ends in the same bad state.
// A fence of F is such a step, too. When it is passed, an older store s of its
// thread is still in the buffer only if something behind the fence had to come
// before s arrived: a fixed step (then the fence lies between s and that step), or the
// arrival of a younger store (then the fence lies between s and the younger one, which PSO
// allows and TSO does not). The clause has these places: full for all of
// them; also store-store where two stores swap, because a store-store fence forbids
// nothing but the swap. Stores that never arrive, and steps that nothing comes
// behind, go to the end of W, where the buffers can be emptied first: nobody is there
// to notice. Only if another thread stands in an atomic section at the end, nothing can
// be emptied: then everything that the thread did behind such a store counts, and
// so does the way from its last step to the location it stands at, if a goal names that
// location. A thread that no goal names need not go that way.
//
// No fence in place is in the clause, though a full one at the place of a store-store
// one may be: when W passed it, the buffer was empty, or no older store was overtaken. So every clause is new, and the search ends.
//
// Differs from the paper: [BDM13 §7] enumerates, attack by attack, all minimal sets of labels
// that stop it, and then solves one integer program. Here clauses come from
// executions, as they are needed.

// window is the places a thread passes between a store and something that overtakes
// it. swap says that the latter is a store.
type window struct {
	places []ir.SiteID
	swap   bool
}

// attackWindow is the window of an attack.
func (r *run) attackWindow(b *Break) []window {
	return []window{{places: r.between(b.Witness, b.Store, b.Load)}}
}

// windows are all delays of an execution of the program with a set of fences.
func (r *run) windows(w *verdict.Witness, set []ir.FenceAt) []window {
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
	holder, ends := r.end(w)
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
			case r.fixed(later):
				if i < arrival(s) {
					last = i
				}
			case later.Kind == verdict.StepStore && later.Buffered && arrival(i) < arrival(s):
				swapped = i
			}
		}
		if arrival(s) == math.MaxInt && holder >= 0 && holder != st.Thread {
			last = ends[st.Thread]
			if places := r.toGoal(w, last, set); len(places) > 0 {
				out = append(out, window{places: places})
			}
		}
		if last >= 0 {
			out = append(out, window{places: r.between(w, s, last)})
		}
		if swapped >= 0 {
			out = append(out, window{places: r.between(w, s, swapped), swap: true})
		}
	}
	return out
}

// end is who stands in an atomic section at the end of an execution, -1 if nobody
// does, and the last step of each thread that is no arrival.
func (r *run) end(w *verdict.Witness) (holder int, last []int) {
	holder, last = -1, make([]int, len(w.Threads))
	for i := range w.Steps {
		st := &w.Steps[i]
		if st.Edge < 0 {
			continue
		}
		last[st.Thread] = i
		switch r.ops[ir.EdgeID(st.Edge)] {
		case ir.AtomicBegin:
			holder = st.Thread
		case ir.AtomicEnd:
			holder = -1
		}
	}
	return holder, last
}

// toGoal is the places that a thread passes from its last step to a location that a
// goal names, nil if it does not stand at one.
func (r *run) toGoal(w *verdict.Witness, last int, set []ir.FenceAt) []ir.SiteID {
	fenced := map[ir.SiteID]bool{}
	for _, at := range set {
		fenced[at.Site] = true
	}
	return r.task.Fences.BeforeGoal(ir.EdgeID(w.Steps[last].Edge), fenced)
}

// fixed reports whether a step may not be moved: all but what works on registers,
// and stores on their way into the buffer.
func (r *run) fixed(st *verdict.Step) bool {
	switch st.Kind {
	case verdict.StepStore:
		return !st.Buffered
	case verdict.StepFail: // the last step of all
		return false
	case verdict.StepExec:
		op := ir.Op{Kind: r.ops[ir.EdgeID(st.Edge)]}
		return !op.Local()
	}
	return true
}

// between is the places that a thread passes from one of its steps to another.
func (r *run) between(w *verdict.Witness, first, last int) []ir.SiteID {
	var out []ir.SiteID
	at := first
	for i := first + 1; i <= last; i++ {
		st := &w.Steps[i]
		if st.Thread != w.Steps[first].Thread || st.Edge < 0 {
			continue
		}
		if st.Edge == w.Steps[at].Edge && (st.Kind == verdict.StepWake || w.Steps[at].Kind == verdict.StepWake) {
			continue // still the same instruction
		}
		out = r.task.Fences.Between(ir.EdgeID(w.Steps[at].Edge), ir.EdgeID(st.Edge), out)
		// A store-store fence stands there already; a full one does more.
		if place, ok := r.task.Fences.PlaceOf(ir.EdgeID(st.Edge)); ok {
			out = append(out, place)
		}
		at = i
	}
	return out
}
