package translate

import (
	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// code makes the edges of a function, in the order of execution, and its registers.
type code struct {
	*lowering
	fb     *ir.FuncBuilder
	static bool // a static initialiser: nothing may be emitted

	at    ir.Loc      // the current location, or nowhere
	fresh bool        // at was made by the last edge and nothing else leads there
	pos   source.Span // of the full expression being translated

	temps []ir.Reg
	inUse int // temps that hold values of the current full expression
	floor int // temps that hold values of the expression around a statement expression

	// straight are the edges that are the only way on from where they start, see goesOn.
	straight map[ir.EdgeID]bool
}

// nowhere is the current location after a jump.
const nowhere ir.Loc = -1

// emit adds an edge from where we are to a new location.
func (f *code) emit(op ir.Op) {
	if f.static {
		f.in.errorf(codeInit, f.pos, "the initialiser is not constant")
		panic(refusal{})
	}
	if f.at == nowhere {
		f.at = f.fb.Loc("", f.pos)
	}
	to := f.fb.Loc("", f.pos)
	f.fb.Edge(f.at, op, to, f.pos)
	f.at, f.fresh = to, true
}

// jump goes on at a location. The last edge is bent there where nothing else
// leads to its end.
func (f *code) jump(to ir.Loc) {
	if f.at == nowhere {
		return
	}
	if n := len(f.fb.F.Edges); f.fresh && n > 0 && f.fb.F.Edges[n-1].To == f.at {
		f.fb.F.Edges[n-1].To = to
	} else {
		f.fb.Edge(f.at, ir.NewOp(ir.Nop), to, f.pos)
	}
	f.at, f.fresh = nowhere, false
}

// here continues at a location others lead to.
func (f *code) here(l ir.Loc) {
	f.jump(l)
	f.at, f.fresh = l, false
}

func (f *code) label(name string) ir.Loc { return f.fb.Loc(name, f.pos) }

// assume adds a branch.
func (f *code) assume(from ir.Loc, cond *ir.Expr, to ir.Loc) {
	if v, ok := cond.IsConst(); ok {
		if v != 0 {
			f.fb.Edge(from, ir.NewOp(ir.Nop), to, f.pos)
		}
		return
	}
	op := ir.NewOp(ir.Assume)
	op.Val = cond
	f.fb.Edge(from, op, to, f.pos)
}

// start makes sure that there is a current location, and that no edge into it is
// bent any more.
func (f *code) start() ir.Loc {
	if f.static {
		f.in.errorf(codeInit, f.pos, "the initialiser is not constant")
		panic(refusal{})
	}
	if f.at == nowhere {
		f.at = f.fb.Loc("", f.pos)
	}
	f.fresh = false
	return f.at
}

// temp is a register for a value of the current full expression.
func (f *code) temp() ir.Reg {
	if f.static {
		f.in.errorf(codeInit, f.pos, "the initialiser is not constant")
		panic(refusal{})
	}
	if f.inUse == len(f.temps) {
		f.temps = append(f.temps, f.fb.Reg("t", 0, f.pos))
	}
	f.inUse++
	return f.temps[f.inUse-1]
}

func (f *code) assign(r ir.Reg, v *ir.Expr) {
	op := ir.NewOp(ir.Assign)
	op.Dst, op.Val = r, v
	f.emit(op)
}

// keep holds a value that mentions registers in a register of its own.
func (f *code) keep(v value) value {
	if _, ok := v.e.IsConst(); ok || v.e.Op == ir.AddrOf || v.e.Op == ir.FuncAddr {
		return v
	}
	r := f.tempFor(v)
	f.assign(r, v.e)
	v.e = ir.R(r)
	return v
}

// tempFor is a temporary for a value. A pointer gets a register that holds nothing
// else, so that passes can tell where addresses go.
func (f *code) tempFor(v value) ir.Reg {
	if v.elem == nil || f.static {
		return f.temp()
	}
	return f.fb.Reg("p", 0, f.pos)
}

// check is an assertion.
func (f *code) check(cond *ir.Expr, class ir.CheckClass, msg string) {
	op := ir.NewOp(ir.Assert)
	op.Val, op.Class, op.Msg = cond, class, msg
	f.emit(op)
}

// goesOn says of the last edge that it is the only way on: no branch, but an
// assumption or a mark.
func (f *code) goesOn() {
	if f.straight == nil {
		f.straight = map[ir.EdgeID]bool{}
	}
	f.straight[f.fb.F.Edges[len(f.fb.F.Edges)-1].ID] = true
}
