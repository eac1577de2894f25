package memory

import "fencepost/internal/ir"

// Invisible steps: steps that no other thread can notice and that notice no other thread.
// They commute with every step of other threads, so an engine may run them without looking
// at the interleavings.

// invisible reports whether all steps from a location concern the thread and its buffer
// alone. A store that enters the buffer does, unless its address may lie in a block: whether
// the block is valid depends on other threads, and unless a global fence may wait for the
// buffer. A full fence does not: it comes after the flushes of the buffer.
func (c *compiler) invisible(f *ir.Func, l ir.Loc) bool {
	y := c.y
	out := f.Out(l)
	for _, i := range out {
		e := &f.Edges[i]
		op := &e.Op
		switch {
		case op.Local():
		case op.Kind == ir.Fence && (op.Fence == ir.StoreStoreFence || y.Model == SC) && !y.fences:
		case op.Kind == ir.Store && y.Model != SC && len(out) == 1 && !y.hasGlobal && y.StaticAccess(e):
		default:
			return false
		}
	}
	return len(out) > 0
}

// Invisible reports whether the thread is running and all its next steps are invisible to
// other threads.
func (th Thread) Invisible() bool { return th.s.status[th.t] == running && th.loc().invisible }

// Advance runs the thread on through invisible locations while exactly one simple edge can be
// taken there: an assignment, an assumption, an assertion that holds, a nop, or the end of the thread. It takes at
// most limit steps, appends them to out, and stops before an edge that stop reports; stop may
// be nil. The effect is that of Apply, without an Event.
func (th Thread) Advance(stop func(loc ir.Loc, edge int32) bool, limit int, out []Step) []Step {
	s, t := th.s, th.t
	tc := &th.y.threads[t]
	regs := s.regs[tc.regBase : tc.regBase+len(tc.regs)]
	pc := s.pc[t]
	first := true
	for limit += len(out); len(out) < limit && s.status[t] == running && tc.locs[pc].invisible; {
		loc := &tc.locs[pc]
		i := onlySimple(loc, regs)
		if i < 0 || stop != nil && stop(ir.Loc(pc), i) {
			break
		}
		e := &loc.edges[i]
		s.Covered[e.index] = true
		if e.kind == ir.Assign && e.dst >= 0 {
			s.setReg(tc.regBase+int(e.dst), e.val.eval(regs, 0))
		}
		if (e.kind == ir.Return || e.kind == ir.ThreadExit) && e.val.kind != codeNone && th.y.hasResults {
			s.setResult(t, e.val.eval(regs, 0))
		}
		if first {
			s.setPC(t, e.to) // one record undoes all changes of the location
			first = false
		}
		pc = e.to
		s.pc[t] = pc
		out = append(out, Step{Thread: int32(t), Kind: Exec, Edge: i})
	}
	return out
}

// onlySimple returns the only edge of a location that can be taken, or -1 if there are
// several, none, or the edge is not simple.
func onlySimple(loc *locCode, regs []int64) int32 {
	only := int32(-1)
	for i := range loc.edges {
		e := &loc.edges[i]
		if e.undef {
			return -1
		}
		switch e.kind {
		case ir.Nop, ir.Assign, ir.Return, ir.ThreadExit:
		case ir.Assume:
			if e.val.eval(regs, 0) == 0 {
				continue
			}
		case ir.Assert:
			if e.val.eval(regs, 0) == 0 {
				return -1
			}
		default:
			return -1
		}
		if only >= 0 {
			return -1
		}
		only = int32(i)
	}
	return only
}
