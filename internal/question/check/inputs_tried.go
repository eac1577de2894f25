package check

import (
	"math"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// Data races with inputs of many values. A search for races tries the values of an input one by one. If all that a thread
// does with an input is to compare it with constants, the values fall into classes, and one value of each is enough.
// Otherwise a few values are tried, and the rest is a construct that is not supported: a race that is found counts, and
// the answer is never safe.

// triedInputs returns the program with inputs of few values. The program that it is given stays as it is.
func triedInputs(p *ir.Program) *ir.Program {
	if memory.Unlisted(p) == nil {
		return p
	}
	out := *p
	out.Funcs = slices.Clone(p.Funcs)
	for i, f := range p.Funcs {
		if !slices.ContainsFunc(f.Edges, hasManyValues) {
			continue
		}
		g := &ir.Func{Name: f.Name, Regs: f.Regs, Params: f.Params, Locs: f.Locs, Entry: f.Entry, Pos: f.Pos, Pointer: f.Pointer, Types: f.Types}
		for _, e := range f.Edges {
			if !hasManyValues(e) {
				g.Edges = append(g.Edges, e)
				continue
			}
			g.Edges = append(g.Edges, triedEdges(&out, f, e)...)
		}
		out.Funcs[i] = g
	}
	return &out
}

// hasManyValues reports whether an edge reads an input whose values cannot be tried one by one.
func hasManyValues(e ir.Edge) bool {
	one := ir.Program{Funcs: []*ir.Func{{Edges: []ir.Edge{e}}}}
	return e.Op.Kind == ir.Havoc && memory.Unlisted(&one) != nil
}

// triedEdges returns the edges that read an input with one value each, and one that stands for all other values if they
// are not like these. The first keeps the number of the edge.
func triedEdges(p *ir.Program, f *ir.Func, e ir.Edge) []ir.Edge {
	lo, hi := int64(math.MinInt64), int64(math.MaxInt64)
	if e.Op.Range.Bounded {
		lo, hi = e.Op.Range.Lo, e.Op.Range.Hi
	}
	constants, all := comparedWith(f, &e, lo, hi)
	values := []int64{-1, 0, 1, 2}
	if all {
		values = classes(constants, lo, hi)
	}
	values = slices.DeleteFunc(values, func(v int64) bool { return v < lo || v > hi })
	if len(values) == 0 {
		values = []int64{lo, hi}
	}
	slices.Sort(values)
	var out []ir.Edge
	for i, v := range slices.Compact(values) {
		one := e
		if i > 0 {
			one.ID = p.NextEdge
			p.NextEdge++
		}
		one.Op.Range = ir.Range{Bounded: true, Lo: v, Hi: v}
		out = append(out, one)
	}
	if !all {
		rest := ir.Edge{ID: p.NextEdge, Origin: e.Origin, From: e.From, To: e.To, Pos: e.Pos, Pass: e.Pass, Stack: e.Stack, Op: ir.NewOp(ir.Unsupported)}
		rest.Op.Report = ir.Report{Code: "FP0915", Msg: "this input has too many values: data races are searched with a few of them"}
		p.NextEdge++
		out = append(out, rest)
	}
	return out
}

// classes returns values of which one behaves like each value of an input that is compared with constants, at 32 or 64
// bits, signed or not: around every constant, and where the signs change.
func classes(constants []int64, lo, hi int64) []int64 {
	values := []int64{lo, hi}
	for _, c := range append([]int64{0, math.MinInt32, 1 << 31}, constants...) {
		for _, v := range []int64{c - 1, c, c + 1} {
			values = append(values, v, ir.S32.Wrap(v), ir.U32.Wrap(v))
		}
	}
	return values
}

// inputFlow follows an input through a thread: at which locations which registers may hold it.
type inputFlow struct {
	f         *ir.Func
	narrow    bool // a cast to 32 bits changes at most the sign of the input
	copies    []map[ir.Reg]bool
	constants []int64
	other     bool // something else is done than to compare, test or copy it
}

// comparedWith returns the constants that an input is compared with. ok is false if the thread does something else with
// the input than to compare, test or copy it.
func comparedWith(f *ir.Func, input *ir.Edge, lo, hi int64) (constants []int64, ok bool) {
	w := &inputFlow{f: f, narrow: lo >= math.MinInt32 && hi <= math.MaxUint32, copies: make([]map[ir.Reg]bool, len(f.Locs))}
	w.copies[input.To] = map[ir.Reg]bool{input.Op.Dst: true}
	for open := []ir.Loc{input.To}; len(open) > 0; {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		for _, i := range f.Out(at) {
			if e := &f.Edges[i]; w.over(e) {
				open = append(open, e.To)
			}
		}
	}
	for i := range f.Edges {
		w.uses(&f.Edges[i])
	}
	return w.constants, !w.other
}

// over takes the copies over an edge, and reports whether there are new ones after it.
func (w *inputFlow) over(e *ir.Edge) (more bool) {
	written := map[ir.Reg]bool{}
	e.Op.Defs(func(r ir.Reg) { written[r] = true })
	add := func(r ir.Reg) {
		if w.copies[e.To] == nil {
			w.copies[e.To] = map[ir.Reg]bool{}
		}
		more = more || !w.copies[e.To][r]
		w.copies[e.To][r] = true
	}
	for r := range w.copies[e.From] {
		if !written[r] {
			add(r)
		}
	}
	if e.Op.Kind == ir.Assign && w.isCopy(e.From, e.Op.Val) {
		add(e.Op.Dst)
	}
	return more
}

// keeps reports whether a cast to a type, or a comparison at it, sees the whole input.
func (w *inputFlow) keeps(t ir.Type) bool { return t.Bits == 64 || t.Bits == 32 && w.narrow }

// isCopy reports whether an expression may be the input, perhaps with another sign.
func (w *inputFlow) isCopy(at ir.Loc, e *ir.Expr) bool {
	for e.Op == ir.Cast && w.keeps(e.Type) {
		e = e.X
	}
	return e.Op == ir.RegRef && w.copies[at][e.Reg]
}

// uses notes what an edge does with the input.
func (w *inputFlow) uses(e *ir.Edge) {
	op := e.Op
	if (op.Kind == ir.Assign || op.Kind == ir.Assume) && w.isCopy(e.From, op.Val) { // an assumption: whether it is zero
		return
	}
	op.Exprs(func(x *ir.Expr) *ir.Expr {
		w.inside(e.From, x)
		return x
	})
}

// inside notes what an expression does with the input.
func (w *inputFlow) inside(at ir.Loc, e *ir.Expr) {
	switch {
	case e == nil:
	case e.Op == ir.RegRef:
		w.other = w.other || w.copies[at][e.Reg]
	case e.Op.IsCompare() && w.keeps(e.Type) && w.isCopy(at, e.X) && e.Y.Op == ir.Const && !e.Y.Undef:
		w.constants = append(w.constants, e.Y.Value, e.Type.Wrap(e.Y.Value))
	default:
		tests := e.Op == ir.Not || e.Op == ir.LAnd || e.Op == ir.LOr
		for _, x := range []*ir.Expr{e.X, e.Y, e.Z} {
			if x != nil && !(tests && w.isCopy(at, x)) {
				w.inside(at, x)
			}
		}
	}
}
