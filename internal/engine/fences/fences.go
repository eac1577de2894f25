package fences

import (
	"context"
	"fmt"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/solver/pb"
	"fencepost/internal/transform"
	"fencepost/verdict"
)

// Implicit hitting sets. The idea: find a cheapest set of fences that hits all clauses so far,
// check the program with these fences, and turn the bad executions into further clauses, until
// there are none. Every clause is necessary, so the set costs no more than any set that repairs the
// program; and it repairs the program.

// Name of the engine.
const Name = "fences"

// Task is a program to repair.
type Task struct {
	// Subjects are the program under each memory model for which it is to be repaired. All have the same sites.
	Subjects []Subject
	// Kinds are the kinds of fences to use; Cost says what one costs, more than 0.
	// A rank breaks ties between sets of the same cost before position does. Of the sets of the lowest cost those with the
	// lowest sum of strengths are listed, whatever their rank, and the one with the lowest rank has to be among them.
	// Choices, if not nil, returns what can be chosen at a site, instead of fences of some kind: memory orders.
	Kinds    []ir.FenceKind
	Choices  func(ir.SiteID) []ir.FenceAt
	Cost     func(ir.FenceAt) int64
	Rank     func(ir.FenceAt) int64
	Strength func(ir.FenceAt) int64
	// ReadOnly also uses fence sites in text that must not be changed.
	ReadOnly bool
	// Check checks the program with the fences. If most is not 0, the check ends after so many states.
	Check func(ctx context.Context, fences []ir.FenceAt, most int64) (*Finding, error)
	// Confirm checks the changed source text; it returns no executions. It is called before Check,
	// since a set is the answer only if both are safe, and Confirm is faster if it is
	// not. nil: Check decides alone.
	Confirm func(ctx context.Context, fences []ir.FenceAt) (*Finding, error)
	// AllOptimal asks for every cheapest set.
	AllOptimal bool
	// Progress is called in every round, if not nil.
	Progress func(round, clauses int)
}

// Subject is a flat program with its marks, as Fences has it.
type Subject struct {
	Fences  *transform.Fences
	Program *ir.Program
}

// Status says what is known of a program with fences. The zero value is unset.
type Status uint8

// The statuses.
const (
	_       Status = iota
	Good           // the program is as it should be
	Bad            // it is not
	Unknown        // the check could not tell
)

func (s Status) String() string {
	switch s {
	case Good:
		return "good"
	case Bad:
		return "bad"
	case Unknown:
		return "unknown"
	default:
		panic(fmt.Sprintf("BUG: unknown status %d", s))
	}
}

// Finding is the result of a check. If it is Bad, Breaks has bad executions. If it is Unknown, Reason says why there
// is no answer.
type Finding struct {
	Status   Status
	Reason   string
	Coverage verdict.Coverage
	Warnings []verdict.Warning
	Stats    verdict.Stats
	Breaks   []Break
}

// Break is a bad execution. For an attack on robustness, Store and Load are the steps of the
// delayed store and of the load or store it is delayed past; otherwise Load is 0, and every delay counts.
type Break struct {
	Of          int          // index in Task.Subjects
	With        []ir.FenceAt // in site
	Witness     *verdict.Witness
	Store, Load int
	Attack      *verdict.Attack    // of an attack
	Violation   *verdict.Violation // of anything else
	DataRace    bool               // of robustness against c11: the violation is a data race
}

// Repair is the answer.
type Repair struct {
	// Status is Good with a set that repairs the program, Bad if there is none, and Unknown if the
	// check could not tell.
	Status Status
	Reason string
	Fences []ir.FenceAt // in the order of sites
	Cost   int64
	// Bound is a lower bound of the cost of every set that repairs the program.
	Bound   int64
	Before  *Break  // what is wrong without any fence; nil: nothing
	Without []Break // for every fence, what is wrong without it; shorter if the time was over
	// Instead has, for every fence, the best of the fences that could stand there instead of it; shorter if that was not searched for.
	Instead  [][]ir.FenceAt
	Hopeless *Break   // an execution that no fence prevents
	Proof    []Clause // what Bound rests on
	All      [][]ir.FenceAt
	More     bool // there are more cheapest sets than All has

	Coverage verdict.Coverage // of the check that found nothing
	Warnings []verdict.Warning
	Stats    verdict.Stats // of all checks
	Rounds   int
	Clauses  int
}

// Clause is a set of fences. Every set that repairs the program has at least one of them.
type Clause struct {
	Break Break
	OneOf []ir.FenceAt
}

// NoReasons is the code of the warning that Without ends early.
const NoReasons = "FP0924"

// timeOver says how the context ended.
func timeOver(ctx context.Context) string {
	if ctx.Err() == context.DeadlineExceeded {
		return "time limit reached"
	}
	return "interrupted"
}

// mostOptimal bounds how many cheapest sets are listed.
const mostOptimal = 1000

// run is one search.
type run struct {
	task    *Task
	items   []ir.FenceAt
	index   map[ir.FenceAt]int
	views   []view // by subject
	problem pb.Problem
	listed  []int64 // by item: cost and strength in one number
	// confirmed is how many states the check of the set that was found had.
	confirmed int64
	out       *Repair
}

