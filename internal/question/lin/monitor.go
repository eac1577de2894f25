package lin

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
)

// Histories of large clients: is there a sequence of the calls that respects what the threads saw, and in which the
// specification returns the same? [WG93], depth first: the next call is the next one of some thread, all of whose
// predecessors are done; a number of done calls of each thread with a state of the specification is tried once [Low17].
//
// The specification runs in a program of one thread: it waits for the number of the next call in a variable, which is
// written between the calls, so that one state of the machine leads to all states of the object.

// Numbers of the specification's program.
const (
	nextName = "lin_next"

	maxTries    = 20_000  // calls that are tried for a history; then it is not judged
	maxEndTries = 5_000   // calls that are tried to find out whether all calls come to their end
	aloneTries  = 50      // sequences that are tried for errors
	firstState  = 64      // steps of a call before its states are compared with later ones
	maxCallSize = 100_000 // steps of a call; then it does not return
)

// monitor judges histories of one client.
type monitor struct {
	c       *largeClient
	y       *memory.System
	s       *memory.State
	next    uint64 // the address of the number of the next call
	results uint64 // the address of results
	slots   []int
	thread  []int // per concurrent call
	first   []int // per thread: its first concurrent call

	want     []int64
	after    [][]int // per concurrent call: how many calls of each thread it comes after
	done     []int
	tried    map[string]bool
	tries    int
	enabled  []memory.Step
	judged   map[string]bool // histories, and whether they are right
	unjudged int64
}

// driver returns the program of the specification of a client.
func (w *writer) driver(c *largeClient) string {
	var b strings.Builder
	b.WriteString("#include <stdatomic.h>\n")
	w.head(&b, &c.client)
	fmt.Fprintf(&b, "static atomic_int %s;\n\nint main(void) {\n", nextName)
	w.begin(&b, &c.client)
	fmt.Fprintf(&b, "  for (;;) {\n    int lin_call = atomic_load(&%s);\n    if (lin_call < 0)\n      break;\n    switch (lin_call) {\n", nextName)
	n := 0
	for _, calls := range c.threads {
		for range calls {
			fmt.Fprintf(&b, "    case %d:\n%s      break;\n", n, w.call(&c.client, len(c.prefix)+n, "      "))
			n++
		}
	}
	fmt.Fprintf(&b, "    }\n    atomic_store(&%s, 0);\n  }\n", nextName)
	w.end(&b, &c.client)
	b.WriteString("  return 0;\n}\n")
	return b.String()
}

// newMonitor prepares the specification for a client.
func (s *specification) newMonitor(ctx context.Context, c *largeClient) (*monitor, error) {
	run := pipeline.Open(s.explorer.input(s.writer.driver(c)))
	opt := s.explorer.opt
	opt.Progress = nil
	if err := run.Read(ctx, pipeline.ReadOptions{Options: opt}); err != nil {
		return nil, refusedBy(&explored{diags: run.Diagnostics}, err)
	}
	flat, err := run.FlattenFixed(opt)
	if err != nil {
		return nil, refusedBy(&explored{diags: run.Diagnostics}, err)
	}
	m := &monitor{c: c, y: memory.New(flat, memory.SC, memory.Options{}), slots: c.slotOf(), done: make([]int, len(c.threads)), judged: map[string]bool{}}
	for i := range flat.Objects {
		switch flat.Objects[i].Name {
		case nextName:
			m.next = flat.Objects[i].Addr
		case resultName:
			m.results = flat.Objects[i].Addr
		}
	}
	n := 0
	for t, calls := range c.threads {
		m.first = append(m.first, n)
		for range calls {
			m.thread = append(m.thread, t)
			n++
		}
	}
	m.s = m.y.NewState()
	if m.next == 0 || !m.run(nil) {
		return nil, &openError{why: "the object could not be prepared, one call at a time"}
	}
	return m, nil
}

// right reports whether a history is right. What takes too long counts as right, and as not judged.
func (m *monitor) right(values []int64) bool {
	id := key(values)
	if out, ok := m.judged[id]; ok {
		return out
	}
	results, _ := m.c.slots()
	m.want = values[:results]
	m.after = m.after[:0]
	seen := values[results:]
	for _, reads := range m.c.reads {
		row := make([]int, len(m.c.threads))
		for _, u := range reads {
			row[u], seen = int(seen[0]), seen[1:]
		}
		m.after = append(m.after, row)
	}
	m.tried, m.tries = map[string]bool{}, 0
	clear(m.done)
	mark := m.s.Mark()
	out := m.same(0, len(m.c.prefix)) && m.extend()
	m.s.Undo(mark)
	if !out && m.tries >= maxTries {
		m.unjudged++
		out = true
	}
	m.judged[id] = out
	return out
}

// same reports whether calls, by their numbers in the client, have returned what is wanted.
func (m *monitor) same(from, to int) bool {
	for k := m.slots[from]; k < m.slots[to]; k++ {
		if m.y.Read(m.s, m.results+uint64(8*k), ir.S64) != m.want[k] {
			return false
		}
	}
	return true
}

// extend reads for the rest of a sequence.
func (m *monitor) extend() bool {
	id := m.state()
	if m.tried[id] || m.tries >= maxTries {
		return false
	}
	m.tried[id] = true
	over := true
	for t := range m.done {
		if m.done[t] == len(m.c.threads[t]) {
			continue
		}
		over = false
		n := m.first[t] + m.done[t]
		late := false
		for u, k := range m.after[n] {
			late = late || m.done[u] < k
		}
		if late {
			continue
		}
		m.done[t]++
		if m.call(n) {
			return true
		}
		if v := m.c.threads[t][m.done[t]-1].op.MayFail; v != nil && m.want[m.slots[len(m.c.prefix)+n]] == *v && m.extend() {
			return true // it has failed without need
		}
		m.done[t]--
	}
	return over && m.end()
}

