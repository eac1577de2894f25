package reduce

import (
	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// Running eager steps. After a step a thread runs on through eager locations (eager.go), up to
// a location that has a shared step, that a property names, that cuts a cycle, or where several
// steps are enabled: the paths from there may meet again, so the state is stored. No step of
// another thread is lost: eager steps neither enable nor disable nor change it, so every
// execution that interleaves other threads in between has a twin in which they come after, with
// the same memory, the same failing checks and the same final states. A check that fails ends
// the program, and another thread might have done something before that matters; so the state
// before the failure is visited, too.

// Runner runs eager steps for one worker.
type Runner struct {
	plan  *Plan
	trail []memory.Step
	steps []memory.Step // scratch
}

// NewRunner returns a runner for one worker.
func NewRunner(p *Plan) *Runner { return &Runner{plan: p} }

// Run runs thread t on through eager locations and calls visit in the state that it reaches.
// Trail returns the steps taken. If a check fails, visit is called in the failed state as well,
// and then in the state before. The state is as before when Run returns; visit must undo its
// own changes.
func (r *Runner) Run(s *memory.State, t int, visit func()) {
	y, locs, th := r.plan.y, r.plan.locs[t], ir.ThreadID(t)
	mark, n := s.Mark(), len(r.trail)
	for !s.Faulted() && !s.Over() && s.Running(th) && locs[s.PC(th)].eager {
		r.steps = y.EnabledEdges(s, t, r.steps[:0])
		if len(r.steps) != 1 {
			break
		}
		before, st := s.Mark(), r.steps[0]
		r.trail = append(r.trail, st)
		y.Apply(s, st)
		if s.Faulted() {
			visit()
			s.Undo(before)
			r.trail = r.trail[:len(r.trail)-1]
			break
		}
	}
	visit()
	s.Undo(mark)
	r.trail = r.trail[:n]
}

// Trail returns the eager steps that lead to the state being visited.
func (r *Runner) Trail() []memory.Step { return r.trail }

// RunAll runs all threads on, as a search does in the initial state.
func (r *Runner) RunAll(s *memory.State, visit func()) {
	var from func(t int)
	from = func(t int) {
		if t == len(r.plan.locs) || s.Faulted() {
			visit()
			return
		}
		r.Run(s, t, func() { from(t + 1) })
	}
	from(0)
}
