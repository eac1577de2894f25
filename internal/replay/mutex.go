package replay

import (
	"fmt"

	"fencepost/internal/ir"
	"fencepost/verdict"
)

// Mutexes. A mutex is an 8-byte word of memory. 0 means free. Otherwise the low half is
// the owner's index plus one, and the high half is the depth minus one.

const mutexSize = 8

// mutexWord returns the word of a mutex that thread t has locked once.
func mutexWord(t int) int64 { return int64(t) + 1 }

// deeper is added to the word when the owner of a recursive mutex locks it again.
const deeper = int64(1) << 32

// gone is the word of a mutex that has been destroyed.
const gone = ir.DestroyedMutex

// destroyed adds the step that fails because the mutex has been destroyed.
func (c *turn) destroyed(addr uint64) {
	c.fail(record{addr: addr, size: mutexSize, value: gone}, &violation{ir.Destroyed, fmt.Sprintf("the mutex at 0x%x has been destroyed", addr)})
}

// owner returns the index of the thread that holds the mutex, or -1 if it is free.
func owner(word int64) int { return int(uint32(word)) - 1 }

// depth returns how often the owner has locked the mutex.
func depth(word int64) int64 { return int64(uint64(word)>>32) + 1 }

// mutex returns the word of the mutex at addr.
func (s *state) mutex(addr uint64) int64 { return int64(s.read(addr, mutexSize)) }

// change adds the step of a mutex operation that writes the word.
func (c *turn) change(addr uint64, old, written int64) {
	r := record{addr: addr, size: mutexSize, value: old, written: written, wrote: true}
	c.step(verdict.StepRMW, 0, r, func(n *state, th *thread) {
		n.write(addr, mutexSize, written)
		n.writeUndefined(addr, mutexSize, undefined{})
		th.set(c.op.Undef.Dst, 0)
		th.set(c.op.Dst, 0)
	})
}

// refuse adds the step of a mutex operation that fails with an error number.
func (c *turn) refuse(addr uint64, old, errno int64) {
	r := record{addr: addr, size: mutexSize, value: old}
	c.step(verdict.StepRMW, 0, r, func(_ *state, th *thread) {
		th.set(c.op.Undef.Dst, 0)
		th.set(c.op.Dst, errno)
	})
}

// unset adds the step of an operation on a mutex that was never initialised, if a check of that follows.
func (c *turn) unset(addr uint64, old int64) bool {
	u := c.undefinedRead(addr, mutexSize, nil)
	if !c.asks(u) {
		return false
	}
	c.step(verdict.StepRMW, 0, record{addr: addr, size: mutexSize, value: old}, func(_ *state, th *thread) {
		th.set(c.op.Dst, 0)
		th.set(c.op.Undef.Dst, int64(u.mask))
		th.read = u.from
	})
	return true
}

// fails adds the step of a call that gets nothing and gives nothing back. It is a load of the mutex: it needs no empty
// buffer, and takes bytes that the thread has itself stored from there. errno returns the result of the call for
// the word that it sees; 0 if the call does not fail.
func (c *turn) fails(addr uint64, errno func(word int64) int64) bool {
	if c.m.check(c.s, c.th.buf, c.op.Obj, addr, mutexSize) != nil || c.m.checkHeader(c.s, c.op, addr) != nil {
		return false
	}
	raw := c.s.read(addr, mutexSize)
	for k := range mutexSize {
		if e := c.th.newest(addr + uint64(k)); e != nil {
			raw = setByte(raw, k, e.at(addr+uint64(k)))
		}
	}
	word := int64(raw)
	if word == gone || errno(word) == 0 {
		return false
	}
	c.refuse(addr, word, errno(word))
	return true
}

// lock adds the steps of Lock and TryLock.
func (c *turn) lock() {
	addr := uint64(c.eval(c.op.Addr))
	if c.fails(addr, func(word int64) int64 {
		mine := word != 0 && owner(word) == c.t
		switch {
		case c.op.Kind == ir.TryLock && word != 0 && !(mine && c.op.Mutex.Kind == ir.RecursiveMutex):
			return ir.EBUSY
		case c.op.Kind == ir.Lock && mine && c.op.Mutex.Kind == ir.ErrorCheckMutex:
			return ir.EDEADLK
		}
		return 0
	}) {
		return
	}
	old := c.s.mutex(addr)
	again := old != 0 && owner(old) == c.t && c.op.Mutex.Kind == ir.RecursiveMutex
	if !c.drained() && !again || !c.valid(c.op.Obj, addr, mutexSize) {
		return
	}
	switch {
	case c.unset(addr, old):
	case old == gone:
		c.destroyed(addr)
	case old == 0:
		c.change(addr, old, mutexWord(c.t))
	case again:
		c.change(addr, old, old+deeper)
	}
}

func (c *turn) unlock() {
	addr := uint64(c.eval(c.op.Addr))
	if c.fails(addr, func(word int64) int64 {
		if c.op.Mutex.Kind == ir.ErrorCheckMutex && (word == 0 || owner(word) != c.t) {
			return ir.EPERM
		}
		return 0
	}) {
		return
	}
	old := c.s.mutex(addr)
	mine := old != 0 && owner(old) == c.t
	inner := mine && c.op.Mutex.Kind == ir.RecursiveMutex && depth(old) > 1
	if !c.drained() && !inner || !c.valid(c.op.Obj, addr, mutexSize) {
		return
	}
	switch {
	case c.unset(addr, old):
	case old == gone:
		c.destroyed(addr)
	case inner:
		c.change(addr, old, old-deeper)
	case mine:
		c.change(addr, old, 0)
	default:
		c.fail(record{addr: addr, size: mutexSize, value: old},
			&violation{ir.BadUnlock, fmt.Sprintf("the mutex at 0x%x is not held by the thread", addr)})
	}
}
