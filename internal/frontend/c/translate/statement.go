package translate

import (
	"modernc.org/cc/v4"

	"fencepost/internal/ir"
)

func (f *Statements) compound(s *cc.CompoundStatement) {
	height := len(f.cleanups)
	for l := s.BlockItemList; l != nil; l = l.BlockItemList {
		item := l.BlockItem
		f.In.Guard(func() { f.blockItem(item) })
	}
	f.sites.markEnd(s)
	if len(f.cleanups) > height {
		f.Code.Pos = f.In.ClosingBrace(s)
		f.leaveScope(height)
	}
}

func (f *Statements) blockItem(item *cc.BlockItem) {
	switch item.Case {
	case cc.BlockItemDecl:
		f.sites.markBefore(item.Declaration)
		f.declaration(item.Declaration)
	case cc.BlockItemStmt:
		f.statement(item.Statement)
	case cc.BlockItemLabel: // the parser takes a name for one label of a function only
	default:
		f.Code.attempt(func() { f.In.Refuse(codeStatement, item, "functions inside functions are not supported") })
	}
}

// begin starts a full expression: its edges carry the position of n.
func (f *Statements) begin(n cc.Node) {
	f.Code.Pos = f.In.Span(n)
	f.Code.inUse = f.Code.floor
}

func (f *Statements) declaration(d *cc.Declaration) {
	if d.Case == cc.DeclarationAssert {
		return
	}
	if d.Case == cc.DeclarationAuto {
		f.Code.attempt(func() { f.initDeclared(d.Declarator, d.Initializer, d) })
	}
	for l := d.InitDeclaratorList; l != nil; l = l.InitDeclaratorList {
		id := l.InitDeclarator
		decl := id.Declarator
		switch {
		case decl.IsTypename(), decl.IsExtern(), decl.Type().Kind() == cc.Function:
		case decl.IsStatic():
			f.Syms.locals[decl] = &symbol{
				Name: f.sym.Name + "." + decl.Name(), Unit: f.Unit, Decl: decl, init: id.Initializer, Defined: true,
			}
		case f.Vars.arrays[decl] != nil && f.Code.At != Nowhere:
			f.Code.attempt(func() { f.Vars.makeVariable(f.Vars.arrays[decl], id) })
		case id.Initializer != nil:
			f.Code.attempt(func() { f.initDeclared(decl, id.Initializer, id) })
		default:
			f.Code.attempt(func() { f.undefineAgain(decl, id) })
		}
	}
	f.enterScope(d)
}

// initDeclared runs the initialiser of a local.
func (f *Statements) initDeclared(d *cc.Declarator, i *cc.Initializer, n cc.Node) {
	if f.Code.At == Nowhere {
		return
	}
	to, ok := f.Vars.vars[d]
	if !ok {
		f.Vars.missing(d)
	}
	f.begin(n)
	f.inits.initLocal(to, i)
}

// undefineAgain makes a local undefined whose declaration may run several times: in a loop, or after a label.
func (f *Statements) undefineAgain(d *cc.Declarator, n cc.Node) {
	to, ok := f.Vars.vars[d]
	if !ok || f.Code.At == Nowhere || !f.Opt.Undefined || len(f.conts) == 0 && len(f.labels) == 0 {
		return
	}
	f.begin(n)
	if to.Reg != ir.NoReg {
		f.Code.Assign(to.Reg, ir.Undefined(f.Types.Scalar(to.Type, n)))
		return
	}
	for _, w := range Words(0, max(1, to.Type.Size())) {
		f.Mem.StoreWord(f.Mem.leaf(to, w), w.Typ, ir.Undefined(w.Typ))
	}
}

