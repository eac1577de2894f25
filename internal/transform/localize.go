package transform

import (
	"fmt"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Localising. The idea: an automatic variable whose address never leaves its thread
// and is never used after its function has returned could as well be a static
// object of that thread. Blocks have addresses that engines cannot know and are
// taken from a pool in several ways; objects have a place, a size that accesses are
// held to, and an owner.
//
// A block becomes an object if its address stays confined (analysis.PointsTo), its size is
// constant, and no register that may hold the address is live where the block is
// freed or allocated: so there is never more than one of it, and nobody can touch it
// when it is gone. Its allocation becomes an assignment of the object's address, its
// free nothing. Registers that are only ever assigned such an address, and never
// read before, are replaced by it.
//
// A second activation finds in the object what the first left there, as on a
// real stack; C promises nothing for either.

// maxLocal bounds the objects made: every state carries their contents.
const (
	maxLocalSize  = 4 << 10
	maxLocalTotal = 64 << 10
)

func localize(p *ir.Program, _ Options) (*ir.Program, error) {
	out := *p
	out.Objects = append([]ir.Object(nil), p.Objects...)
	out.Funcs = append([]*ir.Func(nil), p.Funcs...)
	users := map[ir.FuncID]int{}
	for t := range p.Threads {
		users[p.Threads[t].Func]++
	}
	names := map[string]bool{}
	for i := range p.Objects {
		names[p.Objects[i].Name] = true
	}
	total := int64(0)
	for id, f := range p.Funcs {
		if users[ir.FuncID(id)] != 1 || !allocatesStack(f) {
			continue
		}
		l := &localizer{p: &out, f: copyFunc(f), names: names, total: &total}
		l.run()
		out.Funcs[id] = l.f
	}
	out.Seal()
	return &out, nil
}

func allocatesStack(f *ir.Func) bool {
	for i := range f.Edges {
		if f.Edges[i].Op.Kind == ir.Alloc && f.Edges[i].Op.Stack {
			return true
		}
	}
	return false
}

func copyFunc(f *ir.Func) *ir.Func {
	c := *f
	c.Edges = append([]ir.Edge(nil), f.Edges...)
	return &c
}

type localizer struct {
	p     *ir.Program
	f     *ir.Func
	names map[string]bool
	total *int64
	flow  *analysis.PointsTo
	made  map[ir.EdgeID]ir.ObjectID // by allocation
	own   map[ir.ObjectID]bool      // the objects made
	// uses are the accesses and frees that may reach a block.
	uses map[analysis.Pointee][]*ir.Edge
}

func (l *localizer) run() {
	l.flow = analysis.NewPointsTo(l.f)
	live := analysis.Liveness(l.f)
	l.made, l.own, l.uses = map[ir.EdgeID]ir.ObjectID{}, map[ir.ObjectID]bool{}, map[analysis.Pointee][]*ir.Edge{}
	byID := map[ir.EdgeID]*ir.Edge{}
	for i := range l.f.Edges {
		e := &l.f.Edges[i]
		byID[e.ID] = e
		for _, s := range l.flow.Reaches(e) {
			l.uses[s] = append(l.uses[s], e)
		}
	}
	l.flow.Pointees(func(s analysis.Pointee, confined bool) {
		if s.Object == ir.NoObject && confined && l.outlives(s, byID[s.Alloc], live) {
			l.make(s, byID[s.Alloc])
		}
	})
	for i := range l.f.Edges {
		l.rewrite(&l.f.Edges[i])
	}
	l.propagate()
}

// outlives reports whether nobody can touch a block when it is freed or allocated
// again.
func (l *localizer) outlives(s analysis.Pointee, alloc *ir.Edge, live func(ir.Loc, ir.Reg) bool) bool {
	at := []ir.Loc{alloc.From}
	for _, e := range l.uses[s] {
		if e.Op.Kind == ir.Free {
			at = append(at, e.To)
		}
	}
	for _, r := range l.flow.Holders(s) {
		for _, loc := range at {
			if live(loc, r) {
				return false
			}
		}
	}
	return true
}

// make adds the object of a block, if it is not too large.
func (l *localizer) make(s analysis.Pointee, alloc *ir.Edge) {
	size, ok := alloc.Op.Val.IsConst()
	if size = max(size, 1); !ok || size > maxLocalSize || *l.total+size > maxLocalTotal {
		return
	}
	*l.total += size
	unit, typ := l.element(s, size)
	name := l.f.Regs[alloc.Op.Dst].Name
	for n, try := 2, name; ; n++ {
		if !l.names[try] {
			name = try
			break
		}
		try = fmt.Sprintf("%s#%d", name, n)
	}
	l.names[name] = true
	o := l.p.AddObject(ir.Object{Name: name, Size: size, Unit: unit, Type: typ, Pos: alloc.Pos, Layout: alloc.Op.Layout})
	l.made[s.Alloc], l.own[o] = o, true
}

// element is how people see the elements of a block: as its accesses do, if those
// agree.
func (l *localizer) element(s analysis.Pointee, size int64) (int, ir.Type) {
	var typ ir.Type
	for _, e := range l.uses[s] {
		if !e.Op.Accesses() {
			continue
		}
		if t := e.Op.Type; typ == (ir.Type{}) || t.Bits < typ.Bits {
			typ = t
		}
	}
	if typ == (ir.Type{}) || size%int64(typ.Size()) != 0 {
		return 1, ir.U8
	}
	return typ.Size(), typ
}

// rewrite makes an edge use objects instead of blocks.
func (l *localizer) rewrite(e *ir.Edge) {
	op := &e.Op
	switch {
	case op.Kind == ir.Alloc:
		if o, ok := l.made[e.ID]; ok {
			set := ir.NewOp(ir.Assign)
			set.Dst, set.Val = op.Dst, ir.Addr(o, 0)
			e.Op, e.Pass = set, "localize"
		}
		return
	case op.Kind != ir.Free && !op.Accesses():
		return
	}
	reached := l.flow.Reaches(e)
	if len(reached) != 1 {
		return
	}
	o, ok := l.made[reached[0].Alloc]
	switch {
	case !ok || reached[0].Object != ir.NoObject:
	case op.Kind == ir.Free:
		e.Op, e.Pass = ir.NewOp(ir.Nop), "localize"
	case op.Obj == ir.NoObject:
		op.Obj = o
	}
}

// propagate replaces registers that only ever hold one known address by it.
func (l *localizer) propagate() {
	for l.replaceKnown() {
	}
	live := analysis.Liveness(l.f)
	for i := range l.f.Edges {
		if e := &l.f.Edges[i]; e.Op.Kind == ir.Assign && e.Op.Val.Op == ir.AddrOf && l.own[e.Op.Val.Obj] && !live(e.To, e.Op.Dst) {
			e.Op, e.Pass = ir.NewOp(ir.Nop), "localize"
		}
	}
}

// replaceKnown replaces what is known now, and reports whether more may be.
func (l *localizer) replaceKnown() bool {
	live := analysis.Liveness(l.f)
	defs := make([]int, len(l.f.Regs))
	known := make([]*ir.Expr, len(l.f.Regs))
	for i := range l.f.Edges {
		op := &l.f.Edges[i].Op
		op.Defs(func(r ir.Reg) { defs[r]++ })
		if op.Kind == ir.Assign && op.Val.Op == ir.AddrOf && l.own[op.Val.Obj] {
			known[op.Dst] = op.Val
		}
	}
	for r := range known {
		if defs[r] != 1 || r < l.f.Params || live(l.f.Entry, ir.Reg(r)) {
			known[r] = nil
		}
	}
	changed := false
	put := func(e *ir.Expr) *ir.Expr {
		return sum(e.Map(func(x *ir.Expr) *ir.Expr {
			if x.Op == ir.RegRef && known[x.Reg] != nil {
				changed = true
				return known[x.Reg]
			}
			return x
		}))
	}
	for i := range l.f.Edges {
		l.f.Edges[i].Op.Exprs(put)
	}
	return changed
}

// sum adds constants to known addresses.
func sum(e *ir.Expr) *ir.Expr {
	if e == nil || e.X == nil {
		return e
	}
	c := *e
	c.X, c.Y, c.Z = sum(e.X), sum(e.Y), sum(e.Z)
	if c.Op == ir.Add && c.Type.Bits == 64 && c.X.Op == ir.AddrOf {
		if n, ok := c.Y.IsConst(); ok {
			return ir.Addr(c.X.Obj, c.X.Value+n)
		}
	}
	if c.X == e.X && c.Y == e.Y && c.Z == e.Z {
		return e
	}
	return &c
}
