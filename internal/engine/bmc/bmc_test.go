package bmc_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/bmc"
	"fencepost/internal/ir"
	"fencepost/internal/testkit"
)

var (
	programs  = flag.Int("fp.programs", 60, "random programs per model")
	firstSeed = flag.Uint64("fp.seed", 1, "seed of the first random program")
	profile   = flag.String("fp.profile", "", "only random programs of this profile")
)

var errUnsupported = errors.New("unsupported")

// complete is the engine with bounds that lose nothing.
func complete(unroll int) *engine.Engine {
	return &engine.Engine{Name: "bmc", Run: func(ctx context.Context, task *engine.Task) (*engine.Outcome, error) {
		opt, err := bmc.Complete(task, unroll)
		if err != nil {
			return nil, err
		}
		task.BMC = opt
		out, err := bmc.Run(ctx, task)
		if err == nil && strings.Contains(out.Unknown, "does not encode") {
			return nil, fmt.Errorf("%w: %s", errUnsupported, out.Unknown)
		}
		return out, err
	}}
}

// TestAgainstExplicit: with bounds that lose nothing the answers are those of the
// explicit search, on random programs under every model, and every execution
// replays. Spinning longer than once changes nothing that is asked.
func TestAgainstExplicit(t *testing.T) {
	var asked, refused, found atomic.Int64
	inParallel(*programs, func(i int) {
		seed := *firstSeed + uint64(i)
		pr := testkit.Profiles[seed%uint64(len(testkit.Profiles))]
		if *profile != "" && pr.Name != *profile {
			return
		}
		problem := func(p *testkit.Program) string {
			flat, props := p.Flat()
			for _, m := range testkit.Models {
				want, err := testkit.Ask(testkit.Explicit, flat, props, m, testkit.How{Memory: 16 << 20})
				if errors.Is(err, testkit.ErrTooBig) {
					continue
				}
				if err != nil {
					return fmt.Sprintf("%s: explicit: %v", m, err)
				}
				got, err := testkit.Ask(complete(1), flat, props, m, testkit.How{})
				if errors.Is(err, errUnsupported) {
					refused.Add(1)
					return ""
				}
				if err != nil {
					return fmt.Sprintf("%s: %v", m, err)
				}
				asked.Add(1)
				if want.Found() {
					found.Add(1)
				}
				if d := testkit.Difference(want, got); d != "" {
					return fmt.Sprintf("%s: %s", m, d)
				}
			}
			return ""
		}
		p := testkit.Generate(seed, pr)
		if what := problem(p); what != "" {
			small := testkit.Shrink(p, func(q *testkit.Program) bool { return problem(q) != "" })
			flat, props := small.Flat()
			t.Errorf("profile %s, seed %d: %s\ngoals %+v\nreproduce: go test ./internal/engine/bmc -run TestAgainstExplicit -fp.programs=1 -fp.seed=%d\nshrunk to:\n%s",
				pr.Name, seed, problem(small), props.Goals, seed, ir.Print(flat))
		}
	})
	t.Logf("%d programs: %d questions answered, %d with violations; %d programs refused", *programs, asked.Load(), found.Load(), refused.Load())
}

// TestLoadOfTwoStores: under PSO the newer of two own stores that a load overlaps can
// be in memory when the older one is not, and the load waits for that.
func TestLoadOfTwoStores(t *testing.T) {
	p := &testkit.Program{Threads: [][]testkit.Stmt{{
		{Kind: testkit.Store, Var: 1, Off: 4, Size: 1, Val: 1},
		{Kind: testkit.Store, Var: 1, Size: 4, Val: 2},
		{Kind: testkit.Load, Var: 1, Size: 8},
	}}}
	flat, props := p.Flat()
	for _, m := range testkit.Models {
		want, err := testkit.Ask(testkit.Explicit, flat, props, m, testkit.How{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := testkit.Ask(complete(1), flat, props, m, testkit.How{})
		if err != nil {
			t.Fatal(err)
		}
		if d := testkit.Difference(want, got); d != "" {
			t.Errorf("%s: %s", m, d)
		}
	}
}

// inParallel runs f for 0..n-1 on all cores.
func inParallel(n int, f func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		}()
	}
	wg.Wait()
}
