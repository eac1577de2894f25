package robust

import (
	"encoding/binary"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/memory/reduce"
	"fencepost/internal/search"
)

// One search for all attacks. [BDM13 §5] instruments the program once per attack
// and asks an SC checker about each instance. Here the phases of the instrumented
// programs are phases of one search:
//
//   - before: plain SC. At any store of any thread the search may also go on with
//     that thread as the attacker and the store delayed.
//   - delaying: the attacker's stores go to its buffer and stay there, newest per
//     byte; its loads take those bytes from there, and the others from memory. It can
//     do nothing that drains. Others are SC.
//   - closing, entered at any load of the attacker that reads at least one byte of
//     memory (W5): the attacker stops. A byte has a level: untouched, loaded, stored; the
//     bytes that the load took from memory are loaded. A helper may
//     take a step only if it comes after the load in happens-before [BDM13 Lemma
//     3]: the helper has such a step already, or it loads a byte that was stored,
//     or stores one that was loaded or stored. When the delayed store's bytes have a
//     level, the cycle is closed.
//
// The paper's instrumentation is this search cut along attacks, so Theorems 1 and 2
// carry over; states before the delay, and delays that several loads may end,
// are explored once.
//
// Under PSO, phase delaying differs: a store of the attacker that need not wait writes memory
// at once, and may end the delay as a load does, with level stored on its bytes. A store has to
// wait if it shares a byte with the private copy, or comes after a store-store fence that was
// passed since the delayed store (internal/memory/attack.go). A store that decides, together with
// another store of its thread, what an action of a helper does may also wait without having to
// (held_stores.go). docs/engines/robust.md has the argument that no other delay is needed.
//
// Reduction: while the attacker has done nothing since the store that others could
// notice (it has stored to its buffer, computed, read its own stores), only it moves. A helper's
// step in between depends on nothing of that, and can come before the store, in phase
// before.
//
// Differs from the paper: a read-modify-write or an atomic section is one node of
// the trace. A section of a helper that is not involved runs tentatively, and may
// end only if one of its accesses came after the load; then all of them count,
// earlier ones too. Levels are per byte. Whatever else an attacker can do with
// stores pending and others can notice counts as a load: a signal, locking a
// recursive mutex again, allocation. A free is a store. Attacks that the filters
// have ruled out (filter.go) are not begun or ended.

// successor is one way on.
type successor struct {
	steps []memory.Step // in recording only
	delay bool          // the first step's store is delayed
	hold  bool          // the first step's store waits, though it need not
	stop  bool          // the attacker stops after the steps
}

// explorer expands states for one goroutine.
type explorer struct {
	codec
	plan  *plan
	s     *memory.State
	eager *reduce.Runner
	a     attack
	next  attack // of the successor in the making
	steps []memory.Step
	acts  []access
	key   []byte
	// watches says that there are states to watch for (second_delay.go).
	watches bool
	// recording says that emit and found want the steps.
	recording bool
	// attacksFirst says that states are ranked (order.go).
	attacksFirst bool
	// emit gets every successor; the state is in s and the attack given.
	emit func(*attack, successor)
	// found is told of a closed cycle.
	found func(*attack, successor)
	out   *search.Sink
}

// What is counted as work beside states and transitions: an eager step, and a thread of a state, which is written as
// part of the key of the state and asked whether it can go on.
const (
	eagerCost  = 100
	threadCost = 60
)

func newExplorer(eager *reduce.Plan, pl *plan, apart bool, groups [][]ir.ThreadID) *explorer {
	y := eager.System()
	x := &explorer{codec: codec{y: y, apart: apart, symmetric: newSymmetry(y.Prog, groups)}, plan: pl, s: y.NewState(), eager: reduce.NewRunner(eager)}
	x.s.Record = true
	x.watches = pl.doubts.some()
	x.emit = func(a *attack, _ successor) {
		x.out.Count(eagerCost*int64(len(x.eager.Trail())) + threadCost*int64(y.Threads()))
		x.key = x.encode(x.s, a, x.key[:0])
		x.out.Rank = rank(a)
		x.out.Add(x.key)
	}
	x.found = func(a *attack, _ successor) {
		x.out.Report(x.attackKey(a))
		if x.apart {
			x.plan.find(a, x.out.Depth())
		}
	}
	return x
}

// attackKey names an attack in findings; without apart all are one.
func (c *codec) attackKey(a *attack) string {
	if !c.apart {
		return ""
	}
	key := make([]byte, 0, 12)
	key = binary.BigEndian.AppendUint32(key, uint32(a.attacker))
	key = binary.BigEndian.AppendUint32(key, uint32(a.store))
	return string(binary.BigEndian.AppendUint32(key, uint32(a.load)))
}

// Start adds the initial states.
func (x *explorer) Start(out *search.Sink) {
	x.out = out
	x.initial()
}

func (x *explorer) initial() {
	start := attack{phase: before, attacker: -1}
	x.eager.RunAll(x.s, func() {
		if _, failed := x.s.Fault(); !failed {
			x.emit(&start, successor{steps: x.eager.Trail()})
		}
	})
}

