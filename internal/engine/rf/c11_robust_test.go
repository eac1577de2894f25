package rf_test

import (
	"context"
	"fmt"
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
)

// TestC11Robust: whether SC allows all classes, alone and with last writes, against brute force. Every class that SC refuses is
// checked by replay, which tries all orders of the steps, and a class without its last step SC allows.
func TestC11Robust(t *testing.T) {
	programs, weak, weakLast := 0, 0, 0
	for seed := range uint64(*c11Programs) {
		sizes := [][2]int{{2, 4}, {3, 2}, {2, 3}, {3, 3}, {4, 2}}[seed%5]
		r := testkit.WeakC11(seed, sizes[0], sizes[1])
		_, dataRace, ok := r.Classes(1500)
		if !ok || dataRace {
			continue
		}
		programs++
		p, diags := irtext.Parse("random", []byte(r.Text()))
		if diags.HasErrors() {
			t.Fatalf("seed %d: %v", seed, diags)
		}
		p = transform.C11(p, false)
		props := &property.Set{}
		for l := range r.Locs {
			props.Observe = append(props.Observe, property.Var{Name: fmt.Sprintf("v%d", l), Thread: ir.NoThread, Addr: p.Objects[l].Addr, Type: ir.S64})
		}
		for _, finals := range []bool{false, true} {
			task := &engine.Task{Program: p, Props: props, Model: memory.C11, Finals: finals, Limits: engine.Limits{Workers: 1}}
			e := rf.New(rf.Options{Robust: true})
			out, err := e.Run(context.Background(), task)
			if err != nil || out.Unknown != "" {
				t.Fatalf("seed %d: %v %s", seed, err, out.Unknown)
			}
			want := r.Weak || finals && r.WeakLast
			if got := len(out.Violations) > 0; got != want {
				t.Fatalf("seed %d: SC refuses a class (with last writes: %v): %v, want %v\n%s", seed, finals, got, want, r.Text())
			}
			for i := range out.Violations {
				minimal(t, seed, p, &out.Violations[i])
			}
			switch {
			case !finals && want:
				weak++
			case finals && want:
				weakLast++
			}
		}
	}
	if weak == 0 || weakLast == programs {
		t.Errorf("the programs do not tell the answers apart")
	}
	t.Logf("%d programs without a data race; SC refuses a class of %d, with last writes of %d", programs, weak, weakLast)
}

// minimal replays a graph that SC refuses, and demands that replay finds an order without the last step of a thread, where that is
// a part of the graph.
func minimal(t *testing.T, seed uint64, p *ir.Program, v *engine.Violation) {
	t.Helper()
	want := replay.Expect{Target: replay.TargetNotSC}
	if v.Kind != engine.NotSC {
		t.Fatalf("seed %d: a violation of kind %s", seed, v.Kind)
	}
	if err := replay.Replay(p, &property.Set{}, replay.C11, v.Witness, want); err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	if len(v.Witness.Graph.Last) > 0 {
		return
	}
	last := len(v.Witness.Steps) - 1
	for last > 0 && !v.Witness.Steps[last].IsAccess() {
		last--
	}
	if err := replay.Replay(p, &property.Set{}, replay.C11, v.Witness.Until(last-1), want); err == nil {
		t.Fatalf("seed %d: SC refuses the graph without its last access, too", seed)
	}
}