func (f *Statements) statement(s *cc.Statement) {
	if f.Code.At == Nowhere && !hasLabels(s) {
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
			f.Code.attempt(func() {
				f.begin(e)
				f.Exprs.Effect(e)
			})
		}
	case cc.StatementSelection:
		f.selection(s.SelectionStatement)
	case cc.StatementIteration:
		f.Unit.loops = true
		f.iteration(s.IterationStatement)
	case cc.StatementJump:
		f.jumpStatement(s.JumpStatement)
	case cc.StatementAsm:
		f.Unit.loops = true // it may jump
		f.Code.attempt(func() {
			f.begin(s)
			assembly(f.Lowering, s.AsmStatement)
		})
	default:
		f.Code.attempt(func() { f.In.Refuse(codeStatement, s, "this statement is not supported") })
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

func (f *Statements) labeled(s *cc.LabeledStatement) {
	switch s.Case {
	case cc.LabeledStatementLabel:
		if isAsync(s) {
			f.async(s)
			return
		}
		f.Code.Here(f.gotoLabel(s.Token.SrcStr()))
	default:
		l, ok := f.cases[s]
		if !ok {
			f.In.Reject(codeStatement, s, "a case outside a switch")
		}
		f.Code.Here(l)
	}
	f.statement(s.Statement)
}

func (f *Statements) gotoLabel(name string) ir.Loc {
	l, ok := f.labels[name]
	if !ok {
		l = f.Code.Label(name)
		f.labels[name] = l
	}
	return l
}

// part translates the body of an if, a switch or a loop.
func (f *Statements) part(s *cc.Statement) {
	f.statement(s)
	f.sites.markBodyEnd(s)
}

func (f *Statements) jumpStatement(s *cc.JumpStatement) {
	f.begin(s)
	switch s.Case {
	case cc.JumpStatementGoto:
		f.Unit.loops = true
		f.jumpTo(s.Token2.SrcStr())
	case cc.JumpStatementBreak:
		if len(f.breaks) == 0 {
			f.In.Reject(codeStatement, s, "break outside a loop or switch")
		}
		f.leaveTo(f.breaks[len(f.breaks)-1])
	case cc.JumpStatementContinue:
		if len(f.conts) == 0 {
			f.In.Reject(codeStatement, s, "continue outside a loop")
		}
		f.leaveTo(f.conts[len(f.conts)-1])
	case cc.JumpStatementReturn:
		f.Code.attempt(func() {
			v := f.returned(s)
			if v != nil && len(f.cleanups) > 0 {
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
		f.Code.attempt(func() { f.In.Refuse(codeJump, s, "computed goto is not supported") })
	}
}

// returned evaluates the expression of a return statement. It is nil for void and for a struct, which
// is written to the caller's block.
func (f *Statements) returned(s *cc.JumpStatement) *ir.Expr {
	switch e := s.ExpressionList; {
	case e == nil:
	case IsVoid(f.result):
		f.Exprs.Effect(e)
	case inWords(f.result):
		f.Lvals.returnWords(e, s)
	default:
		return f.Exprs.Convert(f.Exprs.expr(e), f.result, s).Expr
	}
	return nil
}

func (f *Statements) selection(s *cc.SelectionStatement) {
	if s.Case == cc.SelectionStatementSwitch {
		f.Code.attempt(func() { f.switchStatement(s) })
		return
	}
	f.begin(s.ExpressionList)
	then, otherwise := f.Code.Label(""), f.Code.Label("")
	f.branch(s.ExpressionList, then, otherwise)
	if s.Case == cc.SelectionStatementIf {
		f.Code.At, f.Code.Fresh = then, false
		f.part(s.Statement)
		f.close(s.Token)
		f.Code.Here(otherwise)
		return
	}
	end := f.Code.Label("")
	f.Code.At, f.Code.Fresh = then, false
	f.part(s.Statement)
	f.Code.Jump(end)
	f.Code.At, f.Code.Fresh = otherwise, false
	f.part(s.Statement2)
	f.close(s.Token)
	f.Code.Here(end)
}

// close is the end of a statement with parts: a step that does nothing but leave it
// must not be shown as the part that stands last, which may not have run.
func (f *Statements) close(keyword cc.Token) { f.Code.Pos = f.In.TokenSpan(keyword) }

func (f *Statements) switchStatement(s *cc.SelectionStatement) {
	f.begin(s.ExpressionList)
	v := f.Exprs.expr(s.ExpressionList)
	if v.Elem != nil || v.Type.Float {
		f.In.Reject(CodeExpr, s.ExpressionList, "a switch over something that is no integer")
	}
	t := promote(v.Type)
	v = f.Code.Keep(v)
	from, end := f.Code.Start(), f.Code.Label("")
	var none *ir.Expr
	other := end
	for _, l := range s.LabeledStatements() {
		if l.Case == cc.LabeledStatementLabel {
			continue
		}
		loc := f.Code.Label("")
		f.cases[l] = loc
		var is *ir.Expr
		switch l.Case {
		case cc.LabeledStatementDefault:
			other = loc
			continue
		case cc.LabeledStatementRange:
			lo, hi := f.isCase(ir.Ge, v, t, l.ConstantExpression), f.isCase(ir.Le, v, t, l.ConstantExpression2)
			is = ir.Binary(ir.LAnd, ir.S64, lo, hi)
		default:
			is = f.isCase(ir.Eq, v, t, l.ConstantExpression)
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
	f.breaks = append(f.breaks, exit{end, len(f.cleanups)})
	f.part(s.Statement)
	f.breaks = f.breaks[:len(f.breaks)-1]
	f.close(s.Token)
	f.Code.Here(end)
}

// isCase compares the value of a switch, of type t, with a constant.
func (f *Statements) isCase(op ir.ExprOp, v Value, t ir.Type, e cc.ExpressionNode) *ir.Expr {
	n, ok := IntValue(e)
	if !ok {
		f.In.Refuse(CodeExpr, e, "the value of a case is not constant")
	}
	if v.High == nil {
		return ir.Binary(op, t, v.Expr, ir.Int(t.Wrap(n)))
	}
	high := n >> 63
	if _, unsigned := e.Value().(cc.UInt64Value); unsigned {
		high = 0
	}
	return compareWide(op, v, Pair(ir.Int(n), ir.Int(high), t.Signed))
}

// IntValue is the value cc computed for a constant expression.
func IntValue(e cc.ExpressionNode) (int64, bool) {
	switch v := e.Value().(type) {
	case cc.Int64Value:
		return int64(v), true
	case cc.UInt64Value:
		return int64(v), true
	}
	return 0, false
}

func (f *Statements) iteration(s *cc.IterationStatement) {
	switch s.Case {
	case cc.IterationStatementWhile:
		f.loop(s, s.ExpressionList, nil)
	case cc.IterationStatementDo:
		f.doLoop(s)
	case cc.IterationStatementFor:
		f.effect(s.ExpressionList)
		f.loop(s, s.ExpressionList2, s.ExpressionList3)
	case cc.IterationStatementForDecl:
		height := len(f.cleanups)
		f.declaration(s.Declaration)
		f.loop(s, s.ExpressionList, s.ExpressionList2)
		f.leaveScope(height)
	default:
		f.Code.attempt(func() { f.In.Refuse(codeStatement, s, "this loop is not supported") })
	}
}

// effect translates an expression statement, if there is one.
func (f *Statements) effect(e cc.ExpressionNode) {
	if e == nil || e == (*cc.ExpressionList)(nil) {
		return
	}
	f.Code.attempt(func() {
		f.begin(e)
		f.Exprs.Effect(e)
	})
}

// loop is a while or for loop.
func (f *Statements) loop(s *cc.IterationStatement, cond, next cc.ExpressionNode) {
	head, body, end := f.Code.Label(""), f.Code.Label(""), f.Code.Label("")
	f.Code.Here(head)
	if cond != nil {
		f.begin(cond)
		f.branch(cond, body, end)
	} else {
		f.Code.Jump(body)
	}
	f.Code.At, f.Code.Fresh = body, false
	again := head
	if next != nil {
		again = f.Code.Label("")
	}
	f.body(s.Statement, again, end)
	f.close(s.Token)
	f.Code.Jump(again)
	if next != nil {
		f.Code.At, f.Code.Fresh = again, false
		f.effect(next)
		f.Code.Jump(head)
	}
	f.close(s.Token)
	f.Code.At, f.Code.Fresh = end, false
}

func (f *Statements) doLoop(s *cc.IterationStatement) {
	head, again, end := f.Code.Label(""), f.Code.Label(""), f.Code.Label("")
	f.Code.Here(head)
	f.body(s.Statement, again, end)
	f.Code.Here(again)
	f.begin(s.ExpressionList)
	f.branch(s.ExpressionList, head, end)
	f.close(s.Token)
	f.Code.At, f.Code.Fresh = end, false
}

func (f *Statements) body(s *cc.Statement, again, end ir.Loc) {
	height := len(f.cleanups)
	f.breaks, f.conts = append(f.breaks, exit{end, height}), append(f.conts, exit{again, height})
	f.part(s)
	f.breaks, f.conts = f.breaks[:len(f.breaks)-1], f.conts[:len(f.conts)-1]
}

// either emits two branches, one for each value of a condition, that meet again.
func (f *Statements) either(e cc.ExpressionNode, then, otherwise func()) {
	yes, no, end := f.Code.Label(""), f.Code.Label(""), f.Code.Label("")
	f.branch(e, yes, no)
	f.Code.At, f.Code.Fresh = yes, false
	f.Code.attempt(then)
	f.Code.Jump(end)
	f.Code.At, f.Code.Fresh = no, false
	f.Code.attempt(otherwise)
	f.Code.Here(end)
}

// choose sets a register to the value of one of two expressions. The translation of each is
// emitted in its own branch.
func (f *Statements) choose(r ir.Reg, e cc.ExpressionNode, then, otherwise func() *ir.Expr) {
	f.either(e, func() { f.Code.Assign(r, then()) }, func() { f.Code.Assign(r, otherwise()) })
}

// branch goes to one of two locations, evaluating as much of the condition as C
// does.
func (f *Statements) branch(e cc.ExpressionNode, then, otherwise ir.Loc) {
	switch x := Unparen(e).(type) {
	case *cc.LogicalAndExpression:
		mid := f.Code.Label("")
		f.branch(x.LogicalAndExpression, mid, otherwise)
		f.Code.At, f.Code.Fresh = mid, false
		f.branch(x.InclusiveOrExpression, then, otherwise)
		return
	case *cc.LogicalOrExpression:
		mid := f.Code.Label("")
		f.branch(x.LogicalOrExpression, then, mid)
		f.Code.At, f.Code.Fresh = mid, false
		f.branch(x.LogicalAndExpression, then, otherwise)
		return
	case *cc.UnaryExpression:
		if x.Case == cc.UnaryExpressionNot {
			f.branch(x.CastExpression, otherwise, then)
			return
		}
	}
	f.Code.attempt(func() {
		v := TruthOf(f.Exprs.expr(e))
		from := f.Code.Start()
		f.Code.Assume(from, v, then)
		f.Code.Assume(from, ir.Negate(v), otherwise)
		f.Code.At, f.Code.Fresh = Nowhere, false
	})
}
