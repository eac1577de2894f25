package read

import (
	"reflect"
	"sync"
	"unsafe"

	"modernc.org/cc/v4"
)

// cc checks types in time that is quadratic in the depth of an expression: it evaluates
// every operand for a constant again on every level above, unless it is one. It also
// breaks at x ?: y with a constant x that is not 0, and at constants of floating point that
// stand for a truth value. All are mended between its parser and its type checker. The tree of a function gets another shape there and, once
// it has types, its own shape back:
//
//   - An operand with many levels below it becomes a statement expression ({ e; }), which
//     cc does not evaluate. Then no expression has many levels.
//   - So does an operand of && and ||, and a condition of ?:, that has a constant of
//     floating point.
//   - Of parentheses directly within parentheses, one pair stays.
//   - x ?: y becomes x ? x : y, and (_Bool)x in a constant (_Bool)!!x.
//   - Definitions of structs are laid out as gcc does, see layout.go.
//
// Where C wants a constant the tree stays as it is; constants are evaluated once.

// maxLevels is how many levels an expression keeps.
const maxLevels = 32

// checkAST is the second half of cc.Translate; the first is cc.Parse. cc does not export
// it. The version of cc is fixed, and linking fails if it has no such function.
//
//go:linkname checkAST modernc.org/cc/v4.(*AST).check
func checkAST(ast *cc.AST, config *cc.Config) (unsafe.Pointer, error)

// shaper changes the shape of trees and back.
type shaper struct {
	template *cc.PrimaryExpression
	undo     []func()
	constant bool // C wants a constant here
	strict   bool // and no variable can stand here
	packs    packs

	answers     answers // known to questions about types
	generics    []genericQuestion
	compatibles []*cc.PostfixExpression
	types       typeReader

	packedEnums map[*cc.EnumSpecifier]bool
	alignments  []*cc.UnaryExpression     // constants
	widths      map[*cc.Declarator]int64  // of bit-fields of more than 64 bits
	hoisted     []*cc.ExternalDeclaration // from inside structs
}

// shape prepares the trees of a parsed file for cc's type checker.
func (s *shaper) shape(ast *cc.AST) {
	for l := ast.TranslationUnit; l != nil; l = l.TranslationUnit {
		if d := l.ExternalDeclaration; d != nil {
			s.constant = d.Case != cc.ExternalDeclarationFuncDef
			s.strict = s.constant
			s.walk(reflect.ValueOf(d))
			l = s.insert(l)
		}
	}
}

// restore gives the trees their shape back.
func (s *shaper) restore() {
	for i := len(s.undo) - 1; i >= 0; i-- {
		s.undo[i]()
	}
}

// facts are known about a part of a tree.
type facts struct {
	levels int  // of the expression, down to the next statement expression
	named  bool // it has a name, so it may be no constant
	calls  bool // it has a call or statements, so it is no constant
	floats bool // it has a constant of floating point
}

func (f *facts) add(below facts) {
	f.levels = max(f.levels, below.levels)
	f.named = f.named || below.named
	f.calls = f.calls || below.calls
	f.floats = f.floats || below.floats
}

var (
	nodeType       = reflect.TypeFor[cc.Node]()
	expressionType = reflect.TypeFor[cc.ExpressionNode]()
)

// knownFields has the result of fields for the types of nodes so far, knownExpressions that of
// isExpression.
var knownFields, knownExpressions sync.Map

// isExpression reports whether a type of node is an expression.
func isExpression(t reflect.Type) bool {
	is, ok := knownExpressions.Load(t)
	if !ok {
		is = t.Implements(expressionType)
		knownExpressions.Store(t, is)
	}
	return is.(bool)
}

// fields returns the fields of a type of node that lead to other nodes.
func fields(t reflect.Type) []int {
	if fields, ok := knownFields.Load(t); ok {
		return fields.([]int)
	}
	var fields []int
	for i := range t.NumField() {
		f := t.Field(i)
		if f.IsExported() && (f.Type.Kind() == reflect.Pointer || f.Type.Kind() == reflect.Interface) && f.Type.Implements(nodeType) {
			fields = append(fields, i)
		}
	}
	knownFields.Store(t, fields)
	return fields
}

