package explicit

import (
	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// Following. A witness is an execution of the models as they are written, in which a
// thread's own memory (memory/own.go) has buffers like any other. The steps of the
// search are taken there one by one; stores to own memory, which the search had take
// effect at once, are flushed as soon as the rules let them. That never comes too
// late: such an entry waits only for older ones, and what waits for it in turn
// waits for those as well.

type follower struct {
	y *memory.System // of the search
	r *engine.Recorder
	// plain is the system the recorder runs; y itself if nobody owns memory.
	plain *memory.System
	steps []memory.Step
}

func newFollower(task *engine.Task, y *memory.System) *follower {
	plain := y
	if y.Owns() {
		plain = memory.New(task.Program, task.Model, memory.Options{})
	}
	return &follower{y: y, plain: plain, r: engine.NewRecorder(plain)}
}

// step takes a step that the search takes from s.
func (f *follower) step(s *memory.State, st memory.Step) {
	if f.plain == f.y {
		f.r.Step(st)
		return
	}
	if st.Kind == memory.Flush {
		st.Index = f.entry(s, st)
	}
	f.r.Step(st)
	for f.flushOwn() {
	}
}

// entry finds the entry to flush: entries for one place keep their order in both
// buffers.
func (f *follower) entry(s *memory.State, st memory.Step) int32 {
	t := ir.ThreadID(st.Thread)
	mine, theirs := s.Buffer(t), f.r.State().Buffer(t)
	want := &mine[st.Index]
	older := 0
	for i := range mine[:st.Index] {
		if same(&mine[i], want) {
			older++
		}
	}
	for i := range theirs {
		if same(&theirs[i], want) {
			if older == 0 {
				return int32(i)
			}
			older--
		}
	}
	panic("BUG: a flushed store is not in the buffer of the witness")
}

func same(a, b *memory.Entry) bool { return a.Kind == b.Kind && a.Addr == b.Addr && a.Size == b.Size }

// flushOwn lets one store to own memory reach it, and reports whether there was one.
func (f *follower) flushOwn() bool {
	s := f.r.State()
	if _, failed := s.Fault(); failed || s.Over() {
		return false
	}
	f.steps = f.plain.Enabled(s, f.steps[:0])
	for _, st := range f.steps {
		if st.Kind == memory.Flush && f.y.OwnAt(s.Buffer(ir.ThreadID(st.Thread))[st.Index].Addr) {
			f.r.Step(st)
			return true
		}
	}
	return false
}
