package translate

import (
	"fencepost/internal/lang/c/parse"

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
	decl *parse.Object
	by   parse.Attribute
}

// exit is a location that a jump leads to, and how many cleanups are left to run there.
type exit struct {
	to       ir.Loc
	cleanups int
}

// cleanupsOf returns the locals with the attribute that a declaration declares, in the order of the text. gcc
// ignores the attribute outside functions.
func cleanupsOf(d *parse.Stmt) []cleanup {
	var out []cleanup
	for _, o := range d.Objs {
		if o.Kind != parse.Variable || o.Global {
			continue
		}
		for i := len(o.Attrs) - 1; i >= 0; i-- {
			if o.Attrs[i].Name == "cleanup" {
				out = append(out, cleanup{o, o.Attrs[i]})
				break
			}
		}
	}
	return out
}

// enterScope puts the locals of a declaration on the stack.
func (f *Statements) enterScope(d *parse.Stmt) {
	if f.Syms.cleanups {
		f.Code.cleanups = append(f.Code.cleanups, cleanupsOf(d)...)
	}
}

// leaveScope runs the cleanups of the scopes that end here.
func (f *Statements) leaveScope(height int) {
	f.runCleanups(height)
	f.Code.cleanups = f.Code.cleanups[:height]
}

// runCleanups runs the cleanups above some height of the stack. The scopes do not end for the text that
// follows.
func (f *Statements) runCleanups(height int) {
	for i := len(f.Code.cleanups) - 1; i >= height; i-- {
		c := f.Code.cleanups[i]
		f.Code.attempt(func() { f.runCleanup(c) })
	}
}

func (f *Statements) runCleanup(c cleanup) {
	if f.Code.At == Nowhere {
		return
	}
	name := f.Unit.argument(c.by)
	if name == "" {
		f.In.Reject(codeAttribute, c.by, "the attribute cleanup needs the name of a function")
	}
	s := f.Unit.static[name]
	if s == nil {
		s = f.Syms.named(f.Unit, name)
	}
	if s == nil || s.Def == nil || !s.HasWords(1) {
		f.In.Refuse(codeAttribute, c.by, "%s has no body with one parameter", name)
	}
	of, ok := f.Vars.vars[c.decl]
	if !ok {
		f.Vars.missing(c.decl)
	}
	op := ir.NewOp(ir.Call)
	op.Call.Func, op.Call.Args = f.Syms.Function(s).ID, []*ir.Expr{of.Addr}
	f.Code.Emit(op)
}

// leaveTo leaves the scopes that the target of a jump is not in, and goes on there.
func (f *Statements) leaveTo(e exit) {
	f.runCleanups(e.cleanups)
	f.Code.Jump(e.to)
}

// jumpTo leaves the scopes that a label is not in, and goes on there.
func (f *Statements) jumpTo(label *parse.Label) {
	if len(f.Code.cleanups) > 0 {
		f.runCleanups(f.inCommon(label))
	}
	f.Code.Jump(f.gotoLabel(label))
}

// inCommon returns how many scopes of the stack a label is in.
func (f *Statements) inCommon(label *parse.Label) int {
	if f.scopes == nil {
		f.scopes = map[*parse.Label][]cleanup{}
		f.findScopes(f.Vars.sym.Def.Body, nil)
	}
	n := 0
	for there := f.scopes[label]; n < len(there) && n < len(f.Code.cleanups) && there[n] == f.Code.cleanups[n]; {
		n++
	}
	return n
}

// findScopes notes the locals in whose scope each label is. It returns the stack after a statement.
func (f *Statements) findScopes(s *parse.Stmt, stack []cleanup) []cleanup {
	if s == nil {
		return stack
	}
	before := stack
	inside := parse.Visitor{Expr: func(e *parse.Expr) bool {
		if e.Op == parse.StmtExpr {
			f.findScopes(e.Body, stack)
		}
		return e.Op != parse.StmtExpr
	}}
	inside.Exprs(s.Expr)
	inside.Exprs(s.Post)
	for _, o := range s.Objs {
		inside.Inits(o.Init)
	}
	switch s.Kind {
	case parse.LabelStmt:
		f.scopes[s.Label] = append([]cleanup(nil), stack...)
	case parse.DeclStmt:
		return append(stack[:len(stack):len(stack)], cleanupsOf(s)...)
	}
	stack = f.findScopes(s.Init, stack)
	for _, one := range s.List {
		stack = f.findScopes(one, stack)
	}
	stack = f.findScopes(s.Else, f.findScopes(s.Then, stack))
	switch s.Kind {
	case parse.Block, parse.While, parse.Do, parse.For:
		return before
	}
	return stack
}
