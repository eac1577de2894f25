package read

import (
	"fmt"
	"strings"

	"modernc.org/cc/v4"
)

// Types in words, which are the same for compatible types, except for arrays without a length. They are read
// from right to left: "char const*" is a pointer to a constant, "char* const" a constant pointer. cc knows
// the qualifiers in the specifiers of declarations; those of type names, members and pointers are taken
// from the syntax.

// typeReader finds the types of expressions in a checked tree.
type typeReader struct {
	members map[*cc.Declarator]*cc.SpecifierQualifierList
	typeofs map[*cc.Declarator]*cc.TypeSpecifier // of declarations
}

// addDeclaration notes the typeof of a declaration.
func (r *typeReader) addDeclaration(n *cc.Declaration) {
	for l := n.DeclarationSpecifiers; l != nil; l = l.DeclarationSpecifiers {
		t := l.TypeSpecifier
		if t == nil || t.Case != cc.TypeSpecifierTypeofExpr && t.Case != cc.TypeSpecifierTypeofType {
			continue
		}
		if r.typeofs == nil {
			r.typeofs = map[*cc.Declarator]*cc.TypeSpecifier{}
		}
		for d := n.InitDeclaratorList; d != nil; d = d.InitDeclaratorList {
			r.typeofs[d.InitDeclarator.Declarator] = t
		}
	}
}

// addMembers notes the specifiers of the members of a struct.
func (r *typeReader) addMembers(n *cc.StructDeclaration) {
	if r.members == nil {
		r.members = map[*cc.Declarator]*cc.SpecifierQualifierList{}
	}
	for l := n.StructDeclaratorList; l != nil; l = l.StructDeclaratorList {
		if d := l.StructDeclarator.Declarator; d != nil {
			r.members[d] = n.SpecifierQualifierList
		}
	}
}

const (
	constWord, volatileWord = " const", " volatile"
	unknownLength           = "[-1]"
)

var voidWord, intWord = cc.Void.String(), cc.Int.String()

// value returns the type of the value of an expression, "" if cc gave it none.
func (r *typeReader) value(e cc.ExpressionNode) string { return decayed(unqualified(r.object(e))) }

// object returns the type of an expression, of an lvalue with its qualifiers.
func (r *typeReader) object(e cc.ExpressionNode) string {
	switch x := bare(e).(type) {
	case *cc.PrimaryExpression:
		switch to := x.ResolvedTo().(type) {
		case *cc.Enumerator:
			return intWord
		case *cc.Declarator:
			return r.declared(to)
		}
	case *cc.CastExpression:
		if x.Case == cc.CastExpressionCast {
			return unqualified(r.named(x.TypeName))
		}
	case *cc.PostfixExpression:
		return r.postfix(x)
	case *cc.UnaryExpression:
		switch x.Case {
		case cc.UnaryExpressionAddrof:
			if words := r.object(x.CastExpression); words != "" {
				return words + "*"
			}
			return ""
		case cc.UnaryExpressionDeref:
			return target(r.value(x.CastExpression))
		case cc.UnaryExpressionInc, cc.UnaryExpressionDec:
			return unqualified(r.object(x.UnaryExpression))
		}
	case *cc.AdditiveExpression:
		for _, operand := range []cc.ExpressionNode{x.AdditiveExpression, x.MultiplicativeExpression} {
			if words := r.value(operand); isPointer(words) && isPointerType(x.Type()) {
				return words
			}
		}
	case *cc.AssignmentExpression:
		return unqualified(r.object(x.UnaryExpression))
	case *cc.ConditionalExpression:
		if x.Case == cc.ConditionalExpressionCond && x.ExpressionList != nil {
			return r.either(x)
		}
	}
	return typeWords(e.Type())
}

func (r *typeReader) postfix(x *cc.PostfixExpression) string {
	switch x.Case {
	case cc.PostfixExpressionIndex:
		if words := r.value(x.PostfixExpression); isPointer(words) {
			return target(words)
		}
		return target(r.value(x.ExpressionList)) // 1[a]
	case cc.PostfixExpressionSelect, cc.PostfixExpressionPSelect:
		if x.Field() == nil || x.Field().Declarator() == nil {
			break
		}
		of := r.object(x.PostfixExpression)
		if x.Case == cc.PostfixExpressionPSelect {
			of = target(r.value(x.PostfixExpression))
		}
		return qualify(r.declared(x.Field().Declarator()), qualifiersIn(of))
	case cc.PostfixExpressionInc, cc.PostfixExpressionDec:
		return unqualified(r.object(x.PostfixExpression))
	case cc.PostfixExpressionComplit:
		return r.named(x.TypeName)
	}
	return typeWords(x.Type())
}

