package encode

import (
	"fmt"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/proof/program"
	"fencepost/internal/solver/smt"
)

// heapStart is less than every address of a block, and more than those of static objects.
const heapStart, heapEnd = 1 << 45, 1 << 62

// addBlocks makes the regions of blocks.
func (y *Layout) addBlocks() {
	if y.Blocks == nil {
		return
	}
	for _, k := range y.Blocks.Kinds {
		for _, o := range k.Fields {
			f := y.Blocks.Field[o]
			y.Whole[o] = len(y.Regions)
			y.Regions = append(y.Regions, region{Shape: Elements, Size: f.Size, Type: f.Type, home: o})
		}
	}
	y.Whole[y.Blocks.Live] = len(y.Regions)
	y.Regions = append(y.Regions, region{Shape: Elements, Size: 1, Type: ir.Type{Bits: 8}, home: y.Blocks.Live})
}

// InBlock returns the field that an access goes to, and the address of its block.
func (y *Layout) InBlock(op *ir.Op) (f program.BlockField, block *ir.Expr, ok bool) {
	if y.Blocks == nil {
		return f, nil, false
	}
	if f, ok = y.Blocks.Field[op.Obj]; !ok {
		return f, nil, false
	}
	if n, fixed := op.Addr.Y.IsConst(); fixed && op.Addr.Op == ir.Add && op.Addr.Type.Bits == 64 && n == f.Offset {
		return f, op.Addr.X, true
	}
	if f.Offset == 0 {
		return f, op.Addr, true
	}
	return f, ir.Binary(ir.Sub, ir.U64, op.Addr, ir.Int(f.Offset)), true
}

// kindAt returns the kind of the block that lives at an address; 0: none.
func (y *Layout) kindAt(m Memory, at smt.Term) smt.Term {
	return smt.Select(m[y.Whole[y.Blocks.Live]], at)
}

// IsBlock returns the condition that a block of a kind lives at an address.
func (y *Layout) IsBlock(m Memory, at smt.Term, kind int) smt.Term {
	return Equal(y.kindAt(m, at), y.Arith.part(int64(kind), 1))
}

// allocate executes an allocation of a block at an address, which gets a name.
func (x *Runner) allocate(op *ir.Op, name string, s *Run) {
	k := x.Blocks.KindOf[op.Obj]
	choice := x.Declare(name, x.Arith.Sort())
	s.Indices = append(s.Indices, choice)
	aligned := Equal(x.Arith.Binary(ir.Rem, ir.U64, choice, x.Arith.Num(x.Blocks.Kinds[k-1].Align)), x.Arith.Num(0))
	if x.Arith == BitVectors {
		aligned = Equal(smt.Apply(smt.VectorAnd, choice, x.Arith.Num(x.Blocks.Kinds[k-1].Align-1)), x.Arith.Num(0))
	}
	s.Guard = append(s.Guard, x.Arith.Le(x.Arith.Num(heapStart), choice), x.Arith.Le(choice, x.Arith.Num(heapEnd)), aligned, x.IsBlock(s.Mem, choice, 0))
	live := x.Whole[x.Blocks.Live]
	s.Mem = slices.Clone(s.Mem)
	s.Mem[live] = smt.Store(s.Mem[live], choice, x.Arith.part(int64(k), 1))
	for i, o := range x.Blocks.Kinds[k-1].Fields {
		r := x.Whole[o]
		content := x.Declare(fmt.Sprintf("%s_f%d", name, i), x.Arith.bytes(x.Regions[r].Size))
		s.Mem[r] = smt.Store(s.Mem[r], choice, content)
	}
	s.Regs[op.Dst] = choice
}

// release executes the free of a block; null is no block.
func (x *Runner) release(op *ir.Op, v Env, s *Run) {
	at := v.Number(op.Addr)
	s.Indices = append(s.Indices, at)
	live := x.Whole[x.Blocks.Live]
	s.Mem = slices.Clone(s.Mem)
	s.Mem[live] = ite(x.Arith.IsZero(at), s.Mem[live], smt.Store(s.Mem[live], at, x.Arith.part(0, 1)))
}

// Freeable returns the condition that a free may be executed.
func (y *Layout) Freeable(m Memory, op *ir.Op, at smt.Term) smt.Term {
	ways := []smt.Term{y.Arith.IsZero(at)}
	for i, k := range y.Blocks.Kinds {
		if k.Stack == op.Block.Stack {
			ways = append(ways, y.IsBlock(m, at, i+1))
		}
	}
	return smt.Or(ways...)
}
