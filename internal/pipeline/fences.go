package pipeline

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"fencepost/internal/engine/fences"
	"fencepost/internal/engine/robust"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/source"
	"fencepost/internal/transform"
	"fencepost/verdict"
)

// What fences are for.
const (
	ForRobustness = "robustness"
	ForAssertions = "assertions"
)

// What fences cost.
const (
	CostUniform = "uniform" // 1 each
	CostLoops   = "loops"   // ten times as much for every loop around
	CostProfile = "profile" // by line, from a file
)

// FenceOptions say which fences are looked for.
type FenceOptions struct {
	Options
	For        string // ForRobustness, ForAssertions
	Model      string // tso, pso
	Cost       string // CostUniform, CostLoops, CostProfile
	Profile    Input  // with CostProfile: lines of "line cost" or "file:line cost"
	Style      string // how C has fences, one of FenceStyles
	AllOptimal bool   // list every cheapest set
	Remove     bool   // list fences of the program that can go, instead
	Directory  string // where patches are to be applied; empty: files keep their names in them
}

// FenceDefaults are the documented defaults.
func FenceDefaults() FenceOptions {
	return FenceOptions{Options: Defaults(), For: ForRobustness, Model: "tso", Cost: CostUniform, Style: FenceStyles()[0]}
}

// repairer is one run of Fences.
type repairer struct {
	p     *program
	pl    *placed
	opt   FenceOptions
	model memory.Model
	fs    *transform.Fences
	flat  *ir.Program
	stage string

	changed []verdict.Patch // of the text that was confirmed last
}

// Fences finds a cheapest set of fences that repairs the program [BDM13 §7], writes
// them into its text, and checks the changed text from scratch. The verdict is
// Safe with a set (an empty one if nothing is wrong), Unsafe if there is none.
func Fences(ctx context.Context, in Input, opt FenceOptions) (answer Answer, err error) {
	r := &repairer{opt: opt, stage: "front end"}
	defer caught(&r.stage, in, &err)
	defer func() { remember(&answer, askedFences, opt) }()
	var ok bool
	if r.model, ok = parseWeak(opt.Model); !ok {
		return Answer{}, fmt.Errorf("no fences are needed under %q", opt.Model)
	}
	if opt.For == ForRobustness && r.model != memory.TSO {
		return Answer{}, fmt.Errorf("robustness is about TSO, not %s", opt.Model)
	}
	if opt.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, opt.Timeout)
		defer cancel()
		r.opt.Timeout = 0
	}
	if opt.Remove {
		return r.remove(ctx, in)
	}
	r.p, r.pl = loadPlaces(ctx, in, opt)
	if r.pl == nil || !r.prepare() {
		return Answer{Diagnostics: r.p.diags}, nil
	}
	cost, ok := r.costs()
	if !ok {
		return Answer{Diagnostics: r.p.diags}, nil
	}
	res, err := r.repair(ctx, cost)
	if err != nil {
		return Answer{}, fmt.Errorf("%s, %s: %w", in.Name, r.stage, err)
	}
	r.p.carrySources(res)
	return Answer{Results: []verdict.Result{*res}, Diagnostics: r.p.diags}, nil
}

// parseWeak is a memory model that delays stores.
func parseWeak(name string) (memory.Model, bool) {
	m, ok := memory.ParseModel(name)
	return m, ok && m != memory.SC
}

// prepare makes the flat program and sees whether there is a question and an
// engine for it.
func (r *repairer) prepare() bool {
	p, opt := r.p, &r.opt
	if opt.Deadlock {
		p.props.Deadlock = true
	}
	if opt.For == ForAssertions && !p.asksMore() && (p.props.Final == nil || p.observes()) {
		p.diags = append(p.diags, verdict.Diagnostic{
			Severity: verdict.SeverityError, Code: "FP0900", Pos: verdict.Pos{File: p.input.Name},
			Message: "no assertion, goal or final condition that must hold: there is nothing to repair",
			Notes:   []string{"try --for robustness"},
		})
		return false
	}
	r.stage = "passes"
	if r.flat = p.flat(opt.Options); r.flat == nil {
		return false
	}
	if d, refused := p.unboundedThreads(r.flat); refused {
		p.diags = append(p.diags, d)
		return false
	}
	if d, refused := p.unlistedInputs(r.flat, "fences"); refused {
		p.diags = append(p.diags, d)
		return false
	}
	r.stage = "engine " + fences.Name
	if opt.For == ForRobustness {
		if err := robust.Engine.Supports(robustTask(p, r.flat, opt.Options)); err != nil {
			p.diags = append(p.diags, p.unsupported(err))
			return false
		}
	}
	var places []ir.Place
	if r.pl != nil {
		places = r.pl.places
	}
	r.fs = transform.NewFences(r.flat, p.props, places)
	return true
}

