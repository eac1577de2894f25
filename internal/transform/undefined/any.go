//go:build !fencepost_small

package undefined

import (
	"fmt"
	"math"
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Any value for what was never written. The masks of the pass say which variables, objects and blocks matter: bits of them
// may be undefined and decide something. Each of these gets a value of its own where it becomes undefined, by a
// nondeterministic choice, and keeps it. What decides nothing is 0.
//
// Contents of a block are chosen by stores right after the allocation, which stand in the buffer as other stores do. Under
// SC and TSO that makes no difference, since others get the address of the block by a later store. Under PSO
// they may get it before the contents, so that contents would change by themselves: FillsBlocks tells those who ask.

// maxChosen bounds the values that are chosen for an object or a block.
const maxChosen = 64

// FillsBlocks returns an edge that chooses contents of a block that was never written, nil if there is none.
func FillsBlocks(p *ir.Program) *ir.Edge {
	for _, f := range p.Funcs {
		for i := range f.Edges {
			if e := &f.Edges[i]; e.Pass == Pass && e.Op.Kind == ir.Store && e.Op.Obj == ir.NoObject {
				return e
			}
		}
	}
	return nil
}

// chooser writes programs in which undefined values are any value.
type chooser struct {
	u       *undefiner
	needed  maskedMemory
	masks   map[ir.EdgeID]bool // stores whose undefined bits are read with masks
	units   []ir.Type          // by object: the smallest type that is read with a mask
	unit    ir.Type            // of blocks
	limits  []int64            // least and largest value that the user wants, or none
	program *ir.Program
}

// choose returns the program of a pass that is done with any value in place of what is undefined.
func (u *undefiner) choose(opt Options) *ir.Program {
	out := *u.p
	out.Objects, out.Funcs = slices.Clone(u.p.Objects), slices.Clone(u.p.Funcs)
	c := &chooser{u: u, needed: u.readWithMask(), masks: map[ir.EdgeID]bool{}, units: make([]ir.Type, len(u.p.Objects)), limits: opt.Range, program: &out}
	c.findUnits()
	for id := range u.p.Funcs {
		out.Funcs[id] = c.function(ir.FuncID(id))
	}
	out.Seal()
	return &out
}

// findUnits finds the types that memory is read with.
func (c *chooser) findUnits() {
	less := func(to *ir.Type, t ir.Type) {
		if t == (ir.Type{}) {
			t = ir.U64 // the word of a mutex
		}
		if *to == (ir.Type{}) || t.Bits < to.Bits {
			*to = t
		}
	}
	for _, f := range c.u.out.Funcs {
		for i := range f.Edges {
			e := &f.Edges[i]
			c.masks[e.ID] = c.masks[e.ID] || e.Op.Undef.Val != nil
			if e.Op.Undef.Dst == ir.NoReg {
				continue
			}
			if c.u.reachFoot(c.u.footOf(e), func(o ir.ObjectID) { less(&c.units[o], e.Op.Type) }) {
				less(&c.unit, e.Op.Type)
			}
		}
	}
}

// function returns the new code of a function.
func (c *chooser) function(id ir.FuncID) *ir.Func {
	old, masked := c.u.p.Funcs[id], c.u.out.Funcs[id]
	masked.Reindex()
	live := analysis.Liveness(masked)
	shadow := c.u.shadowOf[id]
	matters := func(l ir.Loc, r ir.Reg) bool {
		s, is := shadow[r]
		return is && int(s) < len(masked.Regs) && live(l, s)
	}
	f := *old
	f.Regs, f.Locs, f.Edges = slices.Clone(old.Regs), slices.Clone(old.Locs), nil
	w := &undefinedCode{u: c.u, flow: c.u.flows[id], into: c.program, f: &f, names: map[string]bool{}}
	for _, r := range old.Regs {
		w.names[r.Name] = true
	}
	value := ir.NoReg
	choose := func(t ir.Type) ir.Reg {
		if value == ir.NoReg {
			value = w.reg("any")
		}
		w.add(c.havoc(value, t))
		return value
	}
	for i := range old.Edges {
		e := &old.Edges[i]
		w.edge, w.at = e, e.From
		op := e.Op
		needs := op.Kind == ir.Assign && matters(e.To, op.Dst) || c.masks[e.ID]
		op.Exprs(func(x *ir.Expr) *ir.Expr {
			return x.Map(func(x *ir.Expr) *ir.Expr {
				switch {
				case !x.Undef:
					return x
				case needs:
					return ir.R(choose(x.Type))
				default:
					return ir.Int(0)
				}
			})
		})
		switch {
		case op.Kind == ir.Assert && op.Report.Class == ir.Uninitialised:
			op = ir.NewOp(ir.Nop)
		case c.needed.any() && synchronizes(op.Kind) && c.u.mayBeShared(e):
			op = ir.NewOp(ir.Unsupported)
			op.Report = ir.Report{Code: CodeAny, Msg: "a mutex, condition or barrier in memory that may have any value is not supported"}
		}
		c.contents(w, op, choose)
	}
	c.entry(w, old, matters)
	return &f
}

// synchronizes reports whether an operation uses a word of the thread library.
func synchronizes(k ir.OpKind) bool {
	switch k {
	case ir.Lock, ir.TryLock, ir.Unlock, ir.Signal, ir.Broadcast, ir.Barrier, ir.CondWait:
		return true
	}
	return false
}

// entry chooses values of variables where the function begins.
func (c *chooser) entry(w *undefinedCode, old *ir.Func, matters func(ir.Loc, ir.Reg) bool) {
	var chosen []ir.Reg
	for r := range old.Regs {
		if old.Regs[r].Undef != (ir.Type{}) && matters(old.Entry, ir.Reg(r)) {
			chosen = append(chosen, ir.Reg(r))
		}
		w.f.Regs[r].Undef = ir.Type{}
	}
	if len(chosen) == 0 {
		return
	}
	first := &old.Edges[old.Out(old.Entry)[0]]
	w.edge, w.f.Entry = first, w.loc(first.Pos)
	w.at = w.f.Entry
	for i, r := range chosen {
		op := c.havoc(r, old.Regs[r].Undef)
		if i < len(chosen)-1 {
			w.add(op)
		} else {
			w.put(op, old.Entry)
		}
		w.f.Edges[len(w.f.Edges)-1].Pos = old.Regs[r].Pos
	}
}

// havoc returns the choice of a value of a type.
func (c *chooser) havoc(r ir.Reg, t ir.Type) ir.Op {
	op := ir.NewOp(ir.Havoc)
	op.Dst = r
	if t.Bits < 64 {
		op.Range = ir.Range{Bounded: true, Lo: 0, Hi: 1<<t.Bits - 1}
		if t.Signed {
			op.Range.Lo, op.Range.Hi = -1<<(t.Bits-1), 1<<(t.Bits-1)-1
		}
	}
	if len(c.limits) == 2 {
		all := [2]int64{math.MinInt64, math.MaxInt64}
		if op.Range.Bounded {
			all = [2]int64{op.Range.Lo, op.Range.Hi}
		}
		if lo, hi := max(all[0], c.limits[0]), min(all[1], c.limits[1]); lo <= hi {
			op.Range = ir.Range{Bounded: true, Lo: lo, Hi: hi}
		}
	}
	return op
}

// contents adds an operation, and what chooses the contents of the object or block that it makes undefined.
func (c *chooser) contents(w *undefinedCode, op ir.Op, choose func(ir.Type) ir.Reg) {
	to := w.edge.To
	if !op.Block.Undef {
		w.finish(op, to)
		return
	}
	var at *ir.Expr
	var size int64
	unit, obj, known := c.unit, ir.NoObject, true
	if op.Kind == ir.Alloc {
		n, constant := op.Val.IsConst()
		at, size, known = offsetBy(ir.R(op.Dst), op.Block.Lead), n-op.Block.Lead, constant
		if !c.needed.blocks {
			size = 0
		}
	} else {
		obj = op.Obj
		at, size, unit = ir.Addr(obj, 0), c.u.p.Objects[obj].Size, c.units[obj]
		if !c.needed.objects[obj] {
			size = 0
		}
		op.Obj = ir.NoObject
	}
	op.Block.Undef = false
	if op.Block.Align == 0 {
		op.Block.Lead = 0 // which says where the undefined bytes begin
	}
	if size == 0 {
		w.finish(op, to)
		return
	}
	w.finish(op, w.loc(w.edge.Pos))
	if unit == (ir.Type{}) {
		unit = ir.U64
	}
	if !known || size/int64(unit.Size()) > maxChosen {
		w.edge = &ir.Edge{Origin: w.edge.Origin, Pos: w.edge.Pos, Stack: w.edge.Stack}
		no := ir.NewOp(ir.Unsupported)
		no.Report = ir.Report{Code: CodeAny, Msg: fmt.Sprintf("memory that was never written, with any value, is supported up to %d values of a size that is known", maxChosen)}
		w.put(no, to)
		return
	}
	for k := int64(0); k < size; {
		t := unit
		for int64(t.Size()) > size-k {
			t.Bits /= 2
		}
		st := ir.NewOp(ir.Store)
		st.Type, st.Sync.Order, st.Addr, st.Val, st.Obj = t, ir.Plain, offsetBy(at, k), ir.R(choose(t)), obj
		if k += int64(t.Size()); k >= size {
			w.put(st, to)
		} else {
			w.add(st)
		}
	}
}

// offsetBy returns an address that is k bytes after another.
func offsetBy(at *ir.Expr, k int64) *ir.Expr {
	switch {
	case k == 0:
		return at
	case at.Op == ir.AddrOf:
		return ir.Addr(at.Obj, at.Value+k)
	}
	return bitwise(ir.Add, at, ir.Int(k))
}
