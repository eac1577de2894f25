package search

import (
	"container/heap"
	"context"
)

// Ranked searches. A search for something that is likely to be there ends sooner if the states that look
// nearest are expanded first. The worker ranks every state that it adds, and a level of the search
// is all waiting states with the lowest rank. The rank of a state is the lowest that it was added
// with before it was expanded. So a level depends on what was added before it and not on the order, and
// the search is the same with any number of workers. A search that finds nothing visits the same
// states in another order. Problem.RankedAfter lets the search begin by distance, so that a small one finds what is
// nearest.

// ranked is a state with a rank that it was added with.
type ranked struct {
	id   ID
	rank int
}

// again notes that a state was added that is known: it may have a lower rank now.
func (k *Sink) again(id ID, rank int) {
	if k.v.ranked {
		k.known = append(k.known, ranked{id, rank})
	}
}

// LevelRank returns the rank of the state being expanded.
func (k *Sink) LevelRank() int { return k.level }

// ranks holds the states that wait, and the states of the level.
type ranks struct {
	// waiting has the rank of the states that have not been expanded.
	waiting map[ID]int
	byRank  map[int][]ID // a state may have been moved to a lower rank
	order   rankHeap     // the ranks of byRank
	level   []ID
	rank    int // of the level
}

// rankHeap is a heap of different ranks, the lowest on top.
type rankHeap []int

func (h rankHeap) Len() int           { return len(h) }
func (h rankHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h rankHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *rankHeap) Push(x any)        { *h = append(*h, x.(int)) }
func (h *rankHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// waits reports whether a state has not been expanded: a second path to it only changes its sleep
// set.
func (q *ranks) waits(id ID) bool {
	_, ok := q.waiting[id]
	return ok
}

func (q *ranks) add(s ranked) {
	list, ok := q.byRank[s.rank]
	if !ok {
		heap.Push(&q.order, s.rank)
	}
	q.byRank[s.rank] = append(list, s.id)
	q.waiting[s.id] = s.rank
}

// take makes the waiting states with the lowest rank the next level.
func (q *ranks) take() {
	q.level = nil
	for len(q.level) == 0 && len(q.order) > 0 {
		q.rank = heap.Pop(&q.order).(int)
		for _, id := range q.byRank[q.rank] {
			if rank, ok := q.waiting[id]; ok && rank == q.rank {
				q.level = append(q.level, id)
				delete(q.waiting, id)
			}
		}
		delete(q.byRank, q.rank)
	}
}

// beginRanking lets ranks count from this level on if there are enough states. All states that wait were added in the
// last level then.
func (r *Search) beginRanking() {
	if r.ranking {
		return
	}
	if r.ranking = r.v.states() >= r.p.RankedAfter; r.ranking {
		return
	}
	for _, k := range r.sinks {
		k.fresh, k.known = k.fresh[:0], k.known[:0]
	}
}

// rankedLevel collects what the last level added, and finds the next.
func (r *Search) rankedLevel() {
	q := &r.ranks
	if q.waiting == nil {
		q.waiting, q.byRank = map[ID]int{}, map[int][]ID{}
	}
	for _, k := range r.sinks {
		for _, s := range k.fresh {
			q.add(s)
		}
		k.fresh = k.fresh[:0]
	}
	for _, k := range r.sinks {
		for _, s := range k.known {
			if rank, ok := q.waiting[s.id]; ok && s.rank < rank {
				q.add(s)
			}
		}
		k.known = k.known[:0]
	}
	q.take()
	for _, k := range r.sinks {
		k.level = q.rank
	}
}

// workRanked expands states of the level until none is left. It returns false if the search must end.
func (r *Search) workRanked(ctx context.Context, w, depth int) bool {
	worker, sink := r.workers[w], r.sinks[w]
	for {
		from := int(r.nextJob.Add(between)) - between
		if from >= len(r.ranks.level) {
			return true
		}
		ids := r.ranks.level[from:min(from+between, len(r.ranks.level))]
		for _, id := range ids {
			sink.depth, sink.parent = depth, id
			if r.p.Sleeps > 0 {
				state, sleep := r.v.stateAt(id)
				sink.state = state
				worker.(Sleeper).ExpandAwake(state, sleep, 0, sink)
			} else {
				sink.state = r.v.bytesAt(id)
				worker.Expand(sink.state, sink)
			}
			sink.Count(stateCost + byteCost*int64(len(sink.state)))
		}
		r.expanded.Add(int64(len(ids)))
		if sink.err != nil || r.interrupted(ctx, sink) {
			return false
		}
	}
}
