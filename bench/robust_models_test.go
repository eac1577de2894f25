package bench_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fencepost"
	"fencepost/internal/testkit"
	"fencepost/query"
	"fencepost/verdict"
)

// doubleChecked is double-checked locking for N threads. Its unlocking store is a plain one.
const doubleChecked = `
const N = %d;
var ready, data, lock, built;
thread user * N {
  reg r;
  if (ready == 0) {
    while (xchg(lock, 1) != 0) {}
    if (ready == 0) { data = 42; built = built + 1; ready = 1; }
    lock = 0;
  }
  r = data;
}
`

// BenchmarkRobustModels decides robustness of algorithms for many threads under TSO and PSO: as they are,
// and with fences, which have to be shown to suffice. The time is that of the processor, with one worker.
func BenchmarkRobustModels(b *testing.B) {
	bare := func(text string) string { return strings.ReplaceAll(text, "fence;", "") }
	for _, c := range []struct {
		name, text string
		n          int
	}{
		{"lamport/bare", bare(lamport), 5}, {"dijkstra/bare", bare(dijkstra), 5}, {"double-checked", doubleChecked, 10},
		{"lamport/fenced", lamport, 3}, {"lamport/fenced", lamport, 4}, {"dijkstra/fenced", dijkstra, 5},
	} {
		for _, model := range []string{"tso", "pso"} {
			b.Run(fmt.Sprintf("%s/n=%d/%s", c.name, c.n, model), func(b *testing.B) {
				opt := query.RobustOptions{Options: query.Defaults()}
				opt.Workers, opt.Timeout, opt.Models = 1, time.Minute, query.NamedModels(model)
				var states int64
				start := cpu()
				for range b.N {
					a, err := fencepost.Robust(context.Background(), query.Input{Name: "m.fp", Text: fmt.Appendf(nil, c.text, c.n)}, opt)
					if err != nil || len(a.Results) != 1 {
						b.Fatal(err, a)
					}
					if a.Results[0].Verdict == verdict.Unknown {
						b.Log(a.Results[0].Reason)
					}
					states += a.Results[0].Stats.States
				}
				b.ReportMetric((cpu()-start).Seconds()/float64(b.N), "cpu-s")
				b.ReportMetric(float64(states)/float64(b.N), "states")
			})
		}
	}
}

// BenchmarkFenceModels finds fences of least cost for the robustness of the authors' programs of [BDM13] and of Memorax, under
// TSO and under PSO, and compares the processor time of the two, program by program. Every program is asked about
// several times, since most take less than a millisecond.
func BenchmarkFenceModels(b *testing.B) {
	var files []string
	for _, set := range []string{"trencher/*.txt", "rmm/*.rmm"} {
		some, err := filepath.Glob(filepath.Join(testkit.Shared(b, "bench"), set))
		if err != nil {
			b.Fatal(err)
		}
		files = append(files, some...)
	}
	const rounds = 20
	ask := func(file, model string) (time.Duration, int64) {
		text, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		opt := query.FenceOptions{}
		opt.For, opt.Workers, opt.Model = query.ForRobustness, 1, query.Model(model)
		start := cpu()
		var states int64
		for range rounds {
			a, err := fencepost.Fences(context.Background(), query.Input{Name: filepath.Base(file), Text: text}, opt)
			if err != nil || a.HasErrors() || a.Results[0].Verdict != verdict.Safe {
				b.Fatalf("%s under %s: %v %+v", file, model, err, a)
			}
			states = a.Results[0].Stats.States
		}
		return (cpu() - start) / rounds, states
	}
	for range b.N {
		var total [2]time.Duration
		var states [2]int64
		largest, which := 0.0, ""
		for _, file := range files {
			tso, n := ask(file, "tso")
			pso, m := ask(file, "pso")
			total[0], total[1], states[0], states[1] = total[0]+tso, total[1]+pso, states[0]+n, states[1]+m
			b.Logf("%-40s %8.2f ms %7d states   %8.2f ms %7d states", filepath.Base(file), tso.Seconds()*1e3, n, pso.Seconds()*1e3, m)
			if ratio := pso.Seconds() / tso.Seconds(); ratio > largest {
				largest, which = ratio, filepath.Base(file)
			}
		}
		b.Logf("largest ratio: %.1f, %s", largest, which)
		b.ReportMetric(total[0].Seconds(), "tso-s")
		b.ReportMetric(total[1].Seconds(), "pso-s")
		b.ReportMetric(float64(states[0]), "tso-states")
		b.ReportMetric(float64(states[1]), "pso-states")
		b.ReportMetric(largest, "largest-ratio")
	}
}
