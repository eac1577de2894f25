package mover

import (
	"strconv"

	"fencepost/internal/ir"
	"fencepost/internal/solver/smt"
)

// Which loads may overtake a store [BEMT18 §4]: those that control reaches from it
// without passing an instruction that drains, and without a store of the thread to
// the address that is read, which the load would see in the buffer. The
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
	f := c.f
	if pr.hides(c, w, load) {
		return false
	}
	seen := make([]bool, len(f.Locs))
	seen[w.To] = true
	for work := []ir.Loc{w.To}; len(work) > 0; {
		l := work[len(work)-1]
		work = work[:len(work)-1]
		if l == load.From {
			return true
		}
		for _, i := range f.Out(l) {
			e := &f.Edges[i]
			if e.Op.MustDrain() || e.Op.Kind == ir.Store && pr.hides(c, e, load) || seen[e.To] {
				continue
			}
			seen[e.To] = true
			work = append(work, e.To)
		}
	}
	return false
}

// hides reports whether a store is certainly to bytes of a load: the load then reads
// the buffer, or waits until the store has left it.
func (pr *prover) hides(c *class, store, load *ir.Edge) bool {
	if c.self != ir.NoReg && store.Op.Addr.Equal(load.Op.Addr) && onlyReads(store.Op.Addr, c.self) {
		return true // the thread's own, wherever that is
	}
	x, ok1 := pr.address(c, store)
	y, ok2 := pr.address(c, load)
	return ok1 && ok2 && x < y+int64(load.Op.Type.Size()) && y < x+int64(store.Op.Type.Size())
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
