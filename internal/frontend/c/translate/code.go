package translate

import (
	"fencepost/internal/lang/c/parse"

	"fencepost/internal/frontend/c/translate/read"
	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// Code makes the edges of a function, in the order of execution, and its registers.
type Code struct {
	Opt    *Options
	In     *read.Unit
	Fb     *ir.FuncBuilder
	static bool // a static initialiser: nothing may be emitted

	At    ir.Loc      // the current location, or nowhere
	Fresh bool        // at was made by the last edge and nothing else leads there
	Pos   source.Span // of the full expression being translated

	temps []ir.Reg
	inUse int // temps that hold values of the current full expression
	floor int // temps that hold values of the expression around a statement expression

	// lengths has the lengths of arrays, by their expressions, once what evaluates them is translated.
	lengths map[*parse.Expr]variableLength

	refuses bool // something in the function has no translation
	machine bool // inside inline assembly
	// cleanups are the locals with the attribute cleanup whose scope control is in.
	cleanups []cleanup

	// straight are the edges that are the only way on from where they start, see goesOn.
	Straight map[ir.EdgeID]bool
}

// Nowhere is the current location after a jump.
const Nowhere ir.Loc = -1

// begin starts a full expression: its edges carry the position of n.
func (f *Code) begin(n parse.Node) {
	f.Pos = f.In.Span(n)
	f.inUse = f.floor
}

// Emit adds an edge from where we are to a new location.
func (f *Code) Emit(op ir.Op) {
	if f.static {
		panic(f.In.NotSupported(codeInit, f.Pos, "the initialiser is not constant"))
	}
	if f.At == Nowhere {
		f.At = f.Fb.Loc("", f.Pos)
	}
	if f.machine && (op.Accesses() || op.Kind == ir.Fence) {
		op.Sync.Marks |= ir.Machine
	}
	to := f.Fb.Loc("", f.Pos)
	f.Fb.Edge(f.At, op, to, f.Pos)
	f.At, f.Fresh = to, true
}

// edges returns how many edges the function has so far.
func (f *Code) edges() int {
	if f.Fb == nil {
		return 0
	}
	return len(f.Fb.F.Edges)
}

// Jump goes on at a location. The last edge is bent there where nothing else
// leads to its end.
func (f *Code) Jump(to ir.Loc) {
	if f.At == Nowhere {
		return
	}
	if n := len(f.Fb.F.Edges); f.Fresh && n > 0 && f.Fb.F.Edges[n-1].To == f.At {
		f.Fb.F.Edges[n-1].To = to
	} else {
		f.Fb.Edge(f.At, ir.NewOp(ir.Nop), to, f.Pos)
	}
	f.At, f.Fresh = Nowhere, false
}

// Here continues at a location others lead to.
func (f *Code) Here(l ir.Loc) {
	f.Jump(l)
	f.At, f.Fresh = l, false
}

// Label returns a new location.
func (f *Code) Label(name string) ir.Loc { return f.Fb.Loc(name, f.Pos) }

// Assume adds a branch.
func (f *Code) Assume(from ir.Loc, cond *ir.Expr, to ir.Loc) {
	if v, ok := cond.IsConst(); ok {
		if v != 0 {
			f.Fb.Edge(from, ir.NewOp(ir.Nop), to, f.Pos)
		}
		return
	}
	op := ir.NewOp(ir.Assume)
	op.Val = cond
	f.Fb.Edge(from, op, to, f.Pos)
}

// Start makes sure that there is a current location, and that no edge into it is
// bent any more.
func (f *Code) Start() ir.Loc {
	if f.static {
		panic(f.In.NotSupported(codeInit, f.Pos, "the initialiser is not constant"))
	}
	if f.At == Nowhere {
		f.At = f.Fb.Loc("", f.Pos)
	}
	f.Fresh = false
	return f.At
}

// Temp is a register for a value of the current full expression.
func (f *Code) Temp() ir.Reg {
	if f.static {
		panic(f.In.NotSupported(codeInit, f.Pos, "the initialiser is not constant"))
	}
	if f.inUse == len(f.temps) {
		f.temps = append(f.temps, f.Fb.Reg("t", 0, f.Pos))
	}
	f.inUse++
	return f.temps[f.inUse-1]
}

// Assign sets a register.
func (f *Code) Assign(r ir.Reg, v *ir.Expr) {
	op := ir.NewOp(ir.Assign)
	op.Dst, op.Val = r, v
	f.Emit(op)
}

// Keep holds a value that mentions registers in a register of its own.
func (f *Code) Keep(v Value) Value {
	if v.High != nil {
		low, high := Integer(v.Expr, ir.U64), Integer(v.High, ir.U64)
		v.Expr, v.High = f.Keep(low).Expr, f.Keep(high).Expr
		return v
	}
	if _, ok := v.Expr.IsConst(); ok || v.Expr.Op == ir.AddrOf || v.Expr.Op == ir.FuncAddr {
		return v
	}
	r := f.tempFor(v)
	f.Assign(r, v.Expr)
	v.Expr = ir.R(r)
	return v
}

// Save keeps a value of some size in a register, so that it is computed once.
func (f *Code) Save(v Value) Value {
	if v.Expr.Op == ir.RegRef && v.High == nil {
		return v
	}
	return f.Keep(v)
}

// tempFor is a temporary for a value. A pointer gets a register that holds nothing
// else, so that passes can tell where addresses go.
func (f *Code) tempFor(v Value) ir.Reg {
	if v.Elem == nil || f.static {
		return f.Temp()
	}
	return f.Fb.Reg("p", 0, f.Pos)
}

// Check is an assertion.
func (f *Code) Check(cond *ir.Expr, class ir.CheckClass, msg string) {
	op := ir.NewOp(ir.Assert)
	op.Val, op.Report = cond, ir.Report{Class: class, Msg: msg}
	f.Emit(op)
}

// Use says that a value decides something outside of the program: it must be defined.
func (f *Code) Use(v Value) {
	if !f.Opt.Undefined() || v.Void || v.Expr == nil {
		return
	}
	op := ir.NewOp(ir.Assert)
	op.Val, op.Report.Class, op.Call.Args = ir.Int(1), ir.Uninitialised, []*ir.Expr{v.Expr}
	if v.High != nil {
		op.Call.Args = append(op.Call.Args, v.High)
	}
	f.Emit(op)
}

// GoesOn says of the last edge that it is the only way on: no branch, but an
// assumption or a mark.
func (f *Code) GoesOn() {
	if f.Straight == nil {
		f.Straight = map[ir.EdgeID]bool{}
	}
	f.Straight[f.Fb.F.Edges[len(f.Fb.F.Edges)-1].ID] = true
}
