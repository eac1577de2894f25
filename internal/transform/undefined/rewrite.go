//go:build !fencepost_small

package undefined

import (
	"fmt"

	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// The new code of a function. Of each edge the operation stays, with its id; in front of it stand the checks of what it
// decides by and the mask of what it computes, after it the check of what an await or a read-modify-write has compared.

// undefinedCode writes the code of one function.
type undefinedCode struct {
	u      *undefiner
	flow   *undefinedFlow
	into   *ir.Program // new
	f      *ir.Func    // new
	shadow map[ir.Reg]ir.Reg
	names  map[string]bool
	edge   *ir.Edge // being rewritten
	at     ir.Loc
}

// rewrite returns the new code of a function.
func (u *undefiner) rewrite(id ir.FuncID) *ir.Func {
	old, flow := u.p.Funcs[id], u.flows[id]
	f := *old
	f.Regs, f.Locs, f.Edges = append([]ir.Register(nil), old.Regs...), append([]ir.Location(nil), old.Locs...), nil
	c := &undefinedCode{u: u, flow: flow, into: u.out, f: &f, shadow: map[ir.Reg]ir.Reg{}, names: map[string]bool{}}
	for _, r := range old.Regs {
		c.names[r.Name] = true
	}
	for r := range old.Regs {
		if _, is := flow.number[ir.Reg(r)]; is {
			s := c.reg(old.Regs[r].Name + ".undefined")
			c.shadow[ir.Reg(r)] = s
			if t := old.Regs[r].Undef; t != (ir.Type{}) {
				f.Regs[s].Init = t.Wrap(-1)
			}
		}
	}
	u.shadowOf[id] = c.shadow
	for l := range old.Locs {
		c.location(old, ir.Loc(l))
	}
	return &f
}

// reg makes a register.
func (c *undefinedCode) reg(name string) ir.Reg {
	try := name
	for n := 2; c.names[try]; n++ {
		try = fmt.Sprintf("%s#%d", name, n)
	}
	c.names[try] = true
	c.f.Regs = append(c.f.Regs, ir.Register{Name: try})
	return ir.Reg(len(c.f.Regs) - 1)
}

// loc makes a location.
func (c *undefinedCode) loc(pos source.Span) ir.Loc {
	c.f.Locs = append(c.f.Locs, ir.Location{Name: fmt.Sprintf("undefined.%d", len(c.f.Locs)), Pos: pos})
	return ir.Loc(len(c.f.Locs) - 1)
}

// add adds an edge of this pass from the current location to a new one.
func (c *undefinedCode) add(op ir.Op) {
	to := c.loc(c.edge.Pos)
	c.put(op, to)
	c.at = to
}

// put adds an edge of this pass from the current location.
func (c *undefinedCode) put(op ir.Op, to ir.Loc) {
	e := c.edge
	c.f.Edges = append(c.f.Edges, ir.Edge{ID: c.into.NextEdge, Origin: e.Origin, From: c.at, To: to, Op: op, Pos: e.Pos, Pass: Pass, Stack: e.Stack})
	c.into.NextEdge++
}

// assign adds an assignment.
func (c *undefinedCode) assign(r ir.Reg, v *ir.Expr) {
	op := ir.NewOp(ir.Assign)
	op.Dst, op.Val = r, v
	c.add(op)
}

// masksAt returns the builder of masks at a location of the old code.
func (c *undefinedCode) masksAt(l ir.Loc) *masks {
	return &masks{
		of: func(r ir.Reg) ir.Reg {
			if c.flow.mayBe(l, r) {
				return c.shadow[r]
			}
			return ir.NoReg
		},
		keep: func(m *ir.Expr) *ir.Expr {
			r := c.reg("part.undefined")
			c.assign(r, m)
			return ir.R(r)
		},
	}
}

// check adds a check that expressions are defined, if one of them may not be. decides says that only whether they are 0
// matters.
func (c *undefinedCode) check(l ir.Loc, decides bool, exprs ...*ir.Expr) {
	b := c.masksAt(l)
	var all *ir.Expr
	var args []*ir.Expr
	for _, e := range exprs {
		if e == nil || !c.flow.unsure(l, e) {
			continue
		}
		if decides && !e.Op.IsTruth() {
			e = ir.Binary(ir.Ne, ir.S64, e, ir.Int(0))
		}
		if m := b.part(e); m != nil {
			all, args = or(all, m), append(args, e)
		}
	}
	if all != nil {
		c.mustBeZero(all, args)
	}
}

// mustBeZero adds a check that a mask is 0. args are the expressions that it is about.
func (c *undefinedCode) mustBeZero(m *ir.Expr, args []*ir.Expr) {
	op := ir.NewOp(ir.Assert)
	op.Val, op.Report.Class, op.Call.Args = isZero(m), ir.Uninitialised, args
	c.add(op)
}

// location writes the edges that leave a location.
func (c *undefinedCode) location(old *ir.Func, l ir.Loc) {
	start := l
	var conditions []*ir.Expr
	for _, i := range old.Out(l) {
		e := &old.Edges[i]
		if e.Op.Kind == ir.Assume && !definedBy(conditions, e.Op.Val) {
			conditions = append(conditions, e.Op.Val)
		}
	}
	if len(conditions) > 0 {
		c.edge, c.at = &old.Edges[old.Out(l)[0]], l
		c.check(l, true, conditions...)
		start = c.at
	}
	for _, i := range old.Out(l) {
		c.edge, c.at = &old.Edges[i], start
		c.operation(l, c.edge.Op)
	}
}

// definedBy reports whether an expression is defined if those in a list are: it is one of them, a negation, or composed of such
// by && and ||.
func definedBy(list []*ir.Expr, e *ir.Expr) bool {
	for _, x := range list {
		if x.Equal(e) || ir.Negate(x).Equal(e) || ir.Negate(e).Equal(x) {
			return true
		}
	}
	return (e.Op == ir.LAnd || e.Op == ir.LOr) && definedBy(list, e.X) && definedBy(list, e.Y)
}

// finish adds the operation itself.
func (c *undefinedCode) finish(op ir.Op, to ir.Loc) {
	e := *c.edge
	e.From, e.To, e.Op = c.at, to, op
	c.f.Edges = append(c.f.Edges, e)
	c.at = to
}

// operation writes an operation of location l, with all that belongs to it.
func (c *undefinedCode) operation(l ir.Loc, op ir.Op) {
	to := c.edge.To
	var whole []*ir.Expr
	c.u.checked(&op, c.flow.isMain(), func(e *ir.Expr) { whole = append(whole, e) })
	c.check(l, false, whole...)
	switch op.Kind {
	case ir.Assign:
		c.shadowAssign(l, op.Dst, op.Val)
		c.finish(op, to)
	case ir.Assert:
		if op.Report.Class == ir.Uninitialised {
			c.finish(ir.NewOp(ir.Nop), to)
			return
		}
		c.check(l, true, op.Val)
		c.finish(op, to)
	case ir.Load, ir.Await, ir.RMW:
		c.read(l, op, to)
	case ir.Store:
		if c.flow.unsure(l, op.Val) {
			op.Undef.Val = c.masksAt(l).mask(op.Val)
		}
		c.finish(op, to)
	case ir.Lock, ir.TryLock, ir.Unlock:
		c.define(op)
		if !c.u.mayBeShared(c.edge) {
			c.finish(op, to)
			return
		}
		op.Undef.Dst = c.reg("mutex.undefined")
		c.finish(op, c.loc(c.edge.Pos))
		c.must(op.Undef.Dst, to)
	case ir.Signal, ir.Broadcast, ir.Barrier, ir.CondWait:
		c.define(op)
		if c.u.mayBeShared(c.edge) {
			word := ir.NewOp(ir.Load)
			word.Type, word.Sync.Order, word.Sync.Kind, word.Addr, word.Obj = ir.U64, ir.Relaxed, ir.SyncInspect, op.Addr, op.Obj
			word.Dst, word.Undef.Dst = c.reg("word"), c.reg("word.undefined")
			c.add(word)
			c.mustBeZero(ir.R(word.Undef.Dst), []*ir.Expr{ir.R(word.Dst)})
		}
		c.finish(op, to)
	case ir.Assume, ir.Return, ir.ThreadExit:
		c.finish(op, to)
	default: // Alloc, Free, Join, Spawn, Havoc and operations without values
		c.define(op)
		c.finish(op, to)
	}
}

// without returns the constraint of a choice without the chosen value.
func without(cond *ir.Expr, r ir.Reg) *ir.Expr {
	return cond.Map(func(x *ir.Expr) *ir.Expr {
		if x.Op == ir.RegRef && x.Reg == r {
			return ir.Int(0)
		}
		return x
	})
}

// checked calls f on the expressions all of whose bits must be defined before an operation. main says that the main thread
// performs it.
func (u *undefiner) checked(op *ir.Op, main bool, f func(*ir.Expr)) {
	all := func(list ...*ir.Expr) {
		for _, e := range list {
			if e != nil {
				f(e)
			}
		}
	}
	switch {
	case op.Kind == ir.Assign || op.Kind == ir.Assume:
	case op.Kind == ir.Assert:
		all(op.Call.Args...)
	case op.Kind == ir.Load, op.Kind == ir.Store:
		all(op.Addr)
	case op.Kind == ir.RMW && op.RMW == ir.Xchg:
		all(op.Addr, op.Cond)
	case op.Kind == ir.RMW || op.Kind == ir.Await:
		all(op.Addr, op.Val, op.Cond)
	case op.Kind == ir.Lock || op.Kind == ir.TryLock || op.Kind == ir.Unlock:
		all(op.Addr)
	case op.Kind == ir.Signal || op.Kind == ir.Broadcast || op.Kind == ir.Barrier || op.Kind == ir.CondWait:
		all(op.Addr, op.Val2)
	case op.Kind == ir.Return || op.Kind == ir.ThreadExit:
		if main {
			all(op.Val)
		}
	default: // Alloc, Free, Join, Spawn, Havoc and operations without values
		all(op.Addr, op.Val, op.Val2, without(op.Cond, op.Dst))
		all(op.Call.Args...)
	}
}

// isMain reports whether the function is that of the main thread.
func (w *undefinedFlow) isMain() bool {
	p := w.u.p
	return p.Main != ir.NoThread && w.f == p.ThreadFunc(p.Main)
}

// must adds a check that a mask is 0, and goes on at a location.
func (c *undefinedCode) must(mask ir.Reg, to ir.Loc) {
	op := ir.NewOp(ir.Assert)
	op.Val, op.Report.Class = isZero(ir.R(mask)), ir.Uninitialised
	c.put(op, to)
}

// define gives the registers that an operation writes a mask of 0.
func (c *undefinedCode) define(op ir.Op) {
	op.Defs(func(r ir.Reg) {
		if s, is := c.shadow[r]; is {
			c.assign(s, ir.Int(0))
		}
	})
}

// shadowAssign adds the assignment of a mask.
func (c *undefinedCode) shadowAssign(l ir.Loc, dst ir.Reg, val *ir.Expr) {
	s, is := c.shadow[dst]
	if !is {
		return
	}
	m := ir.Int(0)
	if c.flow.unsure(l, val) {
		m = zeroIfNil(c.masksAt(l).mask(val))
	}
	c.assign(s, m)
}

// read writes a load, an await or a read-modify-write.
func (c *undefinedCode) read(l ir.Loc, op ir.Op, to ir.Loc) {
	computes := op.Kind == ir.RMW && op.RMW != ir.Xchg
	switch {
	case op.Kind == ir.RMW && op.RMW == ir.Cas && c.flow.unsure(l, op.Val2):
		op.Undef.Val = c.masksAt(l).mask(op.Val2)
	case op.Kind == ir.RMW && op.RMW == ir.Xchg && c.flow.unsure(l, op.Val):
		op.Undef.Val = c.masksAt(l).mask(op.Val)
	}
	if s, is := c.shadow[op.Dst2]; is {
		c.assign(s, ir.Int(0))
	}
	unsure := c.u.mayBeShared(c.edge) || c.flow.mayRead(c.edge)
	s, has := c.shadow[op.Dst]
	if !unsure {
		if has {
			c.assign(s, ir.Int(0))
		}
		c.finish(op, to)
		return
	}
	if !has {
		s = c.reg("read.undefined")
	}
	op.Undef.Dst = s
	if op.Kind == ir.Load || !computes && op.Cond == nil {
		c.finish(op, to)
		return
	}
	c.finish(op, c.loc(c.edge.Pos))
	c.must(s, to)
}
