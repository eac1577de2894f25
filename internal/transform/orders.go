package transform

import (
	"fmt"
	"slices"

	"fencepost/internal/ir"
)

// Orders of accesses. A site can be an atomic access or a fence of the program (ir.OrderedAccess). It has the order
// that is written in the text, or the one that SetBase has given it, and a choice makes that stronger: acquire and
// release together are acq_rel.

// chosen says what stands at each site.
type chosen struct {
	kinds  map[ir.SiteID]ir.FenceKind
	orders []ir.Order // by site
}

// SetBase sets the order that an access has without a choice.
func (fs *Fences) SetBase(site ir.SiteID, order ir.Order) { fs.base[site] = order }

// Base returns the order that an access has without a choice.
func (fs *Fences) Base(site ir.SiteID) ir.Order { return fs.base[site] }

// Orders returns, by site, the order of its access or fence after the choices.
func (fs *Fences) Orders(choices []ir.FenceAt) []ir.Order {
	out := slices.Clone(fs.base)
	for _, c := range choices {
		out[c.Site] = out[c.Site].Join(c.Order)
	}
	return out
}

// setOrder gives an operation the order of its access. An edge that a pass made from an access and that is none itself
// stays as it is.
func setOrder(op *ir.Op, kind ir.AccessKind, order ir.Order) {
	switch kind {
	case ir.LoadAccess:
		if op.Kind == ir.Load || op.Kind == ir.Await {
			op.Sync.Order = order
		}
	case ir.StoreAccess:
		if op.Kind == ir.Store {
			op.Sync.Order = order
		}
	case ir.UpdateAccess:
		if op.Kind == ir.RMW {
			op.Sync.Order = order
		}
	case ir.FailureAccess:
		switch op.Kind {
		case ir.RMW:
			op.Sync.Fail = order
		case ir.Await: // a weak compare-exchange that fails although the values are equal
			op.Sync.Order = order
		}
	case ir.FenceAccess:
		fence := ir.NewOp(ir.Nop)
		fence.Sync.Order = order
		*op = fenceInC11(&fence)
	default:
		panic(fmt.Sprintf("BUG: unknown access kind %d", kind))
	}
}

// AccessesOf returns the sites whose order an edge of the flat program has.
func (fs *Fences) AccessesOf(e ir.EdgeID) []ir.SiteID { return fs.accesses[e] }

// Edge returns an edge of the flat program.
func (fs *Fences) Edge(e ir.EdgeID) *ir.Edge { return fs.edges[e].edge }

// Beginning appends to out the sites that a thread passes from its beginning to its first edge, and returns the result.
func (fs *Fences) Beginning(first ir.EdgeID, out []ir.SiteID) []ir.SiteID {
	b := fs.edges[first]
	begin := ir.Edge{To: fs.p.Funcs[b.fn].Entry}
	way, ok := fs.way(flatEdge{b.fn, &begin}, func(l ir.Loc) bool { return l == b.edge.From }, nil)
	if !ok {
		panic(fmt.Sprintf("BUG: edge %d does not come first in its thread", first))
	}
	return append(out, way...)
}

// Ending appends to out all sites that a thread can pass after an edge without another step, and returns the result.
func (fs *Fences) Ending(last ir.EdgeID, out []ir.SiteID) []ir.SiteID {
	a := fs.edges[last]
	f := fs.p.Funcs[a.fn]
	seen := []ir.Loc{a.edge.To}
	for i := 0; i < len(seen); i++ {
		for _, j := range f.Out(seen[i]) {
			e := &f.Edges[j]
			if site, ok := fs.of[e.ID]; ok && !slices.Contains(seen, e.To) {
				seen, out = append(seen, e.To), append(out, site)
			}
		}
	}
	return out
}

// OpWith returns the operation of an edge of the flat program with the orders of the sites.
func (fs *Fences) OpWith(e ir.EdgeID, orders []ir.Order) ir.Op {
	op := fs.edges[e].edge.Op
	for _, site := range fs.accesses[e] {
		setOrder(&op, fs.sites[site].Access.Kind, orders[site])
	}
	return op
}
