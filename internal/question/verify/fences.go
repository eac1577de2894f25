package verify

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	engine "fencepost/internal/engine/fences"
	"fencepost/internal/ir"
	"fencepost/internal/pipeline"
	"fencepost/internal/question/fences"
	"fencepost/internal/source"
	"fencepost/query"
	"fencepost/verdict"
)

// Answers about fences. Each bad execution is replayed in the program that the result names: without new
// fences, without just this fence, or with the fences that were tried. From each execution that the lower
// bound rests on, the condition on sets of fences is derived again, and the cheapest set that satisfies
// all conditions is computed: it is the answer. The patch is applied to the text, and the changed text is
// asked about again with all the rest.

// repair verifies an answer about fences. It returns an error if the program is refused.
func (v *verifier) repair(r *verdict.Result) error {
	if v.question.fences == nil {
		v.judge(r.Model, "fences", "the fence sites", fmt.Errorf("the command %q has no fences", r.Asked.Command))
		return nil
	}
	opt := *v.question.fences
	if err := fences.Validate(&opt); err != nil {
		v.judge(r.Model, "fences", "the fence sites", err)
		return nil
	}
	rep, cost, err := fences.Prepare(v.ctx, v.run, opt)
	if err != nil {
		return err
	}
	f := &fenceVerifier{v: v, rep: rep, r: r, cost: cost, threads: rep.Fences.Threads()}
	v.run.Stage = "replay"
	f.executions()
	v.judge(r.Model, "fences", "the fence sites and what fences there cost", f.sites())
	if v.spoiled() { // what comes next rests on the executions
		return nil
	}
	v.judge(r.Model, "bound", fmt.Sprintf("that every set costs at least %d", r.Repair.Bound), f.bound())
	if len(r.Fences) > 0 || len(r.Repair.Patches) > 0 {
		v.judge(r.Model, "patch", "the program with the fences", f.patch())
	}
	v.now = &target{Program: v.run.Program, flat: rep.Flat}
	v.judge(r.Model, "sources", "the program", v.sources(r.Sources, r))
	if !v.spoiled() {
		v.judge(r.Model, "answer", "computed again: "+r.Verdict.String(), v.askAgain(r))
	}
	return nil
}

type fenceVerifier struct {
	v       *verifier
	rep     *fences.Repairer
	r       *verdict.Result
	cost    func(ir.FenceAt) int64
	threads [][]string
}

// named names fences as a result does.
func (f *fenceVerifier) named(list []ir.FenceAt) []verdict.FenceRef {
	out := f.rep.Refs(list)
	f.locate(&out)
	return out
}

// locate gives positions of machine code those of the source.
func (f *fenceVerifier) locate(v any) {
	if f.v.run.Locate != nil {
		f.v.run.Locate(v)
	}
}

// executions replays every bad execution.
func (f *fenceVerifier) executions() {
	if f.rep.Ordered() {
		f.orderExecutions()
		return
	}
	set := f.r.Fences
	f.broken("before the repair", f.r.Repair.Before, nil)
	for i := range set {
		f.broken(fmt.Sprintf("without fence %d", i+1), set[i].Without, slices.Delete(slices.Clone(set), i, i+1))
	}
	set = f.r.Repair.Elsewhere
	for i := range set {
		f.broken(fmt.Sprintf("without fence %d", i+1), set[i].Without, slices.Delete(slices.Clone(set), i, i+1))
	}
	f.needs()
}

// needs replays the executions that the bound rests on, and the one that no fence prevents.
func (f *fenceVerifier) needs() {
	for i := range f.r.Repair.Needs {
		b := &f.r.Repair.Needs[i].Break
		f.replayWith(fmt.Sprintf("need %d", i+1), b, b.With)
	}
	if b := f.r.Repair.Hopeless; b != nil {
		f.replayWith("in spite of fences", b, b.With)
	}
}

// broken replays an execution that must be of the program with a set of fences.
func (f *fenceVerifier) broken(name string, b *verdict.Break, set []verdict.Fence) {
	if b == nil {
		return
	}
	var want []verdict.FenceRef
	for _, one := range set {
		want = append(want, verdict.FenceRef{Site: one.Site, Kind: one.Kind, Pos: one.Pos})
	}
	f.replayWith(name, b, want)
}

