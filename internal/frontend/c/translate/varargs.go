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

// variableSlots is how many slots the variable arguments of a call of a function with a body need.
func (f *Storage) variableSlots(x *parse.Expr) int64 {
	t, named := f.callee(x)
	if t == nil || !t.Variadic || named > len(x.Args) {
		return 0
	}
	n := int64(0)
	for _, a := range x.Args[named:] {
		n += argumentSlots(a.Type)
	}
	return n
}

// callee returns the type of the function that a call is of, and how many parameters it has. The type is nil if
// the function has a name and no body.
func (f *Storage) callee(x *parse.Expr) (t *types.Type, named int) {
	d := VariableOf(x.A)
	if x.Op != parse.Builtin && (d == nil || d.Kind != parse.Function) {
		if t = x.A.Type; t.Kind == types.Pointer {
			t = t.Elem
		}
		return t, len(t.Params)
	}
	s := f.Syms.Find(f.Unit, d)
	if s == nil || s.Def == nil {
		if s = f.Syms.builtin(d.Text); s == nil || f.Syms.library.Functions[d.Text].Lower != nil {
			return nil, 0
		}
	}
	return s.Decl.Type, len(s.parameters())
}

// modelled reports whether a call is of a function by name that has no body.
func (f *Storage) modelled(x *parse.Expr) bool {
	t, _ := f.callee(x)
	return t == nil
}
