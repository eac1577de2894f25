package smc_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/smc"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

var programs = flag.Int("fp.traces", 45, "random programs whose traces are counted, per model")
var histories = flag.Int("fp.histories", 6000, "programs with more partial traces are not counted")
var firstSeed = flag.Int("fp.seed", 0, "first seed")

// explored is the result of an exploration.
type explored struct {
	smc.Explored
	all   map[string]int  // executions, with how they ended
	final map[string]bool // traces of the executions in which all threads finished
}

// keys explores a program and returns the keys of its executions.
func keys(p *ir.Program, m memory.Model, source bool) (n explored, err error) {
	task := &engine.Task{Program: p, Props: &property.Set{}, Model: m, KeepGoing: true}
	y := memory.New(p, m, memory.Options{})
	n.all, n.final = map[string]int{}, map[string]bool{}
	n.Explored, err = smc.ExploreAll(task, smc.Options{Traces: true, SourceDPOR: source}, func(steps []memory.Step, extra string) {
		r := testkit.NewTracker(y)
		r.Run(steps)
		key := r.Key()
		n.all[key+extra]++
		if r.Final() {
			n.final[key] = true
		}
	})
	return n, err
}

// check compares an exploration with all traces. Where blocks are allocated, several executions may
// have one trace.
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

// runSeed compares an exploration with all traces of a random program. It returns the number of
// traces, and whether a load of some execution reads its bytes from several stores.
func runSeed(t *testing.T, seed uint64, pr testkit.Profile, m memory.Model) (total int, split, ok bool) {
	smc.Near = uint(seed) / 7 % 5
	defer func() { smc.Near = 0 }()
	p, _ := testkit.Generate(seed, pr).Flat()
	flat, _, err := transform.Unroll(p, &property.Set{}, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	if pr.Overlap && !overlaps(flat) {
		return 0, false, false
	}
	r := testkit.NewTracker(memory.New(flat, m, memory.Options{}))
	want, ok := r.Traces(*histories)
	if !ok {
		return 0, false, false
	}
	n, err := keys(flat, m, false)
	if err == nil {
		err = n.check(want, pr.Heap)
	}
	if err != nil {
		t.Errorf("seed %d, %s, %s: %v\n%s", seed, pr.Name, m, err, irtext.Print(flat))
	}
	return len(want), r.Split, true
}

// overlaps reports whether two accesses of a program share some bytes and not all.
func overlaps(p *ir.Program) bool {
	type cell struct {
		object ir.ObjectID
		off    int64
		size   int64
	}
	var all []cell
	for _, f := range p.Funcs {
		for i := range f.Edges {
			if op := &f.Edges[i].Op; op.Accesses() && op.Addr.Op == ir.AddrOf {
				all = append(all, cell{op.Addr.Obj, op.Addr.Value, int64(op.Type.Size())})
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

// TestOptimalOverlap is TestOptimal for accesses of different sizes that share bytes, so that loads
// forward some bytes and read others from memory.
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
			t.Logf("%d programs, %d with loads that read from several stores, %d traces; %d programs skipped", fewer(*programs), several, total, skipped)
			if m != memory.SC && several < fewer(*programs)/6 {
				t.Errorf("only %d programs have loads that read from several stores", several)
			}
		})
	}
}

// wordProgram is a random program of two to four threads that do nothing but access a word of
// three bytes in all sizes: nearly all loads overlap something.
func wordProgram(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 1))
	cell := func(wide int) (string, string) { // wide of four are of two bytes
		size := 1 + bit(r.IntN(4) < wide)
		at := []string{"&w", "&w+1", "&w+2"}[r.IntN(4-size)]
		return []string{"u8", "u16"}[size-1], at
	}
	var text strings.Builder
	text.WriteString("program word flat\nobject w size 3\n")
	threads := 2 + r.IntN(3)
	for t := range threads {
		fmt.Fprintf(&text, "func t%d() {\n  reg r\n", t)
		for i := range 1 + r.IntN(10/threads) {
			size, at := cell(1)
			op := fmt.Sprintf("store.%s [%s] = %d", size, at, 257*(1+r.IntN(2)))
			if i > 0 {
				size, at = cell(3)
			}
			switch k := r.IntN(20); {
			case k < 11 && i > 0:
				op = fmt.Sprintf("r = load.%s [%s]", size, at)
			case k == 11:
				op = fmt.Sprintf("r = await.%s [%s] when (seen != 257)", size, at)
			case k == 12:
				op = fmt.Sprintf("r = rmw.cas.%s [%s], 0, 257", size, at)
			case k == 13:
				op = []string{"fence", "fence.ss"}[r.IntN(2)]
			case k == 14: // a section that writes or not as what it reads says
				_, other := cell(0)
				fmt.Fprintf(&text, "  L%d -> A%d: atomicbegin\n  A%d -> B%d: r = load.%s [%s]\n", i, i, i, i, size, at)
				fmt.Fprintf(&text, "  B%d -> C%d: assume (r == 0)\n  C%d -> D%d: store.u8 [%s] = 257\n", i, i, i, i, other)
				fmt.Fprintf(&text, "  B%d -> D%d: assume (r != 0)\n  D%d -> L%d: atomicend\n", i, i, i, i+1)
				continue
			}
			fmt.Fprintf(&text, "  L%d -> L%d: %s\n", i, i+1, op)
		}
		text.WriteString("}\n")
	}
	for t := range threads {
		fmt.Fprintf(&text, "thread t%d = t%d()\n", t, t)
	}
	return text.String()
}

