package bmc

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/solver/sat"
	"fencepost/internal/transform"
	"fencepost/verdict"
)

// The default bounds.
const (
	DefaultUnroll = 8
	DefaultRounds = 3
	DefaultClock  = 3
	DefaultQueue  = 3
)

func supports(t *engine.Task) error {
	if t.Finals && t.Props.Whole {
		return &engine.Unsupported{What: "bmc cannot list final states with blocks of the heap and results of threads", Advice: "use --engine explicit"}
	}
	if err := t.TakesThreads("bmc"); err != nil {
		return err
	}
	// A thread that waits there has left the section for the encoding, and has not for the
	// others.
	if e := engine.InsideSection(t.Program, ir.CondWait, ir.Barrier); e != nil {
		return &engine.Unsupported{Pos: engine.Pos(e), What: fmt.Sprintf("bmc does not take a %s inside an atomic section", e.Op.Kind)}
	}
	// Threads are not stopped inside sections but at places that a goal names.
	for i := range t.Props.Goals {
		g := &t.Props.Goals[i]
		if engine.RegistersInside(t.Program, g) || g.MentionsMemory() && engine.MemoryInside(t.Program) {
			return fmt.Errorf("bmc does not take goals about memory or registers that change inside an atomic section")
		}
	}
	return nil
}

func withDefaults(o Options) Options {
	for _, f := range []struct {
		at    *int
		value int
	}{{&o.Unroll, DefaultUnroll}, {&o.Rounds, DefaultRounds}, {&o.Clock, DefaultClock}, {&o.Queue, DefaultQueue}} {
		if *f.at <= 0 {
			*f.at = f.value
		}
	}
	o.Queue = max(o.Queue, 2) // a write needs a place beside the one memory has
	return o
}

// run is one formula and the questions put to it.
type run struct {
	ctx    context.Context
	task   *engine.Task
	opt    Options
	prog   *ir.Program
	props  *property.Set
	x      *encoder
	y      *memory.System
	solver sat.Solver
	out    *engine.Outcome
	solved time.Duration

	formula sat.Formula // if it is to be written
	// originals has, for each unrolled automaton, the locations its own are copies of.
	originals map[*ir.Func][]ir.Loc
}

// attempt answers for one set of bounds.
func attempt(ctx context.Context, task *engine.Task, opt Options) (*engine.Outcome, error) {
	start := time.Now()
	r := &run{ctx: ctx, task: task, opt: opt, out: &engine.Outcome{}}
	err := r.prepare()
	if err == nil {
		err = r.answer()
	}
	u := (*engine.Unsupported)(nil)
	switch {
	case errors.Is(err, errInterrupted):
		r.out.Unknown, err = r.interrupted(), nil
	case errors.Is(err, errMemory):
		r.out.Unknown, err = fmt.Sprintf("memory limit of %d MiB reached", r.task.Limits.Memory>>20), nil
	case errors.As(err, &u):
		r.out.Unknown, err = u.Error(), nil
	}
	if r.x == nil {
		return r.out, err
	}
	r.out.Stats.Gates, r.out.Stats.Variables, r.out.Stats.Clauses = int64(len(r.x.nodes)), int64(r.x.nextVar), int64(r.x.clauses)
	r.out.Stats.SolverSeconds = r.solved.Seconds()
	r.out.Stats.Seconds = time.Since(start).Seconds()
	return r.out, err
}

var (
	errInterrupted = errors.New("interrupted")
	errMemory      = errors.New("out of memory")
)

// look says which limit the formula has met.
func (r *run) look(c *circuit) error {
	if r.ctx.Err() != nil {
		return errInterrupted
	}
	limit := r.task.Limits.Memory
	if limit > 0 && c.bytes()+r.solver.Bytes() > limit {
		return errMemory
	}
	return nil
}

func (r *run) interrupted() string {
	if r.ctx.Err() == context.DeadlineExceeded {
		return "time limit reached"
	}
	return "interrupted"
}

