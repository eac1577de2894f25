package translate

import (
	"modernc.org/cc/v4"

	"fencepost/internal/ir"
)

func (f *statements) compound(s *cc.CompoundStatement) {
	for l := s.BlockItemList; l != nil; l = l.BlockItemList {
		item := l.BlockItem
		f.in.guard(func() { f.blockItem(item) })
	}
	f.sites.markEnd(s)
}

func (f *statements) blockItem(item *cc.BlockItem) {
	switch item.Case {
	case cc.BlockItemDecl:
		f.sites.markBefore(item.Declaration)
		f.declaration(item.Declaration)
	case cc.BlockItemStmt:
		f.statement(item.Statement)
	case cc.BlockItemLabel: // the parser takes a name for one label of a function only
	default:
		f.in.refuse(codeStatement, item, "functions inside functions are not supported")
	}
}

// begin starts a full expression: its edges carry the position of n.
func (f *statements) begin(n cc.Node) {
	f.code.pos = f.in.span(n)
	f.code.inUse = f.code.floor
}

func (f *statements) declaration(d *cc.Declaration) {
	if d.Case == cc.DeclarationAssert {
		return
	}
	if d.Case == cc.DeclarationAuto {
		f.initDeclared(d.Declarator, d.Initializer, d)
	}
	for l := d.InitDeclaratorList; l != nil; l = l.InitDeclaratorList {
		id := l.InitDeclarator
		decl := id.Declarator
		switch {
		case decl.IsTypename(), decl.IsExtern(), decl.Type().Kind() == cc.Function:
		case decl.IsStatic():
			f.syms.locals[decl] = &symbol{
				name: f.sym.name + "." + decl.Name(), unit: f.unit, decl: decl, init: id.Initializer, defined: true,
			}
		case f.vars.arrays[decl] != nil && f.code.at != nowhere:
			f.vars.makeVariable(f.vars.arrays[decl], id)
		case id.Initializer != nil:
			f.initDeclared(decl, id.Initializer, id)
		}
	}
}

// initDeclared runs the initialiser of a local.
func (f *statements) initDeclared(d *cc.Declarator, i *cc.Initializer, n cc.Node) {
	if f.code.at == nowhere {
		return
	}
	to, ok := f.vars.vars[d]
	if !ok { // refused already
		panic(refusal{})
	}
	f.begin(n)
	f.inits.initLocal(to, i)
}

func (f *statements) statement(s *cc.Statement) {
	if f.code.at == nowhere && !hasLabels(s) {
		return
	}
	if s.Case != cc.StatementCompound {
		f.sites.markBefore(s)
	}
	switch s.Case {
	case cc.StatementLabeled:
		f.labeled(s.LabeledStatement)
	case cc.StatementCompound:
		f.compound(s.CompoundStatement)
	case cc.StatementExpr:
		if e := s.ExpressionStatement.ExpressionList; e != nil {
			f.begin(e)
			f.exprs.effect(e)
		}
	case cc.StatementSelection:
		f.selection(s.SelectionStatement)
	case cc.StatementIteration:
		f.iteration(s.IterationStatement)
	case cc.StatementJump:
		f.jumpStatement(s.JumpStatement)
	case cc.StatementAsm:
		f.begin(s)
		assembly(f.lowering, s.AsmStatement)
	default:
		f.in.refuse(codeStatement, s, "this statement is not supported")
	}
}

// hasLabels reports whether control can come into a statement from outside.
func hasLabels(s *cc.Statement) bool {
	found := false
	inspect(s, func(n cc.Node) bool {
		if _, ok := n.(*cc.LabeledStatement); ok {
			found = true
		}
		return !found
	})
	return found
}

func (f *statements) labeled(s *cc.LabeledStatement) {
	switch s.Case {
	case cc.LabeledStatementLabel:
		if isAsync(s) {
			f.async(s)
			return
		}
		f.code.here(f.gotoLabel(s.Token.SrcStr()))
	default:
		l, ok := f.cases[s]
		if !ok {
			f.in.refuse(codeStatement, s, "a case outside a switch")
		}
		f.code.here(l)
	}
	f.statement(s.Statement)
}

