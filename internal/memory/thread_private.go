package memory

import (
	"errors"

	"fencepost/internal/ir"
)

// Thread-private memory needs no buffer. A store to an object, or to a part of one, that no other thread can reach
// takes effect at once, and a load of it reads memory at once: no thread can tell when the
// store arrives.
//
// Package analysis finds the thread-private objects (analysis.PrivateMemory); its answer holds
// for programs whose accesses stay inside their objects. For the others there is a guard: an
// access that reaches an object it was not expected to reach stops the search with ErrStray,
// and the engine starts again without thread-private memory. So only speed depends on the
// analysis.
//
// docs/engines/explicit.md has the argument.

// ErrStray says that an access reached thread-private memory from elsewhere.
var ErrStray = errors.New("an access leaves its object")

// wordAt resolves a word that an operation accesses beside its address: the mutex of a
// condition.
func (y *System) wordAt(s *State, addr uint64) (int, ir.CheckClass) {
	off, fault := y.resolve(s, addr, WordSize, int32(ir.NoObject))
	if fault == 0 && y.PrivateAt(addr) {
		s.Err = ErrStray
	}
	return off, fault
}

// PrivateAccess reports whether an edge accesses memory that is treated as thread-private.
func (y *System) PrivateAccess(e *ir.Edge) bool {
	return y.private != nil && y.private.Accesses(e.ID)
}

// HasPrivate reports whether some memory is treated as thread-private.
func (y *System) HasPrivate() bool { return y.private != nil && !y.private.Empty() }

// PrivateAt reports whether an address lies in memory that is treated as thread-private.
func (y *System) PrivateAt(addr uint64) bool {
	off, fault := y.static.find(addr, 1, int32(ir.NoObject))
	return y.private != nil && fault == 0 && off >= 0 && (y.private.Private(y.static.object(off)) || y.private.InPart(addr, 1))
}

// stray reports whether an access reaches bytes, at off, that the analysis does not expect.
func (y *System) stray(e *edge, off int, addr uint64) bool {
	id := y.static.object(off)
	if !e.private {
		return id != ir.NoObject && (y.private.Private(id) || y.private.InPart(addr, int(e.size)))
	}
	if strays, part := y.private.StraysFromPart(e.ir.ID, addr, int(e.size)); part {
		return strays || id == ir.NoObject
	}
	want, _ := y.private.Accessed(e.ir.ID)
	return id != want
}
