package litmus

import (
	"fmt"
	"strings"

	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// condBuilder collects the variables of a condition.
type condBuilder struct {
	c     *compiler
	index map[string]int // in Observe
	vars  []property.Var
	at    []int
	regs  map[string]ir.Reg
}

// cond translates a proposition. at is the index of each of its variables.
func (c *compiler) cond(x *prop, index map[string]int) (cond *property.Cond, at []int) {
	b := &condBuilder{c: c, index: index, regs: map[string]ir.Reg{}}
	e := b.prop(x)
	var text strings.Builder
	b.show(&text, x, isTrue)
	return &property.Cond{Vars: b.vars, Expr: e, Text: text.String()}, b.at
}

func (b *condBuilder) prop(x *prop) *ir.Expr {
	switch x.kind {
	case isTrue:
		return ir.Int(1)
	case isFalse:
		return ir.Int(0)
	case isNot:
		return ir.Negate(b.prop(x.x))
	case isAnd:
		return ir.Binary(ir.LAnd, ir.S64, b.prop(x.x), b.prop(x.y))
	case isOr:
		return ir.Binary(ir.LOr, ir.S64, b.prop(x.x), b.prop(x.y))
	case isImplies:
		return ir.Binary(ir.LOr, ir.S64, ir.Negate(b.prop(x.x)), b.prop(x.y))
	case isAtom:
		return b.atom(x)
	default:
		panic("BUG: unknown proposition")
	}
}

func (b *condBuilder) atom(x *prop) *ir.Expr {
	left := b.refs(&x.left)
	var right []*ir.Expr
	switch {
	case x.isRef:
		for _, o := range b.refs(&x.right) {
			right = append(right, b.variable(o))
		}
	case x.val.braces:
		for i := range x.val.list {
			right = append(right, ir.Int(b.c.valueOf(&x.val.list[i])))
		}
	default:
		right = []*ir.Expr{ir.Int(b.c.valueOf(&x.val))}
	}
	if len(left) != len(right) || x.val.braces && !b.isArray(&x.left) || !x.val.braces && !x.isRef && b.isArray(&x.left) {
		b.c.errorf(codeArray, x.extent, "compare an array with a list of as many values, and other variables with one value")
		return ir.Int(1)
	}
	all := ir.Int(1)
	for i, o := range left {
		v := right[i]
		if n, ok := v.IsConst(); ok {
			v = ir.Int(o.v.Type.Wrap(n))
		}
		is := ir.Binary(ir.Eq, ir.S64, b.variable(o), v)
		if i == 0 {
			all = is
		} else {
			all = ir.Binary(ir.LAnd, ir.S64, all, is)
		}
	}
	return all
}

func (b *condBuilder) isArray(at *ref) bool {
	return !at.isReg && !at.hasIdx && b.c.locations[at.name].array
}

// refs returns what a variable stands for; it was resolved without errors before.
func (b *condBuilder) refs(at *ref) []*observed {
	s := &collector{c: b.c}
	s.ref(at)
	return s.list
}

// variable is the register that stands for a variable in the condition.
func (b *condBuilder) variable(o *observed) *ir.Expr {
	r, ok := b.regs[o.v.Name]
	if !ok {
		r = ir.Reg(len(b.vars))
		b.regs[o.v.Name] = r
		b.vars = append(b.vars, o.v)
		b.at = append(b.at, b.index[o.v.Name])
	}
	return ir.R(r)
}

// show writes a proposition as herd does; above is the connective around it.
func (b *condBuilder) show(out *strings.Builder, x *prop, above propKind) {
	join := func(sign string, parens bool) {
		if parens {
			out.WriteByte('(')
		}
		b.show(out, x.x, x.kind)
		out.WriteString(sign)
		b.show(out, x.y, x.kind)
		if parens {
			out.WriteByte(')')
		}
	}
	switch x.kind {
	case isTrue:
		out.WriteString("true")
	case isFalse:
		out.WriteString("false")
	case isNot:
		out.WriteString("not (")
		b.show(out, x.x, isTrue)
		out.WriteByte(')')
	case isAnd:
		join(` /\ `, above == isImplies)
	case isOr:
		join(` \/ `, above == isAnd || above == isImplies)
	case isImplies:
		join(" => ", above == isAnd || above == isOr)
	case isAtom:
		out.WriteString(b.refText(&x.left) + "=")
		if x.isRef {
			out.WriteString(b.refText(&x.right))
		} else {
			out.WriteString(valueText(&x.val))
		}
	default:
		panic("BUG: unknown proposition")
	}
}

func (b *condBuilder) refText(at *ref) string {
	if b.isArray(at) {
		return at.name
	}
	if list := b.refs(at); len(list) > 0 {
		return list[0].v.Name
	}
	return at.name
}

func valueText(v *value) string {
	switch {
	case v.braces:
		parts := make([]string, len(v.list))
		for i := range v.list {
			parts[i] = valueText(&v.list[i])
		}
		return "{" + strings.Join(parts, ",") + "}"
	case v.sym == "":
		return fmt.Sprint(v.num)
	case v.hasIdx:
		return fmt.Sprintf("%s[%d]", v.sym, v.num)
	case v.num != 0:
		return fmt.Sprintf("%s%+d", v.sym, v.num)
	default:
		return v.sym
	}
}
