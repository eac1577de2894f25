package translate

import (
	"fencepost/internal/lang/c/parse"

	"fencepost/internal/ir"
)

func (f *Statements) compound(s *parse.Stmt) {
	height := len(f.Code.cleanups)
	for _, item := range s.List {
		f.In.Guard(func() { f.item(item) })
	}
	f.sites.markEnd(s)
	if len(f.Code.cleanups) > height {
		f.Code.Pos = f.In.ClosingBrace(s)
		f.leaveScope(height)
	}
}

// item translates a declaration or a statement.
func (f *Statements) item(s *parse.Stmt) {
	switch s.Kind {
	case parse.DeclStmt, parse.StaticTest:
		f.sites.markBefore(s)
		f.declaration(s)
	default:
		f.statement(s)
	}
}

func (f *Statements) declaration(d *parse.Stmt) {
	for _, o := range d.Objs {
		f.Code.attempt(func() { f.lengthsIn(o) })
		switch {
		case o.Kind == parse.Variable && o.Storage == parse.Static:
			f.Syms.locals[o] = &symbol{
				Name: f.Vars.sym.Name + "." + o.Text, Unit: f.Unit, Decl: o, init: o.Init, Defined: true,
			}
		case o.Kind != parse.Variable || o.Global:
		case o.Type.IsVariable() && f.Code.At != Nowhere:
			f.Code.attempt(func() { f.makeVariable(o, o.Initialized()) })
		case o.Init != nil:
			f.Code.attempt(func() { f.initDeclared(o) })
		default:
			f.Code.attempt(func() { f.undefineAgain(o, o.Initialized()) })
		}
	}
	f.enterScope(d)
}

// lengthsIn evaluates the lengths of arrays that a declaration writes.
func (f *Statements) lengthsIn(o *parse.Object) {
	if f.Code.At != Nowhere && (o.Kind == parse.Variable || o.Kind == parse.Typedef) && o.Type.IsModified() {
		f.Code.begin(o.Initialized())
		f.Exprs.lengthsOf(o.Type, o, o)
	}
}

// initDeclared runs the initialiser of a local.
func (f *Statements) initDeclared(d *parse.Object) {
	if f.Code.At == Nowhere {
		return
	}
	to, ok := f.Vars.vars[d]
	if !ok {
		f.Vars.missing(d)
	}
	n := d.Initialized()
	f.Code.begin(n)
	f.inits.initLocal(to, d.Init, n)
}

// undefineAgain makes a local undefined whose declaration may run several times: in a loop, or after a label.
func (f *Statements) undefineAgain(d *parse.Object, n parse.Node) {
	to, ok := f.Vars.vars[d]
	if !ok || f.Code.At == Nowhere || !f.Opt.Undefined() || len(f.conts) == 0 && len(f.labels) == 0 {
		return
	}
	f.Code.begin(n)
	if to.Reg != ir.NoReg {
		f.Code.Assign(to.Reg, ir.Undefined(f.Types.Scalar(to.Type, n)))
		return
	}
	for _, w := range Words(0, max(1, to.Type.Size())) {
		f.Mem.StoreWord(f.Mem.leaf(to, w), w.Typ, ir.Undefined(w.Typ))
	}
}

func (f *Statements) statement(s *parse.Stmt) {
	if f.Code.At == Nowhere && !hasLabels(s) {
		return
	}
	if s.Kind != parse.Block {
		f.sites.markBefore(s)
	}
	switch s.Kind {
	case parse.Empty, parse.StaticTest:
	case parse.DeclStmt:
		f.declaration(s)
	case parse.LabelStmt, parse.Case, parse.Default:
		f.labeled(s)
	case parse.Block:
		f.compound(s)
	case parse.ExprStmt:
		f.effect(s.Expr)
	case parse.If:
		f.ifStatement(s)
	case parse.Switch:
		f.Code.attempt(func() { f.switchStatement(s) })
	case parse.While, parse.Do, parse.For:
		f.Unit.loops = true
		f.iteration(s)
	case parse.Goto, parse.GotoExpr, parse.Break, parse.Continue, parse.Return:
		f.jumpStatement(s)
	case parse.Asm:
		f.Unit.loops = true // it may jump
		f.Code.attempt(func() {
			f.Code.begin(s)
			f.assembly(s)
		})
	default:
		f.Code.attempt(func() { f.In.Refuse(codeStatement, s, "this statement is not supported") })
	}
}

