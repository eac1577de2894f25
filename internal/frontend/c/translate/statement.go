package translate

import (
	"modernc.org/cc/v4"

	"fencepost/internal/ir"
)

func (f *lowering) compound(s *cc.CompoundStatement) {
	for l := s.BlockItemList; l != nil; l = l.BlockItemList {
		item := l.BlockItem
		f.guard(func() { f.blockItem(item) })
	}
	f.markEnd(s)
}

func (f *lowering) blockItem(item *cc.BlockItem) {
	switch item.Case {
	case cc.BlockItemDecl:
		f.markBefore(item.Declaration)
		f.declaration(item.Declaration)
	case cc.BlockItemStmt:
		f.statement(item.Statement)
	case cc.BlockItemLabel: // the parser takes a name for one label of a function only
	default:
		f.refuse(codeStatement, item, "functions inside functions are not supported")
	}
}

// begin starts a full expression: its edges carry the position of n.
func (f *lowering) begin(n cc.Node) {
	f.pos = f.span(n)
	f.inUse = f.floor
}

func (f *lowering) declaration(d *cc.Declaration) {
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
			f.locals[decl] = &symbol{
				name: f.sym.name + "." + decl.Name(), unit: f.unit, decl: decl, init: id.Initializer, defined: true,
			}
		case f.arrays[decl] != nil && f.at != nowhere:
			f.makeVariable(f.arrays[decl], id)
		case id.Initializer != nil:
			f.initDeclared(decl, id.Initializer, id)
		}
	}
}

// initDeclared runs the initialiser of a local.
func (f *lowering) initDeclared(d *cc.Declarator, i *cc.Initializer, n cc.Node) {
	if f.at == nowhere {
		return
	}
	to, ok := f.vars[d]
	if !ok { // refused already
		panic(refusal{})
	}
	f.begin(n)
	f.initLocal(to, i)
}

