package memory

import "fencepost/internal/ir"

// Mutexes, conditions and barriers. A mutex is an 8-byte word in memory: 0 when free, else the
// index of its owner plus one in the low half and the depth of recursion minus one in the high
// half. A barrier is a word that holds the number of arrivals it waits for. That a thread waits
// is part of its status.

func mutexWord(t int, depth uint64) uint64 { return uint64(t+1) | depth<<32 }

func mutexOwner(word uint64) int { return int(uint32(word)) - 1 }

// destroyed is the word of a mutex that must not be used any more.
const destroyed = ^uint64(0)

func mutexDepth(word uint64) uint64 { return word >> 32 }

// refused reports whether lock, trylock or unlock of thread t takes and releases nothing, if it sees
// the word. It is a load then.
func (e *edge) refused(t int, word uint64) bool {
	mine, kind := mutexOwner(word) == t, e.ir.Op.Mutex.Kind
	switch {
	case word == destroyed:
		return false
	case e.kind == ir.TryLock:
		return word != 0 && !(mine && kind == ir.RecursiveMutex)
	case e.kind == ir.Lock:
		return mine && kind == ir.ErrorCheckMutex
	}
	return !mine && kind == ir.ErrorCheckMutex
}

// enabledMutex decides whether lock, trylock and unlock are enabled: all need an empty buffer,
// except operations that are refused, locking an owned recursive mutex again and its inner unlock.
func (y *System) enabledMutex(s *State, t int, e *edge, regs []int64) bool {
	addr := uint64(e.addr.eval(regs, 0))
	off, fault := y.locate(s, t, e, addr)
	if fault != 0 {
		return s.drained(t)
	}
	if e.asks(e.takeMask(s, t, off, addr)) {
		return s.drained(t)
	}
	if seen, _ := y.take(s, t, e, off, addr); e.refused(t, seen) {
		return true
	}
	word := s.readAt(off, WordSize)
	mine := mutexOwner(word) == t
	if mine && e.ir.Op.Mutex.Kind == ir.RecursiveMutex && (e.kind != ir.Unlock || mutexDepth(word) > 0) {
		return true
	}
	return s.drained(t) && (e.kind != ir.Lock || word == 0 || word == destroyed)
}

// mutex applies lock, trylock or unlock.
func (y *System) mutex(s *State, t int, e *edge, regs []int64) {
	addr := uint64(e.addr.eval(regs, 0))
	off, fault := y.locate(s, t, e, addr)
	if fault != 0 {
		s.failAt(t, e, fault, addr)
		return
	}
	word, _ := y.take(s, t, e, off, addr)
	undefined := e.takeMask(s, t, off, addr)
	e.setDstMask(y, s, t, undefined)
	if !e.refused(t, word) {
		word = s.readAt(off, WordSize)
	}
	mine := mutexOwner(word) == t
	kind := e.ir.Op.Mutex.Kind
	next, result := word, int64(0)
	switch {
	case e.asks(undefined): // the check that follows fails
	case word == destroyed:
		s.failAt(t, e, ir.Destroyed, addr)
		return
	case e.kind == ir.Unlock && mine && kind == ir.RecursiveMutex && mutexDepth(word) > 0:
		next = mutexWord(t, mutexDepth(word)-1)
	case e.kind == ir.Unlock && mine:
		next = 0
	case e.kind == ir.Unlock && kind == ir.ErrorCheckMutex:
		result = ir.EPERM
	case e.kind == ir.Unlock:
		s.failAt(t, e, ir.BadUnlock, addr)
		return
	case word == 0:
		next = mutexWord(t, 0)
	case mine && kind == ir.RecursiveMutex:
		next = mutexWord(t, mutexDepth(word)+1)
	case e.kind == ir.TryLock:
		result = ir.EBUSY
	case mine && kind == ir.ErrorCheckMutex:
		result = ir.EDEADLK
	default:
		panic("BUG: lock of a mutex that is held")
	}
	if next != word {
		y.writeAt(s, off, addr, WordSize, next, 0)
	}
	if s.Record {
		s.Event = Event{Memory: true, Addr: addr, Size: WordSize, Value: int64(word), Wrote: next != word}
		if next != word {
			s.Event.Written = int64(next)
		}
	}
	y.set(s, t, e.dst, result)
	s.setPC(t, e.to)
}

