package replay

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/verdict"
)

// buffering returns store buffering with one forwarded load, and a witness, written by
// hand, in which each of the other loads misses the store of the other thread.
func buffering() (*ir.Program, *property.Set, *verdict.Witness) {
	p := newProg("x", "y")
	a := p.thread("a")
	stX := a.store("x", 1)
	ldX := a.load("u", "x")
	ldY := a.load("r", "y")
	b := p.thread("b")
	stY := b.store("y", 1)
	ldX2 := b.load("s", "x")
	p.set.Final = &property.Final{Quantifier: property.Exists, Cond: &property.Cond{
		Vars: []property.Var{p.see("a.r"), p.see("b.s")},
		Expr: ir.Binary(ir.Eq, ir.S64, ir.Binary(ir.Add, ir.S64, ir.R(0), ir.R(1)), ir.Int(0)),
	}}
	x, y := p.b.Addr(p.objs["x"]), p.b.Addr(p.objs["y"])
	q, set := p.build("a.r", "b.s")
	return q, set, &verdict.Witness{Threads: []string{"a", "b"}, Steps: []verdict.Step{
		{Thread: 0, Kind: verdict.StepStore, Edge: int(stX), Of: -1, Addr: x, Size: 8, Data: verdict.Data{Value: 1}, Buffered: true},
		{Thread: 0, Kind: verdict.StepLoad, Edge: int(ldX), Of: -1, Addr: x, Size: 8, Data: verdict.Data{Value: 1}, From: 1},
		{Thread: 0, Kind: verdict.StepLoad, Edge: int(ldY), Of: -1, Addr: y, Size: 8},
		{Thread: 1, Kind: verdict.StepStore, Edge: int(stY), Of: -1, Addr: y, Size: 8, Data: verdict.Data{Value: 1}, Buffered: true},
		{Thread: 1, Kind: verdict.StepLoad, Edge: int(ldX2), Of: -1, Addr: x, Size: 8},
		{Thread: 1, Kind: verdict.StepFlush, Edge: -1, Of: 3, Addr: y, Size: 8, Data: verdict.Data{Value: 1}},
		{Thread: 0, Kind: verdict.StepFlush, Edge: -1, Of: 0, Addr: x, Size: 8, Data: verdict.Data{Value: 1}},
	}}
}

func TestReplay(t *testing.T) {
	p, set, w := buffering()
	for _, m := range []Model{TSO, PSO} {
		if err := Replay(p, set, m, w, Expect{Target: TargetFinal}); err != nil {
			t.Errorf("%s: %v", m, err)
		}
	}
	err := Replay(p, set, SC, w, Expect{Target: TargetFinal})
	wantError(t, "sc", err, "step 0 (thread a, store at edge 0): buffered: expected true, computed false")
}

func wantError(t *testing.T, name string, err error, want string) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error, want %q", name, want)
	} else if !strings.Contains(err.Error(), want) {
		t.Errorf("%s: error %q, want %q", name, err, want)
	}
}

