package bench_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"fencepost"
	"fencepost/internal/testkit"
	"fencepost/query"
	"fencepost/verdict"
)

var largest = flag.Int("fp.threads", 3, "most threads in the benchmarks of robustness")

// cpu is the processor time the process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkTrencher answers the robustness benchmark of [BDM13], every attack of
// every program, and compares with what its authors' tool needs for all attacks on
// a machine of this kind: ratios below 1 are in our favour.
func BenchmarkTrencher(b *testing.B) {
	dir := testkit.Shared(b, "bench", "trencher")
	table, err := os.ReadFile(filepath.Join(dir, "expected.tsv"))
	if err != nil {
		b.Fatal(err)
	}
	type program struct {
		in     query.Input
		robust string
	}
	var programs []program
	var theirStates, theirSeconds float64
	for _, line := range strings.Split(strings.TrimSpace(string(table)), "\n")[1:] {
		f := strings.Split(line, "\t")
		text, err := os.ReadFile(filepath.Join(dir, f[0]))
		if err != nil {
			b.Fatal(err)
		}
		programs = append(programs, program{query.Input{Name: f[0], Text: text}, f[3]})
		states, _ := strconv.ParseFloat(f[7], 64)
		seconds, _ := strconv.ParseFloat(f[8], 64)
		theirStates, theirSeconds = theirStates+states, theirSeconds+seconds
	}
	for _, all := range []bool{false, true} {
		name := map[bool]string{false: "first", true: "all"}[all]
		b.Run(name, func(b *testing.B) {
			opt := query.RobustOptions{Options: query.Defaults()}
			opt.Workers, opt.KeepGoing = 1, all
			var states int64
			var slowest time.Duration
			start := cpu()
			for range b.N {
				for _, p := range programs {
					began := cpu()
					a, err := fencepost.Robust(context.Background(), p.in, opt)
					if err != nil || len(a.Results) != 1 || (a.Results[0].Verdict == verdict.Safe) != (p.robust == "yes") {
						b.Fatalf("%s: %v %+v", p.in.Name, err, a)
					}
					states += a.Results[0].Stats.States
					slowest = max(slowest, cpu()-began)
				}
			}
			seconds := (cpu() - start).Seconds() / float64(b.N)
			b.ReportMetric(seconds, "cpu-s")
			b.ReportMetric(float64(slowest.Milliseconds()), "slowest-ms")
			b.ReportMetric(float64(states)/float64(b.N), "states")
			b.ReportMetric(seconds/theirSeconds, "cpu-ratio")
			b.ReportMetric(float64(states)/float64(b.N)/theirStates, "state-ratio")
		})
	}
}

// dijkstra is Dijkstra's algorithm for N threads, with one fence where it is needed for
// exclusion.
const dijkstra = `
const N = %d;
var flag[N], turn;
thread p[i] * N {
  reg t, j, r;
  loop {
    again:
    flag[i] = 1;
    t = turn;
    while (t != i) {
      if (flag[t] == 0) turn = i;
      t = turn;
    }
    flag[i] = 2;
    fence;
    j = 0;
    while (j < N) {
      if (j != i) {
        r = flag[j];
        if (r == 2) goto again;
      }
      j = j + 1;
    }
    cs: skip;
    flag[i] = 0;
  }
}
`

// BenchmarkRobust measures the search for attacks on mutual exclusion algorithms
// that never stop: without fences the first attack and every attack, and with a fence
// after every store but the last, which the filters do not decide. Beyond 8 GiB or
// five minutes the row ends.
func BenchmarkRobust(b *testing.B) {
	for _, model := range []struct{ name, text string }{{"lamport", lamport}, {"dijkstra", dijkstra}} {
		for n := 2; n <= *largest; n++ {
			for _, variant := range []string{"bare/first", "bare/all", "fenced/all"} {
				b.Run(fmt.Sprintf("%s/n=%d/%s", model.name, n, variant), func(b *testing.B) {
					text := fmt.Sprintf(model.text, n)
					if strings.HasPrefix(variant, "bare") {
						text = strings.ReplaceAll(text, "fence;", "")
					}
					opt := query.RobustOptions{Options: query.Defaults()}
					opt.Workers, opt.KeepGoing = 2, strings.HasSuffix(variant, "all")
					opt.Timeout, opt.Memory = 5*time.Minute, 8<<30
					for range b.N {
						a, err := fencepost.Robust(context.Background(), query.Input{Name: "m.fp", Text: []byte(text)}, opt)
						if err != nil || len(a.Results) != 1 {
							b.Fatal(err, a)
						}
						r := &a.Results[0]
						b.ReportMetric(float64(r.Stats.States), "states")
						b.ReportMetric(float64(r.Stats.Bytes)/(1<<20), "MiB")
						b.ReportMetric(float64(r.Stats.States)/r.Stats.Seconds, "states/s")
						b.ReportMetric(float64(len(r.Attacks)), "attacks")
						if r.Verdict == verdict.Unknown || len(r.Warnings) > 0 {
							b.Logf("stops: %s %v", r.Reason, r.Warnings)
						}
					}
				})
			}
		}
	}
}
