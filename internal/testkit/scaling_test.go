package testkit_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"fencepost/internal/engine"
	"fencepost/internal/engine/rf"
	"fencepost/internal/engine/smc"
	"fencepost/internal/frontend/c"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
	"fencepost/query"
)

// family returns a program of the C families in the shared data.
func family(t testing.TB, name string, unroll int, defines ...string) (*ir.Program, *property.Set) {
	t.Helper()
	dir := testkit.Shared(t, "bench", "scaling")
	text, err := os.ReadFile(filepath.Join(dir, name+".c"))
	if err != nil {
		t.Fatal(err)
	}
	unit, diags := c.Parse([]*source.File{source.NewFile(name+".c", text)}, c.Options{COptions: query.COptions{
		Uninitialised: query.UninitialisedZero, Defines: defines,
		Include: func(file string) ([]byte, bool) {
			b, err := os.ReadFile(filepath.Join(dir, file))
			return b, err == nil
		},
	}})
	if diags.HasErrors() {
		t.Fatalf("%s: %v", name, diags.All)
	}
	flat, err := transform.Run(unit.Program, transform.Options{Unroll: unroll}, nil)
	if err != nil {
		t.Fatal(err)
	}
	unit.Props.Deadlock = false // a join with a thread that an assumption stops would count as one
	return flat, unit.Props
}

