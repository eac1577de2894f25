package translate

import (
	"bytes"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/lang/c/lex"
	"fencepost/internal/lang/c/parse"
	"fencepost/internal/lang/c/types"
	"fencepost/internal/source"
)

// Operators on _Atomic objects, and what they become: a load is a call anywhere, a store only where its value is not used, and
// an update where its value is not used or is the old one; ++x and --x add one to the old value.
//
// The text of an operator is changed if its tokens stand one after the other, outside of macros or in one argument of a
// macro. The right operand of an assignment may come from macros.

// noteDiscarded notes the expressions of a statement whose value is not used.
func (m *marks) noteDiscarded(s *parse.Stmt) {
	switch s.Kind {
	case parse.ExprStmt:
		if !m.values[s] {
			m.discard(s.Expr)
		}
	case parse.For:
		m.discard(s.Post)
		if s.Init != nil && s.Init.Kind == parse.ExprStmt {
			m.discard(s.Init.Expr)
		}
	}
}

// discard notes that the value of an expression is not used.
func (m *marks) discard(e *parse.Expr) {
	switch {
	case e == nil:
		return
	case e.Op == parse.Comma:
		m.discard(e.B)
	case e.Op == parse.Convert && (e.Implicit || e.Type.Kind == types.Void):
		m.discard(e.A)
	}
	m.discarded[e] = true
}

// noteValue notes the parts of an expression whose value is not used, and the statement whose value is that of a statement
// expression. Expressions are visited before their parts.
func (m *marks) noteValue(e *parse.Expr) {
	switch {
	case e.Op == parse.Comma, e.Op == parse.Convert && e.Type.Kind == types.Void:
		m.discard(e.A)
	case e.Op == parse.StmtExpr && !m.discarded[e] && len(e.Body.List) > 0:
		m.values[e.Body.List[len(e.Body.List)-1]] = true
	}
}

// noteOperator notes an operator on an _Atomic object, which was emitted since the function had some edges.
func (f *siteMarks) noteOperator(n parse.Node, kind ir.AccessKind, edges int) {
	if f.marks == nil || !f.Opt.Orders {
		return
	}
	e, _ := n.(*parse.Expr)
	first, last := operatorTokens(n, e)
	if kind == ir.LoadAccess {
		first, last = f.argument(first, last)
	}
	list := f.writtenAt(first)
	if len(list) == 0 {
		return
	}
	file, start := list[0].file, list[0].offset
	at := &orderMark{file: file, start: start, end: start, text: firstLine(f.In.Source(n)), readOnly: true}
	switch {
	case kind == ir.LoadAccess:
		if end, ok := f.endOf(file, first, last); ok {
			at.form, at.readOnly, at.end, at.left = loadOf, false, end, [2]int{start, end}
		}
	case e != nil:
		f.becomeCall(at, e, kind, edges)
	}
	f.addOrder(at, kind, ir.SeqCst, edges)
}

// operatorTokens returns the first and the last token of an operator with its operands, without parentheses around it.
func operatorTokens(n parse.Node, e *parse.Expr) (first, last int32) {
	first, last = n.Tokens()
	if e == nil {
		return first, last
	}
	switch e.Op {
	case parse.Assign, parse.AssignOp:
		first, _ = e.A.Tokens()
		_, last = e.B.Tokens()
	case parse.PreInc, parse.PreDec:
		first = e.Tok
		_, last = e.A.Tokens()
	case parse.PostInc, parse.PostDec:
		first, _ = e.A.Tokens()
		last = e.Tok
	}
	return first, last
}

// argument returns the tokens of an lvalue, without the parentheses that a macro has around its argument.
func (f *siteMarks) argument(first, last int32) (int32, int32) {
	tokens := f.In.Tree.Source.Tokens
	for first < last && tokens[first].From != tokens[first+1].From && tokens[first].Kind == lex.LParen && tokens[last].Kind == lex.RParen {
		first, last = first+1, last-1
	}
	return first, last
}

