package bmc

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fencepost/internal/budget"
	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/solver/sat"
	"fencepost/internal/transform"
	"fencepost/query"
	"fencepost/verdict"
)

// The default bounds.
const (
	DefaultUnroll = 8
	DefaultRounds = 3
	DefaultClock  = 3
	DefaultQueue  = 3
)

// leading returns an allocation with bytes in front of what the program asks for, nil if there is none.
func leading(p *ir.Program) *ir.Edge {
	for _, f := range p.Funcs {
		for i := range f.Edges {
			if f.Edges[i].Op.Block.Lead > 0 {
				return &f.Edges[i]
			}
		}
	}
	return nil
}

func supports(t *engine.Task) error {
	if err := t.NoExtras("bmc"); err != nil {
		return err
	}
	if e := leading(t.Program); e != nil {
		return &engine.Unsupported{Pos: engine.Pos(e), What: "bmc does not take blocks that realloc may move", Advice: "use check --engine explicit, smc or rf"}
	}
	if err := t.NoEndless("bmc"); err != nil {
		return err
	}
	if t.Finals && t.Props.Whole {
		return &engine.Unsupported{What: "bmc cannot list final states with blocks of the heap and results of threads", Advice: "use --engine explicit"}
	}
	if err := t.TakesThreads("bmc"); err != nil {
		return err
	}
	// In the encoding a thread that waits has left the section; for the other threads it has not.
	if e := engine.InsideSection(t.Program, ir.CondWait, ir.Barrier); e != nil {
		return &engine.Unsupported{Pos: engine.Pos(e), What: fmt.Sprintf("bmc does not take a %s inside an atomic section", e.Op.Kind)}
	}
	// Threads stop inside sections only at locations that a goal names.
	for i := range t.Props.Goals {
		g := &t.Props.Goals[i]
		if engine.RegistersInside(t.Program, g) || g.MentionsMemory() && engine.MemoryInside(t.Program) {
			return fmt.Errorf("bmc does not take goals about memory or registers that change inside an atomic section")
		}
		// Threads stop between local steps only at locations that a goal names.
		if engine.LocalRegisters(t.Program, g) {
			return fmt.Errorf("bmc does not take goals about registers that a thread computes at locations which the goal does not name")
		}
	}
	return nil
}

// withDefaults replaces bounds that are not set.
func withDefaults(o Options) Options {
	for _, f := range []struct {
		at    *int
		value int
	}{{&o.Unroll, DefaultUnroll}, {&o.Rounds, DefaultRounds}, {&o.Clock, DefaultClock}, {&o.Queue, DefaultQueue}} {
		if *f.at <= 0 {
			*f.at = f.value
		}
	}
	o.Queue = max(o.Queue, 2) // one write is in memory, and another needs a slot
	return o
}

// run is one formula with the questions about it.
type run struct {
	ctx    context.Context
	task   *engine.Task
	opt    Options
	need   *Options // see encoded
	prog   *ir.Program
	props  *property.Set
	x      *encoder
	y      *memory.System
	solver sat.Solver
	out    *engine.Outcome
	solved time.Duration

	formula sat.Formula // if it is to be written
	// originals has, for each unrolled automaton, the location that each of its locations copies.
	originals map[*ir.Func][]ir.Loc
}

// attempt answers the task with one set of bounds. Without a choice of the encoding it tries the
// order of events first.
func attempt(ctx context.Context, task *engine.Task, opt Options) (*engine.Outcome, error) {
	first := opt
	if first.Encoding == "" {
		first.Encoding = Order
	}
	out, err := encoded(ctx, task, first, nil)
	if u := (*notOrdered)(nil); errors.As(err, &u) {
		if opt.Encoding == Order {
			out.Unknown = u.Error()
			return out, nil
		}
		opt.Encoding = Rounds
		return encoded(ctx, task, opt, nil)
	}
	return out, err
}

