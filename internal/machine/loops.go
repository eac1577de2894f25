package machine

import (
	"math"
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// Loops. Executions must end, so iterations are counted as transform.Unroll counts them: a body
// runs at most k times per entry. A thread that would begin another round stops there, and a bound
// is reported. Loops whose exits do not depend on anything read from memory or chosen end by
// themselves, unless the registers come back to values that they had, and are not counted before; a thread
// that is still running after very many steps is stopped.
//
// Set-up. While a thread is the only one that has started, nothing but its inputs decides how often it goes round a loop:
// rounds of a loop without choices are not counted then, up to a limit (alone.go).
//
// Spin loops. A round changes nothing if it returns to the head of its loop with the same values
// in all live registers, and has written, started and locked nothing. So do several rounds after which that is so: the
// state at the head is compared with that after the round before, and with one after a power of two of rounds, as
// in Brent's search for cycles. It leaves the thread as it
// was, and other threads do not notice it, so every execution with the round has a counterpart
// without it. So the thread stops after such a round, as at an assumption that does not hold: the
// rounds that leave the loop or change something are explored as executions of their own. This is
// the replacement of a loop by an await [AAAJLS15 §4], at run time. It also covers nested
// loops, inlined calls, loops around compare-exchange, and single rounds of loops that have
// effects in other rounds. It is no bound.
//
// Data races are between accesses, and a round that changes nothing has accesses. Let R be an
// access in such a round that races with W. Rounds before and after it that change nothing can be
// left out, and what others do stays possible: they do not notice these rounds. Where such a round
// locked and unlocked a mutex or waited for a condition, the mutex is free for longer without it,
// and a thread that waits instead can be woken at any time. Happens-before only loses edges by
// that. So three rounds are enough: the round of R, the round before it, in which a wait began, and
// the round that leaves the loop. Two of them change nothing (Options.IdleRounds). None is needed
// if the round that leaves the loop makes the same accesses (repeats): if W needs nothing that the
// thread does after the loop, the race is in the execution that stops at the round of R. Otherwise
// W comes after the last round, whose access is not ordered before W either, or R would be.
//
// Rounds that change nothing are part of a trace, so threads are not stopped after them where
// traces are asked for.

// endless bounds the local steps in a row, and the events, of a thread that no other bound stops.
const endless = 1 << 16

// loopEdge says which loops an edge enters or repeats.
type loopEdge struct {
	enters []int32
	again  int32 // the loop to whose head it returns, or none
}

// LoopCode has the loops of one thread's function.
type LoopCode struct {
	Edges   [][]loopEdge // per location and edge
	tracked []bool       // per loop: whether the states at its head are compared
	counted []bool       // per loop: whether its rounds are counted from the first one on; it is tracked then
	bound   int32        // arrivals at a head that are allowed
	live    [][]ir.Reg   // per loop: the registers that are live at its head
	entry   []int32      // the loops that the entry is in
	idle    []int32      // per loop: rounds in a row that may change nothing before the thread stops
	choices []bool       // per loop: whether something in it is chosen
}

// loopState is the state of a thread when it was at the head of a loop.
type loopState struct {
	count   int32
	effects int32    // of the thread
	regs    []int64  // the live ones
	held    []uint64 // the mutexes it had
	idle    int32    // rounds since something changed
	free    int32    // rounds that were not counted
	whole   string   // the state of the program after some of them
	forever bool     // the registers had these values before: no round leaves a loop that is not counted
	older   *loopState
}

// same reports whether the thread is as it was before, but for what it did to memory.
func (s *loopState) same(o *loopState) bool {
	return slices.Equal(s.regs, o.regs) && slices.Equal(s.held, o.held)
}

// compileLoops returns the loops of every thread, or nil if none are counted.
func compileLoops(p *ir.Program, k int, idle int32, keep func(ir.FuncID, ir.Reg) bool) []LoopCode {
	out := make([]LoopCode, len(p.Threads))
	facts := analysis.NewFacts(p, keep)
	constant := constantLoads(p, facts)
	any := false
	loops := make([]*analysis.Loops, len(p.Threads))
	for t := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(t))
		loops[t] = analysis.NewLoops(f)
		l := loops[t]
		if len(l.Heads) == 0 {
			continue
		}
		c := &out[t]
		id := p.Threads[t].Func
		tainted, read := facts.Taint(id, constant), facts.Taint(id, func(*ir.Edge) bool { return false })
		counts := analysis.LoopCounts(f)
		for loop := range l.Heads {
			// A loop that depends on nothing read or chosen cannot wait for anything. One that reads
			// constants must also count, or it may wait for a constant for ever.
			waits := exitsDepend(f, l, int32(loop), read) && !exitCounts(f, l, int32(loop))
			c.counted = append(c.counted, waits || exitsDepend(f, l, int32(loop), tainted))
			c.tracked = append(c.tracked, c.counted[loop] || idle == 0 && !counts(l.Heads[loop], l.Members[loop]))
		}
		if !slices.Contains(c.tracked, true) {
			c.counted, c.tracked = nil, nil
			continue
		}
		any = true
		c.Edges = make([][]loopEdge, len(f.Locs))
		for loc := range f.Locs {
			for _, i := range f.Out(ir.Loc(loc)) {
				c.Edges[loc] = append(c.Edges[loc], loopEdgeOf(&f.Edges[i], l, c.tracked))
			}
		}
		for _, loop := range l.Around[f.Entry] {
			if c.tracked[loop] {
				c.entry = append(c.entry, loop)
			}
		}
		for _, head := range l.Heads {
			c.live = append(c.live, facts.Live(p.Threads[t].Func, head))
			c.idle = append(c.idle, 0)
		}
		c.choices = choosing(f, l)
	}
	for t := range out {
		if f := p.ThreadFunc(ir.ThreadID(t)); idle > 0 && out[t].Edges != nil {
			l := loops[t]
			for loop := range l.Heads {
				if !repeats(f, l, int32(loop)) {
					out[t].idle[loop] = idle
				}
			}
		}
		out[t].bound = endless
		if k > 0 {
			out[t].bound = int32(min(k, math.MaxInt32-1)) + 1
		}
	}
	if !any {
		return nil
	}
	return out
}