// conditionAt returns the address of a condition. If there is no memory for one, the check fails
// and it returns false.
func (y *System) conditionAt(s *State, t int, e *edge, regs []int64) (uint64, bool) {
	addr := uint64(e.addr.eval(regs, 0))
	_, fault := y.locate(s, t, e, addr)
	if fault != 0 {
		s.failAt(t, e, fault, addr)
	}
	return addr, fault == 0
}

// condWait releases the mutex and waits.
func (y *System) condWait(s *State, t int, i int32, e *edge, regs []int64) {
	cond, ok := y.conditionAt(s, t, e, regs)
	if !ok {
		return
	}
	addr := uint64(e.val2.eval(regs, 0))
	off, fault := y.wordAt(s, addr)
	switch {
	case fault != 0:
		s.failAt(t, e, fault, addr)
	case mutexOwner(s.readAt(off, WordSize)) != t:
		s.failAt(t, e, ir.BadWait, addr)
	default:
		y.writeAt(s, off, addr, WordSize, 0, 0)
		s.setStatus(t, condWaiting)
		s.setWait(t, i)
		s.access(Access{cond, WordSize, true}, Access{addr, WordSize, true})
	}
}

func (y *System) canRelock(s *State, t int, e *edge) bool {
	if s.lockedOut(t) || !s.drained(t) {
		return false
	}
	addr := uint64(e.val2.eval(y.regsOf(s, t), 0))
	off, fault := y.wordAt(s, addr)
	if fault != 0 {
		return true
	}
	word := s.readAt(off, WordSize)
	return word == 0 || word == destroyed
}

func (y *System) relock(s *State, t int, e *edge) {
	addr := uint64(e.val2.eval(y.regsOf(s, t), 0))
	off, fault := y.wordAt(s, addr)
	if fault == 0 && s.readAt(off, WordSize) == destroyed {
		fault = ir.Destroyed
	}
	if fault != 0 {
		s.failAt(t, e, fault, addr)
		return
	}
	y.writeAt(s, off, addr, WordSize, mutexWord(t, 0), 0)
	s.access(Access{addr, WordSize, true})
	s.setStatus(t, running)
	s.setWait(t, 0)
	y.set(s, t, e.dst, 0)
	s.setPC(t, e.to)
}

// waitsAt reports whether thread t waits at the condition or barrier at addr.
func (y *System) waitsAt(s *State, t int, status threadStatus, addr uint64) bool {
	if s.status[t] != status {
		return false
	}
	e := &y.threads[t].locs[s.pc[t]].edges[s.wait[t]]
	return uint64(e.addr.eval(y.regsOf(s, t), 0)) == addr
}

// noWaiter is the choice of a signal that wakes no thread.
const noWaiter = -1

func (y *System) signalChoices(s *State, t int, e *edge, regs []int64, one Step, out []Step) []Step {
	addr := uint64(e.addr.eval(regs, 0))
	if _, fault := y.locate(s, t, e, addr); fault != 0 {
		return append(out, one)
	}
	n := len(out)
	for u := range y.threads {
		if y.waitsAt(s, u, condWaiting, addr) {
			one.Choice = int64(u)
			out = append(out, one)
		}
	}
	if len(out) == n {
		one.Choice = noWaiter
		out = append(out, one)
	}
	return out
}

// barrier lets a thread arrive at a barrier; the last arrival lets all waiting threads go on.
func (y *System) barrier(s *State, t int, i int32, e *edge, regs []int64) {
	addr := uint64(e.addr.eval(regs, 0))
	off, fault := y.locate(s, t, e, addr)
	if fault != 0 {
		s.failAt(t, e, fault, addr)
		return
	}
	want := int64(s.readAt(off, WordSize))
	if want <= 0 {
		s.failAt(t, e, ir.BadWait, addr)
		return
	}
	arrived := int64(1)
	for u := range y.threads {
		if y.waitsAt(s, u, barrierWaiting, addr) {
			arrived++
		}
	}
	s.access(Access{addr, WordSize, true})
	if arrived < want {
		s.setStatus(t, barrierWaiting)
		s.setWait(t, i)
		return
	}
	for u := range y.threads {
		if y.waitsAt(s, u, barrierWaiting, addr) {
			w := &y.threads[u].locs[s.pc[u]].edges[s.wait[u]]
			s.setStatus(u, running)
			s.setWait(u, 0)
			y.set(s, u, w.dst, 0)
			s.setPC(u, w.to)
			s.wake(u)
		}
	}
	y.set(s, t, e.dst, 1)
	s.setPC(t, e.to)
}
