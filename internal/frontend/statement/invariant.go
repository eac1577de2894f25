package statement

import (
	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// Invariants: conditions in front of a statement, over shared variables and the
// registers of the thread, that hold whenever the thread is about to execute it.
// They change nothing about the program; proofs check and use them.
//
// "invariant" is no reserved word: it is one where a condition follows it.

// invariants adds the invariants of the location where a statement starts.
func (l *Lowerer) invariants(s *Stmt, at ir.Loc) {
	for _, e := range s.Invariants {
		if s.isJump() || s.Kind == StmtEmpty {
			l.Compiler.Errorf(CodeInvariant, e.Start, e.End, "an invariant cannot come before a jump, or before a label without a statement").
				Note("put it before the statement that the jump leads to")
			continue
		}
		if l.section != 0 {
			l.Compiler.Errorf(CodeInvariant, e.Start, e.End, "an invariant is not allowed inside an atomic section")
			continue
		}
		l.said = append(l.said, property.Invariant{Loc: at, Cond: l.Compiler.Invariant(e, &l.Scope), Pos: l.Compiler.Span(e.Start, e.End)})
	}
}

// Invariant is the condition of an invariant in a scope.
func (c *Compiler) Invariant(e *Expr, s *Scope) *property.Cond {
	b := &conditionBuilder{c: c, index: map[string]ir.Reg{}, thread: s, bound: map[string]ir.Reg{}}
	cond := &property.Cond{Text: c.Text(e.Start, e.End)}
	for _, id := range e.Bound {
		r := ir.Reg(len(b.vars))
		b.vars = append(b.vars, property.Var{Name: id.Text, Thread: ir.NoThread, Reg: ir.NoReg, Type: ir.S64})
		b.bound[id.Text] = r
		cond.Bound = append(cond.Bound, r)
	}
	if len(e.Bound) > 0 {
		cond.Text = c.Text(e.Bound[0].Start, e.End)
		cond.Text = "forall " + cond.Text
	}
	cond.Expr = b.expr(e)
	cond.Vars = b.vars
	return cond
}

// indexed is a cell of an invariant whose index is not constant; not ok for other
// expressions.
func (b *conditionBuilder) indexed(e *Expr) (*ir.Expr, bool) {
	if b.thread == nil || e.Kind != ExprIndex && e.Kind != ExprMem || e.Kind == ExprMem && (e.X.Kind == ExprAddr || e.X.Kind == ExprName && b.c.Vars[e.X.Name] != nil) {
		return nil, false
	}
	p := &cellRef{obj: ir.NoObject, typ: ir.S64, unit: ir.CellUnit, name: "mem"}
	if e.Kind == ExprIndex {
		v := b.c.Vars[e.Name]
		if v == nil || !v.Array {
			return nil, false
		}
		p = &cellRef{obj: v.Obj, typ: v.Typ, name: v.Name, unit: int64(v.Typ.Size()), count: v.Size() / int64(v.Typ.Size())}
	}
	known := len(b.vars)
	index := b.expr(e.X)
	if _, fixed := index.IsConst(); fixed && len(b.vars) == known {
		return nil, false
	}
	b.vars = append(b.vars, property.Var{
		Name: b.c.Text(e.Start, e.End), Thread: ir.NoThread, Reg: ir.NoReg, Type: p.typ, AddrExpr: p.addr(index),
	})
	return ir.R(ir.Reg(len(b.vars) - 1)), true
}

// of gives the invariants of a thread its number, once it has one.
func (c *Compiler) invariantsOf(id ir.ThreadID, said []property.Invariant) {
	for _, inv := range said {
		inv.Thread = id
		for i := range inv.Cond.Vars {
			if v := &inv.Cond.Vars[i]; v.Reg != ir.NoReg {
				v.Thread = id
			}
		}
		c.Said = append(c.Said, inv)
	}
}

// threadName is a register of the thread an invariant stands in, or its index.
func (b *conditionBuilder) threadName(e *Expr) (*ir.Expr, bool) {
	if b.thread == nil || e.Kind != ExprName {
		return nil, false
	}
	if r, ok := b.bound[e.Name]; ok {
		return ir.R(r), true
	}
	r, ok := b.thread.Register(e.Name)
	if !ok {
		r, ok = b.thread.number(e.Name)
	}
	if ok {
		return b.variable(property.Var{Name: e.Name, Thread: 0, Reg: r, Type: ir.S64}), true
	}
	if v, ok := b.thread.lookup(e); ok {
		return ir.Int(v), true
	}
	return nil, false
}
