package translate

import (
	"fencepost/internal/lang/c/parse"
	"fencepost/internal/lang/c/types"

	"fencepost/internal/frontend/c/translate/read"
	"fencepost/internal/ir"
)

// Arrays of variable length. A length is evaluated where the declaration, the type of a cast or the operand of sizeof
// that writes it is run, and kept in a register: a typedef and the types that are made of it share one. The block of
// an array is made where its declaration is run, and lives until it is run again or the function returns.

// variableLength is the length of an array type.
type variableLength struct {
	reg ir.Reg
	// owner evaluates the length: the declaration or the expression that mentions the type first.
	owner any
}

// length returns the number of elements of an array.
func (f *Code) length(t *types.Type, n parse.Node) *ir.Expr {
	if t.Len >= 0 {
		return ir.Int(t.Len)
	}
	v, ok := f.lengths[parse.LengthOf(t)]
	if !ok {
		f.In.Refuse(codeVLA, n, "variable-length arrays are not supported here")
	}
	return ir.R(v.reg)
}

// variableSize returns the size of an array some of whose dimensions are variable.
func (f *Code) variableSize(t *types.Type, n parse.Node) *ir.Expr {
	size := ir.Int(elementSize(t))
	for ; t.IsVariable(); t = t.Elem {
		if t.Kind != types.Array {
			f.In.Refuse(codeVLA, n, "variable-length arrays are not supported here")
		}
		size = ir.Binary(ir.Mul, ir.S64, size, f.length(t, n))
	}
	return size
}

// elementSize returns the size of the elements of a type that have a constant size: it divides the size of the type.
func elementSize(t *types.Type) int64 {
	for t.IsVariable() && t.Kind == types.Array {
		t = t.Elem
	}
	return t.Size()
}

// lengthsOf evaluates the lengths in a type that belong to an owner.
func (f *Expressions) lengthsOf(t *types.Type, owner any, n parse.Node) {
	for ; t != nil && (t.Kind == types.Array || t.Kind == types.Pointer); t = t.Elem {
		e := parse.LengthOf(t)
		if t.Len != types.Variable || e == nil {
			continue
		}
		v, known := f.Code.lengths[e]
		if !known {
			v = variableLength{reg: f.Code.Fb.Reg("length", 0, f.In.Span(n)), owner: owner}
		}
		if v.owner == owner {
			f.Code.Assign(v.reg, f.IntegerOperand(e).Expr)
			f.Code.lengths[e] = v
		}
	}
}

// declareVariable reserves the register of the address of an array.
func (f *Storage) declareVariable(d *parse.Object) {
	if size := elementSize(d.Type); size <= 0 {
		f.In.Reject(read.CodeType, d, "the elements of %s have no size", d.Text)
	}
	r := f.Code.Fb.Reg(d.Text, 0, f.In.Span(d))
	f.blocks = append(f.blocks, r)
	f.arrays[d] = r
	f.vars[d] = Lvalue{Reg: ir.NoReg, Addr: ir.R(r), Type: d.Type, Obj: ir.NoObject, via: via{block: true}}
}

// makeVariable makes the block of an array whose lengths are known.
func (f *Statements) makeVariable(d *parse.Object, n parse.Node) {
	addr := f.Vars.arrays[d]
	for t := d.Type; t.IsVariable(); t = t.Elem {
		if t.Len == types.Variable {
			f.Code.Check(ir.Binary(ir.Gt, ir.S64, f.Code.length(t, n), ir.Int(0)), ir.OutOfBounds, "the length of an array must be positive")
		}
	}
	free := ir.NewOp(ir.Free) // of the round before; null at first
	free.Addr, free.Block.Stack = ir.R(addr), true
	f.Code.Emit(free)
	op := ir.NewOp(ir.Alloc)
	op.Dst, op.Val, op.Block.Stack, op.Block.Align = addr, f.Code.variableSize(d.Type, n), true, f.Vars.BlockAlign(declaredAlign(d), n)
	op.Block.Undef = f.Opt.Undefined()
	f.Code.Emit(op)
}

// StackBlock makes a block that lives until the function returns: alloca. Of a call that is executed
// several times, only the last block ends with the function.
func (f *Storage) StackBlock(size *ir.Expr) ir.Reg {
	op := ir.NewOp(ir.Alloc)
	op.Dst, op.Val, op.Block.Stack = f.Code.Fb.Reg("alloca", 0, f.Code.Pos), size, true
	op.Block.Undef = f.Opt.Undefined()
	f.blocks = append(f.blocks, op.Dst)
	f.Code.Emit(op)
	return op.Dst
}

// variableSize is sizeof of a type of variable length. Of an operand, only its effects are evaluated, as in gcc:
// p = malloc(sizeof *p) reads no p.
func (f *Expressions) variableSize(x *parse.Expr) Value {
	if x.A != nil && hasEffects(x.A) {
		f.Lvals.Lvalue(x.A)
	}
	f.lengthsOf(x.Of, x, x)
	return Integer(f.Code.variableSize(x.Of, x), ir.U64)
}