func (f *lowering) statement(s *cc.Statement) {
	if f.at == nowhere && !hasLabels(s) {
		return
	}
	if s.Case != cc.StatementCompound {
		f.markBefore(s)
	}
	switch s.Case {
	case cc.StatementLabeled:
		f.labeled(s.LabeledStatement)
	case cc.StatementCompound:
		f.compound(s.CompoundStatement)
	case cc.StatementExpr:
		if e := s.ExpressionStatement.ExpressionList; e != nil {
			f.begin(e)
			f.effect(e)
		}
	case cc.StatementSelection:
		f.selection(s.SelectionStatement)
	case cc.StatementIteration:
		f.iteration(s.IterationStatement)
	case cc.StatementJump:
		f.jumpStatement(s.JumpStatement)
	case cc.StatementAsm:
		f.begin(s)
		f.assembly(s.AsmStatement)
	default:
		f.refuse(codeStatement, s, "this statement is not supported")
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

func (f *lowering) labeled(s *cc.LabeledStatement) {
	switch s.Case {
	case cc.LabeledStatementLabel:
		if isAsync(s) {
			f.async(s)
			return
		}
		f.here(f.gotoLabel(s.Token.SrcStr()))
	default:
		l, ok := f.cases[s]
		if !ok {
			f.refuse(codeStatement, s, "a case outside a switch")
		}
		f.here(l)
	}
	f.statement(s.Statement)
}

func (f *lowering) gotoLabel(name string) ir.Loc {
	l, ok := f.labels[name]
	if !ok {
		l = f.label(name)
		f.labels[name] = l
	}
	return l
}

// part translates the body of an if, a switch or a loop.
func (f *lowering) part(s *cc.Statement) {
	f.statement(s)
	f.markBodyEnd(s)
}

func (f *lowering) jumpStatement(s *cc.JumpStatement) {
	f.begin(s)
	switch s.Case {
	case cc.JumpStatementGoto:
		f.jump(f.gotoLabel(s.Token2.SrcStr()))
	case cc.JumpStatementBreak:
		if len(f.breaks) == 0 {
			f.refuse(codeStatement, s, "break outside a loop or switch")
		}
		f.jump(f.breaks[len(f.breaks)-1])
	case cc.JumpStatementContinue:
		if len(f.conts) == 0 {
			f.refuse(codeStatement, s, "continue outside a loop")
		}
		f.jump(f.conts[len(f.conts)-1])
	case cc.JumpStatementReturn:
		var v *ir.Expr
		if s.ExpressionList != nil {
			if isVoid(f.result) {
				f.effect(s.ExpressionList)
			} else if isStruct(f.result) {
				f.returnStruct(s.ExpressionList, s)
			} else {
				r := f.convert(f.expr(s.ExpressionList), f.result, s)
				v = r.e
			}
		}
		f.leave(v)
	default:
		f.refuse(codeJump, s, "computed goto is not supported")
	}
}

func (f *lowering) selection(s *cc.SelectionStatement) {
	if s.Case == cc.SelectionStatementSwitch {
		f.switchStatement(s)
		return
	}
	f.begin(s.ExpressionList)
	then, otherwise := f.label(""), f.label("")
	f.branch(s.ExpressionList, then, otherwise)
	if s.Case == cc.SelectionStatementIf {
		f.at, f.fresh = then, false
		f.part(s.Statement)
		f.close(s.Token)
		f.here(otherwise)
		return
	}
	end := f.label("")
	f.at, f.fresh = then, false
	f.part(s.Statement)
	f.jump(end)
	f.at, f.fresh = otherwise, false
	f.part(s.Statement2)
	f.close(s.Token)
	f.here(end)
}

// close is the end of a statement with parts: a step that does nothing but leave it
// must not be shown as the part that stands last, which may not have run.
func (f *lowering) close(keyword cc.Token) { f.pos = f.tokenSpan(keyword) }

func (f *lowering) switchStatement(s *cc.SelectionStatement) {
	f.begin(s.ExpressionList)
	v := f.expr(s.ExpressionList)
	if v.elem != nil {
		f.refuse(codeExpr, s.ExpressionList, "a switch over a pointer")
	}
	t := promote(v.t)
	v = f.keep(v)
	from, end := f.start(), f.label("")
	var none *ir.Expr
	other := end
	for _, l := range s.LabeledStatements() {
		if l.Case == cc.LabeledStatementLabel {
			continue
		}
		loc := f.label("")
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
		f.assume(from, is, loc)
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
	f.assume(from, none, other)
	f.at, f.fresh = nowhere, false
	f.breaks = append(f.breaks, end)
	f.part(s.Statement)
	f.breaks = f.breaks[:len(f.breaks)-1]
	f.close(s.Token)
	f.here(end)
}

func (f *lowering) caseValue(e cc.ExpressionNode, t ir.Type) *ir.Expr {
	v, ok := intValue(e)
	if !ok {
		f.refuse(codeExpr, e, "the value of a case is not constant")
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

func (f *lowering) iteration(s *cc.IterationStatement) {
	switch s.Case {
	case cc.IterationStatementWhile:
		f.loop(s, s.ExpressionList, nil)
	case cc.IterationStatementDo:
		f.doLoop(s)
	case cc.IterationStatementFor:
		if s.ExpressionList != nil {
			f.begin(s.ExpressionList)
			f.effect(s.ExpressionList)
		}
		f.loop(s, s.ExpressionList2, s.ExpressionList3)
	case cc.IterationStatementForDecl:
		f.declaration(s.Declaration)
		f.loop(s, s.ExpressionList, s.ExpressionList2)
	default:
		f.refuse(codeStatement, s, "this loop is not supported")
	}
}

// loop is a while or for loop.
func (f *lowering) loop(s *cc.IterationStatement, cond, next cc.ExpressionNode) {
	head, body, end := f.label(""), f.label(""), f.label("")
	f.here(head)
	if cond != nil {
		f.begin(cond)
		f.branch(cond, body, end)
	} else {
		f.jump(body)
	}
	f.at, f.fresh = body, false
	again := head
	if next != nil {
		again = f.label("")
	}
	f.body(s.Statement, again, end)
	f.close(s.Token)
	f.jump(again)
	if next != nil {
		f.at, f.fresh = again, false
		f.begin(next)
		f.effect(next)
		f.jump(head)
	}
	f.close(s.Token)
	f.at, f.fresh = end, false
}

func (f *lowering) doLoop(s *cc.IterationStatement) {
	head, again, end := f.label(""), f.label(""), f.label("")
	f.here(head)
	f.body(s.Statement, again, end)
	f.here(again)
	f.begin(s.ExpressionList)
	f.branch(s.ExpressionList, head, end)
	f.close(s.Token)
	f.at, f.fresh = end, false
}

func (f *lowering) body(s *cc.Statement, again, end ir.Loc) {
	f.breaks, f.conts = append(f.breaks, end), append(f.conts, again)
	f.part(s)
	f.breaks, f.conts = f.breaks[:len(f.breaks)-1], f.conts[:len(f.conts)-1]
}

// branch goes to one of two locations, evaluating as much of the condition as C
// does.
func (f *lowering) branch(e cc.ExpressionNode, then, otherwise ir.Loc) {
	switch x := unparen(e).(type) {
	case *cc.LogicalAndExpression:
		mid := f.label("")
		f.branch(x.LogicalAndExpression, mid, otherwise)
		f.at, f.fresh = mid, false
		f.branch(x.InclusiveOrExpression, then, otherwise)
		return
	case *cc.LogicalOrExpression:
		mid := f.label("")
		f.branch(x.LogicalOrExpression, then, mid)
		f.at, f.fresh = mid, false
		f.branch(x.LogicalAndExpression, then, otherwise)
		return
	case *cc.UnaryExpression:
		if x.Case == cc.UnaryExpressionNot {
			f.branch(x.CastExpression, otherwise, then)
			return
		}
	}
	v := truthOf(f.expr(e))
	from := f.start()
	f.assume(from, v, then)
	f.assume(from, ir.Negate(v), otherwise)
	f.at, f.fresh = nowhere, false
}
