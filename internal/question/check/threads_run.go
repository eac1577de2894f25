//go:build !fencepost_small

package check

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/verdict"
)

// What executions under SC say beside the answer: how many threads run, and notes about the use of threads and
// synchronisation objects. A statement that starts threads in a loop has a pool of them, which is larger than needed if
// the number of rounds is not known from constants.
//
// A note is about an execution that exists: a thread ends while it holds a mutex; a thread was neither joined nor
// detached when main returns, or all threads have ended; an object is initialised a second time before it is destroyed;
// or a condition or barrier is destroyed while a thread waits at it. Where there are too many states to visit, there
// are further executions, and notes about them are missing. Objects that are automatic variables of one thread can be
// initialised again: the pass that makes objects of them has removed where their life ends.

// runs has what some executions under SC say.
type runs struct {
	flat *ir.Program
	y    *memory.System
	s    *memory.State

	seen      map[string]bool
	bytes     int
	truncated bool
	ran       []bool
	taken     map[spawned]bool
	notes     map[string]bool // those in found
	found     []verdict.Warning
}

// past keeps facts about the steps that lead to a state, which the state does not show. It is never changed, but replaced.
type past struct {
	locked   []lockedBy // by address and thread
	made     []uint64   // addresses of the objects that a call has initialised, sorted
	started  []*ir.Edge // per thread: where it was started, nil: not by a statement
	detached []bool
}

// lockedBy is a mutex that a thread has locked at some time, and where it did so last.
type lockedBy struct {
	addr   uint64
	thread int
	edge   *ir.Edge
}

// newRuns visits executions of a flat program.
func newRuns(flat *ir.Program) *runs {
	n := len(flat.Threads)
	r := &runs{flat: flat, seen: map[string]bool{}, ran: make([]bool, n), taken: map[spawned]bool{}, notes: map[string]bool{}}
	if !startsThreads(flat) {
		for t := range r.ran {
			r.ran[t] = true
		}
		return r
	}
	r.y = memory.New(flat, memory.SC, memory.Options{})
	r.s = r.y.NewState()
	r.s.Record = true
	r.visit(past{started: make([]*ir.Edge, n), detached: make([]bool, n)})
	slices.SortFunc(r.found, func(a, b verdict.Warning) int {
		return cmp.Or(cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message))
	})
	return r
}

// threads counts the threads that run in some execution under SC.
func (r *runs) threads() int { return countRun(r.flat, r.ran, r.taken, r.truncated) }

// visit visits a state and its successors.
func (r *runs) visit(h past) {
	y, s := r.y, r.s
	if s.Over() || s.Faulted() || s.Err != nil {
		return
	}
	key := string(h.appendKey(y.Codec().Encode(s, nil)))
	if r.seen[key] {
		return
	}
	if len(r.seen) >= maxRunStates || r.bytes >= maxRunBytes {
		r.truncated = true
		return
	}
	r.seen[key] = true
	r.bytes += len(key)
	for t := range r.ran {
		r.ran[t] = r.ran[t] || s.Started(ir.ThreadID(t))
	}
	r.atState(&h)
	for _, st := range y.Enabled(s, nil) {
		e := y.EdgeOf(s, st)
		if e.Op.Kind == ir.Spawn {
			r.taken[spawned{int(st.Thread), e.ID}] = true
		}
		detaches := r.detaches(st, e)
		mark := s.Mark()
		y.Apply(s, st)
		if !s.Faulted() {
			r.visit(r.after(&h, st, e, detaches))
		}
		s.Undo(mark)
		s.Err = nil
	}
}

// detaches returns the thread that a step detaches, -1 if it detaches none.
func (r *runs) detaches(st memory.Step, e *ir.Edge) int {
	if e.Op.Kind != ir.Assign || !e.Op.Sync.Marks.Has(ir.Detaches) {
		return -1
	}
	regs := make([]int64, len(r.flat.ThreadFunc(ir.ThreadID(st.Thread)).Regs))
	e.Op.Val.Walk(func(x *ir.Expr) {
		if x.Op == ir.RegRef {
			regs[x.Reg] = r.y.Reg(r.s, ir.ThreadID(st.Thread), x.Reg)
		}
	})
	if u := e.Op.Val.Eval(ir.Env{Regs: regs, Prog: r.flat}); u >= 0 && u < int64(len(r.flat.Threads)) {
		return int(u)
	}
	return -1
}