func (f *statements) gotoLabel(name string) ir.Loc {
	l, ok := f.labels[name]
	if !ok {
		l = f.code.label(name)
		f.labels[name] = l
	}
	return l
}

// part translates the body of an if, a switch or a loop.
func (f *statements) part(s *cc.Statement) {
	f.statement(s)
	f.sites.markBodyEnd(s)
}

func (f *statements) jumpStatement(s *cc.JumpStatement) {
	f.begin(s)
	switch s.Case {
	case cc.JumpStatementGoto:
		f.code.jump(f.gotoLabel(s.Token2.SrcStr()))
	case cc.JumpStatementBreak:
		if len(f.breaks) == 0 {
			f.in.refuse(codeStatement, s, "break outside a loop or switch")
		}
		f.code.jump(f.breaks[len(f.breaks)-1])
	case cc.JumpStatementContinue:
		if len(f.conts) == 0 {
			f.in.refuse(codeStatement, s, "continue outside a loop")
		}
		f.code.jump(f.conts[len(f.conts)-1])
	case cc.JumpStatementReturn:
		var v *ir.Expr
		if s.ExpressionList != nil {
			if isVoid(f.result) {
				f.exprs.effect(s.ExpressionList)
			} else if isStruct(f.result) {
				f.lvals.returnStruct(s.ExpressionList, s)
			} else {
				r := f.exprs.convert(f.exprs.expr(s.ExpressionList), f.result, s)
				v = r.e
			}
		}
		f.vars.leave(v)
	default:
		f.in.refuse(codeJump, s, "computed goto is not supported")
	}
}

func (f *statements) selection(s *cc.SelectionStatement) {
	if s.Case == cc.SelectionStatementSwitch {
		f.switchStatement(s)
		return
	}
	f.begin(s.ExpressionList)
	then, otherwise := f.code.label(""), f.code.label("")
	f.branch(s.ExpressionList, then, otherwise)
	if s.Case == cc.SelectionStatementIf {
		f.code.at, f.code.fresh = then, false
		f.part(s.Statement)
		f.close(s.Token)
		f.code.here(otherwise)
		return
	}
	end := f.code.label("")
	f.code.at, f.code.fresh = then, false
	f.part(s.Statement)
	f.code.jump(end)
	f.code.at, f.code.fresh = otherwise, false
	f.part(s.Statement2)
	f.close(s.Token)
	f.code.here(end)
}

// close is the end of a statement with parts: a step that does nothing but leave it
// must not be shown as the part that stands last, which may not have run.
func (f *statements) close(keyword cc.Token) { f.code.pos = f.in.tokenSpan(keyword) }

