package translate

import (
	"modernc.org/cc/v4"

	"fencepost/internal/ir"
)

// lvalue finds the place an expression designates.
func (f *lvalues) lvalue(e cc.ExpressionNode) lvalue {
	l := f.place(e)
	l.atomic = f.types.ofExpr(e).isAtomic() && l.typ.Kind() != cc.Array
	if l.atomic && l.bits != nil {
		f.in.refuse(codeAtomic, e, "atomic bit-fields are not supported")
	}
	return l
}

func (f *lvalues) place(e cc.ExpressionNode) lvalue {
	if l, ok := f.mem.atomicValue(e); ok {
		return l
	}
	switch x := e.(type) {
	case *cc.PrimaryExpression:
		switch x.Case {
		case cc.PrimaryExpressionExpr:
			return f.place(x.ExpressionList)
		case cc.PrimaryExpressionIdent:
			return f.named(x)
		case cc.PrimaryExpressionStmt:
			return f.exprs.statementPlace(x)
		case cc.PrimaryExpressionGeneric:
			if a := x.GenericSelection.Associated(); a != nil && a.AssignmentExpression != nil {
				return f.place(a.AssignmentExpression)
			}
		case cc.PrimaryExpressionString:
			s, ok := x.Value().(cc.StringValue)
			if !ok {
				f.in.refuse(codeExpr, x, "this string is not supported")
			}
			text := string(s)
			if t, ok := x.Type().Undecay().(*cc.ArrayType); ok && int64(len(text)) < t.Size() {
				text += string(make([]byte, t.Size()-int64(len(text))))
			}
			o := f.syms.stringObject(text, x)
			return lvalue{reg: ir.NoReg, addr: ir.Addr(o, 0), obj: o, typ: f.arrayType(x)}
		}
	case *cc.PostfixExpression:
		switch x.Case {
		case cc.PostfixExpressionIndex:
			f.types.subscripted[unparen(x.PostfixExpression)] = true
			a, i := f.exprs.operand(x.PostfixExpression), f.exprs.operand(x.ExpressionList)
			if a.elem == nil {
				a, i = i, a
			}
			if a.elem == nil || i.elem != nil {
				f.in.refuse(codeExpr, x, "this index is not supported")
			}
			f.checkSubscript(a, i, x)
			v := f.exprs.pointerArithmetic(ir.Add, a, i, x)
			return lvalue{reg: ir.NoReg, addr: v.e, obj: v.obj, typ: a.elem, via: via{pointer: a.array == nil || a.array.pointer}}
		case cc.PostfixExpressionSelect:
			return f.member(f.lvalue(x.PostfixExpression), x)
		case cc.PostfixExpressionPSelect:
			return f.member(f.pointee(x.PostfixExpression), x)
		case cc.PostfixExpressionComplit:
			return f.compoundLiteral(x)
		case cc.PostfixExpressionCall:
			if isStruct(x.Type()) {
				f.calls.call(x, true)
				return f.vars.literals[x]
			}
		}
	case *cc.UnaryExpression:
		if x.Case == cc.UnaryExpressionDeref {
			return f.pointee(x.CastExpression)
		}
	default:
		if isStruct(e.Type()) {
			return f.structPlace(e)
		}
	}
	f.in.refuse(codeExpr, e, "this is not a place in memory")
	panic("BUG: unreachable")
}

// compoundLiteral writes the object of a compound literal. Like a local, it is one
// object per activation.
func (f *lvalues) compoundLiteral(x *cc.PostfixExpression) lvalue {
	if f.types.ofExpr(x).isAtomic() {
		f.in.refuse(codeAtomic, x, "atomic compound literals are not supported")
	}
	if f.code.static {
		return f.inits.staticLiteral(x)
	}
	l, ok := f.vars.literals[x]
	if !ok { // refused already
		panic(refusal{})
	}
	f.inits.initLocal(l, literalInit(x))
	return l
}

// arrayType is the type of a string literal before it decays.
func (f *lvalues) arrayType(x *cc.PrimaryExpression) cc.Type {
	t := x.Type()
	if p, ok := t.(*cc.PointerType); ok {
		if a, ok := p.Undecay().(*cc.ArrayType); ok {
			return a
		}
	}
	if t.Kind() != cc.Array {
		f.in.refuse(codeExpr, x, "this string is not supported")
	}
	return t
}

// named is the place of a variable or function.
func (f *lvalues) named(x *cc.PrimaryExpression) lvalue {
	d, ok := x.ResolvedTo().(*cc.Declarator)
	if !ok {
		f.in.refuse(codeExpr, x, "%s is not a variable", x.Token.SrcStr())
	}
	if l, ok := f.vars.vars[d]; ok {
		return l
	}
	s := f.syms.find(f.unit, d)
	if d.Type().Kind() == cc.Function {
		if s == nil || s.def == nil {
			f.in.refuse(codeExtern, x, "%s has no body, and its address cannot be taken", d.Name())
		}
		fb := f.syms.function(s)
		fb.F.Pointer = true
		return lvalue{
			reg: ir.NoReg, obj: ir.NoObject, typ: d.Type(),
			addr: &ir.Expr{Op: ir.FuncAddr, Type: ir.U64, Func: fb.ID},
		}
	}
	if s == nil || d.Linkage() == cc.None && f.syms.locals[d] == nil {
		if d.Linkage() == cc.None && !d.IsStatic() { // a local that was refused
			panic(refusal{})
		}
		f.in.refuse(codeObject, x, "%s is declared and never defined", d.Name())
	}
	o := f.syms.object(s, x)
	return lvalue{reg: ir.NoReg, addr: ir.Addr(o, 0), obj: o, typ: s.decl.Type()}
}

