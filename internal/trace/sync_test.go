package trace_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/trace"
)

// schedule runs a program under TSO and returns the trace. In plan, "p" is the first
// enabled step of thread p that is no flush, "p2" is the second one, and "p!" is a flush.
func schedule(t *testing.T, flat *ir.Program, plan string) *trace.Trace {
	t.Helper()
	y := memory.New(flat, memory.TSO, memory.Options{})
	r := engine.NewRecorder(y)
	for _, word := range strings.Fields(plan) {
		th := slices.IndexFunc(flat.Threads, func(th ir.Thread) bool { return th.Name == word[:1] })
		steps := y.EnabledEdges(r.State(), th, nil)
		st := memory.Step{Thread: int32(th), Kind: memory.Flush}
		if word[1:] != "!" {
			n := 0
			if word[1:] == "2" {
				n = 1
			}
			if len(steps) <= n {
				t.Fatalf("%s: not possible in %s", word, plan)
			}
			st = steps[n]
		}
		r.Step(st)
		if f, failed := r.State().Fault(); failed {
			t.Fatalf("%s: %s", word, f.Class)
		}
	}
	return trace.New(flat, r.Witness())
}

// Synchronisation outside memory orders threads. want has all edges between threads; an
// event is written as its thread and its index there.
func TestSynchronisation(t *testing.T) {
	for _, c := range []struct{ name, p, q, plan, want string }{
		{"a signal wakes", "a -> b: signal [&c]", "a -> b: lock [&m]; b -> d: condwait [&c] mutex [&m]", "q q p q", "p0-sy>q2 q1-cf>p0 q1-src>p0 q1-st>p0"},
		{"a signal is lost", "a -> b: signal [&c]", "a -> b: lock [&m]; b -> d: condwait [&c] mutex [&m]", "p q q", "p0-cf>q1"},
		{"a wake-up without a signal", "a -> b: signal [&c]", "a -> b: lock [&m]; b -> d: condwait [&c] mutex [&m]", "q q q p q", "q2-src>p0"},
		{"a barrier", "a -> b: barrier [&b]; b -> d: store [&x] = 1", "a -> b: barrier [&b]; b -> d: r = load [&x]", "p q q p", "p0-cf>q0 p0-src>q0 p0-st>q0 q0-sy>p1 q1-cf>p1"},
		{"a block handed on", "a -> b: r = alloc 8; b -> d: free [r]", "a -> b: r = alloc 8", "p p p! q2", "p1-cf>q0 p1-src>q0 p1-st>q0"},
		{"a free taken back", "a -> b: r = alloc 8; b -> d: free [r]; d -> e: r = alloc 8", "a -> b: r = alloc 8", "p p p2 q", ""},
	} {
		var text strings.Builder
		text.WriteString("program s structured\n")
		for _, name := range []string{"x", "m", "c"} {
			text.WriteString("object " + name + " size 8\n")
		}
		text.WriteString("object b size 8 init 02\n")
		for i, body := range []string{c.p, c.q} {
			fmt.Fprintf(&text, "func %c() {\n reg r\n %s\n}\n", 'p'+i, strings.ReplaceAll(body, "; ", "\n "))
		}
		text.WriteString("thread p = p()\nthread q = q()\n")
		tr := schedule(t, flatten(t, text.String()), c.plan)
		if got := crossing(tr); got != c.want {
			t.Errorf("%s: edges %q, want %q", c.name, got, c.want)
		}
	}
}

// crossing returns the edges between threads as text.
func crossing(tr *trace.Trace) string {
	name := make([]string, len(tr.Events))
	count := map[int]int{}
	for i, e := range tr.Events {
		name[i] = fmt.Sprintf("%c%d", 'p'+e.Thread, count[e.Thread])
		count[e.Thread]++
	}
	var out []string
	for _, e := range tr.Edges {
		if tr.Events[e.From].Thread != tr.Events[e.To].Thread {
			out = append(out, fmt.Sprintf("%s-%s>%s", name[e.From], e.Kind, name[e.To]))
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// A child without events is still ordered between its spawn and its join.
func TestIdleChild(t *testing.T) {
	flat := flatten(t, `
program c structured
object x size 8
func p() {
  reg h
  a -> b: h = spawn q()
  b -> c: store [&x] = 1
}
func q() {
  a -> b: nop
}
func r() {
  a -> b: join 1
}
thread p = p()
thread r = r()
`)
	names := map[string]bool{}
	for _, th := range flat.Threads {
		names[th.Name] = true
	}
	if !names["q"] {
		t.Fatalf("threads %v", flat.Threads)
	}
	child := slices.IndexFunc(flat.Threads, func(th ir.Thread) bool { return th.Name == "q" })
	for _, f := range flat.Funcs {
		for i := range f.Edges {
			if f.Edges[i].Op.Kind == ir.Join {
				f.Edges[i].Op.Val = ir.Int(int64(child))
			}
		}
	}
	if got := crossingByName(flat, schedule(t, flat, "p q r p")); got != "p0-sy>r0" {
		t.Errorf("edges %q", got)
	}
}

// crossingByName returns the edges between threads with the names of the threads.
func crossingByName(p *ir.Program, tr *trace.Trace) string {
	var out []string
	for _, e := range tr.Edges {
		from, to := tr.Events[e.From], tr.Events[e.To]
		if from.Thread != to.Thread {
			out = append(out, fmt.Sprintf("%s%d-%s>%s%d", p.Threads[from.Thread].Name, 0, e.Kind, p.Threads[to.Thread].Name, 0))
		}
	}
	return strings.Join(out, " ")
}
