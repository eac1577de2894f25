package dual

import (
	"fmt"
	"slices"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/lts"
	"fencepost/internal/memory"
)

// From a path of the search to an execution under TSO. The path is run forward with load buffers, which gives
// every access its time in memory: to a store and an exclusive access the time of its step, to a read from
// memory the time at which its message was added to the buffer. In the execution accesses happen in the
// order of their times, and a store reaches memory at its time. Whatever else a thread does, it does
// as early as possible, stores into its buffer among them. The times of a thread's reads do not
// decrease, since buffers are queues; and a read of an own message comes before the store reaches
// memory, since the messages that were read before stood before the own one.

// entry is a message with the time at which it was added.
type entry struct {
	message
	time int
}

// event is a transition in the execution of a thread. time is anything if it happens as soon
// as the events before it have happened.
type event struct {
	trans *trans
	time  int
}

// forward runs a path forward.
type forward struct {
	m      *model
	mem    []int32
	bufs   [][]entry
	events [][]event // by thread
	whose  []int     // by time: the thread
	writes []bool    // by time: a store of the thread reaches memory
}

// violation returns what was found, with its execution.
func (s *search) violation() (engine.Violation, error) {
	f := &forward{m: s.m, mem: slices.Clone(s.m.initial), bufs: make([][]entry, len(s.m.threads)), events: make([][]event, len(s.m.threads))}
	at := s.found
	for ; s.elements[at].parent != anything; at = s.elements[at].parent {
		f.step(&s.elements[at].step)
	}
	tg := &s.targets[s.elements[at].target]
	v := engine.Violation{Kind: tg.kind, Goal: tg.goal, Edge: ir.NoEdge}
	r := engine.NewRecorder(memory.New(s.m.task.Program, memory.TSO, s.m.task.MemoryOptions()))
	f.record(r)
	if tg.kind == engine.CheckFailed {
		fault, failed := r.State().Fault()
		if !failed {
			return v, fmt.Errorf("the execution that dual found fails no check")
		}
		_, v = engine.FailedCheck(fault)
	}
	v.Witness = r.Witness()
	return v, nil
}

// step runs one step of the path.
func (f *forward) step(st *step) {
	p := int(st.thread)
	th := f.m.threads[p]
	now := len(f.whose)
	f.whose, f.writes = append(f.whose, p), append(f.writes, false)
	switch st.kind {
	case propagate:
		f.bufs[p] = append(f.bufs[p], entry{fromMemory(st.cell, f.mem[st.cell]), now})
	case single:
		if tr := &th.trans[st.trans]; f.m.opt.SmallSteps {
			f.transition(p, tr, now)
		} else {
			f.atOnce(p, tr, now)
		}
	case burst:
		for _, s := range st.steps {
			if s.trans == leave {
				f.leave(p)
			} else {
				f.transition(p, &th.trans[s.trans], now)
			}
		}
	case deletes:
		f.leave(p)
	default:
		panic("BUG: unknown step")
	}
}

// leave removes the oldest messages, up to and with the first own one.
func (f *forward) leave(p int) {
	i := slices.IndexFunc(f.bufs[p], func(e entry) bool { return e.self() })
	f.bufs[p] = f.bufs[p][i+1:]
}

// atOnce runs a transition of a thread that does not lag.
func (f *forward) atOnce(p int, tr *trans, now int) {
	f.bufs[p] = nil
	switch tr.kind {
	case read:
		if f.mem[tr.cell] != tr.value {
			panic("BUG: memory does not have the value that is read")
		}
		f.events[p] = append(f.events[p], event{tr, now})
	default:
		f.transition(p, tr, now)
		if tr.kind == write {
			f.bufs[p] = nil
		}
	}
}

// transition runs a transition with load buffers.
func (f *forward) transition(p int, tr *trans, now int) {
	e := event{tr, anything}
	switch tr.kind {
	case read:
		b := f.bufs[p]
		forwarded := slices.IndexFunc(b, func(e entry) bool { return e.self() && e.cell() == tr.cell })
		if forwarded >= 0 {
			break
		}
		i := slices.IndexFunc(b, func(e entry) bool { return e.message == fromMemory(tr.cell, tr.value) })
		if i < 0 {
			panic("BUG: the value that is read is not in the buffer")
		}
		f.bufs[p], e.time = b[i:], b[i].time
	case write:
		b := slices.DeleteFunc(slices.Clone(f.bufs[p]), func(e entry) bool { return e.cell() == tr.cell })
		f.bufs[p] = append(b, entry{fromSelf(tr.cell, tr.value), now})
		f.mem[tr.cell], f.writes[now] = tr.value, true
	case exclusive:
		f.bufs[p], e.time = nil, now
		for _, a := range tr.accesses {
			if a.new != anything {
				f.mem[a.cell] = a.new
			}
		}
	}
	f.events[p] = append(f.events[p], e)
}

// record writes the execution down.
func (f *forward) record(r *engine.Recorder) {
	for p := range f.events {
		if f.m.task.Program.Threads[p].Start {
			f.runs(r, p, anything)
		}
	}
	for now, p := range f.whose {
		if f.writes[now] {
			f.flush(r, p)
		}
		f.runs(r, p, now)
	}
}

// runs lets a thread do what it can do by a time.
func (f *forward) runs(r *engine.Recorder, p, now int) {
	for len(f.events[p]) > 0 && !r.State().Faulted() {
		e := f.events[p][0]
		if e.time > now {
			return
		}
		f.events[p] = f.events[p][1:]
		for _, t := range e.trans.path {
			if r.State().Faulted() {
				return
			}
			if t.Edge.Op.Kind == ir.AtomicEnd {
				for len(r.State().Buffer(ir.ThreadID(p))) > 0 {
					f.flush(r, p)
				}
			}
			f.exec(r, p, t)
		}
		if tr := e.trans; tr.other > 0 && tr.before == f.m.threads[tr.other-1].unstarted {
			f.runs(r, int(tr.other-1), now)
		}
	}
}

func (f *forward) flush(r *engine.Recorder, p int) {
	if !r.State().Faulted() {
		r.Step(memory.Step{Thread: int32(p), Kind: memory.Flush})
	}
}

// exec runs an edge.
func (f *forward) exec(r *engine.Recorder, p int, t lts.Taken) {
	fn := f.m.task.Program.ThreadFunc(ir.ThreadID(p))
	for i, id := range fn.Out(r.State().PC(ir.ThreadID(p))) {
		if &fn.Edges[id] == t.Edge {
			r.Step(memory.Step{Thread: int32(p), Kind: memory.Exec, Edge: int32(i), Choice: t.Choice})
			return
		}
	}
	panic("BUG: an edge does not leave the location of its thread")
}
