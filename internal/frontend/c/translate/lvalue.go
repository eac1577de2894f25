package translate

import (
	"modernc.org/cc/v4"

	"fencepost/internal/frontend/c/translate/read"
	"fencepost/internal/ir"
)

// Lvalue returns the object that an expression designates.
func (f *Lvalues) Lvalue(e cc.ExpressionNode) Lvalue {
	l := f.designated(e)
	l.Atomic = f.Types.OfExpr(e).IsAtomic() && l.Type.Kind() != cc.Array
	if l.Atomic && l.bits != nil {
		f.In.Refuse(CodeAtomic, e, "atomic bit-fields are not supported")
	}
	if l.Atomic && l.misplaced() {
		f.Mem.refuseMisplaced(e)
	}
	return l
}

func (f *Lvalues) designated(e cc.ExpressionNode) Lvalue {
	if l, ok := f.Mem.atomicValue(e); ok {
		return l
	}
	switch x := e.(type) {
	case *cc.PrimaryExpression:
		switch x.Case {
		case cc.PrimaryExpressionExpr:
			return f.designated(x.ExpressionList)
		case cc.PrimaryExpressionIdent:
			return f.named(x)
		case cc.PrimaryExpressionStmt:
			return f.Exprs.statementLvalue(x)
		case cc.PrimaryExpressionGeneric:
			if a := x.GenericSelection.Associated(); a != nil && a.AssignmentExpression != nil {
				return f.designated(a.AssignmentExpression)
			}
		case cc.PrimaryExpressionString, cc.PrimaryExpressionLString:
			bytes, ok := stringBytes(x)
			if !ok {
				f.In.Refuse(CodeExpr, x, "this string is not supported")
			}
			text := string(bytes)
			if t, ok := x.Type().Undecay().(*cc.ArrayType); ok && int64(len(text)) < t.Size() {
				text += string(make([]byte, t.Size()-int64(len(text))))
			}
			o := f.Syms.stringObject(text, x)
			return Lvalue{Reg: ir.NoReg, Addr: ir.Addr(o, 0), Obj: o, Type: f.arrayType(x)}
		}
	case *cc.PostfixExpression:
		switch x.Case {
		case cc.PostfixExpressionIndex:
			f.Types.subscripted[Unparen(x.PostfixExpression)] = true
			a, i := firstWord(f.Exprs.anyOperand(x.PostfixExpression)), firstWord(f.Exprs.anyOperand(x.ExpressionList))
			if a.Elem == nil {
				a, i = i, a
			}
			if a.Elem == nil || i.Elem != nil || i.Type.Float {
				f.In.Refuse(CodeExpr, x, "this index is not supported")
			}
			f.checkSubscript(a, i, x)
			v := f.Exprs.pointerArithmetic(ir.Add, a, i, x)
			return Lvalue{Reg: ir.NoReg, Addr: v.Expr, Obj: v.Obj, Type: a.Elem, via: via{pointer: a.array == nil || a.array.pointer}, known: v.known}
		case cc.PostfixExpressionSelect:
			return f.member(f.Lvalue(x.PostfixExpression), x)
		case cc.PostfixExpressionPSelect:
			return f.member(f.Pointee(x.PostfixExpression), x)
		case cc.PostfixExpressionComplit:
			return f.compoundLiteral(x)
		case cc.PostfixExpressionCall:
			if IsStruct(x.Type()) {
				f.calls.call(x, true)
				return f.Vars.literals[x]
			}
		}
	case *cc.UnaryExpression:
		if x.Case == cc.UnaryExpressionDeref {
			return f.Pointee(x.CastExpression)
		}
	default:
		if IsStruct(e.Type()) {
			return f.structLvalue(e)
		}
	}
	f.In.Refuse(CodeExpr, e, "this is not an object in memory")
	panic("BUG: unreachable")
}

