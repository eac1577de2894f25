package prove

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"fencepost/internal/engine"
	"fencepost/internal/engine/explicit"
	"fencepost/internal/engine/mover"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/proof/encode"
	"fencepost/internal/proof/program"
	"fencepost/internal/supervise"
	"fencepost/internal/transform"
	"fencepost/query"
	"fencepost/verdict"
)

// Command is the command, as results store it.
const Command = "prove"

// validate returns a *query.OptionError for an option with a value that it cannot have.
func validate(o *query.ProveOptions) error {
	if names := mover.Solvers(); o.CheckWith != "" && !slices.Contains(names, o.CheckWith) {
		return &query.OptionError{Option: "check-with", Value: o.CheckWith, Want: strings.Join(names, " or ")}
	}
	return o.Validate()
}

// modelOf returns the memory model that is asked about.
func modelOf(o *query.ProveOptions) memory.Model {
	if o.Model == query.PSO {
		return memory.PSO
	}
	return memory.TSO
}

// fixed reports whether the number of threads is fixed.
func fixed(p *ir.Program) bool {
	return !slices.ContainsFunc(p.Threads, func(t ir.Thread) bool { return t.Unbounded })
}

// Run tries to prove that a program reaches the same shared states with and without store buffers, and that its
// checks hold. The answer is Unsafe if a search of small instances finds an execution that violates a check; it has
// no proof then.
func Run(ctx context.Context, in query.Input, opt query.ProveOptions) (query.Answer, error) {
	run := pipeline.Open(in)
	run.Asks(verdict.ValueRobustness, cmp.Or(opt.Model, query.TSO))
	return run.Answer(ctx, Command, opt, func(ctx context.Context) ([]verdict.Result, error) {
		if err := validate(&opt); err != nil {
			return nil, err
		}
		opt.C.Uninitialised = cmp.Or(opt.C.Uninitialised, query.UninitialisedZero) // proofs do not have masks of memory
		res, err := ask(ctx, run, in, opt)
		if none := run.Undecided(cmp.Or(opt.Model, query.TSO), err); none != nil {
			res, err = none, nil
			res.Engine, res.Proof = mover.Name, &verdict.Proof{}
		}
		if err != nil {
			return nil, err
		}
		if mode := run.Uninitialised; res.Proof != nil && mode != query.UninitialisedError {
			res.Proof.Uninitialised = string(mode)
		}
		return []verdict.Result{*res}, nil
	})
}

func ask(ctx context.Context, run *pipeline.Run, in query.Input, opt query.ProveOptions) (*verdict.Result, error) {
	if err := run.Read(ctx, pipeline.ReadOptions{Options: opt.Options, Annotations: true}); err != nil {
		return nil, err
	}
	run.Stage = "passes"
	q := &question{Program: run.Program, opt: opt}
	if err := q.flatten(); err != nil {
		return nil, err
	}
	run.Stage = "engine " + mover.Name
	ctx, cancel := supervise.TimeLimit(ctx, opt.Timeout)
	defer cancel()
	res, err := supervise.Run(ctx, run.Stage, supervise.OfStage(opt.Timeout), func(ctx context.Context) (*verdict.Result, error) {
		if res, err := q.unsupported(ctx); err != nil || res != nil {
			return res, err
		}
		return q.decide(ctx, q.instances(in))
	})
	if u := (*engine.Unsupported)(nil); errors.As(err, &u) {
		return nil, q.Refuse(q.Unsupported(err))
	}
	if missing := (*mover.SolverMissing)(nil); errors.Is(err, mover.ErrNoSolver) || errors.As(err, &missing) {
		return nil, q.Refuse(verdict.Diagnostic{Code: "FP0930", Message: err.Error()})
	}
	return res, err
}

// decide searches small instances, tries to prove the program, and searches further if the proof leaves something open.
func (q *question) decide(ctx context.Context, s *instances) (*verdict.Result, error) {
	if !q.Props.Empty() {
		if res, err := s.refute(ctx, firstInstance, firstSearch); err != nil || res != nil {
			return res, err
		}
	}
	res, err := q.attempt(ctx, s)
	if err != nil || res.Verdict != verdict.Unknown && res.Proof.Open() == 0 || q.Props.Empty() {
		return res, err
	}
	found, err := s.refute(ctx, lastInstance, lastSearch)
	if err != nil || found != nil {
		return found, err
	}
	s.decides(res)
	if s.least > 0 {
		res.Proof.Instances = max(s.searched, 0)
	}
	if n := res.Proof.Open(); n > 0 && res.Verdict != verdict.Unknown {
		res.Reason = fmt.Sprintf("%d of %d checks of the program are not proved", n, len(res.Proof.Checks))
	}
	return res, nil
}