// prepare unrolls the program and encodes it.
func (r *run) prepare() error {
	var err error
	if r.prog, r.props, err = transform.Unroll(r.task.Program, r.task.Props, r.opt.Unroll); err != nil {
		return &engine.Unsupported{What: err.Error()}
	}
	if r.solver, err = newSolver(r.opt.Solver); err != nil {
		return err
	}
	sink := r.solver.Add
	if r.opt.DIMACS != nil {
		sink = func(clause ...sat.Lit) {
			r.formula.Add(clause...)
			r.solver.Add(clause...)
		}
	}
	if r.x, err = encode(r.task, r.prog, r.props, r.opt, sink, r.look); err != nil {
		return err
	}
	r.y = memory.New(r.task.Program, r.task.Model, r.task.MemoryOptions())
	r.originals = map[*ir.Func][]ir.Loc{}
	for t := range r.prog.Threads {
		f := r.prog.ThreadFunc(ir.ThreadID(t))
		r.originals[f] = originals(r.task.Program.ThreadFunc(ir.ThreadID(t)), f)
	}
	return nil
}

func newSolver(name string) (sat.Solver, error) {
	if name == "" {
		return sat.NewEmbedded(), nil
	}
	p, err := sat.NewProcess(name)
	if err != nil {
		return nil, &engine.Unsupported{What: err.Error()}
	}
	return p, nil
}

// solve asks the solver whether all gates can be true.
func (r *run) solve(gates ...gate) (bool, error) {
	var assume []sat.Lit
	for _, g := range gates {
		if g == low {
			return false, nil
		}
		if g != high {
			assume = append(assume, r.x.lit(g))
		}
	}
	if limit := r.task.Limits.Memory; limit > 0 {
		r.solver.Limit(max(1, limit-r.x.bytes()))
	}
	start := time.Now()
	status, err := r.solver.Solve(r.ctx, assume...)
	r.solved += time.Since(start)
	switch {
	case err != nil:
		return false, err
	case status == sat.Interrupted:
		return false, errInterrupted
	case status == sat.OutOfMemory:
		return false, errMemory
	}
	return status == sat.Sat, nil
}

