package memory

import "fencepost/internal/ir"

// Objects that must not be written. A store or read-modify-write is checked where it
// is issued; nothing that is forbidden ever comes into a buffer.

// forbidden reports whether an operation writes to a read-only object, at an offset of
// static memory that the address of its access has.
func (y *System) forbidden(e *edge, off int) bool {
	if e.kind != ir.Store && e.kind != ir.RMW || off < 0 || off >= len(y.objectAt) {
		return false
	}
	id := y.objectAt[off]
	return id > 0 && y.Prog.Objects[id-1].ReadOnly
}
