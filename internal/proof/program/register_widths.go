package program

import (
	"slices"

	"fencepost/internal/ir"
)

// Widths of registers. Registers are words of 64 bits, and most of them hold numbers of a smaller
// type: every definition is a load of that type, an operation of that type, or a copy. With
// bit-vectors such a register is a vector of that type's width, extended. That leaves out no state,
// and the solver has less to do. It also says that the number is in the range of its type, which
// induction cannot find out from comparisons alone.

// kind describes the values of a register. The zero value says that it has none yet.
type kind struct {
	any    bool // words
	typ    ir.Type
	consts []int64 // of a register without a type, if not any
}

// join returns what is known of a value that is one of two.
func (x kind) join(y kind) kind {
	switch {
	case x.any || y.any:
		return kind{any: true}
	case x.typ.Bits == 0 && y.typ.Bits == 0:
		out := kind{consts: slices.Clone(x.consts)}
		for _, v := range y.consts {
			if !slices.Contains(out.consts, v) {
				out.consts = append(out.consts, v)
			}
		}
		return out
	case x.typ.Bits == 0:
		return y.join(x)
	case y.typ.Bits != 0 && y.typ != x.typ:
		return kind{any: true}
	}
	for _, v := range y.consts {
		if x.typ.Wrap(v) != v {
			return kind{any: true}
		}
	}
	return kind{typ: x.typ}
}

func (x kind) equal(y kind) bool {
	return x.any == y.any && x.typ == y.typ && slices.Equal(x.consts, y.consts)
}

// typed returns what is known of a value of a type.
func typed(t ir.Type) kind {
	if t.Bits == 0 || t.Bits >= 64 {
		return kind{any: true}
	}
	return kind{typ: t}
}

// RegisterWidths finds the types of the registers of all functions.
type RegisterWidths struct {
	p  *ir.Program
	of [][]kind // by function and register
}

// NewRegisterWidths returns the types of registers, as far as all their values have one. open has registers
// with any initial value.
func NewRegisterWidths(p *ir.Program, open map[ir.ThreadID]ir.Reg) *RegisterWidths {
	w := &RegisterWidths{p: p}
	for _, f := range p.Funcs {
		list := make([]kind, len(f.Regs))
		for r := range list {
			list[r] = kind{consts: []int64{f.Regs[r].Init}}
		}
		w.of = append(w.of, list)
	}
	for t := range p.Threads {
		th := &p.Threads[t]
		for r, v := range th.Args {
			w.define(th.Func, ir.Reg(r), kind{consts: []int64{v}})
		}
		if r, ok := open[ir.ThreadID(t)]; ok {
			w.define(th.Func, r, kind{any: true})
		}
	}
	for changed := true; changed; {
		changed = false
		for f := range p.Funcs {
			for i := range p.Funcs[f].Edges {
				if w.step(ir.FuncID(f), &p.Funcs[f].Edges[i].Op) {
					changed = true
				}
			}
		}
	}
	return w
}

// define adds a value to a register, and reports a change.
func (w *RegisterWidths) define(f ir.FuncID, r ir.Reg, k kind) bool {
	if r == ir.NoReg {
		return false
	}
	old := w.of[f][r]
	w.of[f][r] = old.join(k)
	return !old.equal(w.of[f][r])
}

// step adds the values that an operation defines, and reports a change.
func (w *RegisterWidths) step(f ir.FuncID, op *ir.Op) bool {
	switch op.Kind {
	case ir.Load, ir.Await:
		return w.define(f, op.Dst, typed(op.Type))
	case ir.RMW:
		changed := w.define(f, op.Dst, typed(op.Type))
		return w.define(f, op.Dst2, kind{consts: []int64{0, 1}}) || changed
	case ir.Assign:
		return w.define(f, op.Dst, w.value(f, op.Val))
	case ir.Lock, ir.TryLock, ir.Unlock:
		return w.define(f, op.Dst, kind{consts: []int64{0, ir.EBUSY}})
	}
	changed := false
	op.Defs(func(r ir.Reg) { changed = w.define(f, r, kind{any: true}) || changed })
	if op.Kind == ir.Spawn {
		for _, t := range op.Call.Threads {
			for i, x := range op.Call.Args {
				changed = w.define(w.p.Threads[t].Func, ir.Reg(i), w.value(f, x)) || changed
			}
		}
	}
	return changed
}

// value returns what is known of the value of an expression.
func (w *RegisterWidths) value(f ir.FuncID, e *ir.Expr) kind {
	switch {
	case e.Op == ir.Const:
		return kind{consts: []int64{e.Value}}
	case e.Op == ir.RegRef:
		return w.of[f][e.Reg]
	case e.Op == ir.Ite:
		return w.value(f, e.Y).join(w.value(f, e.Z))
	case e.Op.IsCompare() || e.Op == ir.Not || e.Op == ir.LAnd || e.Op == ir.LOr:
		return kind{consts: []int64{0, 1}}
	case e.Op == ir.Cast || e.Op == ir.Neg || e.Op == ir.BitNot:
		return typed(e.Type)
	}
	switch e.Op {
	case ir.Add, ir.Sub, ir.Mul, ir.Div, ir.Rem, ir.And, ir.Or, ir.Xor, ir.Shl, ir.Shr:
		return typed(e.Type)
	}
	return kind{any: true}
}

// TypeOf returns the type of a register, or false if it is a word.
func (w *RegisterWidths) TypeOf(f ir.FuncID, r ir.Reg) (ir.Type, bool) {
	t := w.of[f][r].typ
	return t, t.Bits != 0 && !w.of[f][r].any
}

// FitsType returns the condition that a register has a value of a type.
func FitsType(r *ir.Expr, t ir.Type, cond *ir.Expr) *ir.Expr {
	in := ir.Binary(ir.Eq, ir.S64, r, ir.Unary(ir.Cast, t, r))
	if cond == nil {
		return in
	}
	return ir.Binary(ir.LAnd, ir.S64, in, cond)
}
