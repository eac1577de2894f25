package read

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"modernc.org/cc/v4"
)

// Constants that cc cannot evaluate and gcc can: numbers of floating point that are converted to integers, and
// builtins that count or swap bits. In an enumerator, a case, the length of an array or the initialiser of a static
// object they become expressions that cc can evaluate.

// integerNames are the names of integer types that a constant of floating point is converted to.
var integerNames = map[string]bool{
	"size_t": true, "ssize_t": true, "ptrdiff_t": true, "intptr_t": true, "uintptr_t": true, "intmax_t": true, "uintmax_t": true,
	"int8_t": true, "int16_t": true, "int32_t": true, "int64_t": true, "uint8_t": true, "uint16_t": true, "uint32_t": true, "uint64_t": true,
}

// castFloat cuts a constant of floating point that is converted to an integer.
func (s *shaper) castFloat(n *cc.CastExpression, below facts) {
	if !s.constant || n.Case != cc.CastExpressionCast || !below.floats || below.named || below.calls || n.TypeName.AbstractDeclarator != nil {
		return
	}
	for l := n.TypeName.SpecifierQualifierList; l != nil; l = l.SpecifierQualifierList {
		if t := l.TypeSpecifier; t != nil && !isIntegerWord(t) {
			return
		}
	}
	v, ok := floatValue(n.CastExpression)
	if v = math.Trunc(v); !ok || math.Abs(v) >= 1<<63 {
		return
	}
	e := cc.ExpressionNode(number(n.Token, fmt.Sprintf("%.0f", math.Abs(v))))
	if v < 0 {
		e = &cc.UnaryExpression{Case: cc.UnaryExpressionMinus, CastExpression: e}
	}
	n.CastExpression = e
}

// compareFloats replaces a comparison of constants of floating point, which cc does not evaluate, by its result.
func (s *shaper) compareFloats(field reflect.Value) {
	var x, y cc.ExpressionNode
	var at cc.Token
	holds := func(x, y float64) bool { return x == y }
	switch e := field.Interface().(type) {
	case *cc.EqualityExpression:
		x, y, at = e.EqualityExpression, e.RelationalExpression, e.Token
		if e.Case == cc.EqualityExpressionNeq {
			holds = func(x, y float64) bool { return x != y }
		}
	case *cc.RelationalExpression:
		x, y, at = e.RelationalExpression, e.ShiftExpression, e.Token
		holds = map[cc.RelationalExpressionCase]func(x, y float64) bool{
			cc.RelationalExpressionLt: func(x, y float64) bool { return x < y }, cc.RelationalExpressionGt: func(x, y float64) bool { return x > y },
			cc.RelationalExpressionLeq: func(x, y float64) bool { return x <= y }, cc.RelationalExpressionGeq: func(x, y float64) bool { return x >= y },
		}[e.Case]
	default:
		return
	}
	a, ok := floatValue(x)
	b, too := floatValue(y)
	if ok && too && (isDouble(x) || isDouble(y)) && holds != nil {
		field.Set(reflect.ValueOf(number(at, answer(holds(a, b)))))
	}
}

// testFloat replaces a constant of floating point that is a condition, which cc does not evaluate, by 0 or 1, and
// reports whether it did. field is the field of a node with the constant.
func testFloat(node any, name string, field reflect.Value) bool {
	if u, ok := node.(*cc.UnaryExpression); !takesTruth(node, name) && !(ok && u.Case == cc.UnaryExpressionNot) {
		return false
	}
	e := field.Interface().(cc.ExpressionNode)
	at, found := firstFloat(e)
	v, ok := floatValue(e)
	if ok && found {
		field.Set(reflect.ValueOf(number(at, answer(v != 0))))
	}
	return ok && found
}

// firstFloat returns the first constant of floating point in an expression that floatValue evaluates.
func firstFloat(e cc.ExpressionNode) (cc.Token, bool) {
	either := func(x, y cc.ExpressionNode) (cc.Token, bool) {
		if at, ok := firstFloat(x); ok {
			return at, true
		}
		return firstFloat(y)
	}
	switch x := e.(type) {
	case *cc.PrimaryExpression:
		if x.Case == cc.PrimaryExpressionExpr {
			return firstFloat(x.ExpressionList)
		}
		return x.Token, x.Case == cc.PrimaryExpressionFloat
	case *cc.UnaryExpression:
		return firstFloat(x.CastExpression)
	case *cc.MultiplicativeExpression:
		return either(x.MultiplicativeExpression, x.CastExpression)
	case *cc.AdditiveExpression:
		return either(x.AdditiveExpression, x.MultiplicativeExpression)
	}
	return cc.Token{}, false
}