// view is a subject with what clauses need to know of it.
type view struct {
	Subject
	ops map[ir.EdgeID]ir.OpKind
}

// Run repairs the program.
func Run(ctx context.Context, task *Task) (*Repair, error) {
	r := newRun(task)
	set, done, err := r.search(ctx)
	if err != nil || !done {
		return r.out, err
	}
	r.out.Status, r.out.Fences = Good, r.fences(set)
	if err := r.justify(ctx, set); err != nil {
		return nil, err
	}
	if err := r.instead(ctx, set); err != nil {
		return nil, err
	}
	if task.AllOptimal {
		return r.out, r.all(ctx)
	}
	return r.out, nil
}

func newRun(task *Task) *run {
	r := &run{task: task, index: map[ir.FenceAt]int{}, out: &Repair{}}
	// Costs decide, then ranks: both in one number.
	most, strongest := int64(1), int64(1)
	for p, site := range task.Subjects[0].Fences.Sites() {
		if site.ReadOnly && !task.ReadOnly {
			continue
		}
		for _, at := range task.choices(ir.SiteID(p)) {
			r.index[at] = len(r.items)
			r.items = append(r.items, at)
			most += task.Rank(at)
			strongest += task.Strength(at)
		}
	}
	for _, at := range r.items {
		r.problem.Costs = append(r.problem.Costs, task.Cost(at)*most+task.Rank(at))
		r.listed = append(r.listed, task.Cost(at)*strongest+task.Strength(at))
	}
	for _, s := range task.Subjects {
		v := view{Subject: s, ops: map[ir.EdgeID]ir.OpKind{}}
		for _, f := range s.Program.Funcs {
			for i := range f.Edges {
				v.ops[f.Edges[i].ID] = f.Edges[i].Op.Kind
			}
		}
		r.views = append(r.views, v)
	}
	return r
}

// choices returns what can be chosen at a site.
func (t *Task) choices(site ir.SiteID) []ir.FenceAt {
	if t.Choices != nil {
		return t.Choices(site)
	}
	var out []ir.FenceAt
	for _, kind := range t.Kinds {
		out = append(out, ir.FenceAt{Site: site, Kind: kind})
	}
	return out
}

func (r *run) fences(set []int) []ir.FenceAt {
	out := make([]ir.FenceAt, len(set))
	for i, item := range set {
		out[i] = r.items[item]
	}
	return out
}

func (r *run) cost(set []int) int64 {
	var sum int64
	for _, item := range set {
		sum += r.task.Cost(r.items[item])
	}
	return sum
}

// search finds a set that repairs the program. done is false if there is none, or if the check has
// no answer.
func (r *run) search(ctx context.Context) (set []int, done bool, err error) {
	for {
		set, _, _, err = r.problem.Minimum(ctx) // clauses are never empty
		if err != nil {
			r.out.Status, r.out.Reason = Unknown, timeOver(ctx)
			return nil, false, nil
		}
		r.out.Bound = r.cost(set)
		r.out.Rounds++
		found, err := r.decide(ctx, set)
		if err != nil {
			return nil, false, err
		}
		switch found.Status {
		case Good:
			r.confirmed = found.Stats.States
			r.out.Coverage, r.out.Warnings, r.out.Cost = found.Coverage, found.Warnings, r.out.Bound
			return set, true, nil
		case Bad:
		default:
			r.out.Status, r.out.Reason, r.out.Coverage = Unknown, found.Reason, found.Coverage
			return nil, false, nil
		}
		if r.out.Before == nil {
			r.out.Before = &found.Breaks[0]
		}
		if hopeless, err := r.learn(set, found); err != nil || hopeless != nil {
			r.out.Status, r.out.Hopeless = Bad, hopeless
			return nil, false, err
		}
	}
}

// decide checks a set of fences: the changed text if there is one, and the program for bad
// executions.
func (r *run) decide(ctx context.Context, set []int) (*Finding, error) {
	if r.task.Choices != nil {
		return r.decideOrders(ctx, set)
	}
	if len(set) == 0 || r.task.Confirm == nil {
		return r.check(ctx, set)
	}
	said, err := r.task.Confirm(ctx, r.fences(set))
	if err != nil {
		return nil, err
	}
	r.count(said)
	if said.Status != Bad {
		return said, nil
	}
	found, err := r.check(ctx, set)
	if err == nil && found.Status == Good && !found.Coverage.Exhaustive {
		// Another engine found a violation beyond the bounds of this one.
		return &Finding{Status: Unknown, Coverage: found.Coverage, Reason: "the changed text is not as it should be, and no execution of the program shows it: " + said.Reason}, nil
	}
	if err == nil && found.Status == Good {
		err = fmt.Errorf("the program with fences is as it should be, and the changed text is not: %s", said.Reason)
	}
	return found, err
}