// result is an answer without a verdict.
func (r *repairer) result() *verdict.Result {
	return &verdict.Result{
		Program: r.p.input.Name, Question: verdict.Question("fences for " + r.opt.For), Model: r.model.String(), Engine: fences.Name,
		Sources: r.p.sources(),
		Repair:  &verdict.Repair{For: r.opt.For, Costs: r.opt.Cost, Sites: r.writable(), Removal: r.opt.Remove},
	}
}

// writable is how many places may be changed.
func (r *repairer) writable() int {
	n := 0
	for _, p := range r.fs.Places() {
		if !p.ReadOnly {
			n++
		}
	}
	return n
}

func (r *repairer) repair(ctx context.Context, cost func(ir.FenceAt) int64) (*verdict.Result, error) {
	res := r.result()
	if hopeless, err := r.underSC(ctx, res); err != nil || hopeless {
		return res, err
	}
	task := r.task(cost)
	out, err := fences.Run(ctx, task)
	if err != nil {
		return nil, err
	}
	r.state(res, out)
	if out.Hopeless != nil {
		return res, r.elsewhere(ctx, task, res)
	}
	if out.Verdict != verdict.Safe {
		return res, nil
	}
	rep, threads := res.Repair, r.fs.Threads()
	res.Cost = out.Cost
	for i, at := range out.Fences {
		f := r.fence(at, cost, threads)
		f.Without = r.broken(&out.Without[i])
		res.Fences = append(res.Fences, f)
	}
	for _, set := range out.All {
		var list []verdict.Fence
		for _, at := range set {
			list = append(list, r.fence(at, cost, threads))
		}
		rep.Optimal = append(rep.Optimal, list)
	}
	rep.More = out.More
	r.patch(res)
	holds(res, verdict.Safe, r.opt.Options)
	r.p.restrict(res, r.opt.Options)
	return res, nil
}

func (r *repairer) task(cost func(ir.FenceAt) int64) *fences.Task {
	return &fences.Task{
		Fences: r.fs, Program: r.flat, Kinds: r.kinds(), Cost: cost, Check: r.check, Confirm: r.confirm, AllOptimal: r.opt.AllOptimal,
		// Of two sets that cost the same, the one with fewer full fences is better.
		Rank: func(at ir.FenceAt) int64 {
			if at.Kind == ir.FullFence {
				return 1
			}
			return 0
		},
	}
}

// state says what a search found, but for the set.
func (r *repairer) state(res *verdict.Result, out *fences.Repair) {
	res.Verdict, res.Reason, res.Coverage, res.Warnings, res.Stats = out.Verdict, out.Reason, out.Coverage, out.Warnings, out.Stats
	rep := res.Repair
	rep.Rounds, rep.Clauses, rep.Bound = out.Rounds, out.Clauses, out.Bound
	rep.Needs = nil
	for i := range out.Proof {
		rep.Needs = append(rep.Needs, verdict.Need{OneOf: r.refs(out.Proof[i].OneOf), Break: *r.broken(&out.Proof[i].Break)})
	}
	rep.Before, rep.Hopeless = r.broken(out.Before), r.broken(out.Hopeless)
	if b := rep.Hopeless; b != nil {
		res.Reason = hopelessReason(b)
	}
}

// Why no set of fences is the answer.
func hopelessReason(b *verdict.Break) string {
	if b.Attack != nil {
		return "the text has no room for a fence between the two: " + b.Reason()
	}
	return "no fence prevents it: " + b.Reason()
}

