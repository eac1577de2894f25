package mover_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/mover"
	"fencepost/internal/engine/robust"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
	"fencepost/verdict"
)

func prove(t *testing.T, text string, opt mover.Options) *mover.Outcome {
	t.Helper()
	needsSolver(t)
	flat, props := parse(t, text)
	out, err := mover.Prove(context.Background(), flat, props, opt)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// bare is a proof with nothing but what stands in the program.
var bare = mover.Options{NoInference: true, NoAbstraction: true}

func TestVerdicts(t *testing.T) {
	for _, test := range []struct {
		why, text string
		opt       mover.Options
		want      verdict.Verdict
		by        string // of the stores in order: f(low), r(ight), l(eft), - for none
	}{
		{"message passing needs the control-flow graph alone [BEMT18 Fig. 1]",
			"var x, y; thread send * n { y = 42; x = 1; } thread recv * n { reg r; await x == 1; r = y; assert r == 42; }",
			bare, verdict.ValueRobust, "ff"},
		{"the load before the fence moves right [BEMT18 Fig. 2]",
			"var x, y, z; thread foo * n { reg a, b; x = 1; a = z; fence; b = y; assert a + b > 0; } thread bar * n { reg c; y = 1; fence; c = x; assert c > 0; }",
			bare, verdict.ValueRobust, "rf"},
		{"store buffering",
			"var x, y; thread a { reg r; x = 1; r = y; assert r; } thread b { reg s; y = 1; s = x; assert s; }",
			mover.Options{NoAbstraction: true}, verdict.Unknown, "--"},
		{"the same where nobody looks at what is read",
			"var x, y; thread a { reg r; x = 1; r = y; } thread b { reg s; y = 1; s = x; }",
			bare, verdict.ValueRobust, "rr"},
		{"a store of what is there already is in nobody's way",
			"var x, y; thread a { reg r; x = 1; r = y; assert r == 0; } thread b { reg s; y = 0; s = x; assert s < 2; }",
			mover.Options{NoAbstraction: true}, verdict.ValueRobust, "rl"},
		{"own stores hide their address",
			"var x, y; thread a * n { reg r; y = 1; x = 1; r = x; assert r; }",
			bare, verdict.ValueRobust, "ff"},
		{"another instance of the same template is another thread",
			"var x, y; thread a * n { reg r, s; s = x; x = s + 1; r = y; assert r; y = 1; }",
			mover.Options{NoAbstraction: true}, verdict.Unknown, "-f"},
		{"and a single thread is not",
			"var x, y; thread a { reg r, s; s = x; x = s + 1; r = y; assert r; y = 1; }",
			bare, verdict.ValueRobust, "rf"},
		{"a section is one step",
			"var x, y; thread a { reg r; x = 1; r = y; assert r; } thread b { reg s; atomic { s = x; y = s; } }",
			mover.Options{NoAbstraction: true}, verdict.Unknown, "-"},
		{"the program's abstraction is taken as it is [BEMT18 §5]",
			"var H, T; thread w { reg h; T = 1; havoc(h, h >= 0 && h <= H); assert h < 9; } thread s * n { reg h, t, ok; h = H; t = T; if (t > 0) ok = cas(H, h, h + 1); }",
			bare, verdict.ValueRobust, "r"},
		{"an own store that has some bytes of a load does not hide it",
			"var half w; thread a { reg r; w.byte[0] = 1; r = w; assert r != 1; } thread b { w = 0x0202; }",
			mover.Options{NoAbstraction: true}, verdict.Unknown, "-f"},
		{"and one that has more than the load does",
			"var half w; thread a { reg r; w = 0x0101; r = w.byte[0]; assert r == 1; } thread b { w.byte[0] = 2; }",
			bare, verdict.ValueRobust, "ff"},
		{"a load of bytes that are partly the own ones moves right where nobody changes the others",
			"var half w; thread a { reg r; w.byte[0] = 1; r = w; assert r == 1; } thread b { reg s; s = w; assert s < 2; }",
			bare, verdict.ValueRobust, "r"},
		{"own bytes stay what they are: the condition holds before and after b, and not of a's byte with b's",
			"var half w; thread a { w.byte[0] = 1; await w == 1 || w == 0x0202; } thread b { w = 0x0202; }",
			mover.Options{NoAbstraction: true}, verdict.Unknown, "-f"},
		{"a read-modify-write of more bytes than the load does not see the store that waits",
			"var half w; thread a { reg r; w.byte[1] = 1; invariant w.byte[1] == 1; r = w.byte[0]; assert r == 0; } thread b { reg s; s = cas(w, 0, 0x0302); }",
			mover.Options{NoAbstraction: true}, verdict.Unknown, "-"},
	} {
		out := prove(t, test.text, test.opt)
		var by strings.Builder
		for _, s := range out.Proof.Stores {
			by.WriteString((s.By + "-")[:1])
		}
		if out.Verdict != test.want || by.String() != test.by {
			t.Errorf("%s: %s, stores %s; want %s, %s", test.why, out.Verdict, &by, test.want, test.by)
		}
	}
}

// A program can be value-robust and not robust (docs/engines/mover.md).
func TestValueRobustIsNotRobust(t *testing.T) {
	const text = "var x, y; thread a { reg r; x = 1; r = y; } thread b { reg s; y = 0; s = x; }"
	if out := prove(t, text, bare); out.Verdict != verdict.ValueRobust {
		t.Errorf("%s: %s", out.Verdict, out.Reason)
	}
	flat, _ := parse(t, text)
	out, err := robust.Engine.Run(context.Background(), &engine.Task{
		Program: flat, Props: &property.Set{}, Model: memory.TSO, Limits: engine.Limits{Workers: 1},
	})
	if err != nil || len(out.Violations) == 0 {
		t.Errorf("robust finds no attack: %v", err)
	}
}

// [BEMT18 Fig. 6]: the read abstraction that the paper gives is found.
func TestFigure6(t *testing.T) {
	const text = `var x, y;
thread foo { reg r2; x = 1; r2 = y; assert r2 < 2; }
thread bar { reg r1; do { r1 = x; y = 1; } while (r1 == 0); }`
	if out := prove(t, text, mover.Options{NoAbstraction: true}); out.Verdict != verdict.Unknown {
		t.Errorf("without abstraction: %s", out.Verdict)
	}
	out := prove(t, text, mover.Options{})
	if out.Verdict != verdict.Abstracted || len(out.Proof.Abstractions) != 1 || !strings.HasSuffix(out.Proof.Abstractions[0].Cond, "== 0") {
		t.Errorf("%s with %+v", out.Verdict, out.Proof.Abstractions)
	}
}

// A failed pair comes with a state in which it fails, and with what would help.
func TestFailureHasState(t *testing.T) {
	out := prove(t, "var x, y; thread a { reg r; x = 1; r = y; assert r; } thread b { reg s; y = 1; s = x; assert s; }", mover.Options{NoAbstraction: true})
	store := out.Proof.Stores[0]
	if len(store.Loads) != 1 || len(store.Loads[0].Blocks) != 1 || len(store.Blocks) != 1 || len(store.Repairs) == 0 {
		t.Fatalf("%+v", store)
	}
	for _, v := range store.Loads[0].Blocks[0].State {
		if v.Name == "y" && v.Value == "1" {
			t.Errorf("the load of y moves right across y = 1 where y is 1: %v", store.Loads[0].Blocks[0].State)
		}
	}
	if !strings.Contains(store.Repairs[0], "fence") {
		t.Errorf("repairs: %q", store.Repairs)
	}
}

func TestInvariants(t *testing.T) {
	const program = `var flag, data;
thread owner {
  reg r, s;
  flag = 1;
  %
  r = data;
  assert r == 0;
}
thread other * n { reg t, go; go = flag; t = data; if (t == 1 && go) { data = 2; } }`
	with := func(inv string) string { return strings.Replace(program, "%", inv, 1) }

	// No thread stores 1, so none stores 2: the invariant says so.
	out := prove(t, with("invariant data == 0;"), mover.Options{NoAbstraction: true})
	if out.Verdict != verdict.ValueRobust {
		t.Errorf("a good invariant: %s, %s", out.Verdict, out.Reason)
	}
	// Alone it does not do: what data is before line 4 must be known, too.
	out = prove(t, with("invariant data == 0;"), bare)
	if out.Verdict != verdict.Unknown || !strings.Contains(out.Reason, "is not established by line 4") {
		t.Errorf("alone: %s, %s", out.Verdict, out.Reason)
	}
	out = prove(t, with("invariant data == 1;"), mover.Options{NoAbstraction: true})
	if out.Verdict != verdict.Unknown || !strings.Contains(out.Reason, "is not established by line 4") {
		t.Errorf("a wrong invariant: %s, %s", out.Verdict, out.Reason)
	}
	if inv := out.Proof.Invariants[0]; inv.Cond != "data == 1" || inv.Found || len(inv.State) == 0 {
		t.Errorf("how it fails: %+v", inv)
	}
}

// A proof about a location that no thread reaches says nothing, and there is a warning.
func TestVacuous(t *testing.T) {
	const text = `var x, y;
thread a { reg r; x = 1; assume r == 1; invariant r == 1; r = y; assert r; }
thread b * n { reg s; y = 1; s = x; assert s < 2; }`
	out := prove(t, text, mover.Options{})
	if out.Verdict != verdict.ValueRobust || len(out.Warnings) == 0 || !strings.Contains(out.Warnings[0].Message, "says nothing") {
		t.Errorf("%s, %v", out.Verdict, out.Warnings)
	}
}

// What a lock protects only its holder changes. The lock may be taken by
// compare-and-swap, by exchange, or in an atomic section.
func TestLocks(t *testing.T) {
	for name, take := range map[string]string{
		"cas": "while (cas(l, 0, 1) == 0) { }", "xchg": "while (xchg(l, 1) != 0) { }",
		"section": "atomic { r = l; assume r == 0; l = 1; }",
	} {
		text := "var l, a, b; thread w * n { reg r, s; loop { " + take + ` a = 1; r = b; s = a; b = r + s; a = 0; fence; l = 0; } }`
		if !testkit.InPart(t, name, 2) {
			continue
		}
		out := prove(t, text, mover.Options{NoAbstraction: true})
		if out.Verdict != verdict.ValueRobust {
			t.Errorf("%s: %s", name, out.Reason)
		}
		broken := strings.Replace(text, "fence; l = 0;", "fence; l = 0; } } thread bad { loop { l = 0; ", 1)
		if out := prove(t, broken, mover.Options{NoAbstraction: true}); out.Verdict != verdict.Unknown {
			t.Errorf("%s, unlocked by somebody else: %s", name, out.Verdict)
		}
	}
}

func TestUnsupported(t *testing.T) {
	needsSolver(t)
	for _, text := range []string{
		"var x; thread a { atomic { while (x == 0) { } } }",
	} {
		flat, props := parse(t, text)
		out, err := mover.Prove(context.Background(), flat, props, mover.Options{})
		if u := (*engine.Unsupported)(nil); !errors.As(err, &u) || u.Pos == nil {
			t.Errorf("%s: %v, %v", text, out, err)
		}
	}
}

func TestTimeOver(t *testing.T) {
	needsSolver(t)
	ctx, cancel := context.WithTimeout(context.Background(), 0)
	defer cancel()
	flat, props := parse(t, "var x, y; thread a { reg r; x = 1; r = y; assert r; } thread b { y = 1; }")
	out, err := mover.Prove(ctx, flat, props, mover.Options{})
	if err != nil || out.Verdict != verdict.Unknown || out.Reason == "" {
		t.Errorf("without time: %+v, %v", out, err)
	}
}