func TestReplayCorrupted(t *testing.T) {
	for _, tc := range []struct {
		name    string
		corrupt func(w *verdict.Witness, want *Expect)
		want    string
	}{
		{"thread", func(w *verdict.Witness, _ *Expect) { w.Steps[0].Thread = 1 },
			"step 0 (thread b, store at edge 0): not enabled; enabled for this thread: store at edge 3"},
		{"no such thread", func(w *verdict.Witness, _ *Expect) { w.Steps[4].Thread = 2 },
			"step 4 (thread 2, load at edge 4): expected a thread below 2"},
		{"kind", func(w *verdict.Witness, _ *Expect) { w.Steps[1].Kind = verdict.StepExec },
			"step 1 (thread a, exec at edge 1): not enabled; enabled for this thread: flush of step 0; load at edge 1"},
		{"edge", func(w *verdict.Witness, _ *Expect) { w.Steps[2].Edge = 1 },
			"step 2 (thread a, load at edge 1): not enabled"},
		{"choice", func(w *verdict.Witness, _ *Expect) { w.Steps[2].Choice = 3 },
			"step 2 (thread a, load at edge 2 choosing 3): not enabled"},
		{"flush of another entry", func(w *verdict.Witness, _ *Expect) { w.Steps[6].Of = 3 },
			"step 6 (thread a, flush of step 3): not enabled; enabled for this thread: flush of step 0"},
		{"flush before the store", func(w *verdict.Witness, _ *Expect) {
			w.Steps = slices.Insert(w.Steps, 0, w.Steps[6])
		}, "step 0 (thread a, flush of step 0): not enabled"},
		{"address", func(w *verdict.Witness, _ *Expect) { w.Steps[3].Addr++ }, "step 3 (thread b, store at edge 3): address: expected"},
		{"size", func(w *verdict.Witness, _ *Expect) { w.Steps[3].Size = 4 }, "size: expected 4, computed 8"},
		{"value loaded", func(w *verdict.Witness, _ *Expect) { w.Steps[4].Value = 1 },
			"step 4 (thread b, load at edge 4): value: expected 1, computed 0"},
		{"value flushed", func(w *verdict.Witness, _ *Expect) { w.Steps[5].Value = 2 },
			"step 5 (thread b, flush of step 3): value: expected 2, computed 1"},
		{"buffered", func(w *verdict.Witness, _ *Expect) { w.Steps[0].Buffered = false }, "buffered: expected false, computed true"},
		{"from memory", func(w *verdict.Witness, _ *Expect) { w.Steps[1].From = 0 }, "step 1 (thread a, load at edge 1): from: byte 0: expected 0, computed 1"},
		{"free", func(w *verdict.Witness, _ *Expect) { w.Steps[6].Free = true }, "free: expected true, computed false"},
		{"wrote", func(w *verdict.Witness, _ *Expect) { w.Steps[6].Wrote = true }, "wrote: expected true, computed false"},
		{"written", func(w *verdict.Witness, _ *Expect) { w.Steps[6].Written = 1 }, "written: expected 1, computed 0"},
		{"not the end", func(w *verdict.Witness, _ *Expect) { w.Steps = w.Steps[:6] },
			"end: expected a final state, computed one in which threads run or stores wait"},
		{"early flush", func(w *verdict.Witness, _ *Expect) { // then b must see 1
			w.Steps = slices.Insert(w.Steps[:6], 4, w.Steps[6])
		}, "step 5 (thread b, load at edge 4): value: expected 0, computed 1"},
		{"expects a check", func(_ *verdict.Witness, e *Expect) { *e = Expect{Target: TargetCheck, Class: ir.Assertion} },
			"end: expected a failed check (assertion), computed none"},
		{"expects a deadlock", func(_ *verdict.Witness, e *Expect) { e.Target = TargetDeadlock },
			"end: expected a deadlock, computed a state that is none; enabled: nothing"},
		{"expects a goal", func(_ *verdict.Witness, e *Expect) { e.Target = TargetGoal }, "end: expected goal 0, there are 0 goals"},
		{"expects nothing", func(_ *verdict.Witness, e *Expect) { e.Target = 0 }, "end: it is not set what the witness must show"},
	} {
		p, set, w := buffering()
		expect := Expect{Target: TargetFinal}
		tc.corrupt(w, &expect)
		wantError(t, tc.name, Replay(p, set, TSO, w, expect), tc.want)
	}
}

func TestReplayFinalQuantifiers(t *testing.T) {
	p, set, w := buffering()
	set.Final.Quantifier = property.Never
	if err := Replay(p, set, TSO, w, Expect{Target: TargetFinal}); err != nil {
		t.Error(err)
	}
	set.Final.Quantifier = property.Forall
	wantError(t, "forall", Replay(p, set, TSO, w, Expect{Target: TargetFinal}),
		"end: expected a state that decides forall, computed one that does not")
}

// An execution may end before the threads do, but not before the buffers are empty.
func TestReplayExecution(t *testing.T) {
	p, set, w := buffering()
	replay := func(m Model, steps ...verdict.Step) error {
		return Replay(p, set, m, &verdict.Witness{Threads: w.Threads, Steps: steps}, Expect{Target: TargetExecution})
	}
	early := w.Steps[6]
	if err := replay(TSO, w.Steps...); err != nil {
		t.Error(err)
	}
	if err := replay(TSO, w.Steps[0], w.Steps[1], early); err != nil {
		t.Errorf("threads that stop early: %v", err)
	}
	wantError(t, "pending", replay(TSO, w.Steps[:6]...), "end: expected empty store buffers, computed a store that waits")
	wantError(t, "not possible", replay(SC, w.Steps...), "buffered: expected true, computed false")

	q := newProg("x")
	bad := q.thread("a").assert(ir.Int(0))
	failing, set := q.build()
	wantError(t, "failure", Replay(failing, set, TSO, &verdict.Witness{Steps: []verdict.Step{{Kind: verdict.StepFail, Edge: int(bad), Of: -1}}}, Expect{Target: TargetExecution}),
		"end: expected execution, computed a failed check")
}

