package rf_test

import (
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/rf"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
)

// known has programs of few statements that need one special argument each.
var known = []struct {
	why     string
	threads [][]testkit.Stmt
}{
	{"relocking a recursive mutex writes it while x = 1 is in the buffer: a trylock that finds it taken twice may read x = 0",
		[][]testkit.Stmt{
			{{Kind: testkit.Locked, Val: 1, Body: []testkit.Stmt{set(0, 1), {Kind: testkit.Locked, Val: 1, Body: []testkit.Stmt{get(1, 0)}}}}},
			{set(1, 1), {Kind: testkit.Fence}, {Kind: testkit.TryLock, Val: 1}, get(0, 1)},
		}},
	{"the choice before the first read of a section decides what the section reads",
		[][]testkit.Stmt{{{Kind: testkit.Atomic, Body: []testkit.Stmt{{Kind: testkit.Choose, Body: []testkit.Stmt{get(0, 0)}, Else: []testkit.Stmt{set(1, 1)}}}}}, {set(0, 1), set(0, 2)}, {get(1, 0)}}},
	{"choices before and after the first read of a section",
		[][]testkit.Stmt{{{Kind: testkit.Atomic, Body: []testkit.Stmt{
			{Kind: testkit.Havoc, Reg: 1, Val: 1}, {Kind: testkit.Choose, Body: []testkit.Stmt{get(0, 0)}, Else: []testkit.Stmt{get(1, 0)}}, {Kind: testkit.Choose, Body: []testkit.Stmt{set(2, 1)}}}}},
			{set(0, 1)}, {set(1, 2), get(2, 0)}}},
	{"a choice between values that depend on the first read of a section",
		[][]testkit.Stmt{{{Kind: testkit.Atomic, Body: []testkit.Stmt{set(1, 1), {Kind: testkit.ALoad, Size: 8}, {Kind: testkit.StoreReg, Var: 2, Size: 8}}}}, {set(0, 2), get(2, 0), get(1, 1)}}},
	{"a thread that waits for one of two variables is stuck only if neither has the value in the end",
		[][]testkit.Stmt{{{Kind: testkit.AwaitOr, Size: 8, Val: 2, Val2: 2}}, {set(0, 1)}, {set(0, 2)}, {set(1, 1)}, {set(1, 2)}}},
	{"two threads wait, one for the other",
		[][]testkit.Stmt{{{Kind: testkit.AwaitOr, Size: 8, Val: 2, Val2: 2}, set(2, 1)}, {set(0, 2), set(0, 1)}, {set(1, 2), set(1, 1)}, {{Kind: testkit.Await, Var: 2, Size: 8, Val: 1}}}},
}

// TestWaitingChoice: a thread that waits for a mutex, or for a thread to start, although it could do something else is
// not blocked; if all its choices wait, the execution counts once. Thread a takes the mutex and keeps it, and starts c;
// it is blocked if b comes first.
func TestWaitingChoice(t *testing.T) {
	for _, c := range []struct {
		choices           string
		complete, blocked int64
	}{
		{"  L0 -> L1: lock [&m]\n  L0 -> L1: nop\n", 1, 1},
		{"  L0 -> L1: h = spawn {c}()\n  L0 -> L1: h = load [&x]\n", 1, 1},
		{"  L0 -> L1: lock [&m]\n", 0, 2},
		{"  L0 -> L1: lock [&m]\n  L0 -> L1: lock [&m]\n", 0, 3},
	} {
		text := "program choice flat\nobject m size 8\nobject x size 8\nfunc a() {\n  reg h\n  L0 -> L1: lock [&m]\n  L1 -> L2: h = spawn {c}()\n}\nfunc b() {\n  reg h\n" +
			c.choices + "}\nfunc c() {\n  L0 -> L1: nop\n}\nthread a = a()\nthread b = b()\nthread c = c() spawned\n"
		p, diags := irtext.Parse("choice.ir", []byte(text))
		if diags.HasErrors() {
			t.Fatal(diags.All)
		}
		for _, m := range testkit.Models {
			task := &engine.Task{Program: p, Props: &property.Set{}, Model: m, KeepGoing: true}
			n, err := rf.ExploreAll(task, rf.Options{Traces: true}, func([]memory.Step) {})
			if err != nil {
				t.Fatal(err)
			}
			if n.Complete != c.complete || n.Classes-n.Complete != c.blocked {
				t.Errorf("%s under %s: %+v, want %d complete and %d blocked", c.choices, m, n, c.complete, c.blocked)
			}
		}
	}
}

// set is a store to a variable, get a load of one to a register.
func set(v int, val int64) testkit.Stmt {
	return testkit.Stmt{Kind: testkit.Store, Var: v, Size: 8, Val: val}
}
func get(v, reg int) testkit.Stmt { return testkit.Stmt{Kind: testkit.Load, Var: v, Size: 8, Reg: reg} }

// TestKnown: the answers of the explicit engine, and the classes of brute force.
func TestKnown(t *testing.T) {
	for _, c := range known {
		flat, props := (&testkit.Program{Threads: c.threads}).Flat()
		for _, m := range testkit.Models {
			want, err := testkit.Ask(testkit.Explicit, flat, props, m, testkit.How{})
			if err != nil {
				t.Fatalf("%s, %s: %v", c.why, m, err)
			}
			got, err := testkit.Ask(&rf.Engine, flat, props, m, testkit.How{})
			if err != nil {
				t.Errorf("%s, %s: %v", c.why, m, err)
			} else if d := testkit.Difference(want, got); d != "" {
				t.Errorf("%s, %s: %s", c.why, m, d)
			}
			all, ok := testkit.NewTracker(memory.New(flat, m, memory.Options{})).ReadsFrom(*histories)
			if !ok {
				t.Fatalf("%s, %s: too large", c.why, m)
			}
			if _, err := classes(flat, m, all); err != nil {
				t.Errorf("%s, %s: %v", c.why, m, err)
			}
		}
	}
}
