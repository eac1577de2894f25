package robust

import (
	"encoding/binary"
	"fmt"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/search"
)

// One search for all attacks. [BDM13 §5] instruments the program once per attack
// and asks an SC checker about each instance. Here the phases of the instrumented
// programs are phases of one search:
//
//   - before: plain SC. At any store of any thread the search may also go on with
//     that thread as the attacker and the store delayed.
//   - delaying: the attacker's stores go to its buffer and stay there, newest per
//     place; its loads see them. It can do nothing that drains. Others are SC.
//   - closing, entered at any load of the attacker that reads memory (W5): the
//     attacker stops. A byte has a level: untouched, loaded, stored. A helper may
//     take a step only if it comes behind the load in happens-before [BDM13 Lemma
//     3]: the helper has such a step already, or it loads a byte that was stored,
//     or stores one that was loaded or stored. When the delayed store's bytes have a
//     level, the cycle is closed.
//
// The paper's instrumentation is this search cut along attacks, so Theorems 1 and 2
// carry over; states before the delay, and delays that several loads may end,
// are explored once.
//
// Differs from the paper: a read-modify-write or an atomic section is one node of
// the trace. A section of a helper that is not involved runs tentatively, and may
// end only if one of its accesses came behind the load; then all of them count,
// earlier ones too. Levels are per byte.

// successor is one way on.
type successor struct {
	steps []memory.Step
	delay bool // the first step's store is delayed
	stop  bool // the attacker stops after the steps
}

// explorer expands states for one goroutine.
type explorer struct {
	y     *memory.System
	s     *memory.State
	a     attack
	steps []memory.Step
	key   []byte

	// emit gets every successor; the state is in s and the attack given.
	emit func(*attack, successor)
	// found is told of a closed cycle.
	found func(*attack, successor)
	out   *search.Sink
}

func newExplorer(y *memory.System) *explorer {
	x := &explorer{y: y, s: y.NewState()}
	x.s.Record = true
	x.emit = func(a *attack, _ successor) {
		x.key = encode(y, x.s, a, x.key[:0])
		x.out.Add(x.key)
	}
	x.found = func(a *attack, _ successor) { x.out.Report(attackKey(a)) }
	return x
}

// attackKey names an attack in findings.
func attackKey(a *attack) string {
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
	x.y.SettleAll(x.s, func() {
		if _, failed := x.s.Fault(); !failed {
			x.emit(&start, successor{steps: x.s.Trail()})
		}
	})
}

// Expand adds the successors of a state.
func (x *explorer) Expand(state []byte, out *search.Sink) {
	x.out = out
	decode(x.y, x.s, &x.a, state)
	x.expand()
	if x.s.Err != nil {
		out.Fail(x.s.Err)
	}
}

func (x *explorer) expand() {
	x.steps = x.y.Enabled(x.s, x.steps[:0])
	for _, st := range x.steps {
		if x.a.phase == closing {
			x.close(st)
			continue
		}
		x.run(st)
	}
}

// follow applies a step, lets check look at the state right after it, settles the
// thread, and hands out what comes of it. A step that fails a check or exits only
// stops its thread: it is not taken.
func (x *explorer) follow(st memory.Step, next *attack, how successor, check func() bool) {
	mark := x.s.Mark()
	defer x.s.Undo(mark)
	x.y.Apply(x.s, st)
	if _, failed := x.s.Fault(); failed || x.s.Over() {
		return
	}
	if check != nil && !check() {
		return
	}
	if how.stop {
		x.s.Stop(int(st.Thread))
		how.steps = []memory.Step{st}
		x.emit(next, how)
		return
	}
	x.y.Settle(x.s, int(st.Thread), func() {
		if _, failed := x.s.Fault(); failed {
			return
		}
		how.steps = append([]memory.Step{st}, x.s.Trail()...)
		x.emit(next, how)
	})
}