// compoundLiteral writes the object of a compound literal. Like a local, it is one
// object per activation.
func (f *Lvalues) compoundLiteral(x *cc.PostfixExpression) Lvalue {
	if f.Types.OfExpr(x).IsAtomic() {
		f.In.Refuse(CodeAtomic, x, "atomic compound literals are not supported")
	}
	if f.Code.static {
		return f.inits.staticLiteral(x)
	}
	l, ok := f.Vars.literals[x]
	if !ok {
		f.Vars.missing(x)
	}
	f.inits.initLocal(l, literalInit(x))
	return l
}

// arrayType is the type of a string literal before it decays.
func (f *Lvalues) arrayType(x *cc.PrimaryExpression) cc.Type {
	t := x.Type()
	if p, ok := t.(*cc.PointerType); ok {
		if a, ok := p.Undecay().(*cc.ArrayType); ok {
			return a
		}
	}
	if t.Kind() != cc.Array {
		f.In.Refuse(CodeExpr, x, "this string is not supported")
	}
	return t
}

// named is the lvalue of a variable or function.
func (f *Lvalues) named(x *cc.PrimaryExpression) Lvalue {
	d, ok := x.ResolvedTo().(*cc.Declarator)
	if !ok {
		f.In.Reject(CodeExpr, x, "%s is not a variable", x.Token.SrcStr())
	}
	if l, ok := f.Vars.vars[d]; ok {
		return l
	}
	s := f.Syms.Find(f.Unit, d)
	if d.Type().Kind() == cc.Function {
		if s == nil || s.Def == nil {
			s = f.Syms.addressed(d.Name())
		}
		if s == nil && f.Syms.undefinedWeak(d.Name()) {
			return Lvalue{Reg: ir.NoReg, Obj: ir.NoObject, Type: d.Type(), Addr: ir.Int(0)}
		}
		if s == nil {
			f.In.Refuse(CodeExtern, x, "%s has no body, and its address cannot be taken", d.Name())
		}
		fb := f.Syms.Function(s)
		fb.F.Pointer = true
		f.Syms.callableAs(fb.ID, s.Decl.Type().(*cc.FunctionType))
		return Lvalue{
			Reg: ir.NoReg, Obj: ir.NoObject, Type: d.Type(),
			Addr: &ir.Expr{Op: ir.FuncAddr, Type: ir.U64, Func: fb.ID},
		}
	}
	if s == nil || d.Linkage() == cc.None && f.Syms.locals[d] == nil {
		if d.Linkage() == cc.None && !d.IsStatic() { // a local that was refused
			f.Vars.missing(d)
		}
		f.In.Refuse(codeObject, x, "%s is declared and never defined", d.Name())
	}
	o := f.Syms.object(s, x)
	return Lvalue{Reg: ir.NoReg, Addr: ir.Addr(o, 0), Obj: o, Type: s.Decl.Type()}
}

// Pointee returns the lvalue that a pointer points to.
func (f *Lvalues) Pointee(e cc.ExpressionNode) Lvalue {
	v := f.Exprs.Operand(e)
	if v.Elem == nil {
		f.In.Reject(CodeExpr, e, "a pointer is needed here")
	}
	return Lvalue{Reg: ir.NoReg, Addr: v.Expr, Obj: v.Obj, Type: v.Elem, via: via{pointer: true}, known: v.known}
}

// member is a member of a struct or union.
func (f *Lvalues) member(l Lvalue, x *cc.PostfixExpression) Lvalue {
	name := x.Token2.SrcStr()
	var field *cc.Field
	switch t := l.Type.(type) {
	case *cc.StructType:
		field = t.FieldByName(name)
	case *cc.UnionType:
		field = t.FieldByName(name)
	}
	switch {
	case field == nil:
		f.In.Reject(read.CodeType, x, "%s has no member %s", l.Type, name)
	case l.Atomic:
		f.In.Refuse(CodeAtomic, x, "atomic structs are not supported")
	case l.Reg != ir.NoReg:
		panic("BUG: a member of a register")
	}
	if field.IsBitfield() {
		b := f.Layouts.bitField(field, x)
		known := alignedTo(int64(l.alignment()), b.off)
		l = f.Mem.Offset(l, b.off)
		l.Type, l.bits, l.known = field.Type(), &b, known
		return l
	}
	l.via = l.via.member(l.Type, field)
	known := alignedTo(int64(l.alignment()), field.Offset())
	l = f.Mem.Offset(l, field.Offset())
	l.Type, l.known = field.Type(), known
	return l
}