// after returns the past after a step, and notes what is wrong with the step.
func (r *runs) after(h *past, st memory.Step, e *ir.Edge, detaches int) past {
	next, ev := *h, &r.s.Event
	t, op := int(st.Thread), &e.Op
	switch {
	case op.Kind == ir.Spawn && ev.Other > 0:
		next.started = slices.Clone(h.started)
		next.started[ev.Other-1] = e
	case detaches >= 0:
		next.detached = slices.Clone(h.detached)
		next.detached[detaches] = true
	case op.Kind == ir.Lock || op.Kind == ir.TryLock:
		next.lock(lockedBy{ev.Addr, t, e}, r)
	case op.Kind == ir.Free && ev.Free && len(ev.Accesses) > 0:
		next.forget(ev.Addr, ev.Accesses[0].Size)
	case op.Kind == ir.Store && op.Sync.Marks.Has(ir.Initialises):
		if i, again := slices.BinarySearch(h.made, ev.Addr); again {
			r.note("FP0948", e, "%s is initialised here a second time, and was not destroyed before", r.name(ev.Addr))
		} else if o := r.flat.FindObject(ev.Addr, 1); o == ir.NoObject || !r.flat.Objects[o].Ends {
			next.made = slices.Insert(slices.Clone(h.made), i, ev.Addr)
		}
	case op.Kind == ir.Store && op.Sync.Marks.Has(ir.Destroys):
		next.made = slices.DeleteFunc(slices.Clone(h.made), func(a uint64) bool { return a == ev.Addr })
		for u := range r.ran {
			if r.y.Thread(r.s, u).WaitsAt(ev.Addr) {
				r.note("FP0949", e, "%s is destroyed here while %s waits at it", r.name(ev.Addr), r.flat.Threads[u].Name)
			}
		}
	}
	return next
}

// lock adds a mutex that a thread has locked.
func (h *past) lock(l lockedBy, r *runs) {
	if !r.y.Thread(r.s, l.thread).HoldsMutex(l.addr) {
		return
	}
	h.locked = slices.DeleteFunc(slices.Clone(h.locked), func(o lockedBy) bool { return o.addr == l.addr && o.thread == l.thread })
	i, _ := slices.BinarySearchFunc(h.locked, l, func(a, b lockedBy) int {
		return cmp.Or(cmp.Compare(a.addr, b.addr), cmp.Compare(a.thread, b.thread))
	})
	h.locked = slices.Insert(h.locked, i, l)
}

// forget removes the objects in a block that was freed.
func (h *past) forget(addr uint64, size int) {
	inside := func(a uint64) bool { return a-addr < uint64(max(size, 1)) }
	h.locked = slices.DeleteFunc(slices.Clone(h.locked), func(l lockedBy) bool { return inside(l.addr) })
	h.made = slices.DeleteFunc(slices.Clone(h.made), inside)
}

// atState notes what is wrong in a state.
func (r *runs) atState(h *past) {
	y, s := r.y, r.s
	returned := memory.MainReturned(y, s)
	for _, l := range h.locked {
		if l.thread == int(r.flat.Main) && returned { // the program ends, not only the thread
			continue
		}
		if th := y.Thread(s, l.thread); th.Ended() && th.HoldsMutex(l.addr) {
			r.note("FP0946", l.edge, "%s ends while it holds %s, which it locks here", r.flat.Threads[l.thread].Name, r.name(l.addr))
		}
	}
	if !returned && !y.Final(s) {
		return
	}
	for t, e := range h.started {
		if e != nil && !h.detached[t] && !e.Op.Sync.Marks.Has(ir.Detaches) && !y.Thread(s, t).Joined() {
			r.note("FP0947", e, "the thread that is started here is neither joined nor detached")
		}
	}
}

// note adds a note, unless it is known or about a statement of our own library.
func (r *runs) note(code string, e *ir.Edge, format string, args ...any) {
	w := verdict.Warning{Code: code, Message: fmt.Sprintf(format, args...)}
	_, pos := userPosition(e)
	if pos == nil {
		return
	}
	if key := w.Message + pos.String(); !r.notes[key] {
		r.notes[key] = true
		w.Pos = pos
		r.found = append(r.found, w)
	}
}

// name names a synchronisation object.
func (r *runs) name(addr uint64) string { return r.flat.LocationName(addr, memory.WordSize) }

// userPosition returns the position of an edge outside of our own library, with the function of the library that is called
// there, if any; nil: there is none.
func userPosition(e *ir.Edge) (function string, pos *verdict.Pos) {
	pos = engine.Pos(e)
	for i := len(e.Stack) - 1; i >= 0 && pos != nil && inLibrary(pos.File); i-- {
		call := e.Stack[i].Call
		function, pos = e.Stack[i].Func, &verdict.Pos{File: call.File, Line: call.Line, Col: call.Col}
	}
	if pos != nil && inLibrary(pos.File) {
		return function, nil
	}
	return function, pos
}

// appendKey adds the past to the key of a state.
func (h *past) appendKey(key []byte) []byte {
	for _, l := range h.locked {
		key = binary.AppendUvarint(key, l.addr)
		key = binary.AppendUvarint(key, uint64(l.thread))
		key = binary.AppendUvarint(key, uint64(l.edge.ID))
	}
	for _, a := range h.made {
		key = binary.AppendUvarint(append(key, 1), a)
	}
	for t, e := range h.started {
		if e != nil {
			key = binary.AppendUvarint(append(key, 2), uint64(t))
			key = binary.AppendUvarint(key, uint64(e.ID))
		}
		if h.detached[t] {
			key = binary.AppendUvarint(append(key, 3), uint64(t))
		}
	}
	return key
}
