package explicit

import (
	"fencepost/internal/analysis"
	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// Search by distance, the algorithm A* [HNR68]. GoalsFirst ranks a state by the steps that lead to
// it plus its distance from a violation: the fewest edges of the automata, without local ones, that take the
// threads to the locations of a goal, to an assertion, or, for a final condition, to their ends.
// The distance ignores all values. It orders the search, and what is found does not depend on it. Without
// the steps so analysis.Far, threads that run to their goals one by one and then keep the last one out would be
// looked at first, with everything that the last one can do in vain.

// guide has the distances for one task.
type guide struct {
	// targets has, for each violation, the distances of the locations of the threads that it needs:
	// by thread, nil if the thread does not matter, and then by location.
	targets [][][]int32
}

// newGuide returns nil if there is nothing to measure the distance to.
func newGuide(task *engine.Task) *guide {
	g := &guide{}
	p := task.Program
	for i := range task.Props.Goals {
		need := make([][]int32, len(p.Threads))
		for _, at := range task.Props.Goals[i].At {
			need[at.Thread] = analysis.Distances(p.ThreadFunc(at.Thread), at.Locs)
		}
		g.targets = append(g.targets, need)
	}
	for t := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(t))
		var checks []ir.Loc
		for i := range f.Edges {
			if op := &f.Edges[i].Op; op.Kind == ir.Assert && op.Report.Class == ir.Assertion {
				checks = append(checks, f.Edges[i].From)
			}
		}
		if task.Props.Checks && len(checks) > 0 {
			need := make([][]int32, len(p.Threads))
			need[t] = analysis.Distances(f, checks)
			g.targets = append(g.targets, need)
		}
	}
	if task.Props.Final != nil {
		need := make([][]int32, len(p.Threads))
		for t := range p.Threads {
			f := p.ThreadFunc(ir.ThreadID(t))
			var ends []ir.Loc
			for l := range f.Locs {
				if f.Ends(ir.Loc(l)) {
					ends = append(ends, ir.Loc(l))
				}
			}
			need[t] = analysis.Distances(f, ends)
		}
		g.targets = append(g.targets, need)
	}
	if len(g.targets) == 0 {
		return nil
	}
	return g
}

// distance returns the distance of a state from the nearest violation.
func (g *guide) distance(y *memory.System, s *memory.State) int {
	best := analysis.Far
	for _, need := range g.targets {
		sum := 0
		for t, d := range need {
			if d == nil {
				continue
			}
			n := int(d[s.PC(ir.ThreadID(t))])
			if n > 0 && y.Thread(s, t).Stuck() {
				n = analysis.Far
			}
			sum += n
		}
		best = min(best, sum, analysis.Far)
	}
	return best
}

// rank returns the rank of a state that some steps lead to: the steps and the distance together, and
// among equals the distance.
func (g *guide) rank(steps int, y *memory.System, s *memory.State) int {
	d := g.distance(y, s)
	return (steps+d)*(analysis.Far+1) + d
}

// stepsTo returns the steps that lead to a state with a rank.
func (g *guide) stepsTo(rank int) int { return rank/(analysis.Far+1) - rank%(analysis.Far+1) }
