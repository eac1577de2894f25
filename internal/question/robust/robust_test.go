package robust

import (
	"context"
	"fencepost/internal/pipeline"
	"fmt"
	"strings"
	"testing"
	"time"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/query"
	"fencepost/verdict"
)

const dekker = `
var x, y;
thread t1 { reg r; x = 1; r = y; }
thread t2 { reg r; y = 1; r = x; }
never t1:r == 0 && t2:r == 0;
`

// read reads a program and makes it flat.
func read(t *testing.T, text string) (*pipeline.Run, *ir.Program) {
	t.Helper()
	run := pipeline.Open(query.Input{Name: "test.fp", Text: []byte(text)})
	if err := run.Read(t.Context(), pipeline.ReadOptions{Options: query.Defaults()}); err != nil {
		t.Fatal(err)
	}
	flat, err := run.Flatten(query.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	return run, flat
}

func askRobust(t *testing.T, name, text string, opt query.RobustOptions) query.Answer {
	t.Helper()
	a, err := Run(context.Background(), query.Input{Name: name, Text: []byte(text)}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// One program in every language: not robust, by the same attack.
func TestRobustLanguages(t *testing.T) {
	programs := map[string]string{
		"sb.fp": dekker,
		"sb.txt": "thread t1\n    initial q0\n    transition q0 q1 write 1 0\n    transition q1 q2 read r 1\nend\n" +
			"thread t2\n    initial q0\n    transition q0 q1 write 1 1\n    transition q1 q2 read r 0\nend\n",
		"sb.rmm": "forbidden\n  CS CS\ndata\n  x = 0 : [0:1]\n  y = 0 : [0:1]\n" +
			"process\ntext\n  write: x := 1;\n  read: y = 0;\n  CS: nop\nprocess\ntext\n  write: y := 1;\n  read: x = 0;\n  CS: nop\n",
		"sb.litmus": "X86 SB\n{ x=0; y=0; }\n P0          | P1          ;\n MOV [x],$1  | MOV [y],$1  ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n",
	}
	for name, text := range programs {
		t.Run(name, func(t *testing.T) {
			opt := query.RobustOptions{Options: query.Defaults()}
			opt.KeepGoing = true
			a := askRobust(t, name, text, opt)
			if a.HasErrors() {
				t.Fatalf("%+v", a.Diagnostics)
			}
			r := a.Results[0]
			if r.Verdict != verdict.Unsafe || r.Question != verdict.Robustness || r.Model != "tso" || len(r.Attacks) != 2 {
				t.Fatalf("%s, question %s, model %s, %d attacks", r.Verdict, r.Question, r.Model, len(r.Attacks))
			}
			for _, at := range r.Attacks {
				var kinds []string
				for _, e := range at.Cycle {
					kinds = append(kinds, e.Kind)
				}
				if got := strings.Join(kinds, " "); got != "po cf po cf" {
					t.Errorf("%s: cycle %s", at.String(), got)
				}
				if at.Store == nil || at.Load == nil {
					t.Errorf("%s: store at %v, load at %v", at.String(), at.Store, at.Load)
				}
			}
			if r.Reason != r.Attacks[0].String() || r.Sources[name] != text {
				t.Errorf("the result does not stand alone: %+v", r)
			}
		})
	}
}

func TestRobustFirstAttackOnly(t *testing.T) {
	r := askRobust(t, "test.fp", dekker, query.RobustOptions{Options: query.Defaults()}).Results[0]
	if len(r.Attacks) != 1 || r.Verdict != verdict.Unsafe {
		t.Fatalf("%d attacks, %s", len(r.Attacks), r.Verdict)
	}
	a := r.Attacks[0]
	if st := a.Witness.Steps[a.StoreStep]; st.Kind != verdict.StepStore || !st.Buffered || st.Text == "" {
		t.Errorf("the delayed store is %+v", st)
	}
	if want := " can delay its store "; !strings.Contains(r.Reason, want) || !strings.Contains(r.Reason, "(test.fp:") {
		t.Errorf("reason %q", r.Reason)
	}
}

// A program without questions may be asked; a fenced one is robust.
func TestRobustFenced(t *testing.T) {
	text := `
var x, y;
thread t1 { reg r; x = 1; fence; r = y; }
thread t2 { reg r; y = 1; fence; r = x; }
`
	r := askRobust(t, "test.fp", text, query.RobustOptions{Options: query.Defaults()}).Results[0]
	if r.Verdict != verdict.Safe || !r.Coverage.Exhaustive || len(r.Attacks) != 0 {
		t.Errorf("%+v", r)
	}
}

// Sections, read-modify-writes and nodes without a name of their own.
func TestRobustNodeNames(t *testing.T) {
	text := `
var x, y;
thread t1 { reg r; x = 1; r = y; }
thread t2 { reg r; atomic { y = 1; r = x; } }
thread t3 { reg r; r = fetch_add(y, 1); r = x; }
`
	opt := query.RobustOptions{Options: query.Defaults()}
	opt.KeepGoing = true
	r := askRobust(t, "test.fp", text, opt).Results[0]
	if len(r.Attacks) != 1 || r.Attacks[0].Thread != "t1" {
		t.Fatalf("%+v", r.Attacks)
	}
	for _, one := range []struct{ drop, want string }{
		{"thread t3 { reg r; r = fetch_add(y, 1); r = x; }\n", "t2 atomic{st y, ld x}"},
		{"thread t2 { reg r; atomic { y = 1; r = x; } }\n", "t3 rmw y"},
	} {
		a := askRobust(t, "test.fp", strings.Replace(text, one.drop, "", 1), opt).Results[0].Attacks[0]
		var names []string
		for _, e := range a.Cycle {
			names = append(names, a.Nodes[e.From].Text)
		}
		if got := strings.Join(names, "; "); !strings.Contains(got, one.want) {
			t.Errorf("cycle %s, want %s on it", got, one.want)
		}
	}
}

func TestRobustRefusals(t *testing.T) {
	many := fmt.Sprintf("var x;\nthread p[i] * %d { x = 1; }\n", 33)
	for _, c := range []struct{ name, text, code string }{
		{"f.fp", "var x;\nthread t * n { x = 1; }\n", "FP0902"},
		{"f.fp", many, "FP0907"},
		{"f.fp", "thread t { x = 1; }\n", ""},
		{"f.xyz", "", "FP0903"},
	} {
		a := askRobust(t, c.name, c.text, query.RobustOptions{Options: query.Defaults()})
		if !a.HasErrors() || len(a.Results) > 0 {
			t.Errorf("%q: %+v", c.text, a)
			continue
		}
		if got := a.Diagnostics[len(a.Diagnostics)-1].Code; c.code != "" && got != c.code {
			t.Errorf("%q: code %s, want %s", c.text, got, c.code)
		}
	}
}

func TestRobustLimits(t *testing.T) {
	text := `
var a, x, y;
thread p { reg n, m; loop { n = fetch_add(a, 1); x = n; m = y; } }
thread q { reg n, m; loop { n = fetch_add(a, 1); y = n; assume n == -1; m = x; } }
`
	opt := query.RobustOptions{Options: query.Defaults()}
	opt.Timeout = 50 * time.Millisecond
	if r := askRobust(t, "test.fp", text, opt).Results[0]; r.Verdict != verdict.Unknown || !strings.Contains(r.Reason, "time limit") {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
	opt = query.RobustOptions{Options: query.Defaults()}
	opt.Memory = 1 << 20
	if r := askRobust(t, "test.fp", text, opt).Results[0]; r.Verdict != verdict.Unknown || !strings.Contains(r.Reason, "memory limit") {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
	// Found attacks are no less so if the search for more does not end.
	opt.KeepGoing = true
	q := &question{opt: opt}
	res := &verdict.Result{Verdict: verdict.Unsafe, Details: verdict.Details{Attacks: []verdict.Attack{{Thread: "t1"}}}}
	q.mayBeMore(res, &engine.Outcome{Unknown: "memory limit"}, "attacks")
	if res.Verdict != verdict.Unsafe || len(res.Warnings) != 1 || res.Warnings[0].Code != "FP0908" {
		t.Errorf("%+v", res)
	}
}

// A witness without an attack is an error.
func TestRobustWitnessIsChecked(t *testing.T) {
	p, flat := read(t, dekker)
	r := askRobust(t, "test.fp", dekker, query.RobustOptions{Options: query.Defaults()}).Results[0]
	a := r.Attacks[0]
	store, ld := a.Witness.Steps[a.StoreStep], a.Witness.Steps[a.LoadStep]
	violation := func(steps []verdict.Step) *engine.Violation {
		v := &engine.Violation{Kind: engine.Attack, Witness: &verdict.Witness{Threads: a.Witness.Threads, Steps: steps}}
		v.Edge, v.Load = ir.EdgeID(store.Edge), ir.EdgeID(ld.Edge)
		return v
	}
	if _, err := p.Attack(flat, memory.TSO, violation(a.Witness.Steps)); err != nil {
		t.Fatal(err)
	}
	swapped := violation(a.Witness.Steps)
	swapped.Edge, swapped.Load = swapped.Load, swapped.Edge
	flush := a.Witness.Steps[len(a.Witness.Steps)-1]
	for _, c := range []struct {
		want string
		v    *engine.Violation
	}{
		{"expected empty store buffers", violation(a.Witness.Steps[:2])},
		{"has no cycle", violation([]verdict.Step{store, ld, flush})},
		{"is not delayed past", swapped},
	} {
		if _, err := p.Attack(flat, memory.TSO, c.v); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}
