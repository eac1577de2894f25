package translate

import (
	"fencepost/internal/frontend/c/translate/read"
	"fencepost/internal/lang/c/lex"
	"fencepost/internal/lang/c/parse"
	"fencepost/internal/lang/c/types"

	"fencepost/internal/ir"
)

// Lvalue returns the object that an expression designates.
func (f *Lvalues) Lvalue(e *parse.Expr) Lvalue {
	for e.Op == parse.Load {
		e = e.A
	}
	l := f.designated(e)
	l.Atomic = isAtomic(e.Type) && l.Type.Kind != types.Array
	l.Relaxed = e.Type.Qual&types.Volatile != 0 && (f.Code.Opt.VolatileIsAtomic || f.inKernelHeader(e))
	if l.Atomic && l.bits != nil {
		f.In.Refuse(CodeAtomic, e, "atomic bit-fields are not supported")
	}
	if l.Atomic && l.misplaced() {
		f.Mem.refuseMisplaced(e)
	}
	return l
}

// kernelAccesses is the header with READ_ONCE and WRITE_ONCE.
const kernelAccesses = read.HeaderDir + "/fencepost/linux_barriers.h"

// inKernelHeader reports whether an expression is written in the header with the accesses of the Linux kernel, which are
// relaxed atomics.
func (f *Lvalues) inKernelHeader(e *parse.Expr) bool {
	s := f.In.Tree.Source
	return e.Op == parse.Deref && f.In.Files[kernelAccesses] != nil && s.Space.Position(s.Tokens[e.Tok].Pos).File == kernelAccesses
}

// isAtomic reports whether objects of a type are _Atomic.
func isAtomic(t *types.Type) bool { return t.Qual&types.Atomic != 0 }

func (f *Lvalues) designated(e *parse.Expr) Lvalue {
	switch e.Op {
	case parse.Load:
		return f.designated(e.A)
	case parse.Name:
		return f.named(e)
	case parse.StmtExpr:
		return f.Exprs.statementLvalue(e)
	case parse.StringConst:
		o := f.Syms.stringObject(string(stringBytes(e, e.Type.Size())), f.In.Span(e))
		return Lvalue{Reg: ir.NoReg, Addr: ir.Addr(o, 0), Obj: o, Type: e.Type}
	case parse.Deref:
		if f.isSubscript(e) {
			return f.subscript(e)
		}
		return f.Pointee(e.A)
	case parse.Member:
		base := e.A
		if base.Op == parse.Deref {
			return f.member(f.designated(base), e)
		}
		return f.member(f.Lvalue(base), e)
	case parse.Literal:
		return f.compoundLiteral(e)
	case parse.Call, parse.Builtin:
		if IsStruct(e.Type) {
			return f.returned(e)
		}
	default:
		if IsStruct(e.Type) {
			return f.structLvalue(e)
		}
	}
	f.In.Refuse(CodeExpr, e, "this is not an object in memory")
	panic("BUG: unreachable")
}

// returned is the struct that a call returns.
func (f *Lvalues) returned(e *parse.Expr) Lvalue {
	if e.Op == parse.Builtin {
		return f.Atomics.atomicValue(e)
	}
	f.calls.call(e, true)
	return f.Vars.literals[e]
}

// isSubscript reports whether an expression is written with brackets.
func (f *Lvalues) isSubscript(e *parse.Expr) bool {
	return e.Op == parse.Deref && e.A.Op == parse.Add && f.In.Tree.Source.Tokens[e.Tok].Kind == lex.LBracket
}

// subscript is a[i].
func (f *Lvalues) subscript(e *parse.Expr) Lvalue {
	f.Types.subscripted[e.A.A.Bare()] = true
	a, i := firstWord(f.Exprs.anyOperand(e.A.A)), firstWord(f.Exprs.anyOperand(narrower(e.A.B)))
	if a.Elem == nil || i.Elem != nil || i.Type.Float {
		f.In.Refuse(CodeExpr, e, "this index is not supported")
	}
	f.checkSubscript(a, i, e)
	v := f.Arith.pointerArithmetic(ir.Add, a, i, e)
	return Lvalue{Reg: ir.NoReg, Addr: v.Expr, Obj: v.Obj, Type: a.Elem, via: via{pointer: a.array == nil || a.array.pointer}, known: v.known}
}

// narrower returns an integer without its promotion, so that its type says more about its value.
func narrower(e *parse.Expr) *parse.Expr {
	for e.Op == parse.Convert && e.Implicit && e.Type.IsInteger() && e.A.Type.IsInteger() && e.A.Type.Size() <= e.Type.Size() {
		e = e.A
	}
	return e
}

// compoundLiteral writes the object of a compound literal. Like a local, it is one
// object per activation.
func (f *Lvalues) compoundLiteral(x *parse.Expr) Lvalue {
	if isAtomic(x.Type) {
		f.In.Refuse(CodeAtomic, x, "atomic compound literals are not supported")
	}
	if f.Code.static || x.Obj.Global {
		return f.inits.staticLiteral(x)
	}
	l, ok := f.Vars.literals[x]
	if !ok {
		f.Vars.missing(x)
	}
	f.inits.initLocal(l, x.Obj.Init, x)
	return l
}

// named is the lvalue of a variable or function.
func (f *Lvalues) named(x *parse.Expr) Lvalue {
	d := x.Obj
	if l, ok := f.Vars.vars[d]; ok {
		return l
	}
	s := f.Syms.Find(f.Unit, d)
	if d.Kind != parse.Variable {
		return f.function(x, s)
	}
	if s == nil || linkage(d) == noLinkage && f.Syms.locals[d] == nil {
		if linkage(d) == noLinkage && !d.Global { // a local that was refused
			f.Vars.missing(d)
		}
		f.In.Refuse(codeObject, x, "%s is declared and never defined", d.Text)
	}
	o := f.Syms.object(s, f.In, x)
	return Lvalue{Reg: ir.NoReg, Addr: ir.Addr(o, 0), Obj: o, Type: s.Decl.Type}
}