// either returns the type of a conditional expression [C11 6.5.15 p5-6].
func (r *typeReader) either(x *cc.ConditionalExpression) string {
	a, b := r.value(x.ExpressionList), r.value(x.ConditionalExpression)
	switch {
	case !isPointer(a) && !isPointer(b):
		return typeWords(x.Type())
	case !isPointer(a) || r.isNull(x.ExpressionList):
		return b
	case !isPointer(b) || r.isNull(x.ConditionalExpression):
		return a
	}
	to, other := target(a), target(b)
	qualifiers := qualifiersIn(to) + qualifiersIn(other)
	if unqualified(other) == voidWord {
		to = other
	}
	return qualify(unqualified(to), qualifiers) + "*"
}

// isNull reports whether an expression is a null pointer constant.
func (r *typeReader) isNull(e cc.ExpressionNode) bool {
	e = bare(e)
	if c, ok := e.(*cc.CastExpression); ok && c.Case == cc.CastExpressionCast && r.value(c) == voidWord+"*" {
		e = bare(c.CastExpression)
	}
	switch v := e.Value().(type) {
	case cc.Int64Value:
		return v == 0 && cc.IsIntegerType(e.Type())
	case cc.UInt64Value:
		return v == 0 && cc.IsIntegerType(e.Type())
	}
	return false
}

// named returns the type of a type name.
func (r *typeReader) named(n *cc.TypeName) string {
	if n == nil || n.Type() == nil {
		return ""
	}
	if n.AbstractDeclarator == nil {
		return r.written(n.Type(), n.SpecifierQualifierList, nil)
	}
	if n.AbstractDeclarator.DirectAbstractDeclarator != nil {
		return typeWords(n.Type())
	}
	return r.written(n.Type(), n.SpecifierQualifierList, n.AbstractDeclarator.Pointer)
}

// declared returns the type of what a declarator declares.
func (r *typeReader) declared(d *cc.Declarator) string {
	if t := r.typeofs[d]; t != nil && d.Pointer == nil && d.DirectDeclarator.Case == cc.DirectDeclaratorIdent {
		return qualify(r.typeof(t), qualifiersIn(typeWords(d.Type())))
	}
	switch direct := d.DirectDeclarator; {
	case direct == nil || direct.Case == cc.DirectDeclaratorIdent:
		return r.written(d.Type(), r.members[d], d.Pointer)
	case d.Pointer == nil && direct.Case == cc.DirectDeclaratorArr && direct.DirectDeclarator.Case == cc.DirectDeclaratorIdent:
		if a, ok := d.Type().(*cc.ArrayType); ok {
			return r.written(a.Elem(), r.members[d], nil) + length(a)
		}
	}
	return typeWords(d.Type())
}

// written returns the words of a type that is written as specifiers and pointers; specifiers may be nil.
func (r *typeReader) written(t cc.Type, l *cc.SpecifierQualifierList, p *cc.Pointer) string {
	var stars []string
	for ; p != nil; p = p.Pointer {
		star := ""
		for q := p.TypeQualifiers; q != nil; q = q.TypeQualifiers {
			star += qualifierWord(q.TypeQualifier)
		}
		stars = append(stars, star)
	}
	for range stars {
		to, ok := t.(*cc.PointerType)
		if !ok {
			return typeWords(t)
		}
		t = to.Elem()
	}
	words := r.specified(t, l)
	for _, star := range stars {
		words = qualify(words+"*", star)
	}
	return words
}

// specified returns the words of the type t that specifiers give.
func (r *typeReader) specified(t cc.Type, l *cc.SpecifierQualifierList) string {
	words, qualifiers := typeWords(t), ""
	for ; l != nil; l = l.SpecifierQualifierList {
		qualifiers += qualifierWord(l.TypeQualifier)
		if s := l.TypeSpecifier; s != nil && (s.Case == cc.TypeSpecifierTypeofExpr || s.Case == cc.TypeSpecifierTypeofType) {
			words = r.typeof(s)
		}
	}
	return qualify(words, qualifiers)
}

func (r *typeReader) typeof(s *cc.TypeSpecifier) string {
	if s.Case == cc.TypeSpecifierTypeofType {
		return r.named(s.TypeName)
	}
	return r.object(s.ExpressionList)
}

