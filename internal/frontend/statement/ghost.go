package statement

import (
	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// Ghost code: assignments to variables that only annotations access, which run with the step before them in a proof and
// nowhere else. "ghost" is no reserved word: it is one where a name follows it.
//
// The code never runs: it hangs beside an edge that does nothing (property.CodeInvariant).

// ghost makes the code of an assignment, and the edge that it is thought to run with.
func (l *Lowerer) ghost(s *Stmt, from, next ir.Loc) {
	c := l.Compiler
	if l.section != 0 {
		c.Errorf(CodeInvariant, s.Start, s.End, "ghost code is not allowed inside an atomic section").
			Note("put it after the section: it runs with the access before it")
		l.nop(from, next, s.Start, s.End)
		return
	}
	span := c.Span(s.Start, s.End)
	edge := func(at ir.Loc, kind ir.OpKind, value int64, to ir.Loc) ir.EdgeID {
		op := ir.NewOp(kind)
		op.Val = ir.Int(value)
		if kind == ir.Assert {
			op.Report = ir.Report{Class: ir.Assertion, Msg: "ghost"}
		}
		return l.Func.Edge(at, op, to, span)
	}
	begin, end := l.Loc(s.Start), l.Loc(s.End)
	cl := property.CodeInvariant{Ghost: true, Pos: span, Edge: edge(from, ir.Assume, 0, begin)}
	l.Simple(s.List[0], begin, end)
	cl.Past = edge(from, ir.Assume, 1, next)
	cl.Last = edge(end, ir.Assert, 1, next)
	cl.Text = c.Text(s.List[0].Start, s.End)
	c.Ghosts = append(c.Ghosts, cl)
}
