package elf

import (
	"fencepost/internal/frontend/elf/lift"
	"fencepost/internal/ir"
)

// Constants in registers: numbers and addresses that a register holds before an instruction, on every way to it.
// Compilers put what does not change in front of a loop, also the addresses of the functions that the loop calls.

// registers are the values of the general registers; nil: a value that is not known.
type registers [lift.Vector]*ir.Expr

// maxConstants bounds the instructions of a function of which constants are followed through branches.
const maxConstants = 20000

// constants returns what is known before the instructions. One that is not in the result is not reached.
func (f *function) constants() map[*inst]*registers {
	if f.kept != nil {
		return f.kept
	}
	f.kept = map[*inst]*registers{}
	first := f.insts[f.sym.Addr()]
	if len(f.order) > maxConstants || first == nil {
		return f.kept
	}
	f.kept[first] = &registers{}
	for todo := []*inst{first}; len(todo) > 0; {
		in := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if in.refused != "" || in.Inst == nil {
			continue
		}
		after := in.registersAfter(*f.kept[in])
		for _, n := range in.successors() {
			have := f.kept[n]
			if have == nil {
				state := after
				f.kept[n] = &state
				todo = append(todo, n)
				continue
			}
			if have.meet(&after) {
				todo = append(todo, n)
			}
		}
	}
	return f.kept
}

// meet forgets what is not known elsewhere, and reports whether there was such a value.
func (r *registers) meet(other *registers) bool {
	changed := false
	for i, v := range r {
		if v != nil && (other[i] == nil || !v.Equal(other[i])) {
			r[i], changed = nil, true
		}
	}
	return changed
}

// registersAfter returns what is known after an instruction.
func (in *inst) registersAfter(r registers) registers {
	before := r
	for i := range in.Ops {
		op := &in.Ops[i]
		var v *ir.Expr
		if op.Kind == ir.Assign {
			switch op.Val.Op {
			case ir.Const, ir.AddrOf, ir.FuncAddr:
				v = op.Val
			case ir.RegRef:
				if op.Val.Reg < lift.Vector {
					v = r[op.Val.Reg]
				}
			}
		}
		op.Defs(func(d ir.Reg) {
			if d < lift.Vector {
				r[d] = nil
			}
		})
		if v != nil && op.Dst < lift.Vector {
			r[op.Dst] = v
		}
	}
	if in.Guard != nil || in.End == lift.Repeat {
		r.meet(&before)
	}
	if in.isCall() {
		for i := range r {
			if volatileRegs.has(ir.Reg(i)) {
				r[i] = nil
			}
		}
	}
	return r
}

// constant returns the value of a register before an instruction: a number, or the address of data or of a function;
// nil: it is not known.
func (f *function) constant(in *inst, r ir.Reg) *ir.Expr {
	if have := f.constants()[in]; have != nil && r < lift.Vector {
		return have[r]
	}
	return nil
}

// keptCalls makes calls through registers that hold the address of one function calls of that function.
func (p *program) keptCalls(f *function) {
	for _, in := range f.order {
		if !in.pointer || in.refused != "" || in.End != lift.CallTo || in.Cond.Op != ir.RegRef {
			continue
		}
		to := f.constant(in, in.Cond.Reg)
		if to == nil || to.Op != ir.FuncAddr {
			continue
		}
		in.pointer = false
		if name := p.externOf(to); name != "" {
			in.extern = name
		} else if g := p.funcs[to.Func]; p.madeUp(g) { // a function of a library
			in.extern = g.sym.Name
		} else {
			in.callee = p.funcs[to.Func]
		}
	}
	f.kept = nil
}
