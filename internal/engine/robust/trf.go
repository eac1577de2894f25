package robust

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/search"
)

// Triangular-race freedom [O10]: no SC execution has a triangular race. A thread
// stores, and without draining in between reads bytes it has not stored itself since; next
// another thread writes one of those bytes. Without such a race no attack has a first
// helper step, so the program is robust; the reverse does not hold, for the race need not
// lead back to the store.
//
// One SC search: the thread of the store is chosen at any store. From then on only
// it runs, and the state has the bytes it has stored. At each of its loads the
// search looks whether somebody can write what was read in the very next step; a
// section is one step. That only one thread runs loses nothing: a store that waits in the
// buffer is seen by nobody, so what others do meanwhile can come before it, unless it writes
// what the thread has read since, and that is a race already.
//
// Differs from the paper: what counts as a load or a write for robustness does so
// here (signals, allocation, mutexes), a section is one step, and bytes take the
// place of addresses.

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
	pl := newPlan(ctx, task.Program, filterKinds{fenced: !task.NoReduction, apart: !task.NoReduction, own: !task.NoReduction})
	y := memory.New(task.Program, memory.SC, memory.Options{})
	return explore(ctx, task, pl, question{
		y: y,
		worker: func() (search.Worker, *memory.State) {
			x := newRacer(y, pl)
			return x, x.s
		},
		violation: func(res *search.Result, f search.Finding) (engine.Violation, error) {
			return raceWitness(newRacer(y, pl), res, f)
		},
	})
}

// racer expands states for one goroutine.
type racer struct {
	y    *memory.System
	plan *plan
	s    *memory.State
	// The race in the making. In phase delaying the attacker has stored the bytes of
	// levels; in phase closing it has read what levels says, and the thread inside
	// the section is in its next step.
	a         attack
	next      attack
	steps     []memory.Step
	others    []memory.Step
	key       []byte
	recording bool
	emit      func(*attack, []memory.Step)
	found     func(*attack, []memory.Step)
	out       *search.Sink
	acts      []touch
}

func newRacer(y *memory.System, pl *plan) *racer {
	x := &racer{y: y, plan: pl, s: y.NewState()}
	x.s.Record = true
	x.emit = func(a *attack, _ []memory.Step) {
		x.key = x.encode(a, x.key[:0])
		x.out.Add(x.key)
	}
	x.found = func(a *attack, _ []memory.Step) { x.out.Report(raceKey(a)) }
	return x
}

func raceKey(a *attack) string {
	key := binary.BigEndian.AppendUint32(nil, uint32(a.attacker))
	key = binary.BigEndian.AppendUint32(key, uint32(a.store))
	return string(binary.BigEndian.AppendUint32(key, uint32(a.load)))
}

func (x *racer) encode(a *attack, out []byte) []byte {
	out = append(out, byte(a.phase))
	if a.phase != before {
		out = append(out, byte(a.attacker))
		out = binary.AppendUvarint(out, uint64(a.store))
		out = binary.AppendUvarint(out, uint64(a.load))
		out = a.levels.appendTo(x.y, out)
	}
	return x.y.EncodeAttack(x.s, -1, out)
}

func (x *racer) decode(in []byte) {
	a := &x.a
	*a = attack{phase: phase(in[0]), attacker: -1, levels: a.levels[:0]}
	in = in[1:]
	if a.phase != before {
		a.attacker = int(in[0])
		in = in[1:]
		for _, v := range []*int32{&a.store, &a.load} {
			u, n := binary.Uvarint(in)
			*v, in = int32(u), in[n:]
		}
		a.levels, in = readLevels(x.y, a.levels, in)
	}
	x.y.Restore(x.s, -1, false)
	x.y.DecodeAttack(x.s, -1, in)
}

// Start adds the initial states.
func (x *racer) Start(out *search.Sink) {
	x.out = out
	x.initial()
}

func (x *racer) initial() {
	start := attack{phase: before, attacker: -1}
	x.y.SettleAll(x.s, func() {
		if _, failed := x.s.Fault(); !failed {
			x.emit(&start, x.s.Trail())
		}
	})
}

// Expand adds the successors of a state.
func (x *racer) Expand(state []byte, out *search.Sink) {
	x.out = out
	x.decode(state)
	x.expand()
	if x.s.Err != nil {
		out.Fail(x.s.Err)
	}
}

func (x *racer) expand() {
	x.steps = x.y.Enabled(x.s, x.steps[:0])
	for _, st := range x.steps {
		t := int(st.Thread)
		switch {
		case x.a.phase == closing:
			if x.s.InSection(t) {
				x.race(&x.a, nil, st)
			}
		case x.a.phase == delaying:
			if t == x.a.attacker {
				x.attackers(st)
			}
		default:
			x.take(st, &x.a)
			if x.a.phase == before && !x.s.InSection(t) && st.Kind == memory.Exec {
				x.begin(st)
			}
		}
	}
}

// take applies a step and goes on with the attack given.
func (x *racer) take(st memory.Step, next *attack) {
	mark := x.s.Mark()
	defer x.s.Undo(mark)
	if !x.apply(st) {
		return
	}
	x.settle(st, next)
}

