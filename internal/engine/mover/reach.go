package mover

import (
	"strconv"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
	"fencepost/internal/solver/smt"
)

// Which loads may overtake a store [BEMT18 §4]: those that control reaches from it
// without passing an instruction that drains, and without a store of the thread that
// has all bytes of the load, which the load would see in the buffer. The
// control-flow graph stands in for SC executions, which only adds loads.
//
// Differs from the paper: the store itself also hides its own address, since the
// load reads it from the buffer for as long as the store is there.

// overtaking lists the loads that may overtake the store w, in order of creation.
func (pr *prover) overtaking(c *class, w *ir.Edge) []*ir.Edge {
	var loads []*ir.Edge
	for i := range c.f.Edges {
		e := &c.f.Edges[i]
		if e.Op.Reads() && !e.Op.MustDrain() && !c.inside[e.From] && pr.reaches(c, w, e) {
			loads = append(loads, e)
		}
	}
	return loads
}

// reaches reports whether the load may overtake the store w.
func (pr *prover) reaches(c *class, w, load *ir.Edge) bool {
	if pr.hides(c, w, load) {
		return false
	}
	found := false // ends the search early: hides may ask the solver
	return analysis.Undrained(c.f, w.To, func(e *ir.Edge) bool {
		found = found || e.From == load.From
		return found || e.Op.Kind == ir.Store && pr.hides(c, e, load)
	})[load.From]
}

// hides reports whether a store certainly has all bytes of a load: while it is in the
// buffer the load reads nothing from memory. A store that has some of them does not
// hide the load, which takes the others from memory at once.
func (pr *prover) hides(c *class, store, load *ir.Edge) bool {
	if c.self != ir.NoReg && store.Op.Addr.Equal(load.Op.Addr) && onlyReads(store.Op.Addr, c.self) {
		return store.Op.Type.Size() >= load.Op.Type.Size() // the thread's own, wherever that is
	}
	x, ok1 := pr.address(c, store)
	y, ok2 := pr.address(c, load)
	return ok1 && ok2 && covers(x, store, y, load)
}

// covers reports whether a store at x has all bytes of a load at y.
func covers(x int64, store *ir.Edge, y int64, load *ir.Edge) bool {
	return x <= y && y+int64(load.Op.Type.Size()) <= x+int64(store.Op.Type.Size())
}

// splits reports whether an own store may have some bytes of a load and not the others.
func (pr *prover) splits(c *class, load *ir.Edge) bool {
	regs := pr.env(pr.registers(c, "a"))
	region := pr.locate(&load.Op, regs).region
	y, known := pr.address(c, load)
	for i := range c.f.Edges {
		e := &c.f.Edges[i]
		if e.Op.Kind != ir.Store || c.inside[e.From] || pr.locate(&e.Op, regs).region != region {
			continue
		}
		x, ok := pr.address(c, e)
		if !known || !ok {
			return true
		}
		apart := x+int64(e.Op.Type.Size()) <= y || y+int64(load.Op.Type.Size()) <= x
		if !apart && !covers(x, e, y, load) {
			return true
		}
	}
	return false
}

// onlyReads reports whether an expression depends on one register alone.
func onlyReads(e *ir.Expr, r ir.Reg) bool {
	ok := true
	e.Walk(func(x *ir.Expr) { ok = ok && (x.Op != ir.RegRef || x.Reg == r) })
	return ok
}

type addressKey struct {
	edge  ir.EdgeID
	round int
}

// address is the one address an access can have, as far as is known, and whether
// there is just one.
func (pr *prover) address(c *class, e *ir.Edge) (int64, bool) {
	if v, ok := pr.constant(e.Op.Addr); ok {
		return v, true
	}
	key := addressKey{e.ID, pr.known.round}
	at, asked := pr.addresses[key]
	if !asked {
		at = pr.onlyAddress(c, e)
		pr.addresses[key] = at
	}
	if at == nil {
		return 0, false
	}
	return *at, true
}

func (pr *prover) onlyAddress(c *class, e *ir.Edge) *int64 {
	regs := pr.registers(c, "a")
	addr := pr.env(regs).number(e.Op.Addr)
	given := pr.known.at(c, e.From, regs, pr.memory("m"))
	pr.obligations++
	status, values, err := pr.solver.Check(nil, given, []string{addr})
	if err == nil && status == smt.Sat {
		if at, bad := strconv.ParseInt(values[0], 10, 64); bad == nil {
			if status, _, err = pr.solver.Check(nil, append(given, not(equal(addr, pr.arith.num(at)))), nil); err == nil && status == smt.Unsat {
				return &at
			}
		}
	}
	if err != nil {
		pr.err = err
	}
	return nil
}
