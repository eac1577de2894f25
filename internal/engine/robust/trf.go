package robust

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/memory/reduce"
	"fencepost/internal/search"
)

// Triangular-race freedom [O10]: no SC execution has a triangular race. A thread stores, and
// without draining in between reads bytes that it has not stored itself since; next another
// thread writes one of those bytes. Without such a race no attack has a first helper step, so
// the program is robust; the reverse does not hold, since the race need not lead back to the
// store.
//
// One search: the thread of the store is chosen at any store. From then on only this thread
// runs, and its stores stay in its buffer, as in phase delaying of robust. At each of its loads
// the search tests whether another thread can write one of the bytes that the load read from
// memory in the very next step; a section is one step. That only one thread runs loses nothing:
// no other thread sees a store in the buffer, so its steps can come before the store, unless it
// writes what the thread has read since, and that is a race already.
//
// The race is shown by an SC execution, in which the stores arrive at once. That changes nothing
// for the step of the other thread, unless it reads a byte of the stores; then it may do
// something else. If all accesses have the same bytes it reads none, since the load would be
// forwarded. But `b1 = 1; r = b1b2 || cas(word, 0, 1)` is not robust, and the compare-exchange
// fails in every SC execution after the store; and so is `x = 1; r = y || atomic { s = x; if (s
// == 0) y = 1; }`. Where the only races are of this kind the answer is unknown.
//
// Differs from the paper: the operations that count as a load or a write for robustness do so
// here (signals, allocation, mutexes), a section is one step, and conflicts are about bytes
// instead of addresses.

// TRF is triangular-race freedom.
var TRF = engine.Engine{
	Name:     "trf",
	Doc:      "triangular-race freedom, which implies robustness against TSO",
	Papers:   []string{"O10"},
	Supports: supports,
	Run:      runTRF,
}

func runTRF(ctx context.Context, task *engine.Task) (*engine.Outcome, error) {
	if err := supports(task); err != nil {
		return nil, err
	}
	pl := newPlan(ctx, task.Program, memory.TSO, filterKinds{fenced: !task.NoReduction, apart: !task.NoReduction, forwarded: !task.NoReduction}, everyAttack(task.KeepGoing))
	// A race may begin at any store, also at one to thread-private memory.
	y := memory.New(task.Program, memory.TSO, memory.Options{Attacks: true})
	eager := reduce.NewPlan(y, reduce.Options{Visible: func(t ir.ThreadID, l ir.Loc) bool {
		f := task.Program.ThreadFunc(t)
		return slices.ContainsFunc(f.Out(l), func(i int32) bool { return !f.Edges[i].Op.Local() })
	}})
	hidden := false
	out, err := explore(ctx, task, pl, question{
		y: y,
		worker: func() (search.Worker, *memory.State) {
			x := newTriangleSearch(eager, pl)
			return x, x.s
		},
		violation: func(res *search.Result, f search.Finding) (engine.Violation, bool, error) {
			v, shown, err := triangleWitness(newTriangleSearch(eager, pl), res, f)
			hidden = hidden || err == nil && !shown
			return v, shown, err
		},
	})
	if err == nil && out.Unknown == "" && len(out.Violations) == 0 && hidden {
		out.Unknown = "a read-modify-write or section can write what a thread has just loaded, but only before a store of that thread arrives: no SC execution shows this race; ask --criterion trace"
		out.Coverage.Exhaustive = false
	}
	return out, err
}

// triangleSearch expands states for one goroutine.
type triangleSearch struct {
	y     *memory.System
	plan  *plan
	eager *reduce.Runner
	s     *memory.State
	// The race in the making. In phase closing the attacker has read what levels says, the
	// thread inside the section is in its next step, and qualified says that this step has
	// read a byte of a pending store.
	a         attack
	next      attack
	steps     []memory.Step
	others    []memory.Step
	key       []byte
	recording bool
	emit      func(*attack, []memory.Step)
	found     func(*attack, []memory.Step)
	out       *search.Sink
	acts      []access
}

func newTriangleSearch(eager *reduce.Plan, pl *plan) *triangleSearch {
	y := eager.System()
	x := &triangleSearch{y: y, plan: pl, s: y.NewState(), eager: reduce.NewRunner(eager)}
	x.s.Record = true
	x.emit = func(a *attack, _ []memory.Step) {
		x.key = x.encode(a, x.key[:0])
		x.out.Add(x.key)
	}
	x.found = func(a *attack, _ []memory.Step) { x.out.Report(triangleKey(a)) }
	return x
}

// triangleKey names a race. Races that an SC execution may not show have keys of their own.
func triangleKey(a *attack) string {
	key := binary.BigEndian.AppendUint32(nil, uint32(a.attacker))
	key = binary.BigEndian.AppendUint32(key, uint32(a.store))
	key = binary.BigEndian.AppendUint32(key, uint32(a.load))
	return string(append(key, boolByte(a.qualified)))
}

