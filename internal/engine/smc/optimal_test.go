package smc

import (
	"context"
	"flag"
	"fmt"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

var programs = flag.Int("fp.traces", 400, "random programs whose traces are counted, per model")
var histories = flag.Int("fp.histories", 6000, "programs with more partial traces are not counted")
var firstSeed = flag.Int("fp.seed", 0, "first seed")

// watch explores a program and gives the keys of its complete executions.
type watch struct {
	keys  map[string]int
	twice string
}

func exploreAll(t *testing.T, p *ir.Program, m memory.Model, source bool) (*explorer, *watch, error) {
	t.Helper()
	task := &engine.Task{Program: p, Props: &property.Set{}, Model: m, KeepGoing: true, Traces: true}
	y := memory.New(p, m, task.MemoryOptions())
	x := newExplorer(context.Background(), task, y)
	x.source = source
	w := &watch{keys: map[string]int{}}
	x.check = &checker{}
	x.check.done = func(x *explorer) {
		if testing.Verbose() {
			t.Log(dump(x))
		}
		r := newTracker(y)
		for _, st := range x.steps {
			r.step(st)
		}
		k := r.key()
		for th := range x.threads {
			k += fmt.Sprint(x.threads[th].stop)
		}
		k += refusedReads(x, r)
		w.keys[k]++
		if w.keys[k] > 1 {
			w.twice = k
		}
	}
	x.run()
	return x, w, x.err
}

// refusedReads is what refused awaits and stuck sections saw: their executions have
// nothing else to tell them apart.
func refusedReads(x *explorer, r *tracker) string {
	out := ""
	for i := range x.ev {
		if e := &x.ev[i]; e.flags&ends != 0 {
			out += fmt.Sprintf("|%d %v", e.proc, e.label)
			for k := range e.size() {
				a := e.at(k)
				for b := range uint64(a.size) {
					from := -1
					for j := range i {
						for l := range x.ev[j].size() {
							if w := x.ev[j].at(l); w.mode&writes != 0 && a.addr+b-w.addr < uint64(w.size) {
								from = int(x.ev[j].proc)<<16 | int(x.ev[j].idx)
							}
						}
					}
					if e.fwd != none {
						from = -2 - int(e.fwd)
					}
					out += fmt.Sprint(" ", from)
				}
			}
		}
	}
	return out
}

func complete(x *explorer, w *watch) int { return int(x.out.complete) }

func runSeed(t *testing.T, seed uint64, pr testkit.Profile, m memory.Model) (int, bool) {
	p, _ := testkit.Generate(seed, pr).Flat()
	flat, _, err := transform.Unroll(p, &property.Set{}, 2)
	if err != nil {
		t.Fatal(err)
	}
	y := memory.New(flat, m, memory.Options{})
	want, ok := traces(y, *histories)
	if !ok {
		return 0, false
	}
	x, w, err := exploreAll(t, flat, m, false)
	if err != nil {
		t.Fatalf("seed %d %s %s: %v", seed, pr.Name, m, err)
	}
	if x.out.asleep > 0 || w.twice != "" || complete(x, w) != len(want) {
		t.Errorf("seed %d, %s, %s: explored %d, traces %d, asleep %d, twice %v", seed, pr.Name, m, x.out.complete, len(want), x.out.asleep, w.twice != "")
		if testing.Verbose() {
			t.Logf("%s", ir.Print(flat))
			t.Log(w.twice)
			for k := range want {
				found := false
				for k2 := range w.keys {
					found = found || len(k2) >= len(k) && k2[:len(k)] == k
				}
				if !found {
					t.Log("missing:", k)
				}
			}
		}
	}
	return len(want), true
}

func TestOptimal(t *testing.T) {
	for _, m := range []memory.Model{memory.SC, memory.TSO, memory.PSO} {
		t.Run(m.String(), func(t *testing.T) {
			total, skipped := 0, 0
			for i := range *programs {
				pr := []testkit.Profile{{Name: "core"}, {Name: "plain", Plain: true}, {Name: "mixed", Mixed: true}, {Name: "spawn", Spawn: true}}[(*firstSeed+i)%4]
				n, ok := runSeed(t, uint64(*firstSeed+i), pr, m)
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
