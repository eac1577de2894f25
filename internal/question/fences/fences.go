package fences

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"fencepost/internal/engine"
	"fencepost/internal/engine/fences"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/question/check"
	"fencepost/internal/question/robust"
	"fencepost/internal/supervise"
	"fencepost/internal/transform"
	"fencepost/query"
	"fencepost/verdict"
)

// Command is the command, as results store it.
const Command = "fences"

// Defaults fills in the options that are not set.
func Defaults(o query.FenceOptions) query.FenceOptions {
	o.For = cmp.Or(o.For, query.ForRobustness)
	o.Model = cmp.Or(o.Model, query.TSO)
	o.Cost = cmp.Or(o.Cost, query.CostUniform)
	o.Style = cmp.Or(o.Style, query.FenceStyle(pipeline.FenceStyles()[0]))
	return o
}

// Validate returns a *query.OptionError for an option with a value that it cannot have.
func Validate(o *query.FenceOptions) error {
	if styles := pipeline.FenceStyles(); !slices.Contains(styles, string(o.Style)) {
		return &query.OptionError{Option: "fence style", Value: string(o.Style), Want: strings.Join(styles, ", ")}
	}
	return o.Validate()
}

// about returns the question.
func about(o *query.FenceOptions) verdict.Question {
	return verdict.Question(command(o) + " for " + string(o.For))
}

// repair returns what was asked for, without an answer.
func repair(o *query.FenceOptions) *verdict.Repair {
	costs := string(o.Cost)
	if o.Orders.Processor != "" {
		costs = string(o.Orders.Processor)
	}
	return &verdict.Repair{For: string(o.For), Costs: costs, Removal: o.Remove}
}

// Repairer is one run of the question.
type Repairer struct {
	run *pipeline.Run
	opt query.FenceOptions
	// Flat is the flat program, and Fences has its fence sites: those of the first part.
	Flat   *ir.Program
	Fences *transform.Fences
	parts  parts

	// Changed has the patches of the text that was written last, and included the new text of
	// included files.
	Changed  []verdict.Patch
	before   map[uint64]string // of a language without text: the fences that are confirmed
	included map[string][]byte
	// Of a question about orders, by site: the strongest order that an access may get; and what an access costs.
	limits     []ir.Order
	accessCost func(costTable, ir.SiteID, ir.Order) int64
	costsAsked costTable
}

// Run finds a cheapest set of fences. The verdict is Safe with a set, which is empty if nothing is wrong,
// and Unsafe if there is none.
func Run(ctx context.Context, in query.Input, opt query.FenceOptions) (query.Answer, error) {
	run := pipeline.Open(in)
	opt = Defaults(opt)
	run.Asks(about(&opt), opt.Model)
	return run.Answer(ctx, command(&opt), opt, func(ctx context.Context) ([]verdict.Result, error) {
		ctx, cancel := supervise.TimeLimit(ctx, opt.Timeout)
		defer cancel()
		limited := opt
		limited.Timeout = 0 // the context has it
		r, cost, err := Prepare(ctx, run, limited)
		var res *verdict.Result
		if err == nil {
			res, err = supervise.Run(ctx, "the search for fences", supervise.OfStage(opt.Timeout), func(ctx context.Context) (*verdict.Result, error) {
				res, err := r.answer(supervise.Apart(ctx), cost)
				if err == nil {
					run.CarrySources(res)
				}
				return res, err
			})
		}
		if none := run.Undecided(opt.Model, err); none != nil {
			res, err = none, nil
			res.Engine, res.Repair = fences.Name, repair(&opt)
		}
		if err != nil {
			return nil, err
		}
		return []verdict.Result{*res}, nil
	})
}

// answer finds missing fences, or fences that are not needed.
func (r *Repairer) answer(ctx context.Context, cost func(ir.FenceAt) int64) (*verdict.Result, error) {
	if res, err := r.unsupported(ctx); err != nil || res != nil {
		return res, err
	}
	if r.opt.Remove {
		return r.removable(ctx)
	}
	return r.repair(ctx, cost)
}

