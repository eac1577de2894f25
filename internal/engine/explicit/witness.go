package explicit

import (
	"fmt"
	"strconv"
	"strings"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/memory/reduce"
	"fencepost/internal/search"
)

// Witnesses. The search stores states, not steps. The path to a finding is a list of states; one
// step and the eager steps after it lead from each to the next, and are found again by trying.
// Dead registers are zero in stored states and not in the states here, which makes no difference:
// no step reads them.

// violation rebuilds the execution that leads to a finding.
func violation(task *engine.Task, y *system, in *search.Interner, res *search.Result, f search.Finding) (engine.Violation, error) {
	b := &rebuilder{y: y.mem, s: y.mem.NewState(), eager: reduce.NewRunner(y.plan), rec: engine.NewPrivateRecorder(task, y.mem), c: newCodec(y, in)}
	path := res.Path(f)
	for i, state := range path {
		if i == 0 {
			b.find(b.initial, b.reaches(state))
		} else {
			b.find(b.step, b.reaches(state))
		}
		if b.err != nil {
			return engine.Violation{}, b.err
		}
	}
	v := engine.Violation{Edge: ir.NoEdge}
	switch {
	case strings.HasPrefix(f.Key, keyCheck):
		v.Kind = engine.CheckFailed
		v.Class, v.Edge = parseCheckKey(f.Key)
		exchanged := symmetric(task) != nil
		fails := func() bool {
			fault, failed := b.s.Fault()
			return failed && (checkKey(fault) == f.Key || exchanged && fault.Class == v.Class)
		}
		if f.AtStart() {
			b.find(b.initial, fails)
		} else {
			b.find(b.step, fails)
		}
		// With symmetry the thread that fails here may be another of its group.
		if fault, failed := b.s.Fault(); failed && fault.Edge != nil {
			v.Edge = fault.Edge.ID
		}
	case strings.HasPrefix(f.Key, keyGoal):
		v.Kind = engine.GoalReached
		v.Goal, _ = strconv.Atoi(strings.TrimPrefix(f.Key, keyGoal))
	case strings.HasPrefix(f.Key, keyState):
		v.Kind = engine.FinalReached
		v.Final = strings.TrimPrefix(f.Key, keyState)
	case f.Key == keyFinal:
		v.Kind = engine.FinalViolated
	case f.Key == keyDeadlock:
		v.Kind = engine.Deadlock
	case f.Key == keyEndless:
		v.Kind = engine.NonTermination
	default:
		panic("BUG: unknown finding " + f.Key)
	}
	v.Witness = b.rec.Witness()
	return v, b.err
}

// rebuilder finds the steps between stored states.
type rebuilder struct {
	y     *memory.System
	s     *memory.State
	eager *reduce.Runner
	rec   *engine.PrivateRecorder
	c     *codec
	err   error
}

// reaches tests whether the state is the stored one.
func (b *rebuilder) reaches(state []byte) func() bool {
	return func() bool {
		s := b.s
		if _, failed := s.Fault(); failed {
			return false
		}
		return b.c.same(s, state)
	}
}

// find tries the successors that gen offers until one is right, and records its steps.
func (b *rebuilder) find(gen func(try func(prefix []memory.Step)), right func() bool) {
	if b.err != nil {
		return
	}
	s := b.s
	var steps []memory.Step
	gen(func(prefix []memory.Step) {
		if steps == nil && right() {
			steps = append(append([]memory.Step{}, prefix...), b.eager.Trail()...)
		}
	})
	if steps == nil {
		b.err = fmt.Errorf("no step leads on in the path to a finding")
		return
	}
	for _, st := range steps {
		b.rec.Step(s, st)
		b.y.Apply(s, st)
	}
}

func (b *rebuilder) initial(try func([]memory.Step)) {
	b.eager.RunAll(b.s, func() { try(nil) })
}

func (b *rebuilder) step(try func([]memory.Step)) {
	s := b.s
	for _, st := range b.y.Enabled(s, nil) {
		mark := s.Mark()
		b.y.Apply(s, st)
		b.eager.Run(s, int(st.Thread), func() { try([]memory.Step{st}) })
		s.Undo(mark)
	}
}
