package export

// What writers in several languages ask about a flat program.

import "fencepost/internal/ir"

// InitialValue returns the first value of bytes of memory.
func InitialValue(p *ir.Program, addr uint64, t ir.Type) int64 {
	id := p.FindObject(addr, t.Size())
	if id == ir.NoObject {
		return 0
	}
	return p.Objects[id].Initial(int64(addr-p.Objects[id].Addr), t)
}

// InSequence puts the locations of a function in a sequence. write writes a location and returns the one that control
// goes to next, if any; jump writes a jump to a location that does not follow. Locations that are last are not written.
func InSequence(f *ir.Func, last func(ir.Loc) bool, write func(ir.Loc) (ir.Loc, bool), jump func(ir.Loc)) {
	done := map[ir.Loc]bool{}
	for _, first := range Reachable(f) {
		for l := first; !done[l] && !last(l); {
			done[l] = true
			next, ok := write(l)
			if !ok {
				break
			}
			if done[next] || last(next) {
				jump(next)
				break
			}
			l = next
		}
	}
}

// Complementary reports whether two operations are assumptions of which exactly one holds.
func Complementary(a, b *ir.Op) bool {
	return a.Kind == ir.Assume && b.Kind == ir.Assume && (ir.Negate(a.Val).Equal(b.Val) || ir.Negate(b.Val).Equal(a.Val))
}

// CellNumber returns e if a is 8*e.
func CellNumber(a *ir.Expr) (*ir.Expr, bool) {
	if a.Op == ir.Mul && a.Type.Bits == 64 {
		if k, ok := a.Y.IsConst(); ok && k == ir.CellUnit {
			return a.X, true
		}
		if k, ok := a.X.IsConst(); ok && k == ir.CellUnit {
			return a.Y, true
		}
	}
	return nil, false
}

// ElementType returns the type in which a slot keeps an element of an object.
func ElementType(o *ir.Object) ir.Type {
	if o.Type.Size() == o.Unit {
		return o.Type
	}
	return ir.Type{Bits: uint8(8 * o.Unit), Signed: true}
}

// Term is a multiple of an expression.
type Term struct {
	E     *ir.Expr
	Times int64
}

// Linear returns times * e as a constant and a list of terms.
func Linear(p *ir.Program, e *ir.Expr, times int64, terms []Term) (int64, []Term) {
	if IsConstant(e) {
		return times * e.Eval(ir.Env{Prog: p}), terms
	}
	if e.Op.IsBinary() && e.Type.Bits == 64 {
		switch e.Op {
		case ir.Add, ir.Sub:
			second := times
			if e.Op == ir.Sub {
				second = -times
			}
			x, terms := Linear(p, e.X, times, terms)
			y, terms := Linear(p, e.Y, second, terms)
			return x + y, terms
		case ir.Mul:
			if IsConstant(e.Y) {
				return Linear(p, e.X, times*e.Y.Eval(ir.Env{Prog: p}), terms)
			}
			if IsConstant(e.X) {
				return Linear(p, e.Y, times*e.X.Eval(ir.Env{Prog: p}), terms)
			}
		}
	}
	return 0, append(terms, Term{e, times})
}

// IsConstant reports whether e reads no register and not the value that an operation sees.
func IsConstant(e *ir.Expr) bool {
	constant := true
	e.Walk(func(e *ir.Expr) { constant = constant && e.Op != ir.RegRef && e.Op != ir.Seen })
	return constant
}

// Register is a register of a thread.
type Register struct {
	Thread ir.ThreadID
	Reg    ir.Reg
}

// Truth returns 1 for true, else 0.
func Truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Used reports whether an edge reads or sets the register.
func Used(f *ir.Func, r ir.Reg) bool {
	found := false
	note := func(x ir.Reg) { found = found || x == r }
	for i := range f.Edges {
		f.Edges[i].Op.Defs(note)
		f.Edges[i].Op.Uses(note)
	}
	return found
}

// Reachable returns the locations that control can reach, the entry first.
func Reachable(f *ir.Func) []ir.Loc {
	seen := make([]bool, len(f.Locs))
	seen[f.Entry] = true
	out := []ir.Loc{f.Entry}
	for i := 0; i < len(out); i++ {
		for _, j := range f.Out(out[i]) {
			if to := f.Edges[j].To; !seen[to] {
				seen[to] = true
				out = append(out, to)
			}
		}
	}
	return out
}
