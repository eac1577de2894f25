package replay

import (
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/verdict"
)

// Questions about states: final states, goals, final conditions, deadlocks.

// ended reports whether thread t, which has started, has reached its end.
func (m *machine) ended(s *state, t int) bool {
	return m.p.ThreadFunc(ir.ThreadID(t)).Ends(s.threads[t].loc)
}

// final reports whether s is a final state: all started threads have ended, all stores
// have reached memory, and no thread has executed exit.
func (m *machine) final(s *state) bool {
	if s.over || !s.allEmpty() {
		return false
	}
	for t := range s.threads {
		if s.threads[t].phase != unstarted && !m.ended(s, t) {
			return false
		}
	}
	return true
}

func (s *state) value(v property.Var) int64 {
	if v.IsMemory() {
		return v.Type.Wrap(int64(s.read(v.Addr, v.Type.Size())))
	}
	return s.threads[v.Thread].regs[v.Reg]
}

func (s *state) holds(c *property.Cond) bool {
	values := make([]int64, len(c.Vars))
	for i, v := range c.Vars {
		values[i] = s.value(v)
	}
	return c.Eval(values)
}

// reaches reports whether the state belongs to the goal.
func (s *state) reaches(g *property.Goal) bool {
	if s.over { // after exit no thread is at a location
		return false
	}
	for _, at := range g.At {
		th := &s.threads[at.Thread]
		if th.phase == unstarted || !slices.Contains(at.Locs, th.loc) {
			return false
		}
	}
	if g.With == nil {
		return true
	}
	if g.MentionsMemory() && !s.allEmpty() {
		return false
	}
	return s.holds(g.With)
}

// decides reports whether a final state decides the condition: as an example for
// exists, as a counterexample for never and forall.
func (s *state) decides(f *property.Final) bool {
	return s.holds(f.Cond) != (f.Quantifier == property.Forall)
}

// observe returns the text that distinguishes final states.
func (m *machine) observe(s *state, props *property.Set) string {
	if props.Leaks {
		return property.LostText(m.lost(s))
	}
	return property.NewObserver(m.p, props).Text(view{m, s})
}

// view gives package property read access to a state.
type view struct {
	m *machine
	s *state
}

func (v view) Memory(addr uint64, t ir.Type) int64 { return t.Wrap(int64(v.s.read(addr, t.Size()))) }

func (v view) Register(t ir.ThreadID, r ir.Reg) int64 { return v.s.threads[t].regs[r] }

func (v view) Result(t ir.ThreadID) int64 { return v.s.threads[t].result }

func (v view) Cells() []uint64 {
	var out []uint64
	for _, w := range v.s.words {
		id := v.m.p.FindObject(w.addr, 1)
		inBlock := slices.ContainsFunc(v.s.blocks, func(b block) bool { return w.addr-b.addr < uint64(b.size) })
		if v.m.p.Cells && !inBlock && (id == ir.NoObject || v.m.p.Objects[id].Cells) {
			out = append(out, w.addr)
		}
	}
	return out
}

func (v view) Blocks() []property.Block {
	var out []property.Block
	for _, b := range v.s.blocks {
		out = append(out, property.Block{Addr: b.addr, Size: b.size, Stack: b.stack, Freed: b.freed, Site: b.site, Order: b.order})
	}
	return out
}

// deadlocked reports whether s is a deadlock: no transition is enabled except spurious
// wake-ups, some thread waits, and no thread is stopped by an assumption or a bound. There
// is no deadlock after exit or a return of the main thread. next has the enabled
// transitions.
func (m *machine) deadlocked(s *state, next []transition) bool {
	if s.over {
		return false
	}
	for _, tr := range next {
		if tr.kind != verdict.StepWake {
			return false
		}
	}
	if m.returned(s) {
		return false
	}
	waits := false
	for t := range s.threads {
		if s.threads[t].phase == unstarted {
			continue
		}
		if m.cutOff(s, t) || m.assumedAway(s, t) {
			return false
		}
		waits = waits || m.waits(s, t)
	}
	return waits
}

// returned reports whether the main thread has ended by a return, and not by ThreadExit.
func (m *machine) returned(s *state) bool {
	if m.p.Main == ir.NoThread {
		return false
	}
	th, f := &s.threads[m.p.Main], m.p.ThreadFunc(m.p.Main)
	if th.phase == unstarted || !f.Ends(th.loc) {
		return false
	}
	return !slices.ContainsFunc(f.Edges, func(e ir.Edge) bool { return e.To == th.loc && e.Op.Kind == ir.ThreadExit })
}

// cutOff reports whether only a bound stops thread t: a Bound edge, or a spawn for which
// no thread is left. Such a state is no deadlock, because the real program continues.
func (m *machine) cutOff(s *state, t int) bool {
	if s.threads[t].phase != running {
		return false // it waits: its next edge is the one it waits at
	}
	f := m.p.ThreadFunc(ir.ThreadID(t))
	for _, i := range f.Out(s.threads[t].loc) {
		switch op := &f.Edges[i].Op; op.Kind {
		case ir.Bound, ir.Unsupported:
			return true
		case ir.Spawn:
			free := slices.ContainsFunc(op.Call.Threads, func(u ir.ThreadID) bool { return s.threads[u].phase == unstarted })
			if !free {
				return true
			}
		}
	}
	return false
}

// assumedAway reports whether an assumption stops thread t, which has no enabled step:
// all its next operations are conditions that its registers, or the values that it may
// read, do not satisfy.
func (m *machine) assumedAway(s *state, t int) bool {
	f := m.p.ThreadFunc(ir.ThreadID(t))
	if th := &s.threads[t]; th.phase == waiting && f.Edges[th.edge].Op.Timed {
		return true // the thread would time out, which is another execution
	}
	if s.threads[t].phase != running || m.ended(s, t) {
		return false
	}
	out := f.Out(s.threads[t].loc)
	return len(out) > 0 && !slices.ContainsFunc(out, func(i int32) bool {
		switch f.Edges[i].Op.Kind {
		case ir.Assume, ir.Havoc:
			return false
		case ir.AbstractLoad: // may run once the other thread leaves its atomic section
			return s.heldByOther(t)
		}
		return true
	})
}

// waits reports whether thread t is at an operation that can wait for another thread.
func (m *machine) waits(s *state, t int) bool {
	f := m.p.ThreadFunc(ir.ThreadID(t))
	for _, i := range f.Out(s.threads[t].loc) {
		switch op := &f.Edges[i].Op; op.Kind {
		case ir.Lock, ir.CondWait, ir.Barrier, ir.Join, ir.Await:
			return true
		case ir.RMW:
			if op.Cond != nil {
				return true
			}
		}
	}
	return false
}