// failsAlone reports whether the calls of the client fail one at a time, in some of a number of random sequences.
func (m *monitor) failsAlone() bool {
	r := rand.New(rand.NewPCG(1, 2))
	mark := m.s.Mark()
	for range aloneTries {
		clear(m.done)
		for range m.thread {
			t := r.IntN(len(m.done))
			for m.done[t] == len(m.c.threads[t]) {
				t = (t + 1) % len(m.done)
			}
			memory.WriteContent(m.y, m.s, m.next, 4, memory.Content{Val: uint64(m.first[t] + m.done[t])})
			m.done[t]++
			if !m.step() || !m.run(nil) {
				break
			}
		}
		fails := m.s.Faulted()
		m.s.Undo(mark)
		if fails {
			return true
		}
	}
	return false
}

// alwaysEnds reports whether all calls of the client come to their end one at a time, if calls that would wait let others go first.
// It is false where that takes too long to find out.
func (m *monitor) alwaysEnds() bool {
	m.tried, m.tries = map[string]bool{}, 0
	clear(m.done)
	mark := m.s.Mark()
	defer m.s.Undo(mark)
	return m.endsFrom()
}

// endsFrom does so for the calls that are left.
func (m *monitor) endsFrom() bool {
	id := m.state()
	if m.tried[id] {
		return true
	}
	m.tried[id] = true
	over, goesOn := true, false
	for t := range m.done {
		if m.done[t] == len(m.c.threads[t]) {
			continue
		}
		over = false
		if m.tries++; m.tries > maxEndTries {
			return false
		}
		returns, ok := false, true
		mark := m.s.Mark()
		memory.WriteContent(m.y, m.s, m.next, 4, memory.Content{Val: uint64(m.first[t] + m.done[t])})
		m.done[t]++
		if m.step() {
			m.run(func() bool {
				returns, ok = true, ok && m.endsFrom()
				return !ok
			})
		}
		m.done[t]--
		if m.s.Undo(mark); !ok {
			return false
		}
		goesOn = goesOn || returns
	}
	return over || goesOn
}

// state names the calls that are done and the state of the object.
func (m *monitor) state() string {
	var out []byte
	for _, n := range m.done {
		out = binary.AppendUvarint(out, uint64(n))
	}
	return string(m.y.Codec().Encode(m.s, out))
}

// call makes a call next, and reports whether a sequence goes on with it.
func (m *monitor) call(n int) bool {
	m.tries++
	mark := m.s.Mark()
	defer m.s.Undo(mark)
	memory.WriteContent(m.y, m.s, m.next, 4, memory.Content{Val: uint64(n)})
	at := len(m.c.prefix) + n
	return m.step() && m.run(func() bool { return m.same(at, at+1) && m.extend() })
}

// end makes the calls after the threads, and reports whether they return what is wanted.
func (m *monitor) end() bool {
	mark := m.s.Mark()
	defer m.s.Undo(mark)
	memory.WriteContent(m.y, m.s, m.next, 4, memory.Content{Val: 0xffffffff})
	all := len(m.slots) - 1
	return m.step() && m.run(func() bool { return m.same(all-len(m.c.suffix), all) })
}

// step reads the number of the next call.
func (m *monitor) step() bool {
	m.enabled = m.y.EnabledEdges(m.s, 0, m.enabled[:0])
	if len(m.enabled) != 1 {
		return false
	}
	m.y.Apply(m.s, m.enabled[0])
	return true
}

// run goes on to where the next call is asked for, or to the end of the program, and calls then there, with all choices that
// the specification makes. A block of the heap is always a new one. Without then, the state stays as it is.
func (m *monitor) run(then func() bool) bool {
	var before []byte // a state that was met: if it comes back, the call goes round for ever
	at := ir.Loc(-1)
	for n := 1; n <= maxCallSize; n++ {
		th := m.y.Thread(m.s, 0)
		if pc := m.s.PC(0); pc == at && bytes.Equal(before, m.y.Codec().Encode(m.s, nil)) {
			return false
		} else if n >= firstState && n&(n-1) == 0 {
			before, at = m.y.Codec().Encode(m.s, before[:0]), pc
		}
		if th.Ended() || m.s.Over() {
			return then != nil && then()
		}
		if th.EdgeCount() > 0 && th.Op(0).Kind == ir.Load {
			if addr, _ := th.Address(0); addr == m.next {
				return then == nil || then()
			}
		}
		m.enabled = m.y.EnabledEdges(m.s, 0, m.enabled[:0])
		switch alternatives := len(m.enabled); {
		case alternatives == 0: // it waits
			return false
		case alternatives == 1 || m.y.EdgeOf(m.s, m.enabled[0]).Op.Kind == ir.Alloc || then == nil:
			m.y.Apply(m.s, m.enabled[0])
		default:
			for _, st := range slices.Clone(m.enabled) {
				mark := m.s.Mark()
				if m.y.Apply(m.s, st); !m.s.Faulted() && m.run(then) {
					return true
				}
				m.s.Undo(mark)
			}
			return false
		}
		if m.s.Faulted() {
			return false
		}
	}
	return false
}
