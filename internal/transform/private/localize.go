//go:build !fencepost_small

package private

import (
	"fmt"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Localising. The idea: an automatic variable whose address never leaves its thread
// and is never used after its function has returned can become a static object of that
// thread. Objects are easier for engines than blocks. The address of a block is not known
// in advance, and a block can be taken from a pool in several ways. An object has a known
// address, a size that its accesses are checked against, and one thread that accesses it.
//
// A block becomes an object if its address stays confined (analysis.PointsTo), its size is
// constant, and no register that may hold the address is live where the block is
// freed or allocated. So there is never more than one such block at a time, and no
// instruction can access the block after it is freed. The allocation becomes an assignment
// of the object's address, and the free becomes a Nop. A register that is only assigned
// such an address, and not read before, is replaced by the address.
//
// A second activation finds in the object the values that the first left there, as on a
// real stack. C promises no values in either case. If the contents of the block were undefined, the edge says so of the
// object (undefined.go).

// The sizes of the objects are bounded, because every state carries their contents.
const (
	maxLocalSize  = 4 << 10
	maxLocalTotal = 64 << 10
)

// stepsBetweenStops is the number of edges between two calls of a function that may end the pass.
const stepsBetweenStops = 1 << 10

// Localize is the pass. observed says that properties look at registers or locations of threads.
func Localize(p *ir.Program, observed bool, stop func() error) (*ir.Program, error) {
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
	var err error
	for id, f := range p.Funcs {
		if users[ir.FuncID(id)] != 1 || !allocatesStack(f) {
			continue
		}
		if out.Funcs[id], err = localizeFunc(&out, ir.FuncID(id), names, &total, observed, stop); err != nil {
			return nil, err
		}
	}
	out.Seal()
	return &out, nil
}

// localizeFunc returns a function with objects instead of blocks. It begins again without the blocks that cannot become
// registers, if they have to.
func localizeFunc(out *ir.Program, id ir.FuncID, names map[string]bool, total *int64, observed bool, stop func() error) (*ir.Func, error) {
	objects, size := len(out.Objects), *total
	refused := map[ir.EdgeID]bool{}
	for {
		l := &localizer{p: out, f: out.Funcs[id].Copy(), names: names, total: total, observed: observed, refused: refused, stop: stop}
		if err := l.run(); err != nil {
			return nil, err
		}
		more := l.mustStay(id)
		if len(more) == 0 {
			return l.f, nil
		}
		for _, e := range more {
			refused[e] = true
		}
		for _, o := range out.Objects[objects:] {
			delete(names, o.Name)
		}
		out.Objects, *total = out.Objects[:objects], size
	}
}

func allocatesStack(f *ir.Func) bool {
	for i := range f.Edges {
		if f.Edges[i].Op.Kind == ir.Alloc && f.Edges[i].Op.Block.Stack {
			return true
		}
	}
	return false
}

// localizer turns blocks of one function into objects.
type localizer struct {
	p        *ir.Program
	f        *ir.Func
	observed bool            // properties look at registers
	names    map[string]bool // names of objects
	total    *int64          // size of the new objects of all functions
	stop     func() error    // as in Options
	flow     *analysis.PointsTo
	made     map[ir.EdgeID]ir.ObjectID // the new objects, by the edge that allocates the block
	private  map[ir.ObjectID]bool      // the new objects
	refused  map[ir.EdgeID]bool        // what allocates blocks that stay
	split    map[ir.EdgeID]bool        // what allocates blocks that are confined because the lives of registers are separate
	// uses maps a block to the accesses and frees that may reach it.
	uses map[analysis.Pointee][]*ir.Edge
}

// stopped returns the error of the limit that was exceeded, nil if none was.
func (l *localizer) stopped() error {
	if l.stop == nil {
		return nil
	}
	return l.stop()
}

func (l *localizer) run() error {
	l.forwardBlocks()
	l.flow = analysis.NewPointsTo(l.f)
	if err := l.separate(); err != nil {
		return err
	}
	live := analysis.Liveness(l.f)
	l.made, l.private, l.uses = map[ir.EdgeID]ir.ObjectID{}, map[ir.ObjectID]bool{}, map[analysis.Pointee][]*ir.Edge{}
	byID := map[ir.EdgeID]*ir.Edge{}
	for i := range l.f.Edges {
		e := &l.f.Edges[i]
		byID[e.ID] = e
		for _, s := range l.flow.Reaches(e) {
			l.uses[s] = append(l.uses[s], e)
		}
	}
	var err error
	l.flow.Pointees(func(s analysis.Pointee, confined bool) {
		if err == nil {
			err = l.stopped()
		}
		if err == nil && s.Object == ir.NoObject && confined && !l.refused[s.Alloc] && l.outlives(s, byID[s.Alloc], live) {
			l.make(s, byID[s.Alloc])
		}
	})
	if err != nil {
		return err
	}
	for i := range l.f.Edges {
		l.rewrite(&l.f.Edges[i])
	}
	return l.propagate()
}

// forwardBlocks replaces copies of the addresses of blocks of automatic storage by the registers that the allocations set.
func (l *localizer) forwardBlocks() {
	defs, allocs := make([]int, len(l.f.Regs)), map[ir.Reg]bool{}
	for i := range l.f.Edges {
		op := &l.f.Edges[i].Op
		op.Defs(func(r ir.Reg) { defs[r]++ })
		if op.Kind == ir.Alloc && op.Block.Stack {
			allocs[op.Dst] = true
		}
	}
	forwardAddresses(l.f, func(e *ir.Expr) bool { return e.Op == ir.RegRef && allocs[e.Reg] && defs[e.Reg] == 1 })
}

// outlives reports whether no register that may hold the address of a block is live where
// the block is freed or allocated again.
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

// make adds the object for a block unless the object would be too large.
func (l *localizer) make(s analysis.Pointee, alloc *ir.Edge) {
	size, ok := alloc.Op.Val.IsConst()
	if size = max(size, 1); !ok || size > maxLocalSize || *l.total+size > maxLocalTotal {
		return
	}
	*l.total += size
	unit, typ := l.element(s, size)
	name := l.f.Regs[alloc.Op.Dst].Name
	if l.split[s.Alloc] && alloc.Op.Block.Name != "" {
		name = alloc.Op.Block.Name
	}
	for n, try := 2, name; ; n++ {
		if !l.names[try] {
			name = try
			break
		}
		try = fmt.Sprintf("%s#%d", name, n)
	}
	l.names[name] = true
	o := l.p.AddObject(ir.Object{Name: name, Size: size, Unit: unit, Type: typ, Pos: alloc.Pos, Layout: alloc.Op.Block.Layout, Align: alloc.Op.Block.Align, Ends: true})
	l.made[s.Alloc], l.private[o] = o, true
}

// element returns the size and type in which the elements of a block are printed: the
// smallest type of its accesses, or a byte.
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

// rewrite changes an edge to use objects instead of blocks.
func (l *localizer) rewrite(e *ir.Edge) {
	op := &e.Op
	switch {
	case op.Kind == ir.Alloc:
		if o, ok := l.made[e.ID]; ok {
			set := ir.NewOp(ir.Assign)
			set.Dst, set.Val = op.Dst, ir.Addr(o, 0)
			if op.Block.Undef {
				set.Block.Undef, set.Obj = true, o
			}
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

// propagate replaces the registers that only hold the address of one new object by that
// address, and removes assignments of such addresses to registers that are not read.
func (l *localizer) propagate() error {
	if err := l.replaceKnown(); err != nil {
		return err
	}
	live := analysis.Liveness(l.f)
	for i := range l.f.Edges {
		if e := &l.f.Edges[i]; e.Op.Kind == ir.Assign && e.Op.Val.Op == ir.AddrOf && l.private[e.Op.Val.Obj] && !live(e.To, e.Op.Dst) {
			nop := ir.NewOp(ir.Nop)
			nop.Block.Undef, nop.Obj = e.Op.Block.Undef, e.Op.Obj
			e.Op, e.Pass = nop, "localize"
		}
	}
	return nil
}

// replaceKnown replaces the registers that are assigned once, the address of a new object, and are not read before. An
// assignment in which a register is replaced may make the next one known. Liveness at the entry is computed once: a
// replacement takes away reads of registers that are known already, and no others.
func (l *localizer) replaceKnown() error {
	live := analysis.Liveness(l.f)
	defs := make([]int, len(l.f.Regs))
	uses := make([][]int32, len(l.f.Regs)) // by register: the edges that read it
	for i := range l.f.Edges {
		op := &l.f.Edges[i].Op
		op.Exprs(sum)
		op.Defs(func(r ir.Reg) { defs[r]++ })
		op.Uses(func(r ir.Reg) {
			if u := uses[r]; len(u) == 0 || u[len(u)-1] != int32(i) {
				uses[r] = append(u, int32(i))
			}
		})
	}
	var work []*ir.Op // assignments of known addresses whose registers are still to be replaced
	note := func(op *ir.Op) {
		if op.Kind == ir.Assign && op.Val.Op == ir.AddrOf && l.private[op.Val.Obj] &&
			defs[op.Dst] == 1 && int(op.Dst) >= l.f.Params && !live(l.f.Entry, op.Dst) {
			work = append(work, op)
		}
	}
	for i := range l.f.Edges {
		note(&l.f.Edges[i].Op)
	}
	for done := 0; done < len(work); done++ {
		if done%stepsBetweenStops == 0 {
			if err := l.stopped(); err != nil {
				return err
			}
		}
		reg, address := work[done].Dst, work[done].Val
		put := func(x *ir.Expr) *ir.Expr {
			if x.Op == ir.RegRef && x.Reg == reg {
				return address
			}
			return x
		}
		for _, i := range uses[reg] {
			op := &l.f.Edges[i].Op
			known := op.Kind == ir.Assign && op.Val.Op == ir.AddrOf
			op.Exprs(func(e *ir.Expr) *ir.Expr { return sum(e.Map(put)) })
			if !known {
				note(op)
			}
		}
	}
	return nil
}

// sum returns an expression in which sums of a known address and a constant are evaluated.
func sum(e *ir.Expr) *ir.Expr {
	if e == nil || e.X == nil {
		return e
	}
	c := *e
	c.X, c.Y, c.Z = sum(e.X), sum(e.Y), sum(e.Z)
	if (c.Op == ir.Add || c.Op == ir.Sub) && c.Type.Bits == 64 && c.X.Op == ir.AddrOf {
		if n, ok := c.Y.IsConst(); ok {
			if c.Op == ir.Sub {
				n = -n
			}
			return ir.Addr(c.X.Obj, c.X.Value+n)
		}
	}
	if c.X == e.X && c.Y == e.Y && c.Z == e.Z {
		return e
	}
	return &c
}
