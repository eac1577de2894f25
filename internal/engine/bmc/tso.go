package bmc

import "fencepost/internal/analysis"

// eTSO: every cell has a list of writes ordered by the time at which they reach
// memory, and a clock says how far time has come [TNIFLP16 §III, §IV]. A write gets
// its time when it is issued; moving the clock on is all it takes for stores to reach
// memory. ePSO differs only in which times a thread may choose [TNIFLP16 §V].
//
// Differs from the paper: the list of a cell is N slots in order, not a linked list.
// The node that the paper takes out of the front and links in again is here the first
// slot, which is dropped while the slots up to the new write move up by one; where
// the new write goes follows from its time, so nobody has to guess it. The same
// writes are in the list, in the same order, and the same N-1 can be waiting. For the
// few slots there are this takes fewer gates than links between them would.
// A step of the program at which nothing runs does not move the clock. Whatever
// a thread knows about its own stores depends on its way only and is kept with it.

// slot is a write in the list of a cell.
type slot struct {
	ts, val word
	mask    []gate // bytes it writes, nil: all
}

// etso is the abstraction for TSO.
type etso struct {
	c     *circuit
	last  int64 // the latest time there is: K-1
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

// issue: times of one thread do not fall [TNIFLP16 Fig. 3 line 31].
func (m *etso) issue(s *local, a *access, run gate) {
	a.ts = m.time()
	m.c.demand(m.c.less(a.ts, s.latest).not(), run)
	s.latest = a.ts
	m.remember(s, a)
}

// remember notes the store as the last one of the thread to the parts it has.
func (m *etso) remember(s *local, a *access) {
	for _, g := range a.goals {
		val := m.c.wrap(g.typ(), a.out)
		for _, p := range g.parts {
			last := ownStore{ts: a.ts, val: m.part(g.view, p, val)}
			s.own[p.id] = m.c.mergeOwn(g.is, last, s.own[p.id])
		}
	}
}

func (m *etso) storeStore(*local) {}

// forward finds the own stores that the load would take its bytes from, one per part.
func (m *etso) forward(s *local, a *access) {
	for _, g := range a.goals {
		var own []ownStore
		for _, p := range g.parts {
			own = append(own, s.own[p.id])
		}
		a.own = append(a.own, own)
	}
}

// part takes the bytes of a part out of the value of a view.
func (m *etso) part(v *view, p *part, w word) word {
	if p.size == v.size {
		return w
	}
	out := make([]gate, 8*p.size)
	for i := range out {
		out[i] = w.bit(8*int(p.addr-v.addr) + i)
	}
	return fit(out, analysis.TypeRange(p.typ()))
}

// step moves the clock on [TNIFLP16 Fig. 3: clock_update].
// At a mere store this is of use only if it makes room in a list.
func (m *etso) step(run, looks gate) {
	if !m.tight {
		run = looks
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

// drained: the clock has come to the thread's latest time.
func (m *etso) drained(s *local, run gate) { m.c.demand(m.expired(s.latest), run) }

// read: each byte from the newest own store to it if that store still waits, else from
// memory [TNIFLP16 Fig. 3: read]. The times of own stores that overlap do not fall, so
// where the newest store to a byte does not wait no older one does. Nothing is demanded
// of the times.
func (m *etso) read(a *access, run gate) {
	for i, g := range a.goals {
		held := m.c.read(g.view, m.memory(g.cell))
		for j, p := range g.parts {
			waits := low
			if i < len(a.own) {
				waits = m.expired(a.own[i][j].ts).not()
			}
			val := m.part(g.view, p, a.val)
			if waits != low {
				m.c.demandEqual(val, a.own[i][j].val, run, g.is, waits)
			}
			m.c.demandEqual(val, m.part(g.view, p, held), run, g.is, waits.not())
		}
	}
}

// memory is what a cell holds now: its last write whose time has come.
func (m *etso) memory(c *cell) word {
	list := m.lists[c.id]
	v := list[0].val
	for _, s := range list[1:] {
		v = m.c.muxWord(m.expired(s.ts), m.c.overlay(v, s.val, s.mask), v)
	}
	return v
}

// write puts a store into the list of its cell: behind all with the same time or an
// earlier one [TNIFLP16 Fig. 3: write].
func (m *etso) write(a *access, run gate) {
	for _, g := range a.goals {
		here := m.c.and(run, g.is)
		if here == low {
			continue
		}
		list := m.lists[g.cell.id]
		new := slot{ts: a.ts, val: m.c.placed(g.view, a.out), mask: g.mask()}
		if a.direct {
			new.ts = m.clock
		} else {
			m.c.demand(m.c.less(a.ts, m.clock).not(), here)
		}
		if len(list) == 1 { // nothing ever waits here
			old := list[0].val
			list[0].val = m.c.muxWord(here, m.c.overlay(old, new.val, new.mask), old)
			continue
		}
		if len(list) < g.cell.stores+1 {
			m.c.demand(m.expired(list[1].ts), here) // there is room
		}
		m.lists[g.cell.id] = m.insert(list, new, here)
	}
}

func (m *etso) insert(list []slot, new slot, here gate) []slot {
	n := len(list)
	out := make([]slot, n)
	before := make([]gate, n+1) // slot i stays in front of the new one
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

// final: all writes have reached memory.
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

// issue: times of stores that overlap do not fall, nor do those behind a
// store-store fence fall below those before it [TNIFLP16 §V].
func (m epso) issue(s *local, a *access, run gate) {
	a.ts = m.time()
	m.c.demand(m.c.less(a.ts, s.floor).not(), run)
	for _, g := range a.goals {
		for _, p := range g.parts {
			m.c.demand(m.c.less(a.ts, s.own[p.id].ts).not(), run, g.is)
		}
	}
	s.latest = m.c.muxWord(m.c.less(s.latest, a.ts), a.ts, s.latest)
	m.remember(s, a)
}

// storeStore raises the floor.
func (m epso) storeStore(s *local) { s.floor = s.latest }
