package transform

import (
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// Orders in store buffers. TSO and PSO know no orders, but what compilers make of them (docs/models.md): a release store
// has a store-store fence before it, a seq_cst store drains the buffer, a fence is a full one, a store-store one or
// nothing, and loads and read-modify-writes are the same with every order.
//
// The idea: a store whose order can change is always a store, with a fence site before it and one after it. An order
// is fences at these sites. So the events of a program are the same with all orders, and the clauses for fences hold
// for orders as well. A seq_cst store is thus a store between two fences and no exchange, which is the same to all
// threads: nothing of its own thread comes between the store and the fence after it.

// slots are the sites around a store.
type slots struct{ before, after ir.SiteID }

// slotsPass is the name of the pass.
const slotsPass = "orders"

// NewBufferOrders returns the Fences of a flat program under a model with store buffers, in which sites with accesses
// have orders. releases has the store-store fences that stand for the order of a release store: edges of the program from
// which p was made.
func NewBufferOrders(p *ir.Program, props *property.Set, sites []ir.FenceSite, releases map[ir.EdgeID]bool) *Fences {
	kinds := map[ir.EdgeID]ir.AccessKind{}
	at := map[ir.EdgeID]ir.SiteID{}
	for i := range sites {
		if a := sites[i].Access; a != nil {
			for _, e := range sites[i].Edges {
				if a.Kind == ir.StoreAccess || a.Kind == ir.FenceAccess {
					kinds[e], at[e] = a.Kind, ir.SiteID(i)
				}
			}
		}
	}
	around := map[ir.SiteID]slots{}
	of := map[ir.EdgeID]ir.SiteID{}
	next := ir.SiteID(len(sites))
	out := weakened(p, func(out *ir.Program, f *ir.Func, i int) {
		e := &f.Edges[i]
		switch {
		case releases[e.Origin] && e.Op.Kind == ir.Fence:
			e.Op = ir.NewOp(ir.Nop)
		case kinds[e.Origin] == ir.FenceAccess && (e.Op.Kind == ir.Fence || e.Op.Kind == ir.Nop):
			e.Op = ir.NewOp(ir.Nop)
			of[e.ID] = at[e.Origin]
		case kinds[e.Origin] == ir.StoreAccess && (e.Op.Kind == ir.Store || e.Op.Kind == ir.RMW && e.Op.Sync.Marks.Has(ir.AsStore)):
			site := at[e.Origin]
			s, ok := around[site]
			if !ok {
				s = slots{next, next + 1}
				around[site], next = s, next+2
			}
			before, after := surround(out, f, i)
			of[before], of[after] = s.before, s.after
		}
	})
	if errs := ir.Verify(out); len(errs) > 0 {
		panic("BUG: sites around stores broke the program: " + errs[0].Error())
	}
	fs := &Fences{of: of, around: around, props: props, sites: sites}
	return fs.On(out)
}

// On returns the same sites in a program with the same edges, some of which may be other operations.
func (fs *Fences) On(p *ir.Program) *Fences {
	out := NewFences(p, fs.props, fs.sites)
	out.around = fs.around
	for e, site := range fs.of {
		out.of[e] = site
	}
	if fs.base != nil {
		out.base = fs.base
	}
	return out
}

// Program returns the flat program, with its marks.
func (fs *Fences) Program() *ir.Program { return fs.p }

// surround makes edge i a store, with an empty step before it and one after it.
func surround(p *ir.Program, f *ir.Func, i int) (before, after ir.EdgeID) {
	e := f.Edges[i]
	op := e.Op
	if op.Kind == ir.RMW {
		makeStore(&op)
	}
	first, last := newLoc(f, e.Pos), newLoc(f, e.Pos)
	add := func(from, to ir.Loc) ir.EdgeID {
		id := p.NextEdge
		p.NextEdge++
		f.Edges = append(f.Edges, ir.Edge{ID: id, Origin: e.Origin, From: from, To: to, Op: ir.NewOp(ir.Nop), Pos: e.Pos, Pass: slotsPass, Stack: e.Stack})
		return id
	}
	f.Edges[i].Op, f.Edges[i].From, f.Edges[i].To = op, first, last
	return add(e.From, first), add(last, e.To)
}

// inBuffers reports whether orders stand for fences.
func (fs *Fences) inBuffers() bool { return fs.around != nil }

// Acts returns the fences for which a choice stands: the choice itself, and under a model with store buffers the fences of
// its order.
func (fs *Fences) Acts(choice ir.FenceAt) []ir.FenceAt {
	if !fs.inBuffers() {
		return []ir.FenceAt{choice}
	}
	return fs.acts(choice.Site, choice.Order)
}

// acts returns the fences for which the order of a site stands.
func (fs *Fences) acts(site ir.SiteID, order ir.Order) []ir.FenceAt {
	releases := order == ir.Release || order == ir.AcqRel
	access := fs.sites[site].Access
	switch {
	case access == nil || access.Kind == ir.FenceAccess:
		if order == ir.SeqCst {
			return []ir.FenceAt{{Site: site, Kind: ir.FullFence}}
		}
		if releases {
			return []ir.FenceAt{{Site: site, Kind: ir.StoreStoreFence}}
		}
	case access.Kind == ir.StoreAccess:
		s, ok := fs.around[site]
		if ok && order == ir.SeqCst {
			return []ir.FenceAt{{Site: s.before, Kind: ir.StoreStoreFence}, {Site: s.after, Kind: ir.FullFence}}
		}
		if ok && releases {
			return []ir.FenceAt{{Site: s.before, Kind: ir.StoreStoreFence}}
		}
	}
	return nil
}

// fencesWith returns, by site, the fences that stand there.
func (fs *Fences) fencesWith(choices []ir.FenceAt, orders []ir.Order) map[ir.SiteID]ir.FenceKind {
	if fs.inBuffers() {
		choices = nil
		for i, o := range orders {
			choices = append(choices, fs.acts(ir.SiteID(i), o)...)
		}
	}
	kinds := map[ir.SiteID]ir.FenceKind{}
	for _, f := range choices {
		if kinds[f.Site] != ir.FullFence { // the stronger of two fences counts
			kinds[f.Site] = f.Kind
		}
	}
	return kinds
}

// Fenced returns the sites at which fences stand.
func (fs *Fences) Fenced(choices []ir.FenceAt) map[ir.SiteID]bool {
	out := map[ir.SiteID]bool{}
	for site := range fs.fencesWith(choices, fs.Orders(choices)) {
		out[site] = true
	}
	return out
}

// Helps reports whether a choice at a site does more in store buffers than an order. Store-store fences do something under
// PSO only.
func (fs *Fences) Helps(at ir.FenceAt, than ir.Order, pso bool) bool {
	have := fs.acts(at.Site, than)
	return slices.ContainsFunc(fs.acts(at.Site, at.Order), func(f ir.FenceAt) bool {
		return (pso || f.Kind == ir.FullFence) && !slices.Contains(have, f)
	})
}