func TestReplayCheck(t *testing.T) {
	p := newProg("x")
	a := p.thread("a")
	a.rmw(ir.FetchAdd, "r", "x", 2)
	bad := a.assert(a.r("r"))
	x := p.b.Addr(p.objs["x"])
	q, set := p.build()
	steps := []verdict.Step{
		{Kind: verdict.StepRMW, Edge: 0, Of: -1, Addr: x, Size: 8, Data: verdict.Data{Written: 2, Wrote: true}},
		{Kind: verdict.StepFail, Edge: int(bad), Of: -1},
	}
	replay := func(e Expect, steps ...verdict.Step) error {
		return Replay(q, set, TSO, &verdict.Witness{Steps: steps}, e)
	}
	if err := replay(Expect{Target: TargetCheck, Class: ir.Assertion, Edge: bad}, steps...); err != nil {
		t.Error(err)
	}
	wantError(t, "class", replay(Expect{Target: TargetCheck, Class: ir.Overflow, Edge: bad}, steps...),
		"end: expected a failed check of class overflow, computed assertion")
	wantError(t, "edge", replay(Expect{Target: TargetCheck, Class: ir.Assertion, Edge: 0}, steps...),
		"end: expected a failed check at edge 0, computed edge 1")
	wantError(t, "goes on", replay(Expect{Target: TargetCheck, Class: ir.Assertion, Edge: bad}, append(steps, steps[1])...),
		"step 2 (thread a, fail at edge 1): the program is over")
	wantError(t, "other claim", replay(Expect{Target: TargetDeadlock}, steps...),
		"end: expected deadlock, computed a failed check: assertion")
	wantError(t, "fails too early", replay(Expect{Target: TargetCheck, Class: ir.Assertion, Edge: bad}, steps[1]),
		"step 0 (thread a, fail at edge 1): not enabled; enabled for this thread: rmw at edge 0")
	steps[0].Wrote = false
	wantError(t, "wrote", replay(Expect{Target: TargetCheck, Class: ir.Assertion, Edge: bad}, steps...),
		"wrote: expected false, computed true")
}

// A free reaches memory before a store of another thread. The flush of the store fails.
func TestReplayFlushFails(t *testing.T) {
	p := newProg("g")
	a := p.thread("a")
	a.alloc("p", 8)
	a.storeAt(ir.S64, p.addr("g"), a.r("p"))
	a.free(a.r("p"))
	b := p.thread("b")
	b.load("h", "g")
	b.storeAt(ir.S32, b.r("h"), ir.Int(-1))
	g := p.b.Addr(p.objs["g"])
	q, set := p.build()
	w := &verdict.Witness{Steps: []verdict.Step{
		{Thread: 0, Kind: verdict.StepExec, Edge: 0, Of: -1},
		{Thread: 0, Kind: verdict.StepStore, Edge: 1, Of: -1, Addr: g, Size: 8, Data: verdict.Data{Value: first}, Buffered: true},
		{Thread: 0, Kind: verdict.StepStore, Edge: 2, Of: -1, Addr: heapBase, Buffered: true, Free: true},
		{Thread: 0, Kind: verdict.StepFlush, Edge: -1, Of: 1, Addr: g, Size: 8, Data: verdict.Data{Value: first}},
		{Thread: 1, Kind: verdict.StepLoad, Edge: 3, Of: -1, Addr: g, Size: 8, Data: verdict.Data{Value: first}},
		{Thread: 1, Kind: verdict.StepStore, Edge: 4, Of: -1, Addr: heapBase, Size: 4, Data: verdict.Data{Value: -1}, Buffered: true},
		{Thread: 0, Kind: verdict.StepFlush, Edge: -1, Of: 2, Addr: heapBase, Free: true},
		{Thread: 1, Kind: verdict.StepFail, Edge: -1, Of: 5},
	}}
	want := Expect{Target: TargetCheck, Class: ir.UseAfterFree, Edge: ir.NoEdge}
	for _, m := range []Model{TSO, PSO} {
		if err := Replay(q, set, m, w, want); err != nil {
			t.Errorf("%s: %v", m, err)
		}
	}
	// A free is ordered after the earlier stores of its thread.
	w.Steps[3], w.Steps[6] = w.Steps[6], w.Steps[3]
	wantError(t, "free first", Replay(q, set, PSO, w, want), "step 3 (thread a, flush of step 2): not enabled")
}

