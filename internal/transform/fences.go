package transform

import (
	"fmt"
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// Fences at fence sites. A front end marks each fence site by Nop edges. The idea: to
// insert a fence at a site, the Nop at every copy of the site becomes a Fence edge. All
// other Nops are removed, so that engines see the program as if it had no fence sites.
//
// Two rules remove a Nop a -> b. If no other edge leaves a, the edges that lead to a
// lead to b instead. If no other edge leads to b, the edges that leave b leave a
// instead; several edges leave a at the beginning of alternatives. If neither rule
// applies, or a property names a location that would be lost, the Nop stays.
//
// Differs from the paper: a fence of [BDM13 §7] belongs to a location and runs before
// every edge that leaves it. A fence site is such a location, at which the source text
// has room for a statement, and all copies of a site count as one.

// Fences inserts fences into one flat program. It is safe for concurrent use.
type Fences struct {
	p     *ir.Program
	props *property.Set
	sites []ir.FenceSite
	of    map[ir.EdgeID]ir.SiteID // by edge of the flat program
	edges map[ir.EdgeID]flatEdge
	named []map[ir.Loc]bool // by function: locations that goals name
	// Orders of accesses: the sites of an edge, and the orders that the sites have without a choice.
	accesses map[ir.EdgeID][]ir.SiteID
	base     []ir.Order
	around   map[ir.SiteID]slots // of stores under a model with store buffers, nil under c11 and without orders
}

// flatEdge is an edge of the flat program.
type flatEdge struct {
	fn   int // index of its function
	edge *ir.Edge
}

// NewFences returns the Fences of a flat program p. The sites name edges of the structured
// program from which p was made.
func NewFences(p *ir.Program, props *property.Set, sites []ir.FenceSite) *Fences {
	if p.Form != ir.Flat {
		panic("BUG: fences can only be inserted into flat programs")
	}
	fs := &Fences{
		p: p, props: props, sites: sites, of: map[ir.EdgeID]ir.SiteID{}, edges: map[ir.EdgeID]flatEdge{},
		accesses: map[ir.EdgeID][]ir.SiteID{}, base: make([]ir.Order, len(sites)),
	}
	origin, accesses := map[ir.EdgeID]ir.SiteID{}, map[ir.EdgeID][]ir.SiteID{}
	for i := range sites {
		for _, e := range sites[i].Edges {
			if a := sites[i].Access; a != nil {
				fs.base[i] = a.Written
				accesses[e] = append(accesses[e], ir.SiteID(i))
			} else {
				origin[e] = ir.SiteID(i)
			}
		}
	}
	for i, f := range p.Funcs {
		fs.named = append(fs.named, map[ir.Loc]bool{})
		for j := range f.Edges {
			e := &f.Edges[j]
			fs.edges[e.ID] = flatEdge{i, e}
			if site, ok := origin[e.Origin]; ok && e.Op.Kind == ir.Nop {
				fs.of[e.ID] = site
			}
			if list := accesses[e.Origin]; len(list) > 0 {
				fs.accesses[e.ID] = list
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

// Sites returns the fence sites that NewFences was given. A SiteID is an index in the list.
func (fs *Fences) Sites() []ir.FenceSite { return fs.sites }

// Insert returns the program with the given fences, and properties that fit it.
func (fs *Fences) Insert(fences []ir.FenceAt) (*ir.Program, *property.Set) {
	orders := fs.Orders(fences)
	c := chosen{kinds: fs.fencesWith(fences, orders), orders: orders}
	out := *fs.p
	out.Funcs = make([]*ir.Func, len(fs.p.Funcs))
	moved := make([]map[ir.Loc]ir.Loc, len(fs.p.Funcs))
	for i, f := range fs.p.Funcs {
		out.Funcs[i], moved[i] = fs.function(i, f, c)
	}
	out.Seal()
	if errs := ir.Verify(&out); len(errs) > 0 {
		panic(fmt.Sprintf("BUG: inserting fences broke the program: %v", errs[0]))
	}
	return &out, fs.moveGoals(moved)
}

// moveGoals returns properties whose goals name the locations that are left. moved maps,
// for each function, removed locations to their replacements.
func (fs *Fences) moveGoals(moved []map[ir.Loc]ir.Loc) *property.Set {
	props := *fs.props
	props.Goals = slices.Clone(props.Goals)
	for i := range props.Goals {
		at := slices.Clone(props.Goals[i].At)
		for j := range at {
			at[j].Locs = replaced(at[j].Locs, moved[fs.p.Threads[at[j].Thread].Func])
		}
		props.Goals[i].At = at
	}
	return &props
}

func replaced(locs []ir.Loc, by map[ir.Loc]ir.Loc) []ir.Loc {
	locs = slices.Clone(locs)
	for k, l := range locs {
		if to, ok := by[l]; ok {
			locs[k] = to
		}
	}
	return locs
}

// contraction removes Nops from one function.
type contraction struct {
	f       *ir.Func
	edges   []ir.Edge
	gone    []bool            // by index in edges: removed
	in, out []int             // by location: the number of edges that lead to it and leave it
	named   map[ir.Loc]bool   // locations that goals name
	moved   map[ir.Loc]ir.Loc // removed locations that goals name, with their replacements
}

// function returns a copy of a function with fences, and the replacements of the removed
// locations that goals name.
func (fs *Fences) function(fn int, f *ir.Func, chosen chosen) (*ir.Func, map[ir.Loc]ir.Loc) {
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
		for _, site := range fs.accesses[e.ID] {
			if fs.inBuffers() && fs.sites[site].Access.Kind == ir.FenceAccess {
				continue // a site of its own
			}
			setOrder(&e.Op, fs.sites[site].Access.Kind, chosen.orders[site])
		}
		site, ok := fs.of[e.ID]
		if !ok {
			continue
		}
		if kind := chosen.kinds[site]; kind != ir.FenceUnset {
			e.Op = ir.NewOp(ir.Fence)
			e.Op.Fence = kind
			if !fs.inBuffers() {
				e.Op.Sync.Order = chosen.orders[site]
			}
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

// take removes one Nop if a rule applies.
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

// move records that location to replaces location from, which goals name.
func (c *contraction) move(from, to ir.Loc) {
	for l, was := range c.moved {
		if was == from {
			c.moved[l] = to
		}
	}
	c.moved[from] = to
}

// Between appends to out the sites that a thread passes from edge first to edge next, and
// returns the result. The thread takes next directly after first in the program of some
// Insert.
func (fs *Fences) Between(first, next ir.EdgeID, out []ir.SiteID) []ir.SiteID {
	a, b := fs.edges[first], fs.edges[next]
	if a.fn != b.fn {
		panic("BUG: consecutive steps of one thread are in two functions")
	}
	way, ok := fs.way(a, func(l ir.Loc) bool { return l == b.edge.From }, nil)
	if !ok {
		panic(fmt.Sprintf("BUG: edge %d does not come next after edge %d", next, first))
	}
	return append(out, way...)
}

// BeforeGoal returns the sites that a thread passes from its last edge to a location that
// a goal names, on a path without fenced sites. It returns nil if there is no such path.
func (fs *Fences) BeforeGoal(last ir.EdgeID, fenced map[ir.SiteID]bool) []ir.SiteID {
	a := fs.edges[last]
	way, _ := fs.way(a, func(l ir.Loc) bool { return fs.named[a.fn][l] }, fenced)
	return way
}

// way returns the sites on a shortest path from the end of an edge to a location for which
// reached returns true. The path consists of sites that are not fenced.
func (fs *Fences) way(after flatEdge, reached func(ir.Loc) bool, fenced map[ir.SiteID]bool) (out []ir.SiteID, ok bool) {
	f := fs.p.Funcs[after.fn]
	type visit struct {
		loc  ir.Loc
		from int       // index of the previous visit, -1 for the first
		at   ir.SiteID // the site that leads here
	}
	visits := []visit{{loc: after.edge.To, from: -1}}
	for i := 0; i < len(visits); i++ {
		if reached(visits[i].loc) {
			for j := i; visits[j].from >= 0; j = visits[j].from {
				out = append(out, visits[j].at)
			}
			return out, true
		}
		for _, j := range f.Out(visits[i].loc) {
			e := &f.Edges[j]
			site, ok := fs.of[e.ID]
			if ok && !fenced[site] && !slices.ContainsFunc(visits, func(v visit) bool { return v.loc == e.To }) {
				visits = append(visits, visit{e.To, i, site})
			}
		}
	}
	return nil, false
}

// SiteOf returns the site to which an edge of the flat program belongs, if any.
func (fs *Fences) SiteOf(e ir.EdgeID) (ir.SiteID, bool) {
	site, ok := fs.of[e]
	return site, ok
}

// Threads returns, for each site, the names of the threads that can pass it.
func (fs *Fences) Threads() [][]string {
	out := make([][]string, len(fs.sites))
	fs.visit(func(t *ir.Thread, site ir.SiteID, _ int) {
		if !slices.Contains(out[site], t.Name) {
			out[site] = append(out[site], t.Name)
		}
	})
	return out
}

// Depths returns, for each site, the largest number of loops around a copy of it, with
// calls inlined.
func (fs *Fences) Depths() []int {
	out := make([]int, len(fs.sites))
	fs.visit(func(_ *ir.Thread, site ir.SiteID, depth int) { out[site] = max(out[site], depth) })
	return out
}

// visit calls f for every copy of a site that control can reach, with the number of loops
// around the copy.
func (fs *Fences) visit(f func(t *ir.Thread, site ir.SiteID, depth int)) {
	for t := range fs.p.Threads {
		fn := fs.p.ThreadFunc(ir.ThreadID(t))
		n := analysis.NewLoops(fn)
		comp := analysis.Components(fn, nil)
		for i := range fn.Edges {
			e := &fn.Edges[i]
			if site, ok := fs.of[e.ID]; ok && comp[e.From] >= 0 && int(site) < len(fs.sites) {
				f(&fs.p.Threads[t], site, len(n.Around[e.From]))
			}
			for _, site := range fs.accesses[e.ID] {
				if comp[e.From] >= 0 {
					f(&fs.p.Threads[t], site, len(n.Around[e.From]))
				}
			}
		}
	}
}