// constantLoads returns a function that reports whether an edge loads from memory that no thread
// writes.
func constantLoads(p *ir.Program, facts *analysis.Facts) func(*ir.Edge) bool {
	var written analysis.Footprint
	for _, f := range p.Funcs {
		for i := range f.Edges {
			if e := &f.Edges[i]; e.Op.Writes() {
				writes := facts.Footprint(e)
				written.Anything = written.Anything || writes.Anything
				written.Ranges = append(written.Ranges, writes.Ranges...)
			}
		}
	}
	written = written.Disjoint()
	return func(e *ir.Edge) bool {
		if e.Op.Kind != ir.Load {
			return false
		}
		reads := facts.Footprint(e)
		return !reads.Anything && !reads.OverlapsDisjoint(written)
	}
}

func loopEdgeOf(e *ir.Edge, l *analysis.Loops, tracked []bool) loopEdge {
	out := loopEdge{again: None}
	if e.Op.Terminal() {
		return out
	}
	from := l.Around[e.From]
	for i, loop := range l.Around[e.To] {
		if !tracked[loop] {
			continue
		}
		if i >= len(from) || from[i] != loop {
			out.enters = append(out.enters, loop)
		} else if l.Heads[loop] == e.To {
			out.again = loop
		}
	}
	return out
}

// inLoop returns which locations are in a loop.
func inLoop(l *analysis.Loops, loop int32) func(ir.Loc) bool {
	depth := slices.Index(l.Around[l.Heads[loop]], loop)
	return func(at ir.Loc) bool { return len(l.Around[at]) > depth && l.Around[at][depth] == loop }
}

// exitsDepend reports whether an exit of a loop depends on something tainted, or no exit is reached without that.
func exitsDepend(f *ir.Func, l *analysis.Loops, loop int32, a *analysis.Taint) bool {
	reached := false
	inside := inLoop(l, loop)
	decided := a.DecidedInside(l.Members[loop], inside)
	for _, at := range l.Members[loop] {
		for _, i := range f.Out(at) {
			e := &f.Edges[i]
			if inside(e.To) {
				continue
			}
			if e.Op.Kind != ir.Assume || a.Branches(at) {
				return true
			}
			reached = reached || !decided[at]
		}
	}
	return !reached
}

// exitCounts reports whether an exit of a loop depends on a register that is computed in each round
// from its value in the round before.
func exitCounts(f *ir.Func, l *analysis.Loops, loop int32) bool {
	counts := map[ir.Reg]bool{}
	inside := inLoop(l, loop)
	for changed := true; changed; {
		changed = false
		for _, at := range l.Members[loop] {
			for _, i := range f.Out(at) {
				e := &f.Edges[i]
				if e.Op.Kind != ir.Assign || counts[e.Op.Dst] || !inside(e.To) {
					continue
				}
				e.Op.Uses(func(r ir.Reg) {
					if r == e.Op.Dst || counts[r] {
						counts[e.Op.Dst], changed = true, true
					}
				})
			}
		}
	}
	found := false
	for _, at := range l.Members[loop] {
		for _, i := range f.Out(at) {
			if e := &f.Edges[i]; !inside(e.To) {
				e.Op.Uses(func(r ir.Reg) { found = found || counts[r] })
			}
		}
	}
	return found
}

// Matters reports whether an edge enters a loop or returns to its head.
func (c *LoopCode) Matters(l ir.Loc, edge int32) bool {
	le := &c.Edges[l][edge]
	return le.again != None || len(le.enters) > 0
}

// Begin notes the loops that the entry of a thread is in.
func (m *Machine) Begin(t int) {
	if m.Loops == nil {
		return
	}
	for _, loop := range m.Loops[t].entry {
		m.Threads.setLoop(t, loop, loopState{count: 1, effects: m.Threads.Now[t].effects, regs: m.liveRegs(t, loop), held: m.Threads.Now[t].held})
	}
}

