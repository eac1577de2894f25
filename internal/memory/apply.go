package memory

import "fencepost/internal/ir"

// Apply takes a step that Enabled listed for this state. Undo to a Mark taken before undoes it.
func (y *System) Apply(s *State, st Step) {
	t := int(st.Thread)
	if s.Record {
		s.Event, s.wakes = Event{}, s.wakes[:0]
	}
	switch st.Kind {
	case Flush:
		y.flush(s, t, int(st.Index))
	case Wake:
		s.setStatus(t, condWoken)
		e := &y.threads[t].locs[s.pc[t]].edges[st.Edge]
		s.access(Access{uint64(e.addr.eval(y.regsOf(s, t), 0)), WordSize, true})
	case Relock:
		y.relock(s, t, &y.threads[t].locs[s.pc[t]].edges[st.Edge])
	case Exec:
		e := &y.threads[t].locs[s.pc[t]].edges[st.Edge]
		s.Covered[e.index] = true
		y.exec(s, t, st, e)
	default:
		panic("BUG: unknown kind of step")
	}
}

// regsOf returns the registers of a thread.
func (y *System) regsOf(s *State, t int) []int64 {
	tc := &y.threads[t]
	return s.regs[tc.regBase : tc.regBase+len(tc.regs)]
}

// set writes a register, unless r is negative.
func (y *System) set(s *State, t int, r int32, v int64) {
	if r >= 0 {
		s.setReg(y.threads[t].regBase+int(r), v)
	}
}

func (s *State) failAt(t int, e *edge, class ir.CheckClass, addr uint64) {
	s.fail(Fault{Class: class, Thread: int32(t), Edge: e.ir, Addr: addr})
}

func (y *System) exec(s *State, t int, st Step, e *edge) {
	regs := y.regsOf(s, t)
	switch e.kind {
	case ir.Nop, ir.Assume:
		if e.undef {
			e.undefineObject(y, s, t)
		}
		s.setPC(t, e.to)
	case ir.Fence:
		if e.ir.Op.Fence == ir.StoreStoreFence {
			y.storeStoreFence(s, t)
		}
		s.setPC(t, e.to)
	case ir.Assign:
		y.set(s, t, e.dst, e.val.eval(regs, 0))
		if e.undef {
			e.undefineObject(y, s, t)
		}
		s.setPC(t, e.to)
	case ir.Havoc:
		y.set(s, t, e.dst, st.Choice)
		s.setPC(t, e.to)
	case ir.Assert:
		if e.val.eval(regs, 0) == 0 {
			s.failAt(t, e, e.ir.Op.Report.Class, 0)
			return
		}
		s.setPC(t, e.to)
	case ir.Load, ir.Await, ir.AbstractLoad:
		y.load(s, t, st, e, regs)
	case ir.Store:
		y.store(s, t, e, regs)
	case ir.RMW:
		y.rmw(s, t, e, regs)
	case ir.Lock, ir.TryLock, ir.Unlock:
		y.mutex(s, t, e, regs)
	case ir.CondWait:
		y.condWait(s, t, st.Edge, e, regs)
	case ir.Barrier:
		y.barrier(s, t, st.Edge, e, regs)
	default:
		y.control(s, t, st, e, regs)
	}
}

// control applies the operations on threads, conditions, atomic sections and blocks.
func (y *System) control(s *State, t int, st Step, e *edge, regs []int64) {
	switch e.kind {
	case ir.Return, ir.ThreadExit:
		if e.val.kind != codeNone && y.hasResults {
			s.setResult(t, e.val.eval(regs, 0))
		}
	case ir.Exit:
		s.setOver()
	case ir.Signal:
		addr, ok := y.conditionAt(s, t, e, regs)
		if !ok {
			return
		}
		if st.Choice != noWaiter {
			s.setStatus(int(st.Choice), condWoken)
			s.wake(int(st.Choice))
		}
		s.access(Access{addr, WordSize, st.Choice != noWaiter})
	case ir.Broadcast:
		addr, ok := y.conditionAt(s, t, e, regs)
		if !ok {
			return
		}
		for u := range y.threads {
			if y.waitsAt(s, u, condWaiting, addr) {
				s.setStatus(u, condWoken)
				s.wake(u)
			}
		}
		s.access(Access{addr, WordSize, len(s.Event.Wakes) > 0})
	case ir.AtomicBegin:
		s.setHolder(int32(t))
	case ir.AtomicEnd:
		s.setHolder(-1)
	case ir.Spawn:
		u := s.spawnTarget(e)
		s.setStatus(u, running)
		for i := range e.args {
			s.setReg(y.threads[u].regBase+i, e.args[i].eval(regs, 0))
		}
		y.set(s, t, e.dst, int64(u))
		s.Event.Other = u + 1
	case ir.Join:
		target := e.val.eval(regs, 0)
		if !s.joinable(target) {
			s.failAt(t, e, ir.BadJoin, 0)
			return
		}
		s.setStatus(int(target), joined)
		y.set(s, t, e.dst, s.result[target])
		s.Event.Other = int(target) + 1
	case ir.Alloc:
		y.alloc(s, t, st.Choice, e, regs)
	case ir.Free:
		if !y.free(s, t, e, regs) {
			return
		}
	default:
		panic("BUG: unexpected operation " + e.kind.String())
	}
	s.setPC(t, e.to)
}

