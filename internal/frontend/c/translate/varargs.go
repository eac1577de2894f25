package translate

import (
	"fencepost/internal/lang/c/parse"
	"fencepost/internal/lang/c/types"

	"fencepost/internal/ir"
)

// Variable arguments. The caller writes them to a block of its own, as many slots of eight bytes as
// each needs, and passes its address; a va_list is a pointer into the block (include/predefined.h).
// It is not the array of a structure that the machine's ABI has: the address of the block would lie in memory
// then, and no pass could see any more that the block belongs to one thread.

const argumentSlot = 8

// variableArgs writes the arguments after the named ones and gives their address.
func (f *Calls) variableArgs(x *parse.Expr, args []*parse.Expr) *ir.Expr {
	if len(args) == 0 {
		return ir.Int(0)
	}
	l, ok := f.Vars.arguments[x]
	if !ok {
		f.Vars.missing(x)
	}
	var store []func(at Lvalue)
	for _, a := range args {
		if IsStruct(a.Type) {
			from := f.Lvals.Lvalue(a)
			store = append(store, func(at Lvalue) {
				at.Type, at.known = a.Type, wordSize
				f.Mem.copyObject(at, from, a)
			})
			continue
		}
		v := f.Exprs.anyOperand(a)
		if v.High != nil {
			v = f.Code.Keep(v)
			store = append(store, func(at Lvalue) {
				at.known = wordSize
				f.Mem.storePair(at, v)
			})
			continue
		}
		t := promoteArgument(v.Type)
		v = f.Code.Keep(Value{Expr: Cast(v.Expr, v.Type, t), Type: t})
		store = append(store, func(at Lvalue) { f.Mem.StoreWord(at, ir.U64, v.Expr) })
	}
	at := int64(0)
	for i, a := range args {
		store[i](f.Mem.Offset(l, at*argumentSlot))
		at += argumentSlots(a.Type)
	}
	return l.Addr
}

// argumentSlots is how many slots an argument of some type needs.
func argumentSlots(t *types.Type) int64 {
	if !inWords(t) {
		return 1
	}
	return (t.Size() + argumentSlot - 1) / argumentSlot
}

// variableSlots is how many slots the variable arguments of a call need.
func variableSlots(x *parse.Expr) int64 {
	n := int64(0)
	for _, a := range x.Args[len(x.Args)-variableCount(x):] {
		n += argumentSlots(a.Type)
	}
	return n
}

// variableCount is how many variable arguments a call has.
func variableCount(x *parse.Expr) int {
	t := x.A.Type
	if t.Kind == types.Pointer {
		t = t.Elem
	}
	if t.Kind != types.Function || !t.Variadic {
		return 0
	}
	return max(0, len(x.Args)-len(t.Params))
}
