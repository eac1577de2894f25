package mover_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"fencepost/internal/engine/mover"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/proof/program"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
	"fencepost/verdict"
)

// specification is the deque of Chase and Lev with what it must do.
func specification(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("testdata/spec/chase-lev.fp")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// [BEMT18 §2]: the deque satisfies the specification of an idempotent queue under TSO,
// for any number of thieves, with the abstraction that the paper gives, written or found.
func TestIdempotentDeque(t *testing.T) {
	text := specification(t)
	written := strings.Replace(text, "      h = H;\n      invariant", "      havoc(h, h >= 0 && h <= H);\n      invariant", 1)
	if written == text {
		t.Fatal("no load to abstract")
	}
	for name, text := range map[string]string{"found": text, "written": written} {
		if name == "found" && !testkit.Slow() {
			continue // TestTable1Proofs finds abstractions
		}
		out := prove(t, text, mover.Options{})
		if out.Verdict == verdict.Unknown || len(out.Proof.Checks) != 3 || out.Proof.Open() != 0 || len(out.Proof.Abstractions) != 1 {
			t.Errorf("%s: %s %s, %+v, %+v", name, out.Verdict, out.Reason, out.Proof.Checks, out.Proof.Abstractions)
		}
		for _, a := range out.Proof.Abstractions {
			if !a.Sound || a.Found == (name == "written") {
				t.Errorf("%s: %+v", name, a)
			}
		}
	}
}

// A deque that hands out what was not put is not proved: without the bound that keeps
// the worker from elements below 0, and with a tail that moves before the element is there.
func TestWrongDeque(t *testing.T) {
	if !testkit.Slow() {
		t.Skip("make fuzz runs it: each program takes seconds; TestChecks has small ones")
	}
	text := strings.Replace(specification(t), "      h = H;\n      invariant", "      havoc(h, h >= 0 && h <= H);\n      invariant", 1)
	for name, change := range map[string][2]string{
		"any h":       {"h >= 0 && h <= H", "h >= -9 && h <= H"},
		"tail first":  {"      mem[2 * t] = v;\n      invariant mem[2 * mem[2 * t] + 1] == 1;\n      T = t + 1;", "      T = t + 1;\n      mem[2 * t] = v;"},
		"no test":     {"    if (h < t) {\n      invariant h < t;", "    if (h <= t) {"},
		"not put":     {"      mem[2 * v + 1] = 1;\n", ""},
		"wrong claim": {"invariant t >= 0;", "invariant t >= 1;"},
	} {
		wrong := strings.Replace(text, change[0], change[1], 1)
		if wrong == text {
			t.Fatalf("%s: nothing to change", name)
		}
		if out := prove(t, wrong, mover.Options{NoAbstraction: true}); out.Verdict != verdict.Unknown && out.Proof.Open() == 0 {
			t.Errorf("%s is proved", name)
		}
	}
}

// The double take, which the specification allows: on a finite instance of the
// original, two elements are had three times under TSO and not under SC.
func TestDoubleTake(t *testing.T) {
	const text = `var H, T = 2, items[2] = {5, 5};
thread worker {
  reg h, t, task, ok;
  t = T; t = t - 1; T = t; h = H;
  if (t < h) { T = h; } else {
    task = items[t];
    if (t == h) { ok = cas(H, h, h + 1); T = h + 1; if (ok == 0) task = 0; }
  }
}
thread thief * 2 {
  reg h, t, task, ok;
  h = H; t = T;
  if (h < t) { task = items[h]; ok = cas(H, h, h + 1); if (ok == 0) task = 0; }
}
never worker:task == 5 && thief[0]:task == 5 && thief[1]:task == 5;`
	for _, m := range []memory.Model{memory.SC, memory.TSO} {
		flat, props := parse(t, text)
		got, err := testkit.Ask(testkit.Explicit, flat, props, m, testkit.How{})
		if err != nil || got.Final != (m == memory.TSO) {
			t.Errorf("%s: two elements, three takers: %v, %v", m, got.Final, err)
		}
	}
}

func TestChecks(t *testing.T) {
	for _, test := range []struct {
		why, text string
		proved    string // of the checks in order: y or n
	}{
		{"what a flag tells about data", "var x, y; thread s * n { y = 42; x = 1; } thread r * n { reg r; await x == 1; r = y; assert r == 42; }", "y"},
		{"what nothing tells", "var x, y; thread s * n { x = 1; y = 42; } thread r * n { reg r; await x == 1; r = y; assert r == 42; }", "n"},
		{"an index", "var a[4], i; thread w * n { reg r; r = i; if (r < 9) { i = r + 1; a[r] = 1; } }", "n"},
		{"an index with a bound", "var a[4], i; thread w * n { reg r; r = i; if (0 <= r && r < 3) { a[r] = 1; } }", "y"},
		{"a lock", `var l, x; thread w * n { reg r;
			while (cas(l, 0, 1) == 0) { } x = 1; r = x; assert r == 1; x = 0; fence; l = 0; }`, "y"},
		{"a goal that is not reached", "var x; thread w * n { reg r; r = x; if (r == 2) { L: x = 1; } x = 1; } goal w[0]:L;", "y"},
		{"a goal that is", "var x; thread w * n { reg r; r = x; if (r == 1) { L: x = 1; } x = 1; } goal w[0]:L;", "n"},
		{"an assertion in a section", "var x; thread w * n { reg r; atomic { r = x; if (r > 0) { x = r; assert r != 0; } } }", "y"},
	} {
		out := prove(t, test.text, mover.Options{NoAbstraction: true})
		var got strings.Builder
		for _, c := range out.Proof.Checks {
			got.WriteString(map[bool]string{true: "y", false: "n"}[c.Proved])
		}
		if got.String() != test.proved {
			t.Errorf("%s: %s, want %s: %+v", test.why, &got, test.proved, out.Proof.Checks)
		}
	}
}

// An assertion that is proved for any number of threads fails in no instance of one to
// four of each, under TSO, and the invariants hold in all states of instances.
func TestProvedAssertionsHold(t *testing.T) {
	needsSolver(t)
	defer mover.LimitQuestions(1_000_000)()
	samples := []program.Reach{nil, reach(20), reach(2000)}
	var c campaign
	for i := range *programs {
		s := *seed + uint64(i)
		text := asserting(rand.New(rand.NewPCG(s, 0xa55e)))
		flat, props := parse(t, text)
		c.try(t, trial{
			name: fmt.Sprintf("seed %d\n%s", s, text), prog: flat, props: props, sizes: []int{1, 2, 3},
			opt:      mover.Options{NoAbstraction: i%4 != 0, Reach: samples[i%3]},
			instance: func(n int) (*ir.Program, *property.Set) { return parseWith(t, text, n) },
		})
		c.tell(t, i)
	}
	c.end(t)
}

// asserting makes a program of two templates whose assertions often hold.
func asserting(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString("var x, y, l;\n")
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	for t := range 2 {
		fmt.Fprintf(&b, "thread t%d * n {\n  reg r, s;\n", t)
		for range 2 + r.IntN(2) {
			switch r.IntN(8) {
			case 0, 1:
				fmt.Fprintf(&b, "  %s = %d;\n", pick("x", "y"), 1+r.IntN(2))
			case 2, 3:
				fmt.Fprintf(&b, "  %s = %s;\n", pick("r", "s"), pick("x", "y"))
			case 4:
				fmt.Fprintf(&b, "  await %s == %d;\n", pick("x", "y"), r.IntN(2))
			case 5:
				fmt.Fprintf(&b, "  r = cas(%s, %d, %d);\n", pick("x", "y"), r.IntN(2), 1+r.IntN(2))
			case 6:
				fmt.Fprintf(&b, "  while (cas(l, 0, 1) == 0) { }\n  %s = 1; r = %s; %s = 0;\n  fence; l = 0;\n", "x", pick("x", "y"), pick("x", "y"))
			case 7:
				fmt.Fprintf(&b, "  if (r == %d) { s = %s & 1; }\n", r.IntN(2), pick("r", "x"))
			}
		}
		fmt.Fprintf(&b, "  assert %s;\n}\n", pick("r < 3", "s <= 1", "r != 2", "r == 0 || s < 2", "r == s || r == 0", "r >= 0 && s >= 0"))
	}
	return b.String()
}

// TestSectionsWithoutEnd: constants may show that a section never comes to its end. What is checked in it still counts.
func TestSectionsWithoutEnd(t *testing.T) {
	for _, test := range []struct {
		text string
		open int
	}{
		{"var x, y; thread a * n { reg r; y = 1; atomic { r = x; assume r == 1; } assert 0; }", 0},
		{"var x, y; thread a * n { reg r; y = 1; atomic { r = x; assert r == 1; assume r == 1; } }", 1},
		{"var x, y; thread a * n { reg r, s; y = 1; atomic { r = x; s = y; if (s == 1) { assert s == r; } assume r == 1; } assert 0; }", 1},
	} {
		out := prove(t, test.text, mover.Options{})
		if out.Verdict != verdict.ValueRobust || out.Proof.Open() != test.open {
			t.Errorf("%s, %d open\n%s", out.Verdict, out.Proof.Open(), test.text)
		}
	}
}

// TestLocalLoops: a thread may loop for ever without memory, before a location or after it, and local tests may make many
// ways.
func TestLocalLoops(t *testing.T) {
	tests := strings.Repeat("if (r == 2) { s = s + 1; } else { s = s + 2; } ", 40)
	for _, loop := range []string{"while (1) { s = s + 1; r = s; }", "while (s < r) { s = s + 1; if (s == 7) { r = 0; } }", tests} {
		text := "var x; thread a * n { reg r, s; r = x; if (r == 1) { s = 2; " + loop + " } x = 1; r = x; assert r == 1; }"
		if out := prove(t, text, mover.Options{}); out.Proof.Open() != 0 {
			t.Errorf("%s, %d open\n%s", out.Verdict, out.Proof.Open(), text)
		}
	}
}
