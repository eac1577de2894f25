package bench_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"fencepost"
	"fencepost/query"
	"fencepost/verdict"
)

// BenchmarkLamport measures the explicit engine alone: states per CPU second of a
// completed search, bytes stored per state, and what the second worker brings by the clock.
func BenchmarkLamport(b *testing.B) {
	for _, bm := range []struct {
		n         int
		model     string
		workers   int
		reduction bool
	}{
		{3, "sc", 1, true}, {3, "sc", 1, false}, {3, "tso", 1, true}, {3, "pso", 1, true},
		{4, "sc", 1, true}, {4, "sc", 1, false}, {4, "sc", 2, false}, {4, "tso", 1, true}, {4, "tso", 2, true},
	} {
		name := fmt.Sprintf("n=%d/%s/workers=%d", bm.n, bm.model, bm.workers)
		if !bm.reduction {
			name += "/no-reduction"
		}
		b.Run(name, func(b *testing.B) {
			opt := query.CheckOptions{Options: query.Defaults(), Models: []query.Model{query.Model(bm.model)}}
			opt.Workers, opt.NoReduction, opt.Timeout = bm.workers, !bm.reduction, 10*time.Minute
			opt.Engines = []query.Engine{"explicit"}
			var states, bytes int64
			start := cpu()
			for range b.N {
				in := query.Input{Name: "lamport.fp", Text: fmt.Appendf(nil, lamport, bm.n)}
				a, err := fencepost.Check(context.Background(), in, opt)
				if err != nil || len(a.Results) != 1 || a.Results[0].Verdict == verdict.Unknown {
					b.Fatalf("no answer: %v %+v", err, a)
				}
				states += a.Results[0].Stats.States
				bytes = a.Results[0].Stats.Bytes / a.Results[0].Stats.States
			}
			b.ReportMetric(float64(states)/(cpu()-start).Seconds(), "states/cpu-s")
			b.ReportMetric(float64(states)/b.Elapsed().Seconds(), "states/s")
			b.ReportMetric(float64(states)/float64(b.N), "states")
			b.ReportMetric(float64(bytes), "bytes/state")
		})
	}
}
