package mover

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/proof/encode"
	"fencepost/internal/proof/invariant"
	"fencepost/internal/proof/program"
	"fencepost/internal/property"
	"fencepost/internal/solver/smt"
	"fencepost/query"
	"fencepost/verdict"
)

// ErrNoSolver says that no SMT solver is installed, and how to get one.
var ErrNoSolver = smt.ErrMissing

// SolverMissing is the error that a second solver is not installed.
type SolverMissing = smt.MissingError

// Solvers returns the names of solvers.
func Solvers() []string { return smt.Names() }

// Name of the engine.
const Name = "mover"

// Options of a proof.
type Options struct {
	NoInference   bool // use the given invariants only
	NoAbstraction bool // abstract no loads
	// Quick gives up on checks of the program early: other engines can answer them.
	Quick bool
	// Arithmetic is the representation of numbers; unset: integers, or bit-vectors for
	// programs that need them.
	Arithmetic encode.Arithmetic
	// Stored is a proof whose invariants and abstractions are used, and no others are searched for; nil: there is
	// none. They are proved as if they were new.
	Stored *verdict.Proof
	Memory int64 // of each solver, in bytes; 0: no limit
	// CheckWith names a second solver that is asked every question; "": none.
	CheckWith string
	// Questions, if not nil, gets every question.
	Questions func(query.SMTQuestion)
	// PSO asks about PSO instead of TSO.
	PSO bool
	// Private reports whether every thread has a copy of an object; nil: none.
	Private func(ir.ObjectID) bool
	// Reach shows states of instances of the program, for the inference of invariants; nil: candidates
	// are not tried on states.
	Reach program.Reach
}

// solvers returns which solvers are asked, and within which limits.
func (o *Options) solvers() encode.Solvers {
	limit := queryLimit
	limit.Memory = o.Memory
	return encode.Solvers{Limit: limit, Second: o.CheckWith, Record: o.Questions}
}

func (o *Options) private(id ir.ObjectID) bool { return o.Private != nil && o.Private(id) }

// Outcome is a proof, or what is missing for one.
type Outcome struct {
	Verdict  verdict.Verdict // ValueRobust, Abstracted or Unknown
	Reason   string          // why unknown
	Proof    *verdict.Proof
	Warnings []verdict.Warning
	// Program is the program of the proof: the given one, with its abstractions.
	Program *ir.Program
	// Waits says that the program has conditions or barriers: the proof does not say whether threads wait for ever.
	Waits bool
}

// queryLimit bounds one question to the solver. Most questions that end at a limit end at the work;
// the time is for theories in which z3 counts few steps.
var queryLimit = smt.Limit{Work: 20_000_000, Time: 30 * time.Second}

// Prove tries to prove that a flat program is value-robust. The error is ErrNoSolver if no solver
// is installed, and *engine.Unsupported for programs that proofs do not cover.
func Prove(ctx context.Context, p *ir.Program, props *property.Set, opt Options) (out *Outcome, err error) {
	asker, err := encode.NewAsker(ctx, opt.solvers())
	if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return timeOver(ctx, &verdict.Proof{}), nil
	}
	if err != nil {
		return nil, err
	}
	defer asker.Close()
	pr := &prover{Problem: &encode.Problem{Ctx: ctx, Asker: asker}}
	// Formulas are made in many functions. A panic takes the shortest way out of all of them.
	defer func() {
		switch broken := recover(); broken.(type) {
		case nil:
		case encode.Stopped:
			out, err = timeOver(ctx, pr.soFar()), nil
		default:
			panic(broken)
		}
	}()
	if err := pr.prepare(program.Clone(p), props, opt); err != nil {
		return nil, err
	}
	return pr.prove(opt)
}

