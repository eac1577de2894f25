package ir

import "slices"

// Which threads several threads can start. Front ends give every spawn threads of its own.

// eachSpawn calls f with every spawn, and the thread that has it.
func (p *Program) eachSpawn(f func(t ThreadID, started []ThreadID)) {
	for t := range p.Threads {
		fn := p.ThreadFunc(ThreadID(t))
		for i := range fn.Edges {
			if started := fn.Edges[i].Op.Call.Threads; len(started) > 0 {
				f(ThreadID(t), started)
			}
		}
	}
}

// Starters returns for each thread 0, or a number from 1 on if several threads can start it. Threads that one spawn can
// start have one number.
func (p *Program) Starters() []int {
	list, by, several := make([]int, len(p.Threads)), map[int]ThreadID{}, map[int]bool{}
	for t := range list {
		list[t] = t + 1
	}
	p.eachSpawn(func(_ ThreadID, started []ThreadID) {
		for _, u := range started[1:] {
			from, to := list[u], list[started[0]]
			for k := range list {
				if list[k] == from {
					list[k] = to
				}
			}
		}
	})
	p.eachSpawn(func(t ThreadID, started []ThreadID) {
		n := list[started[0]]
		first, ok := by[n]
		several[n] = several[n] || ok && first != t
		by[n] = t
	})
	for t, n := range list {
		if !several[n] {
			list[t] = 0
		}
	}
	return list
}

// UnevenStarters reports whether two spawns can start one thread, but not the same threads.
func (p *Program) UnevenStarters() bool {
	of, uneven := map[ThreadID][]ThreadID{}, false
	p.eachSpawn(func(_ ThreadID, started []ThreadID) {
		for _, u := range started {
			if other, ok := of[u]; ok && !slices.Equal(other, started) {
				uneven = true
			}
			of[u] = started
		}
	})
	return uneven
}

// SeveralJoin reports whether a thread joins others, and another thread starts or joins threads, too. Only then can a
// join depend on the order of joins and spawns.
func (p *Program) SeveralJoin() bool {
	joining, all := 0, 0
	for t := range p.Threads {
		joins, starts := 0, 0
		f := p.ThreadFunc(ThreadID(t))
		for i := range f.Edges {
			switch f.Edges[i].Op.Kind {
			case Join:
				joins = 1
			case Spawn:
				starts = 1
			}
		}
		joining, all = joining+joins, all+max(joins, starts)
	}
	return joining > 0 && all > 1
}
