package smc_test

import (
	"fmt"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/smc"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

// TestEveryOrder: there is one execution for every order of events, also in programs with blocks, where orders are finer
// than traces. Performing all possible events in all states finds all orders.
func TestEveryOrder(t *testing.T) {
	profiles := []testkit.Profile{{Name: "heap", Heap: true}, {Name: "core"}, {Name: "heap-sync", Heap: true, Sync: true}, {Name: "global", Global: true},
		{Name: "overlap-heap", Heap: true, Overlap: true}, {Name: "mixed", Mixed: true}, {Name: "waits", Sync: true, Waits: true}, {Name: "reuse", Reuse: true},
		{Name: "choices", Choices: true}, {Name: "spawn", Spawn: true}, {Name: "inside-heap", Inside: true, Heap: true}, {Name: "inside-sync", Inside: true, Sync: true},
		{Name: "nested", Sync: true, Nested: true}, {Name: "joins", Joins: true, Spawn: true}, {Name: "starts", Joins: true, Shared: true},
		{Name: "choices-sync", Choices: true, Sync: true, Waits: true}}
	total, skipped := 0, 0
	for i := range fewer(4 * *programs) {
		seed := uint64(*firstSeed + i)
		pr := profiles[i%len(profiles)]
		p, _ := testkit.Generate(seed, pr).Flat()
		flat, _, err := transform.Unroll(p, &property.Set{}, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		m := testkit.Models[i/len(profiles)%3]
		task := &engine.Task{Program: flat, Props: &property.Set{}, Model: m, KeepGoing: true}
		if smc.Engine.Supports(task) != nil {
			skipped++
			continue
		}
		n, ok := countOrders(t, task, smc.Options{Traces: i%2 == 0 && !pr.Global})
		if total += n; !ok {
			skipped++
		}
		if t.Failed() {
			t.Fatalf("seed %d, %s, %s", seed, pr.Name, m)
		}
	}
	t.Logf("%d orders, %d programs skipped", total, skipped)
}

// countOrders compares an exploration with all orders of events, and returns how many there are. It returns false if
// there are too many.
func countOrders(t *testing.T, task *engine.Task, opt smc.Options) (int, bool) {
	t.Helper()
	want, ok := smc.AllOrders(task, opt, *histories/3)
	if !ok {
		return 0, false
	}
	got, err := smc.ExploreOrders(task, opt)
	if err != nil {
		t.Error(err)
	}
	missing, twice := 0, 0
	for k := range want {
		if got[k] == 0 {
			missing++
		}
	}
	for _, n := range got {
		if n > 1 {
			twice++
		}
	}
	if missing > 0 || twice > 0 || len(got) != len(want) {
		t.Errorf("%d orders, %d explored, %d missing, %d twice\n%s", len(want), len(got), missing, twice, irtext.Print(task.Program))
	}
	return len(want), true
}

// missedOrders has programs in which executions were missed, by one worker and sometimes not by several. The counts come from
// performing all possible events.
var missedOrders = []struct {
	name, body string
	counts     [3]int
}{
	// The second alloc takes back the block while its free is in the buffer, or uses it again after the update: also where
	// the other thread's alloc comes before the update.
	{"taken back or used again", `object y size 8
func a() {
  reg p
  reg q
  L0 -> L1: p = alloc 8
  L1 -> L2: free [p]
  L2 -> L3: q = alloc 8
  L3 -> L4: store [&y] = q
}
func b() {
  reg r
  reg s
  L0 -> L1: r = rmw.cas [&y], 1, 2
  L1 -> L2: s = alloc 8
}`, [3]int{10, 13, 14}},
	// The update of a's store to the block fails if the block is freed before. Under PSO it does not stop the other update,
	// so it makes no difference which of the two comes first.
	{"another update beside one that fails", `object y size 8
func a() {
  reg p
  reg r
  L0 -> L1: p = load [&y] in y
  L1 -> L2: r = load [p]
  L2 -> L3: store [p] = 0
  L3 -> L4: store [&y] = 1 in y
}
func b() {
  reg p
  L0 -> L1: p = alloc 8
  L1 -> L2: store [&y] = p in y
  L2 -> L3: free [p]
}`, [3]int{4, 5, 5}},
	// The update of b's first free is not ordered with b's second alloc, and both are with the update of a's free.
	{"own alloc before own update", `object y size 8
func a() {
  reg p
  L0 -> L1: p = alloc 8
  L1 -> L2: free [p]
}
func b() {
  reg p
  reg q
  L0 -> L1: p = alloc 8
  L1 -> L2: free [p]
  L2 -> L3: q = alloc 8
  L3 -> L4: free [q]
}`, [3]int{35, 45, 45}},
	// An unlock that fails does not make the other thread's lock possible.
	{"unlock fails", `object m size 8
func a() {
  L0 -> L1: unlock.recursive [&m]
}
func b() {
  L0 -> L1: lock.errorcheck [&m]
  L1 -> L2: unlock.errorcheck [&m]
}`, [3]int{3, 3, 3}},
	// Thread a has the mutex, and b takes the other choice. But b could have taken the mutex first: its buffer may have to
	// be empty for that, and thread a may take the mutex after b's choice.
	{"lock among choices", `object m size 8
func a() {
  L0 -> L1: lock [&m]
}
func b() {
  L0 -> L1: lock [&m]
  L0 -> L2: nop
}`, [3]int{2, 2, 2}},
	{"lock among choices, after a store", `object m size 8
object x size 8
func a() {
  reg r
  L0 -> L1: r = load [&x]
  L1 -> L2: lock [&m]
}
func b() {
  L0 -> L1: store [&x] = 1
  L1 -> L2: lock [&m]
  L1 -> L3: nop
}`, [3]int{4, 4, 4}},
	{"locks among choices", `object m size 8
object n size 8
func a() {
  L0 -> L1: lock [&m]
  L1 -> L2: lock [&n]
}
func b() {
  L0 -> L1: lock [&n]
  L0 -> L1: lock [&m]
}`, [3]int{3, 3, 3}},
	// A join that fails before its thread is started, and afterwards waits.
	{"join among choices", `object x size 8
func m() {
  reg h
  L0 -> L1: h = spawn {a}()
  L1 -> L2: h = spawn {b}()
}
func a() {
  L0 -> L1: join 2
  L0 -> L1: join 3
}
func b() {
  L0 -> L1: join 1
  L0 -> L1: join 3
}`, [3]int{2, 2, 2}},
	// Another thread has started the only thread, and b takes the other choice; it could have started it first. Under TSO its
	// buffer may have to be empty for that.
	{"spawn among choices", `object x size 8
func a() {
  reg h
  L0 -> L1: h = spawn {c}()
}
func b() {
  reg h
  L0 -> L1: store [&x] = 1
  L1 -> L2: h = spawn {c}()
  L1 -> L2: nop
}
func c() {
  reg r
  L0 -> L1: r = load [&x]
}`, [3]int{3, 3, 3}},
	// Which threads a spawn finds started depends on what comes before it; so does what it depends on.
	{"spawns of several threads", `func a() {
  reg h
  L0 -> L1: h = spawn {c}()
  L0 -> L2: join 2
  L0 -> L2: h = spawn {d, c}()
}
func b() {
  reg h
  L0 -> L1: h = spawn {c, d}()
}
func c() {
  L0 -> L1: nop
  L0 -> L1: nop
}
func d() {
  L0 -> L1: nop
}`, [3]int{8, 8, 8}},
	// b cannot start d any more when a has, but what a did first does not keep it from that.
	{"spawns of some threads", `func a() {
  reg h
  L0 -> L1: h = spawn {c, d}()
  L0 -> L1: join 3
  L1 -> L2: h = spawn {d}()
}
func b() {
  reg h
  L0 -> L1: h = spawn {d, c}()
}
func c() {
  L0 -> L1: nop
}
func d() {
  L0 -> L1: nop
  L0 -> L1: nop
}`, [3]int{8, 8, 8}},
	// The join of a waits at the end. It has the number of a choice that a made before, and that sleeps.
	{"choice before a join", `object x size 8
object y size 8
func a() {
  reg r
  L0 -> L3: nop
  L0 -> L1: r = load [&x]
  L0 -> L1: nop
  L1 -> L2: join 2
}
func b() {
  reg h
  L0 -> L1: h = spawn {c}()
}
func c() {
  reg r
  L0 -> L1: store [&x] = 1
  L1 -> L2: r = await [&y] when (seen != 0)
}`, [3]int{6, 6, 6}},
	// If a starts c instead of doing nothing, d cannot, and what d does afterwards is not in the sequence.
	{"after what is left out", `object x size 8
func a() {
  reg h
  L0 -> L1: store [&x] = 1
  L1 -> L2: h = spawn {d, c}()
  L1 -> L2: nop
}
func b() {
  reg h
  L0 -> L1: h = spawn {d}()
  L1 -> L2: h = spawn {c, d}()
  L1 -> L2: h = load [&x]
}
func c() {
  L0 -> L1: nop
}
func d() {
  reg h
  L0 -> L1: h = spawn {d}()
  L0 -> L1: nop
  L0 -> L1: h = spawn {c}()
  L1 -> L2: h = await [&x] when (seen != 0)
}`, [3]int{16, 16, 16}},
}

// TestMissedOrders: missedOrders has all orders now, with several workers, too.
func TestMissedOrders(t *testing.T) {
	for _, c := range missedOrders {
		threads, spawned := "", strings.Contains(c.body, "func m") // which starts all others
		for _, name := range []string{"m", "a", "b", "c", "d"} {
			if strings.Contains(c.body, "func "+name+"()") {
				threads += fmt.Sprintf("\nthread %s = %s()", name, name)
				if spawned && name != "m" || name > "b" && name != "m" {
					threads += " spawned"
				}
			}
		}
		p, diags := irtext.Parse("orders.ir", []byte("program orders flat\n"+c.body+threads+"\n"))
		if diags.HasErrors() {
			t.Fatal(c.name, diags.All)
		}
		for k, m := range testkit.Models {
			task := &engine.Task{Program: p, Props: &property.Set{}, Model: m, KeepGoing: true}
			if n, ok := countOrders(t, task, smc.Options{}); !ok || n != c.counts[k] {
				t.Errorf("%s, %s: %d orders, want %d", c.name, m, n, c.counts[k])
			}
			for workers := 2; workers <= 4; workers++ {
				if out, err := smc.ExploreTogether(task, smc.Options{}, workers); err != nil || out.Stats.Executions != int64(c.counts[k]) {
					t.Errorf("%s, %s, %d workers: %d executions, want %d (%v)", c.name, m, workers, out.Stats.Executions, c.counts[k], err)
				}
			}
		}
	}
}
