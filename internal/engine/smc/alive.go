package smc

import "fencepost/internal/ir"

// The threads that can still do something. What is asked about all threads, such as what can happen next, is asked about
// these, so that it does not depend on how many have finished.

// alive is a list of the threads that have not finished: that have not ended, or whose buffers are not empty. A thread is
// taken out when it finishes and put back, in the reverse order, when that is undone.
type alive struct {
	next, prev []int32 // per thread, with one more for the ends of the list
	finished   []int32
}

func newAlive(threads int) alive {
	a := alive{next: make([]int32, threads+1), prev: make([]int32, threads+1)}
	for t := range a.next {
		a.next[t] = int32((t + 1) % (threads + 1))
		a.prev[t] = int32((t + threads) % (threads + 1))
	}
	return a
}

// first returns the first thread of the list, or end. next[t] is the thread after t.
func (a *alive) first() int32 { return a.next[a.end()] }

func (a *alive) end() int32 { return int32(len(a.next) - 1) }

// restore puts back all threads but the first n that have finished.
func (a *alive) restore(n int) {
	for k := len(a.finished) - 1; k >= n; k-- {
		t := a.finished[k]
		a.next[a.prev[t]], a.prev[a.next[t]] = t, t
	}
	a.finished = a.finished[:n]
}

// finish takes thread t out of the list if it has finished.
func (pa *path) finish(t int32) {
	a, state := &pa.alive, pa.run.State
	if a.next[a.prev[t]] != t || len(state.Buffer(ir.ThreadID(t))) > 0 || !pa.run.Sys.Thread(state, int(t)).Ended() {
		return
	}
	a.next[a.prev[t]], a.prev[a.next[t]] = a.next[t], a.prev[t]
	a.finished = append(a.finished, t)
}
