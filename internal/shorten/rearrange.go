package shorten

import "fencepost/internal/memory"

// Improvement by small changes: leave out steps, flush stores at once, let threads run
// longer. A change is kept if the schedule still shows the violation and weighs less.
// Every attempt executes the schedule, so their number is bounded, by steps and not by
// time: the result is the same on every machine.

// attemptedSteps bounds the attempts by the number of steps in them.
const attemptedSteps = 400_000

type rearranger struct {
	m    *machine
	best schedule
	w    weight
	left int
}

// try keeps a candidate if it weighs less than the best schedule so far.
func (r *rearranger) try(list schedule) bool {
	if r.left -= len(list); r.over() {
		return false
	}
	done, w, ok := r.m.run(list)
	if !ok || !w.less(r.w) {
		return false
	}
	r.best, r.w = append(schedule(nil), done...), w
	return true
}

// over reports whether no attempt is left, or there is no time for one.
func (r *rearranger) over() bool {
	if r.left >= 0 && r.m.ctx != nil && r.m.ctx.Err() != nil {
		r.left = -1
	}
	return r.left < 0
}

func rearrange(m *machine, list schedule, w weight) (schedule, weight) {
	r := &rearranger{m: m, best: list, w: w, left: attemptedSteps}
	for improved := true; improved && r.left > 0; {
		improved = r.dropTails()
		improved = r.flushAtOnce() || improved
		improved = r.joinRuns() || improved
	}
	return r.best, r.w
}

// dropTails tries to leave out the last items of threads.
func (r *rearranger) dropTails() bool {
	improved := false
	for i := len(r.best) - 1; i >= 0 && !r.over(); i-- {
		if i < len(r.best) && r.lastOf(i) {
			improved = r.try(without(r.best, i)) || improved
		}
	}
	return improved
}

// lastOf reports whether item i is the last one of its thread. Flushes come last: later
// flushes do not count, unless item i is a flush itself.
func (r *rearranger) lastOf(i int) bool {
	for _, it := range r.best[i+1:] {
		if it.thread == r.best[i].thread && (it.kind != memory.Flush || r.best[i].kind == memory.Flush) {
			return false
		}
	}
	return true
}

// flushAtOnce tries to move each flush directly after the item that made its entry.
func (r *rearranger) flushAtOnce() bool {
	improved := false
	for i := 0; i < len(r.best) && !r.over(); i++ {
		if it := r.best[i]; it.kind == memory.Flush && it.of != i-1 {
			improved = r.try(moved(r.best, i, i+1, it.of+1)) || improved
		}
	}
	return improved
}

// joinRuns tries to move a run of items of one thread to the end of an earlier run of the
// same thread, or to the beginning.
func (r *rearranger) joinRuns() bool {
	improved := false
	for i := 1; i < len(r.best) && !r.over(); i++ {
		if r.best[i].thread == r.best[i-1].thread {
			continue
		}
		end := i
		for end < len(r.best) && r.best[end].thread == r.best[i].thread {
			end++
		}
		for to := i - 1; to >= 0 && !r.over(); to-- {
			if to == 0 || r.best[to-1].thread == r.best[i].thread {
				if r.try(moved(r.best, i, end, to)) {
					improved = true
					break
				}
				if to > 0 {
					continue
				}
			}
		}
	}
	return improved
}

// without returns the list without item i and the flush of its entry.
func without(list schedule, i int) schedule {
	keep := make([]int, 0, len(list))
	for j, it := range list {
		if j != i && (it.kind != memory.Flush || it.of != i) {
			keep = append(keep, j)
		}
	}
	return reorder(list, keep)
}

// moved returns the list with the items from..to-1 moved to the earlier index at.
func moved(list schedule, from, to, at int) schedule {
	order := make([]int, 0, len(list))
	for j := range at {
		order = append(order, j)
	}
	for j := from; j < to; j++ {
		order = append(order, j)
	}
	for j := at; j < from; j++ {
		order = append(order, j)
	}
	for j := to; j < len(list); j++ {
		order = append(order, j)
	}
	return reorder(list, order)
}

// reorder returns the items with the given indices, in that order. Flushes refer to the
// new indices.
func reorder(list schedule, order []int) schedule {
	index := make([]int, len(list))
	for i := range index {
		index[i] = -1
	}
	for i, j := range order {
		index[j] = i
	}
	out := make(schedule, len(order))
	for i, j := range order {
		out[i] = list[j]
		if out[i].of >= 0 {
			out[i].of = index[out[i].of]
		}
	}
	return out
}
