//go:build !fencepost_small

package replay

import (
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/verdict"
)

// Delaying has the rules of a program in which the stores of at most one thread wait, and none of them reaches memory while
// it is looked at. The stores of the other threads reach memory at once, as under SC.
type Delaying struct {
	*Stepper            // under SC
	by       []*machine // by thread: that in which it delays
}

// Span is a range of bytes.
type Span struct {
	Addr uint64
	Size int
}

// Happening is a step, and which bytes of memory it reads and writes.
type Happening struct {
	Move
	Op            *ir.Op
	Reads, Writes []Span
	Other         int   // of a spawn and a join: the thread; else -1
	Wakes         []int // of an arrival at a barrier: the threads that it lets go
	// Waits says that the step is a store that waits, of the bytes Stored. May says of such a store that the model would
	// let it reach memory while the older ones wait.
	Waits, May bool
	Stored     Span
}

// NewDelaying returns the rules of a flat program under TSO or PSO.
func NewDelaying(p *ir.Program, props *property.Set, model Model) (*Delaying, error) {
	x, err := NewStepper(p, props, SC)
	if err != nil {
		return nil, err
	}
	out := &Delaying{Stepper: x}
	for t := range p.Threads {
		m := *x.m
		m.model, m.delays = model, 1+t
		out.by = append(out.by, &m)
	}
	return out, nil
}

// Of returns the steps of thread t. Of the stores that wait, all are stores of the thread that delays; -1: none does.
func (x *Delaying) Of(s State, t, delays int) ([]Happening, error) {
	m := x.m
	if delays >= 0 {
		m = x.by[delays]
	}
	next, err := m.successorsOf(s.s, t, 0)
	if err != nil {
		return nil, err
	}
	next = slices.DeleteFunc(next, func(tr transition) bool { return tr.kind == verdict.StepFlush || tr.edge == ir.NoEdge })
	all := moves(next)
	var out []Happening
	for i := range next {
		tr := &next[i]
		if x.foreign(s, tr) {
			return nil, errGuess
		}
		_, e, _ := x.m.p.EdgeByID(tr.edge)
		h := Happening{Move: all[i], Op: &e.Op, Other: -1}
		if h.Failed == nil {
			h.accesses(m, s.s, tr)
		}
		if h.Waits {
			buf := tr.next.threads[t].buf
			h.May = m.mayFlush(tr.next, t, len(buf)-1)
		}
		out = append(out, h)
	}
	return out, nil
}

// accesses fills in what a step accesses.
func (h *Happening) accesses(m *machine, s *state, tr *transition) {
	private := m.alone(s, tr.thread, tr.addr)
	switch tr.kind {
	case verdict.StepLoad:
		for k, from := range tr.from {
			if from == 0 && !private {
				h.Reads = append(h.Reads, Span{tr.addr + uint64(k), 1})
			}
		}
	case verdict.StepStore:
		h.Waits, h.Stored = tr.buffered, Span{tr.addr, tr.size}
		if !h.Waits && !private && !tr.free {
			h.Writes = []Span{h.Stored}
		}
	case verdict.StepRMW:
		h.Reads = []Span{{tr.addr, tr.size}}
		if tr.wrote {
			h.Writes = h.Reads
		}
	case verdict.StepExec:
		switch h.Op.Kind {
		case ir.Spawn:
			h.Other = int(tr.value)
		case ir.Barrier:
			h.Reads = []Span{{tr.addr, tr.size}}
			h.Writes, h.Wakes = h.Reads, tr.wakes
		case ir.Join:
			h.Other = int((&turn{m: m, operands: operands{p: m.p, op: h.Op, regs: s.threads[tr.thread].regs}}).eval(h.Op.Val))
		}
	}
}

// Through returns the state in which the newest waiting store of thread t has reached memory.
func (x *Delaying) Through(s State, t int) State {
	n := s.s.clone()
	buf := n.threads[t].buf
	e := buf[len(buf)-1]
	n.threads[t].buf = slices.Clone(buf[:len(buf)-1])
	n.write(e.addr, e.size, e.value)
	n.writeUndefined(e.addr, e.size, e.undefined)
	return State{n}
}

// Delayed returns the bytes of the oldest store of thread t that waits.
func (x *Delaying) Delayed(s State, t int) (Span, bool) {
	buf := s.s.threads[t].buf
	if len(buf) == 0 || buf[0].kind != storeEntry {
		return Span{}, false
	}
	return Span{buf[0].addr, buf[0].size}, true
}

// Compressed returns the state without what waiting stores of thread t write and newer ones write, too, and with at most one
// marker: no step but a flush depends on that. The oldest store stays, without its value if newer ones have all its bytes.
func (x *Delaying) Compressed(s State, t int) State {
	n := s.s.clone()
	th := &n.threads[t]
	covered := func(i int) bool {
		e := &th.buf[i]
		for k := range e.size {
			if !slices.ContainsFunc(th.buf[i+1:], func(f entry) bool {
				return f.kind == storeEntry && inside(e.addr+uint64(k), 1, f.addr, int64(f.size))
			}) {
				return false
			}
		}
		return true
	}
	var kept []entry
	marked := false
	for i, e := range th.buf {
		switch {
		case e.kind == marker:
			if marked {
				continue
			}
			marked = true
		case i == 0 && covered(i):
			e.value, e.undefined = 0, undefined{}
		case i > 0 && e.kind == storeEntry && covered(i):
			continue
		}
		kept = append(kept, e)
	}
	th.buf = kept
	return State{n}
}

// Stopped returns the state without what thread t, which delays, would do next: only the bytes of its oldest waiting store are left.
func (x *Delaying) Stopped(s State, t int) State {
	n := s.s.clone()
	e := n.threads[t].buf[0]
	e.value, e.undefined = 0, undefined{}
	n.threads[t] = x.first.threads[t]
	n.threads[t].phase, n.threads[t].buf = running, []entry{e}
	return State{n}
}

// Holder returns the thread that is in an atomic section, or -1.
func (x *Delaying) Holder(s State) int { return s.s.holder }