// count adds the work of a check.
func (r *run) count(found *Finding) {
	s := &r.out.Stats
	s.States += found.Stats.States
	s.Transitions += found.Stats.Transitions
	s.Seconds += found.Stats.Seconds
	s.Depth = max(s.Depth, found.Stats.Depth)
	s.Bytes = max(s.Bytes, found.Stats.Bytes)
}

func (r *run) check(ctx context.Context, set []int) (*Finding, error) {
	return r.checkLimited(ctx, set, 0)
}

// checkLimited checks a set with at most so many states, if the number is not 0.
func (r *run) checkLimited(ctx context.Context, set []int, most int64) (*Finding, error) {
	found, err := r.task.Check(ctx, r.fences(set), most)
	if err != nil {
		return nil, err
	}
	r.count(found)
	if found.Status == Bad && len(found.Breaks) == 0 {
		return nil, fmt.Errorf("a check found something bad and no execution")
	}
	for i := range found.Breaks {
		found.Breaks[i].With = r.fences(set)
	}
	return found, nil
}

// learn adds the clauses of the executions that were found with a set of fences. It returns an
// execution that no fence prevents, if there is one.
func (r *run) learn(set []int, found *Finding) (hopeless *Break, err error) {
	for i := range found.Breaks {
		b := &found.Breaks[i]
		clause, err := r.clauseOf(b)
		if err != nil {
			return nil, err
		}
		if len(clause) == 0 {
			return b, nil
		}
		if slices.ContainsFunc(set, func(item int) bool { return slices.Contains(clause, item) }) {
			return nil, fmt.Errorf("an execution delays a store past a fence")
		}
		if !slices.ContainsFunc(r.problem.Clauses, func(c []int) bool { return slices.Equal(c, clause) }) {
			r.problem.Clauses = append(r.problem.Clauses, clause)
			r.out.Clauses++
			r.out.Proof = append(r.out.Proof, Clause{Break: *b, OneOf: r.fences(clause)})
		}
	}
	if r.task.Progress != nil {
		r.task.Progress(r.out.Rounds, r.out.Clauses)
	}
	return nil, nil
}

// clauseOf returns the clause of an execution.
func (r *run) clauseOf(b *Break) ([]int, error) {
	if b.Witness.Graph != nil {
		return r.graphClause(b)
	}
	v := &r.views[b.Of]
	if b.Load > 0 && oneDelays(b) {
		return r.clause(v, v.attackWindows(b)), nil
	}
	return r.clause(v, v.windows(b.Witness, b.With)), nil
}

// clause returns the choices that are fences in the windows.
func (r *run) clause(v *view, list []window) []int {
	full, swapped := map[ir.SiteID]bool{}, map[ir.SiteID]bool{}
	for _, w := range list {
		for _, site := range w.sites {
			full[site] = true
			swapped[site] = swapped[site] || w.swap
		}
	}
	var out []int
	for item, at := range r.items {
		if slices.ContainsFunc(v.Fences.Acts(at), func(f ir.FenceAt) bool {
			return f.Kind == ir.FullFence && full[f.Site] || f.Kind != ir.FullFence && swapped[f.Site]
		}) {
			out = append(out, item)
		}
	}
	return out
}

// OneOf returns the clause of an execution.
func OneOf(task *Task, b *Break) ([]ir.FenceAt, error) {
	r := newRun(task)
	clause, err := r.clauseOf(b)
	return r.fences(clause), err
}

// Cheapest returns the first of the cheapest sets that hit all clauses, and all of these sets, up
// to mostOptimal.
func Cheapest(ctx context.Context, task *Task, clauses [][]ir.FenceAt) (set []ir.FenceAt, cost int64, all [][]ir.FenceAt, more bool, err error) {
	r := newRun(task)
	for _, c := range clauses {
		var items []int
		for _, at := range c {
			items = append(items, r.index[at])
		}
		slices.Sort(items)
		r.problem.Clauses = append(r.problem.Clauses, items)
	}
	best, _, _, err := r.problem.Minimum(ctx)
	if err != nil {
		return nil, 0, nil, false, err
	}
	sets, more, err := r.cheapest(ctx)
	for _, s := range sets {
		all = append(all, r.fences(s))
	}
	return r.fences(best), r.cost(best), all, more, err
}

// justify finds for every fence an execution that is bad without it.
func (r *run) justify(ctx context.Context, set []int) error {
	for i := range set {
		rest := slices.Delete(slices.Clone(set), i, i+1)
		found, err := r.check(ctx, rest)
		if err != nil {
			return err
		}
		if found.Status != Bad {
			if ctx.Err() != nil { // the set is right and cheapest, but reasons are missing
				r.out.Warnings = append(r.out.Warnings, verdict.Warning{
					Code: NoReasons, Message: "what goes wrong without some of the fences was not searched for: " + found.Reason,
				})
				return nil
			}
			if !found.Coverage.Exhaustive { // the execution is beyond the bounds
				r.out.Status, r.out.Reason = Unknown, "whether every fence is needed is not known: nothing is wrong without one of them within the bounds of the search"
				return nil
			}
			return fmt.Errorf("a set of fences was called cheapest and one of them is not needed")
		}
		r.out.Without = append(r.out.Without, found.Breaks[0])
	}
	return nil
}
