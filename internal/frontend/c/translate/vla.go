package translate

import (
	"fencepost/internal/lang/c/parse"
	"fencepost/internal/lang/c/types"

	"fencepost/internal/frontend/c/translate/read"
	"fencepost/internal/ir"
)

// Arrays of variable length: one dimension of it, in a function. The block is made
// where the declaration is run, and lives until it is run again or the function
// returns.

// variableArray is an array whose length is known when its declaration runs.
type variableArray struct {
	addr, size ir.Reg
	elem       *types.Type
	length     *parse.Expr
}

// isVariable reports whether t is an array whose own length is not constant.
func isVariable(t *types.Type) bool {
	return t.Kind == types.Array && t.Len == types.Variable && parse.LengthOf(t) != nil
}

// declareVariable reserves the registers of such an array.
func (f *Storage) declareVariable(d *parse.Object) {
	t := d.Type
	f.Types.checkArray(t.Elem, d)
	if t.Elem.IsIncomplete() || t.Elem.Size() <= 0 {
		f.In.Reject(read.CodeType, d, "the elements of %s have no size", d.Text)
	}
	pos := f.In.Span(d)
	v := &variableArray{
		addr: f.Code.Fb.Reg(d.Text, 0, pos), size: f.Code.Fb.Reg(d.Text+".size", 0, pos),
		elem: t.Elem, length: parse.LengthOf(t),
	}
	f.blocks = append(f.blocks, v.addr)
	f.arrays[d] = v
	f.vars[d] = Lvalue{Reg: ir.NoReg, Addr: ir.R(v.addr), Type: t, Obj: ir.NoObject}
}

// makeVariable runs the declaration.
func (f *Statements) makeVariable(v *variableArray, n parse.Node) {
	f.Code.begin(n)
	length := f.Code.Keep(f.Exprs.IntegerOperand(v.length))
	f.Code.Check(ir.Binary(ir.Gt, ir.S64, length.Expr, ir.Int(0)), ir.OutOfBounds, "the length of an array must be positive")
	f.Code.Assign(v.size, Scaled(length.Expr, v.elem.Size()))
	free := ir.NewOp(ir.Free) // of the round before; null at first
	free.Addr, free.Stack = ir.R(v.addr), true
	f.Code.Emit(free)
	op := ir.NewOp(ir.Alloc)
	op.Dst, op.Val, op.Stack, op.Align = v.addr, ir.R(v.size), true, f.Vars.BlockAlign(int64(v.elem.Align()), n)
	op.Undef = f.Opt.Undefined
	f.Code.Emit(op)
}

// StackBlock makes a block that lives until the function returns: alloca. Of a call that is executed
// several times, only the last block ends with the function.
func (f *Storage) StackBlock(size *ir.Expr) ir.Reg {
	op := ir.NewOp(ir.Alloc)
	op.Dst, op.Val, op.Stack = f.Code.Fb.Reg("alloca", 0, f.Code.Pos), size, true
	op.Undef = f.Opt.Undefined
	f.blocks = append(f.blocks, op.Dst)
	f.Code.Emit(op)
	return op.Dst
}

// variableSize is sizeof of an array of variable length.
func (f *Expressions) variableSize(x *parse.Expr) (Value, bool) {
	if x.A != nil {
		if v := f.Vars.arrays[VariableOf(x.A)]; v != nil {
			return Integer(ir.R(v.size), ir.U64), true
		}
		return Value{}, false
	}
	if !isVariable(x.Of) || !lengthsIn(x.Of) {
		return Value{}, false
	}
	return f.typeSize(x.Of), true
}

// typeSize evaluates the size of a type of variable length, such as int[n][4].
func (f *Expressions) typeSize(t *types.Type) Value {
	n := f.Code.Keep(f.IntegerOperand(parse.LengthOf(t)))
	elem := ir.Int(t.Elem.Size())
	if isVariable(t.Elem) {
		elem = f.typeSize(t.Elem).Expr
	}
	return Integer(ir.Binary(ir.Mul, ir.U64, Cast(n.Expr, n.Type, ir.U64), elem), ir.U64)
}

// lengthsIn reports whether the lengths of a type stand in its name. Else they stand in a typedef, which
// evaluates them where it is declared.
func lengthsIn(t *types.Type) bool {
	for ; isVariable(t); t = t.Elem {
		if t.Typedef != "" {
			return false
		}
	}
	return true
}