func (f *statements) switchStatement(s *cc.SelectionStatement) {
	f.begin(s.ExpressionList)
	v := f.exprs.expr(s.ExpressionList)
	if v.elem != nil {
		f.in.refuse(codeExpr, s.ExpressionList, "a switch over a pointer")
	}
	t := promote(v.t)
	v = f.code.keep(v)
	from, end := f.code.start(), f.code.label("")
	var none *ir.Expr
	other := end
	for _, l := range s.LabeledStatements() {
		if l.Case == cc.LabeledStatementLabel {
			continue
		}
		loc := f.code.label("")
		f.cases[l] = loc
		var is *ir.Expr
		switch l.Case {
		case cc.LabeledStatementDefault:
			other = loc
			continue
		case cc.LabeledStatementRange:
			lo, hi := f.caseValue(l.ConstantExpression, t), f.caseValue(l.ConstantExpression2, t)
			is = ir.Binary(ir.LAnd, ir.S64, ir.Binary(ir.Ge, t, v.e, lo), ir.Binary(ir.Le, t, v.e, hi))
		default:
			is = ir.Binary(ir.Eq, t, v.e, f.caseValue(l.ConstantExpression, t))
		}
		f.code.assume(from, is, loc)
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
	f.code.assume(from, none, other)
	f.code.at, f.code.fresh = nowhere, false
	f.breaks = append(f.breaks, end)
	f.part(s.Statement)
	f.breaks = f.breaks[:len(f.breaks)-1]
	f.close(s.Token)
	f.code.here(end)
}

func (f *statements) caseValue(e cc.ExpressionNode, t ir.Type) *ir.Expr {
	v, ok := intValue(e)
	if !ok {
		f.in.refuse(codeExpr, e, "the value of a case is not constant")
	}
	return ir.Int(t.Wrap(v))
}

// intValue is the value cc computed for a constant expression.
func intValue(e cc.ExpressionNode) (int64, bool) {
	switch v := e.Value().(type) {
	case cc.Int64Value:
		return int64(v), true
	case cc.UInt64Value:
		return int64(v), true
	}
	return 0, false
}

func (f *statements) iteration(s *cc.IterationStatement) {
	switch s.Case {
	case cc.IterationStatementWhile:
		f.loop(s, s.ExpressionList, nil)
	case cc.IterationStatementDo:
		f.doLoop(s)
	case cc.IterationStatementFor:
		if s.ExpressionList != nil {
			f.begin(s.ExpressionList)
			f.exprs.effect(s.ExpressionList)
		}
		f.loop(s, s.ExpressionList2, s.ExpressionList3)
	case cc.IterationStatementForDecl:
		f.declaration(s.Declaration)
		f.loop(s, s.ExpressionList, s.ExpressionList2)
	default:
		f.in.refuse(codeStatement, s, "this loop is not supported")
	}
}

// loop is a while or for loop.
func (f *statements) loop(s *cc.IterationStatement, cond, next cc.ExpressionNode) {
	head, body, end := f.code.label(""), f.code.label(""), f.code.label("")
	f.code.here(head)
	if cond != nil {
		f.begin(cond)
		f.branch(cond, body, end)
	} else {
		f.code.jump(body)
	}
	f.code.at, f.code.fresh = body, false
	again := head
	if next != nil {
		again = f.code.label("")
	}
	f.body(s.Statement, again, end)
	f.close(s.Token)
	f.code.jump(again)
	if next != nil {
		f.code.at, f.code.fresh = again, false
		f.begin(next)
		f.exprs.effect(next)
		f.code.jump(head)
	}
	f.close(s.Token)
	f.code.at, f.code.fresh = end, false
}

func (f *statements) doLoop(s *cc.IterationStatement) {
	head, again, end := f.code.label(""), f.code.label(""), f.code.label("")
	f.code.here(head)
	f.body(s.Statement, again, end)
	f.code.here(again)
	f.begin(s.ExpressionList)
	f.branch(s.ExpressionList, head, end)
	f.close(s.Token)
	f.code.at, f.code.fresh = end, false
}

func (f *statements) body(s *cc.Statement, again, end ir.Loc) {
	f.breaks, f.conts = append(f.breaks, end), append(f.conts, again)
	f.part(s)
	f.breaks, f.conts = f.breaks[:len(f.breaks)-1], f.conts[:len(f.conts)-1]
}

// branch goes to one of two locations, evaluating as much of the condition as C
// does.
func (f *statements) branch(e cc.ExpressionNode, then, otherwise ir.Loc) {
	switch x := unparen(e).(type) {
	case *cc.LogicalAndExpression:
		mid := f.code.label("")
		f.branch(x.LogicalAndExpression, mid, otherwise)
		f.code.at, f.code.fresh = mid, false
		f.branch(x.InclusiveOrExpression, then, otherwise)
		return
	case *cc.LogicalOrExpression:
		mid := f.code.label("")
		f.branch(x.LogicalOrExpression, then, mid)
		f.code.at, f.code.fresh = mid, false
		f.branch(x.LogicalAndExpression, then, otherwise)
		return
	case *cc.UnaryExpression:
		if x.Case == cc.UnaryExpressionNot {
			f.branch(x.CastExpression, otherwise, then)
			return
		}
	}
	v := truthOf(f.exprs.expr(e))
	from := f.code.start()
	f.code.assume(from, v, then)
	f.code.assume(from, ir.Negate(v), otherwise)
	f.code.at, f.code.fresh = nowhere, false
}
