package translate

import (
	"iter"
	"reflect"
	"strings"
	"sync"

	"modernc.org/cc/v4"
)

// Which objects are _Atomic. cc parses the qualifier but keeps it out of its
// types, so it is read off the declarations here: a shadow of every type says
// where it is atomic.

// shadow says of a type whether it is atomic, and the same of what it points to,
// holds or returns. nil: nothing inside is atomic. Members of structs are found
// through their declarators.
type shadow struct {
	atomic bool
	elem   *shadow // pointee, element or result
}

// IsAtomic reports whether the type is _Atomic.
func (s *shadow) IsAtomic() bool { return s != nil && s.atomic }

// Inner returns the type of the elements or of what the pointer points to.
func (s *shadow) Inner() *shadow {
	if s == nil {
		return nil
	}
	return s.elem
}

// wrap is the shadow of a pointer to, array of or function returning s.
func wrap(s *shadow, atomic bool) *shadow {
	if s == nil && !atomic {
		return nil
	}
	return &shadow{atomic: atomic, elem: s}
}

func qualified(s *shadow) *shadow {
	if s == nil {
		return &shadow{atomic: true}
	}
	return &shadow{atomic: true, elem: s.elem}
}

// unqualified is the shadow of a value: what an atomic object held is not atomic.
func unqualified(s *shadow) *shadow { return wrap(s.Inner(), false) }

// declared is where a declarator stands.
type declared struct {
	specs *cc.DeclarationSpecifiers
	quals *cc.SpecifierQualifierList // of a member
}

// collectDeclared finds the specifiers of all declarators of a unit.
func (c *Typing) collectDeclared(u *unit) {
	called := map[*cc.PrimaryExpression]bool{} // names of functions in calls
	c.Syms.declares = nil
	inspect(u.Ast.TranslationUnit, func(n cc.Node) bool {
		c.In.CollectStarts(n)
		c.In.CollectItems(n)
		switch x := n.(type) {
		case *cc.Declaration:
			for l := x.InitDeclaratorList; l != nil; l = l.InitDeclaratorList {
				c.shadows[l.InitDeclarator.Declarator] = declared{specs: x.DeclarationSpecifiers}
				c.Syms.collectRegister(l.InitDeclarator)
			}
		case *cc.ParameterDeclaration:
			if x.Declarator != nil {
				c.shadows[x.Declarator] = declared{specs: x.DeclarationSpecifiers}
			}
		case *cc.FunctionDefinition:
			c.shadows[x.Declarator] = declared{specs: x.DeclarationSpecifiers}
		case *cc.Enumerator:
			// pthread.h names each kind of mutex by another: that is no mention of it.
			return !strings.HasPrefix(x.Token.SrcStr(), "PTHREAD_MUTEX_")
		case *cc.PrimaryExpression:
			if x.Case == cc.PrimaryExpressionIdent {
				c.Syms.collectMention(u, x, called[x])
			}
		case *cc.PostfixExpression:
			if x.Case == cc.PostfixExpressionCall {
				called[calledIdent(x.PostfixExpression)] = true
			}
		case *cc.ExternalDeclaration:
			if !u.ofLibrary() { // what the library declares has no attributes
				c.Syms.declares = newDeclaration(x)
				c.Syms.declarations = append(c.Syms.declarations, c.Syms.declares)
			}
		case *cc.TypeSpecifier:
			if x.Case == cc.TypeSpecifierTypeName {
				c.Syms.collectUse(x.Token.SrcStr())
			}
			c.Syms.wide = c.Syms.wide || x.Case == cc.TypeSpecifierInt128 || x.Case == cc.TypeSpecifierUint128
		case *cc.StructOrUnionSpecifier:
			c.Syms.collectTag(x)
		case *cc.Asm:
			c.Syms.collectAsm(x)
		case *cc.AttributeValue:
			c.Syms.collectAttribute(x)
		case *cc.StructDeclaration:
			for l := x.StructDeclaratorList; l != nil; l = l.StructDeclaratorList {
				if d := l.StructDeclarator.Declarator; d != nil {
					c.shadows[d] = declared{quals: x.SpecifierQualifierList}
				}
			}
		}
		return true
	})
}

// inspect calls f on a node and, while f returns true, on the nodes inside.
func inspect(n cc.Node, f func(cc.Node) bool) {
	v := reflect.ValueOf(n)
	if !v.IsValid() || v.Kind() != reflect.Pointer || v.IsNil() || !f(n) {
		return
	}
	eachChild(n, func(child cc.Node) { inspect(child, f) })
}

