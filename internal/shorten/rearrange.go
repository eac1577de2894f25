package shorten

import (
	"slices"

	"fencepost/internal/memory"
)

// Improvement by small changes: leave out steps, flush stores at once, let threads run
// longer. A change is kept if the schedule still shows the violation and weighs less.
// Every attempt executes the schedule, so their number is bounded, by steps and not by
// time: the result is the same on every machine. In long schedules many steps are changed
// at once, then half as many, and so on, so that a few dozen attempts are enough for
// thousands of steps.

// attemptedSteps bounds the attempts by the number of steps in them; a long schedule may be
// executed attempts times.
const (
	attemptedSteps = 400_000
	attempts       = 60
)

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
	r := &rearranger{m: m, best: list, w: w, left: max(attemptedSteps, attempts*len(list))}
	for improved := true; improved && r.left > 0; {
		improved = r.dropTails()
		improved = r.flushAtOnce() || improved
		improved = r.joinRuns() || improved
	}
	return r.best, r.w
}

// dropTails tries to leave out the last items of threads, the thread of the last item first.
func (r *rearranger) dropTails() bool {
	improved := false
	for _, thread := range r.threads() {
		size := 1
		for len(r.tail(thread, 2*size)) == 2*size {
			size *= 2
		}
		for size > 0 && !r.over() {
			if tail := r.tail(thread, size); len(tail) == size && r.try(without(r.best, tail)) {
				improved = true
			} else {
				size /= 2
			}
		}
	}
	return improved
}

// threads returns the threads of the schedule, the thread of the last item first.
func (r *rearranger) threads() []int {
	var out []int
	for i := len(r.best) - 1; i >= 0; i-- {
		if !slices.Contains(out, r.best[i].thread) {
			out = append(out, r.best[i].thread)
		}
	}
	return out
}

// tail returns the last n items of a thread, the last one first. Flushes go with the items
// that made their entries: only if the last item of the thread is a flush, it is an item by
// itself.
func (r *rearranger) tail(thread, n int) []int {
	var out []int
	for i := len(r.best) - 1; i >= 0 && len(out) < n; i-- {
		if it := r.best[i]; it.thread == thread && (it.kind != memory.Flush || len(out) == 0 && n == 1) {
			out = append(out, i)
		}
	}
	return out
}

// flushAtOnce tries to move flushes directly after the items that made their entries.
func (r *rearranger) flushAtOnce() bool {
	improved := false
	for size := len(r.delayedFlushes()); size > 0; size /= 2 {
		for from := 0; !r.over(); {
			late := r.delayedFlushes()
			if from >= len(late) {
				break
			}
			if r.try(flushed(r.best, late[from:min(from+size, len(late))])) {
				improved = true
			} else {
				from += size
			}
		}
	}
	return improved
}

// delayedFlushes returns the flushes that do not come directly after their store.
func (r *rearranger) delayedFlushes() []int {
	var out []int
	for i, it := range r.best {
		if it.kind == memory.Flush && it.of != i-1 {
			out = append(out, i)
		}
	}
	return out
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

// without returns the list without some items and the flushes of their entries.
func without(list schedule, items []int) schedule {
	drop := make([]bool, len(list))
	for _, i := range items {
		drop[i] = true
	}
	keep := make([]int, 0, len(list))
	for j, it := range list {
		if !drop[j] && (it.kind != memory.Flush || !drop[it.of]) {
			keep = append(keep, j)
		}
	}
	return reorder(list, keep)
}

// flushed returns the list with some flushes moved directly after their stores.
func flushed(list schedule, flushes []int) schedule {
	next := make([]int, len(list)) // 1 + the flush that comes after a store
	moves := make([]bool, len(list))
	for _, i := range flushes {
		next[list[i].of], moves[i] = i+1, true
	}
	order := make([]int, 0, len(list))
	for j := range list {
		if moves[j] {
			continue
		}
		order = append(order, j)
		if f := next[j]; f > 0 {
			order = append(order, f-1)
		}
	}
	return reorder(list, order)
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