func elsewhereReason(b *verdict.Break) string {
	return "the delay has no place that may be changed: " + b.Reason()
}

func underSCReason(b *verdict.Break) string {
	return "it fails under SC, too, where no store is delayed: " + b.Reason()
}

// hasReadOnly reports whether some places may not be changed.
func (r *repairer) hasReadOnly() bool {
	return slices.ContainsFunc(r.fs.Places(), func(p ir.Place) bool { return p.ReadOnly })
}

// elsewhere looks for a set that may also have fences in text that is not to be changed,
// after a search without them was in vain.
func (r *repairer) elsewhere(ctx context.Context, task *fences.Task, res *verdict.Result) error {
	if !r.hasReadOnly() {
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
	if out.Verdict != verdict.Safe {
		return nil
	}
	res.Verdict, res.Reason = verdict.Unknown, elsewhereReason(blocked)
	res.Repair.Hopeless, res.Cost = blocked, out.Cost
	threads := r.fs.Threads()
	for i, at := range out.Fences {
		f := r.fence(at, task.Cost, threads)
		f.Without = r.broken(&out.Without[i])
		res.Repair.Elsewhere = append(res.Repair.Elsewhere, f)
	}
	return nil
}

func (r *repairer) broken(b *fences.Break) *verdict.Break {
	if b == nil {
		return nil
	}
	return &verdict.Break{With: r.refs(b.With), Attack: b.Attack, Violation: b.Violation}
}

// refs names fences.
func (r *repairer) refs(list []ir.FenceAt) []verdict.FenceRef {
	var out []verdict.FenceRef
	for _, at := range list {
		out = append(out, verdict.FenceRef{Site: int(at.Place) + 1, Kind: at.Kind.String(), Pos: ptr(position(r.fs.Places()[at.Place].Pos))})
	}
	return out
}

// kinds are the fences worth looking at: under TSO store-store fences do nothing.
func (r *repairer) kinds() []ir.FenceKind {
	if r.model == memory.TSO {
		return r.pl.kinds[:1]
	}
	return r.pl.kinds
}

func (r *repairer) fence(at ir.FenceAt, cost func(ir.FenceAt) int64, threads [][]string) verdict.Fence {
	place := &r.fs.Places()[at.Place]
	pos := position(place.Pos)
	return verdict.Fence{
		Site: int(at.Place) + 1, Pos: &pos, Kind: at.Kind.String(), Thread: strings.Join(threads[at.Place], ", "), Label: place.Before,
		Cost: cost(at), ReadOnly: place.ReadOnly,
	}
}

// confirm writes fences into the text and checks that from scratch.
func (r *repairer) confirm(ctx context.Context, at []ir.FenceAt) (*fences.Finding, error) {
	r.stage = "patch"
	defer func() { r.stage = "engine " + fences.Name }()
	in, ok := r.rewrite(at)
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
	got := &again.Results[0]
	said := &fences.Finding{
		Verdict: got.Verdict, Reason: got.Reason, Coverage: got.Coverage, Warnings: got.Warnings, Stats: got.Stats,
	}
	if got.BoundedOnly { // the answer as a whole says so
		said.Verdict = verdict.Safe
	}
	return said, nil
}

// rewrite writes fences into the text, and keeps the patches. ok is false if a fence is in none
// of the files.
func (r *repairer) rewrite(at []ir.FenceAt) (in Input, ok bool) {
	in = r.p.input
	in.More = slices.Clone(in.More)
	edits := r.pl.write(at)
	r.changed = nil
	in.Text = r.change(in.Name, in.Text, edits)
	for i := range in.More {
		in.More[i].Text = r.change(in.More[i].Name, in.More[i].Text, edits)
	}
	return in, len(r.changed) == len(edited(edits))
}

// patch shows the text that was confirmed last.
func (r *repairer) patch(res *verdict.Result) {
	if len(res.Fences) > 0 {
		res.Repair.Patches = r.changed
	}
}

// patchName is the name of a file in a patch. `patch -p1` goes neither up nor to the
// root by itself, so a file that is not below the directory is named from the root.
func (o *FenceOptions) patchName(name string) string {
	if o.Directory == "" {
		return name
	}
	full := name
	if !filepath.IsAbs(name) {
		full = filepath.Join(o.Directory, name)
	}
	if rel, err := filepath.Rel(o.Directory, full); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return strings.TrimPrefix(filepath.ToSlash(full), "/")
}

// change makes the edits of one file, and keeps the patch.
func (r *repairer) change(name string, text []byte, edits []source.Edit) []byte {
	var mine []source.Edit
	for _, e := range edits {
		if e.File == name {
			mine = append(mine, e)
		}
	}
	if len(mine) == 0 {
		return text
	}
	after := source.Apply(source.NewFile(name, text), mine)
	r.changed = append(r.changed, verdict.Patch{File: name, Diff: source.Diff(r.opt.patchName(name), text, after), Text: string(after)})
	return after
}

// slice is the text of a stretch of some file.
func (p *program) slice(s source.Span) string {
	if f := p.files[s.File]; f != nil {
		return f.Slice(s)
	}
	return ""
}

// edited is the files that edits are about.
func edited(edits []source.Edit) map[string]bool {
	files := map[string]bool{}
	for _, e := range edits {
		files[e.File] = true
	}
	return files
}

// again asks the question about a program as any user would.
func (r *repairer) again(ctx context.Context, in Input) (Answer, error) {
	opt := r.opt.Options
	opt.KeepGoing = false
	if r.opt.For == ForRobustness {
		return Robust(ctx, in, opt)
	}
	opt.patience = r.share(ctx)
	return Check(ctx, in, []string{r.model.String()}, opt)
}

// remove finds fences of the program that can go.
func (r *repairer) remove(ctx context.Context, in Input) (Answer, error) {
	if r.p = load(ctx, in, r.opt.Options); !r.p.ok() || !r.prepare() {
		return Answer{Diagnostics: r.p.diags}, nil
	}
	res := r.result()
	err := r.removable(ctx, res)
	if err != nil {
		return Answer{}, fmt.Errorf("%s, %s: %w", in.Name, r.stage, err)
	}
	r.p.carrySources(res)
	return Answer{Results: []verdict.Result{*res}, Diagnostics: r.p.diags}, nil
}

// removable takes out one fence after the other, as long as nothing breaks: what
// is left needs each of its fences.
func (r *repairer) removable(ctx context.Context, res *verdict.Result) error {
	found, err := r.checkFlat(ctx, r.flat, r.p.props)
	if err != nil {
		return err
	}
	res.Verdict, res.Reason, res.Coverage, res.Warnings, res.Stats = found.Verdict, found.Reason, found.Coverage, found.Warnings, found.Stats
	if found.Verdict == verdict.Unsafe {
		b := r.broken(&found.Breaks[0])
		res.Repair.Before = b
		res.Reason = b.Reason()
	}
	if found.Verdict != verdict.Safe {
		return nil
	}
	present := presentFences(r.flat)
	res.Repair.Present = len(present)
	var gone []source.Span
	for _, f := range present {
		less := transform.WithoutFences(r.flat, append(slices.Clone(gone), f.pos))
		found, err := r.checkFlat(ctx, less, r.p.props)
		if err != nil {
			return err
		}
		res.Stats.States += found.Stats.States
		res.Stats.Transitions += found.Stats.Transitions
		res.Stats.Seconds += found.Stats.Seconds
		switch found.Verdict {
		case verdict.Safe:
			gone = append(gone, f.pos)
			pos := position(f.pos)
			res.Repair.Redundant = append(res.Repair.Redundant, verdict.Fence{
				Pos: &pos, Kind: f.kind.String(), Thread: strings.Join(f.threads, ", "), Label: r.p.slice(f.pos),
			})
			res.Coverage, res.Warnings = found.Coverage, found.Warnings
		case verdict.Unsafe:
		default:
			res.Warnings = append(res.Warnings, verdict.Warning{
				Code: "FP0923", Message: "nobody knows whether this fence can go: " + found.Reason, Pos: ptr(position(f.pos)),
			})
		}
	}
	holds(res, verdict.Safe, r.opt.Options)
	r.p.restrict(res, r.opt.Options)
	return nil
}

func ptr[T any](v T) *T { return &v }