// Prepare reads the program, makes the flat program, and refuses what has no question or no engine. It
// returns the repairer, and what fences cost.
func Prepare(ctx context.Context, run *pipeline.Run, opt query.FenceOptions) (*Repairer, func(ir.FenceAt) int64, error) {
	if err := Validate(&opt); err != nil {
		return nil, nil, err
	}
	r := &Repairer{run: run, opt: opt}
	for _, name := range opt.Models() {
		model, err := pipeline.ParseAnyModel(name)
		if err != nil {
			return nil, nil, err
		}
		r.parts = append(r.parts, part{model: model})
	}
	if err := run.Read(ctx, pipeline.ReadOptions{Options: opt.Options, Sites: !opt.Remove, Orders: r.Ordered(), FenceStyle: string(opt.Style)}); err != nil {
		return nil, nil, err
	}
	r.limitFiles()
	if err := r.makeFlat(); err != nil || opt.Remove {
		return r, nil, err
	}
	cost, err := r.costs()
	if memory.HasC11 && opt.Orders.Accesses {
		cost, err = r.orderCosts()
	}
	return r, cost, err
}

// makeFlat makes the flat program, and refuses what has no question or no engine.
func (r *Repairer) makeFlat() (err error) {
	if r.opt.Deadlock {
		r.run.Props.Deadlock = true
	}
	if r.opt.For == query.ForAssertions {
		pipeline.AskEndless(&r.opt.Endless, r.run.Props)
	}
	if r.opt.For == query.ForAssertions && !r.parts.underC11() && !r.run.AsksMore() && (r.run.Props.Final == nil || r.run.Observes()) {
		return r.run.Refuse(verdict.Diagnostic{
			Code:    "FP0900",
			Message: "no assertion, goal or final condition that must hold: there is nothing to repair",
			Notes:   []string{"try --for robustness"},
		})
	}
	r.run.Stage = "passes"
	if r.Flat, err = r.run.FlattenFixed(r.opt.Options); err != nil {
		return err
	}
	if r.opt.For == query.ForAssertions {
		pipeline.AskDefaultEndless(&r.opt.Endless, r.run.Props, r.Flat)
	}
	if err := r.run.ListsInputs(r.Flat, "fences"); err != nil {
		return err
	}
	r.run.Stage = "engine " + fences.Name
	if err := r.makeParts(); err != nil {
		return err
	}
	if !memory.HasC11 {
		return nil
	}
	return r.beginOrders()
}

func robustEngine() *engine.Engine { return pipeline.Engine("robust", nil) }

// result assembles a result without a verdict.
func (r *Repairer) result() *verdict.Result {
	res := r.run.Result(about(&r.opt), r.parts[0].model, fences.Name)
	res.Model = string(r.opt.Model)
	res.Repair = repair(&r.opt)
	res.Repair.Sites = r.writable()
	return res
}

// writable counts the fence sites whose text may be changed.
func (r *Repairer) writable() int {
	n := 0
	for _, p := range r.Fences.Sites() {
		if !p.ReadOnly {
			n++
		}
	}
	return n
}

func (r *Repairer) repair(ctx context.Context, cost func(ir.FenceAt) int64) (*verdict.Result, error) {
	res := r.result()
	if done, err := r.underSC(ctx, res); err != nil || done {
		return res, err
	}
	task := r.SearchTask(cost)
	out, err := fences.Run(ctx, task)
	if err != nil {
		return nil, err
	}
	r.state(res, out)
	if out.Hopeless != nil {
		return res, r.elsewhere(ctx, task, res)
	}
	if out.Status != fences.Good {
		return res, nil
	}
	rep, threads := res.Repair, r.Fences.Threads()
	res.Cost = out.Cost
	for i, at := range out.Fences {
		if !r.isFence(at) {
			continue
		}
		f := r.Fence(at, cost, threads)
		if i < len(out.Without) {
			f.Without = r.broken(&out.Without[i])
		}
		if i < len(out.Instead) {
			for _, other := range r.fencesOf(out.Instead[i]) {
				f.Instead = append(f.Instead, r.Fence(other, cost, threads))
			}
		}
		res.Fences = append(res.Fences, f)
	}
	for _, set := range out.All {
		var list []verdict.Fence
		for _, at := range set {
			list = append(list, r.Fence(at, cost, threads))
		}
		rep.Optimal = append(rep.Optimal, list)
	}
	rep.More = out.More
	if memory.HasC11 && r.opt.Orders.Accesses {
		r.addOrders(res, out)
	}
	r.patch(res)
	pipeline.Hold(res, r.givenBounds())
	r.run.Restrict(res, &r.opt.Options)
	return res, r.certify(ctx, out.Fences, res)
}

