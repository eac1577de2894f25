package translate

import (
	"fencepost/internal/lang/c/parse"
	"fencepost/internal/lang/c/types"

	"fencepost/internal/ir"
)

// Structs as values. A struct that is no named object is an lvalue all the same: that
// of what a conditional chose, of what an assignment wrote, of the block a call
// wrote its result to. Arguments travel as their scalars, one parameter each; a
// function with a struct as result gets the address of a block of its caller's.

// structLvalue is where a struct lies that an operator gives.
func (f *Lvalues) structLvalue(e *parse.Expr) Lvalue {
	switch e.Op {
	case parse.Comma:
		f.Exprs.Effect(e.A)
		return f.designated(e.B)
	case parse.Cond:
		if e.B != nil {
			return f.chosenLvalue(e)
		}
	case parse.Assign:
		to := f.Lvalue(e.A)
		f.Mem.copyObject(to, f.Lvalue(e.B), e)
		return to
	case parse.Convert:
		if e.Field != nil {
			return f.asUnion(e)
		}
		if IsStruct(e.A.Type) {
			return f.designated(e.A)
		}
	}
	f.In.Refuse(codeAggregate, e, "a value of type %s is not supported here", e.Type)
	panic("BUG: unreachable")
}

// asUnion is a value as a union with a member of its type: a cast to the union, or an argument for a
// transparent union.
func (f *Lvalues) asUnion(e *parse.Expr) Lvalue {
	l, ok := f.Vars.literals[e]
	if !ok && f.Code.static {
		f.In.Refuse(codeInit, e, "the initialiser is not constant")
	} else if !ok {
		f.Vars.missing(e)
	}
	to := f.Mem.Offset(l, e.Field.Offset)
	to.Type, to.known = e.Field.Type, l.known
	if IsStruct(to.Type) {
		f.Mem.copyObject(to, f.Lvalue(e.A), e)
		return l
	}
	v := f.Arith.Convert(f.Exprs.anyOperand(e.A), to.Type, e)
	if e.Type.Size() > to.Type.Size() { // the other bytes are not known: zero
		for _, w := range Words(0, e.Type.Size()) {
			f.Mem.StoreWord(f.Mem.leaf(l, w), w.Typ, ir.Int(0))
		}
	}
	f.Mem.Store(to, v, e)
	return l
}

// chosenLvalue is the struct a conditional chooses.
func (f *Lvalues) chosenLvalue(x *parse.Expr) Lvalue {
	r := f.Code.Fb.Reg("p", 0, f.Code.Pos)
	f.Exprs.choose(r, x.A,
		func() *ir.Expr { return f.structAt(x.B).Addr },
		func() *ir.Expr { return f.structAt(x.C).Addr })
	return Lvalue{Reg: ir.NoReg, Addr: ir.R(r), Obj: ir.NoObject, Type: x.Type}
}

// structAt is the lvalue of a struct that must not be atomic.
func (f *Lvalues) structAt(e *parse.Expr) Lvalue {
	l := f.Lvalue(e)
	if l.Atomic {
		f.In.Refuse(CodeAtomic, e, "atomic structs are not supported")
	}
	if !IsStruct(l.Type) {
		f.In.Reject(codeAggregate, e, "a struct is needed here")
	}
	return l
}

// argumentWords are the words an argument travels in.
func (f *Lvalues) argumentWords(e *parse.Expr, t *types.Type) []*ir.Expr {
	if isWide(t) {
		v := f.Arith.Convert(f.Exprs.anyOperand(e), t, e)
		return []*ir.Expr{v.Expr, v.High}
	}
	if !IsStruct(t) {
		return []*ir.Expr{f.Arith.Convert(f.Exprs.anyOperand(e), t, e).Expr}
	}
	if words := f.transparent(e, t); words != nil {
		return words
	}
	from := f.structAt(e)
	var out []*ir.Expr
	for _, l := range f.Layouts.Leaves(t, e) {
		out = append(out, f.Mem.LoadWord(f.Mem.leaf(from, l), l.Typ, ir.Plain))
	}
	return out
}

// transparent passes an argument to a union that takes arguments of the types of its members
// (transparent_union), if the member is a number or a pointer that is all of the union. It returns nil for
// other arguments.
func (f *Lvalues) transparent(e *parse.Expr, t *types.Type) []*ir.Expr {
	if !asWord(e) {
		return nil
	}
	v := f.Exprs.Operand(e.A)
	return []*ir.Expr{Cast(v.Expr, v.Type, ir.Type{Bits: uint8(8 * t.Size())})}
}

// asWord reports whether an argument is a number or a pointer that is all of a union.
func asWord(e *parse.Expr) bool {
	if e.Op != parse.Convert || e.Field == nil || e.Field.Type.Size() != e.Type.Size() || len(Words(0, e.Type.Size())) != 1 {
		return false
	}
	_, scalar := IntType(e.Field.Type)
	return scalar
}

// words is how many words a parameter takes.
func (c *Layouts) words(t *types.Type, n parse.Node) int {
	if inWords(t) {
		return len(c.Leaves(t, n))
	}
	return 1
}

// hidden is how many parameters a function has beside those in its text: for a
// result of several words, and for variable arguments.
func hidden(t *types.Type) int {
	n := 0
	if inWords(t.Elem) {
		n++
	}
	if t.Variadic {
		n++
	}
	return n
}

// returnWords writes the result to the caller's block.
func (f *Lvalues) returnWords(e *parse.Expr, n parse.Node) {
	to := Lvalue{Reg: ir.NoReg, Addr: ir.R(f.Vars.resultAt), Obj: ir.NoObject, Type: f.Vars.result, known: wordSize}
	if isWide(f.Vars.result) {
		f.Mem.storePair(to, f.Arith.Convert(f.Exprs.expr(e), f.Vars.result, n))
		return
	}
	f.Mem.copyObject(to, f.structAt(e), n)
}
