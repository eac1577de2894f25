package bmc

import "fencepost/internal/analysis"

// eTSO: every cell has a list of writes ordered by the time at which they reach memory, and a clock
// has the current time [TNIFLP16 §III, §IV]. A write gets its time when it is issued. Stores reach
// memory by advancing the clock. ePSO differs only in the times that a thread may choose [TNIFLP16
// §V].
//
// Differs from the paper: the list of a cell is N slots in order, not a linked list. The paper
// moves the node at the front to the position of the new write. Here the first slot is dropped, and
// the slots before the new write move up by one. The position of the new write is determined by its
// time, so it need not be guessed. The same writes are in the list, in the same order, and the same
// N-1 can be waiting. For the few slots that are needed this takes fewer gates than links. A point
// at which nothing runs does not advance the clock. The newest stores of a thread depend on its
// path only and are kept in its local state.

// slot is a write in the list of a cell.
type slot struct {
	ts, val word
	mask    []gate // bytes it writes, nil: all
}

// etso is the abstraction for TSO.
type etso struct {
	c     *circuit
	last  int64 // the last time: K-1
	clock word
	lists [][]slot // by cell, oldest first; the first has always expired
	tight bool     // some list can be full
}

func newEtso(c *circuit, clock, queue int, mem []word, cs *cells) *etso {
	m := &etso{c: c, last: int64(clock) - 1, clock: constWord(0)}
	for i, cell := range cs.list {
		n := min(queue, cell.stores+1)
		if queue < cell.stores+1 {
			m.tight = true
		}
		list := make([]slot, n)
		for j := range list {
			list[j] = slot{ts: constWord(0), val: mem[i]}
			if cell.mixed() && j > 0 {
				list[j].mask = make([]gate, cell.size)
			}
		}
		m.lists = append(m.lists, list)
	}
	return m
}

func (m *etso) time() word { return m.c.inputWord(analysis.Between(0, m.last)) }

// issue demands that the times of a thread do not decrease [TNIFLP16 Fig. 3 line 31].
func (m *etso) issue(s *local, a *access, run gate) {
	a.ts = m.time()
	m.c.demand(m.c.less(a.ts, s.latest).not(), run)
	s.latest = a.ts
	m.remember(s, a)
}

// remember notes the store as the newest one of the thread to its parts.
func (m *etso) remember(s *local, a *access) {
	for _, g := range a.goals {
		val := m.c.wrap(g.typ(), a.out)
		for _, p := range g.parts {
			last := newestStore{ts: a.ts, val: m.c.part(g.view, p, val)}
			s.newest = s.newest.set(p.id, m.c.mergeNewest(g.is, last, s.newest.at(p.id)))
		}
	}
}

func (m *etso) storeStore(*local) {}

// forward finds the stores of the thread that the load would forward its bytes from, one per part.
func (m *etso) forward(s *local, a *access) {
	for _, g := range a.goals {
		var newest []newestStore
		for _, p := range g.parts {
			newest = append(newest, s.newest.at(p.id))
		}
		a.newest = append(a.newest, newest)
	}
}

// step advances the clock [TNIFLP16 Fig. 3: clock_update]. At a plain store this makes a
// difference only if it frees a slot of a list.
func (m *etso) step(run, sees gate) {
	if !m.tight {
		run = sees
	}
	if run == low || m.last == 0 {
		return
	}
	now := m.time()
	m.c.demand(m.c.less(now, m.clock).not())
	m.c.demandEqual(now, m.clock, run.not())
	m.clock = now
}

func (m *etso) now() word { return m.clock }

func (m *etso) expired(ts word) gate { return m.c.less(m.clock, ts).not() }

// drained demands that the clock has reached the thread's latest time.
func (m *etso) drained(s *local, run gate) { m.c.demand(m.expired(s.latest), run) }

