package endless

import (
	"fencepost/internal/analysis"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// Executions judges the ends of executions, for engines that stop a thread after a round which changes
// nothing. The steps of such an execution are steps of the program as it was given, too, and lead there to
// a state in which the thread is at the head of its loop. The whole round is run from that state on: what
// the thread reads now may be newer than what it read in the round after which it was stopped.
type Executions struct {
	y     *memory.System
	s     *memory.State
	test  *Test
	reads []analysis.Footprint // by thread: what its loops read
}

// NewExecutions returns the judge for a system of the program as it was given. It returns nil if the
// program has no loops.
func NewExecutions(y *memory.System) *Executions {
	x := &Executions{y: y, s: y.NewState(), test: New(y)}
	if !x.test.Possible() {
		return nil
	}
	facts := analysis.NewFacts(y.Prog, nil)
	for t := range y.Prog.Threads {
		var foot analysis.Footprint
		f := y.Prog.ThreadFunc(ir.ThreadID(t))
		for i := range f.Edges {
			e := &f.Edges[i]
			if l := &x.test.loops[t]; l.component[e.From] >= 0 && !e.Op.Local() {
				reads := facts.Footprint(e)
				foot.Anything = foot.Anything || reads.Anything
				foot.Ranges = append(foot.Ranges, reads.Ranges...)
			}
		}
		x.reads = append(x.reads, foot)
	}
	return x
}

// Endless reports whether an execution leads to an endless state.
func (x *Executions) Endless(steps []memory.Step) bool {
	return x.EndlessAfter(func(y *memory.System, s *memory.State) {
		for _, st := range steps {
			y.Apply(s, st)
		}
	})
}

// EndlessAfter reports whether an endless state comes about when run is applied to the initial state.
func (x *Executions) EndlessAfter(run func(y *memory.System, s *memory.State)) bool {
	mark := x.s.Mark()
	defer x.s.Undo(mark)
	run(x.y, x.s)
	return x.test.Holds(x.s)
}

// Reads returns the memory that the loops of a thread may read.
func (x *Executions) Reads(t ir.ThreadID) analysis.Footprint { return x.reads[t] }
