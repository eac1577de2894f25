package lazy

import (
	"cmp"
	"math"
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/engine"
	"fencepost/internal/ir"
)

// Few sequences at a time. In practical mode a round of the oracle gives many sequences. An SC question
// takes longer the more sequences R buffers along: each of them multiplies the states of its thread, and
// a long one, which follows a loop round by round, adds as many states as it has instructions for every
// round in which it can be entered. Since the times grow like that, it costs little to ask with few
// sequences first: short ones before long ones, and one of each thread, that which ends nearest to a violation.
// The others wait, and R is extended by more of them if the answer is no. The oracle is asked again when
// none waits.
//
// Differs from [BCDM15 §5], which uses all sequences of a round at once.

// longer is how many times as long as the shortest sequence another may be that is used with it.
const longer = 2

// postponed holds the sequences that have not been used yet.
type postponed struct {
	list []waiting
	away [][]int32 // by thread and location of the program: the distance from a violation
}

// waiting is a sequence of base, which was R when it was found.
type waiting struct {
	sequence
	base *Extended
	away int32 // distance of its load from a violation
}

// add adds the sequences that a round has found.
func (q *postponed) add(task *engine.Task, base *Extended, found []sequence) {
	if q.away == nil {
		q.away = violationDistances(task)
	}
	for _, s := range found {
		w := waiting{sequence: s, base: base, away: math.MaxInt32}
		if of := base.Of[s.edges[len(s.edges)-1]]; of != ir.NoEdge {
			if _, e, ok := task.Program.EdgeByID(of); ok {
				w.away = q.away[s.thread][e.To]
			}
		}
		q.list = append(q.list, w)
	}
}

// extend makes R buffer along the next sequences that it does not buffer along yet. refused says why one
// of them is not possible.
func (q *postponed) extend(r *refinement) (grew bool, refused string, err error) {
	for !grew && len(q.list) > 0 && r.ctx.Err() == nil {
		for _, w := range q.next() {
			ok, why, err := r.extendBy(w.base, w.sequence)
			if err != nil {
				return false, "", err
			}
			grew = grew || ok
			if why != "" {
				refused = why
			}
		}
	}
	return grew, refused, nil
}

// next takes the next sequences.
func (q *postponed) next() []waiting {
	shortest := slices.MinFunc(q.list, func(a, b waiting) int { return cmp.Compare(len(a.edges), len(b.edges)) })
	best := map[ir.ThreadID]int{}
	for i, w := range q.list {
		if len(w.edges) > longer*len(shortest.edges) {
			continue
		}
		if k, ok := best[w.thread]; !ok || w.away < q.list[k].away {
			best[w.thread] = i
		}
	}
	var out, rest []waiting
	for i, w := range q.list {
		if k, ok := best[w.thread]; ok && k == i {
			out = append(out, w)
		} else {
			rest = append(rest, w)
		}
	}
	q.list = rest
	return out
}

// violationDistances returns the distance of each location of each thread from a location of a goal, or from
// an assertion if no goal names the thread, or from an end if it has no assertion either.
func violationDistances(task *engine.Task) [][]int32 {
	p := task.Program
	out := make([][]int32, len(p.Threads))
	for t := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(t))
		var goals, checks, ends []ir.Loc
		for i := range task.Props.Goals {
			for _, at := range task.Props.Goals[i].At {
				if at.Thread == ir.ThreadID(t) {
					goals = append(goals, at.Locs...)
				}
			}
		}
		for i := range f.Edges {
			if op := &f.Edges[i].Op; op.Kind == ir.Assert && op.Report.Class == ir.Assertion {
				checks = append(checks, f.Edges[i].From)
			}
		}
		for l := range f.Locs {
			if f.Ends(ir.Loc(l)) {
				ends = append(ends, ir.Loc(l))
			}
		}
		switch {
		case len(goals) > 0:
			out[t] = analysis.Distances(f, goals)
		case len(checks) > 0:
			out[t] = analysis.Distances(f, checks)
		default:
			out[t] = analysis.Distances(f, ends)
		}
	}
	return out
}
