package machine

import (
	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// The order in which threads that can be exchanged begin (docs/engines/symmetry.md).
//
// The beginning of a thread is its event at a location, Options.Begin; if that is a store into the buffer, it is the update
// of the first store of the thread. Without a location it is its first event; if the thread has put a store into its buffer
// by then, it is the update of the first store. With Options.After it is possible only after the beginning of another
// thread.

// Beginnings says which beginnings are ordered.
type Beginnings struct {
	After   []int32 // as Options.After
	at      []ir.Loc
	chained []bool // per thread: its beginning is ordered with that of another one; nil if After is
}

// newBeginnings returns the order that options ask for.
func newBeginnings(opt *Options) Beginnings {
	b := Beginnings{After: opt.After, at: opt.Begin}
	if b.After == nil {
		return b
	}
	b.chained = make([]bool, len(b.After))
	for t, a := range b.After {
		if a != None {
			b.chained[t], b.chained[a] = true, true
		}
	}
	return b
}

// wait reports whether the beginning of thread t has to wait for that of another thread.
func (b *Beginnings) wait(m *Machine, t int) bool {
	if b.After == nil || b.After[t] == None {
		return false
	}
	return !m.Threads.Now[t].Begun && !m.Threads.Now[b.After[t]].Begun
}

// inBuffer reports whether the beginning of thread t, which has not happened, is an update.
func (b *Beginnings) inBuffer(m *Machine, t int) bool {
	if l := b.at[t]; l != None {
		f := m.Sys.Prog.ThreadFunc(ir.ThreadID(t))
		return m.Sys.Model != memory.SC && f.Edges[f.Out(l)[0]].Op.Kind == ir.Store
	}
	return len(m.State.Buffer(ir.ThreadID(t))) > 0
}

// here reports whether the next event of thread t, whose beginning has not happened, is its beginning.
func (b *Beginnings) here(m *Machine, t int) bool {
	l := b.at[t]
	return (l == None || l == m.State.PC(ir.ThreadID(t))) && !b.inBuffer(m, t)
}

// next reports whether what process p does next is the beginning of its thread; or, under PSO, the update of another
// store, which the event shows.
func (b *Beginnings) next(m *Machine, p int32) bool {
	if b.After == nil {
		return false
	}
	pr := &m.Procs.List[p]
	t := int(pr.Thread)
	if !b.chained[t] || m.Threads.Now[t].Begun {
		return false
	}
	return pr.Buffer && b.inBuffer(m, t) || !pr.Buffer && b.here(m, t)
}

// note notes that event e, which was performed, is the beginning of its thread.
func (b *Beginnings) note(m *Machine, e *Event) {
	if e.Flags&IsUpdate != 0 && e.Ord != 0 {
		return
	}
	e.Flags |= Begins
	v := m.Threads.Now[e.Thread]
	v.Begun = true
	m.Threads.set(int(e.Thread), v)
}