// isIntegerWord reports whether a word of a type is one of an integer type.
func isIntegerWord(t *cc.TypeSpecifier) bool {
	switch t.Case {
	case cc.TypeSpecifierChar, cc.TypeSpecifierShort, cc.TypeSpecifierInt, cc.TypeSpecifierLong, cc.TypeSpecifierSigned, cc.TypeSpecifierUnsigned:
		return true
	case cc.TypeSpecifierTypeName:
		return integerNames[t.Token.SrcStr()]
	}
	return false
}

// number is a constant at the position of a token.
func number(at cc.Token, text string) *cc.PrimaryExpression {
	p := &cc.PrimaryExpression{Case: cc.PrimaryExpressionInt, Token: at}
	p.Token.Set(nil, []byte(text))
	p.Token.Ch = rune(cc.INTCONST)
	return p
}

// floatValue evaluates an expression of constants of type double and int, which C evaluates in the same way.
func floatValue(e cc.ExpressionNode) (float64, bool) {
	both := func(x, y cc.ExpressionNode, op func(x, y float64) float64) (float64, bool) {
		a, ok := floatValue(x)
		b, too := floatValue(y)
		return op(a, b), ok && too && (isDouble(x) || isDouble(y))
	}
	switch x := e.(type) {
	case *cc.PrimaryExpression:
		switch x.Case {
		case cc.PrimaryExpressionExpr:
			return floatValue(x.ExpressionList)
		case cc.PrimaryExpressionFloat, cc.PrimaryExpressionInt:
			text := strings.ToLower(x.Token.SrcStr())
			if short, ok := strings.CutSuffix(text, "f"); ok && x.Case == cc.PrimaryExpressionFloat && !strings.HasPrefix(text, "0x") {
				v, err := strconv.ParseFloat(short, 32)
				return v, err == nil
			}
			v, err := strconv.ParseFloat(text, 64)
			return v, err == nil && (x.Case == cc.PrimaryExpressionFloat || v < 1<<31)
		}
	case *cc.UnaryExpression:
		if x.Case == cc.UnaryExpressionMinus {
			v, ok := floatValue(x.CastExpression)
			return -v, ok
		}
	case *cc.MultiplicativeExpression:
		switch x.Case {
		case cc.MultiplicativeExpressionMul:
			return both(x.MultiplicativeExpression, x.CastExpression, func(a, b float64) float64 { return a * b })
		case cc.MultiplicativeExpressionDiv:
			return both(x.MultiplicativeExpression, x.CastExpression, func(a, b float64) float64 { return a / b })
		}
	case *cc.AdditiveExpression:
		if x.Case == cc.AdditiveExpressionSub {
			return both(x.AdditiveExpression, x.MultiplicativeExpression, func(a, b float64) float64 { return a - b })
		}
		return both(x.AdditiveExpression, x.MultiplicativeExpression, func(a, b float64) float64 { return a + b })
	}
	return 0, false
}

// isDouble reports whether an expression has a constant of type double, so that its value is one.
func isDouble(e cc.ExpressionNode) bool {
	switch x := e.(type) {
	case *cc.PrimaryExpression:
		if x.Case == cc.PrimaryExpressionExpr {
			return isDouble(x.ExpressionList)
		}
		return x.Case == cc.PrimaryExpressionFloat && !strings.HasSuffix(strings.ToLower(x.Token.SrcStr()), "f")
	case *cc.UnaryExpression:
		return isDouble(x.CastExpression)
	case *cc.MultiplicativeExpression:
		return isDouble(x.MultiplicativeExpression) || isDouble(x.CastExpression)
	case *cc.AdditiveExpression:
		return isDouble(x.AdditiveExpression) || isDouble(x.MultiplicativeExpression)
	}
	return false
}

