package explain

import "fencepost/internal/memory"

// Improvement step by step: leave out what does not matter, send stores to memory
// at once, let threads run on. A change is kept if the schedule still shows the
// violation and weighs less. Every attempt executes the schedule, so the number of
// attempts is bounded; the result does not depend on time.

// attemptedSteps bounds the executions tried, by the steps in them.
const attemptedSteps = 400_000

type rearranger struct {
	m    *machine
	best schedule
	w    weight
	left int
}

// try takes a candidate if it is better.
func (r *rearranger) try(list schedule) bool {
	r.left -= len(list)
	if r.left < 0 {
		return false
	}
	done, w, ok := r.m.run(list)
	if !ok || !w.less(r.w) {
		return false
	}
	r.best, r.w = append(schedule(nil), done...), w
	return true
}

func rearrange(m *machine, list schedule, w weight) (schedule, weight) {
	r := &rearranger{m: m, best: list, w: w, left: attemptedSteps}
	for improved := true; improved && r.left > 0; {
		improved = r.dropTails()
		improved = r.hurry() || improved
		improved = r.joinRuns() || improved
	}
	return r.best, r.w
}

// dropTails leaves out the last items of threads.
func (r *rearranger) dropTails() bool {
	improved := false
	for i := len(r.best) - 1; i >= 0; i-- {
		if i < len(r.best) && r.lastOf(i) {
			improved = r.try(without(r.best, i)) || improved
		}
	}
	return improved
}

// lastOf reports whether item i is the last its thread does; flushes count only
// after everything else.
func (r *rearranger) lastOf(i int) bool {
	for _, it := range r.best[i+1:] {
		if it.thread == r.best[i].thread && (it.kind != memory.Flush || r.best[i].kind == memory.Flush) {
			return false
		}
	}
	return true
}

// hurry moves flushes right behind the items that made the entries.
func (r *rearranger) hurry() bool {
	improved := false
	for i := 0; i < len(r.best); i++ {
		if it := r.best[i]; it.kind == memory.Flush && it.of != i-1 {
			improved = r.try(moved(r.best, i, i+1, it.of+1)) || improved
		}
	}
	return improved
}

// joinRuns moves a stretch of one thread to where the thread ran before, or what
// is in between behind it.
func (r *rearranger) joinRuns() bool {
	improved := false
	for i := 1; i < len(r.best); i++ {
		if r.best[i].thread == r.best[i-1].thread {
			continue
		}
		end := i
		for end < len(r.best) && r.best[end].thread == r.best[i].thread {
			end++
		}
		for to := i - 1; to >= 0; to-- {
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

// without is the list with item i and the flushes of its entry left out.
func without(list schedule, i int) schedule {
	keep := make([]int, 0, len(list))
	for j, it := range list {
		if j != i && (it.kind != memory.Flush || it.of != i) {
			keep = append(keep, j)
		}
	}
	return reorder(list, keep)
}

// moved is the list with items from..to-1 moved to the earlier place at.
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

// reorder picks items by index and lets flushes point to the new places.
func reorder(list schedule, order []int) schedule {
	place := make([]int, len(list))
	for i := range place {
		place[i] = -1
	}
	for i, j := range order {
		place[j] = i
	}
	out := make(schedule, len(order))
	for i, j := range order {
		out[i] = list[j]
		if out[i].of >= 0 {
			out[i].of = place[out[i].of]
		}
	}
	return out
}
