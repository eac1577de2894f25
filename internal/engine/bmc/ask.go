package bmc

import (
	"time"

	"fencepost/internal/ir"
	"fencepost/internal/solver/sat"
	"fencepost/query"
)

// The questions put to the solver, one after the other.

// answer puts all questions to the solver.
func (r *run) answer() (err error) {
	defer func() {
		if e := recovered(recover()); e != nil {
			err = e
		}
	}()
	qs := r.x.asker.questions()
	r.x.close()
	if r.opt.DIMACS != nil {
		if err := r.write(r.x.c.lit(r.x.c.and(r.some(qs), r.x.leftInside.not()))); err != nil {
			return err
		}
	}
	if a, ok := r.solver.(*sat.Answer); ok && a.Status() == sat.Unsat {
		r.out.Unknown = "the solver says that no execution violates a property within the bounds, which was not checked here"
		return nil
	}
	if r.opt.WriteOnly {
		r.out.Unknown = "the formula was written and not solved"
		return nil
	}
	if r.task.KeepGoing {
		err = r.each(qs)
	} else {
		err = r.first(qs)
	}
	if err != nil || len(r.out.Violations) > 0 && !r.task.KeepGoing {
		return err
	}
	if r.x.holds != nil && r.props.Deadlock {
		refuse(r.x.holds, "bounded model checking does not encode deadlocks of a thread that waits inside an atomic section")
	}
	return r.summarise()
}

// some returns the gate that one of the violations makes true.
func (r *run) some(qs []question) gate {
	some := low
	for _, q := range qs {
		some = r.x.c.or(some, q.is)
	}
	return some
}

// first finds one violation.
func (r *run) first(qs []question) error {
	found, err := r.solve(r.some(qs))
	if err != nil || !found {
		return err
	}
	memo := map[gate]bool{}
	var pick *question
	for i := range qs {
		if r.x.c.value(r.solver.Value, qs[i].is, memo) {
			pick = &qs[i]
			break
		}
	}
	return r.violation(pick, true)
}

// each finds every violation.
func (r *run) each(qs []question) error {
	known := map[checkKey]bool{}
	for i := range qs {
		q := &qs[i]
		if q.fail != nil && known[r.key(q)] {
			continue
		}
		gates := []gate{q.is}
		switch {
		case q.late != ir.CheckUnset:
			gates = []gate{q.first}
		case q.fail != nil:
			gates = append(gates, r.x.lifetimes.orderly(false))
		}
		for _, f := range r.x.fails { // a thread that fails inside a section never leaves it
			if f != q.fail && f.loc.inner {
				gates = append(gates, f.fails.not())
			}
		}
		found, err := r.solve(gates...)
		if err != nil {
			return err
		}
		if !found {
			continue
		}
		known[r.key(q)] = true
		if err := r.violation(q, false); err != nil {
			return err
		}
	}
	return nil
}

// checkKey identifies a failing check by its position in the program before unrolling.
type checkKey struct {
	class ir.CheckClass
	edge  ir.EdgeID
}

// key returns the check that a question is about.
func (r *run) key(q *question) checkKey {
	f := q.fail
	if f == nil {
		return checkKey{q.late, ir.NoEdge}
	}
	flat := r.task.Program.ThreadFunc(ir.ThreadID(f.thread.id))
	from := r.originals[f.thread.f][f.loc.id]
	return checkKey{f.class, flat.Edges[flat.Out(from)[f.step.index]].ID}
}

// originals returns the location that each location of an unrolled automaton copies. Copies have
// the same edges in the same order.
func originals(flat, unrolled *ir.Func) []ir.Loc {
	of := make([]ir.Loc, len(unrolled.Locs))
	known := make([]bool, len(unrolled.Locs))
	of[unrolled.Entry], known[unrolled.Entry] = flat.Entry, true
	for work := []ir.Loc{unrolled.Entry}; len(work) > 0; {
		l := work[len(work)-1]
		work = work[:len(work)-1]
		out := flat.Out(of[l])
		for i, e := range unrolled.Out(l) {
			to := unrolled.Edges[e].To
			if known[to] || i >= len(out) || unrolled.Edges[e].Op.Kind != flat.Edges[out[i]].Op.Kind {
				continue
			}
			of[to], known[to] = flat.Edges[out[i]].To, true
			work = append(work, to)
		}
	}
	return of
}

// solve asks the solver whether all gates can be true in an execution.
func (r *run) solve(gates ...gate) (bool, error) {
	return r.solveOpen(append(gates, r.x.leftInside.not())...)
}

// solveOpen is like solve, but a thread may also stop inside a section where a bound or exit ends its
// path.
func (r *run) solveOpen(gates ...gate) (bool, error) {
	var assume []sat.Lit
	for _, g := range gates {
		if g == low {
			return false, nil
		}
		if g != high {
			assume = append(assume, r.x.c.lit(g))
		}
	}
	r.x.close()
	if limit := r.task.Limits.MemoryLimit(); limit > 0 {
		r.solver.Limit(max(1, limit-r.x.c.bytes()))
	}
	start := time.Now()
	status, err := r.solver.Solve(r.ctx, assume...)
	r.solved += time.Since(start)
	switch {
	case err != nil && r.opt.Answer != "":
		return false, &query.AnswerError{Why: err.Error()}
	case err != nil:
		return false, err
	case status == sat.Interrupted:
		return false, errInterrupted
	case status == sat.OutOfMemory:
		return false, errMemory
	}
	return status == sat.Sat, nil
}
