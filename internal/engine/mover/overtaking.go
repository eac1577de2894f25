package mover

import (
	"strconv"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
	"fencepost/internal/proof/encode"
	"fencepost/internal/proof/program"
	"fencepost/internal/solver/smt"
)

// Which loads may overtake a store [BEMT18 §4]: loads on a path from the store without an
// instruction that drains, and without a store of the thread that has all bytes of the load, from
// which the load would forward. Paths of the control-flow graph are used instead of SC executions,
// which only adds loads.
//
// Differs from the paper: a load of the store's own address does not overtake the store, since it
// forwards from the store while that is in the buffer.

// overtaking returns the loads that may overtake store w, in order of creation.
func (mt *moverTable) overtaking(c *program.Class, w *ir.Edge) []*ir.Edge {
	var loads []*ir.Edge
	for i := range c.Code.Edges {
		e := &c.Code.Edges[i]
		if (e.Op.Reads() && !e.Op.MustDrain() || e.Op.Kind == ir.Alloc) && !c.Inside[e.From] && mt.reaches(c, w, e) {
			loads = append(loads, e)
		}
	}
	return loads
}

// reaches reports whether a load may overtake store w.
func (mt *moverTable) reaches(c *program.Class, w, load *ir.Edge) bool {
	if mt.hides(c, w, load) {
		return false
	}
	found := false // ends the search early: hides may ask the solver
	return analysis.Undrained(c.Code, w.To, func(e *ir.Edge) bool {
		found = found || e.From == load.From
		return found || e.Op.Kind == ir.Store && mt.hides(c, e, load)
	})[load.From]
}

// hides reports whether a store certainly has all bytes of a load: while it is in the buffer the
// load reads nothing from memory. A store with some of the bytes does not hide the load, which
// reads the others from memory in the same step.
func (mt *moverTable) hides(c *program.Class, store, load *ir.Edge) bool {
	if store.Op.Kind == ir.Free || load.Op.Kind == ir.Alloc {
		return false
	}
	if c.Self != ir.NoReg && store.Op.Addr.Equal(load.Op.Addr) && program.OnlyReads(store.Op.Addr, c.Self) {
		return store.Op.Type.Size() >= load.Op.Type.Size() // the address depends on the number of the thread only
	}
	x, ok1 := mt.address(c, store)
	y, ok2 := mt.address(c, load)
	return ok1 && ok2 && covers(x, store, y, load)
}

// covers reports whether a store at x has all bytes of a load at y.
func covers(x int64, store *ir.Edge, y int64, load *ir.Edge) bool {
	return x <= y && y+int64(load.Op.Type.Size()) <= x+int64(store.Op.Type.Size())
}

// splits reports whether a store of the thread may have some bytes of a load and not the others.
func (mt *moverTable) splits(c *program.Class, load *ir.Edge) bool {
	regs := mt.pr.Env(mt.pr.Registers(c, "a"))
	region := mt.pr.Locate(&load.Op, regs).Region
	y, known := mt.address(c, load)
	for i := range c.Code.Edges {
		e := &c.Code.Edges[i]
		if e.Op.Kind != ir.Store || c.Inside[e.From] || mt.pr.Locate(&e.Op, regs).Region != region {
			continue
		}
		x, ok := mt.address(c, e)
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

type addressKey struct {
	edge  ir.EdgeID
	round int
}

// address returns the only address that an access can have under the invariants, or false if there
// may be several.
func (mt *moverTable) address(c *program.Class, e *ir.Edge) (int64, bool) {
	if v, ok := mt.pr.Constant(e.Op.Addr); ok {
		return v, true
	}
	key := addressKey{e.ID, mt.pr.known.Round}
	at, asked := mt.addresses[key]
	if !asked {
		at = mt.onlyAddress(c, e)
		mt.addresses[key] = at
	}
	if at == nil {
		return 0, false
	}
	return *at, true
}

func (mt *moverTable) onlyAddress(c *program.Class, e *ir.Edge) *int64 {
	regs := mt.pr.Registers(c, "a")
	addr := mt.pr.Env(regs).Number(e.Op.Addr)
	given := mt.pr.known.At(c, e.From, regs, mt.pr.Memory("m"))
	mt.pr.Obligations++
	status, values, err := mt.pr.Asker.Check(given, nil, []smt.Term{addr})
	if err == nil && status == smt.Sat {
		if at, bad := strconv.ParseInt(values[0], 10, 64); bad == nil {
			if status, _, err = mt.pr.Asker.Check(given, []smt.Term{encode.Equal(addr, mt.pr.Arith.Num(at))}, nil); err == nil && status == smt.Unsat {
				return &at
			}
		}
	}
	if err != nil {
		mt.pr.Err = err
	}
	return nil
}
