package parse

import "fencepost/internal/lang/c/types"

// Node is a part of the tree that stands in the text.
type Node interface {
	// Tokens returns the numbers of its first and last token.
	Tokens() (first, last int32)
}

// Tokens returns the numbers of the first and last token. What the program does not write stands
// where its operand stands.
func (e *Expr) Tokens() (first, last int32) {
	for e.First == 0 && e.Last == 0 && e.A != nil {
		e = e.A
	}
	if e.First == 0 && e.Last == 0 {
		return e.Tok, e.Tok
	}
	return e.First, e.Last
}

// Tokens returns the numbers of the first and last token.
func (s *Stmt) Tokens() (first, last int32) { return s.Tok, max(s.Tok, s.End) }

// Tokens returns the numbers of the first and last token of the declarator.
func (o *Object) Tokens() (first, last int32) {
	first, last = o.First, o.Last
	if first == 0 && last == 0 {
		first, last = o.Tok, o.Tok
	}
	return first, max(first, last)
}

// Tokens returns the numbers of the first and last token of the name and its arguments.
func (a Attribute) Tokens() (first, last int32) { return a.Tok, max(a.Tok, a.To) }

// Token is a token as a node.
type Token int32

// Tokens returns the number of the token twice.
func (t Token) Tokens() (first, last int32) { return int32(t), int32(t) }

// Range is some tokens as a node.
type Range struct{ First, Last int32 }

// Tokens returns the first and the last.
func (r Range) Tokens() (first, last int32) { return r.First, r.Last }

// Initialized returns the declarator of an object with its initializer.
func (o *Object) Initialized() Range {
	first, last := o.Tokens()
	if o.Init != nil {
		last = max(last, o.Init.Last)
	}
	return Range{first, last}
}

// Visitor is called for the nodes of a tree, those outside before those inside. What is inside a
// node is left out if its function returns false. Functions may be nil.
type Visitor struct {
	Stmt   func(*Stmt) bool
	Expr   func(*Expr) bool
	Object func(*Object) // an object that a statement declares, before its initializer

	lengths map[*Expr]bool // that were visited: a typedef and the types that are made of it share one
}

// Stmts visits a statement and what is inside.
func (v *Visitor) Stmts(s *Stmt) {
	if s == nil || v.Stmt != nil && !v.Stmt(s) {
		return
	}
	v.Stmts(s.Init)
	v.Exprs(s.Expr)
	v.Exprs(s.Post)
	for _, o := range s.Objs {
		v.declared(o)
	}
	if s.Asm != nil {
		for i := range s.Asm.Outputs {
			v.Exprs(s.Asm.Outputs[i].Expr)
		}
		for i := range s.Asm.Inputs {
			v.Exprs(s.Asm.Inputs[i].Expr)
		}
	}
	for _, one := range s.List {
		v.Stmts(one)
	}
	v.Stmts(s.Then)
	v.Stmts(s.Else)
}

// declared visits an object, the lengths of its type and its initializer.
func (v *Visitor) declared(o *Object) {
	if v.Object != nil {
		v.Object(o)
	}
	if o.Kind == Variable || o.Kind == Typedef {
		v.Lengths(o.Type)
	}
	if o.Kind == Variable {
		v.Inits(o.Init)
	}
}

// Lengths visits the lengths of arrays in a type, unless the visitor has seen them.
func (v *Visitor) Lengths(t *types.Type) {
	for ; t != nil && (t.Kind == types.Array || t.Kind == types.Pointer); t = t.Elem {
		e := LengthOf(t)
		if t.Len != types.Variable || e == nil || v.lengths[e] {
			continue
		}
		if v.lengths == nil {
			v.lengths = map[*Expr]bool{}
		}
		v.lengths[e] = true
		v.Exprs(e)
	}
}

// Inits visits an initializer.
func (v *Visitor) Inits(in *Init) {
	if in == nil {
		return
	}
	v.Exprs(in.Expr)
	for i := range in.Items {
		v.Exprs(in.Items[i].Expr)
	}
}

// Exprs visits an expression and what is inside.
func (v *Visitor) Exprs(e *Expr) {
	if e == nil || v.Expr != nil && !v.Expr(e) {
		return
	}
	if e.Op == Constant {
		return
	}
	v.Exprs(e.A)
	v.Exprs(e.B)
	v.Exprs(e.C)
	for _, a := range e.Args {
		v.Exprs(a)
	}
	if e.Op == Literal {
		v.Inits(e.Obj.Init)
	}
	switch {
	case e.Op == SizeOf:
		v.Lengths(e.Of)
	case e.Op == Convert && !e.Implicit:
		v.Lengths(e.Type)
	}
	v.Stmts(e.Body)
}

// LengthOf returns the expression for the length of an array of variable length, nil if it has none.
func LengthOf(t *types.Type) *Expr {
	switch x := t.Length.(type) {
	case *Expr:
		return x
	case arrayQual:
		return x.size
	default:
		return nil
	}
}

// Bare returns an expression without the reads, decays and conversions that the program does not write.
func (e *Expr) Bare() *Expr {
	for e.Implicit && e.A != nil && (e.Op == Load || e.Op == Decay || e.Op == Convert) {
		e = e.A
	}
	return e
}