// walk shapes what is below a node, given as a pointer to it.
func (s *shaper) walk(node reflect.Value) facts {
	var all facts
	defer func(constant, strict bool) { s.constant, s.strict = constant, strict }(s.constant, s.strict)
	switch n := node.Interface().(type) {
	case *cc.ConstantExpression, *cc.Declarator, *cc.AbstractDeclarator, *cc.TypeName, *cc.DeclarationSpecifiers, *cc.SpecifierQualifierList,
		*cc.StaticAssertDeclaration, *cc.AsmStatement, *cc.Asm, *cc.Designation:
		_, strict := n.(*cc.ConstantExpression)
		s.constant, s.strict = true, s.strict || strict
	case *cc.Declaration:
		if isStatic(n.DeclarationSpecifiers) {
			s.constant, s.strict = true, true
		}
	case *cc.PrimaryExpression:
		s.unwrap(n)
		switch n.Case {
		case cc.PrimaryExpressionIdent:
			all.named = true
		case cc.PrimaryExpressionFloat:
			all.floats = true
		case cc.PrimaryExpressionStmt:
			all.calls = true
		}
	case *cc.PostfixExpression:
		all.calls = n.Case == cc.PostfixExpressionCall
		if all.calls {
			s.compatible(n)
		}
	case *cc.StructOrUnionSpecifier:
		s.dropMembers(n)
	case *cc.StructDeclarator:
		s.wideBits(n)
	case *cc.AttributeValue:
		s.alignMost(n)
	case *cc.UnaryExpression:
		if (n.Case == cc.UnaryExpressionAlignofExpr || n.Case == cc.UnaryExpressionAlignofType) && s.constant {
			s.alignments = append(s.alignments, n)
		}
	}
	for _, i := range fields(node.Elem().Type()) {
		field := node.Elem().Field(i)
		if field.IsNil() {
			continue
		}
		child := field
		if field.Kind() == reflect.Interface {
			child = field.Elem()
		}
		if child.Kind() != reflect.Pointer || child.IsNil() || child.Elem().Kind() != reflect.Struct {
			continue
		}
		below := s.walk(child)
		name := node.Elem().Type().Field(i).Name
		deep := below.levels >= maxLevels && below.named && takesValue(node.Interface(), name)
		if below.floats && !below.named && !below.calls && field.Type() == expressionType && testFloat(node.Interface(), name, field) {
			below.floats = false
		}
		if !s.constant && field.Type() == expressionType && (deep || below.floats && takesTruth(node.Interface(), name)) {
			s.cut(field)
			below.levels, below.floats = 0, false
		}
		if s.constant && below.floats && !below.named && !below.calls && field.Type() == expressionType {
			s.compareFloats(field)
		}
		all.add(below)
	}
	switch n := node.Interface().(type) {
	case *cc.ConditionalExpression:
		if n.Case == cc.ConditionalExpressionCond && n.ExpressionList == nil {
			s.orElse(n)
		}
	case *cc.StaticAssertDeclaration:
		if isPack(n) {
			s.packs.pragmas = append(s.packs.pragmas, packing{n.Token.Seq(), n})
		}
	case *cc.DeclarationSpecifiers:
		s.specifiers(n)
	case *cc.SpecifierQualifierList:
		s.qualifiers(n)
	case *cc.StructDeclaration:
		s.alignMember(n)
		s.types.addMembers(n)
	case *cc.Declaration:
		s.types.addDeclaration(n)
	case *cc.GenericSelection:
		s.generic(n)
	case *cc.CastExpression:
		s.castFloat(n, all)
		s.toBool(n)
	case *cc.PostfixExpression:
		if n.Case == cc.PostfixExpressionCall {
			s.countBits(n, all)
		}
	}
	if !isExpression(node.Type()) {
		return facts{named: all.named, calls: all.calls}
	}
	all.levels++
	return all
}

// isStatic reports whether what is declared has a constant as its first value.
func isStatic(l *cc.DeclarationSpecifiers) bool {
	for ; l != nil; l = l.DeclarationSpecifiers {
		if c := l.StorageClassSpecifier; c != nil && (c.Case == cc.StorageClassSpecifierStatic || c.Case == cc.StorageClassSpecifierExtern || c.Case == cc.StorageClassSpecifierThreadLocal) {
			return true
		}
	}
	return false
}

// takesValue reports whether an operand is used for its value only: what is assigned
// to, has its address taken or its size measured is no such operand.
func takesValue(parent any, field string) bool {
	switch n := parent.(type) {
	case *cc.AdditiveExpression, *cc.MultiplicativeExpression, *cc.ShiftExpression, *cc.RelationalExpression, *cc.EqualityExpression, *cc.AndExpression,
		*cc.ExclusiveOrExpression, *cc.InclusiveOrExpression, *cc.LogicalAndExpression, *cc.LogicalOrExpression, *cc.ConditionalExpression, *cc.ArgumentExpressionList:
		return true
	case *cc.AssignmentExpression:
		return field == "AssignmentExpression"
	case *cc.PostfixExpression:
		return n.Case == cc.PostfixExpressionIndex && field == "ExpressionList"
	case *cc.CastExpression:
		return n.Case == cc.CastExpressionCast
	case *cc.UnaryExpression:
		switch n.Case {
		case cc.UnaryExpressionPlus, cc.UnaryExpressionMinus, cc.UnaryExpressionNot, cc.UnaryExpressionCpl, cc.UnaryExpressionDeref:
			return true
		}
	}
	return false
}