// prove tries to prove that the program is value-robust.
func (pr *prover) prove(opt Options) (*Outcome, error) {
	out := &Outcome{Verdict: verdict.Unknown, Program: pr.Prog}
	r := pr.attempt(pr.Ctx, opt)
	if pr.Err != nil {
		if pr.Ctx.Err() == nil && errors.Is(pr.Err, smt.ErrMemory) {
			proof := pr.soFar()
			proof.Stores = []verdict.ProofStore{}
			return &Outcome{Verdict: verdict.Unknown, Reason: fmt.Sprintf("the solver needs more than the memory limit of %d MiB", opt.Memory>>20), Proof: proof}, nil
		}
		if pr.Ctx.Err() == nil {
			return nil, pr.Err
		}
		return timeOver(pr.Ctx, pr.soFar()), nil
	}
	if !opt.Quick {
		pr.checker.addMissing(r.checks)
	}
	out.Proof = &verdict.Proof{
		Threads: pr.threads(),
		Stores:  pr.movers.report(r.list), Invariants: pr.known.Report(), Ghosts: ghostCode(pr.Problem), Abstractions: append(pr.abstractor.written(), r.found...), Checks: r.checks,
		Arithmetic: pr.meaning(),
	}
	pr.conclude(out, r)
	if opt.PSO {
		pr.underPSO(out, r)
	}
	out.Warnings = pr.vacuous()
	pr.abstractor.materialize()
	pr.Blocks.Restore(pr.Prog)
	if pr.given != nil {
		if out.Waits = true; out.Verdict == verdict.ValueRobust {
			out.Program = pr.given
			pr.Blocks.Restore(pr.given)
		}
	}
	out.Proof.MaxThreads = pr.known.MaxThreads()
	out.Proof.Obligations = pr.Obligations
	pr.Asker.Report(out.Proof)
	if why := pr.Asker.Dispute(); why != "" {
		out.Verdict, out.Reason = verdict.Unknown, why
	}
	return out, nil
}

// soFar counts the work of a proof that has not come to its end.
func (pr *prover) soFar() *verdict.Proof {
	proof := &verdict.Proof{Obligations: pr.Obligations}
	pr.Asker.Report(proof)
	return proof
}

// timeOver returns the outcome if the time was too short for a table.
func timeOver(ctx context.Context, proof *verdict.Proof) *Outcome {
	proof.Stores = []verdict.ProofStore{}
	reason := "the time is over"
	if errors.Is(ctx.Err(), context.Canceled) {
		reason = "interrupted"
	}
	return &Outcome{Verdict: verdict.Unknown, Reason: reason, Proof: proof}
}

// threads returns which threads the proof is about, by the name of their template or their own.
func (pr *prover) threads() []verdict.ProofThreads {
	var out []verdict.ProofThreads
	for t := range pr.Prog.Threads {
		th := &pr.Prog.Threads[t]
		if pr.ClassOf[ir.ThreadID(t)] == nil {
			continue // it is never started
		}
		name := th.Template
		leader, inLoop := pr.loops[ir.ThreadID(t)]
		switch {
		case name == "" && inLoop:
			name = pr.Prog.Threads[leader].Name
		case name == "":
			name = th.Name
		}
		i := slices.IndexFunc(out, func(x verdict.ProofThreads) bool { return x.Name == name })
		if i < 0 {
			i = len(out)
			out = append(out, verdict.ProofThreads{Name: name})
		}
		out[i].Number++
		out[i].Any = out[i].Any || th.Unbounded
		out[i].Loop = out[i].Loop || inLoop && !th.Unbounded
	}
	for i := range out {
		if out[i].Any || out[i].Loop {
			out[i].Number = 0
		}
	}
	return out
}

// meaning returns what numbers are in the proof. Integers are exact, too, if the program does no
// arithmetic.
func (pr *prover) meaning() string {
	if pr.Arith == encode.BitVectors || !program.Computes(pr.Prog) {
		return verdict.ProofExact
	}
	return verdict.ProofIntegers
}

// result is the result of an attempt.
type result struct {
	list   []*judged
	found  []verdict.ProofAbstraction
	checks []verdict.ProofCheck
}

// done reports whether nothing is left to prove.
func (pr *prover) done(r *result) bool {
	return atomic(r.list) && len(pr.known.Failed) == 0 && pr.abstractor.writtenAllowed() && !slices.ContainsFunc(r.checks, func(c verdict.ProofCheck) bool { return !c.Proved })
}

