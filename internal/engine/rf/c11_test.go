package rf_test

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/rf"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/replay"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
	"fencepost/verdict"
)

// c11Key names the class of an execution as the enumerator does.
func c11Key(p *ir.Program, w *verdict.Witness) string {
	count := map[int]int{}
	number := make([]int, len(w.Steps))
	var g testkit.C11Graph
	at := map[int]int{} // step to index in g
	for t := range w.Threads {
		for i := range w.Steps {
			if st := &w.Steps[i]; st.Thread == t && (st.IsAccess()) {
				number[i] = count[t]
				e := testkit.C11Event{Thread: t, Index: count[t], Kind: 'W', From: -1}
				if st.Kind != verdict.StepStore {
					_, edge, _ := p.EdgeByID(ir.EdgeID(st.Edge))
					e.Kind, e.NoReason = 'R', edge.Op.Kind == ir.Await
				}
				count[t]++
				at[i] = len(g)
				g = append(g, e)
			}
		}
	}
	for _, r := range w.Graph.Reads {
		if r.From >= 0 {
			g[at[r.Step]].From = at[r.From]
		}
	}
	return g.Key()
}

func runC11(t *testing.T, p *ir.Program, props *property.Set, finals, keepGoing bool, visit func(*verdict.Witness)) *engine.Outcome {
	t.Helper()
	task := &engine.Task{Program: p, Props: props, Model: memory.C11, KeepGoing: keepGoing, Finals: finals, Limits: engine.Limits{Workers: 1}}
	e := rf.New(rf.Options{Visit: visit})
	out, err := e.Run(context.Background(), task)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestC11: classes under c11 against brute force on the definition, each found once, and whether there is a race.
func TestC11(t *testing.T) {
	programs, classes, graphs, racy, changed := 0, 0, 0, 0, 0
	for seed := range uint64(*c11Programs) {
		sizes := [][2]int{{2, 4}, {3, 2}, {2, 3}, {3, 3}, {4, 2}}[seed%5]
		r := testkit.WeakC11(seed, sizes[0], sizes[1])
		want, dataRace, ok := r.Classes(1500)
		if !ok {
			continue
		}
		programs++
		p, diags := irtext.Parse("random", []byte(r.Text()))
		if diags.HasErrors() {
			t.Fatalf("seed %d: %v\n%s", seed, diags, r.Text())
		}
		p = transform.C11(p, false)
		seen := map[string]int{}
		props := &property.Set{}
		for l := range r.Locs {
			props.Observe = append(props.Observe, property.Var{Name: fmt.Sprintf("v%d", l), Thread: ir.NoThread, Addr: p.Objects[l].Addr, Type: ir.S64})
		}
		out := runC11(t, p, props, true, true, func(w *verdict.Witness) {
			seen[c11Key(p, w)]++
			if err := replay.Replay(p, &property.Set{}, replay.C11, w, replay.Expect{Target: replay.TargetExecution}); err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, r.Text())
			}
			changed += refusesOther(t, p, w, want)
		})
		if out.Unknown != "" {
			t.Fatalf("seed %d: %s\n%s", seed, out.Unknown, r.Text())
		}
		for key, n := range seen {
			if n > 1 || want[key] == nil {
				t.Fatalf("seed %d: class %s found %d times, wanted: %v\n%s", seed, key, n, want[key] != nil, r.Text())
			}
		}
		for key, c := range want {
			if seen[key] == 0 {
				t.Fatalf("seed %d: class %s is missing\n%s", seed, key, r.Text())
			}
			graphs += c.Orders
		}
		compareFinals(t, seed, r, want, out.Finals)
		for _, v := range out.Violations {
			if err := replay.Replay(p, &property.Set{}, replay.C11, v.Witness, replay.Expect{Target: replay.TargetDataRace, DataRace: [2]int{v.StoreStep, v.LoadStep}}); err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, r.Text())
			}
		}
		found := slices.ContainsFunc(out.Violations, func(v engine.Violation) bool { return v.Kind == engine.DataRace })
		if found != dataRace {
			t.Fatalf("seed %d: race %v, want %v\n%s", seed, found, dataRace, r.Text())
		}
		if dataRace {
			racy++
		}
		classes += len(want)
	}
	t.Logf("%d programs, %d classes, %d graphs, %d with races, %d changed graphs refused", programs, classes, graphs, racy, changed)
}

// refusesOther gives the first read of an execution another source, and expects that replay refuses the graph if no
// class has it. It returns how many graphs were refused.
func refusesOther(t *testing.T, p *ir.Program, w *verdict.Witness, want map[string]*testkit.C11Class) int {
	if len(w.Graph.Reads) == 0 || w.Graph.Reads[0].From < 0 {
		return 0
	}
	other := *w
	graph := *w.Graph
	graph.Reads = slices.Clone(graph.Reads)
	graph.Reads[0].From = -1
	other.Graph = &graph
	if err := replay.Replay(p, &property.Set{}, replay.C11, &other, replay.Expect{Target: replay.TargetExecution}); err != nil {
		return 1
	}
	if want[c11Key(p, &other)] == nil {
		t.Fatalf("replay accepts a graph that is not consistent: %s", c11Key(p, &other))
	}
	return 0
}

// compareFinals compares final states.
func compareFinals(t *testing.T, seed uint64, r *testkit.C11Program, want map[string]*testkit.C11Class, got []string) {
	t.Helper()
	var all []string
	for _, c := range want {
		for _, f := range c.Finals {
			all = append(all, strings.Join(strings.Fields(f), " "))
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	if !slices.Equal(all, got) {
		t.Fatalf("seed %d: final states %q, want %q\n%s", seed, got, all, r.Text())
	}
}

var c11Programs = flag.Int("fp.c11", 250, "random programs under c11")