// Expand adds the successors of a state.
func (x *explorer) Expand(state []byte, out *search.Sink) {
	x.out = out
	x.decode(x.s, &x.a, state)
	if x.a.phase != before && x.done(&x.a) || x.a.phase == before && x.attacksFirst && x.apart && x.plan.allFound(out.Depth()) {
		return
	}
	x.expand()
	if x.s.Err != nil {
		out.Fail(x.s.Err)
	}
}

// done reports whether an attack needs no more looking at: one execution of each
// is enough. Paths are rebuilt without it.
func (x *explorer) done(a *attack) bool {
	return x.apart && !x.recording && x.plan.done(a, x.out.Depth())
}

func (x *explorer) expand() {
	if x.watches {
		x.watch()
	}
	x.steps = x.y.Enabled(x.s, x.steps[:0])
	for _, st := range x.steps {
		switch t := int(st.Thread); {
		case x.a.phase == before:
			x.apply(st, &x.a, successor{}, nil)
			if st.Kind == memory.Exec && x.s.Holder() != t {
				x.begin(st)
			}
		case t == x.a.attacker:
			x.delay(st)
		case x.a.phase == closing:
			x.help(st)
		case x.a.noticed:
			x.apply(st, &x.a, successor{}, nil)
		}
	}
}

// watch looks for states in which a second thread could delay.
func (x *explorer) watch() {
	switch x.a.phase {
	case before:
		for t := range x.y.Threads() {
			x.plan.doubts.align(x.y, x.s, ir.ThreadID(t))
		}
	case closing:
		x.plan.doubts.watch(x.y, x.s, &x.a)
	}
}

// apply applies a step, calls check in the state right after it, runs the eager steps of the
// thread, and emits the successors. A step that fails a check or exits only stops its thread: it
// is not taken.
func (x *explorer) apply(st memory.Step, next *attack, how successor, check func() bool) {
	mark := x.s.Mark()
	defer x.s.Undo(mark)
	x.y.Apply(x.s, st)
	if fault, failed := x.s.Fault(); failed || x.s.Over() {
		if failed && next.phase == before {
			x.plan.doubts.fail(fault.Class)
		}
		return
	}
	if check != nil && !check() {
		return
	}
	if how.stop {
		x.s.Stop(int(st.Thread))
		how.steps = x.taken(st, nil)
		x.emit(next, how)
		return
	}
	x.eager.Run(x.s, int(st.Thread), func() {
		if _, failed := x.s.Fault(); failed {
			return
		}
		if next.phase == delaying && int(st.Thread) == next.attacker && !x.plan.mayStillLoad(next, int32(x.s.PC(ir.ThreadID(next.attacker)))) {
			return
		}
		how.steps = x.taken(st, x.eager.Trail())
		x.emit(next, how)
	})
}

func (x *explorer) taken(st memory.Step, trail []memory.Step) []memory.Step {
	if !x.recording {
		return nil
	}
	return append([]memory.Step{st}, trail...)
}

// begin lets a thread that stores be the attacker from then on.
func (x *explorer) begin(st memory.Step) {
	t, edge := int(st.Thread), x.y.EdgeOf(x.s, st)
	if !storing(&edge.Op) || !x.plan.attacks(t, edge.ID) {
		return
	}
	mark := x.s.Mark()
	defer x.s.Undo(mark)
	x.s.Attack(t)
	x.next.set(&attack{phase: delaying, attacker: t, store: int32(edge.ID)})
	if x.done(&x.next) {
		return
	}
	x.apply(st, &x.next, successor{delay: true}, func() bool {
		x.next.target = x.targets(x.next.target[:0])
		return len(x.next.target) > 0 // free(0) is none
	})
}

// delay takes a step of the attacker while it delays, and again as its last.
func (x *explorer) delay(st memory.Step) {
	edge := x.y.EdgeOf(x.s, st)
	kind := edge.Op.Kind
	if kind == ir.Alloc && x.takesBack(st.Choice) {
		return
	}
	x.next.set(&x.a)
	direct := false
	x.apply(st, &x.next, successor{}, func() bool {
		direct = !x.kept(edge)
		x.next.noticed = x.next.noticed || direct && len(x.accesses(kind)) > 0
		return true
	})
	if direct && x.plan.held[edge.ID] {
		x.next.set(&x.a)
		x.s.Hold = true
		x.apply(st, &x.next, successor{hold: true}, func() bool {
			x.s.Hold = false
			return true
		})
		x.s.Hold = false
	}
	if !x.plan.allows(x.a.attacker, x.a.store, edge.ID) {
		return
	}
	x.next.set(&x.a)
	x.next.phase, x.next.load, x.next.noticed = closing, int32(edge.ID), false
	if x.done(&x.next) {
		return
	}
	x.apply(st, &x.next, successor{stop: true}, func() bool {
		if x.kept(edge) {
			return false
		}
		for _, act := range x.accesses(kind) {
			x.next.levels = x.next.levels.raise(&act)
		}
		for _, u := range x.s.Event.Wakes {
			x.next.involve(int(u))
		}
		return len(x.next.levels) > 0
	})
}

