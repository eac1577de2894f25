package waiting

import (
	"fmt"
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Spin loops to awaits [AAAJLS15 §4]. A round of a loop is idle if it comes back to the
// head with the live registers unchanged and has had no effect that another thread can
// see. An idle round can be left out: the thread can do the same steps afterwards without
// it. So for a loop that waits, only the last round matters, the one that leaves the
// loop. A back edge is idle if every path round the loop that ends with it is an idle
// round. An idle back edge is redirected: it no longer leads to the head but to a new
// location, which only a false assumption leaves. The load and the assumption together are
// an await.
//
// Rounds are found by walking all paths from the head back to the head. For each path the
// walk keeps what it knows about the registers: constants, and which registers hold the
// value that some register had at the head. Paths that contradict themselves are dropped:
// after an inlined call, a test of the result agrees with only some of its returns, and a
// compare-exchange on a path through the branch for failure has failed. The walk goes
// through inner loops with constant bounds; inner loops that wait are transformed first. A
// loop with too many paths, or with a path that never comes back, stays unchanged.
//
// Differs from the paper: an edge is redirected, no loop is replaced. Several loads in a
// round, several exits and nested loops need no special treatment. All edges but the new
// one keep their ids and operations, so that an execution of the result is an execution of
// the program, step by step, and witnesses need no translation. The answer about deadlock
// stays the same too: neither a thread that spins for ever nor a thread that an assumption
// has stopped counts as deadlocked.

// awaitPass is the name of the pass, which its new edges carry.
const awaitPass = "await"

// maxWalked is the largest number of edges that are walked for one loop, over all paths.
const maxWalked = 1 << 12

// Await returns a flat program in which idle back edges of loops are redirected. keep
// reports whether a property observes a register. Await returns a program without such
// loops unchanged. The result does not serve questions about traces: a failing round is a
// part of a trace.
func Await(p *ir.Program, keep func(ir.FuncID, ir.Reg) bool) *ir.Program {
	return await(p, keep, false)
}

// AwaitWithDataRaces is Await for a question that is also about data races, which a load of a failing round may have. The
// first load of a round is in all rounds, so that the last one has its data race, too. Where a later load may have one, the
// loop stays.
func AwaitWithDataRaces(p *ir.Program, keep func(ir.FuncID, ir.Reg) bool) *ir.Program {
	return await(p, keep, true)
}

func await(p *ir.Program, keep func(ir.FuncID, ir.Reg) bool, dataRaces bool) *ir.Program {
	if p.Form != ir.Flat {
		panic("BUG: spin loops are searched in flat programs")
	}
	out := *p
	out.Funcs = slices.Clone(p.Funcs)
	facts := analysis.NewFacts(p, keep)
	changed := false
	for i, f := range p.Funcs {
		n := analysis.NewLoops(f)
		section, err := ir.SectionLocs(f)
		if err != nil {
			panic("BUG: " + err.Error())
		}
		a := &awaits{f: f, bent: map[int32]bool{}, section: section, inside: make([]bool, len(f.Locs))}
		if dataRaces {
			a.unordered = func(e *ir.Edge) bool { return unordered(p, facts, e) }
		}
		// Inner loops come after the loops around them.
		for loop := len(n.Heads) - 1; loop >= 0; loop-- {
			a.loop(n, int32(loop), facts.Live(ir.FuncID(i), n.Heads[loop]))
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

// awaits finds the idle back edges of one function.
type awaits struct {
	f    *ir.Func
	bent map[int32]bool // idle back edges of all loops so far, by index

	section []bool // by location: whether it is inside an atomic section

	// unordered reports whether a load may be part of a data race. nil: it does not matter.
	unordered func(*ir.Edge) bool

	// The loop that is being walked.
	head    ir.Loc
	inside  []bool         // by location: whether it is in the loop
	slots   map[ir.Reg]int // by register that the loop writes: the index of its value. The others keep theirs.
	live    []ir.Reg       // registers that are live at the head
	walked  int
	fresh   ir.Reg             // the next register that stands for an unknown value
	loaded  map[ir.Reg]ir.Type // types of the unknown values that loads returned
	hopeful int                // number of back edges that may still be idle
	idle    map[int32]bool     // by back edge: whether all walked paths to it were idle
}

// loop finds the idle back edges of one loop. It does nothing for a loop that is entered
// elsewhere than at its head, or lies inside an atomic section: no thread can end there.
func (a *awaits) loop(n *analysis.Loops, loop int32, live []ir.Reg) {
	a.head, a.live, a.walked, a.fresh = n.Heads[loop], live, 0, ir.Reg(len(a.f.Regs))
	a.idle, a.loaded = map[int32]bool{}, map[ir.Reg]ir.Type{}
	for _, l := range n.Members[loop] {
		a.inside[l] = true
	}
	defer func() {
		for _, l := range n.Members[loop] {
			a.inside[l] = false
		}
	}()
	if a.inside[a.f.Entry] && a.f.Entry != a.head || a.section[a.head] {
		return
	}
	values, ok := a.enter(n, loop)
	if !ok {
		return
	}
	if !a.walk(a.head, values, true, false) {
		return
	}
	for e, idle := range a.idle {
		if idle {
			a.bent[e] = true
		}
	}
}

// enter counts the back edges of a loop and returns the values of its registers at the head. It returns false if the
// loop is entered elsewhere.
func (a *awaits) enter(n *analysis.Loops, loop int32) ([]*ir.Expr, bool) {
	a.hopeful, a.slots = 0, map[ir.Reg]int{}
	var values []*ir.Expr
	for _, l := range n.Members[loop] {
		for _, i := range n.Into[l] {
			switch from := a.f.Edges[i].From; {
			case l == a.head && a.inside[from]:
				a.hopeful++
			case l != a.head && !a.inside[from] && n.Reached(from):
				return nil, false
			}
		}
		for _, i := range a.f.Out(l) {
			a.f.Edges[i].Op.Defs(func(r ir.Reg) {
				if _, ok := a.slots[r]; !ok {
					a.slots[r] = len(values)
					values = append(values, ir.R(r))
				}
			})
		}
	}
	return values, true
}

// walk walks all paths from l to the head, given the values of the registers, whether
// the path so far is clean, which means without an effect that other threads can see, and whether it has read memory. It
// returns false if there are too many paths, or if no back edge can be idle any more.
func (a *awaits) walk(l ir.Loc, values []*ir.Expr, clean, read bool) bool {
	for _, i := range a.f.Out(l) {
		if a.walked++; a.walked > maxWalked {
			return false
		}
		e := &a.f.Edges[i]
		if a.bent[i] || e.Op.Terminal() || !a.inside[e.To] {
			continue
		}
		reads := e.Op.Reads() || e.Op.Kind == ir.TryLock
		alone := !reads || !read || a.unordered == nil || !a.unordered(e)
		for _, o := range a.outcomes(&e.Op, values) {
			ok := clean && o.clean && alone
			if e.To != a.head {
				if !a.walk(e.To, o.values, ok, read || reads) {
					return false
				}
				continue
			}
			for _, r := range a.live {
				ok = ok && a.held(r, o.values).Equal(ir.R(r))
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

// unordered reports whether a load may be part of a data race: with a write, if one of the two is plain, or with the end
// of a block.
func unordered(p *ir.Program, facts *analysis.Facts, load *ir.Edge) bool {
	for _, f := range p.Funcs {
		for i := range f.Edges {
			switch e := &f.Edges[i]; {
			case e.Op.Kind == ir.Free:
				if facts.Footprint(load).Anything {
					return true
				}
			case e.Op.Writes() && (load.Op.Sync.Order == ir.Plain || e.Op.Sync.Order == ir.Plain) && facts.MayOverlap(load, e):
				return true
			}
		}
	}
	return false
}

// outcome is one result of an operation: the values of the registers after it, and
// whether the operation is clean, which means that no other thread can see it.
type outcome struct {
	values []*ir.Expr
	clean  bool
}

// outcomes returns the possible results of an operation.
func (a *awaits) outcomes(op *ir.Op, values []*ir.Expr) []outcome {
	switch op.Kind {
	case ir.Nop, ir.Fence, ir.AtomicBegin, ir.AtomicEnd:
		return []outcome{{values, op.Fence != ir.GlobalFence}}
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
	case ir.Lock:
		return []outcome{{a.with(values, op.Dst, ir.Int(0)), false}}
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

// with returns the values with register r set to v, or to an unknown value if v is nil.
func (a *awaits) with(values []*ir.Expr, r ir.Reg, v *ir.Expr) []*ir.Expr {
	if r == ir.NoReg {
		return values
	}
	if v == nil {
		v = ir.R(a.fresh)
		a.fresh++
	}
	values = slices.Clone(values)
	values[a.slots[r]] = v
	return values
}

// held returns the value of a register.
func (a *awaits) held(r ir.Reg, values []*ir.Expr) *ir.Expr {
	if at, ok := a.slots[r]; ok {
		return values[at]
	}
	return ir.R(r)
}

// maxSize is the largest number of nodes of an expression that is kept. The value of a
// larger one counts as unknown.
const maxSize = 24

// value returns an expression in which the registers are replaced by their values.
func (a *awaits) value(e *ir.Expr, values []*ir.Expr) *ir.Expr {
	v := simplify(e.Map(func(leaf *ir.Expr) *ir.Expr {
		if leaf.Op == ir.RegRef {
			return a.held(leaf.Reg, values)
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

// simplify evaluates comparisons of a value with itself, and the logical operators and
// conditionals whose value then is known.
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

// bend returns a copy of the function in which the idle back edges are redirected.
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