// hasLabels reports whether control can come into a statement from outside.
func hasLabels(s *parse.Stmt) bool {
	found := false
	visit := parse.Visitor{Stmt: func(s *parse.Stmt) bool {
		found = found || s.Kind == parse.LabelStmt || s.Kind == parse.Case || s.Kind == parse.Default
		return !found
	}}
	visit.Stmts(s)
	return found
}

func (f *Statements) labeled(s *parse.Stmt) {
	if s.Kind == parse.LabelStmt {
		if isAsync(s.Label) {
			f.async(s)
			return
		}
		f.Code.Here(f.gotoLabel(s.Label))
	} else {
		l, ok := f.cases[s]
		if !ok {
			f.In.Reject(codeStatement, s, "a case outside a switch")
		}
		f.Code.Here(l)
	}
	f.statement(s.Then)
}

func (f *Statements) gotoLabel(l *parse.Label) ir.Loc {
	at, ok := f.labels[l]
	if !ok {
		at = f.Code.Label(l.Text)
		f.labels[l] = at
	}
	return at
}

// part translates the body of an if, a switch or a loop.
func (f *Statements) part(s *parse.Stmt) {
	f.statement(s)
	f.sites.markBodyEnd(s)
}

func (f *Statements) jumpStatement(s *parse.Stmt) {
	f.Code.begin(s)
	switch s.Kind {
	case parse.Goto:
		f.Unit.loops = true
		f.jumpTo(s.Label)
	case parse.Break:
		f.leaveTo(f.breaks[len(f.breaks)-1])
	case parse.Continue:
		f.leaveTo(f.conts[len(f.conts)-1])
	case parse.Return:
		f.Code.attempt(func() {
			v := f.returned(s)
			if v != nil && len(f.Code.cleanups) > 0 {
				r := f.Code.Fb.Reg("result", 0, f.Code.Pos)
				f.Code.Assign(r, v)
				v = ir.R(r)
			}
			f.runCleanups(0)
			if f.Code.At != Nowhere {
				f.Vars.leave(v)
			}
		})
	default:
		f.Unit.loops = true
		f.Code.attempt(func() { f.computedGoto(s) })
	}
}

// returned evaluates the expression of a return statement. It is nil for void and for a struct, which
// is written to the caller's block.
func (f *Statements) returned(s *parse.Stmt) *ir.Expr {
	switch e := s.Expr; {
	case e == nil:
		return f.Vars.noResult()
	case IsVoid(f.Vars.result):
		f.Exprs.Effect(e)
	case inWords(f.Vars.result):
		f.Lvals.returnWords(e, s)
	default:
		return f.Arith.Convert(f.Exprs.expr(e), f.Vars.result, s).Expr
	}
	return nil
}

func (f *Statements) ifStatement(s *parse.Stmt) {
	f.Code.begin(s.Expr)
	then, otherwise := f.Code.Label(""), f.Code.Label("")
	f.Exprs.branch(s.Expr, then, otherwise)
	if s.Else == nil {
		f.Code.At, f.Code.Fresh = then, false
		f.part(s.Then)
		f.close(s)
		f.Code.Here(otherwise)
		return
	}
	end := f.Code.Label("")
	f.Code.At, f.Code.Fresh = then, false
	f.part(s.Then)
	f.Code.Jump(end)
	f.Code.At, f.Code.Fresh = otherwise, false
	f.part(s.Else)
	f.close(s)
	f.Code.Here(end)
}

// close is the end of a statement with parts: a step that does nothing but leave it
// must not be shown as the part that stands last, which may not have run.
func (f *Statements) close(s *parse.Stmt) { f.Code.Pos = f.In.Span(parse.Token(s.Tok)) }