// attempt tries with the given invariants, then with inferred ones, then with abstractions, and
// then with more inferred invariants.
func (pr *prover) attempt(ctx context.Context, opt Options) *result {
	if opt.Stored != nil {
		return pr.again(opt.Stored)
	}
	given := pr.known.Save()
	pr.known.DropFalse()
	r := &result{list: pr.movers.table(), checks: pr.checker.checks()}
	if opt.NoInference || pr.done(r) {
		return r
	}
	for effort := invariant.Few; effort <= invariant.Many; effort++ {
		switch {
		case effort == invariant.Few:
			pr.known.Restore(given) // a given invariant may be inductive with inferred ones
		case (effort == invariant.Mined || effort == invariant.Clauses) && pr.known.Reach == nil:
			continue
		}
		pr.known.Infer(effort)
		r.list = pr.movers.table()
		abstracts := effort != invariant.Few || pr.known.Reach == nil // invariants come before abstractions, which say less
		if !atomic(r.list) && !opt.NoAbstraction && abstracts && len(pr.known.Failed) == 0 && r.found == nil {
			r.list, r.found = pr.abstractor.abstract(ctx, r.list)
		}
		if r.checks = pr.checker.checks(); pr.done(r) || pr.Err != nil || opt.Quick && atomic(r.list) && len(pr.known.Failed) == 0 {
			break
		}
	}
	return r
}

func (pr *prover) conclude(out *Outcome, r *result) {
	if n := len(pr.known.Failed); n > 0 {
		out.Reason = fmt.Sprintf("a given invariant %s", pr.known.Failed[0].Fails)
		return
	}
	open := 0
	for _, j := range r.list {
		if j.by == "" {
			open++
		}
	}
	switch {
	case open == 1:
		out.Reason = "one store is not shown to be atomic"
	case open > 1:
		out.Reason = fmt.Sprintf("%d stores are not shown to be atomic", open)
	case unsoundWritten(out.Proof.Abstractions) != nil:
		a := unsoundWritten(out.Proof.Abstractions)
		out.Reason = fmt.Sprintf("the abstraction %s (line %d) is not shown to allow the value in memory always", a.Cond, a.Pos.Line)
	case len(r.found) > 0 || len(pr.written) > 0:
		out.Verdict = verdict.Abstracted
	default:
		out.Verdict = verdict.ValueRobust
	}
}

// vacuous returns warnings about locations and steps that the invariants exclude.
func (pr *prover) vacuous() []verdict.Warning {
	var out []verdict.Warning
	for _, c := range pr.Classes {
		reached := program.Reachable(c.Code, c.Code.Entry)
		for l, list := range pr.known.Local[c] {
			for _, p := range list {
				if p.Given != nil && !reached[l] {
					out = append(out, verdict.Warning{
						Code: "FP0932", Pos: program.SpanPos(*p.Given),
						Message: fmt.Sprintf("%s never comes here, so this invariant says nothing", c.Name),
					})
				}
			}
		}
		for _, a := range c.Actions {
			if !a.Shared() || len(pr.known.Local[c][a.From()]) == 0 || pr.Err != nil {
				continue
			}
			status, _, err := pr.Asker.Check(pr.known.At(c, a.From(), pr.Registers(c, "a"), pr.Memory("m")), nil, nil)
			if err != nil {
				pr.Err = err
				break
			}
			if status == smt.Unsat {
				out = append(out, verdict.Warning{
					Code: "FP0932", Pos: engine.Pos(a.First()),
					Message: fmt.Sprintf("no state satisfies the invariants here, so this step of %s is never taken, and its proof says nothing", c.Name),
				})
			}
		}
	}
	return out
}

// ghostCode returns the ghost code of the program.
func ghostCode(pr *encode.Problem) []verdict.ProofInstruction {
	var out []verdict.ProofInstruction
	for _, c := range pr.Classes {
		for _, cl := range c.Ghosts {
			out = append(out, verdict.ProofInstruction{Thread: c.Name, Pos: program.SpanPos(cl.Pos), Text: cl.Text})
		}
	}
	slices.SortFunc(out, func(a, b verdict.ProofInstruction) int {
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), a.Pos.Line-b.Pos.Line, cmp.Compare(a.Thread, b.Thread))
	})
	return out
}
