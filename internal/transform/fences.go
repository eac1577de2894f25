package transform

import (
	"fmt"
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// Fences at places. A front end marks the places where a fence can be written by
// Nop edges. The idea: a fence at a place is a Fence edge instead of the Nop at
// every copy of the place, and Nops without a fence are taken out again, so that
// engines see the program as if nobody had looked for places.
//
// Two rules take out a Nop a -> b. If nothing else leaves a, whatever leads to a
// leads to b instead. If nothing else leads to b, the edges that leave b leave a
// instead; several edges leave a at the beginning of alternatives. Where neither rule
// applies, or a property names a location that would be lost, the Nop stays.
//
// Differs from the paper: a fence of [BDM13 §7] belongs to a location and runs before
// every edge that leaves it. Places are such locations, restricted to those where the
// text has room for a statement, and all copies of a place are one.

// Fences puts fences into one flat program. It is safe for concurrent use.
type Fences struct {
	p      *ir.Program
	props  *property.Set
	places []ir.FenceSite
	of     map[ir.EdgeID]ir.SiteID // by edge of the flat program
	edges  map[ir.EdgeID]flatEdge
	named  []map[ir.Loc]bool // by function: locations that goals name
}

type flatEdge struct {
	fn   int
	edge *ir.Edge
}

// NewFences prepares a flat program made from a structured one with places.
func NewFences(p *ir.Program, props *property.Set, places []ir.FenceSite) *Fences {
	if p.Form != ir.Flat {
		panic("BUG: fences are put into flat programs")
	}
	fs := &Fences{p: p, props: props, places: places, of: map[ir.EdgeID]ir.SiteID{}, edges: map[ir.EdgeID]flatEdge{}}
	origin := map[ir.EdgeID]ir.SiteID{}
	for i := range places {
		for _, e := range places[i].Edges {
			origin[e] = ir.SiteID(i)
		}
	}
	for i, f := range p.Funcs {
		fs.named = append(fs.named, map[ir.Loc]bool{})
		for j := range f.Edges {
			e := &f.Edges[j]
			fs.edges[e.ID] = flatEdge{i, e}
			if place, ok := origin[e.Origin]; ok && e.Op.Kind == ir.Nop {
				fs.of[e.ID] = place
			}
		}
	}
	for _, g := range props.Goals {
		for _, at := range g.At {
			for _, l := range at.Locs {
				fs.named[p.Threads[at.Thread].Func][l] = true
			}
		}
	}
	return fs
}

// Places are the places.
func (fs *Fences) Places() []ir.FenceSite { return fs.places }

// Insert is the program with the fences, and its properties.
func (fs *Fences) Insert(fences []ir.FenceAt) (*ir.Program, *property.Set) {
	kinds := map[ir.SiteID]ir.FenceKind{}
	for _, f := range fences {
		if kinds[f.Site] != ir.FullFence { // which does what the other does, too
			kinds[f.Site] = f.Kind
		}
	}
	out := *fs.p
	out.Funcs = make([]*ir.Func, len(fs.p.Funcs))
	moved := make([]map[ir.Loc]ir.Loc, len(fs.p.Funcs))
	for i, f := range fs.p.Funcs {
		out.Funcs[i], moved[i] = fs.function(i, f, kinds)
	}
	out.Seal()
	if errs := ir.Verify(&out); len(errs) > 0 {
		panic(fmt.Sprintf("BUG: inserting fences broke the program: %v", errs[0]))
	}
	return &out, fs.moveGoals(moved)
}

func (fs *Fences) moveGoals(moved []map[ir.Loc]ir.Loc) *property.Set {
	props := *fs.props
	props.Goals = slices.Clone(props.Goals)
	for i := range props.Goals {
		g := &props.Goals[i]
		g.At = slices.Clone(g.At)
		for j := range g.At {
			at := &g.At[j]
			at.Locs = slices.Clone(at.Locs)
			for k, l := range at.Locs {
				if to, ok := moved[fs.p.Threads[at.Thread].Func][l]; ok {
					at.Locs[k] = to
				}
			}
		}
	}
	return &props
}

// contraction takes Nops out of one function.
type contraction struct {
	f       *ir.Func
	edges   []ir.Edge
	gone    []bool
	in, out []int // edges that lead to and leave each location
	named   map[ir.Loc]bool
	moved   map[ir.Loc]ir.Loc // goal locations that went
}

// function is a copy with fences, and where named locations went.
func (fs *Fences) function(fn int, f *ir.Func, kinds map[ir.SiteID]ir.FenceKind) (*ir.Func, map[ir.Loc]ir.Loc) {
	g := *f
	c := &contraction{
		f: &g, edges: slices.Clone(f.Edges), gone: make([]bool, len(f.Edges)),
		in: make([]int, len(f.Locs)), out: make([]int, len(f.Locs)),
		named: map[ir.Loc]bool{}, moved: map[ir.Loc]ir.Loc{},
	}
	for l := range fs.named[fn] {
		c.named[l] = true
	}
	var nops []int
	for i := range c.edges {
		e := &c.edges[i]
		c.in[e.To]++
		c.out[e.From]++
		place, ok := fs.of[e.ID]
		if !ok {
			continue
		}
		if kind := kinds[place]; kind != ir.FenceUnset {
			e.Op = ir.NewOp(ir.Fence)
			e.Op.Fence = kind
			e.Pass = "fences"
			continue
		}
		nops = append(nops, i)
	}
	for _, i := range nops {
		c.take(i)
	}
	g.Edges = nil
	for i := range c.edges {
		if !c.gone[i] {
			g.Edges = append(g.Edges, c.edges[i])
		}
	}
	return &g, c.moved
}

// take takes out one Nop if that is possible.
func (c *contraction) take(i int) {
	a, b := c.edges[i].From, c.edges[i].To
	switch {
	case a == b:
		return
	case c.out[a] == 1 && (!c.named[a] || c.in[b] == 1 && !c.named[b] && c.f.Entry != b):
		for j := range c.edges {
			if !c.gone[j] && c.edges[j].To == a {
				c.edges[j].To = b
				c.in[b]++
			}
		}
		c.in[a] = 0
		if c.f.Entry == a {
			c.f.Entry = b
		}
		if c.named[a] {
			c.named[b] = true
			c.move(a, b)
		}
	case c.in[b] == 1 && !c.named[b] && c.f.Entry != b && c.out[b] > 0:
		for j := range c.edges {
			if !c.gone[j] && c.edges[j].From == b {
				c.edges[j].From = a
				c.out[a]++
			}
		}
		c.out[b] = 0
	default:
		return
	}
	c.gone[i] = true
	c.in[b]--
	c.out[a]--
}

// move notes that a named location went to another one.
func (c *contraction) move(from, to ir.Loc) {
	for l, was := range c.moved {
		if was == from {
			c.moved[l] = to
		}
	}
	c.moved[from] = to
}

// Between appends the places that a thread passes on its way from one edge to the
// edge it takes next in the program with or without fences.
func (fs *Fences) Between(first, next ir.EdgeID, out []ir.SiteID) []ir.SiteID {
	a, b := fs.edges[first], fs.edges[next]
	if a.fn != b.fn {
		panic("BUG: steps of two threads follow each other in one")
	}
	way, ok := fs.way(a, func(l ir.Loc) bool { return l == b.edge.From }, nil)
	if !ok {
		panic(fmt.Sprintf("BUG: edge %d does not follow edge %d", next, first))
	}
	return append(out, way...)
}

// BeforeGoal returns the places that a thread passes from its last edge to a location
// that a goal names, on a way without the fenced places. It returns nil if there is no
// such way.
func (fs *Fences) BeforeGoal(last ir.EdgeID, fenced map[ir.SiteID]bool) []ir.SiteID {
	a := fs.edges[last]
	way, _ := fs.way(a, func(l ir.Loc) bool { return fs.named[a.fn][l] }, fenced)
	return way
}

// way is the places on a shortest way behind an edge to a location, over places that
// are not fenced.
func (fs *Fences) way(behind flatEdge, reached func(ir.Loc) bool, fenced map[ir.SiteID]bool) (out []ir.SiteID, ok bool) {
	f := fs.p.Funcs[behind.fn]
	type visit struct {
		loc  ir.Loc
		from int // index of the visit before
		at   ir.SiteID
	}
	visits := []visit{{loc: behind.edge.To, from: -1}}
	for i := 0; i < len(visits); i++ {
		if reached(visits[i].loc) {
			for j := i; visits[j].from >= 0; j = visits[j].from {
				out = append(out, visits[j].at)
			}
			return out, true
		}
		for _, j := range f.Out(visits[i].loc) {
			e := &f.Edges[j]
			place, ok := fs.of[e.ID]
			if ok && !fenced[place] && !slices.ContainsFunc(visits, func(v visit) bool { return v.loc == e.To }) {
				visits = append(visits, visit{e.To, i, place})
			}
		}
	}
	return nil, false
}

// PlaceOf is the place an edge belongs to, if it does.
func (fs *Fences) PlaceOf(e ir.EdgeID) (ir.SiteID, bool) {
	place, ok := fs.of[e]
	return place, ok
}

// Threads names the threads that can pass each place.
func (fs *Fences) Threads() [][]string {
	out := make([][]string, len(fs.places))
	fs.visit(func(t *ir.Thread, place ir.SiteID, _ int) {
		if !slices.Contains(out[place], t.Name) {
			out[place] = append(out[place], t.Name)
		}
	})
	return out
}

// Depths is how many loops each place lies in, with calls inlined.
func (fs *Fences) Depths() []int {
	out := make([]int, len(fs.places))
	fs.visit(func(_ *ir.Thread, place ir.SiteID, depth int) { out[place] = max(out[place], depth) })
	return out
}

// visit calls f on every copy of a place that control can reach.
func (fs *Fences) visit(f func(t *ir.Thread, place ir.SiteID, depth int)) {
	for t := range fs.p.Threads {
		fn := fs.p.ThreadFunc(ir.ThreadID(t))
		n := newNest(fn)
		comp := analysis.Components(fn, nil)
		for i := range fn.Edges {
			e := &fn.Edges[i]
			if place, ok := fs.of[e.ID]; ok && comp[e.From] >= 0 {
				f(&fs.p.Threads[t], place, len(n.loops[e.From]))
			}
		}
	}
}