func qualifierWord(q *cc.TypeQualifier) string {
	switch {
	case q == nil:
	case q.Case == cc.TypeQualifierConst:
		return constWord
	case q.Case == cc.TypeQualifierVolatile:
		return volatileWord
	}
	return ""
}

// bare is an expression without parentheses, and of operands of commas and of statement expressions the
// last one.
func bare(e cc.ExpressionNode) cc.ExpressionNode {
	for {
		switch x := e.(type) {
		case *cc.PrimaryExpression:
			switch {
			case x.Case == cc.PrimaryExpressionExpr:
				e = x.ExpressionList
			case x.Case == cc.PrimaryExpressionStmt && lastValue(x.CompoundStatement) != nil:
				e = lastValue(x.CompoundStatement)
			default:
				return e
			}
		case *cc.ExpressionList:
			for x.ExpressionList != nil {
				x = x.ExpressionList
			}
			e = x.AssignmentExpression
		default:
			return e
		}
	}
}

// lastValue returns the expression that is the value of a statement expression, nil if there is none.
func lastValue(n *cc.CompoundStatement) cc.ExpressionNode {
	l := n.BlockItemList
	for l != nil && l.BlockItemList != nil {
		l = l.BlockItemList
	}
	if l == nil || l.BlockItem.Statement == nil || l.BlockItem.Statement.ExpressionStatement == nil {
		return nil
	}
	return l.BlockItem.Statement.ExpressionStatement.ExpressionList
}

// qualify adds qualifiers to a type. The elements of an array get its qualifiers.
func qualify(words, qualifiers string) string {
	if i := strings.IndexByte(words, '['); i >= 0 && strings.HasSuffix(words, "]") {
		return qualify(words[:i], qualifiers) + words[i:]
	}
	qualifiers += qualifiersIn(words)
	words = unqualified(words)
	for _, q := range []string{constWord, volatileWord} {
		if strings.Contains(qualifiers, q) {
			words += q
		}
	}
	return words
}

func unqualified(words string) string {
	return strings.TrimSuffix(strings.TrimSuffix(words, volatileWord), constWord)
}

func qualifiersIn(words string) string { return words[len(unqualified(words)):] }

func isPointer(words string) bool { return strings.HasSuffix(words, "*") }

func isPointerType(t cc.Type) bool { return t != nil && t.Kind() == cc.Ptr }

// target returns what a pointer points to.
func target(pointer string) string { return strings.TrimSuffix(pointer, "*") }

// decayed is the type of the value of an array or function.
func decayed(words string) string {
	switch {
	case strings.HasSuffix(words, "]"):
		return words[:strings.LastIndexByte(words, '[')] + "*"
	case strings.HasSuffix(words, ")"):
		return words + "*"
	}
	return words
}

// typeWords returns the words of a type of cc.
func typeWords(t cc.Type) string {
	if t == nil || t == cc.Invalid {
		return ""
	}
	words := ""
	switch x := t.(type) {
	case *cc.PointerType:
		words = typeWords(x.Elem()) + "*"
	case *cc.ArrayType:
		return typeWords(x.Elem()) + length(x)
	case *cc.FunctionType:
		var b strings.Builder
		b.WriteString(unqualified(typeWords(x.Result())) + "(")
		for _, p := range x.Parameters() {
			b.WriteString(unqualified(decayed(typeWords(p.Type()))) + ",")
		}
		if x.IsVariadic() {
			b.WriteString("...")
		}
		return b.String() + ")"
	case *cc.EnumType:
		words = typeWords(x.UnderlyingType())
	case *cc.StructType:
		words = "struct " + definition(x.Tag(), x.NumFields, x.FieldByIndex)
	case *cc.UnionType:
		words = "union " + definition(x.Tag(), x.NumFields, x.FieldByIndex)
	default:
		words = t.Kind().String()
	}
	if a := t.Attributes(); a != nil {
		if a.IsConst() {
			words = qualify(words, constWord)
		}
		if a.IsVolatile() {
			words = qualify(words, volatileWord)
		}
	}
	return words
}

func length(a *cc.ArrayType) string {
	if n := a.Len(); n >= 0 {
		return fmt.Sprintf("[%d]", n)
	}
	return unknownLength
}

// definition tells a struct or union from others: by its tag, or by its first member.
func definition(tag cc.Token, fields func() int, field func(int) *cc.Field) string {
	if name := tag.SrcStr(); name != "" || fields() == 0 {
		return name
	}
	return fmt.Sprintf("%p", field(0))
}
