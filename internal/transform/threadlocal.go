package transform

import (
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Thread-local objects that other threads may reach. A thread's copy of a thread-local
// object ends with the thread, and no thread that still has the address may use it then.
// Copies whose address stays in their thread (analysis.PointsTo) are static objects. Every
// other copy becomes a block of automatic storage: the thread allocates and initialises it
// before its first instruction, and frees it where it ends. Then every engine treats a use
// after the end as a use of a freed block.
//
// The objects of the main thread live on when it returns; they end only if it ends by
// ThreadExit.

// maxThreadLocal is the largest number of scalars of an object that becomes a block: the
// thread has to write them all. A larger object stays a static object, so that a use after
// its end is not reported.
const maxThreadLocal = 64

// endThreadLocals turns the thread-local objects of thread t that other threads may reach
// into blocks.
func (b *body) endThreadLocals(t ir.ThreadID) {
	main := t == b.src.Main
	if len(b.copies) == 0 || main && !slices.ContainsFunc(b.f.Edges, func(e ir.Edge) bool { return e.Op.Kind == ir.ThreadExit }) {
		return
	}
	mine := map[ir.ObjectID]bool{}
	for _, c := range b.copies {
		mine[c] = true
	}
	var shared []ir.ObjectID
	analysis.NewPointsTo(b.f).Pointees(func(s analysis.Pointee, confined bool) {
		if s.Object == ir.NoObject || confined || !mine[s.Object] {
			return
		}
		if n := len(scalars(&b.out.Objects[s.Object])); n > 0 && n <= maxThreadLocal {
			shared = append(shared, s.Object)
		}
	})
	slices.Sort(shared)
	if len(shared) == 0 {
		return
	}
	blocks := map[ir.ObjectID]ir.Reg{}
	for _, o := range shared {
		blocks[o] = b.useBlock(o)
	}
	b.freeAtEnd(shared, blocks, main)
	b.allocateAtEntry(shared, blocks)
}

// useBlock replaces the address of an object by a new register, which it returns.
func (b *body) useBlock(o ir.ObjectID) ir.Reg {
	obj := &b.out.Objects[o]
	r := ir.Reg(len(b.f.Regs))
	b.f.Regs = append(b.f.Regs, ir.Register{Name: b.unique("r:", obj.Name), Pos: obj.Pos})
	for i := range b.f.Edges {
		op := &b.f.Edges[i].Op
		if op.Obj == o {
			op.Obj = ir.NoObject
		}
		op.Exprs(func(e *ir.Expr) *ir.Expr {
			return e.Map(func(leaf *ir.Expr) *ir.Expr {
				switch {
				case leaf.Op != ir.AddrOf || leaf.Obj != o:
					return leaf
				case leaf.Value == 0:
					return ir.R(r)
				}
				return ir.Binary(ir.Add, ir.U64, ir.R(r), ir.Int(leaf.Value))
			})
		})
	}
	return r
}

// made adds an edge that stands for no edge of the structured program. It has the position
// of like, if like is not nil.
func (b *body) made(from ir.Loc, op ir.Op, to ir.Loc, like *ir.Edge) {
	e := ir.Edge{ID: b.out.NextEdge, Origin: b.out.NextEdge, From: from, To: to, Op: op, Pass: "flatten"}
	if like != nil {
		e.Pos, e.Stack = like.Pos, like.Stack
	}
	b.out.NextEdge++
	b.f.Edges = append(b.f.Edges, e)
	b.edges++
}

// freeAtEnd frees the blocks where the thread ends.
func (b *body) freeAtEnd(shared []ir.ObjectID, blocks map[ir.ObjectID]ir.Reg, main bool) {
	leaves := make([]bool, len(b.f.Locs))
	for i := range b.f.Edges {
		leaves[b.f.Edges[i].From] = true
	}
	for i := range b.f.Edges {
		e := b.f.Edges[i]
		switch {
		case leaves[e.To], e.Op.Kind == ir.Exit, e.Op.CutsOff(), main && e.Op.Kind != ir.ThreadExit:
			continue
		}
		at := e.From
		last := e
		if k := e.Op.Kind; k != ir.Return && k != ir.ThreadExit { // the end of the function
			at = b.loc("end", e.Pos)
			b.f.Edges[i].To, last = at, ir.Edge{}
		}
		for _, o := range shared {
			op := ir.NewOp(ir.Free)
			op.Addr, op.Block.Stack = ir.R(blocks[o]), true
			next := b.loc("end", e.Pos)
			if last.Op.Kind == ir.OpUnset && o == shared[len(shared)-1] {
				next = e.To
			}
			b.made(at, op, next, &e)
			at = next
		}
		if last.Op.Kind != ir.OpUnset {
			b.f.Edges[i].From = at
		}
	}
}

// allocateAtEntry allocates and initialises the blocks before the first instruction of the
// thread.
func (b *body) allocateAtEntry(shared []ir.ObjectID, blocks map[ir.ObjectID]ir.Reg) {
	first := b.f.Entry
	at := b.loc("begin", b.f.Pos)
	b.f.Entry = at
	then := func(op ir.Op, pos *ir.Edge) {
		next := b.loc("begin", pos.Pos)
		b.made(at, op, next, pos)
		at = next
	}
	for _, o := range shared {
		obj := b.out.Objects[o]
		like := &ir.Edge{Pos: obj.Pos}
		op := ir.NewOp(ir.Alloc)
		op.Dst, op.Val, op.Block.Stack, op.Block.Name, op.Block.Layout = blocks[o], ir.Int(obj.Size), true, obj.Name, obj.Layout
		op.Block.Align = obj.Align
		then(op, like)
		for _, s := range scalars(&obj) {
			w := ir.NewOp(ir.Store)
			w.Type, w.Sync.Order, w.Addr = s.typ, ir.Plain, ir.R(blocks[o])
			if s.off > 0 {
				w.Addr = ir.Binary(ir.Add, ir.U64, ir.R(blocks[o]), ir.Int(s.off))
			}
			w.Val = ir.Int(obj.Initial(s.off, s.typ))
			then(w, like)
		}
	}
	fence := ir.NewOp(ir.Fence) // the initial values are in memory when the thread begins
	fence.Fence = ir.FullFence
	b.made(at, fence, first, &ir.Edge{Pos: b.f.Pos})
}

// scalar is a part of an object that one store initialises.
type scalar struct {
	off int64
	typ ir.Type
}

// scalars returns the parts of an object: the scalars of its layout, or else its elements
// or words.
func scalars(o *ir.Object) []scalar {
	var out []scalar
	end := int64(0) // a layout with overlapping parts, as in unions, is not used
	var walk func(l *ir.Layout, off int64) bool
	walk = func(l *ir.Layout, off int64) bool {
		switch l.Kind {
		case ir.ScalarLayout, ir.PointerLayout:
			typ := ir.U64
			if l.Kind == ir.ScalarLayout {
				typ = l.Type
			}
			if off < end {
				return false
			}
			out, end = append(out, scalar{off, typ}), off+int64(typ.Size())
		case ir.ArrayLayout:
			for i := range l.Count {
				if len(out) > maxThreadLocal || !walk(l.Elem, off+i*l.Elem.Size()) {
					return false
				}
			}
		case ir.RecordLayout:
			for _, f := range l.Fields {
				if !walk(f.Layout, off+f.Off) {
					return false
				}
			}
		default:
			return false
		}
		return true
	}
	if o.Layout != nil && walk(o.Layout, 0) {
		return out
	}
	out = nil
	unit := int64(o.Unit)
	if o.Layout != nil || unit != 1 && unit != 2 && unit != 4 && unit != 8 {
		unit = 8
	}
	for off := int64(0); off < o.Size && len(out) <= maxThreadLocal; off += unit {
		for off+unit > o.Size {
			unit /= 2
		}
		out = append(out, scalar{off, ir.Type{Bits: uint8(8 * unit), Signed: o.Type.Signed}})
	}
	return out
}
