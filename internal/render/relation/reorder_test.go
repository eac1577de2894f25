package relation_test

import (
	"fmt"
	"math/rand"
	"reflect"
	"testing"

	"fencepost/internal/render/relation"
	"fencepost/verdict"
)

// script builds a witness from short words: "0:x=1" is a buffered store of thread
// 0, "0:x?0" a load from memory, "0:x?0<3" one forwarded from step 3, "f3" the flush of
// step 3, "0:x!1" an exchange that writes 1, "0:x:=1" a store straight to memory,
// "0:." a local step, "0:*" a signal.
func script(words ...string) *verdict.Witness {
	w := &verdict.Witness{Threads: []string{"t0", "t1", "t2"}}
	for _, word := range words {
		s := verdict.Step{Of: -1, Size: 8}
		var name string
		switch {
		case scan(word, "f%d", &s.Of):
			of := w.Steps[s.Of]
			s.Kind, s.Thread, s.Addr, s.Location, s.Value = verdict.StepFlush, of.Thread, of.Addr, of.Location, of.Value
		case scan(word, "%d:%1s?%d<%d", &s.Thread, &name, &s.Value, &s.From):
			s.Kind = verdict.StepLoad
			s.From++
		case scan(word, "%d:%1s?%d", &s.Thread, &name, &s.Value):
			s.Kind = verdict.StepLoad
		case scan(word, "%d:%1s:=%d", &s.Thread, &name, &s.Value):
			s.Kind = verdict.StepStore
		case scan(word, "%d:%1s=%d", &s.Thread, &name, &s.Value):
			s.Kind, s.Buffered = verdict.StepStore, true
		case scan(word, "%d:%1s!%d", &s.Thread, &name, &s.Written):
			s.Kind, s.Wrote = verdict.StepRMW, true
		case scan(word, "%d:%1s", &s.Thread, &name):
			s.Kind, s.Size = verdict.StepExec, 0
			if name == "*" {
				s.Signals = true
			}
			name = ""
		default:
			panic("BUG: cannot read " + word)
		}
		if name != "" {
			s.Location, s.Addr = name, uint64(name[0])*8
		}
		w.Steps = append(w.Steps, s)
	}
	return w
}

func scan(word, format string, into ...any) bool {
	rest := ""
	n, err := fmt.Sscanf(word+" .", format+" %s", append(into, &rest)...)
	return err == nil && n == len(into)+1
}

func TestBuffers(t *testing.T) {
	w := script("0:x=1", "0:y=2", "1:x=3", "0:.", "f1", "f0")
	want := []string{
		"[[{0 x=1}] [] []]",
		"[[{0 x=1} {1 y=2}] [] []]",
		"[[{0 x=1} {1 y=2}] [{2 x=3}] []]",
		"[[{0 x=1} {1 y=2}] [{2 x=3}] []]",
		"[[{0 x=1}] [{2 x=3}] []]",
		"[[] [{2 x=3}] []]",
	}
	for i, row := range relation.Buffers(w) {
		if got := fmt.Sprint(row); got != want[i] {
			t.Errorf("after step %d: %s, want %s", i, got, want[i])
		}
	}
}

func TestReorderings(t *testing.T) {
	for _, c := range []struct {
		name           string
		steps          []string
		delays, swaps  []relation.Reorder
		found, cycle   bool
		first, second  int
		signalsInstead bool
	}{
		{name: "store buffering", steps: []string{"0:x=1", "0:y?0", "1:y=1", "1:x?0", "f2", "f0"},
			delays: []relation.Reorder{{0, 1}, {2, 3}}, found: true, cycle: true, first: 0, second: 1},
		{name: "store buffering, nothing flushed", steps: []string{"0:x=1", "0:y?0", "1:y=1", "1:x?0"},
			delays: []relation.Reorder{{0, 1}, {2, 3}}, found: true, cycle: true, first: 0, second: 1},
		{name: "the store that matters is not the first", steps: []string{"0:z=1", "0:x=1", "0:w=1", "0:y?0", "1:y!1", "1:x?0"},
			delays: []relation.Reorder{{0, 3}, {1, 3}, {2, 3}}, found: true, cycle: true, first: 1, second: 3},
		{name: "message passing", steps: []string{"0:x=1", "0:y=1", "f1", "1:y?1", "1:x?0", "f0"},
			swaps: []relation.Reorder{{0, 1}}, found: true, cycle: true, first: 0, second: 1},
		{name: "forwarded, then stale", steps: []string{"0:x=1", "0:x?1<0", "0:y?0", "1:y!1", "1:x?0", "f0"},
			delays: []relation.Reorder{{0, 2}}, found: true, cycle: true, first: 0, second: 2},
		{name: "own store read early is overwritten", steps: []string{"0:x=1", "0:x?1<0", "0:y?0", "1:y=1", "f3", "1:x=2", "f5", "f0"},
			delays: []relation.Reorder{{0, 2}}, found: true, cycle: true, first: 0, second: 2},
		{name: "delayed without effect", steps: []string{"0:x=1", "0:z?0", "f0", "1:x?1"},
			delays: []relation.Reorder{{0, 1}}, found: true, first: 0, second: 1},
		{name: "lost update", steps: []string{"0:x?0", "1:x?0", "0:x=1", "1:x=1", "f2", "f3"}},
		{name: "under SC", steps: []string{"0:x:=1", "0:y?0", "1:y:=1", "1:x?1"}},
		{name: "signal while buffered", steps: []string{"0:x=1", "0:*", "1:x?0", "f0"}, signalsInstead: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := script(c.steps...)
			if got := relation.Delays(w); !reflect.DeepEqual(got, c.delays) {
				t.Errorf("delays %v, want %v", got, c.delays)
			}
			if got := relation.Swaps(w); !reflect.DeepEqual(got, c.swaps) {
				t.Errorf("swaps %v, want %v", got, c.swaps)
			}
			want := relation.Decisive{Found: c.found, Cycle: c.cycle, Signals: c.signalsInstead,
				Reorder: relation.Reorder{First: c.first, Second: c.second}}
			if got := relation.DecisiveOf(w); got != want {
				t.Errorf("decisive %+v, want %+v", got, want)
			}
		})
	}
}

