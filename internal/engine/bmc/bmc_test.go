package bmc_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/bmc"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/testkit"
	"fencepost/verdict"
)

var (
	programs  = flag.Int("fp.programs", 27, "random programs per model")
	firstSeed = flag.Uint64("fp.seed", 1, "seed of the first random program")
	profile   = flag.String("fp.profile", "", "only random programs of profiles whose names begin so")
)

var errUnsupported = errors.New("unsupported")

// overlapping are further profiles in which most accesses overlap in part.
var overlapping = []testkit.Profile{
	{Name: "overlap-sync", Overlap: true, Sync: true},
	{Name: "overlap-heap", Overlap: true, Heap: true},
	{Name: "overlap-goal", Overlap: true, Goal: true},
	{Name: "overlap-spawn", Overlap: true, Spawn: true},
	{Name: "overlap-computed", Overlap: true, Computed: true},
}

// chosenProfiles returns the profiles that the flag selects.
func chosenProfiles() []testkit.Profile {
	var out []testkit.Profile
	for _, pr := range slices.Concat(testkit.Profiles, overlapping, testkit.Rare) {
		if strings.HasPrefix(pr.Name, *profile) {
			out = append(out, pr)
		}
	}
	return out
}

// complete returns the engine with bounds that exclude no execution.
func complete(unroll int) *engine.Engine {
	return reasoned(func(task *engine.Task) (bmc.Options, error) { return bmc.Complete(task, unroll) })
}

// ordered returns the engine with the order of events.
func ordered(unroll int) *engine.Engine {
	return reasoned(func(*engine.Task) (bmc.Options, error) { return bmc.Options{Unroll: unroll, Encoding: bmc.Order}, nil })
}

// reasoned returns the engine with options, and errUnsupported where it does not encode a program.
func reasoned(options func(*engine.Task) (bmc.Options, error)) *engine.Engine {
	return &engine.Engine{Name: "bmc", Run: func(ctx context.Context, task *engine.Task) (*engine.Outcome, error) {
		if err := bmc.Engine.Supports(task); err != nil {
			return nil, fmt.Errorf("%w: %w", errUnsupported, err)
		}
		opt, err := options(task)
		if err != nil {
			return nil, err
		}
		out, err := bmc.New(opt).Run(ctx, task)
		if err == nil && (strings.Contains(out.Unknown, "does not encode") || strings.Contains(out.Unknown, "is not encoded")) {
			return nil, fmt.Errorf("%w: %s", errUnsupported, out.Unknown)
		}
		return out, err
	}}
}

// TestAgainstExplicit: with bounds that exclude no execution the answers agree with the explicit
// engine, on random programs under every model, and every execution replays. More than one round of
// a spin loop makes no difference.
func TestAgainstExplicit(t *testing.T) {
	t.Run("rounds", func(t *testing.T) { againstExplicit(t, complete(1)) })
	t.Run("order", func(t *testing.T) { againstExplicit(t, ordered(1)) })
}

func againstExplicit(t *testing.T, e *engine.Engine) {
	profiles := chosenProfiles()
	if len(profiles) == 0 {
		t.Fatalf("no profile begins with %q", *profile)
	}
	var found atomic.Int64
	withExplicit(t, e, profiles, testkit.How{Memory: 16 << 20}, func(want, got testkit.Answers) string {
		if want.Found() {
			found.Add(1)
		}
		return testkit.Difference(want, got)
	})
	t.Logf("%d with violations", found.Load())
}

// withExplicit asks the explicit engine and another about random programs of the profiles, and reports problems that
// their answers show.
func withExplicit(t *testing.T, e *engine.Engine, profiles []testkit.Profile, how testkit.How, problem func(want, got testkit.Answers) string) {
	var asked, refused, tooBig atomic.Int64
	onPrograms(t, profiles, func(p *testkit.Program) string {
		flat, props := p.Flat()
		for _, m := range testkit.Models {
			want, err := testkit.Ask(testkit.Explicit, flat, props, m, how)
			if errors.Is(err, testkit.ErrTooBig) {
				tooBig.Add(1)
				continue
			}
			if err != nil {
				return fmt.Sprintf("%s: explicit: %v", m, err)
			}
			got, err := testkit.Ask(e, flat, props, m, testkit.How{})
			if errors.Is(err, errUnsupported) {
				refused.Add(1)
				return ""
			}
			if err != nil {
				return fmt.Sprintf("%s: %v", m, err)
			}
			asked.Add(1)
			if what := problem(want, got); what != "" {
				return fmt.Sprintf("%s: %s", m, what)
			}
		}
		return ""
	})
	t.Logf("%d programs: %d questions answered; %d programs refused, %d questions too large for the explicit search",
		*programs, asked.Load(), refused.Load(), tooBig.Load())
}

