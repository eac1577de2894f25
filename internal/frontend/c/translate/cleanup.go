package translate

import (
	"modernc.org/cc/v4"

	"fencepost/internal/ir"
)

// The attribute cleanup. A function is called with the address of a local when control leaves the scope of
// the local: at the end of its block, and at return, break, continue and goto, the last declared local
// first. Nothing is called where the program or the thread ends inside the scope.
//
// The locals whose scope control is in form a stack. A jump leaves the scopes that are on the stack
// here and not where the jump leads.

// cleanup is a local with this attribute.
type cleanup struct {
	decl *cc.Declarator
	by   *cc.AttributeValue
}

// exit is a location that a jump leads to, and how many cleanups are left to run there.
type exit struct {
	to       ir.Loc
	cleanups int
}

// collectCleanup notes that the program uses the attribute, and reports whether this is one. gcc ignores it
// outside functions.
func (c *Symbols) collectCleanup(name string) bool {
	c.cleanups = c.cleanups || name == "cleanup"
	return name == "cleanup"
}

// cleanupsOf returns the locals with the attribute that a declaration declares, in the order of the text.
func cleanupsOf(d *cc.Declaration) []cleanup {
	var out []cleanup
	all := cleanupIn(d.DeclarationSpecifiers)
	add := func(decl *cc.Declarator, by *cc.AttributeValue) {
		if by != nil && !decl.IsStatic() && !decl.IsExtern() && !decl.IsTypename() {
			out = append(out, cleanup{decl, by})
		}
	}
	if d.Case == cc.DeclarationAuto {
		add(d.Declarator, all)
	}
	for l := d.InitDeclaratorList; l != nil; l = l.InitDeclaratorList {
		by := all
		nodes := []cc.Node{l.AttributeSpecifierList, l.InitDeclarator.AttributeSpecifierList, l.InitDeclarator.Declarator.Pointer}
		if l.InitDeclaratorList == nil {
			nodes = append(nodes, d.AttributeSpecifierList)
		}
		for _, n := range nodes {
			if x := cleanupIn(n); x != nil {
				by = x
			}
		}
		add(l.InitDeclarator.Declarator, by)
	}
	return out
}

// cleanupIn returns the attribute in a part of a declaration, nil if there is none.
func cleanupIn(n cc.Node) *cc.AttributeValue {
	var found *cc.AttributeValue
	inspect(n, func(n cc.Node) bool {
		if x, ok := n.(*cc.AttributeValue); ok && attributeName(x) == "cleanup" {
			found = x
		}
		_, def := n.(*cc.StructDeclarationList)
		return !def
	})
	return found
}

// enterScope puts the locals of a declaration on the stack.
func (f *Statements) enterScope(d *cc.Declaration) {
	if f.Syms.cleanups {
		f.cleanups = append(f.cleanups, cleanupsOf(d)...)
	}
}

// leaveScope runs the cleanups of the scopes that end here.
func (f *Statements) leaveScope(height int) {
	f.runCleanups(height)
	f.cleanups = f.cleanups[:height]
}

// runCleanups runs the cleanups above some height of the stack. The scopes do not end for the text that
// follows.
func (f *Statements) runCleanups(height int) {
	for i := len(f.cleanups) - 1; i >= height; i-- {
		c := f.cleanups[i]
		f.Code.attempt(func() { f.runCleanup(c) })
	}
}

func (f *Statements) runCleanup(c cleanup) {
	if f.Code.At == Nowhere {
		return
	}
	var name *cc.PrimaryExpression
	if c.by.ArgumentExpressionList != nil {
		name, _ = Unparen(c.by.ArgumentExpressionList.AssignmentExpression).(*cc.PrimaryExpression)
	}
	if name == nil || name.Case != cc.PrimaryExpressionIdent {
		f.In.Reject(codeAttribute, c.by, "the attribute cleanup needs the name of a function")
	}
	s := f.Unit.static[name.Token.SrcStr()]
	if s == nil {
		s = f.Syms.named(f.Unit, name.Token.SrcStr())
	}
	if s == nil || s.Def == nil || !s.HasWords(f.Compiler, 1) {
		f.In.Refuse(codeAttribute, c.by, "%s has no body with one parameter", name.Token.SrcStr())
	}
	of, ok := f.Vars.vars[c.decl]
	if !ok {
		f.Vars.missing(c.decl)
	}
	op := ir.NewOp(ir.Call)
	op.Func, op.Args = f.Syms.Function(s).ID, []*ir.Expr{of.Addr}
	f.Code.Emit(op)
}

// leaveTo leaves the scopes that the target of a jump is not in, and goes on there.
func (f *Statements) leaveTo(e exit) {
	f.runCleanups(e.cleanups)
	f.Code.Jump(e.to)
}

// jumpTo leaves the scopes that a label is not in, and goes on there.
func (f *Statements) jumpTo(label string) {
	if len(f.cleanups) > 0 {
		f.runCleanups(f.inCommon(label))
	}
	f.Code.Jump(f.gotoLabel(label))
}

// inCommon returns how many scopes of the stack a label is in.
func (f *Statements) inCommon(label string) int {
	if f.scopes == nil {
		f.scopes = map[string][]cleanup{}
		f.findScopes(f.sym.Def.CompoundStatement, nil)
	}
	n := 0
	for there := f.scopes[label]; n < len(there) && n < len(f.cleanups) && there[n] == f.cleanups[n]; {
		n++
	}
	return n
}

// findScopes notes the locals in whose scope each label is. It returns the stack after a node.
func (f *Statements) findScopes(n cc.Node, stack []cleanup) []cleanup {
	switch x := n.(type) {
	case *cc.LabeledStatement:
		if x.Case == cc.LabeledStatementLabel {
			f.scopes[x.Token.SrcStr()] = append([]cleanup(nil), stack...)
		}
	case *cc.Declaration:
		return append(stack, cleanupsOf(x)...)
	}
	before := stack
	eachChild(n, func(child cc.Node) { stack = f.findScopes(child, stack) })
	switch n.(type) {
	case *cc.CompoundStatement, *cc.IterationStatement:
		return before
	}
	return stack
}