// apply reports whether the step was possible without ending the program.
func (x *racer) apply(st memory.Step) bool {
	x.y.Apply(x.s, st)
	_, failed := x.s.Fault()
	return !failed && !x.s.Over()
}

func (x *racer) settle(st memory.Step, next *attack) {
	x.y.Settle(x.s, int(st.Thread), func() {
		if _, failed := x.s.Fault(); failed {
			return
		}
		if next.phase == delaying && int(st.Thread) == next.attacker && !x.plan.mayStillLoad(next, int32(x.s.PC(ir.ThreadID(next.attacker)))) {
			return
		}
		var steps []memory.Step
		if x.recording {
			steps = append([]memory.Step{st}, x.s.Trail()...)
		}
		x.emit(next, steps)
	})
}

// begin lets a store be the first of a race.
func (x *racer) begin(st memory.Step) {
	edge := x.y.Edge(x.s, st)
	if !storing(&edge.Op) || !x.plan.attacks(int(st.Thread), edge.ID) {
		return
	}
	mark := x.s.Mark()
	defer x.s.Undo(mark)
	x.next.set(&attack{phase: delaying, attacker: int(st.Thread), store: int32(edge.ID)})
	if x.apply(st) {
		x.next.owns(x.touches(edge.Op.Kind))
		x.settle(st, &x.next)
	}
}

// attackers takes a step of the thread that has stored.
func (x *racer) attackers(st memory.Step) {
	edge := x.y.Edge(x.s, st)
	if st.Kind != memory.Exec || drains(&edge.Op) {
		return
	}
	mark := x.s.Mark()
	defer x.s.Undo(mark)
	x.next.set(&x.a)
	if !x.apply(st) {
		return
	}
	acts := x.touches(edge.Op.Kind)
	if storing(&edge.Op) {
		x.next.owns(acts)
	} else if overstepped(&edge.Op) && x.plan.allows(x.a.attacker, x.a.store, edge.ID) {
		x.lookAround(st, int32(edge.ID), edge.Op.Reads(), acts)
		x.next.set(&x.a)
	}
	x.settle(st, &x.next)
}

// owns notes the bytes that a step of the thread has stored.
func (a *attack) owns(acts []touch) {
	for _, act := range acts {
		if act.write {
			act.write = false // only which bytes matters
			a.levels = a.levels.raise(&act)
		}
	}
}

// lookAround looks whether somebody can write what the attacker has just read.
func (x *racer) lookAround(st memory.Step, load int32, reads bool, acts []touch) {
	race := attack{phase: closing, attacker: x.a.attacker, store: x.a.store, load: load}
	for i := range acts {
		race.levels = x.a.levels.without(race.levels, &acts[i])
	}
	if reads && !slices.ContainsFunc(race.levels, func(s span) bool { return s.lo&blockPlace == 0 }) {
		return // it reads its own stores only
	}
	x.others = x.y.Enabled(x.s, x.others[:0])
	for _, other := range x.others {
		if int(other.Thread) != race.attacker {
			x.race(&race, []memory.Step{st}, other)
		}
	}
}

// race takes another thread's step right behind the load, or a step inside the
// section that is there.
func (x *racer) race(race *attack, prefix []memory.Step, st memory.Step) {
	kind := ir.OpUnset
	if st.Kind == memory.Exec {
		kind = x.y.Edge(x.s, st).Op.Kind
	}
	inside := x.s.InSection(int(st.Thread))
	mark := x.s.Mark()
	defer x.s.Undo(mark)
	if !x.apply(st) {
		return
	}
	steps := append(append([]memory.Step(nil), prefix...), st)
	for _, act := range x.touches(kind) {
		if race.levels.follows(&act) {
			x.found(race, steps)
			return
		}
	}
	if kind == ir.AtomicBegin || inside && kind != ir.AtomicEnd {
		x.emit(race, steps)
	}
}

func (x *racer) touches(kind ir.OpKind) []touch {
	x.acts = touches(x.y, x.s, kind, x.acts[:0])
	return x.acts
}

// raceWitness rebuilds the SC execution that ends in a race.
func raceWitness(x *racer, res *search.Result, f search.Finding) (engine.Violation, error) {
	x.recording = true
	w := engine.NewRecorder(memory.New(x.y.Prog, memory.SC, memory.Options{}))
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
			return v, fmt.Errorf("no step leads on in the path to a race")
		}
		at := len(w.Witness().Steps)
		for _, st := range way {
			w.Step(st)
		}
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
	x.found = func(a *attack, steps []memory.Step) {
		if way == nil && raceKey(a) == f.Key {
			way = steps
		}
	}
	x.expand()
	if way == nil {
		return v, fmt.Errorf("no step makes a race")
	}
	if x.a.phase == delaying {
		v.LoadStep = len(w.Witness().Steps)
	}
	for _, st := range way {
		w.Step(st)
	}
	steps := w.Witness().Steps
	v.Edge, v.Load = ir.EdgeID(steps[v.StoreStep].Edge), ir.EdgeID(steps[v.LoadStep].Edge)
	return v, nil
}