// countBits replaces a call of a builtin that counts or swaps bits by an expression, which mentions the argument
// several times. An argument that may be a variable is left alone.
func (s *shaper) countBits(n *cc.PostfixExpression, below facts) {
	p, ok := n.PostfixExpression.(*cc.PrimaryExpression)
	if !s.constant || !ok || p.Case != cc.PrimaryExpressionIdent || n.ArgumentExpressionList == nil || n.ArgumentExpressionList.ArgumentExpressionList != nil {
		return
	}
	arg := n.ArgumentExpressionList.AssignmentExpression
	name, ok := strings.CutPrefix(p.Token.SrcStr(), "__builtin_")
	if !ok {
		return
	}
	text := bitFormula(name)
	if inner := s.walk(reflect.ValueOf(arg)); inner.calls || inner.named && !s.strict {
		return
	}
	switch lit, ok := arg.(*cc.PrimaryExpression); {
	case name == "constant_p" && !below.named:
		text = "1"
	case name == "strlen" && ok && lit.Case == cc.PrimaryExpressionString && !strings.Contains(lit.Token.SrcStr(), `\`):
		text = strconv.Itoa(len(lit.Token.SrcStr())-2) + "ul"
	}
	if text == "" {
		return
	}
	n.Case, n.PrimaryExpression = cc.PostfixExpressionPrimary, &cc.PrimaryExpression{Case: cc.PrimaryExpressionExpr, ExpressionList: expression(text, arg)}
}

// argumentName stands for the argument in a formula.
const argumentName = "__fp_argument"

// bitFormula returns an expression for the result of a builtin, "" for an unknown builtin.
func bitFormula(name string) string {
	bits, typ, kind := 32, "unsigned", name
	if i := strings.LastIndexAny(kind, "tzsy"); i >= 0 && strings.Trim(kind[i+1:], "l") == "" && i+1 < len(kind) {
		bits, typ, kind = 64, "unsigned long", kind[:i+1]
	}
	bit := func(i int) string { return fmt.Sprintf("((%s)(%s) >> %d & 1)", typ, argumentName, i) }
	chain := func(value func(i int) (bit, value int), last string) string {
		var b strings.Builder
		for i := range bits {
			at, v := value(i)
			fmt.Fprintf(&b, "%s ? %d : ", bit(at), v)
		}
		return "(int)(" + b.String() + last + ")"
	}
	switch kind {
	case "popcount", "parity":
		var sum []string
		for i := range bits {
			sum = append(sum, bit(i))
		}
		if kind == "parity" {
			return "(int)((" + strings.Join(sum, " + ") + ") & 1)"
		}
		return "(int)(" + strings.Join(sum, " + ") + ")"
	case "clz":
		return chain(func(i int) (int, int) { return bits - 1 - i, i }, strconv.Itoa(bits))
	case "ctz":
		return chain(func(i int) (int, int) { return i, i }, strconv.Itoa(bits))
	case "ffs":
		return chain(func(i int) (int, int) { return i, i + 1 }, "0")
	}
	if n, err := strconv.Atoi(strings.TrimPrefix(name, "bswap")); err == nil && (n == 16 || n == 32 || n == 64) {
		typ = map[int]string{16: "unsigned short", 32: "unsigned", 64: "unsigned long"}[n]
		var parts []string
		for i := 0; i < n; i += 8 {
			parts = append(parts, fmt.Sprintf("((unsigned long)(%s)(%s) >> %d & 255) << %d", typ, argumentName, i, n-8-i))
		}
		return "(" + typ + ")(" + strings.Join(parts, " | ") + ")"
	}
	return ""
}

// expression is the tree of a text with an argument in it.
func expression(text string, arg cc.ExpressionNode) cc.ExpressionNode {
	abi, err := cc.NewABI("linux", "amd64")
	if err != nil {
		panic("BUG: " + err.Error())
	}
	ast, err := cc.Parse(&cc.Config{ABI: abi}, []cc.Source{{Name: "<predefined>", Value: "int __predefined_declarator;"}, {Name: "<builtin>", Value: "int __fp_value = " + text + ";\n"}})
	if err != nil {
		panic("BUG: " + err.Error())
	}
	var out cc.ExpressionNode
	for l := ast.TranslationUnit; l != nil; l = l.TranslationUnit {
		if d := l.ExternalDeclaration.Declaration; d != nil && d.InitDeclaratorList != nil && d.InitDeclaratorList.InitDeclarator.Initializer != nil {
			out = d.InitDeclaratorList.InitDeclarator.Initializer.AssignmentExpression
		}
	}
	insertArgument(reflect.ValueOf(out), arg)
	return out
}

// insertArgument puts the argument where its name stands below a node.
func insertArgument(node reflect.Value, arg cc.ExpressionNode) {
	for _, i := range fields(node.Elem().Type()) {
		field := node.Elem().Field(i)
		if field.IsNil() {
			continue
		}
		child := field
		if field.Kind() == reflect.Interface {
			child = field.Elem()
		}
		if p, ok := child.Interface().(*cc.PrimaryExpression); ok && p.Case == cc.PrimaryExpressionIdent && p.Token.SrcStr() == argumentName {
			field.Set(reflect.ValueOf(&cc.PrimaryExpression{Case: cc.PrimaryExpressionExpr, ExpressionList: arg}))
			continue
		}
		insertArgument(child, arg)
	}
}