// becomeCall notes how an assignment or an update becomes a call, if it can. The value of a store cannot be used then, and
// that of an update is the old one.
func (f *siteMarks) becomeCall(at *orderMark, e *parse.Expr, kind ir.AccessKind, edges int) {
	first, last := operatorTokens(e, e)
	discarded := f.marks.discarded[e]
	ok := false
	switch {
	case kind == ir.StoreAccess && e.Op == parse.Assign:
		at.form, ok = storeTo, discarded
	case kind == ir.UpdateAccess:
		at.form, at.function = updateOf, map[ir.ExprOp]string{ir.Add: "add", ir.Sub: "sub", ir.And: "and", ir.Or: "or", ir.Xor: "xor"}[updateOp(e)]
		// Compilers count the steps of a pointer in bytes, and have no such functions for _Bool and float, whose updates are loops.
		ok = at.function != "" && e.A.Type.IsInteger() && !slices.ContainsFunc(f.Code.Fb.F.Edges[edges:], func(e ir.Edge) bool { return e.Op.RMW == ir.Cas })
		if prefix := e.Op == parse.PreInc || e.Op == parse.PreDec; ok && !discarded && prefix && e.A.Type.Size() >= 4 {
			at.again = map[bool]string{true: " + 1", false: " - 1"}[e.Op == parse.PreInc]
		} else if ok {
			ok = discarded || e.Op == parse.PostInc || e.Op == parse.PostDec
		}
	}
	if !ok || !f.operands(at, e, first, last) {
		at.form, at.end = 0, at.start
		return
	}
	at.readOnly, at.text = false, firstLine(string(at.file.Text[at.start:at.end]))
}

// updateOp returns the operator of an update.
func updateOp(e *parse.Expr) ir.ExprOp {
	switch e.Op {
	case parse.PreInc, parse.PostInc:
		return ir.Add
	case parse.PreDec, parse.PostDec:
		return ir.Sub
	case parse.AssignOp:
		return binaryOps[e.With]
	}
	return 0
}

// operands notes where the operands of an assignment, or that of ++ or --, stand. The right one may come from macros.
func (f *siteMarks) operands(at *orderMark, e *parse.Expr, first, last int32) (ok bool) {
	from, to := e.A.Tokens()
	left := f.writtenAt(from)
	if len(left) == 0 || left[0].file != at.file {
		return false
	}
	at.left[0] = left[0].offset
	if at.left[1], ok = f.endOf(at.file, from, to); !ok {
		return false
	}
	if e.B == nil {
		at.end, ok = f.endOf(at.file, first, last)
		return ok
	}
	from, to = e.B.Tokens()
	if _, ok = f.endOf(at.file, first, from-1); !ok {
		return false
	}
	tokens := f.In.Tree.Source.Tokens
	if end, plain := f.endOf(at.file, from, to); plain { // perhaps in the argument of a macro
		right := f.writtenAt(from)
		at.right, at.end = [2]int{right[0].offset, end}, end
	} else {
		right := f.writtenAt(from)
		if tokens[first].From != 0 || int(to)+1 >= len(tokens) || tokens[to+1].From != 0 || len(right) == 0 || right[len(right)-1].file != at.file {
			return false
		}
		next, _, found := f.tokenStart(at.file, to+1)
		if !found {
			return false
		}
		at.end = int(f.marks.ends[at.file.Name][next])
		at.right = [2]int{right[len(right)-1].offset, at.end}
	}
	return at.left[1] <= at.right[0] && at.right[0] < at.right[1] && !bytes.Contains(at.file.Text[at.left[1]:at.end], []byte("\n#"))
}

// endOf returns where the text of tokens ends, if they stand in the file one after the other: outside of macros, or in one
// argument of a macro.
func (f *siteMarks) endOf(file *source.File, first, last int32) (end int, ok bool) {
	s := f.In.Tree.Source
	from := s.Tokens[first].From
	for at := from; at != 0; at = s.Expansions[at].Inner {
		if !s.Expansions[at].IsArgument {
			return 0, false
		}
	}
	for i := first; i <= last; i++ {
		start, next, found := f.tokenStart(file, i)
		if s.Tokens[i].From != from || !found || i > first && int(f.marks.ends[file.Name][start]) != end {
			return 0, false
		}
		end = next
	}
	return end, true
}

// tokenStart returns where a token begins and ends, if it is written in the file.
func (f *siteMarks) tokenStart(file *source.File, tok int32) (start, end int, ok bool) {
	s := f.In.Tree.Source
	p, text := f.In.Position(s.Tokens[tok].Pos), f.In.Text(tok)
	start, ok = file.Offset(source.Pos{Line: p.Line, Col: p.Col})
	if p.File != file.Name || !ok || !bytes.HasPrefix(file.Text[start:], text) {
		return 0, 0, false
	}
	return start, start + len(text), true
}
