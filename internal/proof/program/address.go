package program

import (
	"fencepost/internal/ir"
)

// What an access goes to, as far as its operation tells.

// HomeOf returns the object that an access stays in.
func HomeOf(p *ir.Program, op *ir.Op) ir.ObjectID {
	obj := op.Obj
	if op.Addr.Op == ir.AddrOf {
		obj = op.Addr.Obj
	}
	if obj != ir.NoObject && p.Objects[obj].Cells {
		return ir.NoObject
	}
	return obj
}

// ConstantAddress returns the value of a constant address.
func ConstantAddress(p *ir.Program, addr *ir.Expr) (int64, bool) {
	if addr.Op == ir.AddrOf {
		return int64(p.Objects[addr.Obj].Addr) + addr.Value, true
	}
	return addr.IsConst()
}

// NamedCell is a cell that a condition names.
type NamedCell struct {
	addr *ir.Expr
	typ  ir.Type
	obj  ir.ObjectID
}

// InitialValue returns what a load reads initially.
func InitialValue(p *ir.Program, addr uint64, t ir.Type) int64 {
	obj := p.FindObject(addr, t.Size())
	if obj == ir.NoObject {
		return 0
	}
	o := &p.Objects[obj]
	var v uint64
	for b := t.Size() - 1; b >= 0; b-- {
		v <<= 8
		if at := int(addr-o.Addr) + b; at < len(o.Init) {
			v |= uint64(o.Init[at])
		}
	}
	return t.Wrap(int64(v))
}

// OnlyReads reports whether an expression depends on one register alone.
func OnlyReads(e *ir.Expr, r ir.Reg) bool {
	ok := true
	e.Walk(func(x *ir.Expr) { ok = ok && (x.Op != ir.RegRef || x.Reg == r) })
	return ok
}

// AccessesMemory reports whether an operation reads or writes memory, words of mutexes included.
func AccessesMemory(op *ir.Op) bool { return op.Accesses() || UsesMutex(op) }

// UsesMutex reports whether an operation takes or releases a mutex.
func UsesMutex(op *ir.Op) bool {
	return op.Kind == ir.Lock || op.Kind == ir.TryLock || op.Kind == ir.Unlock
}

// TestsMutex reports whether an operation finds out about a mutex and changes nothing.
func TestsMutex(op *ir.Op) bool { return op.Mutex.Test != ir.MutexUntested }

// AccessSize returns how many bytes an operation accesses.
func AccessSize(op *ir.Op) int {
	if UsesMutex(op) {
		return ir.CellUnit
	}
	return op.Type.Size()
}
