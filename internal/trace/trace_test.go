package trace_test

import (
	"context"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/explicit"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
	"fencepost/internal/trace"
	"fencepost/internal/transform"
	"fencepost/verdict"
)

func flatten(t *testing.T, text string) *ir.Program {
	t.Helper()
	p, diags := irtext.Parse("test.ir", []byte(text))
	if diags.HasErrors() {
		t.Fatal(diags.All)
	}
	flat, err := transform.Run(p, transform.Options{Unroll: 2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return flat
}

// witness returns an execution, found by the engine explicit, that ends with the given
// values of register r of each thread.
func witness(t *testing.T, p *ir.Program, m memory.Model, values ...int64) *verdict.Witness {
	t.Helper()
	cond := &property.Cond{Expr: ir.Int(1)}
	for i, v := range values {
		cond.Vars = append(cond.Vars, property.Var{Thread: ir.ThreadID(i), Reg: 0})
		cond.Expr = ir.Binary(ir.LAnd, ir.S64, cond.Expr, ir.Binary(ir.Eq, ir.S64, ir.R(ir.Reg(i)), ir.Int(v)))
	}
	props := &property.Set{Final: &property.Final{Quantifier: property.Exists, Cond: cond}}
	out, err := explicit.Run(context.Background(), &engine.Task{Program: p, Props: props, Model: m, Limits: engine.Limits{Workers: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Violations) == 0 {
		t.Fatalf("no execution with %v", values)
	}
	return out.Violations[0].Witness
}

const sb = `
program sb structured
object x size 8
object y size 8
func p() {
  reg r
  a -> b: store [&x] = 1
  b -> c: r = load [&y]
}
func q() {
  reg r
  a -> b: store [&y] = 1
  b -> c: r = load [&x]
}
thread p = p()
thread q = q()
`

// [BDM13 §3]: the trace of Fig. 3 has the cycle printed there, of two program order
// and two conflict edges.
func TestBDM13Cycle(t *testing.T) {
	p := flatten(t, sb)
	tr := trace.New(p, witness(t, p, memory.TSO, 0, 0))
	var kinds []string
	for _, e := range tr.Cycle() {
		kinds = append(kinds, e.Kind.String())
	}
	if got := strings.Join(kinds, " "); got != "po cf po cf" && got != "cf po cf po" {
		t.Errorf("cycle %s", got)
	}
	if len(tr.Events) != 4 {
		t.Errorf("%d events, want 4: issue and flush are one", len(tr.Events))
	}
	if c := trace.New(p, witness(t, p, memory.SC, 0, 1)).Cycle(); c != nil {
		t.Errorf("an execution under SC has the cycle %v", c)
	}
}

// CycleThrough goes from the store to the load and back through another thread. The edge
// of program order may skip the events in between.
func TestCycleThrough(t *testing.T) {
	p := flatten(t, strings.Replace(sb, "b -> c: r = load [&y]", "b -> b2: store [&z] = 1\n  b2 -> c: r = load [&y]", 1)+"object z size 8\n")
	w := witness(t, p, memory.TSO, 0, 0)
	tr := trace.New(p, w)
	step := func(name string, kind verdict.StepKind) int {
		for i, st := range w.Steps {
			if st.Location == name && st.Kind == kind && st.Thread == 0 {
				return tr.EventOf(i)
			}
		}
		t.Fatalf("no %s of %s", kind, name)
		return -1
	}
	x, z, y := step("x", verdict.StepStore), step("z", verdict.StepStore), step("y", verdict.StepLoad)
	cycle := tr.CycleThrough(x, y)
	var kinds []string
	for i, e := range cycle {
		kinds = append(kinds, e.Kind.String())
		if next := cycle[(i+1)%len(cycle)]; e.To != next.From {
			t.Errorf("%+v is not followed by %+v", e, next)
		}
	}
	if got := strings.Join(kinds, " "); got != "po cf po cf" || cycle[0].From != x || cycle[0].To != y {
		t.Errorf("cycle %s: %+v", got, cycle)
	}
	if c := tr.CycleThrough(z, y); c != nil {
		t.Errorf("no other thread accesses z, but it is on the cycle %+v", c)
	}
	if tr.EventOf(len(w.Steps)) != -1 {
		t.Error("a step that does not exist has an event")
	}
}

// An atomic section is one node (docs/models.md), whether its load is before or after its
// store.
func TestSectionIsOneNode(t *testing.T) {
	for _, body := range []string{
		"b -> c: store [&y] = 1\n c -> d: r = load [&x]",
		"b -> c: r = load [&x]\n c -> d: store [&y] = 1",
	} {
		p := flatten(t, strings.Replace(sb, "a -> b: store [&y] = 1\n  b -> c: r = load [&x]",
			"a -> b: atomicbegin\n "+body+"\n d -> e: atomicend", 1))
		tr := trace.New(p, witness(t, p, memory.TSO, 0, 0))
		if len(tr.Events) != 3 {
			t.Errorf("%d events, want 3", len(tr.Events))
		}
		if c := tr.Cycle(); len(c) != 3 {
			t.Errorf("cycle %v, want three edges through the section", c)
		}
	}
}

// TestAgainstSC: on random programs no execution under SC has a cycle, and every execution
// under TSO or PSO has one if SC does not have its final state [BDM13 Lemma 1].
func TestAgainstSC(t *testing.T) {
	cyclic := 0
	for seed := range uint64(400) {
		flat, props := testkit.Generate(seed, testkit.Profile{Plain: true}).Flat()
		props.Final = nil
		sc, err := testkit.Ask(&explicit.Engine, flat, props, memory.SC, testkit.How{})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range testkit.Models {
			task := &engine.Task{Program: flat, Props: props, Model: m, Finals: true, KeepGoing: true, Limits: engine.Limits{Workers: 1},
				WitnessFinal: func(string) bool { return true }}
			out, err := explicit.Run(context.Background(), task)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range out.Violations {
				if v.Kind != engine.FinalReached {
					continue
				}
				cycle := trace.New(flat, v.Witness).Cycle()
				if m == memory.SC && cycle != nil {
					t.Fatalf("seed %d: cycle %v in an execution under SC", seed, cycle)
				}
				if !testkit.Subset([]string{v.Final}, sc.Finals) {
					cyclic++
					if cycle == nil {
						t.Fatalf("seed %d, %s: no cycle, but SC cannot end in %s", seed, m, v.Final)
					}
				}
			}
		}
	}
	if cyclic < 50 {
		t.Errorf("only %d executions beyond SC", cyclic)
	}
}

// A child comes after its spawn and before its join.
func TestSpawnAndJoin(t *testing.T) {
	p := flatten(t, `
program spawn structured
object x size 8
func child() {
  a -> b: store [&x] = 1
}
func main() {
  reg r, h
  a -> b: h = spawn child()
  b -> c: join h
  c -> d: r = load [&x]
}
thread main = main()
main main
`)
	tr := trace.New(p, witness(t, p, memory.TSO, 1))
	var kinds []string
	for _, e := range tr.Edges {
		kinds = append(kinds, e.Kind.String())
	}
	if got := strings.Join(kinds, " "); strings.Count(got, "sy") != 2 || strings.Count(got, "src") != 1 || tr.Cycle() != nil {
		t.Errorf("edges %s, cycle %v", got, tr.Cycle())
	}
}

// TestCanonical: executions that differ only in the order of independent steps have the
// same text. Executions with different traces have different texts.
func TestCanonical(t *testing.T) {
	p := flatten(t, sb)
	weak := trace.New(p, witness(t, p, memory.TSO, 0, 0)).Canonical()
	if again := trace.New(p, witness(t, p, memory.PSO, 0, 0)).Canonical(); again != weak {
		t.Errorf("the same trace twice:\n%s\n%s", weak, again)
	}
	strong := trace.New(p, witness(t, p, memory.SC, 0, 1)).Canonical()
	if strong == weak {
		t.Error("two traces with one text")
	}
	if same := trace.New(p, witness(t, p, memory.TSO, 0, 1)).Canonical(); same != strong {
		t.Errorf("reading 0 and 1 has one trace:\n%s\n%s", strong, same)
	}
}
