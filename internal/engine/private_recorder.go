package engine

import (
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/verdict"
)

// Recording witnesses. A witness is an execution of the models as they are written, in which
// thread-private memory has buffers like any other. The steps of the search are taken there one
// by one. The search lets stores to thread-private memory take effect at once; here they are
// flushed as soon as the rules allow it. That is never too late: such an entry waits only for
// older ones, and an operation that waits for the entry waits for those as well.

// PrivateRecorder takes the steps of the search in the models as they are written.
type PrivateRecorder struct {
	y *memory.System // of the search
	r *Recorder
	// plain is the system that r runs; y itself if no memory is thread-private.
	plain *memory.System
	steps []memory.Step
}

// NewPrivateRecorder returns a recorder for the steps of y, which may let accesses to thread-private memory bypass buffers.
func NewPrivateRecorder(task *Task, y *memory.System) *PrivateRecorder {
	plain := y
	if y.HasPrivate() {
		plain = memory.New(task.Program, task.Model, memory.Options{})
	}
	return &PrivateRecorder{y: y, plain: plain, r: NewRecorder(plain)}
}

// Witness is the execution so far.
func (f *PrivateRecorder) Witness() *verdict.Witness { return f.r.Witness() }

// Step takes a step that the search takes from s.
func (f *PrivateRecorder) Step(s *memory.State, st memory.Step) {
	if f.plain == f.y {
		f.r.Step(st)
		return
	}
	if st.Kind == memory.Flush {
		st.Index = f.entry(s, st)
	}
	f.r.Step(st)
	for f.flushPrivate() {
	}
}

// entry finds the entry to flush: entries for the same bytes keep their order in both buffers.
func (f *PrivateRecorder) entry(s *memory.State, st memory.Step) int32 {
	t := ir.ThreadID(st.Thread)
	from, to := s.Buffer(t), f.r.State().Buffer(t)
	want := &from[st.Index]
	older := 0
	for i := range from[:st.Index] {
		if sameBytes(&from[i], want) {
			older++
		}
	}
	for i := range to {
		if sameBytes(&to[i], want) {
			if older == 0 {
				return int32(i)
			}
			older--
		}
	}
	panic("BUG: a flushed store is not in the buffer of the witness")
}

func sameBytes(a, b *memory.Entry) bool {
	return a.Kind == b.Kind && a.Addr == b.Addr && a.Size == b.Size
}

// flushPrivate lets one store to thread-private memory reach it, and reports whether there was
// one.
func (f *PrivateRecorder) flushPrivate() bool {
	s := f.r.State()
	if s.Faulted() || s.Over() {
		return false
	}
	f.steps = f.plain.Enabled(s, f.steps[:0])
	for _, st := range f.steps {
		if st.Kind == memory.Flush && f.y.PrivateAt(s.Buffer(ir.ThreadID(st.Thread))[st.Index].Addr) {
			f.r.Step(st)
			return true
		}
	}
	return false
}
