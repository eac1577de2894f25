package lazy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"fencepost/internal/budget"
	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/query"
	"fencepost/verdict"
)

// The lazy checker [BCDM15 Algorithm 1]. Two modes:
//
//   - exact is the algorithm as published: one sequence at a time, exact extensions. It decides
//     programs without loops [BCDM15 Thm 3]; others are unrolled, further and further
//     [BCDM15 Thm 4], until something is found or no bound was hit.
//   - practical has the amendments of [BCDM15 §5]: extensions add the path along the
//     sequence only and remove nothing, and all sequences found in a round are used,
//     few at a time (postponed.go). It takes programs with loops as they are. As the first store stays in the program, the
//     oracle finds nothing only in the first round: then the answer is safe. Later,
//     when it finds no sequence that was not used before, the answer is unknown.
//
// Differs from the paper: line 3 of the algorithm asks about R, not P, which must be a misprint. If
// practical mode would have to give up, it tries longer sequences (long_sequences.go).

// Ask puts a question to another engine.
type Ask func(context.Context, *engine.Task) (*engine.Outcome, error)

// The modes, as Options.Mode names them.
const (
	Practical = query.LazyPractical
	Exact     = query.LazyExact
)

// Modes has all modes, the default first.
var Modes = []query.LazyMode{Practical, Exact}

// Options choose the variant of the engine.
type Options struct {
	Mode query.LazyMode // one of Modes; "" is the first
	Log  func(string)   // is called with a line about each round, if not nil
}

// New returns the engine, given the engine for SC questions and the engine that decides
// robustness.
func New(sc, oracle engine.Engine, opt Options) engine.Engine {
	l := &lazy{sc: sc.Run, oracle: oracle.Run, can: oracle.Supports, opt: opt}
	return engine.Engine{
		Name:     "lazy",
		Doc:      "reachability under TSO by SC questions, buffering only where it matters",
		Papers:   []string{"BCDM15", "BDM13"},
		Supports: l.supports,
		Run:      l.run,
	}
}

type lazy struct {
	sc, oracle Ask
	can        func(*engine.Task) error
	opt        Options
}

func (l *lazy) supports(t *engine.Task) error {
	if err := t.NoExtras("lazy"); err != nil {
		return err
	}
	if err := t.NoEndless("lazy"); err != nil {
		return err
	}
	switch {
	case t.Program.Form != ir.Flat:
		return fmt.Errorf("lazy takes flat programs")
	case t.Model != memory.TSO:
		return fmt.Errorf("lazy answers under TSO alone, not under %s", strings.ToUpper(t.Model.String()))
	case t.Finals:
		return fmt.Errorf("lazy does not collect final states")
	case t.KeepGoing:
		return fmt.Errorf("lazy reports one violation")
	case l.opt.Mode != "" && l.opt.Mode != Practical && l.opt.Mode != Exact:
		return fmt.Errorf("lazy has no mode %q", l.opt.Mode)
	}
	if what := engine.InsideSections(t.Program, t.Props); what != "" {
		return fmt.Errorf("lazy does not take %s", what)
	}
	return l.can(t)
}

// run answers the task.
func (l *lazy) run(ctx context.Context, task *engine.Task) (*engine.Outcome, error) {
	if err := l.supports(task); err != nil {
		return nil, err
	}
	start := time.Now()
	if out := task.SetUp(ctx, engine.Compiling, engine.Compiling); out != nil {
		return out, nil
	}
	copied := *task
	r := &refinement{lazy: l, ctx: ctx, task: &copied, used: map[string]bool{}}
	var out *engine.Outcome
	var err error
	if l.opt.Mode == Exact {
		out, err = r.exact()
	} else {
		r.x = NewExtended(task.Program, task.Props)
		out, err = r.rounds()
	}
	if err != nil {
		return nil, err
	}
	out.Stats.States, out.Stats.Transitions, out.Stats.Bytes = r.stats.States, r.stats.Transitions, r.stats.Bytes
	out.Stats.Seconds = time.Since(start).Seconds()
	return out, nil
}

// refinement is the loop of the algorithm.
type refinement struct {
	*lazy
	ctx  context.Context
	task *engine.Task
	x    *Extended       // R
	used map[string]bool // h of the sequences so far
	// copyOf has, for an unrolled program, the edge of the program that each of its edges copies;
	// nil if it was not unrolled.
	copyOf []ir.EdgeID
	// extended says that R is not the program any more. A thread of R that is stuck inside a
	// sequence represents one whose stores may still reach memory, so R does not decide deadlocks.
	extended  bool
	postponed postponed
	round     int
	asked     int // SC questions
	stats     verdict.Stats
}

// ask puts a question about R.
func (r *refinement) ask(to Ask, model memory.Model, all bool) (*engine.Outcome, error) {
	task := *r.task
	props := *r.x.Props
	props.Deadlock = props.Deadlock && !r.extended
	task.Program, task.Props, task.Model, task.KeepGoing = r.x.Program, &props, model, all
	if task.Limits.States > 0 {
		task.Limits.States = max(1, task.Limits.States-r.stats.States)
	}
	out, err := to(r.ctx, &task)
	if err != nil {
		return nil, err
	}
	r.stats.States += out.Stats.States
	r.stats.Transitions += out.Stats.Transitions
	r.stats.Bytes = max(r.stats.Bytes, out.Stats.Bytes)
	return out, nil
}

func (r *refinement) logf(format string, args ...any) {
	if r.opt.Log != nil {
		r.opt.Log(fmt.Sprintf(format, args...))
	}
}