// replayWith replays an execution of the program with fences.
func (f *fenceVerifier) replayWith(name string, b *verdict.Break, with []verdict.FenceRef) {
	e := b.Execution(name)
	failed := func(err error) {
		f.v.checks = append(f.v.checks, query.VerifyCheck{Name: name, Model: f.r.Model, Steps: len(e.Witness.Steps), Err: err, Step: -1})
	}
	if len(b.With)+len(with) > 0 && !reflect.DeepEqual(b.With, with) {
		failed(fmt.Errorf("with: the execution is not one of the program with the other fences"))
		return
	}
	at, err := f.refs(with)
	if err != nil {
		failed(err)
		return
	}
	of, ok := f.rep.Part(b.Model)
	asked := f.v.question.fences
	switch {
	case !ok && b.Model != "sc", b.Model == "sc" && (b != f.r.Repair.Hopeless || f.r.Repair.For != string(query.ForAssertions) || len(with) > 0):
		failed(fmt.Errorf("model: the fences are not for %q", b.Model))
		return
	case b.Attack == nil && asked.For == query.ForRobustness && (!of.C11 || b.Violation == nil || b.Violation.Question != verdict.Robustness),
		b.Attack != nil && (asked.For != query.ForRobustness || of.C11), b.Attack != nil && b.Violation != nil, b.Violation != nil && b.Violation.Like != 0:
		failed(fmt.Errorf("the execution is not an answer to %s", f.r.Question))
		return
	}
	flat, props := of.Fences.Insert(at)
	f.v.now = &target{Program: f.v.run.With(props), flat: flat}
	f.v.checks = append(f.v.checks, f.v.check(f.r, &e))
}

// refs finds the fences that are named.
func (f *fenceVerifier) refs(list []verdict.FenceRef) ([]ir.FenceAt, error) {
	var out []ir.FenceAt
	for _, ref := range list {
		at, err := f.at(ref.Site, ref.Kind, ref.Order)
		if err != nil {
			return nil, err
		}
		out = append(out, at)
	}
	ordered := slices.IsSortedFunc(out, func(a, b ir.FenceAt) int {
		return cmp.Or(cmp.Compare(a.Site, b.Site), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Order, b.Order))
	})
	if !ordered || len(slices.Compact(slices.Clone(out))) != len(out) {
		return nil, fmt.Errorf("fences are named twice, or not in the order of the text")
	}
	if now := f.named(out); len(list) > 0 && !reflect.DeepEqual(now, list) {
		return nil, fmt.Errorf("the result gives a wrong fence site of a fence")
	}
	return out, nil
}

func (f *fenceVerifier) at(site int, kind, order string) (ir.FenceAt, error) {
	if f.rep.Ordered() {
		return f.orderAt(site, kind, order)
	}
	for _, k := range f.rep.FenceKinds() {
		if k.String() == kind && site >= 1 && site <= len(f.rep.Fences.Sites()) {
			return ir.FenceAt{Site: ir.SiteID(site - 1), Kind: k}, nil
		}
	}
	return ir.FenceAt{}, fmt.Errorf("there is no fence site %d for a fence of kind %q", site, kind)
}

// found finds the fences of a set, and compares what is said of each.
func (f *fenceVerifier) found(list []verdict.Fence) (out []ir.FenceAt, cost int64, err error) {
	for i, one := range list {
		at, err := f.at(one.Site, one.Kind, one.Order)
		if err != nil {
			return nil, 0, err
		}
		one.Without, one.Instead = nil, nil
		now := f.rep.Fence(at, f.cost, f.threads)
		f.locate(&now)
		if !reflect.DeepEqual(one, now) {
			return nil, 0, fmt.Errorf("fence %d: %w", i+1, compared(one, now))
		}
		out, cost = append(out, at), cost+one.Cost
	}
	return out, cost, nil
}

// sites compares all fences with the fence sites of the text.
func (f *fenceVerifier) sites() error {
	if f.rep.Ordered() {
		return f.orderSites()
	}
	sets := append([][]verdict.Fence{f.r.Fences, f.r.Repair.Elsewhere}, f.r.Repair.Optimal...)
	for i, set := range sets {
		_, cost, err := f.found(set)
		switch {
		case err != nil:
			return err
		case len(set) > 0 && cost != f.r.Cost:
			return fmt.Errorf("cost: stored %d, computed %d", f.r.Cost, cost)
		case i > 1 && len(f.r.Fences) == 0 && len(set) > 0:
			return fmt.Errorf("repair.optimal: the result has no set of fences to compare with")
		}
		for _, one := range set {
			if i < 2 && one.Without == nil && !slices.ContainsFunc(f.r.Warnings, func(w verdict.Warning) bool { return w.Code == engine.NoReasons }) {
				return fmt.Errorf("a fence has no execution that shows why it is needed")
			}
		}
	}
	return nil
}

