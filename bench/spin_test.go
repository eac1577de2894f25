package bench_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"fencepost"
	"fencepost/internal/testkit"
	"fencepost/query"
	"fencepost/verdict"
)

// BenchmarkAgainstSpin asks us and SPIN about the same program in the same run.
//
//	wall-ratio    SPIN's time to the verdict over ours; SPIN's is the sum of
//	              generating, compiling and running the verifier
//	search-ratio  the same with SPIN's time to run alone
//	rate-ratio    our states per second over SPIN's, each searching alone
//	states-ratio  SPIN's states over ours
//
//	spin-gave-up  shown where SPIN ended without a verdict; its numbers end
//	              there
//
// Above 1 is in our favour. The states are not the same ones: SPIN steps through
// local operations that our search runs in one piece.
func BenchmarkAgainstSpin(b *testing.B) {
	testkit.NeedSpin(b)
	for _, bm := range []struct {
		name, text string
		threads    []int
	}{
		{"peterson", peterson, []int{2, 3}},
		{"lamport", lamport, []int{2, 3, 4}},
		{"szymanski", szymanski, []int{2, 3, 4}},
		{"mcs", mcs, []int{2, 3, 4}},
	} {
		for _, n := range bm.threads {
			for _, model := range []string{"sc", "tso"} {
				b.Run(fmt.Sprintf("%s/n=%d/%s", bm.name, n, model), func(b *testing.B) {
					against(b, query.Input{Name: bm.name + ".fp", Text: fmt.Appendf(nil, bm.text, n)}, model)
				})
			}
		}
	}
}

// buffer bounds the stores pending per thread, for both.
const buffer = 4

func against(b *testing.B, in query.Input, model string) {
	opt := query.CheckOptions{Options: query.Defaults()}
	opt.Buffer, opt.Timeout, opt.Workers = buffer, 10*time.Minute, 1
	opt.Models = []query.Model{query.Model(model)}
	exported, err := fencepost.Export(context.Background(), in, query.ExportOptions{Options: opt.Options, Model: query.Model(model)})
	text := exported.Text
	if err != nil || text == "" {
		b.Fatalf("not exported: %v %+v", err, exported.Diagnostics)
	}
	ctx, cancel := context.WithTimeout(context.Background(), opt.Timeout)
	defer cancel()
	var ours, theirs, searching time.Duration
	var ourStates, theirStates int64
	for range b.N {
		start := time.Now()
		a, err := fencepost.Check(ctx, in, opt)
		if err != nil || len(a.Results) != 1 {
			b.Fatalf("no answer: %v %+v", err, a.Diagnostics)
		}
		r := a.Results[0]
		ours += time.Since(start)
		ourStates += r.Stats.States
		s, err := testkit.RunSpin(ctx, b.TempDir(), text, testkit.SpinFast)
		if err != nil {
			b.Fatal(err)
		}
		if r.Verdict == verdict.Unknown {
			b.Fatalf("no verdict: %s", r.Reason)
		}
		if s.Inconclusive != "" { // its time is then how long it took to give up
			b.ReportMetric(1, "spin-gave-up")
			b.Logf("SPIN gave up: %s", s.Inconclusive)
		} else if (r.Verdict == verdict.Unsafe) != (s.Errors > 0) {
			b.Fatalf("we say %s, SPIN says errors: %d %s", r.Verdict, s.Errors, s.Violation)
		}
		theirs, searching = theirs+s.Total, searching+s.Search
		theirStates += s.States
	}
	ourRate, theirRate := float64(ourStates)/ours.Seconds(), float64(theirStates)/searching.Seconds()
	b.ReportMetric(ours.Seconds()/float64(b.N), "ours-s")
	b.ReportMetric(theirs.Seconds()/float64(b.N), "spin-s")
	b.ReportMetric(theirs.Seconds()/ours.Seconds(), "wall-ratio")
	b.ReportMetric(searching.Seconds()/ours.Seconds(), "search-ratio")
	b.ReportMetric(ourRate, "ours-states/s")
	b.ReportMetric(theirRate, "spin-states/s")
	b.ReportMetric(ourRate/theirRate, "rate-ratio")
	b.ReportMetric(float64(theirStates)/float64(ourStates), "states-ratio")
	b.ReportMetric(0, "ns/op") // the sum of two tools means nothing
}