func TestReplayConditionAndDeadlock(t *testing.T) {
	p := newProg("c", "m")
	a := p.thread("a")
	a.lock("m")
	wait := int(a.op(a.condWaitOp("c", "m")))
	a.op(a.condWaitOp("c", "m"))
	b := p.thread("b")
	sig := int(b.at8(ir.Signal, "", "c"))
	m := p.b.Addr(p.objs["m"])
	q, set := p.build()
	w := &verdict.Witness{Steps: []verdict.Step{
		{Thread: 0, Kind: verdict.StepRMW, Edge: 0, Of: -1, Addr: m, Size: 8, Data: verdict.Data{Written: 1, Wrote: true}},
		{Thread: 0, Kind: verdict.StepExec, Edge: wait, Of: -1},
		{Thread: 0, Kind: verdict.StepWake, Edge: wait, Of: -1},
		{Thread: 0, Kind: verdict.StepExec, Edge: wait, Of: -1},
		{Thread: 0, Kind: verdict.StepExec, Edge: wait + 1, Of: -1},
		{Thread: 1, Kind: verdict.StepExec, Edge: sig, Choice: 0, Of: -1},
		{Thread: 0, Kind: verdict.StepExec, Edge: wait + 1, Of: -1},
	}}
	want := Expect{Target: TargetDeadlock}
	wantError(t, "woken by the signal", Replay(q, set, SC, w, want), "end: expected a deadlock")
	w.Steps[4], w.Steps[5] = w.Steps[5], w.Steps[4]
	w.Steps[4].Choice = -1 // no thread waits: the signal is lost
	w.Steps = w.Steps[:6]
	if err := Replay(q, set, SC, w, want); err != nil {
		t.Error(err)
	}
	c := p.b.Addr(p.objs["c"])
	w.Steps[1].Accesses = []verdict.Access{{Addr: c, Size: 8, Wrote: true}, {Addr: m, Size: 8, Wrote: true}}
	w.Steps[2].Accesses = w.Steps[1].Accesses[:1]
	w.Steps[4].Accesses = []verdict.Access{{Addr: c, Size: 8}}
	if err := Replay(q, set, SC, w, want); err != nil {
		t.Error(err)
	}
	w.Steps[4].Accesses[0].Wrote = true
	wantError(t, "a lost signal", Replay(q, set, SC, w, want), "accesses: expected")
	w.Steps[4].Accesses, w.Steps[4].Wakes = nil, []int{0}
	wantError(t, "nobody is woken", Replay(q, set, SC, w, want), "wakes: expected [0]")
	w.Steps[4].Wakes = nil
	w.Steps[2].Kind = verdict.StepExec
	wantError(t, "no wake", Replay(q, set, SC, w, want),
		"step 2 (thread a, exec at edge 1): not enabled; enabled for this thread: wake at edge 1")
}

func TestReplayGoalAndExit(t *testing.T) {
	p := newProg("x")
	a := p.thread("a")
	a.store("x", 1)
	p.set.Goals = []property.Goal{{At: []property.At{{Thread: a.thread, Locs: []ir.Loc{a.at}}}, With: &property.Cond{
		Vars: []property.Var{p.see("x")}, Expr: ir.R(0),
	}}}
	a.simple(ir.Exit)
	a.simple(ir.Nop)
	x := p.b.Addr(p.objs["x"])
	q, set := p.build()
	steps := []verdict.Step{
		{Kind: verdict.StepStore, Edge: 0, Of: -1, Addr: x, Size: 8, Data: verdict.Data{Value: 1}, Buffered: true},
		{Kind: verdict.StepFlush, Edge: -1, Of: 0, Addr: x, Size: 8, Data: verdict.Data{Value: 1}},
		{Kind: verdict.StepExec, Edge: 1, Of: -1},
		{Kind: verdict.StepExec, Edge: 2, Of: -1},
	}
	replay := func(n int) error {
		return Replay(q, set, TSO, &verdict.Witness{Steps: steps[:n]}, Expect{Target: TargetGoal})
	}
	if err := replay(2); err != nil {
		t.Error(err)
	}
	wantError(t, "pending store", replay(1), "end: expected goal 0, computed a state outside it")
	wantError(t, "left", replay(3), "end: expected goal 0, computed a state outside it")
	wantError(t, "after exit", replay(4), "step 3 (thread a, exec at edge 2): the program is over: it has executed exit")
}