// kept reports whether the step just applied, of an edge of the attacker, is a store that went into
// the private copy.
func (x *explorer) kept(e *ir.Edge) bool { return storing(&e.Op) && x.s.Event.Buffered }

// takesBack reports whether an allocation of the attacker takes back the free that
// is being delayed, so that nothing is left to reach memory late.
func (x *explorer) takesBack(block int64) bool {
	return block != 0 && len(x.a.target) == 1 && x.a.target[0].addr == uint64(block)|blockExists
}

// targets appends what the store just put into the buffer will access.
func (x *explorer) targets(out []access) []access {
	ev := &x.s.Event
	switch {
	case !ev.Memory:
		return out
	case ev.Free:
		return append(out, access{ev.Addr | blockExists, 1, true})
	}
	out = append(out, access{ev.Addr, ev.Size, true})
	if block, ok := x.s.BlockAt(ev.Addr, ev.Size); ok {
		out = append(out, access{block | blockExists, 1, false})
	}
	return out
}

// accesses returns what the step just applied has read and written that others can reach.
// Forwarded bytes of a load do not count: the pending stores reach memory after everything the
// helpers do, so a helper's store to such a byte comes before the store that the load reads
// from, and not after the load.
func (x *explorer) accesses(kind ir.OpKind) []access {
	x.acts = accesses(x.y, x.s, kind, x.acts[:0])
	return x.acts
}

func accesses(y *memory.System, s *memory.State, kind ir.OpKind, out []access) []access {
	ev := &s.Event
	if ev.Memory && !ev.Free {
		out = memoryBytes(ev, kind == ir.Store || ev.Wrote, out)
	}
	for _, t := range ev.Accesses {
		if kind == ir.Alloc || kind == ir.Free {
			out = append(out, access{t.Addr | blockExists, 1, true})
		} else {
			out = append(out, access{t.Addr, t.Size, t.Write})
		}
	}
	for _, t := range out {
		if t.addr&blockExists == 0 {
			if block, ok := s.BlockAt(t.addr, t.size); ok {
				out = append(out, access{block | blockExists, 1, false})
			}
		}
	}
	return out
}

// memoryBytes appends the bytes of an access that it reads or writes in memory: all its bytes,
// without the forwarded ones of a load.
func memoryBytes(ev *memory.Event, write bool, out []access) []access {
	for k := 0; k < ev.Size; {
		if ev.Forwarded>>k&1 != 0 {
			k++
			continue
		}
		end := k + 1
		for end < ev.Size && ev.Forwarded>>end&1 == 0 {
			end++
		}
		out = append(out, access{ev.Addr + uint64(k), end - k, write})
		k = end
	}
	return out
}

// help takes a step of a helper after the attacker's load.
func (x *explorer) help(st memory.Step) {
	t := int(st.Thread)
	x.next.set(&x.a)
	next := &x.next
	kind := x.y.EdgeOf(x.s, st).Op.Kind
	inSection := x.s.Holder() == t
	x.apply(st, next, successor{}, func() bool {
		acts := x.accesses(kind)
		after := x.comesAfter(t, kind, acts)
		switch {
		case kind == ir.AtomicBegin:
			next.section, next.qualified = next.section[:0], after
			return true
		case kind == ir.AtomicEnd:
			if !next.qualified {
				return false
			}
			for i := range next.section {
				s := &next.section[i]
				next.levels = next.levels.raise(&access{s.lo, int(s.hi - s.lo + 1), s.level == stored})
			}
			next.section, next.qualified = next.section[:0], false
			after = true
		case inSection:
			next.qualified = next.qualified || after
			for i := range acts {
				next.section = next.section.raise(&acts[i])
			}
			// A section need not come to its end to have seen what it has seen.
			if next.qualified && next.closed(next.section) {
				x.found(next, successor{steps: x.taken(st, nil)})
				return false
			}
			x.pass(t, kind)
			return true
		}
		if !after {
			return false
		}
		next.involve(t)
		x.pass(t, kind)
		for i := range acts {
			next.levels = next.levels.raise(&acts[i])
		}
		if next.closed(next.levels) {
			x.found(next, successor{steps: x.taken(st, nil)})
			return false
		}
		return true
	})
}

// comesAfter reports whether a helper's step comes after the load [BDM13 Lemma 3].
func (x *explorer) comesAfter(t int, kind ir.OpKind, acts []access) bool {
	if x.next.isInvolved(t) || kind == ir.Join && x.s.Event.Other > 0 && x.next.isInvolved(x.s.Event.Other-1) {
		return true
	}
	for i := range acts {
		if x.next.levels.conflicts(&acts[i]) {
			return true
		}
	}
	return false
}

// pass involves the threads that a step starts or lets go on.
func (x *explorer) pass(t int, kind ir.OpKind) {
	ev := &x.s.Event
	if kind == ir.Spawn && ev.Other > 0 {
		x.next.involve(ev.Other - 1)
	}
	for _, u := range ev.Wakes {
		if int(u) != t {
			x.next.involve(int(u))
		}
	}
}
