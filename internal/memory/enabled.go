package memory

import "fencepost/internal/ir"

// Enabled appends the steps that are possible in s, thread by thread: flushes first, then the
// edges in program order. Wake steps are listed too; Deadlocked does not count them.
func (y *System) Enabled(s *State, out []Step) []Step {
	if s.over || s.faulted {
		return out
	}
	for t := range y.threads {
		out = y.flushable(s, t, out)
		out = y.EnabledEdges(s, t, out)
	}
	return out
}

// EnabledEdges appends the steps of thread t other than flushes.
func (y *System) EnabledEdges(s *State, t int, out []Step) []Step {
	tc := &y.threads[t]
	loc := &tc.locs[s.pc[t]]
	switch s.status[t] {
	case notStarted, barrierWaiting, stopped, joined, assumed:
		return out
	case condWaiting:
		return append(out, Step{Thread: int32(t), Kind: Wake, Edge: s.wait[t]})
	case condWoken:
		if y.canRelock(s, t, &loc.edges[s.wait[t]]) {
			out = append(out, Step{Thread: int32(t), Kind: Relock, Edge: s.wait[t]})
		}
		return out
	}
	regs := s.regs[tc.regBase : tc.regBase+len(tc.regs)]
	for i := range loc.edges {
		out = y.enabledEdge(s, t, int32(i), &loc.edges[i], regs, out)
	}
	return out
}

// EnabledThread appends the steps of thread t and of its buffer.
func (y *System) EnabledThread(s *State, t int, out []Step) []Step {
	if s.over || s.faulted {
		return out
	}
	return y.EnabledEdges(s, t, y.flushable(s, t, out))
}

// EnabledFlushes appends the flushes of the thread's buffer.
func (th Thread) EnabledFlushes(out []Step) []Step { return th.y.flushable(th.s, th.t, out) }

// lockedOut reports whether another thread holds the atomic section.
func (s *State) lockedOut(t int) bool { return s.holder >= 0 && s.holder != int32(t) }

// drained reports whether thread t may do something that needs an empty buffer.
func (s *State) drained(t int) bool { return len(s.bufs[t]) == 0 }

// allDrained reports whether the buffers of all threads are empty.
func (s *State) allDrained() bool {
	for t := range s.bufs {
		if !s.drained(t) {
			return false
		}
	}
	return true
}

func (y *System) enabledEdge(s *State, t int, i int32, e *edge, regs []int64, out []Step) []Step {
	one := Step{Thread: int32(t), Kind: Exec, Edge: i}
	switch e.kind {
	case ir.Nop, ir.Assign, ir.Assert, ir.Return, ir.ThreadExit, ir.Exit:
		return append(out, one)
	case ir.Assume:
		if e.val.eval(regs, 0) != 0 {
			return append(out, one)
		}
		return out
	case ir.Bound, ir.Unsupported:
		s.Bounds[e.index], s.Withheld = true, true
		return out
	case ir.Havoc:
		return s.choices(one, e, regs, 0, out)
	case ir.Fence:
		if e.ir.Op.Fence == ir.StoreStoreFence || s.drained(t) && (e.ir.Op.Fence != ir.GlobalFence || s.allDrained()) {
			return append(out, one)
		}
		return out
	case ir.Store:
		return y.enabledStore(s, t, e, regs, one, out)
	case ir.Load, ir.Await, ir.AbstractLoad:
		return y.enabledLoad(s, t, e, regs, one, out)
	}
	// Another thread inside an atomic section keeps all other operations out.
	if s.lockedOut(t) {
		return out
	}
	return y.enabledExclusive(s, t, e, regs, one, out)
}

func (y *System) enabledStore(s *State, t int, e *edge, regs []int64, one Step, out []Step) []Step {
	direct := e.private || y.direct(s, t)
	if !direct && y.Attacks {
		direct = y.directAt(s, t, uint64(e.addr.eval(regs, 0)), e.size)
	}
	if !direct && y.full(s, t) {
		s.Blocked[e.index], s.Withheld = true, true
		return out
	}
	if direct && s.lockedOut(t) {
		return out
	}
	return append(out, one)
}

