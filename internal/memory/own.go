package memory

import (
	"errors"

	"fencepost/internal/ir"
)

// Own memory. The idea: what a thread keeps to itself needs no buffer. A store to an
// object that no other thread can reach takes effect at once, and a load of it
// reads memory at once: nobody can tell when the store arrives.
//
// An object is a thread's own if the thread alone mentions it and its address stays
// confined (analysis.PointsTo). That speaks of programs that keep inside their objects. For the
// others there is a guard: an access that reaches an object it was not expected to
// reach, whoever makes it, stops the search with ErrStray, and the engine starts again
// without own memory. So nothing rests on the analysis but speed.
//
// docs/engines/explicit.md has the argument.

// ErrStray says that an access reached a thread's own memory from elsewhere.
var ErrStray = errors.New("an access leaves its object")

// wordOf resolves a word that an operation reaches beside its address: the mutex of a
// condition.
func (y *System) wordOf(s *State, addr uint64) (int, ir.CheckClass) {
	off, fault := y.resolve(s, addr, wordSize, int32(ir.NoObject))
	if fault == 0 && y.OwnAt(addr) {
		s.Err = ErrStray
	}
	return off, fault
}

// owned reports whether an edge accesses own memory.
func (y *System) owned(e *ir.Edge) bool {
	if y.own == nil {
		return false
	}
	_, ok := y.own.Accessed(e.ID)
	return ok
}

// Owns reports whether some memory is treated as a thread's own.
func (y *System) Owns() bool { return y.own != nil && !y.own.Empty() }

// OwnAt reports whether an address lies in a thread's own memory.
func (y *System) OwnAt(addr uint64) bool {
	off, fault := y.resolveStatic(addr, 1, int32(ir.NoObject))
	return y.own != nil && fault == 0 && off >= 0 && y.own.Private(ir.ObjectID(y.objectAt[off]-1))
}

// stray reports whether an access, found at off, is not where the analysis has it.
func (y *System) stray(e *edge, off int) bool {
	id := ir.NoObject
	if off >= 0 && off < len(y.objectAt) {
		id = ir.ObjectID(y.objectAt[off]) - 1
	}
	if !e.own {
		return id != ir.NoObject && y.own.Private(id)
	}
	want, _ := y.own.Accessed(e.ir.ID)
	return id != want
}