// Random executions replay: from the labels alone, Replay computes the records that the
// transitions have.
func TestReplayRandomExecutions(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	forwarded := 0
	for range 200 {
		p, set := randomProgram(rng, false)
		set.Final = &property.Final{Quantifier: property.Exists, Cond: &property.Cond{Expr: ir.Int(1)}}
		for _, model := range models {
			m, err := newMachine(p, model)
			if err != nil {
				t.Fatal(err)
			}
			w := &verdict.Witness{}
			for s := initial(p); ; {
				next, err := m.successors(s, len(w.Steps))
				if err != nil {
					t.Fatal(err)
				}
				if len(next) == 0 {
					break
				}
				tr := next[rng.IntN(len(next))]
				step := verdict.Step{
					Thread: tr.thread, Kind: tr.kind, Edge: int(tr.edge), Choice: tr.choice, Of: tr.of,
					Addr: tr.addr, Size: tr.size, Data: verdict.Data{Value: tr.value, Written: tr.written, Wrote: tr.wrote},
					Buffered: tr.buffered, Free: tr.free,
				}
				step.SetReadsFrom(tr.from)
				w.Steps = append(w.Steps, step)
				for _, from := range step.ForwardedFrom() {
					forwarded++
					if made := w.Steps[from]; made.Thread != tr.thread || made.Kind != verdict.StepStore || !made.Buffered {
						t.Fatalf("forwarded from %+v", made)
					}
				}
				s = tr.next
			}
			if err := Replay(p, set, model, w, Expect{Target: TargetFinal}); err != nil {
				t.Fatalf("%s: %v", model, err)
			}
		}
	}
	if forwarded == 0 {
		t.Error("no load was ever forwarded")
	}
}

// Steps that need not record anything must not record wrong values.
func TestReplaySparseSteps(t *testing.T) {
	p := newProg("x")
	a := p.thread("a")
	a.alloc("p", 8)
	a.simple(ir.AtomicBegin)
	a.store("x", 1)
	x := p.b.Addr(p.objs["x"])
	p.set.Final = &property.Final{Quantifier: property.Exists, Cond: &property.Cond{Expr: ir.Int(1)}}
	q, set := p.build()
	w := &verdict.Witness{Steps: []verdict.Step{
		{Kind: verdict.StepExec, Edge: 0, Of: -1, Addr: heapBase, Size: 8, Data: verdict.Data{Value: first}},
		{Kind: verdict.StepExec, Edge: 1, Of: -1},
		{Kind: verdict.StepStore, Edge: 2, Of: -1, Addr: x, Size: 8, Data: verdict.Data{Value: 1}}, // inside an atomic section: not buffered
	}}
	for _, m := range models {
		if err := Replay(q, set, m, w, Expect{Target: TargetFinal}); err != nil {
			t.Errorf("%s: %v", m, err)
		}
	}
	w.Steps[0].Size = 9
	wantError(t, "alloc", Replay(q, set, TSO, w, Expect{Target: TargetFinal}), "size: expected 9, computed 8")
	w.Steps[0].Size = 0
	w.Steps[1].Value = 1
	wantError(t, "section", Replay(q, set, TSO, w, Expect{Target: TargetFinal}), "value: expected 1, computed 0")
}

// After a prefix stores may be pending. A final state must be the expected one.
func TestReplayStates(t *testing.T) {
	p := newProg("x")
	a := p.thread("a")
	store := int(a.store("x", 1))
	x := p.b.Addr(p.objs["x"])
	p.set.Observe = []property.Var{{Name: "x", Thread: ir.NoThread, Addr: x, Type: ir.S64}}
	q, set := p.build()
	w := &verdict.Witness{Steps: []verdict.Step{
		{Kind: verdict.StepStore, Edge: store, Of: -1, Addr: x, Size: 8, Data: verdict.Data{Value: 1}, Buffered: true},
		{Kind: verdict.StepFlush, Edge: -1, Of: 0, Addr: x, Size: 8, Data: verdict.Data{Value: 1}},
	}}
	for _, want := range []Expect{{Target: TargetPrefix}, {Target: TargetState, Final: "x=1"}} {
		if err := Replay(q, set, TSO, w, want); err != nil {
			t.Errorf("%s: %v", want.Target, err)
		}
	}
	wantError(t, "another state", Replay(q, set, TSO, w, Expect{Target: TargetState, Final: "x=0"}), `expected the final state "x=0", computed "x=1"`)
	w.Steps = w.Steps[:1]
	if err := Replay(q, set, TSO, w, Expect{Target: TargetPrefix}); err != nil {
		t.Error(err)
	}
	wantError(t, "pending", Replay(q, set, TSO, w, Expect{Target: TargetState, Final: "x=1"}), "expected a final state")
}