// function is a function, whose address is taken.
func (f *Lvalues) function(x *parse.Expr, s *symbol) Lvalue {
	d := x.Obj
	if s == nil || s.Def == nil {
		s = f.Syms.addressed(d.Text)
	}
	if s == nil && f.Syms.undefinedWeak(d.Text) {
		return Lvalue{Reg: ir.NoReg, Obj: ir.NoObject, Type: d.Type, Addr: ir.Int(0)}
	}
	if s == nil {
		f.In.Refuse(CodeExtern, x, "%s has no body, and its address cannot be taken", d.Text)
	}
	fb := f.Syms.Function(s)
	fb.F.Pointer = true
	f.Syms.callableAs(fb.ID, s.Decl.Type)
	return Lvalue{
		Reg: ir.NoReg, Obj: ir.NoObject, Type: d.Type,
		Addr: &ir.Expr{Op: ir.FuncAddr, Type: ir.U64, Func: fb.ID},
	}
}

// Pointee returns the lvalue that a pointer points to.
func (f *Lvalues) Pointee(e *parse.Expr) Lvalue {
	v := f.Exprs.Operand(e)
	if v.Elem == nil {
		f.In.Reject(CodeExpr, e, "a pointer is needed here")
	}
	return Lvalue{Reg: ir.NoReg, Addr: v.Expr, Obj: v.Obj, Type: v.Elem, via: via{pointer: true}, known: v.known}
}

// member is a member of a struct or union.
func (f *Lvalues) member(l Lvalue, x *parse.Expr) Lvalue {
	field := x.Field
	switch {
	case l.Atomic:
		f.In.Refuse(CodeAtomic, x, "atomic structs are not supported")
	case l.Reg != ir.NoReg:
		panic("BUG: a member of a register")
	}
	if field.IsBitField() {
		b := f.Layouts.bitField(field, x)
		known := alignedTo(int64(l.alignment()), b.off)
		l = f.Mem.Offset(l, b.off)
		l.Type, l.bits, l.known = x.Type, &b, known
		return l
	}
	l.via = l.via.member(field)
	known := alignedTo(int64(l.alignment()), field.Offset)
	l = f.Mem.Offset(l, field.Offset)
	l.Type, l.known = x.Type, known
	return l
}

// step is ++ or --; old says that the value before it is wanted.
func (f *Lvalues) step(e *parse.Expr, op ir.ExprOp, old bool, n parse.Node) Value {
	l := f.Lvalue(e)
	one := Integer(ir.Int(1), ir.S32)
	if l.Atomic {
		was, is := f.Atomics.atomicUpdate(l, op, one, n)
		if old {
			return was
		}
		return is
	}
	was := f.Mem.Load(l, n)
	if l.Reg != ir.NoReg && old {
		was = f.Code.Keep(was)
	}
	is := f.Arith.Convert(f.Arith.combine(op, was, one, n), l.Type, n)
	if l.bits != nil {
		is = l.bits.fit(is)
	}
	if l.Reg == ir.NoReg {
		is = f.Code.Save(is)
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

func (f *Lvalues) assignment(x *parse.Expr) Value {
	if IsStruct(x.Type) {
		f.structLvalue(x)
		return Value{Void: true, Obj: ir.NoObject}
	}
	op, compound := binaryOps[x.With]
	compound = compound && x.Op == parse.AssignOp
	if compound && !isAtomic(x.A.Type) && hasEffects(x.B) { // as gcc has it: the old value is read after them
		by := f.Code.Keep(f.Exprs.anyOperand(x.B))
		l := f.Lvalue(x.A)
		return f.assign(l, f.Arith.combine(op, f.Mem.Load(l, x), by, x), x)
	}
	l := f.Lvalue(x.A)
	if compound && l.Atomic {
		_, is := f.Atomics.atomicUpdate(l, op, f.Exprs.anyOperand(x.B), x)
		return is
	}
	if compound {
		was := f.Mem.Load(l, x)
		return f.assign(l, f.Arith.combine(op, was, f.Exprs.anyOperand(x.B), x), x)
	}
	return f.assign(l, f.Exprs.anyOperand(x.B), x)
}

// assign writes a value to an object. It returns the value of the assignment.
func (f *Lvalues) assign(l Lvalue, v Value, x *parse.Expr) Value {
	v = f.Arith.Convert(v, l.Type, x)
	if l.bits != nil {
		v = f.Code.Save(l.bits.fit(v))
	}
	f.Mem.Store(l, v, x)
	if l.Reg != ir.NoReg {
		v.Expr = ir.R(l.Reg)
	}
	return v
}

// hasEffects reports whether evaluating an expression may change an object, or is seen by others.
func hasEffects(e *parse.Expr) bool {
	found := false
	visit := parse.Visitor{Expr: func(x *parse.Expr) bool {
		switch x.Op {
		case parse.Call, parse.Builtin, parse.Assign, parse.AssignOp, parse.PreInc, parse.PreDec, parse.PostInc, parse.PostDec, parse.StmtExpr:
			found = true
		case parse.Load:
			found = found || x.A.Type.Qual&types.Volatile != 0 || isAtomic(x.A.Type)
		}
		return !found
	}}
	visit.Exprs(e)
	return found
}