// takesTruth reports whether an operand stands for a truth value where cc asks for constants.
func takesTruth(parent any, field string) bool {
	switch n := parent.(type) {
	case *cc.LogicalAndExpression:
		return n.Case == cc.LogicalAndExpressionLAnd
	case *cc.LogicalOrExpression:
		return n.Case == cc.LogicalOrExpressionLOr
	case *cc.ConditionalExpression:
		return n.Case == cc.ConditionalExpressionCond && field == "LogicalOrExpression"
	}
	return false
}

// cut puts a statement expression where an operand was.
func (s *shaper) cut(field reflect.Value) {
	operand := field.Interface().(cc.ExpressionNode)
	if s.template == nil {
		s.template = statementExpression()
	}
	p, body := *s.template, *s.template.CompoundStatement
	list := *body.BlockItemList
	item := *list.BlockItem
	statement := *item.Statement
	value := *statement.ExpressionStatement
	value.ExpressionList = operand
	statement.ExpressionStatement, item.Statement, list.BlockItem, body.BlockItemList, p.CompoundStatement = &value, &statement, &item, &list, &body
	field.Set(reflect.ValueOf(&p))
	s.undo = append(s.undo, func() { field.Set(reflect.ValueOf(operand)) })
}

// statementExpression is a tree that cc's parser made.
func statementExpression() *cc.PrimaryExpression {
	abi, err := cc.NewABI("linux", "amd64")
	if err != nil {
		panic("BUG: " + err.Error())
	}
	ast, err := cc.Parse(&cc.Config{ABI: abi}, []cc.Source{{Name: "<predefined>", Value: "int __predefined_declarator;"}, {Name: "<cut>", Value: "int f(void) { return ({ 0; }); }\n"}})
	if err != nil {
		panic("BUG: " + err.Error())
	}
	for l := ast.TranslationUnit; l != nil; l = l.TranslationUnit {
		d := l.ExternalDeclaration
		if d.Case != cc.ExternalDeclarationFuncDef {
			continue
		}
		for items := d.FunctionDefinition.CompoundStatement.BlockItemList; items != nil; items = items.BlockItemList {
			if st := items.BlockItem.Statement; st != nil { // others are cc's own, such as __func__
				return st.JumpStatement.ExpressionList.(*cc.PrimaryExpression)
			}
		}
	}
	panic("BUG: no statement expression in the tree")
}

// unwrap takes out all but one of the parentheses around an expression.
func (s *shaper) unwrap(n *cc.PrimaryExpression) {
	for n.Case == cc.PrimaryExpressionExpr {
		inner, ok := n.ExpressionList.(*cc.PrimaryExpression)
		if !ok || inner.Case != cc.PrimaryExpressionExpr {
			return
		}
		n.ExpressionList = inner.ExpressionList
	}
}

// orElse gives x ?: y a second operand. Only a constant needs it.
func (s *shaper) orElse(c *cc.ConditionalExpression) {
	if s.walk(reflect.ValueOf(c.LogicalOrExpression)).calls {
		return
	}
	c.ExpressionList = c.LogicalOrExpression
	s.undo = append(s.undo, func() { c.ExpressionList = nil })
}

// toBool gives the conversion of a constant to _Bool an operand that is 0 or 1: cc keeps other values.
func (s *shaper) toBool(n *cc.CastExpression) {
	if !s.constant || n.Case != cc.CastExpressionCast || n.TypeName.AbstractDeclarator != nil {
		return
	}
	l := n.TypeName.SpecifierQualifierList
	if t := l.TypeSpecifier; t == nil || t.Case != cc.TypeSpecifierBool || l.SpecifierQualifierList != nil {
		return
	}
	operand := n.CastExpression
	not := &cc.UnaryExpression{Case: cc.UnaryExpressionNot, CastExpression: operand}
	n.CastExpression = &cc.UnaryExpression{Case: cc.UnaryExpressionNot, CastExpression: not}
	s.undo = append(s.undo, func() { n.CastExpression = operand })
}