// SearchTask makes the task of the search for a cheapest set.
func (r *Repairer) SearchTask(cost func(ir.FenceAt) int64) *fences.Task {
	task := &fences.Task{
		Subjects: r.parts.subjects(), Kinds: r.FenceKinds(), Cost: cost, Check: r.check, Confirm: r.confirm, AllOptimal: r.opt.AllOptimal,
		Rank: r.rank(), Strength: r.strength(),
	}
	if memory.HasC11 && r.Ordered() {
		task.Choices, task.Rank = r.choices, r.orderRank()
		task.Strength = func(at ir.FenceAt) int64 { return 1 + orderStrength[at.Order] }
	}
	return task
}

// state says what a search found, except for the set.
func (r *Repairer) state(res *verdict.Result, out *fences.Repair) {
	res.Reason, res.Coverage, res.Warnings, res.Stats = out.Reason, out.Coverage, out.Warnings, out.Stats
	fail(res, out.Status)
	rep := res.Repair
	rep.Rounds, rep.Clauses, rep.Bound = out.Rounds, out.Clauses, out.Bound
	rep.Needs = nil
	for i := range out.Proof {
		rep.Needs = append(rep.Needs, verdict.Need{OneOf: r.Refs(out.Proof[i].OneOf), Break: *r.broken(&out.Proof[i].Break)})
	}
	rep.Before, rep.Hopeless = r.broken(out.Before), r.broken(out.Hopeless)
	if b := rep.Hopeless; b != nil {
		res.Reason = r.HopelessReason(b)
	}
}

// givenBounds says which bounds the user set.
func (r *Repairer) givenBounds() pipeline.Given {
	opt := r.checkOptions()
	return check.Given(&opt)
}

// fail states the verdict of a search that found no set. Where it found one, the caller says so at the end.
func fail(res *verdict.Result, s fences.Status) {
	switch s {
	case fences.Bad:
		res.Verdict = verdict.Unsafe
	case fences.Unknown:
		res.Verdict = verdict.Unknown
	}
}

// The reasons why no set of fences is the answer.

// HopelessReason is about an execution that no fence, and no order, prevents.
func (r *Repairer) HopelessReason(b *verdict.Break) string {
	if r.opt.Orders.Accesses {
		return "no memory order and no fence prevents it: " + b.Reason()
	}
	if b.Attack != nil {
		return "the text has no room for a fence between the two: " + b.Reason()
	}
	return "no fence prevents it: " + b.Reason()
}

// ElsewhereReason is about an execution that only a fence in text that is not to be changed prevents.
func ElsewhereReason(b *verdict.Break) string {
	return "the delay has no fence site whose text may be changed: " + b.Reason()
}

// UnderSCReason is about an execution without any delay.
func UnderSCReason(b *verdict.Break) string {
	return "it fails under SC, too, where no store is delayed: " + b.Reason()
}

// HasReadOnly reports whether the text of some fence sites may not be changed.
func (r *Repairer) HasReadOnly() bool {
	return slices.ContainsFunc(r.Fences.Sites(), func(p ir.FenceSite) bool { return p.ReadOnly })
}

// elsewhere looks for a set that may also have fences in text that is not to be changed, after a search
// without them found none.
func (r *Repairer) elsewhere(ctx context.Context, task *fences.Task, res *verdict.Result) error {
	if !r.HasReadOnly() {
		return nil
	}
	wide := *task
	wide.ReadOnly, wide.Confirm, wide.AllOptimal = true, nil, false
	before := res.Stats
	out, err := fences.Run(ctx, &wide)
	if err != nil {
		return err
	}
	blocked := res.Repair.Hopeless
	r.state(res, out)
	res.Stats.States += before.States
	res.Stats.Transitions += before.Transitions
	res.Stats.Seconds += before.Seconds
	if out.Status != fences.Good {
		return nil
	}
	res.Verdict, res.Reason = verdict.Unknown, ElsewhereReason(blocked)
	res.Repair.Hopeless, res.Cost = blocked, out.Cost
	threads := r.Fences.Threads()
	for i, at := range out.Fences {
		f := r.Fence(at, task.Cost, threads)
		if i < len(out.Without) {
			f.Without = r.broken(&out.Without[i])
		}
		res.Repair.Elsewhere = append(res.Repair.Elsewhere, f)
	}
	return nil
}

