package bmc

import (
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// Memory where the order of events is encoded (order.go). A load sees the stores that are in memory
// when it happens, and all earlier stores of its thread. Of these it reads, byte by byte, the
// one that reaches memory last: while an own store waits in the buffer, it reaches memory after all
// that is there now. This is the rule for the value of a load in the axioms of TSO, and it is right
// for PSO as well, where the own stores to one byte keep their order, too.

// orderedMemory is the memory abstraction for the order of events, under all models.
type orderedMemory struct {
	c     *circuit
	model memory.Model
	o     *order
	start []word // by cell: what it holds in the beginning
	// writes has the writes to a part, by its id.
	writes map[int][]effect
	ends   map[*cell]word // what a cell holds in the end
	// clauses says how many clauses there are about the order of the writes that loads see.
	clauses int
}

// effect is a write to a part, where it happens.
type effect struct {
	event    int
	thread   *thread
	loc      *location
	buffered bool
	sure     bool // a thread that has gone beyond the location has certainly written all bytes of the part
	is       gate
	val      word
}

func newOrderedMemory(c *circuit, model memory.Model, start []word) *orderedMemory {
	return &orderedMemory{c: c, model: model, start: start, writes: map[int][]effect{}, ends: map[*cell]word{}}
}

// What a thread has stored is found by its path, see read.
func (m *orderedMemory) issue(*local, *access, gate) {}
func (m *orderedMemory) storeStore(*local)           {}
func (m *orderedMemory) forward(*local, *access)     {}
func (m *orderedMemory) now() word                   { return constWord(0) }

// connect ties what is read to what is written.
func (m *orderedMemory) connect() {
	for _, t := range m.o.x.threads {
		for _, l := range t.locs {
			for _, st := range l.steps {
				if st.writes != low {
					m.note(t, l, st)
				}
			}
		}
	}
	for _, t := range m.o.x.threads {
		for _, l := range t.locs {
			for _, st := range l.steps {
				if st.reads != low {
					m.read(t, l, st)
				}
			}
		}
		if m.model == memory.PSO {
			m.overlap(t)
		}
	}
}

// note adds the effects of a step.
func (m *orderedMemory) note(t *thread, l *location, st *step) {
	event, buffered := m.o.lands[st]
	if !buffered {
		event = m.o.leaving(l)
	}
	for _, g := range st.access.goals {
		val := m.c.wrap(g.typ(), st.access.out)
		sure := st.e.Op.Kind == ir.Store && g.is == high
		for _, p := range g.parts {
			m.writes[p.id] = append(m.writes[p.id], effect{event, t, l, buffered, sure, m.c.and(st.writes, g.is), m.c.part(g.view, p, val)})
		}
	}
}

// read demands that each byte comes from the last store that the load sees.
func (m *orderedMemory) read(t *thread, l *location, st *step) {
	event := m.o.leaving(l)
	// Operations on mutexes read memory, past the buffer, and on a recursive one they need not drain.
	forwards := !st.access.direct || st.alwaysDrains() || l.inner
	for _, g := range st.access.goals {
		run := m.c.and(st.reads, g.is)
		for _, p := range g.parts {
			var seen []effect
			for _, w := range m.writes[p.id] {
				switch {
				case w.thread != t, w.buffered && !forwards:
					w.is = m.c.and(w.is, m.o.first(w.event, event))
				case m.o.index[w.loc] >= m.o.index[l]:
					continue
				}
				seen = append(seen, w)
			}
			if forwards {
				seen = m.withoutOverwritten(t, l, seen)
			}
			m.last(g.cell, p, seen, m.c.part(g.view, p, st.access.val), run)
		}
	}
}

// last demands that the bytes of a part come from the last of some writes, or from the beginning if
// there is none.
func (m *orderedMemory) last(c *cell, p *part, writes []effect, val word, run gate) {
	if run == low {
		return
	}
	some := make([]gate, 0, len(writes)+1)
	none, before := high, m.certainBefore(writes)
	for i, w := range writes {
		none = m.c.and(none, w.is.not())
		if w.is == low {
			continue
		}
		reads := m.c.input()
		some = append(some, reads)
		m.c.demand(w.is, reads)
		for j, other := range writes {
			if i == j {
				continue
			}
			switch after := m.o.first(other.event, w.event); {
			case after == high:
			case after == low && before[j] >= 0 && before[j] != i && m.o.first(w.event, writes[before[j]].event) == high:
				// w comes before the other one's predecessor, which is then seen as well.
			default:
				m.count()
				m.c.demand(after, reads, other.is)
			}
		}
		m.c.demandEqual(val, w.val, run, reads)
	}
	m.c.demand(m.c.any(append(some, none)...), run)
	m.c.demandEqual(val, m.startOf(c, p), run, none)
}

// withoutOverwritten leaves out writes that a load cannot read, because they come before a store that the
// load's thread has certainly made before.
func (m *orderedMemory) withoutOverwritten(t *thread, l *location, seen []effect) []effect {
	last := -1
	for i, w := range seen {
		if w.thread == t && w.sure && m.o.always(t, w.loc, l) && (last < 0 || m.o.index[w.loc] > m.o.index[seen[last].loc]) {
			last = i
		}
	}
	if last < 0 {
		return seen
	}
	by := seen[last].event
	return slices.DeleteFunc(seen, func(w effect) bool { return w.event != by && m.o.first(w.event, by) == high })
}

// certainBefore returns for each write the index of the last write of its thread that comes before it and that is seen
// whenever it is seen itself, or -1.
func (m *orderedMemory) certainBefore(writes []effect) []int {
	out := make([]int, len(writes))
	for j, w := range writes {
		out[j] = -1
		for i, p := range writes {
			if p.thread == w.thread && p.sure && m.o.always(w.thread, p.loc, w.loc) && m.o.first(p.event, w.event) == high &&
				(out[j] < 0 || m.o.index[p.loc] > m.o.index[writes[out[j]].loc]) {
				out[j] = i
			}
		}
	}
	return out
}

// count counts a clause, and ends the encoding if there are too many: in the worst case a load compares all stores with
// each other.
func (m *orderedMemory) count() {
	if m.clauses++; m.clauses > maxClauses {
		panic(stopped{notOrderedFor(nil, "%d events with more than %d clauses about what loads read", len(m.o.groups), maxClauses)})
	}
}

// startOf returns what the bytes of a part hold in the beginning.
func (m *orderedMemory) startOf(c *cell, p *part) word {
	whole := &view{byteRange: c.byteRange, cell: c}
	return m.c.part(whole, p, m.start[c.id])
}

// overlap demands that the stores of a thread to common bytes keep their order under PSO. A write that goes
// past the buffer waits for none, unless it drains.
func (m *orderedMemory) overlap(t *thread) {
	for _, p := range m.o.x.cells.parts {
		for _, a := range m.writes[p.id] {
			for _, b := range m.writes[p.id] {
				if a.thread == t && b.thread == t && b.buffered && m.o.index[a.loc] < m.o.index[b.loc] {
					m.c.demand(m.o.first(a.event, b.event), a.is, b.is)
				}
			}
		}
	}
}

// sameBytes reports whether two stores of a thread always go to the same bytes.
func (m *orderedMemory) sameBytes(a, b *step) bool {
	x, y := a.access.goals, b.access.goals
	return len(x) == 1 && len(y) == 1 && x[0].is == high && y[0].is == high && x[0].byteRange == y[0].byteRange
}

// separate demands that the stores of a thread before a location reach memory before those after
// it, if a store-store fence runs there.
func (m *orderedMemory) separate(t *thread, l *location, run gate) {
	if m.model != memory.PSO {
		return
	}
	for i := range m.o.events {
		for j := range m.o.events {
			a, b := &m.o.events[i], &m.o.events[j]
			if a.thread == t && b.thread == t && a.store != nil && b.store != nil && m.o.index[a.loc] < m.o.index[l] && m.o.index[l] < m.o.index[b.loc] {
				m.c.demand(m.o.first(i, j), run, a.store.writes, b.store.writes)
			}
		}
	}
}

// final returns what a cell holds when all stores have reached memory.
func (m *orderedMemory) final(c *cell) word {
	if w, ok := m.ends[c]; ok {
		return w
	}
	out := m.start[c.id]
	var mask []gate
	for _, p := range m.o.x.cells.parts {
		if !c.contains(p.byteRange) {
			continue
		}
		r := m.startOf(c, p).Interval
		for _, w := range m.writes[p.id] {
			r = r.Hull(w.val.Interval)
		}
		val := m.c.inputWord(r)
		m.last(c, p, m.writes[p.id], val, high)
		v := &view{byteRange: p.byteRange, cell: c}
		if c.mixed() {
			mask = v.mask()
		}
		out = m.c.overlay(out, m.c.expand(v, val), mask)
	}
	m.ends[c] = out
	return out
}

// part returns the bytes of a part in a value of a view.
func (c *circuit) part(v *view, p *part, w word) word {
	if p.size == v.size {
		return w
	}
	out := make([]gate, 8*p.size)
	for i := range out {
		out[i] = w.bit(8*int(p.addr-v.addr) + i)
	}
	return fit(out, analysis.TypeRange(p.typ()))
}