// rounds runs the algorithm until it ends or a limit is reached.
func (r *refinement) rounds() (*engine.Outcome, error) {
	for {
		r.round++
		r.asked++
		out, err := r.ask(r.sc, memory.SC, false)
		if err != nil {
			return nil, err
		}
		r.logf("round %d: R has %d instructions; %d states under SC", r.round, edges(r.x.Program), out.Stats.States)
		switch {
		case len(out.Violations) > 0:
			out.Violations = out.Violations[:1]
			r.logf("round %d: found under SC after %d SC question(s)", r.round, r.asked)
			return out, r.project(&out.Violations[0])
		case out.Unknown != "":
			out.Coverage.Exhaustive = false
			out.Unknown = fmt.Sprintf("round %d: %s", r.round, out.Unknown)
			return out, nil
		}
		if grew, _, err := r.postponed.extend(r); err != nil {
			return nil, err
		} else if grew {
			continue
		}
		found, err := r.witnesses(out.Stats.States)
		if err != nil {
			return nil, err
		}
		switch {
		case len(found.Violations) == 0 && found.Unknown == "":
			r.logf("round %d: the oracle finds nothing: R is robust", r.round)
			if r.task.Props.Deadlock && r.extended {
				out.Coverage.Exhaustive = false
				out.Unknown = "nothing fails, but whether threads can get stuck is not decided for programs that are not robust"
				return out, nil
			}
			out.Coverage.Exhaustive = out.Coverage.Exhaustive && found.Coverage.Exhaustive
			for _, b := range found.Coverage.Bounds {
				if !slices.ContainsFunc(out.Coverage.Bounds, func(o verdict.Bound) bool { return o.Name == b.Name }) {
					out.Coverage.Bounds = append(out.Coverage.Bounds, b)
				}
			}
			return out, nil
		case len(found.Violations) == 0:
			out.Coverage.Exhaustive = false
			out.Unknown = fmt.Sprintf("round %d, robustness: %s", r.round, found.Unknown)
			return out, nil
		}
		grew, why, err := r.extend(found.Violations)
		if err != nil {
			return nil, err
		}
		if !grew {
			out.Coverage.Exhaustive = false
			out.Unknown = fmt.Sprintf("round %d: %s", r.round, why)
			return out, nil
		}
	}
}

// witnesses asks the oracle: for one witness, or in practical mode for all that it finds in about
// the time of the SC question, and for one if there was too little time.
func (r *refinement) witnesses(states int64) (*engine.Outcome, error) {
	if r.opt.Mode == Exact {
		return r.ask(r.oracle, memory.TSO, false)
	}
	limit := r.task.Limits.States
	defer func() { r.task.Limits.States = limit }()
	if some := r.stats.States + states + 2_000; limit == 0 || some < limit {
		r.task.Limits.States = some
	}
	found, err := r.ask(r.oracle, memory.TSO, true)
	if err != nil || len(found.Violations) > 0 || found.Unknown == "" || r.ctx.Err() != nil {
		return found, err
	}
	r.task.Limits.States = limit
	return r.ask(r.oracle, memory.TSO, false)
}

func edges(p *ir.Program) int {
	n := 0
	for t := range p.Threads {
		n += len(p.ThreadFunc(ir.ThreadID(t)).Edges)
	}
	return n
}

// extend makes R buffer along the new sequences of witnesses. In practical mode, if none is new, it
// uses longer sequences.
func (r *refinement) extend(found []engine.Violation) (grew bool, why string, err error) {
	exact := r.opt.Mode == Exact
	base := r.x
	why = "the oracle finds no sequence that was not used before"
	var all []sequence
	for i := range found {
		s, err := sequenceOf(&found[i])
		if err != nil {
			return false, "", err
		}
		all = append(all, s)
		if exact {
			break // R has changed, and the other witnesses are not executions of it
		}
	}
	if exact {
		return r.extendBy(base, all[0])
	}
	r.postponed.add(r.task, base, all)
	grew, refused, err := r.postponed.extend(r)
	if err != nil || grew {
		return grew, "", err
	}
	if refused != "" {
		why = refused
	}
	for i := range found {
		r.task.Rebuilt(r.ctx, len(found[i].Witness.Steps))
		if longer, found := longVariant(base.Program, &found[i], all[i]); found {
			ok, _, err := r.extendBy(base, longer)
			if err != nil {
				return false, "", err
			}
			grew = grew || ok
		}
	}
	return grew, why, nil
}

// extendBy makes R buffer along a sequence of base, unless it does so already or that is not
// possible; refused says why.
func (r *refinement) extendBy(base *Extended, s sequence) (grew bool, refused string, err error) {
	exact := r.opt.Mode == Exact
	key := fmt.Sprint(s.thread, base.Name(s.edges))
	if r.used[key] && !exact { // an exact extension removes the store, so the sequence cannot occur again
		return false, "", nil
	}
	next, err := r.x.Extend(s.thread, s.edges, exact)
	if u := (*engine.Unsupported)(nil); errors.As(err, &u) {
		return false, u.What, nil
	}
	if err != nil {
		return false, "", err
	}
	r.used[key] = true
	r.x, r.extended = next, true
	budget.Count(r.ctx, int64(engine.Extending)*int64(edges(next.Program)))
	r.logf("round %d: buffer along %s", r.round, describe(base.Program, s))
	return true, "", nil
}

// describe names a sequence by its store and its load.
func describe(p *ir.Program, s sequence) string {
	name := func(id ir.EdgeID) string { return engine.EdgeText(p, id) }
	return fmt.Sprintf("%s: %s ... %s, %d instructions", p.Threads[s.thread].Name, name(s.edges[0]), name(s.edges[len(s.edges)-1]), len(s.edges))
}
