//go:build !fencepost_small

package replay

import (
	"fencepost/internal/ir"
	"fencepost/verdict"
)

// consistentGraph runs the steps of a graph and checks the axioms.
func consistentGraph(p *ir.Program, w *verdict.Witness) (*grapher, *axioms, error) {
	g, err := runGraph(p, w)
	if err != nil {
		return nil, nil, err
	}
	orders, err := g.orders()
	if err != nil {
		return nil, nil, err
	}
	a := &axioms{events: g.events, orders: orders}
	return g, a, a.check()
}

// lastWrites returns the last state, in which memory holds the last writes of the modification orders.
func (g *grapher) lastWrites(orders [][]int) *state {
	s := g.end.clone()
	for _, o := range orders {
		last := &g.events[o[len(o)-1]]
		setContents(s, last.addr, g.values[part{last.step, last.addr, last.size}])
	}
	return s
}

// lastOfGraph is lastState under C11.
func lastOfGraph(p *ir.Program, w *verdict.Witness) (*machine, *state, error) {
	g, a, err := consistentGraph(p, w)
	if err != nil {
		return nil, nil, err
	}
	if g.fail != nil {
		return nil, nil, earlyEnd(g.fail)
	}
	return g.m, g.lastWrites(a.orders), nil
}