// attempt tries to prove the program. If a search can answer its checks, invariants for these come last.
func (q *question) attempt(ctx context.Context, s *instances) (*verdict.Result, error) {
	quick := fixed(q.flat) && q.opt.Stored == nil
	res, err := q.prove(ctx, quick)
	if err == nil && fixed(q.flat) {
		s.decides(res)
	}
	if err != nil || !quick || !undecided(res) || ctx.Err() != nil {
		return res, err
	}
	more, err := q.prove(ctx, false)
	if err == nil && more.Verdict == verdict.Unknown && ctx.Err() != nil {
		return res, nil // the answer from before is not lost
	}
	return more, err
}

// query is the question about a program.
type question struct {
	*pipeline.Program
	flat *ir.Program
	opt  query.ProveOptions
	// excluded is the first construct that is not supported and that the proof must exclude; nil: there is none.
	excluded *ir.Edge
}

// unsupported answers if an execution may reach a construct that is not supported. If none does, the
// proof is about the program without these constructs. For any number of threads a search cannot
// exclude it: each construct is a check then, which the proof must close.
func (q *question) unsupported(ctx context.Context) (*verdict.Result, error) {
	if q.excluded = transform.FirstUnsupported(q.flat); q.excluded != nil && !fixed(q.flat) {
		q.flat = transform.UnsupportedAsChecks(q.flat, false)
		return nil, nil
	}
	flat, met, err := pipeline.Reachable(ctx, q.Program, q.flat, modelOf(&q.opt), &q.opt.Options)
	if err != nil || met == nil {
		q.flat = flat
		return nil, err
	}
	return q.conclude(met), nil
}

// mayReach returns why the answer is unknown if a proof for any number of threads does not exclude a construct that is
// not supported; "": it excludes all of them.
func (q *question) mayReach(out *mover.Outcome) string {
	if q.excluded == nil || fixed(q.flat) {
		return ""
	}
	excluded := out.Verdict != verdict.Unknown
	for _, c := range out.Proof.Checks {
		excluded = excluded && (c.Proved || c.What != ir.NotSupported.String())
	}
	if excluded {
		return ""
	}
	return pipeline.MayReach(q.excluded, "the proof does not exclude it").Unknown
}

func (q *question) conclude(out *engine.Outcome) *verdict.Result {
	return q.Conclude(&pipeline.Conclusion{Question: verdict.ValueRobustness, Model: modelOf(&q.opt), Engine: mover.Name, Outcome: out, Given: pipeline.GivenBy(&q.opt.Options)})
}

// undecided reports whether checks are open and none was refuted.
func undecided(r *verdict.Result) bool {
	return r.Verdict != verdict.Unknown && r.Proof.Open() > 0 && !slices.ContainsFunc(r.Engines, func(e verdict.EngineReport) bool { return e.Verdict == verdict.Unsafe })
}

// prove asks for a proof, and for what follows from SC because of it.
func (q *question) prove(ctx context.Context, quick bool) (*verdict.Result, error) {
	begin := time.Now()
	out, err := mover.Prove(ctx, q.flat, q.Props, q.moverOptions(quick))
	if err != nil {
		return nil, err
	}
	res := q.Result(verdict.ValueRobustness, modelOf(&q.opt), mover.Name)
	res.Verdict, res.Reason, res.Proof, res.Warnings = out.Verdict, out.Reason, out.Proof, out.Warnings
	if why := q.mayReach(out); why != "" {
		res.Verdict, res.Reason = verdict.Unknown, why
	}
	res.Coverage.Exhaustive = res.Verdict != verdict.Unknown
	if !fixed(q.flat) {
		res.Coverage.Threads = verdict.AnyThreads
	}
	res.Stats.Seconds = time.Since(begin).Seconds()
	q.addTexts(res.Proof)
	if err := q.underSC(ctx, out, res); err != nil {
		return nil, fmt.Errorf("search under SC: %w", err)
	}
	q.answerChecks(res, out.Waits)
	return res, nil
}

// underSC answers the program's own questions under SC, where a proof lets the answer count under TSO:
// those of the program, or of its abstraction. It takes a fixed number of threads, and abstractions whose
// values can be listed.
func (q *question) underSC(ctx context.Context, out *mover.Outcome, res *verdict.Result) error {
	if res.Verdict == verdict.Unknown || q.Props.Empty() {
		return nil
	}
	if !fixed(out.Program) || engine.InsideSections(out.Program, q.Props) != "" {
		return nil
	}
	a := &pipeline.Asking{Engine: pipeline.Engines(nil)[0], Model: memory.SC, Under: memory.SC}
	if memory.Unlisted(out.Program) != nil {
		a.Err = memory.ErrUnbounded
	} else {
		asked, props := *q.Program, *q.Props
		props.Deadlock = props.Deadlock && !out.Waits
		asked.Props = &props
		asked.Ask(ctx, a, out.Program, pipeline.Asked{CheckOptions: query.CheckOptions{Options: q.opt.Options}, Given: pipeline.GivenBy(&q.opt.Options)})
	}
	report := verdict.EngineReport{Engine: a.Engine.Name, Model: memory.SC.String(), Verdict: verdict.Unknown}
	switch {
	case errors.Is(a.Err, memory.ErrUnbounded):
		report.Reason = "the values of an input or of an abstracted load cannot be listed"
	case a.Err != nil:
		return a.Err
	default:
		report.Question, report.Verdict, report.Reason = a.Result.Question, a.Result.Verdict, a.Result.Reason
		report.States, report.Seconds = a.Result.Stats.States, a.Result.Stats.Seconds
		if report.Verdict == verdict.Safe && !a.Result.Coverage.Exhaustive {
			report.Verdict, report.Reason = verdict.Unknown, "no violation within bounds"
		}
	}
	res.Engines = append(res.Engines, report)
	return nil
}

