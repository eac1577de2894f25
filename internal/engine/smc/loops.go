package smc

import (
	"math"
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/transform"
)

// Loops. Executions must end, so iterations are counted as transform.Unroll counts
// them: a body runs at most k times per entry, and a thread that would begin
// another round stops there, which is reported as a bound that was hit. Loops whose
// exits depend on nothing that is read from memory or chosen end by themselves and are not
// counted; a thread that does not come to an end in very many steps is stopped where it is.
//
// Spin loops. A round that comes back to the head of its loop with the registers
// that matter there as they were, and that has written nothing, started nothing and
// taken nothing on the way, leaves the thread as it was. Whatever the thread does afterwards it can do
// without that round, and others do not notice. So the thread stops there, as at an
// assumption that does not hold: the rounds that matter are those that leave the
// loop, or change something, and they are explored at their own time. That is what
// replacing the loop by an await does [AAAJLS15 §4], found while running: it holds for
// nested loops, inlined calls and loops around compare-exchange alike, and for single rounds of loops that
// also do something else. It is no bound.
//
// Data races are between accesses, and a round that changes nothing has some. Let R be an
// access in such a round that races with W. Rounds before and behind it that change nothing can be left
// out, and what others do stays possible: they do not notice, and where the rounds took and gave back a mutex or waited for a
// condition, the mutex is only free for longer, and a thread that waits instead can be woken at
// any time. Happens-before only loses edges by that. So the round of R, the round before
// it, in which a wait began, and the round that leaves the loop are enough: two rounds that
// change nothing (Options.IdleRounds). None is needed if the round that leaves the loop makes the same accesses (repeats):
// if W needs nothing that the thread does behind the loop, the race is in the execution that stops at the
// round of R; else W comes after the last round, whose access is not ordered before W either, or R would be.
// Failing rounds are part of a trace,
// so it is off where traces are asked for.

// endless is how many local steps in a row, and how many events, a thread may have that
// no bound stops.
const endless = 1 << 16

// loopEdge is what taking an edge means for the loops of its function.
type loopEdge struct {
	enters []int32
	again  int32 // the loop whose head it comes back to, none
}

// loopCode is the loops of one thread's function.
type loopCode struct {
	edges   [][]loopEdge // per location and edge
	counted []bool       // per loop: whether its rounds are
	bound   int32        // arrivals at a head that are let through
	live    [][]ir.Reg   // per loop: registers that matter at its head
	entry   []int32      // the loops that the thread begins in
	idle    []int32      // per loop: rounds in a row that may change nothing
}

// loopState is where a thread is in a loop.
type loopState struct {
	count   int32
	effects int32    // of the thread, when it was at the head
	regs    []int64  // that matter, then
	held    []uint64 // the mutexes it had, then
	idle    int32    // rounds since something changed
}

