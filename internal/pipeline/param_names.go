package pipeline

import (
	"fmt"

	"fencepost/internal/ir"
	"fencepost/verdict"
)

// What instances of a template have of their own, and counting cannot tell apart:
// thread-local objects, locals in memory, and the number a thread knows itself by. The
// flat program has each of them once per template, as if all instances shared it, so
// such templates are refused.

// named finds what the instances of a template have of their own.
func (p *program) named(flat *ir.Program) (verdict.Diagnostic, bool) {
	for t := range flat.Threads {
		if !flat.Threads[t].Unbounded {
			continue
		}
		f := flat.ThreadFunc(ir.ThreadID(t))
		for i := range f.Edges {
			if o := p.ownObject(&f.Edges[i].Op); o != ir.NoObject {
				return uncounted(&f.Edges[i], fmt.Sprintf("%s, of which every thread has its own,", flat.Objects[o].Name)), true
			}
		}
	}
	return p.numbered()
}

// numbered finds a thread that asks for its own number.
func (p *program) numbered() (verdict.Diagnostic, bool) {
	for id, f := range p.ir.Funcs {
		if p.ir.Main != ir.NoThread && ir.FuncID(id) == p.ir.Threads[p.ir.Main].Func {
			continue // there is one main
		}
		for i := range f.Edges {
			if mentions(&f.Edges[i].Op, func(e *ir.Expr) bool { return e.Op == ir.Self }) {
				return uncounted(&f.Edges[i], "a thread that asks for its own number"), true
			}
		}
	}
	return verdict.Diagnostic{}, false
}

func uncounted(e *ir.Edge, what string) verdict.Diagnostic {
	return verdict.Diagnostic{
		Severity: verdict.SeverityError, Code: "FP0907", Pos: position(e.Pos),
		Message: fmt.Sprintf("for any number of threads: %s is not supported", what),
	}
}

// ownObject is an object of the thread alone that an operation mentions: passes made
// it, out of a local or a thread-local object.
func (p *program) ownObject(op *ir.Op) ir.ObjectID {
	if p.own(op.Obj) {
		return op.Obj
	}
	found := ir.NoObject
	mentions(op, func(e *ir.Expr) bool {
		if e.Op == ir.AddrOf && p.own(e.Obj) {
			found = e.Obj
		}
		return false
	})
	return found
}

// own reports whether an object belongs to one thread alone.
func (p *program) own(o ir.ObjectID) bool {
	return o != ir.NoObject && (int(o) >= len(p.ir.Objects) || p.ir.Objects[o].PerThread)
}

// mentions reports whether a part of an operation's expressions is such.
func mentions(op *ir.Op, such func(*ir.Expr) bool) bool {
	found := false
	one := *op
	one.Exprs(func(e *ir.Expr) *ir.Expr {
		e.Walk(func(part *ir.Expr) { found = such(part) || found })
		return e
	})
	return found
}
