package bench_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"fencepost"
	"fencepost/query"
	"fencepost/verdict"
)

const dijkstraUnfenced = `
// Dijkstra's algorithm, without its fences.
const N = %d;
var flag[N], turn;
thread p[i] * N {
  reg t, j;
  again: flag[i] = 1;
  t = turn;
  while (t != i) {
    if (flag[t] == 0)
      turn = i;
    t = turn;
  }
  flag[i] = 2;
  j = 0;
  while (j < N) {
    if (j != i) { if (flag[j] == 2) goto again; }
    j = j + 1;
  }
  cs: skip;
  flag[i] = 0;
  goto again;
}
goal p[0]:cs, p[1]:cs;
`

// BenchmarkFences: the fewest fences that make mutual exclusion algorithms robust, and
// that keep two threads from being inside at once.
func BenchmarkFences(b *testing.B) {
	bare := strings.ReplaceAll(lamport, "  fence;\n", "")
	for _, bm := range []struct {
		name, text string
		forWhat    query.Purpose
		n, fences  int
	}{
		{"lamport", bare, query.ForRobustness, 2, 2},
		{"lamport", bare, query.ForRobustness, 3, 2},
		{"dijkstra", dijkstraUnfenced, query.ForRobustness, 2, 2},
		{"dijkstra", dijkstraUnfenced, query.ForRobustness, 3, 2},
		{"dijkstra", dijkstraUnfenced, query.ForAssertions, 2, 1},
		{"dijkstra", dijkstraUnfenced, query.ForAssertions, 3, 1},
	} {
		b.Run(fmt.Sprintf("%s/%s/n=%d", bm.name, bm.forWhat, bm.n), func(b *testing.B) {
			opt := query.FenceOptions{}
			opt.For, opt.Workers, opt.Timeout = bm.forWhat, 1, 0
			in := query.Input{Name: bm.name + ".fp", Text: fmt.Appendf(nil, bm.text, bm.n)}
			var r verdict.Result
			for b.Loop() {
				answer, err := fencepost.Fences(context.Background(), in, opt)
				if err != nil || answer.HasErrors() {
					b.Fatal(err, answer.Diagnostics)
				}
				r = answer.Results[0]
			}
			if r.Verdict != verdict.Safe || len(r.Fences) != bm.fences {
				b.Fatalf("%s with %d fences, want %d", r.Verdict, len(r.Fences), bm.fences)
			}
			b.ReportMetric(float64(r.Stats.States), "states")
			b.ReportMetric(float64(r.Repair.Rounds), "rounds")
		})
	}
}