// run takes a step before the attacker has stopped.
func (x *explorer) run(st memory.Step) {
	t := int(st.Thread)
	x.follow(st, &x.a, successor{}, nil)
	kind := x.y.Kind(x.s, st)
	switch {
	case x.a.phase == before && kind == ir.Store && !x.s.InSection(t):
		mark := x.s.Mark()
		x.s.Attack(t)
		next := attack{phase: delaying, attacker: t, store: int32(x.y.Edge(x.s, st).ID)}
		x.follow(st, &next, successor{delay: true}, func() bool {
			next.addr, next.size = x.s.Event.Addr, x.s.Event.Size
			return true
		})
		x.s.Undo(mark)
	case x.a.phase == delaying && t == x.a.attacker && (kind == ir.Load || kind == ir.Await || kind == ir.AbstractLoad):
		next := x.a.copyOf()
		next.phase, next.load = closing, int32(x.y.Edge(x.s, st).ID)
		x.follow(st, &next, successor{stop: true}, func() bool {
			ev := &x.s.Event
			next.levels = touch(next.levels, ev.Addr, ev.Size, loaded)
			return !ev.Own
		})
	}
}

// close takes a helper's step behind the attacker's load.
func (x *explorer) close(st memory.Step) {
	t := int(st.Thread)
	next := x.a.copyOf()
	kind := x.y.Kind(x.s, st)
	involved := next.involved&(1<<t) != 0
	inSection := x.s.InSection(t)
	x.follow(st, &next, successor{}, func() bool {
		ev := &x.s.Event
		behind := involved
		if ev.Memory {
			l := loaded
			if kind == ir.Store || ev.Wrote {
				l = stored
			}
			was := max(highest(next.levels, ev.Addr, ev.Size), untouched)
			behind = behind || l == loaded && was == stored || l == stored && was >= loaded
			if inSection {
				next.section = touch(next.section, ev.Addr, ev.Size, l)
				next.qualified = next.qualified || behind
				return true
			}
			if !behind {
				return false
			}
			next.levels = touch(next.levels, ev.Addr, ev.Size, l)
		}
		switch {
		case kind == ir.AtomicBegin:
			next.section, next.qualified = next.section[:0], involved
			return true
		case kind == ir.AtomicEnd:
			if !next.qualified {
				return false
			}
			for _, b := range next.section {
				next.levels = touch(next.levels, b.addr, 1, b.level)
			}
			next.section, next.qualified = next.section[:0], false
			behind = true
		case inSection:
			return true
		case kind == ir.Join && ev.Other > 0 && next.involved&(1<<(ev.Other-1)) != 0:
			behind = true
		}
		if !behind {
			return false
		}
		next.involved |= 1 << t
		if kind == ir.Spawn && ev.Other > 0 {
			next.involved |= 1 << (ev.Other - 1)
		}
		if highest(next.levels, next.addr, next.size) != untouched {
			x.found(&next, successor{steps: []memory.Step{st}})
			return false
		}
		return true
	})
}

// maxThreads fit the set of involved helpers.
const maxThreads = 32

func supports(t *engine.Task) error {
	p := t.Program
	if p.Form != ir.Flat {
		return fmt.Errorf("robust takes flat programs")
	}
	if len(p.Threads) > maxThreads {
		return fmt.Errorf("robust takes at most %d threads", maxThreads)
	}
	for i := range p.Threads {
		if p.Threads[i].Unbounded {
			return fmt.Errorf("thread %s stands for any number of threads; give --threads", p.Threads[i].Name)
		}
		f := p.ThreadFunc(ir.ThreadID(i))
		for j := range f.Edges {
			switch k := f.Edges[j].Op.Kind; k {
			case ir.CondWait, ir.Signal, ir.Broadcast, ir.Barrier, ir.Alloc, ir.Free:
				return &engine.Unsupported{Pos: engine.Pos(&f.Edges[j]), What: fmt.Sprintf("robust does not take %s", k)}
			}
		}
	}
	return nil
}