func (r *Repairer) broken(b *fences.Break) *verdict.Break {
	if b == nil {
		return nil
	}
	out := &verdict.Break{With: r.Refs(b.With), Attack: b.Attack, Violation: b.Violation}
	if len(r.parts) > 1 {
		out.Model = r.parts[b.Of].model.String()
	}
	return out
}

// Refs names fences.
func (r *Repairer) Refs(list []ir.FenceAt) []verdict.FenceRef {
	var out []verdict.FenceRef
	for _, at := range list {
		out = append(out, verdict.FenceRef{
			Site: int(at.Site) + 1, Kind: kindName(at), Order: at.Order.String(), Pos: ptr(pipeline.Position(r.Fences.Sites()[at.Site].Pos)),
		})
	}
	return out
}

// kindName is the kind of a fence, or "order" for the order of an access.
func kindName(at ir.FenceAt) string {
	if at.Kind == ir.FenceUnset {
		return "order"
	}
	return at.Kind.String()
}

// FenceKinds returns the kinds of fences that can help: under TSO store-store fences do nothing.
func (r *Repairer) FenceKinds() []ir.FenceKind {
	if r.parts[0].model == memory.TSO {
		return r.run.Kinds[:1]
	}
	return r.run.Kinds
}

// Fence describes a fence.
func (r *Repairer) Fence(at ir.FenceAt, cost func(ir.FenceAt) int64, threads [][]string) verdict.Fence {
	site := &r.Fences.Sites()[at.Site]
	pos := pipeline.Position(site.Pos)
	out := verdict.Fence{
		Site: int(at.Site) + 1, Pos: &pos, Kind: kindName(at), Order: at.Order.String(), Thread: strings.Join(threads[at.Site], ", "), Label: site.Before,
		Cost: cost(at), ReadOnly: site.ReadOnly,
	}
	for _, in := range site.Instructions {
		if len(site.Instructions) > 1 {
			out.Instructions = append(out.Instructions, pipeline.Position(in))
		}
	}
	return out
}

// confirm writes fences into the text and checks that from scratch.
func (r *Repairer) confirm(ctx context.Context, at []ir.FenceAt) (*fences.Finding, error) {
	r.run.Stage = "patch"
	defer func() { r.run.Stage = "engine " + fences.Name }()
	in, ok := r.Rewrite(at)
	if !ok {
		return nil, fmt.Errorf("a fence is not in a file of the program")
	}
	again, err := r.again(ctx, in)
	if err != nil {
		return nil, fmt.Errorf("checking the changed program: %w", err)
	}
	if again.HasErrors() {
		return nil, fmt.Errorf("the changed program is refused: %v\n%s", again.Diagnostics, in.Text)
	}
	var all []*fences.Finding
	for i := range again.Results {
		found := finding(&again.Results[i])
		if found.Status == fences.Unknown && found.Coverage.Exhaustive {
			found.Coverage.Exhaustive = false
		}
		all = append(all, found)
	}
	return together(all), nil
}

// again asks the question about a program as any user would.
func (r *Repairer) again(ctx context.Context, in query.Input) (query.Answer, error) {
	return r.againWith(ctx, in, query.Proofs{}, 0)
}

// againWith does so within some time, and with proofs.
func (r *Repairer) againWith(ctx context.Context, in query.Input, proofs query.Proofs, timeout time.Duration) (query.Answer, error) {
	opt := r.checkOptions()
	opt.Timeout, opt.Proofs = cmp.Or(timeout, opt.Timeout), proofs
	opt.C.Fences = r.before
	if include := opt.C.Include; len(r.included) > 0 {
		opt.C.Include = func(name string) ([]byte, bool) {
			if text, ok := r.included[name]; ok {
				return text, true
			}
			return include(name)
		}
	}
	if r.opt.For == query.ForRobustness {
		return robust.Run(ctx, in, query.RobustOptions{Options: opt.Options, Models: opt.Models, Proofs: proofs})
	}
	opt.OthersTime = r.share(ctx)
	return check.Run(ctx, in, opt)
}

func ptr[T any](v T) *T { return &v }
