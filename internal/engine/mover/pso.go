package mover

import (
	"fmt"
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
	"fencepost/internal/proof/program"
	"fencepost/verdict"
)

// PSO. The reduction brings the commit of a store to its issue at a time when no older store of the
// thread waits; under PSO a younger store may have reached memory before. So it carries over where that
// cannot be: if no store can be overtaken by a younger store of its thread, the entries of each buffer
// reach memory in the order of the program, and every execution under PSO is one under TSO.
//
// A younger store overtakes an older one only if there is a path between them on which nothing drains and
// without a store-store fence, and if their addresses may differ: entries that overlap keep their order.
// A store to memory that no other thread accesses does not count, as the older one or as the younger: no
// thread sees when it reaches memory, since its own loads take the value from the buffer until then. Its
// commit can be moved to where the order of the program wants it.
//
// A free is an entry of the buffer that overtakes no older store, since it brings a store-store fence with it; a younger
// store may overtake it. A free of a null pointer brings no fence, so that stores before a free and after it count as if
// it were not there. If blocks end, by a free or because their function returns, a store to a block is seen by the thread
// that ends it: the store fails if it reaches memory after that.

// overtakers returns the stores that may overtake store or free w.
func (mt *moverTable) overtakers(c *program.Class, w *ir.Edge) []*ir.Edge {
	if mt.unseen(c, w) {
		return nil
	}
	reached := analysis.Undrained(c.Code, w.To, func(e *ir.Edge) bool { return e.Op.Kind == ir.Fence })
	var out []*ir.Edge
	for i := range c.Code.Edges {
		e := &c.Code.Edges[i]
		if e.Op.Kind == ir.Store && reached[e.From] && !c.Inside[e.From] && !mt.sameCell(c, w, e) && !mt.unseen(c, e) {
			out = append(out, e)
		}
	}
	return out
}

// sameCell reports whether two stores of a thread certainly write the same bytes.
func (mt *moverTable) sameCell(c *program.Class, x, y *ir.Edge) bool {
	if x.Op.Kind != ir.Store || x.Op.Type.Size() != y.Op.Type.Size() {
		return false
	}
	if c.Self != ir.NoReg && x.Op.Addr.Equal(y.Op.Addr) && program.OnlyReads(x.Op.Addr, c.Self) {
		return true
	}
	at, ok1 := mt.address(c, x)
	to, ok2 := mt.address(c, y)
	return ok1 && ok2 && at == to
}

// unseen reports whether no thread but the one of class c accesses the memory of a store.
func (mt *moverTable) unseen(c *program.Class, w *ir.Edge) bool {
	if c.Many || w.Op.Kind == ir.Free {
		return false
	}
	if _, _, ok := mt.pr.InBlock(&w.Op); ok && mt.pr.Blocks.Ends {
		return false
	}
	region := mt.pr.Locate(&w.Op, mt.pr.Env(mt.pr.Registers(c, "a"))).Region
	for _, d := range mt.pr.Classes {
		for i := range d.Code.Edges {
			e := &d.Code.Edges[i]
			if d != c && program.AccessesMemory(&e.Op) && mt.pr.Locate(&e.Op, mt.pr.Env(mt.pr.Registers(d, "a"))).Region == region {
				return false
			}
		}
	}
	return true
}

// inOrder adds to a table which stores may be overtaken by younger ones. It returns how many there are.
func (mt *moverTable) inOrder(list []*judged, stores []verdict.ProofStore) int {
	n := 0
	for i, j := range list {
		s := &stores[i]
		for _, e := range mt.overtakers(j.c, j.w.First()) {
			young := mt.actionOf(j.c, e)
			if at := program.DescribeAction(j.c, young); !slices.ContainsFunc(s.Overtakers, func(o verdict.ProofInstruction) bool { return sameInstruction(o, at) }) {
				s.Overtakers = append(s.Overtakers, at)
				s.Repairs = append(s.Repairs, fmt.Sprintf("a store-store fence between the %s (%s) and the younger store (%s)", j.w.First().Op.Kind, program.PositionName(j.w), program.PositionName(young)))
			}
		}
		if len(s.Overtakers) > 0 {
			n++
		}
	}
	return n
}

// underPSO concludes about PSO from a proof about TSO.
func (pr *prover) underPSO(out *Outcome, r *result) {
	if n := pr.movers.inOrder(r.list, out.Proof.Stores); n > 0 && out.Verdict != verdict.Unknown {
		out.Verdict = verdict.Unknown
		if out.Reason = "a younger store can overtake one of the stores, for which the method has no proof"; n > 1 {
			out.Reason = fmt.Sprintf("younger stores can overtake %d of the stores, for which the method has no proof", n)
		}
	}
}