func (f *Statements) switchStatement(s *parse.Stmt) {
	f.Code.begin(s.Expr)
	v := f.Exprs.expr(narrower(s.Expr))
	if v.Elem != nil || v.Type.Float {
		f.In.Reject(CodeExpr, s.Expr, "a switch over something that is no integer")
	}
	t := promote(v.Type)
	v = f.Code.Keep(v)
	from, end := f.Code.Start(), f.Code.Label("")
	var none *ir.Expr
	other := end
	for _, l := range casesOf(s) {
		loc := f.Code.Label("")
		f.cases[l] = loc
		if l.Kind == parse.Default {
			other = loc
			continue
		}
		is := isCase(ir.Eq, v, t, l.Low)
		if l.Low != l.High {
			is = ir.Binary(ir.LAnd, ir.S64, isCase(ir.Ge, v, t, l.Low), isCase(ir.Le, v, t, l.High))
		}
		f.Code.Assume(from, is, loc)
		not := ir.Negate(is)
		if none == nil {
			none = not
		} else {
			none = ir.Binary(ir.LAnd, ir.S64, none, not)
		}
	}
	if none == nil {
		none = ir.Int(1)
	}
	f.Code.Assume(from, none, other)
	f.Code.At, f.Code.Fresh = Nowhere, false
	f.breaks = append(f.breaks, exit{end, len(f.Code.cleanups)})
	f.part(s.Then)
	f.breaks = f.breaks[:len(f.breaks)-1]
	f.close(s)
	f.Code.Here(end)
}

// casesOf returns the cases of a switch, in the order of the text.
func casesOf(s *parse.Stmt) []*parse.Stmt {
	var out []*parse.Stmt
	visit := parse.Visitor{Stmt: func(s *parse.Stmt) bool {
		if s.Kind == parse.Case || s.Kind == parse.Default {
			out = append(out, s)
		}
		return s.Kind != parse.Switch
	}}
	visit.Stmts(s.Then)
	return out
}

// isCase compares the value of a switch, of type t, with a constant.
func isCase(op ir.ExprOp, v Value, t ir.Type, n parse.Int) *ir.Expr {
	if v.High == nil {
		return ir.Binary(op, t, v.Expr, ir.Int(t.Wrap(n.Int64())))
	}
	return compareWide(op, v, Pair(ir.Int(n.Int64()), ir.Int(int64(n.Hi)), t.Signed))
}

func (f *Statements) iteration(s *parse.Stmt) {
	switch s.Kind {
	case parse.While:
		f.loop(s, s.Expr, nil)
	case parse.Do:
		f.doLoop(s)
	default:
		height := len(f.Code.cleanups)
		switch {
		case s.Init == nil:
		case s.Init.Kind == parse.ExprStmt:
			f.effect(s.Init.Expr)
		default:
			f.declaration(s.Init)
		}
		f.loop(s, s.Expr, s.Post)
		f.leaveScope(height)
	}
}

// effect translates an expression statement, if there is one.
func (f *Statements) effect(e *parse.Expr) {
	if e == nil {
		return
	}
	f.Code.attempt(func() {
		f.Code.begin(e)
		f.Exprs.Effect(e)
	})
}

// loop is a while or for loop.
func (f *Statements) loop(s *parse.Stmt, cond, next *parse.Expr) {
	head, body, end := f.Code.Label(""), f.Code.Label(""), f.Code.Label("")
	f.Code.Here(head)
	if cond != nil {
		f.Code.begin(cond)
		f.Exprs.branch(cond, body, end)
	} else {
		f.Code.Jump(body)
	}
	f.Code.At, f.Code.Fresh = body, false
	again := head
	if next != nil {
		again = f.Code.Label("")
	}
	f.body(s.Then, again, end)
	f.close(s)
	f.Code.Jump(again)
	if next != nil {
		f.Code.At, f.Code.Fresh = again, false
		f.effect(next)
		f.Code.Jump(head)
	}
	f.close(s)
	f.Code.At, f.Code.Fresh = end, false
}

func (f *Statements) doLoop(s *parse.Stmt) {
	head, again, end := f.Code.Label(""), f.Code.Label(""), f.Code.Label("")
	f.Code.Here(head)
	f.body(s.Then, again, end)
	f.Code.Here(again)
	f.Code.begin(s.Expr)
	f.Exprs.branch(s.Expr, head, end)
	f.close(s)
	f.Code.At, f.Code.Fresh = end, false
}

func (f *Statements) body(s *parse.Stmt, again, end ir.Loc) {
	height := len(f.Code.cleanups)
	f.breaks, f.conts = append(f.breaks, exit{end, height}), append(f.conts, exit{again, height})
	f.part(s)
	f.breaks, f.conts = f.breaks[:len(f.breaks)-1], f.conts[:len(f.conts)-1]
}