// bound computes from the executions what every set costs.
func (f *fenceVerifier) bound() error {
	rep := f.r.Repair
	task := f.rep.SearchTask(f.cost)
	if err := f.hopeless(task); err != nil {
		return err
	}
	task.ReadOnly = len(rep.Elsewhere) > 0 || rep.Hopeless != nil && f.rep.HasReadOnly()
	var clauses [][]ir.FenceAt
	for i := range rep.Needs {
		n := &rep.Needs[i]
		clause, err := f.clause(task, &n.Break)
		if err != nil {
			return err
		}
		if refs := f.named(clause); !reflect.DeepEqual(refs, n.OneOf) {
			return fmt.Errorf("repair.needs[%d].one_of: not what the execution demands", i)
		}
		clauses = append(clauses, clause)
	}
	if len(rep.Needs) != rep.Clauses {
		return fmt.Errorf("repair.clauses: stored %d, computed %d", rep.Clauses, len(rep.Needs))
	}
	set, cost, all, more, err := engine.Cheapest(f.v.ctx, task, clauses)
	if err != nil {
		return fmt.Errorf("computing the cheapest sets: %w", err)
	}
	if cost != rep.Bound {
		return fmt.Errorf("repair.bound: stored %d, computed %d", rep.Bound, cost)
	}
	stated := f.r.Fences
	if len(rep.Elsewhere) > 0 {
		stated = rep.Elsewhere
	}
	if f.rep.Ordered() && f.r.Verdict == verdict.Safe {
		if got, _, err := f.rep.Chosen(f.r); err != nil || !slices.Equal(got, set) {
			return fmt.Errorf("orders: not the cheapest ones that the executions demand")
		}
	} else if len(stated) > 0 || f.r.Verdict == verdict.Safe {
		if got, _, err := f.found(stated); err != nil || !slices.Equal(got, set) {
			return fmt.Errorf("fences: not the cheapest set that the executions demand")
		}
	}
	if err := f.instead(clauses, set); err != nil && !f.rep.Ordered() {
		return err
	}
	if len(rep.Optimal) > 0 && (len(all) != len(rep.Optimal) || more != rep.More) {
		return fmt.Errorf("repair.optimal: stored %d sets, computed %d", len(rep.Optimal), len(all))
	}
	for i, one := range rep.Optimal {
		if got, _, err := f.found(one); err != nil || !slices.Equal(got, all[i]) {
			return fmt.Errorf("repair.optimal[%d]: not a set that the executions demand", i)
		}
	}
	return nil
}

// instead checks that the executions do not rule out the other sites of the fences.
func (f *fenceVerifier) instead(clauses [][]ir.FenceAt, set []ir.FenceAt) error {
	for i := range f.r.Fences {
		others, _, err := f.found(f.r.Fences[i].Instead)
		if err != nil {
			return err
		}
		for _, at := range others {
			if !engine.CanReplace(clauses, set, i, at) {
				return fmt.Errorf("fences[%d].instead: not enough instead of the fence", i)
			}
		}
	}
	return nil
}

// clause returns what an execution demands of every set.
func (f *fenceVerifier) clause(task *engine.Task, b *verdict.Break) ([]ir.FenceAt, error) {
	with, err := f.refs(b.With)
	if err != nil {
		return nil, err
	}
	of, _ := f.rep.Part(b.Model)
	bad := &engine.Break{Of: of.Index, With: with, Witness: b.Witness(), Violation: b.Violation, DataRace: pipeline.DataRaceReason(b.Reason())}
	if b.Attack != nil {
		bad.Store, bad.Load = b.Attack.StoreStep, b.Attack.LoadStep
	}
	return engine.OneOf(task, bad)
}

// hopeless checks that no fence prevents an execution that no fence prevents according to the result, and
// that the result has the reason.
func (f *fenceVerifier) hopeless(task *engine.Task) error {
	b := f.r.Repair.Hopeless
	if b == nil {
		return nil
	}
	reason := ""
	switch {
	case b.Model == "sc":
		reason = fences.UnderSCReason(b)
	case len(f.r.Repair.Elsewhere) > 0:
		reason = fences.ElsewhereReason(b)
	default:
		reason = f.rep.HopelessReason(b)
		wide := *task
		wide.ReadOnly = true
		task = &wide
	}
	if f.r.Reason != reason {
		return fmt.Errorf("reason: stored %q, computed %q", f.r.Reason, reason)
	}
	if b.Model == "sc" {
		return nil
	}
	clause, err := f.clause(task, b)
	if err == nil && len(clause) > 0 {
		err = fmt.Errorf("repair.hopeless: a fence would prevent the execution")
	}
	return err
}

// patch applies the patches to the text.
func (f *fenceVerifier) patch() error {
	set, _, err := f.found(f.r.Fences)
	if f.rep.Ordered() {
		set, _, err = f.rep.Chosen(f.r)
	}
	if err != nil {
		return err
	}
	for _, p := range f.r.Repair.Patches {
		before, ok := f.r.Sources[p.File]
		if !ok {
			return fmt.Errorf("repair.patches: there is no text of %s", p.File)
		}
		after, err := source.Patch([]byte(before), p.Diff)
		if err != nil {
			return fmt.Errorf("the patch of %s does not apply: %w", p.File, err)
		}
		if string(after) != p.Text {
			return fmt.Errorf("repair.patches: the patch of %s does not make the text beside it", p.File)
		}
	}
	f.rep.Rewrite(set)
	return compared(f.r.Repair.Patches, f.rep.Changed)
}