// onPrograms looks for a problem of random programs of the profiles, and reports the smallest that it finds.
func onPrograms(t *testing.T, profiles []testkit.Profile, problem func(*testkit.Program) string) {
	inParallel(*programs, func(i int) {
		seed := *firstSeed + uint64(i)
		pr := profiles[seed%uint64(len(profiles))]
		p := testkit.Generate(seed, pr)
		if problem(p) == "" {
			return
		}
		small := testkit.Shrink(p, func(q *testkit.Program) bool { return problem(q) != "" })
		flat, props := small.Flat()
		t.Errorf("profile %s, seed %d: %s\ngoals %+v\nreproduce: go test ./internal/engine/bmc -run %s -fp.programs=1 -fp.seed=%d -fp.profile=%s\nshrunk to:\n%s",
			pr.Name, seed, problem(small), props.Goals, t.Name(), seed, *profile, irtext.Print(flat))
	})
}

// TestForwardsByteByByte: a load takes each byte from the newest own store that has
// it and still waits, and the others from memory, without waiting for either.
func TestForwardsByteByByte(t *testing.T) {
	for _, c := range []struct{ name, text, unsafe string }{
		// The load has one byte of its own and three of memory.
		{"partial", `
			var word w;
			var y;
			thread a { reg q, r; w.byte[1] = 1; q = w; r = y; }
			thread b { reg s; y = 1; fence; s = w; }
			never a:q == 0x100 && a:r == 0 && b:s == 0;`, "tso pso"},
		// Two own stores, neither of which covers the load.
		{"two stores", `
			var word w;
			var y;
			thread a { reg q, r; w.byte[0] = 1; w.byte[1] = 1; q = w; r = y; }
			thread b { reg s; y = 1; fence; s = w; }
			never a:q == 0x101 && a:r == 0 && b:s == 0;`, "tso pso"},
		// The other byte of the load is written by b, before a's store reaches memory.
		{"mixed with another's store", `
			var word w;
			var y;
			thread a { reg q, r; w.byte[0] = 1; q = w; r = y; }
			thread b { reg s; w.byte[1] = 2; y = 1; fence; s = w; }
			never a:q == 0x201 && a:r == 0 && b:s == 0x200;`, "tso pso"},
		// Of the older store only the bytes count that the newer one does not have.
		{"newest store", `
			var word w;
			thread a { reg q; w = 0x01010101; w.byte[2] = 2; q = w; assert q == 0x01020101; }`, ""},
		// The newer of the two arrives first under PSO only: their bytes differ.
		{"newer store first", `
			var word w;
			thread a { reg q; w.byte[3] = 1; w.byte[0] = 2; q = w; assert q == 0x01000002; }
			thread b { reg s; s = w; }
			never b:s == 2;`, "pso"},
		// Own stores that overlap keep their order under PSO, too.
		{"overlapping stores", `
			var word w;
			thread a { w.byte[0] = 1; w = 0x0202; }
			thread b { reg s; s = w; }
			never b:s == 0x0201;`, ""},
		// A read-modify-write waits for all of the own stores.
		{"read-modify-write", `
			var word w;
			var y;
			thread a { reg q, r; w.byte[1] = 1; q = fetch_add(w, 0); r = y; }
			thread b { reg s; y = 1; fence; s = w.byte[1]; }
			never a:q == 0x100 && a:r == 0 && b:s == 0;`, ""},
	} {
		for _, model := range []string{"sc", "tso", "pso"} {
			want := verdict.Safe
			if strings.Contains(c.unsafe, model) {
				want = verdict.Unsafe
			}
			got := ask(t, fp(c.text), model, bounds{1, 6, 6, 6}.options())
			if got.Verdict != want || want == verdict.Safe && !got.Coverage.Exhaustive {
				t.Errorf("%s under %s: %s (%s), all executions: %t; want %s", c.name, model, got.Verdict, got.Reason, got.Coverage.Exhaustive, want)
			}
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