// compileLoops finds the loops of every thread; nil if there are none.
func compileLoops(p *ir.Program, k int, idle int32, keep func(ir.FuncID, ir.Reg) bool) []loopCode {
	out := make([]loopCode, len(p.Threads))
	facts := analysis.NewFacts(p, keep)
	any := false
	for t := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(t))
		l := transform.LoopsOf(f)
		if len(l.Heads) == 0 {
			continue
		}
		c := &out[t]
		tainted := taint(f)
		for loop := range l.Heads {
			// A loop that depends on nothing read or chosen cannot wait for anything.
			c.counted = append(c.counted, exitsDepend(f, &l, int32(loop), tainted))
		}
		if !slices.Contains(c.counted, true) {
			c.counted = nil
			continue
		}
		any = true
		c.edges = make([][]loopEdge, len(f.Locs))
		for loc := range f.Locs {
			for _, i := range f.Out(ir.Loc(loc)) {
				c.edges[loc] = append(c.edges[loc], loopEdgeOf(&f.Edges[i], &l, c.counted))
			}
		}
		for _, loop := range l.Around[f.Entry] {
			if c.counted[loop] {
				c.entry = append(c.entry, loop)
			}
		}
		for _, head := range l.Heads {
			c.live = append(c.live, facts.Live(p.Threads[t].Func, head))
			c.idle = append(c.idle, 0)
		}
	}
	for t := range out {
		if f := p.ThreadFunc(ir.ThreadID(t)); idle > 0 && out[t].edges != nil {
			l := transform.LoopsOf(f)
			for loop := range l.Heads {
				if !repeats(f, &l, int32(loop)) {
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

func loopEdgeOf(e *ir.Edge, l *transform.Loops, counted []bool) loopEdge {
	out := loopEdge{again: none}
	if e.Op.Terminal() {
		return out
	}
	from := l.Around[e.From]
	for i, loop := range l.Around[e.To] {
		if !counted[loop] {
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

// exitsDepend reports whether a way out of a loop depends on a tainted register, or
// there is none.
func exitsDepend(f *ir.Func, l *transform.Loops, loop int32, tainted [][]bool) bool {
	exits := false
	for i := range f.Edges {
		e := &f.Edges[i]
		if !slices.Contains(l.Around[e.From], loop) || slices.Contains(l.Around[e.To], loop) {
			continue
		}
		exits = true
		depends := e.Op.Kind != ir.Assume
		e.Op.Uses(func(r ir.Reg) { depends = depends || tainted[e.From][r] })
		if depends {
			return true
		}
	}
	return !exits
}

// matters reports whether an edge enters a loop or comes back to its head.
func (c *loopCode) matters(l ir.Loc, edge int32) bool {
	le := &c.edges[l][edge]
	return le.again != none || len(le.enters) > 0
}

// holdUps is which local steps of thread t must be looked at one by one: those that
// matter for loops, and those from locations of goals.
func (x *explorer) holdUps(t int) func(ir.Loc, int32) bool {
	counted, watched := x.loops != nil && x.loops[t].edges != nil, x.watch != nil && x.watch[t] != nil
	switch {
	case watched:
		return func(l ir.Loc, edge int32) bool { return counted && x.loops[t].matters(l, edge) || x.holds(t, l) }
	case counted:
		return x.loops[t].matters
	default:
		return nil
	}
}

// begin notes the loops that a thread begins in.
func (x *explorer) begin(t int) {
	if x.loops == nil {
		return
	}
	for _, loop := range x.loops[t].entry {
		x.setLoop(t, loop, loopState{count: 1, effects: x.threads[t].effects, regs: x.liveRegs(t, loop), held: x.threads[t].held})
	}
}

// loopStep counts a step that thread t took from location from.
func (x *explorer) loopStep(t int, from ir.Loc, st memory.Step) {
	c := &x.loops[t]
	if c.edges == nil || st.Kind != memory.Exec {
		return
	}
	le := &c.edges[from][st.Edge]
	for _, loop := range le.enters {
		x.setLoop(t, loop, loopState{count: 1, effects: x.threads[t].effects, regs: x.liveRegs(t, loop), held: x.threads[t].held})
	}
	if le.again == none {
		return
	}
	old := x.loopStates[t][le.again]
	now := loopState{count: old.count + 1, effects: x.threads[t].effects, regs: x.liveRegs(t, le.again), held: x.threads[t].held}
	if !x.task.Traces && old.effects == now.effects && slices.Equal(old.regs, now.regs) && slices.Equal(old.held, now.held) {
		if old.idle >= c.idle[le.again] {
			x.halt(t, st, refused)
			return
		}
		now.count, now.idle = old.count, old.idle+1
		x.setLoop(t, le.again, now)
		return
	}
	if now.count > c.bound {
		x.cut(t, from, st)
		return
	}
	x.setLoop(t, le.again, now)
}

func (x *explorer) liveRegs(t int, loop int32) []int64 {
	live := x.loops[t].live[loop]
	if x.task.Traces {
		return nil
	}
	out := make([]int64, len(live))
	for i, r := range live {
		out[i] = x.y.Reg(x.s, ir.ThreadID(t), r)
	}
	return out
}

func (x *explorer) setLoop(t int, loop int32, v loopState) {
	for int(loop) >= len(x.loopStates[t]) {
		x.loopStates[t] = append(x.loopStates[t], loopState{})
	}
	x.threadLog = append(x.threadLog, savedThread{thread: int32(t), loop: loop})
	x.loopLog = append(x.loopLog, x.loopStates[t][loop])
	x.loopStates[t][loop] = v
}

// cut stops a thread at a bound.
func (x *explorer) cut(t int, from ir.Loc, st memory.Step) {
	x.halt(t, st, bounded)
	f := x.y.Prog.ThreadFunc(ir.ThreadID(t))
	e := &f.Edges[f.Out(from)[st.Edge]]
	x.cuts[e.ID] = cutOff{e, "unroll", int(x.loops[t].bound) - 1}
}

// cutHere stops a thread that does not come to an end.
func (x *explorer) cutHere(t int) {
	v := x.threads[t]
	v.stop = bounded
	x.setThread(t, v)
	f := x.y.Prog.ThreadFunc(ir.ThreadID(t))
	e := &f.Edges[f.Out(x.s.PC(ir.ThreadID(t)))[0]]
	x.cuts[e.ID] = cutOff{e, "unroll", endless}
}

// cutOff is a bound that was hit: where, its name and its value.
type cutOff struct {
	edge  *ir.Edge
	name  string
	value int
}

// repeats reports whether a round that leaves a loop makes all accesses that any round
// makes: their addresses are constant, and every way out passes them.
func repeats(f *ir.Func, l *transform.Loops, loop int32) bool {
	for i := range f.Edges {
		e := &f.Edges[i]
		if !slices.Contains(l.Around[e.From], loop) {
			continue
		}
		switch op := &e.Op; {
		case op.Local() || op.Kind == ir.Fence:
		case !op.Accesses() && op.Kind != ir.Lock && op.Kind != ir.TryLock && op.Kind != ir.Unlock:
			return false
		case op.Addr.Op != ir.AddrOf || leavesWithout(f, l, loop, int32(i)):
			return false
		}
	}
	return true
}

// leavesWithout reports whether a way from the head of a loop out of it avoids an edge.
func leavesWithout(f *ir.Func, l *transform.Loops, loop, edge int32) bool {
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
