package explicit_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/explicit"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/search"
	"fencepost/internal/testkit"
)

var (
	stored   = flag.Int("fp.stored", 600, "random programs whose search is stored and continued")
	seedFlag = flag.Uint64("fp.seed", 1, "seed of the first random program")
)

// inParts runs a task with interruptions at random moments; most of them store the search and load it again. It returns
// how many did.
func inParts(t *testing.T, task engine.Task, rng *rand.Rand, workers bool) (*engine.Outcome, int) {
	t.Helper()
	var mu sync.Mutex // workers ask at the same time
	task.Limits.Memory = 1 << 40
	task.Limits.Share = func() int64 {
		mu.Lock()
		defer mu.Unlock()
		if rng.IntN(12) == 0 {
			return 1
		}
		return 0
	}
	open := func() *explicit.Search {
		if workers {
			task.Limits.Workers = 1 + rng.IntN(3)
		}
		x, err := explicit.NewSearch(&task)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	times := 0
	x := open()
	for x.Explore(context.Background()); !x.Over(); x.Explore(context.Background()) {
		if rng.IntN(4) == 0 {
			continue
		}
		var data bytes.Buffer
		if err := x.Save(&data); err != nil {
			t.Fatal(err)
		}
		x = open()
		if err := x.Load(bufio.NewReader(&data)); err != nil {
			t.Fatal(err)
		}
		times++
	}
	out, err := x.Outcome(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return out, times
}

// comparable returns what two runs must agree on; with workers, without the executions, which depend on who was first.
func comparable(t *testing.T, out *engine.Outcome, workers bool) string {
	t.Helper()
	same := *out
	same.Stats.Seconds, same.Stats.Bytes = 0, 0
	if workers {
		same.Violations = slices.Clone(out.Violations)
		for i := range same.Violations {
			same.Violations[i].Witness = nil
		}
	}
	text, err := json.Marshal(&same)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestStoredSearch: a search that is interrupted at random moments, stored and continued has the outcome of one that is
// not, with sleep sets and without, with states stored whole and in parts, and with any number of workers.
func TestStoredSearch(t *testing.T) {
	times := 0
	for n := range *stored {
		seed := *seedFlag + uint64(n)
		rng := rand.New(rand.NewPCG(seed, 9))
		flat, props := testkit.Generate(seed, testkit.Profiles[seed%uint64(len(testkit.Profiles))]).Flat()
		task := engine.Task{
			Program: flat, Props: props, Model: testkit.Models[n%len(testkit.Models)], KeepGoing: n%2 == 0, Finals: n%2 == 0,
			NoReduction: n%5 == 0, Limits: engine.Limits{Buffer: n % 3, Workers: 1},
		}
		workers := n%4 == 3
		restore := explicit.InternFrom([]int{0, 1 << 20}[n/2%2])
		out, err := explicit.Run(context.Background(), &task)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		got, k := inParts(t, task, rng, workers)
		restore()
		times += k
		if got, want := comparable(t, got, workers), comparable(t, out, workers); got != want {
			t.Fatalf("seed %d, %s: reproduce: go test ./internal/engine/explicit -run TestStoredSearch -fp.stored=1 -fp.seed=%d\ngot  %s\nwant %s\n%s",
				seed, task.Model, seed, got, want, irtext.Print(flat))
		}
	}
	if times < *stored {
		t.Errorf("only %d interruptions in %d searches", times, *stored)
	}
	t.Logf("%d programs, stored %d times", *stored, times)
}

// TestStoredSearchRefusals: what is cut short, or belongs to another program, is refused.
func TestStoredSearchRefusals(t *testing.T) {
	flat, props := testkit.Generate(3, testkit.Profiles[0]).Flat()
	other, _ := testkit.Generate(5, testkit.Profiles[0]).Flat()
	task := engine.Task{Program: flat, Props: props, Model: memory.TSO, Finals: true, KeepGoing: true, Limits: engine.Limits{Workers: 1}}
	open := func(p *ir.Program) *explicit.Search {
		task := task
		task.Program = p
		x, err := explicit.NewSearch(&task)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	x := open(flat)
	x.Explore(context.Background())
	var data bytes.Buffer
	if err := x.Save(&data); err != nil {
		t.Fatal(err)
	}
	for n := range data.Len() {
		if err := open(flat).Load(bufio.NewReader(bytes.NewReader(data.Bytes()[:n]))); !errors.Is(err, search.ErrStored) {
			t.Fatalf("cut at %d: %v", n, err)
		}
	}
	if err := open(other).Load(bufio.NewReader(&data)); !errors.Is(err, search.ErrStored) {
		t.Errorf("another program: %v", err)
	}
}