func (y *System) load(s *State, t int, st Step, e *edge, regs []int64) {
	addr := uint64(e.addr.eval(regs, 0))
	off, fault := y.locate(s, t, e, addr)
	if fault != 0 {
		s.failAt(t, e, fault, addr)
		return
	}
	raw, forwarded := y.take(s, t, e, off, addr)
	seen := extend(raw, int(e.size), e.signed)
	v := seen
	if e.kind == ir.AbstractLoad {
		v = st.Choice
	}
	if s.Record {
		s.Event = Event{Memory: true, Addr: addr, Size: int(e.size), Value: seen, Forwarded: forwarded}
		if forwarded != 0 {
			s.Event.ForwardedFrom = s.forwardedFrom(t, addr, int(e.size))
		}
	}
	if e.dstMask >= 0 {
		e.setDstMask(y, s, t, e.takeMask(s, t, off, addr))
	}
	y.set(s, t, e.dst, v)
	s.setPC(t, e.to)
}

func (y *System) store(s *State, t int, e *edge, regs []int64) {
	addr := uint64(e.addr.eval(regs, 0))
	off, fault := y.locate(s, t, e, addr)
	if fault != 0 {
		s.failAt(t, e, fault, addr)
		return
	}
	mask := e.evalMask(regs)
	v := truncate(e.val.eval(regs, 0), int(e.size)) &^ mask
	direct := e.private || y.directAt(s, t, addr, e.size)
	if direct {
		y.writeAt(s, off, addr, int(e.size), v, mask)
	} else {
		if y.Attacks {
			y.overwrite(s, t, addr, uint32(e.size))
		}
		y.append(s, t, Entry{
			Addr: addr, Val: v, Mask: mask, Size: uint32(e.size), off: y.static.staticOff(off), Kind: StoreEntry, Signed: e.signed, Tag: s.Tag,
		})
	}
	if s.Record {
		s.Event = Event{Memory: true, Addr: addr, Size: int(e.size), Value: extend(v, int(e.size), e.signed), Buffered: !direct}
	}
	s.setPC(t, e.to)
}

func (y *System) rmw(s *State, t int, e *edge, regs []int64) {
	addr := uint64(e.addr.eval(regs, 0))
	off, fault := y.locate(s, t, e, addr)
	if fault != 0 {
		s.failAt(t, e, fault, addr)
		return
	}
	size := int(e.size)
	old := extend(s.readAt(off, size), size, e.signed)
	undefined := maskAt(s, off, size)
	val, mask := e.val.eval(regs, 0), e.evalMask(regs)
	next, wrote := old, true
	switch e.ir.Op.RMW {
	case ir.Xchg:
		next = val
	case ir.FetchAdd:
		next = old + val
	case ir.FetchAnd:
		next = old & val
	case ir.FetchOr:
		next = old | val
	case ir.FetchXor:
		next = old ^ val
	case ir.Cas:
		if wrote = old == e.ir.Op.Type.Wrap(val); wrote {
			next = e.val2.eval(regs, 0)
		}
	default:
		panic("BUG: unknown read-modify-write")
	}
	next = e.ir.Op.Type.Wrap(next &^ int64(mask))
	if wrote {
		y.writeAt(s, off, addr, size, truncate(next, size), mask)
	}
	if s.Record {
		s.Event = Event{Memory: true, Addr: addr, Size: size, Value: old, Wrote: wrote}
		if wrote {
			s.Event.Written, s.Event.Remasked = next, mask != undefined
		}
	}
	e.setDstMask(y, s, t, undefined)
	y.set(s, t, e.dst, old)
	y.set(s, t, e.dst2, bit(wrote))
	s.setPC(t, e.to)
}
