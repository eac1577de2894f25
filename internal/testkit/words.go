package testkit

import "fencepost/internal/ir"

// Stores into the words of mutexes, conditions and barriers, which nothing protects from them.

// intoWord returns a store or a read-modify-write, with the operands of s, into bytes of a mutex, a condition or the
// barrier. The value often makes a mutex look free, destroyed, or held by one of the first two threads.
func (g *generator) intoWord(s Stmt) Stmt {
	s.Kind, s.Var, s.Size, s.Off = StoreWord, []int{0, 0, 0, 1, 2}[g.r.IntN(5)], varSize, 0
	s.Val = []int64{0, 0, 1, 2, 3, 1 | 1<<32, 2 | 1<<32, ir.DestroyedMutex}[g.r.IntN(8)]
	if g.r.IntN(4) == 0 {
		s.Size, s.Off = 4, 4*g.r.IntN(2)
	}
	if g.r.IntN(6) == 0 {
		s.Size, s.Off = 1, g.r.IntN(8)
	}
	if g.r.IntN(5) == 0 {
		s.Kind, s.RMW = RmwWord, []ir.RMWKind{ir.Xchg, ir.FetchAdd, ir.Cas}[g.r.IntN(3)]
	}
	return s
}

// word returns the operation of a StoreWord or RmwWord.
func (g *build) word(s *Stmt) ir.Op {
	op := ir.NewOp(ir.Store)
	if s.Kind == RmwWord {
		op = ir.NewOp(ir.RMW)
		op.RMW, op.Dst, op.Sync.Order = s.RMW, g.regs[s.Reg], ir.SeqCst
		if s.RMW == ir.Cas {
			op.Val2, op.Sync.Fail = ir.Int(s.Val2), ir.SeqCst
		}
	} else {
		op.Sync.Order = ir.Plain
	}
	op.Obj = []ir.ObjectID{g.mutex, g.cond, g.barrier}[s.Var]
	op.Type = ir.Type{Bits: uint8(8 * s.Size), Signed: s.Size == varSize}
	op.Addr, op.Val = ir.Addr(op.Obj, int64(s.Off)), ir.Int(s.Val)
	return op
}
