package rf_test

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/rf"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/testkit"
)

// TestC11SeqCst: where every access is seq_cst, c11 has the final states and violations of SC, and SC allows every class. The
// programs start and join threads, and have locks of all kinds, barriers, semaphores, conditions and blocks.
func TestC11SeqCst(t *testing.T) {
	compared, racy, kinds := 0, 0, map[ir.OpKind]int{}
	profiles := c11Profiles()
	for i := range fewer(*divided) {
		seed := uint64(*firstSeed + i)
		pr := profiles[seed%uint64(len(profiles))]
		flat, props := testkit.Generate(seed, pr).Flat()
		flat = ordered(flat, nil)
		if canFail(flat) {
			continue
		}
		if (&engine.Task{Program: flat, Props: props, Model: memory.SC}).GoalsByLocation("rf") != nil {
			props.Goals = nil
		}
		ask := func(m memory.Model, e engine.Engine) *engine.Outcome {
			task := &engine.Task{Program: flat, Props: props, Model: m, KeepGoing: true, Finals: true, Limits: engine.Limits{Unroll: 2, Workers: 1}}
			if e.Supports(task) != nil {
				return nil
			}
			defer func() {
				if broken := recover(); broken != nil {
					t.Fatalf("profile %s, seed %d, %s: %v\n%s\n%s", pr.Name, seed, m, broken, irtext.Print(flat), debug.Stack())
				}
			}()
			out, err := e.Run(context.Background(), task)
			if err != nil {
				t.Fatalf("profile %s, seed %d: %v", pr.Name, seed, err)
			}
			return out
		}
		sc, c11 := ask(memory.SC, rf.Engine), ask(memory.C11, rf.Engine)
		if sc == nil || c11 == nil || sc.Unknown != "" || c11.Unknown != "" {
			continue
		}
		if slices.ContainsFunc(c11.Violations, func(v engine.Violation) bool { return v.Kind == engine.DataRace }) {
			racy++
			continue
		}
		if a, b := shown(sc), shown(c11); a != b {
			t.Fatalf("profile %s, seed %d: SC has %s, c11 %s\n%s", pr.Name, seed, a, b, irtext.Print(flat))
		}
		// Signals have one order and synchronise with nothing, so that this order may be one that SC does not have.
		if out := ask(memory.C11, rf.New(rf.Options{Robust: true})); len(out.Violations) > 0 && !has(flat, ir.Signal) && !has(flat, ir.Broadcast) {
			t.Fatalf("profile %s, seed %d: SC does not allow a class\n%s", pr.Name, seed, irtext.Print(flat))
		}
		compared++
		for _, f := range flat.Funcs {
			for k := range f.Edges {
				kinds[f.Edges[k].Op.Kind]++
			}
		}
	}
	t.Logf("%d programs compared, %d with data races; operations: %v", compared, racy, kinds)
}

// has reports whether a program has an operation.
func has(p *ir.Program, kind ir.OpKind) bool {
	return slices.ContainsFunc(p.Funcs, func(f *ir.Func) bool {
		return slices.ContainsFunc(f.Edges, func(e ir.Edge) bool { return e.Op.Kind == kind })
	})
}

// canFail reports whether a program has calls that can fail and then are relaxed loads, which may be stale.
func canFail(p *ir.Program) bool {
	for _, f := range p.Funcs {
		for k := range f.Edges {
			if f.Edges[k].Op.Sync.Kind == ir.SyncInspect {
				return true
			}
		}
	}
	return false
}

// shown returns the final states and the violations of an outcome.
func shown(out *engine.Outcome) string {
	var all []string
	for _, v := range out.Violations {
		if v.Class == ir.BadJoin { // the first of two joins of a thread is one of both, and which one is not asked
			v.Edge = ir.NoEdge
		}
		all = append(all, violation(v))
	}
	slices.Sort(all)
	return fmt.Sprint(out.Finals, slices.Compact(all))
}

// TestC11TwoJoins: a join that fails because another one has joined the thread comes when the thread has ended, not when it has
// read that the thread runs.
func TestC11TwoJoins(t *testing.T) {
	flat, props := testkit.Generate(3639, testkit.Profile{Name: "starts", Joins: true, Shared: true}).Flat()
	for _, opt := range []rf.Options{{}, {Robust: true}} {
		task := &engine.Task{Program: ordered(flat, nil), Props: props, Model: memory.C11, KeepGoing: true, Finals: true, Limits: engine.Limits{Unroll: 2, Workers: 1}}
		props.Goals = nil
		out, err := rf.New(opt).Run(context.Background(), task)
		if err != nil || out.Unknown != "" {
			t.Fatalf("%v %s", err, out.Unknown)
		}
		if !opt.Robust && !slices.ContainsFunc(out.Violations, func(v engine.Violation) bool { return v.Class == ir.BadJoin }) {
			t.Error("no join fails")
		}
	}
}