// read demands that each byte comes from the thread's newest store to it if that store is still in
// the buffer, and from memory otherwise [TNIFLP16 Fig. 3: read]. The times of a thread's
// overlapping stores do not decrease. So if the newest store to a byte is not in the buffer, no
// older one is. Nothing is demanded of the times.
func (m *etso) read(a *access, run gate) {
	for i, g := range a.goals {
		held := m.c.read(g.view, m.memory(g.cell))
		for j, p := range g.parts {
			waits := low
			if i < len(a.newest) {
				waits = m.expired(a.newest[i][j].ts).not()
			}
			val := m.c.part(g.view, p, a.val)
			if waits != low {
				m.c.demandEqual(val, a.newest[i][j].val, run, g.is, waits)
			}
			m.c.demandEqual(val, m.c.part(g.view, p, held), run, g.is, waits.not())
		}
	}
}

// memory returns what a cell holds now: its last write with a time up to now.
func (m *etso) memory(c *cell) word {
	list := m.lists[c.id]
	v := list[0].val
	for _, s := range list[1:] {
		v = m.c.muxWord(m.expired(s.ts), m.c.overlay(v, s.val, s.mask), v)
	}
	return v
}

// write puts a store into the list of its cell, after all writes with the same or an earlier time
// [TNIFLP16 Fig. 3: write].
func (m *etso) write(a *access, run gate) {
	for _, g := range a.goals {
		here := m.c.and(run, g.is)
		if here == low {
			continue
		}
		list := m.lists[g.cell.id]
		new := slot{ts: a.ts, val: m.c.expand(g.view, a.out), mask: g.mask()}
		if a.direct {
			new.ts = m.clock
		} else {
			m.c.demand(m.c.less(a.ts, m.clock).not(), here)
		}
		if len(list) == 1 { // no store to the cell is ever buffered
			old := list[0].val
			list[0].val = m.c.muxWord(here, m.c.overlay(old, new.val, new.mask), old)
			continue
		}
		if len(list) < g.cell.stores+1 {
			m.c.demand(m.expired(list[1].ts), here) // a slot is free
		}
		m.lists[g.cell.id] = m.insert(list, new, here)
	}
}

func (m *etso) insert(list []slot, new slot, here gate) []slot {
	n := len(list)
	out := make([]slot, n)
	before := make([]gate, n+1) // slot i stays before the new write
	for i := 1; i < n; i++ {
		before[i] = m.c.less(new.ts, list[i].ts).not()
	}
	before[0], before[n] = high, low
	for i := range n {
		s := list[i]
		if i > 0 {
			s = m.mux(before[i], new, list[i])
		} else {
			s = new
		}
		if i+1 < n {
			s = m.mux(before[i+1], list[i+1], s)
		}
		if i == 0 {
			s.val, s.mask = m.c.overlay(list[0].val, s.val, s.mask), nil
		}
		out[i] = m.mux(here, s, list[i])
	}
	return out
}

func (m *etso) mux(pick gate, a, b slot) slot {
	out := slot{ts: m.c.muxWord(pick, a.ts, b.ts), val: m.c.muxWord(pick, a.val, b.val)}
	for i := range a.mask {
		out.mask = append(out.mask, m.c.mux(pick, a.mask[i], b.mask[i]))
	}
	return out
}

// final returns the last write.
func (m *etso) final(c *cell) word {
	list := m.lists[c.id]
	v := list[0].val
	for _, s := range list[1:] {
		v = m.c.overlay(v, s.val, s.mask)
	}
	return v
}

// epso is the abstraction for PSO.
type epso struct{ *etso }

// issue demands that the times of overlapping stores do not decrease, and that times after a
// store-store fence are not below the times before it [TNIFLP16 §V].
func (m epso) issue(s *local, a *access, run gate) {
	a.ts = m.time()
	m.c.demand(m.c.less(a.ts, s.floor).not(), run)
	for _, g := range a.goals {
		for _, p := range g.parts {
			m.c.demand(m.c.less(a.ts, s.newest.at(p.id).ts).not(), run, g.is)
		}
	}
	s.latest = m.c.muxWord(m.c.less(s.latest, a.ts), a.ts, s.latest)
	m.remember(s, a)
}

// storeStore raises the floor.
func (m epso) storeStore(s *local) { s.floor = s.latest }
