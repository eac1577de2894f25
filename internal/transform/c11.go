package transform

import (
	"fmt"
	"slices"

	"fencepost/internal/ir"
)

// C11's own model reads memory orders, and nothing of what models with store buffers need. This pass makes a flat
// program say with orders alone what it means:
//
//   - an exchange that stands for a seq_cst store is a store again;
//   - a fence has the order that is written in the text, and the store-store fence before a release store is gone;
//   - a weak compare-exchange has a second edge, a load on which it fails although the values are equal, unless it then only
//     tries again (c11_retry.go);
//   - an exchange whose result is not used has one, since its read may synchronise and is atomic with its write;
//   - where plain accesses mean relaxed ones, they are relaxed;
//   - what the model does not have is not supported where an execution reaches it: inline assembly, atomic
//     sections, barriers on all threads, and what the engine does not take yet.

// c11Pass is the name of the pass.
const c11Pass = "c11"

// CodeC11 is the code of what the model c11 does not have.
const CodeC11 = "FP0938"

// C11 returns a flat program for the model c11. relaxed says that a plain access is relaxed unless the text calls it not
// atomic.
func C11(p *ir.Program, relaxed bool) *ir.Program {
	private := findPrivateCells(p)
	return weakened(p, func(out *ir.Program, f *ir.Func, i int) {
		op := &f.Edges[i].Op
		if why := notInC11(op); why != "" {
			cut := ir.NewOp(ir.Unsupported)
			cut.Report = ir.Report{Code: CodeC11, Msg: why}
			*op = cut
			return
		}
		switch {
		case op.Kind == ir.RMW && op.Sync.Marks.Has(ir.AsStore):
			makeStore(op)
		case op.Kind == ir.RMW && op.Sync.Marks.Has(ir.Weak):
			op.Sync.Marks &^= ir.Weak
			if !retriesAtOnce(private, f, i) {
				failWithoutReason(out, f, i)
			}
		case op.Blind(): // what it reads matters all the same: it may synchronise, and nothing comes between
			op.Dst = newResult(f)
			if relaxed && op.Sync.Order == ir.Plain {
				op.Sync.Order = ir.Relaxed
			}
		case op.Kind == ir.Fence || op.Kind == ir.Nop && op.Sync.Order != ir.OrderUnset:
			f.Edges[i].Op = fenceInC11(op)
		case relaxed && op.Accesses() && op.Sync.Order == ir.Plain && !op.Sync.Marks.Has(ir.NonAtomic):
			op.Sync.Order = ir.Relaxed
		}
	})
}

// makeStore makes an exchange that stands for a seq_cst store a store, which reads nothing.
func makeStore(op *ir.Op) {
	op.Kind, op.RMW, op.Sync.Marks, op.Undef.Dst = ir.Store, ir.RMWUnset, op.Sync.Marks&^ir.AsStore, ir.NoReg
}

// newResult returns a register of its own for the result of an operation.
func newResult(f *ir.Func) ir.Reg {
	f.Regs = append(slices.Clip(f.Regs), ir.Register{Name: fmt.Sprintf("exchanged.%d", len(f.Regs))})
	return ir.Reg(len(f.Regs) - 1)
}

// notInC11 returns what is not supported under c11 about an operation, or "".
func notInC11(op *ir.Op) string {
	switch {
	case op.Sync.Marks.Has(ir.Machine):
		return "inline assembly under c11: instructions of a processor have no memory order of C11; use atomics, or ask under sc, tso or pso"
	case op.Kind == ir.AtomicBegin || op.Kind == ir.AtomicEnd:
		return "an atomic section under c11: C11 has none, and an atomic object of 16 bytes is one here; ask under sc, tso or pso"
	case op.Kind == ir.Fence && op.Fence == ir.GlobalFence:
		return "membarrier under c11: C11 has no such fence; ask under sc, tso or pso"
	case op.Kind == ir.AbstractLoad:
		return "a load with a constraint under c11 is not supported; ask under sc, tso or pso"
	}
	return ""
}

// fenceInC11 returns the fence of an order. One without an order is seq_cst if it is full, and nothing if it orders stores
// only, since C11 has no such fence.
func fenceInC11(op *ir.Op) ir.Op {
	order := op.Sync.Order
	if order == ir.OrderUnset && op.Fence == ir.FullFence {
		order = ir.SeqCst
	}
	if order == ir.OrderUnset || order == ir.Relaxed || order == ir.Plain {
		return ir.NewOp(ir.Nop)
	}
	out := ir.NewOp(ir.Fence)
	out.Fence, out.Sync.Order = ir.FullFence, order
	return out
}

// failWithoutReason adds the way on which the compare-exchange of edge i fails although the values are equal.
func failWithoutReason(p *ir.Program, f *ir.Func, i int) {
	e := f.Edges[i]
	add := func(from, to ir.Loc, op ir.Op) {
		f.Edges = append(f.Edges, ir.Edge{ID: p.NextEdge, Origin: e.Origin, From: from, To: to, Op: op, Pos: e.Pos, Pass: c11Pass, Stack: e.Stack})
		p.NextEdge++
	}
	read := ir.NewOp(ir.Await)
	read.Type, read.Sync.Order, read.Addr, read.Obj, read.Dst = e.Op.Type, e.Op.Sync.Fail, e.Op.Addr, e.Op.Obj, e.Op.Dst
	if read.Sync.Order == ir.OrderUnset {
		read.Sync.Order = e.Op.Sync.Order
	}
	typ := e.Op.Type
	typ.Float = false // bits are compared
	read.Cond = ir.Binary(ir.Eq, typ, ir.SeenValue(), e.Op.Val)
	if e.Op.Dst2 == ir.NoReg {
		add(e.From, e.To, read)
		return
	}
	mid := newLoc(f, e.Pos)
	add(e.From, mid, read)
	set := ir.NewOp(ir.Assign)
	set.Dst, set.Val = e.Op.Dst2, ir.Int(0)
	add(mid, e.To, set)
}