// flatten makes the flat program with its templates.
func (q *question) flatten() error {
	flat, err := q.Flatten(q.opt.Options)
	if err != nil {
		return err
	}
	q.flat = flat
	name := q.opt.Replicate
	if name == "" {
		name = q.Replicated()
	}
	if name == "" {
		return nil
	}
	if q.opt.Instances == 0 {
		if err := q.Replicate(flat, name); err != nil {
			return err
		}
	}
	return q.Unnumbered()
}

// moverOptions returns the options of a proof of the program.
func (q *question) moverOptions(quick bool) mover.Options {
	opt := mover.Options{Memory: q.opt.Memory, NoInference: q.opt.NoInference, NoAbstraction: q.opt.NoAbstraction, Quick: quick, Private: q.Private, Reach: sampled,
		PSO: modelOf(&q.opt) == memory.PSO, CheckWith: q.opt.CheckWith, Questions: q.opt.Questions, Stored: q.opt.Stored}
	if opt.Stored != nil {
		opt.Reach = nil
	}
	switch {
	case q.opt.Arithmetic == query.Integers:
		opt.Arithmetic = encode.Integers
	case q.opt.Arithmetic == query.BitVectors || q.SizedNumbers:
		opt.Arithmetic = encode.BitVectors
	}
	return opt
}

// samples bounds the states of each instance that candidates for invariants are tried on.
const samples = 5000

// sampled shows states of an instance to the engine.
func sampled(ctx context.Context, p *ir.Program, show func(program.State)) {
	explicit.Visit(ctx, p, samples, func(v explicit.View) { show(v) })
}

// answerChecks says what became of the program's own checks. waits says that the program has conditions or barriers.
func (q *question) answerChecks(res *verdict.Result, waits bool) {
	if res.Verdict == verdict.Unknown {
		return
	}
	bySC := ""
	for _, e := range res.Engines {
		if e.Verdict == verdict.Safe {
			bySC = e.Engine
		}
	}
	for i := range res.Proof.Checks {
		if c := &res.Proof.Checks[i]; !c.Proved && bySC != "" {
			c.Proved, c.By, c.State, c.Vague = true, bySC, nil, false
		}
	}
	if q.Props.Deadlock && (waits || len(res.Engines) == 0) {
		why := "it cannot be decided for any number of threads"
		if waits {
			why = "proofs do not say which threads wait at conditions and barriers"
		}
		res.Warnings = append(res.Warnings, verdict.Warning{Code: "FP0914", Message: "deadlock is not part of this answer: " + why})
	}
}

// addTexts gives every instruction of a proof its text.
func (q *question) addTexts(proof *verdict.Proof) {
	fill := func(at *verdict.ProofInstruction) {
		if at.Text == "" {
			at.Text = q.TextAt(at.Pos)
		}
	}
	for i := range proof.Stores {
		s := &proof.Stores[i]
		fill(&s.ProofInstruction)
		for j := range s.Blocks {
			fill(&s.Blocks[j].ProofInstruction)
		}
		for j := range s.Crosses {
			fill(&s.Crosses[j])
		}
		for j := range s.Overtakers {
			fill(&s.Overtakers[j])
		}
		for j := range s.Loads {
			fill(&s.Loads[j].ProofInstruction)
			for k := range s.Loads[j].Crosses {
				fill(&s.Loads[j].Crosses[k])
			}
			for k := range s.Loads[j].Blocks {
				fill(&s.Loads[j].Blocks[k].ProofInstruction)
			}
		}
	}
	for i := range proof.Abstractions {
		fill(&proof.Abstractions[i].ProofInstruction)
	}
	for i := range proof.Checks {
		c := &proof.Checks[i]
		fill(&c.ProofInstruction)
		for j := range c.Missing {
			fill(&c.Missing[j].ProofInstruction)
			if c.Missing[j].Step != nil {
				fill(c.Missing[j].Step)
			}
		}
	}
}