func (x *triangleSearch) encode(a *attack, out []byte) []byte {
	out = append(out, byte(a.phase))
	if a.phase != before {
		out = append(out, byte(a.attacker)<<1|boolByte(a.qualified))
		out = binary.AppendUvarint(out, uint64(a.store))
		out = binary.AppendUvarint(out, uint64(a.load))
		out = a.levels.appendTo(x.y, out)
	}
	return encodeSystem(x.y, x.s, -1, out)
}

func (x *triangleSearch) decode(in []byte) {
	a := &x.a
	*a = attack{phase: phase(in[0]), attacker: -1, levels: a.levels[:0]}
	in = in[1:]
	if a.phase != before {
		a.attacker, a.qualified = int(in[0]>>1), in[0]&1 != 0
		in = in[1:]
		for _, v := range []*int32{&a.store, &a.load} {
			u, n := binary.Uvarint(in)
			*v, in = int32(u), in[n:]
		}
		a.levels, in = readLevels(x.y, a.levels, in)
	}
	decodeSystem(x.y, x.s, a.attacker, false, in)
}

// Start adds the initial states.
func (x *triangleSearch) Start(out *search.Sink) {
	x.out = out
	x.initial()
}

func (x *triangleSearch) initial() {
	start := attack{phase: before, attacker: -1}
	x.eager.RunAll(x.s, func() {
		if _, failed := x.s.Fault(); !failed {
			x.emit(&start, x.eager.Trail())
		}
	})
}

// Expand adds the successors of a state.
func (x *triangleSearch) Expand(state []byte, out *search.Sink) {
	x.out = out
	x.decode(state)
	x.expand()
	if x.s.Err != nil {
		out.Fail(x.s.Err)
	}
}

func (x *triangleSearch) expand() {
	x.steps = x.y.Enabled(x.s, x.steps[:0])
	for _, st := range x.steps {
		t := int(st.Thread)
		switch {
		case x.a.phase == closing:
			if x.s.Holder() == t {
				x.closeTriangle(&x.a, nil, st)
			}
		case x.a.phase == delaying:
			if t == x.a.attacker {
				x.attackers(st)
			}
		default:
			x.take(st, &x.a)
			if x.a.phase == before && x.s.Holder() != t && st.Kind == memory.Exec {
				x.begin(st)
			}
		}
	}
}

// take applies a step and goes on with the attack given.
func (x *triangleSearch) take(st memory.Step, next *attack) {
	mark := x.s.Mark()
	defer x.s.Undo(mark)
	if !x.apply(st) {
		return
	}
	x.runOn(st, next)
}

// apply reports whether the step was possible without ending the program.
func (x *triangleSearch) apply(st memory.Step) bool {
	x.y.Apply(x.s, st)
	_, failed := x.s.Fault()
	return !failed && !x.s.Over()
}

func (x *triangleSearch) runOn(st memory.Step, next *attack) {
	x.eager.Run(x.s, int(st.Thread), func() {
		if _, failed := x.s.Fault(); failed {
			return
		}
		if next.phase == delaying && int(st.Thread) == next.attacker && !x.plan.mayStillLoad(next, int32(x.s.PC(ir.ThreadID(next.attacker)))) {
			return
		}
		var steps []memory.Step
		if x.recording {
			steps = append([]memory.Step{st}, x.eager.Trail()...)
		}
		x.emit(next, steps)
	})
}

// begin lets a store be the first of a race.
func (x *triangleSearch) begin(st memory.Step) {
	edge := x.y.EdgeOf(x.s, st)
	if !storing(&edge.Op) || !x.plan.attacks(int(st.Thread), edge.ID) {
		return
	}
	mark := x.s.Mark()
	defer x.s.Undo(mark)
	x.s.Attack(int(st.Thread))
	x.next.set(&attack{phase: delaying, attacker: int(st.Thread), store: int32(edge.ID)})
	if x.apply(st) {
		x.runOn(st, &x.next)
	}
}

// attackers takes a step of the thread that has stored.
func (x *triangleSearch) attackers(st memory.Step) {
	edge := x.y.EdgeOf(x.s, st)
	if st.Kind != memory.Exec || analysis.Drains(&edge.Op) {
		return
	}
	mark := x.s.Mark()
	defer x.s.Undo(mark)
	x.next.set(&x.a)
	takesBack := edge.Op.Kind == ir.Alloc && x.pending(&access{uint64(st.Choice) | blockExists, 1, true})
	if !x.apply(st) {
		return
	}
	if !storing(&edge.Op) && overstepped(&edge.Op) && !takesBack && x.plan.allows(x.a.attacker, x.a.store, edge.ID) {
		x.otherSteps(st, int32(edge.ID), x.accesses(edge.Op.Kind))
		x.next.set(&x.a)
	}
	x.runOn(st, &x.next)
}

