package fencepost_test

import (
	"context"
	"fmt"
	"testing"

	"fencepost"
	"fencepost/verdict"
)

// lamport is Lamport's fast mutex [L87] for n threads that never stop.
func lamport(n int) fencepost.Input {
	return fencepost.Input{Name: fmt.Sprintf("lamport%d.fp", n), Text: fmt.Appendf(nil, `
const N = %d;
var x, y, b[N];
thread p[i] * N {
  reg j;
  start:
  b[i] = 1;
  x = i + 1;
  fence;
  if (y != 0) {
    b[i] = 0;
    await y == 0;
    goto start;
  }
  y = i + 1;
  fence;
  if (x != i + 1) {
    b[i] = 0;
    j = 0;
    while (j < N) {
      await b[j] == 0;
      j = j + 1;
    }
    if (y != i + 1) {
      await y == 0;
      goto start;
    }
  }
  cs: skip;
  y = 0;
  b[i] = 0;
  goto start;
}
goal p[0]:cs, p[1]:cs;
`, n)}
}

// BenchmarkLamport measures states per second of a completed search.
func BenchmarkLamport(b *testing.B) {
	for _, bm := range []struct {
		n       int
		model   string
		workers int
	}{{3, "sc", 1}, {3, "tso", 1}, {3, "pso", 1}, {4, "sc", 1}, {4, "sc", 2}} {
		b.Run(fmt.Sprintf("n=%d/%s/workers=%d", bm.n, bm.model, bm.workers), func(b *testing.B) {
			opt := fencepost.Defaults()
			opt.Workers = bm.workers
			var states, bytes int64
			for range b.N {
				a, err := fencepost.Check(context.Background(), lamport(bm.n), []string{bm.model}, opt)
				if err != nil || len(a.Results) != 1 || a.Results[0].Verdict == verdict.Unknown {
					b.Fatalf("no answer: %v %+v", err, a)
				}
				states += a.Results[0].Stats.States
				bytes = a.Results[0].Stats.Bytes / a.Results[0].Stats.States
			}
			b.ReportMetric(float64(states)/b.Elapsed().Seconds(), "states/s")
			b.ReportMetric(float64(bytes), "bytes/state")
		})
	}
}