// TestOptimalWord is TestOptimal for small programs in which most loads read from several stores.
func TestOptimalWord(t *testing.T) {
	total, several, skipped := [3]int{}, [3]int{}, [3]int{}
	for i := range fewer(2 * *programs) {
		text := wordProgram(uint64(*firstSeed + i))
		p, diags := irtext.Parse("word.ir", []byte(text))
		if diags.HasErrors() {
			t.Fatal(diags.All, text)
		}
		for k, m := range testkit.Models {
			r := testkit.NewTracker(memory.New(p, m, memory.Options{}))
			want, ok := r.Traces(*histories)
			if !ok {
				skipped[k]++
				continue
			}
			total[k] += len(want)
			several[k] += bit(r.Split)
			n, err := keys(p, m, false)
			if err == nil {
				err = n.check(want, false)
			}
			if err != nil {
				t.Fatalf("seed %d, %s: %v\n%s", *firstSeed+i, m, err, text)
			}
		}
	}
	t.Logf("%d programs: %d traces, %d programs with loads that read from several stores, %d skipped (SC, TSO, PSO)", fewer(2**programs), total, several, skipped)
	if several[2] < fewer(2**programs)/4 {
		t.Errorf("only %d programs have loads that read from several stores", several[2])
	}
}

// TestSeveralStores: programs whose traces can be counted by hand.
func TestSeveralStores(t *testing.T) {
	for _, c := range []struct {
		name    string
		body    string
		counts  [3]int // traces: SC, TSO, PSO
		blocked int    // executions with a refused await
	}{
		// Traces differ in the order of the stores to the first byte, and in whether the second
		// byte was read before.
		{"one byte from memory", `object w size 2
func a() {
  reg r
  L0 -> L1: store.u8 [&w] = 1
  L1 -> L2: r = load.u16 [&w]
}
func b() {
  L0 -> L1: store.u16 [&w] = 514
}`, [3]int{3, 4, 4}, 0},
		// Traces differ in the order of stores to both bytes.
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
		// Reversing the race of the first store and the load, a byte is forwarded that was read in
		// memory. The counts are the enumerator's.
		{"reversed", `object w size 2
func a() {
  L0 -> L1: store.u16 [&w] = 2
  L1 -> L2: store.u8 [&w+1] = 3
}
func b() {
  reg r
  L0 -> L1: store.u8 [&w+1] = 1
  L1 -> L2: r = load.u16 [&w]
}
func c() {
  reg r
  L0 -> L1: store.u8 [&w+1] = 3
  L1 -> L2: r = load.u16 [&w]
}`, [3]int{70, 116, 116}, 0},
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
		text := "program stores flat\n" + c.body + "\nthread a = a()\nthread b = b()\n"
		if strings.Contains(c.body, "func c") {
			text += "thread c = c()\n"
		}
		p, diags := irtext.Parse("stores.ir", []byte(text))
		if diags.HasErrors() {
			t.Fatal(c.name, diags.All)
		}
		for k, m := range testkit.Models {
			want, _ := testkit.NewTracker(memory.New(p, m, memory.Options{})).Traces(*histories)
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

// TestReversalWithMoreAccesses: a reversible race is reversed in every execution with it if the
// reversed event accesses more than the second event did. The section writes y only if it comes
// before x = 1, and only some executions with the race have an event that depends on this write.
func TestReversalWithMoreAccesses(t *testing.T) {
	for _, order := range []string{"abcd", "dabc"} {
		text := `program more flat
object x size 8
object y size 8
object z size 8
func a() {
  reg r
  L0 -> L1: atomicbegin
  L1 -> L2: r = load [&x]
  L2 -> L3: assume (r == 0)
  L3 -> L4: store [&y] = 1
  L2 -> L4: assume (r != 0)
  L4 -> L5: atomicend
}
func b() {
  L0 -> L1: store [&x] = 1
  L1 -> L2: atomicbegin
  L2 -> L3: store [&y] = 2
  L3 -> L4: store [&z] = 2
  L4 -> L5: atomicend
}
func c() {
  reg r
  reg s
  L0 -> L1: store [&z] = 3
  L1 -> L2: atomicbegin
  L2 -> L3: r = load [&y]
  L3 -> L4: s = load [&z]
  L4 -> L5: atomicend
}
func d() {
  L0 -> L1: store [&z] = 1
}
`
		for _, name := range strings.Split(order, "") {
			text += fmt.Sprintf("thread %s = %s()\n", name, name)
		}
		p, diags := irtext.Parse("more.ir", []byte(text))
		if diags.HasErrors() {
			t.Fatal(diags.All)
		}
		for _, m := range testkit.Models {
			want, _ := testkit.NewTracker(memory.New(p, m, memory.Options{})).Traces(*histories)
			n, err := keys(p, m, false)
			if err == nil {
				err = n.check(want, false)
			}
			if err != nil || len(want) != 28 {
				t.Errorf("%s, %s: %d traces, %v", order, m, len(want), err)
			}
		}
	}
}

// TestUnlockOfFreeMutex: an unlock that is an error is ordered with a lock of another thread,
// although the lock does not wait for it.
func TestUnlockOfFreeMutex(t *testing.T) {
	p, diags := irtext.Parse("mutex.ir", []byte(`program mutex flat
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
		want, _ := testkit.NewTracker(memory.New(p, m, memory.Options{})).Traces(*histories)
		n, err := keys(p, m, false)
		if err != nil || len(n.all) != len(want) || n.Complete != 4 || len(want) != 4 {
			t.Errorf("%s: explored %d, traces %d, want 4 (%v)", m, n.Complete, len(want), err)
		}
	}
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