// TestCycleMeansNotSC runs random programs on a TSO or PSO machine and holds the
// cycle test against its definition: every read of a witness without a cycle can be
// had from some interleaving without buffers, and no interleaving has those of
// one with a cycle.
func TestCycleMeansNotSC(t *testing.T) {
	cycles := 0
	for seed := range int64(20000) {
		rng := rand.New(rand.NewSource(seed))
		w := randomRun(rng, seed%2 == 0)
		cycle := relation.DecisiveOf(w).Cycle
		if cycle {
			cycles++
		}
		if sc := explainableBySC(w); sc == cycle {
			t.Fatalf("seed %d: cycle %v, but an SC order exists: %v\n%+v", seed, cycle, sc, w.Steps)
		}
	}
	if cycles < 50 {
		t.Errorf("only %d runs have a cycle: the test shows little", cycles)
	}
}

// randomRun executes up to 4 accesses in each of two or three threads. Stored
// values are all different, so that a read names the store it saw.
func randomRun(rng *rand.Rand, pso bool) *verdict.Witness {
	w := &verdict.Witness{Threads: []string{"t0", "t1", "t2"}}
	memory := map[uint64]int64{}
	buffers := make([][]int, 3)
	left := []int{1 + rng.Intn(4), 1 + rng.Intn(4), rng.Intn(3)}
	for value := int64(1); ; {
		thread := rng.Intn(3)
		if left[0]+left[1]+left[2]+len(buffers[0])+len(buffers[1])+len(buffers[2]) == 0 {
			return w
		}
		if b := buffers[thread]; len(b) > 0 && rng.Intn(3) == 0 {
			k := 0
			if pso {
				for k = rng.Intn(len(b)); ; k-- {
					if older := firstTo(w, b, w.Steps[b[k]].Addr); older == k {
						break
					}
				}
			}
			s := w.Steps[b[k]]
			memory[s.Addr] = s.Value
			w.Steps = append(w.Steps, verdict.Step{Thread: thread, Kind: verdict.StepFlush, Of: b[k], Addr: s.Addr, Size: 8, Data: verdict.Data{Value: s.Value}})
			buffers[thread] = append(append([]int(nil), b[:k]...), b[k+1:]...)
			continue
		}
		if left[thread] == 0 {
			continue
		}
		left[thread]--
		s := verdict.Step{Thread: thread, Of: -1, Addr: uint64(8 * (1 + rng.Intn(3))), Size: 8}
		if rng.Intn(2) == 0 {
			s.Kind, s.Buffered, s.Value = verdict.StepStore, true, value
			value++
			buffers[thread] = append(buffers[thread], len(w.Steps))
		} else {
			s.Kind, s.Value = verdict.StepLoad, memory[s.Addr]
			for _, e := range buffers[thread] {
				if w.Steps[e].Addr == s.Addr {
					s.Value, s.From = w.Steps[e].Value, e+1
				}
			}
		}
		w.Steps = append(w.Steps, s)
	}
}

func firstTo(w *verdict.Witness, buffer []int, addr uint64) int {
	for k, e := range buffer {
		if w.Steps[e].Addr == addr {
			return k
		}
	}
	panic("BUG: entry not in its buffer")
}

// explainableBySC tries all interleavings of the witness's accesses for one with
// the same reads and the same order of the stores to each location.
func explainableBySC(w *verdict.Witness) bool {
	code := make([][]verdict.Step, len(w.Threads))
	order := map[uint64][]int64{}
	for _, s := range w.Steps {
		if s.Kind == verdict.StepFlush {
			order[s.Addr] = append(order[s.Addr], s.Value)
		} else {
			code[s.Thread] = append(code[s.Thread], s)
		}
	}
	next := make([]int, len(code))
	written := map[uint64]int{}
	var search func() bool
	search = func() bool {
		done := true
		for t := range code {
			if next[t] == len(code[t]) {
				continue
			}
			done = false
			s := code[t][next[t]]
			n := written[s.Addr]
			if s.Kind == verdict.StepStore {
				if order[s.Addr][n] != s.Value {
					continue
				}
				written[s.Addr]++
			} else if current := valueAfter(order[s.Addr], n); current != s.Value {
				continue
			}
			next[t]++
			if search() {
				return true
			}
			next[t]--
			written[s.Addr] = n
		}
		return done
	}
	return search()
}

func valueAfter(order []int64, n int) int64 {
	if n == 0 {
		return 0
	}
	return order[n-1]
}