func (f *Lvalues) postfix(x *cc.PostfixExpression) Value {
	switch x.Case {
	case cc.PostfixExpressionPrimary:
		return f.Exprs.expr(x.PrimaryExpression)
	case cc.PostfixExpressionCall:
		return f.calls.call(x, true)
	case cc.PostfixExpressionInc:
		return f.step(x.PostfixExpression, ir.Add, true, x)
	case cc.PostfixExpressionDec:
		return f.step(x.PostfixExpression, ir.Sub, true, x)
	}
	f.decays(x)
	return f.Mem.Load(f.Lvalue(x), x)
}

// step is ++ or --; old says that the value before it is wanted.
func (f *Lvalues) step(e cc.ExpressionNode, op ir.ExprOp, old bool, n cc.Node) Value {
	l := f.Lvalue(e)
	one := Integer(ir.Int(1), ir.S32)
	if l.Atomic {
		was, is := f.Mem.atomicUpdate(l, op, one, n)
		if old {
			return was
		}
		return is
	}
	was := f.Mem.Load(l, n)
	if l.Reg != ir.NoReg && old {
		was = f.Code.Keep(was)
	}
	is := f.Exprs.Convert(f.Exprs.combine(op, was, one, n), l.Type, n)
	if l.bits != nil {
		is = l.bits.fit(is)
	}
	if l.Reg == ir.NoReg {
		is = f.Save(is)
	}
	f.Mem.Store(l, is, n)
	if old {
		return was
	}
	if l.Reg != ir.NoReg {
		is.Expr = ir.R(l.Reg)
	}
	return is
}

// Save keeps a value of some size in a register, so that it is computed once.
func (f *Lvalues) Save(v Value) Value {
	if v.Expr.Op == ir.RegRef && v.High == nil {
		return v
	}
	return f.Code.Keep(v)
}

var assignOps = map[cc.AssignmentExpressionCase]ir.ExprOp{
	cc.AssignmentExpressionMul: ir.Mul, cc.AssignmentExpressionDiv: ir.Div, cc.AssignmentExpressionMod: ir.Rem,
	cc.AssignmentExpressionAdd: ir.Add, cc.AssignmentExpressionSub: ir.Sub,
	cc.AssignmentExpressionLsh: ir.Shl, cc.AssignmentExpressionRsh: ir.Shr,
	cc.AssignmentExpressionAnd: ir.And, cc.AssignmentExpressionXor: ir.Xor, cc.AssignmentExpressionOr: ir.Or,
}

func (f *Lvalues) assignment(x *cc.AssignmentExpression) Value {
	if x.Case == cc.AssignmentExpressionCond {
		return f.Exprs.expr(x.ConditionalExpression)
	}
	l := f.Lvalue(x.UnaryExpression)
	op, compound := assignOps[x.Case]
	if compound && l.Atomic {
		_, is := f.Mem.atomicUpdate(l, op, f.Exprs.anyOperand(x.AssignmentExpression), x)
		return is
	}
	var v Value
	if compound {
		was := f.Mem.Load(l, x)
		v = f.Exprs.combine(op, was, f.Exprs.anyOperand(x.AssignmentExpression), x)
	} else {
		v = f.Exprs.anyOperand(x.AssignmentExpression)
	}
	v = f.Exprs.Convert(v, l.Type, x)
	if l.bits != nil {
		v = f.Save(l.bits.fit(v))
	}
	f.Mem.Store(l, v, x)
	if l.Reg != ir.NoReg {
		v.Expr = ir.R(l.Reg)
	}
	return v
}
