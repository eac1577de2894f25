package smc_test

import (
	"flag"
	"fmt"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/smc"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

var programs = flag.Int("fp.traces", 150, "random programs whose traces are counted, per model")
var histories = flag.Int("fp.histories", 6000, "programs with more partial traces are not counted")
var firstSeed = flag.Int("fp.seed", 0, "first seed")

// explored is what an exploration came to.
type explored struct {
	smc.Explored
	all   map[string]int  // executions, with how they ended
	final map[string]bool // traces of those that came to their end
}

// keys explores a program and gives the keys of its executions.
func keys(p *ir.Program, m memory.Model, source bool) (n explored, err error) {
	task := &engine.Task{Program: p, Props: &property.Set{}, Model: m, KeepGoing: true, Traces: true, Source: source}
	y := memory.New(p, m, memory.Options{})
	n.all, n.final = map[string]int{}, map[string]bool{}
	n.Explored, err = smc.ExploreAll(task, func(steps []memory.Step, extra string) {
		r := newTracker(y)
		r.run(steps)
		key := r.key()
		n.all[key+extra]++
		if y.Final(r.s) {
			n.final[key] = true
		}
	})
	return n, err
}

// check compares an exploration with all traces. Where blocks are allocated, executions
// are told apart that have one trace.
func (n *explored) check(want map[string]bool, heap bool) error {
	twice, missing := 0, 0
	for _, k := range n.all {
		if k > 1 && !heap {
			twice++
		}
	}
	for k := range want {
		if !n.final[k] {
			missing++
		}
	}
	if n.Asleep > 0 || twice > 0 || missing > 0 || len(n.final) != len(want) || !heap && n.Complete != int64(len(want)) {
		return fmt.Errorf("explored %d, traces %d, %d cut off by sleep sets, %d explored twice, %d missing", n.Complete, len(want), n.Asleep, twice, missing)
	}
	return nil
}

// runSeed compares the two on a random program. It gives the number of traces, and whether
// there are executions with loads whose bytes come from different places.
func runSeed(t *testing.T, seed uint64, pr testkit.Profile, m memory.Model) (total int, split, ok bool) {
	p, _ := testkit.Generate(seed, pr).Flat()
	flat, _, err := transform.Unroll(p, &property.Set{}, 2)
	if err != nil {
		t.Fatal(err)
	}
	if pr.Overlap && !overlaps(flat) {
		return 0, false, false
	}
	r := newTracker(memory.New(flat, m, memory.Options{}))
	want, ok := r.traces(*histories)
	if !ok {
		return 0, false, false
	}
	n, err := keys(flat, m, false)
	if err == nil {
		err = n.check(want, pr.Heap)
	}
	if err != nil {
		t.Errorf("seed %d, %s, %s: %v\n%s", seed, pr.Name, m, err, ir.Print(flat))
	}
	return len(want), r.split, true
}

// overlaps reports whether two accesses of a program share some bytes and not all.
func overlaps(p *ir.Program) bool {
	type place struct {
		object ir.ObjectID
		off    int64
		size   int64
	}
	var all []place
	for _, f := range p.Funcs {
		for i := range f.Edges {
			if op := &f.Edges[i].Op; op.Accesses() && op.Addr.Op == ir.AddrOf {
				all = append(all, place{op.Addr.Obj, op.Addr.Value, int64(op.Type.Size())})
			}
		}
	}
	for _, a := range all {
		for _, b := range all {
			if a.object == b.object && a != b && a.off < b.off+b.size && b.off < a.off+a.size {
				return true
			}
		}
	}
	return false
}

// fewer is how many programs there are with the race detector, where they are slow.
func fewer(n int) int {
	if testing.Short() {
		return n / 20
	}
	return n
}

// TestOptimal: as many executions as there are traces, none twice, none cut off.
func TestOptimal(t *testing.T) {
	for _, m := range []memory.Model{memory.SC, memory.TSO, memory.PSO} {
		t.Run(m.String(), func(t *testing.T) {
			total, skipped := 0, 0
			for i := range fewer(*programs) {
				pr := []testkit.Profile{{Name: "core"}, {Name: "plain", Plain: true}, {Name: "mixed", Mixed: true}, {Name: "spawn", Spawn: true},
					{Name: "sync", Sync: true}, {Name: "waits", Sync: true, Waits: true}}[(*firstSeed+i)%6]
				n, _, ok := runSeed(t, uint64(*firstSeed+i), pr, m)
				total += n
				if !ok {
					skipped++
				}
				if t.Failed() {
					return
				}
			}
			t.Logf("%d traces, %d programs skipped", total, skipped)
		})
	}
}

// TestOptimalOverlap: the same where accesses of different sizes share bytes, so that loads
// take some bytes from the own buffer and others from memory.
func TestOptimalOverlap(t *testing.T) {
	plain := testkit.Profile{Name: "overlap-plain", Plain: true}
	profiles := []testkit.Profile{plain, {Name: "overlap"}, plain, {Name: "overlap-sync", Sync: true}, plain, {Name: "overlap-waits", Sync: true, Waits: true},
		plain, {Name: "overlap-heap", Heap: true}, plain, {Name: "overlap-spawn", Spawn: true}}
	for _, m := range []memory.Model{memory.SC, memory.TSO, memory.PSO} {
		t.Run(m.String(), func(t *testing.T) {
			total, several, skipped, left := 0, 0, 0, fewer(*programs)
			for i := *firstSeed; left > 0 && !t.Failed(); i++ {
				pr := profiles[i%len(profiles)]
				pr.Overlap = true
				n, split, ok := runSeed(t, uint64(i), pr, m)
				if !ok {
					skipped++
					continue
				}
				left--
				total += n
				several += bit(split)
			}
			t.Logf("%d programs, %d with loads that have several sources, %d traces; %d programs skipped", fewer(*programs), several, total, skipped)
			if m != memory.SC && several < fewer(*programs)/6 {
				t.Errorf("only %d programs have loads with several sources", several)
			}
		})
	}
}

// TestSeveralSources: programs whose traces can be counted by hand.
func TestSeveralSources(t *testing.T) {
	for _, c := range []struct {
		name    string
		body    string
		counts  [3]int // traces: SC, TSO, PSO
		blocked int    // executions with a refused await
	}{
		// Order of the stores to the first byte, and whether the second byte was read before.
		{"one byte from memory", `object w size 2
func a() {
  reg r
  L0 -> L1: store.u8 [&w] = 1
  L1 -> L2: r = load.u16 [&w]
}
func b() {
  L0 -> L1: store.u16 [&w] = 514
}`, [3]int{3, 4, 4}, 0},
		// The order is a matter of both bytes.
		{"two stores", `object w size 2
func a() {
  reg r
  L0 -> L1: store.u8 [&w] = 1
  L1 -> L2: store.u8 [&w+1] = 1
  L2 -> L3: r = load.u16 [&w]
}
func b() {
  L0 -> L1: store.u16 [&w] = 514
}`, [3]int{4, 5, 7}, 0},
		// An await that is refused as long as one of its bytes, which is not forwarded, is 0.
		{"await", `object w size 2
func a() {
  reg r
  L0 -> L1: store.u8 [&w] = 1
  L1 -> L2: r = await.u16 [&w] when (seen == 513)
}
func b() {
  L0 -> L1: store.u8 [&w+1] = 2
}`, [3]int{1, 1, 1}, 1},
	} {
		p, diags := ir.Parse("sources.ir", []byte("program sources flat\n"+c.body+"\nthread a = a()\nthread b = b()\n"))
		if diags.HasErrors() {
			t.Fatal(c.name, diags.All)
		}
		for k, m := range testkit.Models {
			want, _ := traces(memory.New(p, m, memory.Options{}), *histories)
			n, err := keys(p, m, false)
			if err == nil {
				err = n.check(want, false)
			}
			if err != nil || len(want) != c.counts[k] || len(n.all) != c.counts[k]+c.blocked {
				t.Errorf("%s, %s: explored %d, traces %d, want %d and %d blocked (%v)", c.name, m, len(n.all), len(want), c.counts[k], c.blocked, err)
			}
		}
	}
}

// TestLookingAtAFreeMutex: an unlock that is only an error comes before or after a lock of
// another thread, although it lets nothing go that the lock waits for.
func TestLookingAtAFreeMutex(t *testing.T) {
	p, diags := ir.Parse("mutex.ir", []byte(`program mutex flat
object m size 8
func a() {
  L0 -> L1: lock [&m]
  L1 -> L2: unlock [&m]
}
func b() {
  L0 -> L1: lock.errorcheck [&m]
  L1 -> L2: unlock.errorcheck [&m]
  L2 -> L3: unlock.errorcheck [&m]
}
thread a = a()
thread b = b()
`))
	if diags.HasErrors() {
		t.Fatal(diags.All)
	}
	for _, m := range testkit.Models {
		want, _ := traces(memory.New(p, m, memory.Options{}), *histories)
		n, err := keys(p, m, false)
		if err != nil || len(n.all) != len(want) || n.Complete != 4 || len(want) != 4 {
			t.Errorf("%s: explored %d, traces %d, want 4 (%v)", m, n.Complete, len(want), err)
		}
	}
}
