package mover

import "fencepost/internal/ir"

// What an access goes to, as far as its operation tells.

// homeOf returns the object that an access stays in.
func homeOf(p *ir.Program, op *ir.Op) ir.ObjectID {
	obj := op.Obj
	if op.Addr.Op == ir.AddrOf {
		obj = op.Addr.Obj
	}
	if obj != ir.NoObject && p.Objects[obj].Cells {
		return ir.NoObject
	}
	return obj
}

// constantAddress returns the value of a constant address.
func constantAddress(p *ir.Program, addr *ir.Expr) (int64, bool) {
	if addr.Op == ir.AddrOf {
		return int64(p.Objects[addr.Obj].Addr) + addr.Value, true
	}
	return addr.IsConst()
}