func (r *run) answer() (err error) {
	defer func() {
		if e := recovered(recover()); e != nil {
			err = e
		}
	}()
	qs := r.x.questions()
	if r.opt.DIMACS != nil {
		if err := r.formula.WriteDIMACS(r.opt.DIMACS, r.x.lit(r.some(qs))); err != nil {
			return fmt.Errorf("writing the formula: %w", err)
		}
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

// some is any of the violations.
func (r *run) some(qs []question) gate {
	some := low
	for _, q := range qs {
		some = r.x.or(some, q.is)
	}
	return some
}

// first asks for any violation.
func (r *run) first(qs []question) error {
	found, err := r.solve(r.some(qs))
	if err != nil || !found {
		return err
	}
	memo := map[gate]bool{}
	var pick *question
	for i := range qs {
		if r.x.value(r.solver.Value, qs[i].is, memo) {
			pick = &qs[i]
			break
		}
	}
	return r.violation(pick, true)
}

// each asks for every violation.
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
			gates = append(gates, r.x.orderly(false))
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

// checkKey names a failing check in the program before unrolling.
type checkKey struct {
	class ir.CheckClass
	edge  ir.EdgeID
}

func (r *run) key(q *question) checkKey {
	f := q.fail
	if f == nil {
		return checkKey{q.late, ir.NoEdge}
	}
	flat := r.task.Program.ThreadFunc(ir.ThreadID(f.thread.id))
	from := r.originals[f.thread.f][f.loc.id]
	return checkKey{f.class, flat.Edges[flat.Out(from)[f.step.index]].ID}
}

// originals finds the location that each location of an unrolled automaton is a
// copy of: copies have the same edges in the same order.
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

// violation decodes a model.
func (r *run) violation(q *question, any bool) error {
	rec, err := decode(r.x, r.y, r.solver.Value, q, any)
	if err != nil {
		return fmt.Errorf("a model does not execute: %w", err)
	}
	v := engine.Violation{Kind: q.kind, Edge: ir.NoEdge, Goal: q.goal, Witness: rec.Witness()}
	if f, failed := rec.State().Fault(); failed {
		v.Kind, v.Class = engine.CheckFailed, f.Class
		if f.Edge != nil {
			v.Edge = f.Edge.ID
		}
	}
	if err := r.holds(&v, rec.State()); err != nil {
		return err
	}
	r.out.Violations = append(r.out.Violations, v)
	return nil
}

// holds checks that an execution shows what it is to show.
func (r *run) holds(v *engine.Violation, s *memory.State) error {
	judge, ok := engine.NewJudge(r.y), true
	switch v.Kind {
	case engine.CheckFailed:
		_, ok = s.Fault()
	case engine.GoalReached:
		ok = judge.Goal(s, &r.task.Props.Goals[v.Goal])
	case engine.FinalViolated:
		ok = r.y.Final(s) && judge.Final(s, r.task.Props.Final)
	case engine.Deadlock:
		ok = r.y.Deadlocked(s)
	}
	if !ok {
		return fmt.Errorf("the execution of a model does not show the violation: %s", v.Kind)
	}
	return nil
}

// summarise finds out what the bounds left out and whether anything was checked.
func (r *run) summarise() error {
	if err := r.coverage(); err != nil {
		return err
	}
	ends, err := r.solve(r.x.ended())
	if err != nil {
		return err
	}
	if ends {
		r.out.Ends = true
	}
	some := low
	for _, g := range r.x.checks {
		some = r.x.or(some, g)
	}
	if r.out.ChecksReached, err = r.solve(some); err != nil {
		return err
	}
	some = low
	for _, g := range r.x.exits {
		some = r.x.or(some, g)
	}
	exits, err := r.solve(some)
	if exits {
		r.out.Exits = 1
	}
	if err != nil || !r.task.Finals {
		return err
	}
	return r.finals()
}

// finals lists the final states: each that is found is excluded, until there are no
// more. It comes last, since what is excluded stays so.
func (r *run) finals() error {
	ended, observed := r.x.ended(), r.x.vars(r.props.Observe)
	for {
		found, err := r.solve(ended)
		if err != nil {
			return err
		}
		if !found {
			break
		}
		var values []int64
		memo := map[gate]bool{}
		other := []gate{ended.not()}
		for _, w := range observed {
			v := r.x.number(r.solver.Value, w, memo)
			values = append(values, v)
			for i, g := range w.bits {
				other = append(other, g^gate(v>>i&1))
			}
		}
		r.out.Finals = append(r.out.Finals, engine.FormatFinal(r.props.Observe, values))
		r.x.assert(other...)
	}
	slices.Sort(r.out.Finals)
	r.out.Stats.FinalStates = int64(len(r.out.Finals))
	return nil
}

// coverage states the bounds. One that provably cut nothing off is not hit.
func (r *run) coverage() error {
	c := &r.out.Coverage
	stores := map[*cell]int{}
	var positions []int
	all := 0
	for _, t := range r.x.threads {
		if len(t.turns) > 0 {
			positions = append(positions, len(t.turns[0]))
		}
		for _, l := range t.locs {
			for _, st := range l.steps {
				if k := st.e.Op.Kind; st.access == nil || k != ir.Store && k != ir.Free || st.access.direct || st.access.silent {
					continue
				}
				all++
				for _, g := range st.access.goals {
					stores[g.cell]++
				}
			}
		}
	}
	most := 0
	for _, n := range stores {
		most = max(most, n)
	}
	c.Bounds = append(c.Bounds, verdict.Bound{Name: "rounds", Value: r.opt.Rounds, Hit: r.opt.Rounds < roundsNeeded(positions)})
	if r.task.Model != memory.SC {
		c.Bounds = append(c.Bounds,
			verdict.Bound{Name: "clock", Value: r.opt.Clock, Hit: r.opt.Clock < all+1},
			verdict.Bound{Name: "queue", Value: r.opt.Queue, Hit: r.opt.Queue < most+1})
	}
	if err := r.cuts(c); err != nil {
		return err
	}
	c.Exhaustive = true
	for _, b := range c.Bounds {
		c.Exhaustive = c.Exhaustive && !b.Hit
	}
	return nil
}

// cuts asks for every bound of the unrolled program whether it stops a thread.
func (r *run) cuts(c *verdict.Coverage) error {
	byName := map[string][]*cut{}
	var names []string
	for _, k := range r.x.cuts {
		if byName[k.name] == nil {
			names = append(names, k.name)
		}
		byName[k.name] = append(byName[k.name], k)
	}
	for _, name := range names {
		some := low
		for _, k := range byName[name] {
			some = r.x.or(some, k.cuts)
		}
		hit, err := r.solve(some)
		if err != nil {
			return err
		}
		first := byName[name][0]
		if hit {
			memo := map[gate]bool{}
			for _, k := range byName[name] {
				if r.x.value(r.solver.Value, k.cuts, memo) {
					first = k
					break
				}
			}
		}
		b := verdict.Bound{Name: name, Value: first.value, Hit: hit}
		if hit {
			b.Pos = engine.Pos(first.edge)
		}
		c.Bounds = append(c.Bounds, b)
	}
	return nil
}