// pending reports whether the attacker has a store to a byte of an access in its buffer, or the
// free of the block that the access is about.
func (x *triangleSearch) pending(t *access) bool {
	for _, e := range x.s.Buffer(ir.ThreadID(x.a.attacker)) {
		addr, size := e.Addr, uint64(e.Size)
		if e.Kind == memory.FreeEntry {
			addr, size = addr|blockExists, 1
		}
		if e.Kind != memory.Marker && addr <= t.last() && t.addr <= addr+size-1 {
			return true
		}
	}
	return false
}

// otherSteps tests whether another thread can write what the attacker has just read from memory.
func (x *triangleSearch) otherSteps(st memory.Step, load int32, acts []access) {
	triangle := attack{phase: closing, attacker: x.a.attacker, store: x.a.store, load: load}
	for i := range acts {
		if acts[i].addr&blockExists == 0 && x.pending(&acts[i]) {
			return // a mutex or condition that it has stored into itself
		}
		triangle.levels = triangle.levels.raise(&acts[i])
	}
	if len(triangle.levels) == 0 {
		return // forwarded
	}
	x.others = x.y.Enabled(x.s, x.others[:0])
	for _, other := range x.others {
		if int(other.Thread) != triangle.attacker {
			x.closeTriangle(&triangle, []memory.Step{st}, other)
		}
	}
}

// closeTriangle takes a step of another thread right after the load, or a step inside the
// section that began there.
func (x *triangleSearch) closeTriangle(triangle *attack, prefix []memory.Step, st memory.Step) {
	kind := ir.OpUnset
	if st.Kind == memory.Exec {
		kind = x.y.EdgeOf(x.s, st).Op.Kind
	}
	inside := x.s.Holder() == int(st.Thread)
	mark := x.s.Mark()
	defer x.s.Undo(mark)
	if !x.apply(st) {
		return
	}
	steps := append(append([]memory.Step(nil), prefix...), st)
	next := *triangle // levels are only read
	acts := x.accesses(kind)
	for i := range acts {
		next.qualified = next.qualified || x.pending(&acts[i])
	}
	for i := range acts {
		if triangle.levels.conflicts(&acts[i]) {
			x.found(&next, steps)
			return
		}
	}
	if kind == ir.AtomicBegin || inside && kind != ir.AtomicEnd {
		x.emit(&next, steps)
	}
}

func (x *triangleSearch) accesses(kind ir.OpKind) []access {
	x.acts = accesses(x.y, x.s, kind, x.acts[:0])
	return x.acts
}

// triangleWitness rebuilds the SC execution that ends in a race. It reports whether there is
// one.
func triangleWitness(x *triangleSearch, res *search.Result, f search.Finding) (engine.Violation, bool, error) {
	x.recording = true
	sc := memory.New(x.y.Prog, memory.SC, memory.Options{})
	w := engine.NewRecorder(sc)
	shown, last := true, ir.OpUnset // whether the steps are possible, and the last operation
	take := func(steps []memory.Step) {
		for _, st := range steps {
			if shown = shown && slices.Contains(sc.EnabledThread(w.State(), int(st.Thread), nil), st); shown {
				last = ir.OpUnset
				if st.Kind == memory.Exec {
					last = sc.EdgeOf(w.State(), st).Op.Kind
				}
				w.Step(st)
			}
		}
	}
	v := engine.Violation{Kind: engine.TriangularRace, Witness: w.Witness()}
	var way []memory.Step
	for i, state := range res.Path(f) {
		way = nil
		x.found = func(*attack, []memory.Step) {}
		x.emit = func(a *attack, steps []memory.Step) {
			if way == nil && bytes.Equal(x.encode(a, nil), state) {
				way = append([]memory.Step{}, steps...)
			}
		}
		was := x.a.phase
		if i == 0 {
			x.initial()
		} else {
			x.expand()
		}
		if way == nil {
			return v, false, fmt.Errorf("no step leads on in the path to a race")
		}
		at := len(w.Witness().Steps)
		take(way)
		x.decode(state)
		switch {
		case was == before && x.a.phase == delaying:
			v.StoreStep = at
		case was == delaying && x.a.phase == closing:
			v.LoadStep = at
		}
	}
	way = nil
	x.emit = func(*attack, []memory.Step) {}
	var read levels
	x.found = func(a *attack, steps []memory.Step) {
		if way == nil && triangleKey(a) == f.Key {
			way, read = steps, slices.Clone(a.levels)
		}
	}
	x.expand()
	if way == nil {
		return v, false, fmt.Errorf("no step makes a race")
	}
	if x.a.phase == delaying {
		v.LoadStep = len(w.Witness().Steps)
	}
	take(way)
	if _, failed := w.State().Fault(); failed || !shown {
		return v, false, nil
	}
	conflicts := func(act access) bool { return read.conflicts(&act) }
	if !slices.ContainsFunc(accesses(sc, w.State(), last, nil), conflicts) {
		return v, false, nil
	}
	steps := w.Witness().Steps
	v.Edge, v.Load = ir.EdgeID(steps[v.StoreStep].Edge), ir.EdgeID(steps[v.LoadStep].Edge)
	return v, true, nil
}
