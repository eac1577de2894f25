package transform

import (
	"fmt"
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Spin loops to awaits [AAAJLS15 §4]. A round of a loop that comes back to the head with the
// registers that matter there as they were, and that has changed nothing anybody could
// notice, might as well not have happened: whatever the thread does afterwards it can do
// without that round. So of a loop that waits only the last round counts, the one that leaves it. Where every
// way round to a back edge is of that kind, the edge no longer leads to the head but to a
// location that nothing leaves, behind an assumption that does not hold: load and assumption, which is
// what an await is.
//
// Rounds are found by walking the automaton from the head until it is met again, each way with
// what is known about the registers: constants, and which hold the same value as which register
// did at the head. Ways that contradict themselves are no ways: of a call that was inlined, the test
// of what it returned belongs to one of its returns, and a compare-exchange that is followed by the branch
// for failure has failed. Loops inside with constant bounds are walked through; those that wait have been
// dealt with before. Where there are too many ways, or one that never comes back, the loop stays as it is.
//
// Differs from the paper: an edge is bent, no loop is replaced. Several loads in a round, several exits and
// nested loops need no care, and all edges but the new one keep their ids and what they do,
// so that an execution of the result is one of the program, step by step, and witnesses need no translation.
// A thread that spins for ever is not in a deadlock, and one that an assumption has stopped is not
// waiting either: the answer to that question stays the same too.

// awaitPass is the name of the pass at the edges it makes.
const awaitPass = "await"

// Limits of walking one loop: edges walked, over all ways.
const maxWalked = 1 << 12

// Await bends the idle back edges of a flat program's loops. keep says which
// registers a property observes. A program without such loops comes back as it is. Not
// for questions about traces, of which failing rounds are a part.
func Await(p *ir.Program, keep func(ir.FuncID, ir.Reg) bool) *ir.Program {
	if p.Form != ir.Flat {
		panic("BUG: spin loops are looked for in flat programs")
	}
	out := *p
	out.Funcs = slices.Clone(p.Funcs)
	facts := analysis.NewFacts(p, keep)
	changed := false
	for i, f := range p.Funcs {
		n := newNest(f)
		a := &awaits{f: f, bent: map[int32]bool{}}
		// Loops inside others come behind them.
		for loop := len(n.heads) - 1; loop >= 0; loop-- {
			a.loop(n, int32(loop), facts.Live(ir.FuncID(i), n.heads[loop]))
		}
		if len(a.bent) > 0 {
			out.Funcs[i], changed = a.bend(&out), true
		}
	}
	if !changed {
		return p
	}
	out.Seal()
	if errs := ir.Verify(&out); len(errs) > 0 {
		panic(fmt.Sprintf("BUG: awaits broke the program: %v", errs[0]))
	}
	return &out
}

// awaits looks for idle rounds in one function.
type awaits struct {
	f    *ir.Func
	bent map[int32]bool // back edges that are idle, by index

	head    ir.Loc
	inside  []bool
	live    []ir.Reg
	walked  int
	fresh   ir.Reg             // the next number for something unknown
	loaded  map[ir.Reg]ir.Type // of what was loaded: its type
	hopeful int                // back edges of the loop that may be idle yet
	idle    map[int32]bool     // back edges of the loop: whether all ways to them were idle so far
}

// loop judges the back edges of one loop, if its head is the only way in.
func (a *awaits) loop(n *nest, loop int32, live []ir.Reg) {
	a.head, a.live, a.walked, a.fresh = n.heads[loop], live, 0, ir.Reg(len(a.f.Regs))
	a.idle, a.loaded = map[int32]bool{}, map[ir.Reg]ir.Type{}
	a.inside = make([]bool, len(a.f.Locs))
	for l := range a.inside {
		a.inside[l] = slices.Contains(n.loops[l], loop)
	}
	if a.inside[a.f.Entry] && a.f.Entry != a.head {
		return
	}
	a.hopeful = 0
	reached := analysis.Components(a.f, nil)
	for i := range a.f.Edges {
		e := &a.f.Edges[i]
		if !e.Op.Terminal() && a.inside[e.To] && !a.inside[e.From] && e.To != a.head && reached[e.From] >= 0 {
			return
		}
		if !e.Op.Terminal() && a.inside[e.From] && e.To == a.head {
			a.hopeful++
		}
	}
	values := make([]*ir.Expr, len(a.f.Regs))
	for r := range values {
		values[r] = ir.R(ir.Reg(r))
	}
	if !a.walk(a.head, values, true) {
		return
	}
	for e, idle := range a.idle {
		if idle {
			a.bent[e] = true
		}
	}
}

// walk follows all ways from l to the head, given what the registers hold and whether
// nothing has been changed so far; false if there are too many, or nothing can be idle any more.
func (a *awaits) walk(l ir.Loc, values []*ir.Expr, clean bool) bool {
	for _, i := range a.f.Out(l) {
		if a.walked++; a.walked > maxWalked {
			return false
		}
		e := &a.f.Edges[i]
		if a.bent[i] || e.Op.Terminal() || !a.inside[e.To] {
			continue
		}
		for _, o := range a.outcomes(&e.Op, values) {
			ok := clean && o.clean
			if e.To != a.head {
				if !a.walk(e.To, o.values, ok) {
					return false
				}
				continue
			}
			for _, r := range a.live {
				ok = ok && o.values[r].Equal(ir.R(r))
			}
			was, met := a.idle[i]
			a.idle[i] = ok && (was || !met)
			if !a.idle[i] && (was || !met) {
				if a.hopeful--; a.hopeful == 0 {
					return false
				}
			}
		}
	}
	return true
}

// outcome is what an operation may do: what the registers hold then, and whether
// others notice.
type outcome struct {
	values []*ir.Expr
	clean  bool
}

// outcomes are the ways an operation can go.
func (a *awaits) outcomes(op *ir.Op, values []*ir.Expr) []outcome {
	switch op.Kind {
	case ir.Nop, ir.Fence, ir.AtomicBegin, ir.AtomicEnd:
		return []outcome{{values, true}}
	case ir.Assign:
		return []outcome{{a.with(values, op.Dst, a.value(op.Val, values)), true}}
	case ir.Assume, ir.Assert:
		if v, known := a.value(op.Val, values).IsConst(); known && v == 0 {
			return nil
		}
		return []outcome{{values, true}}
	case ir.Load, ir.Await:
		if op.Dst != ir.NoReg {
			a.loaded[a.fresh] = op.Type
		}
		return []outcome{{a.with(values, op.Dst, nil), true}}
	case ir.AbstractLoad, ir.Havoc:
		return []outcome{{a.with(values, op.Dst, nil), true}}
	case ir.TryLock:
		return []outcome{{a.with(values, op.Dst, ir.Int(0)), false}, {a.with(values, op.Dst, ir.Int(ir.EBUSY)), true}}
	case ir.RMW:
		if op.RMW == ir.Cas && op.Cond == nil {
			seen := a.value(op.Val, values)
			if op.Type.Bits < 64 && (seen.Op != ir.RegRef || a.loaded[seen.Reg] != op.Type) {
				seen = ir.Unary(ir.Cast, op.Type, seen)
			}
			done := a.with(a.with(values, op.Dst, seen), op.Dst2, ir.Int(1))
			failed := a.with(a.with(values, op.Dst, nil), op.Dst2, ir.Int(0))
			return []outcome{{done, false}, {failed, true}}
		}
	}
	op.Defs(func(r ir.Reg) { values = a.with(values, r, nil) })
	return []outcome{{values, false}}
}

// with is values with a register changed; nil: to something unknown.
func (a *awaits) with(values []*ir.Expr, r ir.Reg, v *ir.Expr) []*ir.Expr {
	if r == ir.NoReg {
		return values
	}
	if v == nil {
		v = ir.R(a.fresh)
		a.fresh++
	}
	values = slices.Clone(values)
	values[r] = v
	return values
}

// maxSize is how many parts an expression has that is still looked at.
const maxSize = 24

// value is an expression with what is known put in.
func (a *awaits) value(e *ir.Expr, values []*ir.Expr) *ir.Expr {
	v := simplify(e.Map(func(leaf *ir.Expr) *ir.Expr {
		if leaf.Op == ir.RegRef {
			return values[leaf.Reg]
		}
		return leaf
	}))
	size := 0
	v.Walk(func(*ir.Expr) { size++ })
	if size > maxSize {
		v = ir.R(a.fresh)
		a.fresh++
	}
	return v
}

// simplify decides comparisons of a value with itself, and what hangs on them.
func simplify(e *ir.Expr) *ir.Expr {
	switch {
	case e.Op.IsBinary():
		x, y := simplify(e.X), simplify(e.Y)
		if x.Equal(y) && (e.Op == ir.Eq || e.Op == ir.Ne) {
			return ir.Int(int64(map[ir.ExprOp]int{ir.Eq: 1}[e.Op]))
		}
		a, left := x.IsConst()
		b, right := y.IsConst()
		switch {
		case e.Op == ir.LAnd && (left && a == 0 || right && b == 0):
			return ir.Int(0)
		case e.Op == ir.LOr && (left && a != 0 || right && b != 0):
			return ir.Int(1)
		}
		return ir.Binary(e.Op, e.Type, x, y)
	case e.Op.IsUnary():
		return ir.Unary(e.Op, e.Type, simplify(e.X))
	case e.Op == ir.Ite:
		if c, known := simplify(e.X).IsConst(); known {
			if c != 0 {
				return simplify(e.Y)
			}
			return simplify(e.Z)
		}
	}
	return e
}

// bend makes the function with the idle back edges bent.
func (a *awaits) bend(out *ir.Program) *ir.Func {
	f := *a.f
	f.Locs, f.Edges = slices.Clone(a.f.Locs), slices.Clone(a.f.Edges)
	names := map[string]bool{}
	for _, l := range f.Locs {
		names[l.Name] = true
	}
	loc := func(name string, like ir.Loc) ir.Loc {
		try := name
		for n := 2; names[try]; n++ {
			try = fmt.Sprintf("%s#%d", name, n)
		}
		names[try] = true
		f.Locs = append(f.Locs, ir.Location{Name: try, Pos: a.f.Locs[like].Pos})
		return ir.Loc(len(f.Locs) - 1)
	}
	end := loc("await.end", a.f.Entry)
	for i := range a.f.Edges {
		if !a.bent[int32(i)] {
			continue
		}
		e := &f.Edges[i]
		stop := ir.NewOp(ir.Assume)
		stop.Val = ir.Int(0)
		at := loc("await.idle", e.To)
		f.Edges = append(f.Edges, ir.Edge{ID: out.NextEdge, Origin: e.Origin, From: at, To: end, Op: stop, Pos: e.Pos, Pass: awaitPass, Stack: e.Stack})
		out.NextEdge++
		f.Edges[i].To = at
	}
	return &f
}