func (y *System) enabledLoad(s *State, t int, e *edge, regs []int64, one Step, out []Step) []Step {
	if e.kind == ir.Load && !s.lockedOut(t) {
		return append(out, one) // whatever the address is
	}
	addr := uint64(e.addr.eval(regs, 0))
	off, fault := y.locate(s, t, e, addr)
	if fault != 0 {
		if s.lockedOut(t) {
			return out
		}
		return append(out, one)
	}
	raw, forwarded := y.take(s, t, e, off, addr)
	if forwarded != byteMask(int(e.size)) && s.lockedOut(t) {
		return out
	}
	if e.kind == ir.Load {
		return append(out, one)
	}
	seen := extend(raw, int(e.size), e.signed)
	if e.kind == ir.AbstractLoad {
		return s.choices(one, e, regs, seen, out)
	}
	if e.cond.eval(regs, seen) == 0 && !e.asks(e.takeMask(s, t, off, addr)) {
		return out
	}
	return append(out, one)
}

// enabledExclusive handles the operations that an atomic section of another thread keeps out.
func (y *System) enabledExclusive(s *State, t int, e *edge, regs []int64, one Step, out []Step) []Step {
	ok := s.drained(t)
	switch e.kind {
	case ir.RMW:
		if ok && e.cond.kind != codeNone {
			off, fault := y.locate(s, t, e, uint64(e.addr.eval(regs, 0)))
			ok = fault != 0 || e.asks(maskAt(s, off, int(e.size))) || e.cond.eval(regs, extend(s.readAt(off, int(e.size)), int(e.size), e.signed)) != 0
		}
	case ir.Lock, ir.TryLock, ir.Unlock:
		ok = y.enabledMutex(s, t, e, regs)
	case ir.CondWait, ir.Barrier:
		// Needs an empty buffer; faults show when applied.
	case ir.Signal:
		return y.signalChoices(s, t, e, regs, one, out)
	case ir.Broadcast, ir.Free:
		ok = e.kind != ir.Free || y.direct(s, t) || !y.full(s, t)
		if !ok {
			s.Blocked[e.index], s.Withheld = true, true
		}
	case ir.Alloc:
		return s.allocChoices(t, e, regs, one, out)
	case ir.AtomicBegin:
		ok = (ok || e.ir.Op.Loads) && s.holder < 0
	case ir.AtomicEnd:
		ok = ok || e.ir.Op.Loads
		if s.holder != int32(t) {
			panic("BUG: end of an atomic section that is not held")
		}
	case ir.Spawn:
		if s.spawnTarget(e) < 0 {
			s.Bounds[e.index], s.Withheld = true, true
			ok = false
		}
	case ir.Join:
		if ok {
			target := e.val.eval(regs, 0)
			ok = !s.joinable(target) || y.Thread(s, int(target)).Ended() && len(s.bufs[target]) == 0
		}
	default:
		panic("BUG: unexpected operation " + e.kind.String())
	}
	if ok {
		out = append(out, one)
	}
	return out
}

func (s *State) validHandle(h int64) bool {
	return h >= 0 && h < int64(len(s.status)) && s.status[h] != notStarted
}

// joinable reports whether a handle belongs to a thread that was started and has not been
// joined.
func (s *State) joinable(h int64) bool {
	return s.validHandle(h) && s.status[h] != joined
}

// spawnTarget returns the first thread of the spawn that has not started, or -1.
func (s *State) spawnTarget(e *edge) int {
	for _, t := range e.ir.Op.Call.Threads {
		if s.status[t] == notStarted {
			return int(t)
		}
	}
	return -1
}

// Deadlocked reports whether nothing can happen although a thread is blocked: at a mutex,
// condition, barrier, join, await or conditional read-modify-write. An execution in which an
// assumption has stopped a thread does not count, since the blocked threads may wait for that
// thread. Call it only where no step but Wake is enabled.
func (y *System) Deadlocked(s *State) bool {
	if s.over || s.faulted || MainReturned(y, s) {
		return false
	}
	waits := false
	for t := range y.threads {
		waits = waits || y.Thread(s, t).BlockedOn() != nil
		if y.Thread(s, t).mayGoOn() {
			return false
		}
	}
	return waits
}

// canBlock reports whether threads wait at an operation for other threads.
func canBlock(e *edge) bool {
	switch e.kind {
	case ir.Lock, ir.Join, ir.Await, ir.CondWait, ir.Barrier:
		return true
	}
	return e.kind == ir.RMW && e.cond.kind != codeNone
}

// assumedAway reports whether thread t, which cannot move, is at assumptions only. A choice
// without a possible value is an assumption; so is an abstract load that accepts no value that
// memory has, unless an atomic section of another thread is in its way.
func (s *State) assumedAway(t int, loc *locCode) bool {
	for i := range loc.edges {
		switch loc.edges[i].kind {
		case ir.Assume, ir.Havoc:
		case ir.AbstractLoad:
			if s.lockedOut(t) {
				return false
			}
		default:
			return false
		}
	}
	return len(loc.edges) > 0
}