// pointee is what a pointer points to.
func (f *lvalues) pointee(e cc.ExpressionNode) lvalue {
	v := f.exprs.operand(e)
	if v.elem == nil {
		f.in.refuse(codeExpr, e, "a pointer is needed here")
	}
	return lvalue{reg: ir.NoReg, addr: v.e, obj: v.obj, typ: v.elem, via: via{pointer: true}}
}

// member is a member of a struct or union.
func (f *lvalues) member(l lvalue, x *cc.PostfixExpression) lvalue {
	name := x.Token2.SrcStr()
	var field *cc.Field
	switch t := l.typ.(type) {
	case *cc.StructType:
		field = t.FieldByName(name)
	case *cc.UnionType:
		field = t.FieldByName(name)
	}
	switch {
	case field == nil:
		f.in.refuse(codeType, x, "%s has no member %s", l.typ, name)
	case l.atomic:
		f.in.refuse(codeAtomic, x, "atomic structs are not supported")
	case l.reg != ir.NoReg:
		panic("BUG: a member of a register")
	}
	if field.IsBitfield() {
		b := f.layouts.bitField(field, x)
		l = f.mem.offset(l, b.off)
		l.typ, l.bits = field.Type(), &b
		return l
	}
	f.layouts.checkLayout(l.typ, x)
	l.via = l.via.member(l.typ, field)
	l = f.mem.offset(l, field.Offset())
	l.typ = field.Type()
	return l
}

func (f *lvalues) postfix(x *cc.PostfixExpression) value {
	switch x.Case {
	case cc.PostfixExpressionPrimary:
		return f.exprs.expr(x.PrimaryExpression)
	case cc.PostfixExpressionCall:
		return f.calls.call(x, true)
	case cc.PostfixExpressionInc:
		return f.step(x.PostfixExpression, ir.Add, true, x)
	case cc.PostfixExpressionDec:
		return f.step(x.PostfixExpression, ir.Sub, true, x)
	}
	f.decays(x)
	return f.mem.load(f.lvalue(x), x)
}

// step is ++ or --; old says that the value before it is wanted.
func (f *lvalues) step(e cc.ExpressionNode, op ir.ExprOp, old bool, n cc.Node) value {
	l := f.lvalue(e)
	one := integer(ir.Int(1), ir.S32)
	if l.atomic {
		was, is := f.mem.atomicUpdate(l, op, one, n)
		if old {
			return was
		}
		return is
	}
	was := f.mem.load(l, n)
	if l.reg != ir.NoReg && old {
		was = f.code.keep(was)
	}
	is := f.exprs.convert(f.exprs.combine(op, was, one, n), l.typ, n)
	if l.bits != nil {
		is = l.bits.fit(is)
	}
	if l.reg == ir.NoReg {
		is = f.save(is)
	}
	f.mem.store(l, is, n)
	if old {
		return was
	}
	if l.reg != ir.NoReg {
		is.e = ir.R(l.reg)
	}
	return is
}

// save keeps a value of some size in a register, so that it is computed once.
func (f *lvalues) save(v value) value {
	if v.e.Op == ir.RegRef {
		return v
	}
	return f.code.keep(v)
}

var assignOps = map[cc.AssignmentExpressionCase]ir.ExprOp{
	cc.AssignmentExpressionMul: ir.Mul, cc.AssignmentExpressionDiv: ir.Div, cc.AssignmentExpressionMod: ir.Rem,
	cc.AssignmentExpressionAdd: ir.Add, cc.AssignmentExpressionSub: ir.Sub,
	cc.AssignmentExpressionLsh: ir.Shl, cc.AssignmentExpressionRsh: ir.Shr,
	cc.AssignmentExpressionAnd: ir.And, cc.AssignmentExpressionXor: ir.Xor, cc.AssignmentExpressionOr: ir.Or,
}

func (f *lvalues) assignment(x *cc.AssignmentExpression) value {
	if x.Case == cc.AssignmentExpressionCond {
		return f.exprs.expr(x.ConditionalExpression)
	}
	l := f.lvalue(x.UnaryExpression)
	op, compound := assignOps[x.Case]
	if compound && l.atomic {
		_, is := f.mem.atomicUpdate(l, op, f.exprs.operand(x.AssignmentExpression), x)
		return is
	}
	var v value
	if compound {
		was := f.mem.load(l, x)
		v = f.exprs.combine(op, was, f.exprs.operand(x.AssignmentExpression), x)
	} else {
		v = f.exprs.operand(x.AssignmentExpression)
	}
	v = f.exprs.convert(v, l.typ, x)
	if l.bits != nil {
		v = f.save(l.bits.fit(v))
	}
	f.mem.store(l, v, x)
	if l.reg != ir.NoReg {
		v.e = ir.R(l.reg)
	}
	return v
}
