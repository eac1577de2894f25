//go:build !fencepost_small

package private

import (
	"cmp"
	"fmt"
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Variables in memory as registers. The idea: an automatic variable whose address goes to a function that was inlined,
// such as the expected value of a compare-exchange, is an object after localize. Its last value stays in every state
// when no thread reads it any more. With k calls that leave one of two values each, that makes 2^k states of one. The
// values of dead registers are no part of a state, so the variable becomes a register.
//
// An object becomes registers if
//
//   - it is an automatic or thread-local variable of one thread, and no property looks at it;
//   - its address is known wherever it is mentioned, and only loads and stores mention it;
//   - these access parts that do not overlap, each with one type.
//
// Loads of constants become assignments as well.
//
// Each part is one register. It always holds a value of its type, so that a load needs no conversion. The object
// keeps its number and loses its bytes: an access that strays there from another object is outside of all objects.
//
// No thread but one can tell: a store to such a variable is seen by later loads of its own thread only, whether it is in
// the buffer or not.

// maxRegisterParts is how many registers an object may become.
const maxRegisterParts = 16

// Registers is the pass. Objects whose numbers are in the structured program and that are not thread-local there have names
// that final states print: local says of the others that they are variables of one thread. Properties look at the objects to keep.
func Registers(p *ir.Program, keep []ir.ObjectID, local func(ir.ObjectID) bool, stop func() error) (*ir.Program, error) {
	out := *p
	out.Objects, out.Funcs = slices.Clone(p.Objects), slices.Clone(p.Funcs)
	users := map[ir.FuncID]int{}
	for t := range p.Threads {
		users[p.Threads[t].Func]++
	}
	r := &registerMaker{p: &out, parts: map[ir.ObjectID][]objectPart{}, barred: map[ir.ObjectID]bool{}}
	for o := range p.Objects {
		r.barred[ir.ObjectID(o)] = !local(ir.ObjectID(o)) || slices.Contains(keep, ir.ObjectID(o)) || !r.mayBeRegisters(&p.Objects[o])
	}
	for id, f := range p.Funcs {
		if stop != nil {
			if err := stop(); err != nil {
				return nil, err
			}
		}
		if users[ir.FuncID(id)] == 1 {
			f = r.knownAddresses(f)
			r.constants(f)
			out.Funcs[id] = f
		}
		for i := range f.Edges {
			r.note(ir.FuncID(id), &f.Edges[i].Op, users[ir.FuncID(id)] == 1)
		}
	}
	for id := range out.Funcs {
		if err := r.rewrite(ir.FuncID(id), stop); err != nil {
			return nil, err
		}
	}
	for o := range r.parts {
		if object := &out.Objects[o]; !r.barred[o] {
			object.Size, object.Init, object.Layout = 0, nil, nil
		}
	}
	out.Seal()
	return &out, nil
}

// objectPart is a part of an object that becomes a register.
type objectPart struct {
	in  ir.FuncID
	off int64
	typ ir.Type
	reg ir.Reg
}

type registerMaker struct {
	p      *ir.Program
	parts  map[ir.ObjectID][]objectPart
	barred map[ir.ObjectID]bool // must stay in memory
}

// mayBeRegisters reports whether an object may become registers as far as its declaration says. The variables of main that are
// thread-local live as long as the program, and blocks may be reachable through them.
func (r *registerMaker) mayBeRegisters(o *ir.Object) bool {
	const pointer = 8
	return !o.Cells && !o.ReadOnly && !o.Masked && (o.Ends || o.Size < pointer) && !analysis.AddressedInMemory(r.p, o)
}

// knownAddresses replaces the registers that are only assigned one address of an object that may become registers, and are
// not read before.
func (r *registerMaker) knownAddresses(f *ir.Func) *ir.Func {
	f = f.Copy()
	for i := range f.Edges {
		f.Edges[i].Op.Exprs(sum)
	}
	forwardAddresses(f, func(e *ir.Expr) bool { return e.Op == ir.AddrOf && !r.barred[e.Obj] })
	for {
		known := r.addresses(f)
		if len(known) == 0 {
			r.decide(f)
			return f
		}
		put := func(x *ir.Expr) *ir.Expr {
			if x.Op == ir.RegRef && known[x.Reg] != nil {
				return known[x.Reg]
			}
			return x
		}
		for i := range f.Edges {
			op := &f.Edges[i].Op
			if op.Kind == ir.Assign && known[op.Dst] != nil {
				nop := ir.NewOp(ir.Nop)
				nop.Block.Undef, nop.Obj = op.Block.Undef, op.Obj
				f.Edges[i].Op, f.Edges[i].Pass = nop, RegistersPass
				continue
			}
			op.Exprs(func(e *ir.Expr) *ir.Expr {
				found := false
				e.Walk(func(x *ir.Expr) { found = found || x.Op == ir.RegRef && known[x.Reg] != nil })
				if !found {
					return e
				}
				return sum(e.Map(put))
			})
		}
	}
}

// decide takes out the branches on addresses that are known, such as a test for null. Where no edge is left to take, one
// that cannot be taken stays: the thread has not come to its end there.
func (r *registerMaker) decide(f *ir.Func) {
	goesOn := map[ir.Loc]bool{}
	var never []ir.EdgeID
	for i := range f.Edges {
		e := &f.Edges[i]
		holds, ok := r.decided(&e.Op)
		switch {
		case ok && holds:
			e.Op, e.Pass = ir.NewOp(ir.Nop), RegistersPass
			goesOn[e.From] = true
		case ok:
			e.Op.Val = ir.Int(0)
			never = append(never, e.ID)
		}
	}
	f.Edges = slices.DeleteFunc(f.Edges, func(e ir.Edge) bool { return goesOn[e.From] && slices.Contains(never, e.ID) })
}

// decided returns whether an assumption about the address of an object that may become registers holds, if it is one.
func (r *registerMaker) decided(op *ir.Op) (holds, ok bool) {
	if op.Kind != ir.Assume {
		return false, false
	}
	known := true
	op.Val.Walk(func(x *ir.Expr) {
		switch x.Op {
		case ir.AddrOf:
			ok, known = true, known && !r.barred[x.Obj]
		case ir.RegRef, ir.Seen, ir.Self:
			known = false
		}
	})
	if !ok || !known {
		return false, false
	}
	return op.Val.Eval(ir.Env{Prog: r.p}) != 0, true
}

// constants turns loads of what no store can change into assignments.
func (r *registerMaker) constants(f *ir.Func) {
	for i := range f.Edges {
		e := &f.Edges[i]
		o, off, ok := r.accessedPart(&e.Op)
		if !ok || e.Op.Kind != ir.Load || e.Op.Dst == ir.NoReg || !r.p.Objects[o].ReadOnly || r.p.Objects[o].Masked {
			continue
		}
		e.Op, e.Pass = ir.NewAssign(e.Op.Dst, ir.Int(r.p.Objects[o].Initial(off, e.Op.Type))), RegistersPass
	}
}

// addresses returns the registers to replace, and their values.
func (r *registerMaker) addresses(f *ir.Func) map[ir.Reg]*ir.Expr {
	found, other := map[ir.Reg]*ir.Expr{}, map[ir.Reg]bool{}
	for i := range f.Edges {
		op := &f.Edges[i].Op
		if op.Kind == ir.Assign && op.Dst2 == ir.NoReg && op.Undef.Dst == ir.NoReg && op.Sync == (ir.Sync{}) {
			v := op.Val
			if was := found[op.Dst]; v.Op == ir.AddrOf && !r.barred[v.Obj] && (was == nil || was.Equal(v)) {
				found[op.Dst] = v
				continue
			}
		}
		op.Defs(func(d ir.Reg) { other[d] = true })
	}
	var live func(ir.Loc, ir.Reg) bool
	for d := range found {
		if other[d] || int(d) < f.Params {
			delete(found, d)
			continue
		}
		if live == nil {
			live = analysis.Liveness(f)
		}
		if live(f.Entry, d) {
			delete(found, d)
		}
	}
	return found
}

// accessedPart returns the object and the offset in it that a plain load or store accesses, if that is known.
func (r *registerMaker) accessedPart(op *ir.Op) (ir.ObjectID, int64, bool) {
	if op.Kind != ir.Load && op.Kind != ir.Store || op.Addr.Op != ir.AddrOf {
		return ir.NoObject, 0, false
	}
	o, off := op.Addr.Obj, op.Addr.Value
	inside := off >= 0 && off+int64(op.Type.Size()) <= r.p.Objects[o].Size && (op.Obj == ir.NoObject || op.Obj == o)
	return o, off, inside && op.Sync.Order <= ir.Relaxed && op.Sync.Kind == ir.SyncUnset &&
		op.Undef.Dst == ir.NoReg && op.Undef.Val == nil && op.Dst2 == ir.NoReg
}

// note records the parts that an operation accesses, and bars the objects that it mentions otherwise. alone says that one
// thread runs the function.
func (r *registerMaker) note(id ir.FuncID, op *ir.Op, alone bool) {
	mention := *op
	o, off, ok := r.accessedPart(op)
	if ok && alone && !r.barred[o] {
		r.addPart(o, objectPart{in: id, off: off, typ: op.Type})
		mention.Addr, mention.Obj = nil, ir.NoObject
	}
	mention.Exprs(func(e *ir.Expr) *ir.Expr {
		e.Walk(func(x *ir.Expr) {
			if x.Op == ir.AddrOf {
				r.barred[x.Obj] = true
			}
		})
		return e
	})
	if mention.Obj != ir.NoObject && (!analysis.BeginsScope(r.p, &mention) || !alone) {
		r.barred[mention.Obj] = true
	}
}

// addPart adds a part of an object, and bars the object if it cannot become registers.
func (r *registerMaker) addPart(o ir.ObjectID, n objectPart) {
	for _, old := range r.parts[o] {
		switch {
		case old.in != n.in:
		case old.off == n.off && (old.typ == n.typ || old.typ.Bits == 64 && n.typ.Bits == 64): // 64 bits are the same with and without sign
			return
		case old.off+int64(old.typ.Size()) <= n.off || n.off+int64(n.typ.Size()) <= old.off:
			continue
		}
		r.barred[o] = true
		return
	}
	if len(r.parts[o]) == maxRegisterParts {
		r.barred[o] = true
		return
	}
	r.parts[o] = append(r.parts[o], n)
}

// rewrite gives a function its registers, and turns loads and stores into assignments.
func (r *registerMaker) rewrite(id ir.FuncID, stop func() error) error {
	f := r.p.Funcs[id].Copy()
	f.Regs = slices.Clip(f.Regs)
	if !r.addRegisters(id, f) {
		return nil
	}
	w := &widths{f: f, types: map[ir.Reg]ir.Type{}, defs: make([][]int32, len(f.Regs))}
	for i := range f.Edges {
		f.Edges[i].Op.Defs(func(d ir.Reg) { w.defs[d] = append(w.defs[d], int32(i)) })
	}
	for _, parts := range r.parts {
		for _, part := range parts {
			if part.in == id && part.reg != ir.NoReg {
				w.types[part.reg] = part.typ
			}
		}
	}
	// The conversions are decided while all operations are as they were.
	next := make([]ir.Op, len(f.Edges))
	for i := range f.Edges {
		if stop != nil && i%stepsBetweenStops == 0 {
			if err := stop(); err != nil {
				return err
			}
		}
		next[i] = r.assignment(w, &f.Edges[i].Op)
	}
	for i := range next {
		e := &f.Edges[i]
		if next[i].Kind != e.Op.Kind {
			e.Pass = RegistersPass
		}
		e.Op = next[i]
	}
	r.p.Funcs[id] = f
	return nil
}

// addRegisters adds the registers of a function and reports whether there are any.
func (r *registerMaker) addRegisters(id ir.FuncID, f *ir.Func) bool {
	names := map[string]bool{}
	for i := range f.Regs {
		names[f.Regs[i].Name] = true
	}
	before := len(f.Regs)
	for o := range r.p.Objects {
		parts := r.parts[ir.ObjectID(o)]
		if r.barred[ir.ObjectID(o)] {
			continue
		}
		slices.SortFunc(parts, func(a, b objectPart) int { return cmp.Compare(a.off, b.off) })
		for k := range parts {
			part := &parts[k]
			if part.in != id {
				continue
			}
			object := &r.p.Objects[o]
			base := partName(object, part)
			name := base
			for n := 2; names[name]; n++ {
				name = fmt.Sprintf("%s#%d", base, n)
			}
			names[name] = true
			part.reg = ir.Reg(len(f.Regs))
			f.Regs = append(f.Regs, ir.Register{Name: name, Init: object.Initial(part.off, part.typ), Pos: object.Pos})
		}
	}
	return len(f.Regs) > before
}

// partName returns the name of a part of an object.
func partName(o *ir.Object, part *objectPart) string {
	if part.off == 0 && int64(part.typ.Size()) == o.Size {
		return o.Name
	}
	if o.Layout != nil {
		name, _ := o.Layout.Part(part.off, int64(part.typ.Size()))
		return o.Name + name
	}
	return fmt.Sprintf("%s[%d]", o.Name, part.off)
}

// assignment returns what an operation becomes.
func (r *registerMaker) assignment(w *widths, op *ir.Op) ir.Op {
	o, off, ok := r.accessedPart(op)
	switch {
	case ok && !r.barred[o]:
		part := r.parts[o][slices.IndexFunc(r.parts[o], func(part objectPart) bool { return part.off == off })]
		if op.Kind == ir.Store {
			v := op.Val
			if !w.fits(v, part.typ, map[ir.Reg]bool{}) {
				v = ir.Unary(ir.Cast, part.typ, v)
			}
			return ir.NewAssign(part.reg, v)
		}
		if op.Dst == ir.NoReg {
			return ir.NewOp(ir.Nop)
		}
		return ir.NewAssign(op.Dst, ir.R(part.reg))
	case op.Obj != ir.NoObject && analysis.BeginsScope(r.p, op) && !r.barred[op.Obj]:
		begins := *op
		begins.Obj, begins.Block.Undef = ir.NoObject, false
		return begins
	}
	return *op
}

// widths knows which values have a type without a conversion.
type widths struct {
	f     *ir.Func
	types map[ir.Reg]ir.Type // of the new registers
	defs  [][]int32          // by register: the edges that set it
}

// fits reports whether a value always is one of a type. seen has the registers that are assumed to hold one.
func (w *widths) fits(e *ir.Expr, t ir.Type, seen map[ir.Reg]bool) bool {
	inside := func(u ir.Type) bool { return analysis.TypeRange(u).SubsetOf(analysis.TypeRange(t)) }
	if t.Bits == 64 {
		return true
	}
	if c, ok := e.IsConst(); ok {
		return t.Wrap(c) == c
	}
	switch {
	case e.Op == ir.Ite:
		return w.fits(e.Y, t, seen) && w.fits(e.Z, t, seen)
	case e.Op == ir.Cast:
		return inside(e.Type)
	case e.Op != ir.RegRef || e.Undef:
		return e.Op.IsCompare()
	case w.types[e.Reg] != (ir.Type{}):
		return inside(w.types[e.Reg])
	case seen[e.Reg]:
		return true
	case int(e.Reg) < w.f.Params || w.f.Regs[e.Reg].Undef != (ir.Type{}) || t.Wrap(w.f.Regs[e.Reg].Init) != w.f.Regs[e.Reg].Init:
		return false
	}
	seen[e.Reg] = true
	for _, i := range w.defs[e.Reg] {
		op := &w.f.Edges[i].Op
		switch {
		case op.Dst != e.Reg:
			return false
		case op.Kind == ir.Assign && !w.fits(op.Val, t, seen):
			return false
		case op.Kind != ir.Assign && (op.Kind != ir.Load && op.Kind != ir.RMW || !inside(op.Type)):
			return false
		}
	}
	return true
}