func explore(t testing.TB, flat *ir.Program, props *property.Set, m memory.Model, workers int) *engine.Outcome {
	t.Helper()
	out, err := smc.Engine.Run(context.Background(), &engine.Task{
		Program: flat, Props: props, Model: m, NoReduction: true, Limits: engine.Limits{Unroll: 40, Workers: workers},
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestScalingCounts: the number of complete executions equals the count of other tools in
// every row that they finished. No execution is explored in vain, and three workers explore
// as many.
func TestScalingCounts(t *testing.T) {
	f, err := os.Open(testkit.Shared(t, "bench", "scaling", "peers.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want := map[[3]string]int64{}
	var order [][3]string
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		col := strings.Split(lines.Text(), "\t")
		trusted := col[2] == "nidhugg" && col[4] == "source" || col[2] == "genmc"
		if !trusted || col[0] == "family" || col[0] == "ainc" && col[3] == "sc" && col[2] == "nidhugg" {
			continue
		}
		n, err := strconv.ParseInt(col[6], 10, 64)
		if err != nil || col[5] != "ok" {
			continue
		}
		key := [3]string{col[0], col[1], col[3]}
		if old, ok := want[key]; !ok {
			want[key] = n
			order = append(order, key)
		} else if old != n {
			t.Logf("the others differ on %v: %d and %d", key, old, n)
		}
	}
	limit := int64(400)
	switch {
	case *scaleAll:
		limit = 1 << 40
	case testkit.Slow():
		limit = 6000
	}
	for _, key := range order {
		if want[key] > limit {
			continue
		}
		m, ok := memory.ParseModel(key[2])
		if !ok {
			continue
		}
		flat, props := family(t, key[0], 40, "N="+key[1])
		out := explore(t, flat, props, m, 1)
		t.Logf("%v: %d executions, %d blocked, %.0f/s", key, out.Stats.FinalStates, out.Stats.Blocked, float64(out.Stats.FinalStates)/out.Stats.Seconds)
		if out.Stats.FinalStates != want[key] || out.Stats.Redundant != 0 || !out.Coverage.Exhaustive {
			t.Errorf("%v: %d complete executions, others count %d; %d in vain; %v %s", key, out.Stats.FinalStates, want[key], out.Stats.Redundant, out.Coverage, out.Unknown)
		}
		if three := explore(t, flat, props, m, 3); three.Stats.FinalStates != out.Stats.FinalStates || three.Stats.Executions != out.Stats.Executions || three.Stats.Redundant != 0 {
			t.Errorf("%v: %d executions with one worker, %d with three, %d of them in vain", key, out.Stats.Executions, three.Stats.Executions, three.Stats.Redundant)
		}
	}
}

// BenchmarkSmc explores the larger members of the families: executions per second.
func BenchmarkSmc(b *testing.B) {
	for _, f := range []struct {
		name string
		n    int
	}{
		{"fib", 6}, {"readers", 15}, {"lastzero", 12}, {"indexer", 15}, {"casrot", 9}, {"sbn", 12}, {"szymanski", 3}, {"bufw", 100}, {"writers", 8}, {"nw1r", 7},
	} {
		for _, m := range testkit.Models {
			b.Run(fmt.Sprintf("%s(%d)/%s", f.name, f.n, m), func(b *testing.B) {
				flat, props := family(b, f.name, 40, fmt.Sprintf("N=%d", f.n))
				var executions, bytes int64
				before := cpuSeconds(b)
				for b.Loop() {
					out := explore(b, flat, props, m, 1)
					executions += out.Stats.Executions
					bytes = out.Stats.Bytes
				}
				b.ReportMetric(float64(executions)/(cpuSeconds(b)-before), "executions/cpu-s")
				b.ReportMetric(float64(executions)/float64(b.N), "executions")
				b.ReportMetric(float64(bytes)/1024, "KiB")
			})
		}
	}
}

// BenchmarkSmcWorkers explores the same executions with one worker and with two. It reports
// how many times as fast two workers are, and how much more processor time they use.
func BenchmarkSmcWorkers(b *testing.B) {
	for _, f := range []struct {
		name string
		n    int
	}{{"fib", 6}, {"readers", 17}, {"casrot", 9}} {
		b.Run(fmt.Sprintf("%s(%d)/tso", f.name, f.n), func(b *testing.B) {
			flat, props := family(b, f.name, 40, fmt.Sprintf("N=%d", f.n))
			for b.Loop() {
				var wall, cpu [2]float64
				var executions [2]int64
				for k := range 2 {
					before, start := cpuSeconds(b), time.Now()
					executions[k] = explore(b, flat, props, memory.TSO, k+1).Stats.Executions
					wall[k], cpu[k] = time.Since(start).Seconds(), cpuSeconds(b)-before
				}
				if executions[0] != executions[1] {
					b.Fatalf("%d executions with one worker, %d with two", executions[0], executions[1])
				}
				b.ReportMetric(wall[0], "s-alone")
				b.ReportMetric(wall[0]/wall[1], "times-as-fast")
				b.ReportMetric(cpu[1]/cpu[0], "cpu-ratio")
			}
		})
	}
}

// cpuSeconds returns the processor time of this process, on which other processes have no
// influence.
func cpuSeconds(b testing.TB) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}

// TestForwarding: a forwarded load of a variable that no other thread writes adds no trace,
// and store buffering stays possible.
func TestForwarding(t *testing.T) {
	for n := 1; n <= 3; n++ {
		for _, m := range testkit.Models {
			var count [2]int64
			for f := range count {
				flat, props := family(t, "rfi_family", 40, fmt.Sprintf("N=%d", n), fmt.Sprintf("F=%d", f))
				out, err := smc.New(smc.Options{Traces: true, CheckTraces: true}).Run(context.Background(), &engine.Task{Program: flat, Props: props, Model: m})
				if err != nil {
					t.Fatalf("rfi_family(%d) with F=%d under %s: %v", n, f, m, err)
				}
				count[f] = out.Stats.FinalStates
			}
			if count[0] != count[1] {
				t.Errorf("rfi_family(%d) under %s: %d traces without, %d with forwarded loads", n, m, count[0], count[1])
			}
		}
	}
	for a := range 2 {
		for b := range 2 {
			for _, m := range testkit.Models {
				flat, props := family(t, "sb_rfi_outcome", 40, fmt.Sprintf("A=%d", a), fmt.Sprintf("B=%d", b))
				out := explore(t, flat, props, m, 1)
				if possible := m != memory.SC || a+b > 0; (len(out.Violations) > 0) != possible {
					t.Errorf("r1 = %d and r2 = %d under %s: found %v, possible %v", a, b, m, len(out.Violations) > 0, possible)
				}
			}
		}
	}
}

// BenchmarkRf explores members of the families in C by reads-from classes.
func BenchmarkRf(b *testing.B) {
	for _, c := range []struct{ family, n string }{{"fib", "5"}, {"readers", "10"}, {"szymanski", "2"}, {"casrot", "7"}} {
		b.Run(c.family+c.n, func(b *testing.B) {
			flat, props := family(b, c.family, 40, "N="+c.n)
			for b.Loop() {
				out, err := rf.Engine.Run(context.Background(), &engine.Task{Program: flat, Props: props, Model: memory.TSO, NoReduction: true, Limits: engine.Limits{Unroll: 40, Workers: 1}})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(out.Stats.Executions)/out.Stats.Seconds, "classes/s")
				b.ReportMetric(float64(out.Stats.Executions), "classes")
			}
		})
	}
}