// eachChild calls f on the nodes directly inside a node.
func eachChild(n cc.Node, f func(cc.Node)) {
	v := reflect.ValueOf(n)
	if !v.IsValid() || v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return
	}
	s := v.Elem()
	for _, i := range children(s.Type()) {
		field := s.Field(i)
		if child, ok := field.Interface().(cc.Node); ok && !field.IsNil() && !(field.Kind() == reflect.Interface && field.Elem().IsNil()) {
			f(child)
		}
	}
}

// childFields holds, by type of node, the fields that may hold nodes.
var childFields sync.Map

func children(t reflect.Type) []int {
	if known, ok := childFields.Load(t); ok {
		return known.([]int)
	}
	var out []int
	for i := range t.NumField() {
		field := t.Field(i)
		if field.IsExported() && !field.Anonymous && (field.Type.Kind() == reflect.Pointer || field.Type.Kind() == reflect.Interface) {
			out = append(out, i)
		}
	}
	childFields.Store(t, out)
	return out
}

// ofDeclarator is the shadow of what a declarator declares.
func (c *Typing) ofDeclarator(d *cc.Declarator) *shadow {
	if d == nil {
		return nil
	}
	at, ok := c.shadows[d]
	if !ok {
		return nil
	}
	var base *shadow
	if at.specs != nil {
		base = c.ofSpecifiers(specifiers(at.specs))
	} else {
		base = c.ofSpecifiers(qualifiers(at.quals))
	}
	return c.declare(base, d)
}

// specifiers lists the type specifiers and qualifiers of a declaration; either may be nil.
func specifiers(l *cc.DeclarationSpecifiers) iter.Seq2[*cc.TypeSpecifier, *cc.TypeQualifier] {
	return func(yield func(*cc.TypeSpecifier, *cc.TypeQualifier) bool) {
		for ; l != nil && yield(l.TypeSpecifier, l.TypeQualifier); l = l.DeclarationSpecifiers {
		}
	}
}

// qualifiers lists those of a struct's member or of a type name.
func qualifiers(l *cc.SpecifierQualifierList) iter.Seq2[*cc.TypeSpecifier, *cc.TypeQualifier] {
	return func(yield func(*cc.TypeSpecifier, *cc.TypeQualifier) bool) {
		for ; l != nil && yield(l.TypeSpecifier, l.TypeQualifier); l = l.SpecifierQualifierList {
		}
	}
}

// ofSpecifiers returns the shadow of the type that a list of specifiers and qualifiers names.
func (c *Typing) ofSpecifiers(list iter.Seq2[*cc.TypeSpecifier, *cc.TypeQualifier]) *shadow {
	var s *shadow
	atomic := false
	for t, q := range list {
		if t != nil {
			s = c.ofTypeSpecifier(t, s)
		}
		atomic = atomic || q != nil && q.Case == cc.TypeQualifierAtomic
	}
	if atomic {
		s = qualified(s)
	}
	return s
}

func (c *Typing) ofTypeSpecifier(t *cc.TypeSpecifier, s *shadow) *shadow {
	switch t.Case {
	case cc.TypeSpecifierAtomic:
		return qualified(c.ofTypeName(t.AtomicTypeSpecifier.TypeName))
	case cc.TypeSpecifierTypeName:
		return c.ofDeclarator(c.typedef(t))
	case cc.TypeSpecifierTypeofExpr:
		return c.OfExpr(t.ExpressionList)
	case cc.TypeSpecifierTypeofType:
		return c.ofTypeName(t.TypeName)
	}
	return s
}

// typedef is the declaration of a type name.
func (c *Typing) typedef(t *cc.TypeSpecifier) *cc.Declarator {
	name := t.Token.SrcStr()
	for s := t.LexicalScope(); s != nil; s = s.Parent {
		for _, n := range s.Nodes[name] {
			if d, ok := n.(*cc.Declarator); ok && d.IsTypename() {
				return d
			}
		}
	}
	return nil
}

func (c *Typing) ofTypeName(t *cc.TypeName) *shadow {
	s := c.ofSpecifiers(qualifiers(t.SpecifierQualifierList))
	if t.AbstractDeclarator != nil {
		s = c.ofAbstract(s, t.AbstractDeclarator)
	}
	return s
}