// encoded answers the task with one encoding. The error is a *notOrdered if the order of events
// cannot be encoded. If need is not nil, it gets the rounds, times and lists that the unrolled program
// can need at most.
func encoded(ctx context.Context, task *engine.Task, opt Options, need *Options) (*engine.Outcome, error) {
	start := time.Now()
	if task.Program.FloatingPoint() != nil {
		cut := *task
		cut.Program = transform.WithoutFloatingPoint(task.Program, verdict.BoundFloatingPoint)
		task = &cut
	}
	r := &run{ctx: ctx, task: task, opt: opt, need: need, out: &engine.Outcome{}}
	err := r.prepare()
	if err == nil {
		err = r.answer()
	}
	u := (*engine.Unsupported)(nil)
	switch {
	case errors.Is(err, errInterrupted):
		r.out.Unknown, err = r.interrupted(), nil
	case errors.Is(err, errMemory):
		r.out.Unknown, err = fmt.Sprintf("memory limit of %s reached", r.task.Limits.MemoryText()), nil
	case errors.As(err, &u):
		r.out.Unknown, err = u.Error(), nil
	}
	if r.x == nil {
		return r.out, err
	}
	r.out.Stats.Gates, r.out.Stats.Variables, r.out.Stats.Clauses = int64(len(r.x.c.nodes)), int64(r.x.c.nextVar), int64(r.x.c.clauses)
	r.out.Stats.SolverSeconds = r.solved.Seconds()
	r.out.Stats.Seconds = time.Since(start).Seconds()
	return r.out, err
}

var (
	errInterrupted = errors.New("interrupted")
	errMemory      = errors.New("out of memory")
)

// checkLimits counts the steps since the last call as work. It returns an error if a limit of time
// or memory has been reached, where the encoding uses some bytes.
func (r *run) checkLimits(bytes int64) error {
	if budget.Spend(r.ctx, checkEvery*stepCost) != nil {
		return errInterrupted
	}
	limit := r.task.Limits.MemoryLimit()
	if limit > 0 && bytes+r.solver.Bytes() > limit {
		return errMemory
	}
	return nil
}

// unrolledCost is the cost of the edges that are unrolled between two checks of the limits, as work.
const unrolledCost = 2 * budget.Millisecond

// plannedCost is the cost of what is found out about an edge, before it is unrolled and again before it is encoded, as
// work.
const plannedCost = 5 * budget.Microsecond

// planned counts what is found out about the edges of a program.
func (r *run) planned(p *ir.Program) error {
	edges := 0
	for t := range p.Threads {
		edges += len(p.ThreadFunc(ir.ThreadID(t)).Edges)
	}
	if budget.Begin(r.ctx, plannedCost*int64(edges)) != nil {
		return errInterrupted
	}
	return nil
}

// unrolled checks the limits while loops are unrolled.
func (r *run) unrolled(bytes int64) error {
	if budget.Spend(r.ctx, unrolledCost) != nil {
		return errInterrupted
	}
	return r.checkLimits(bytes)
}

// interrupted returns the reason for unknown after the context has ended.
func (r *run) interrupted() string {
	if r.ctx.Err() == context.DeadlineExceeded {
		return "time limit reached"
	}
	return "interrupted"
}

// prepare unrolls the program and encodes it.
func (r *run) prepare() error {
	var err error
	r.opt.DIMACS = discarded(&r.opt)
	if r.solver, err = newSolver(&r.opt); err != nil {
		return err
	}
	if err := r.planned(r.task.Program); err != nil {
		return err
	}
	r.prog, r.props, err = transform.Unroll(r.task.Program, r.task.Props, r.opt.Unroll, r.unrolled)
	if errors.Is(err, errInterrupted) || errors.Is(err, errMemory) {
		return err
	}
	if err != nil {
		return &engine.Unsupported{What: err.Error()}
	}
	if err := r.planned(r.prog); err != nil {
		return err
	}
	if r.opt.Encoding == Order {
		if u := orderRefuses(r.props, r.prog); u != nil {
			return u
		}
	}
	sink := r.solver.Add
	if r.opt.DIMACS != nil {
		sink = func(clause ...sat.Lit) {
			r.formula.Add(clause...)
			r.solver.Add(clause...)
		}
	}
	if r.x, err = encode(r.task, r.prog, r.props, r.opt, sink, r.checkLimits); err != nil {
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

// newSolver returns the answer that is known, the program with the name that is set, or the embedded solver.
func newSolver(opt *Options) (sat.Solver, error) {
	if opt.Answer != "" {
		a, err := sat.NewAnswer(opt.Answer)
		if err != nil {
			return nil, &query.AnswerError{Why: err.Error()}
		}
		return a, nil
	}
	if opt.Solver == "" {
		return sat.NewEmbedded(), nil
	}
	p, err := sat.NewProcess(opt.Solver)
	if err != nil {
		return nil, &engine.Unsupported{What: err.Error()}
	}
	return p, nil
}