// loopStep notes what a step of thread t from a location means for loops, and stops the thread if a
// round was idle or one too many.
func (m *Machine) loopStep(t int, from ir.Loc, st memory.Step) {
	c := &m.Loops[t]
	if c.Edges == nil || st.Kind != memory.Exec {
		return
	}
	le := &c.Edges[from][st.Edge]
	for _, loop := range le.enters {
		m.Threads.setLoop(t, loop, loopState{count: 1, effects: m.Threads.Now[t].effects, regs: m.liveRegs(t, loop), held: m.Threads.Now[t].held})
	}
	if le.again == None {
		return
	}
	old := m.Threads.loops[t][le.again]
	now := loopState{count: old.count + 1, effects: m.Threads.Now[t].effects, regs: m.liveRegs(t, le.again), held: m.Threads.Now[t].held, forever: old.forever, older: old.older, free: old.free}
	counted := c.counted[le.again]
	if !m.opt.Idle {
		if old.effects == now.effects && old.same(&now) {
			if old.idle >= c.idle[le.again] {
				m.halt(t, st, Refused)
				return
			}
			now.count, now.idle = old.count, old.idle+1
			m.Threads.setLoop(t, le.again, now)
			return
		}
		if o := old.older; o != nil && c.idle[le.again] == 0 && o.effects == now.effects && o.same(&now) {
			m.halt(t, st, Refused)
			return
		}
		now.forever = now.forever || !counted && (old.same(&now) || old.older != nil && old.older.same(&now))
		if now.count&(now.count-1) == 0 {
			now.older = m.Threads.keepOlder(loopState{effects: now.effects, regs: now.regs, held: now.held})
		}
	}
	if counted && !now.forever && now.free < mostAlone && !c.choices[le.again] && m.alone(t) {
		now.count, now.free, now.whole = old.count, now.free+1, old.whole
		if m.wasHere(&now) {
			m.cut(t, from, st)
			return
		}
	}
	if now.count > c.bound && (counted || now.forever) {
		m.cut(t, from, st)
		return
	}
	m.Threads.setLoop(t, le.again, now)
}

// keepOlder keeps a state that the next state of a loop points to.
func (th *Threads) keepOlder(v loopState) *loopState {
	th.old = append(th.old[:th.oldKept], v)
	return &th.old[th.oldKept]
}

// liveRegs returns the values of the registers that are live at the head of a loop. They are kept if the next state of a
// loop has them.
func (m *Machine) liveRegs(t int, loop int32) []int64 {
	live := m.Loops[t].live[loop]
	if m.opt.Idle {
		return nil
	}
	th := &m.Threads
	th.regs = th.regs[:th.regsKept]
	for _, r := range live {
		th.regs = append(th.regs, m.Sys.Reg(m.State, ir.ThreadID(t), r))
	}
	return th.regs[th.regsKept:]
}

// cut stops a thread at a bound.
func (m *Machine) cut(t int, from ir.Loc, st memory.Step) {
	m.halt(t, st, Bounded)
	f := m.Sys.Prog.ThreadFunc(ir.ThreadID(t))
	e := &f.Edges[f.Out(from)[st.Edge]]
	m.Cuts[e.ID] = CutOff{e, "unroll", int(m.Loops[t].bound) - 1}
}

// cutHere stops a thread that does not end.
func (m *Machine) cutHere(t int) {
	m.Threads.setStop(t, Bounded)
	f := m.Sys.Prog.ThreadFunc(ir.ThreadID(t))
	e := &f.Edges[f.Out(m.State.PC(ir.ThreadID(t)))[0]]
	m.Cuts[e.ID] = CutOff{e, "unroll", endless}
}

// CutOff is a bound that was met.
type CutOff struct {
	Edge  *ir.Edge
	Name  string
	Value int
}

// repeats reports whether a round that leaves a loop makes all accesses that any round of it makes:
// their addresses are constant, and every path out of the loop contains them.
func repeats(f *ir.Func, l *analysis.Loops, loop int32) bool {
	for _, at := range l.Members[loop] {
		for _, i := range f.Out(at) {
			switch op := &f.Edges[i].Op; {
			case op.Local() || op.Kind == ir.Fence:
			case !op.Accesses() && op.Kind != ir.Lock && op.Kind != ir.TryLock && op.Kind != ir.Unlock:
				return false
			case op.Addr.Op != ir.AddrOf || leavesWithout(f, l, loop, i):
				return false
			}
		}
	}
	return true
}

// leavesWithout reports whether a path from the head of a loop out of it avoids an edge.
func leavesWithout(f *ir.Func, l *analysis.Loops, loop, edge int32) bool {
	seen := map[ir.Loc]bool{l.Heads[loop]: true}
	work := []ir.Loc{l.Heads[loop]}
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range f.Out(at) {
			e := &f.Edges[i]
			switch {
			case i == edge:
			case e.Op.Terminal() || !slices.Contains(l.Around[e.To], loop):
				return true
			case !seen[e.To]:
				seen[e.To] = true
				work = append(work, e.To)
			}
		}
	}
	return false
}