func (c *Typing) ofAbstract(s *shadow, d *cc.AbstractDeclarator) *shadow {
	s = pointers(s, d.Pointer)
	for dd := d.DirectAbstractDeclarator; dd != nil; {
		if dd.Case == cc.DirectAbstractDeclaratorDecl {
			return c.ofAbstract(s, dd.AbstractDeclarator)
		}
		s = wrap(s, false)
		dd = dd.DirectAbstractDeclarator
	}
	return s
}

// declare applies a declarator to the shadow of its specifiers, inside out as C
// reads declarators: pointers first, then arrays and functions.
func (c *Typing) declare(s *shadow, d *cc.Declarator) *shadow {
	s = pointers(s, d.Pointer)
	for dd := d.DirectDeclarator; dd != nil; {
		switch dd.Case {
		case cc.DirectDeclaratorIdent:
			return s
		case cc.DirectDeclaratorDecl:
			return c.declare(s, dd.Declarator)
		default:
			s = wrap(s, false)
			dd = dd.DirectDeclarator
		}
	}
	return s
}

func pointers(s *shadow, p *cc.Pointer) *shadow {
	for ; p != nil; p = p.Pointer {
		atomic := false
		for q := p.TypeQualifiers; q != nil; q = q.TypeQualifiers {
			atomic = atomic || q.TypeQualifier != nil && q.TypeQualifier.Case == cc.TypeQualifierAtomic
		}
		s = wrap(s, atomic)
	}
	return s
}

// OfExpr is the shadow of an expression's type.
func (c *Typing) OfExpr(e cc.ExpressionNode) *shadow {
	switch x := e.(type) {
	case *cc.PrimaryExpression:
		switch x.Case {
		case cc.PrimaryExpressionIdent:
			if d, ok := x.ResolvedTo().(*cc.Declarator); ok {
				return c.ofDeclarator(d)
			}
		case cc.PrimaryExpressionExpr:
			return c.OfExpr(x.ExpressionList)
		}
	case *cc.PostfixExpression:
		return c.ofPostfix(x)
	case *cc.UnaryExpression:
		switch x.Case {
		case cc.UnaryExpressionAddrof:
			return wrap(c.OfExpr(x.CastExpression), false)
		case cc.UnaryExpressionDeref:
			return c.OfExpr(x.CastExpression).Inner()
		case cc.UnaryExpressionInc, cc.UnaryExpressionDec:
			return c.OfExpr(x.UnaryExpression)
		}
	case *cc.CastExpression:
		return unqualified(c.ofTypeName(x.TypeName))
	case *cc.AdditiveExpression:
		if s := c.OfExpr(x.AdditiveExpression); s != nil {
			return s
		}
		return c.OfExpr(x.MultiplicativeExpression)
	case *cc.ConditionalExpression:
		if x.ExpressionList != nil {
			if s := c.OfExpr(x.ExpressionList); s != nil {
				return s
			}
		}
		return c.OfExpr(x.ConditionalExpression)
	case *cc.AssignmentExpression:
		return unqualified(c.OfExpr(x.UnaryExpression))
	case *cc.ExpressionList:
		for x.ExpressionList != nil {
			x = x.ExpressionList
		}
		return c.OfExpr(x.AssignmentExpression)
	}
	return nil
}

func (c *Typing) ofPostfix(x *cc.PostfixExpression) *shadow {
	switch x.Case {
	case cc.PostfixExpressionIndex:
		if s := c.OfExpr(x.PostfixExpression); s != nil {
			return s.Inner()
		}
		return c.OfExpr(x.ExpressionList).Inner() // 1[a]
	case cc.PostfixExpressionCall:
		s := c.OfExpr(x.PostfixExpression)
		if x.PostfixExpression.Type().Kind() == cc.Ptr && !isFunctionName(x.PostfixExpression) {
			s = s.Inner()
		}
		return s.Inner()
	case cc.PostfixExpressionSelect, cc.PostfixExpressionPSelect:
		if f := x.Field(); f != nil {
			return c.ofDeclarator(f.Declarator())
		}
	case cc.PostfixExpressionInc, cc.PostfixExpressionDec:
		return c.OfExpr(x.PostfixExpression)
	case cc.PostfixExpressionComplit:
		return c.ofTypeName(x.TypeName)
	}
	return nil
}

func isFunctionName(e cc.ExpressionNode) bool {
	p, ok := e.(*cc.PrimaryExpression)
	if !ok || p.Case != cc.PrimaryExpressionIdent {
		return false
	}
	d, ok := p.ResolvedTo().(*cc.Declarator)
	return ok && d.Type().Kind() == cc.Function
}
