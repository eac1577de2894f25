package rf_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"fencepost/internal/engine"
	"fencepost/internal/engine/rf"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
)

// cpu returns the processor time that the process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// long are programs whose executions get longer, while what a class has to decide stays the same for each operation.
var long = []struct {
	name string
	n    int
	make func(n int) [][]string
}{
	// Each of two threads stores n times, and reads what the other one has stored: 2n + 1 classes under SC.
	{"stores", 50, func(n int) [][]string {
		var a, b []string
		for i := range n {
			a, b = append(a, fmt.Sprintf("store [&x0] = %d", i+1)), append(b, fmt.Sprintf("store [&x1] = %d", i+1))
		}
		return [][]string{append(a, "r = load [&x1]"), append(b, "r = load [&x0]")}
	}},
	// A thread reads n times what another one stores once: n + 1 classes.
	{"loads", 100, func(n int) [][]string {
		return [][]string{{"store [&x0] = 1"}, strings.Split(strings.Repeat("r = load [&x0];", n-1)+"r = load [&x0]", ";")}
	}},
	// Store buffering of two threads, after n operations of a third one.
	{"before", 200, func(n int) [][]string {
		var a []string
		for i := range n {
			a = append(a, fmt.Sprintf("store [&x2] = %d", i), "r = load [&x2]")
		}
		b, c := []string{}, []string{}
		for range 3 {
			b, c = append(b, "store [&x0] = 1", "r = load [&x1]"), append(c, "store [&x1] = 1", "r = load [&x0]")
		}
		return [][]string{a, b, c}
	}},
	// Two threads exchange one variable, after n operations of each on variables of its own.
	{"exchanges", 100, func(n int) [][]string {
		var a, b []string
		for i := range n {
			a, b = append(a, fmt.Sprintf("r = rmw.add [&x2], %d", i)), append(b, fmt.Sprintf("r = rmw.add [&x3], %d", i))
		}
		for range 3 {
			a, b = append(a, "r = rmw.xchg [&x0], 1"), append(b, "r = rmw.xchg [&x0], 2")
		}
		return [][]string{a, b}
	}},
}

// BenchmarkLength explores programs whose executions get twice as long, and reports the processor time per class and
// how many times that of the program before it is. It is near two, not four, if the time is linear in the length.
func BenchmarkLength(b *testing.B) {
	for _, f := range long {
		for _, m := range testkit.Models {
			before := 0.0
			for _, n := range []int{f.n, 2 * f.n, 4 * f.n} {
				b.Run(fmt.Sprintf("%s/%s/%d", f.name, m, n), func(b *testing.B) {
					classes, begun := int64(0), cpu()
					for range b.N {
						classes += countClasses(b, program(b, f.make(n)...), m)
					}
					each := float64(cpu()-begun) / float64(classes)
					b.ReportMetric(each, "cpu-ns/class")
					b.ReportMetric(float64(classes)/float64(b.N), "classes")
					if before > 0 {
						b.ReportMetric(each/before, "times")
					}
					before = each
				})
			}
		}
	}
}

func countClasses(b *testing.B, p *ir.Program, m memory.Model) int64 {
	n, err := rf.ExploreAll(&engine.Task{Program: p, Props: &property.Set{}, Model: m}, rf.Options{}, nil)
	if err != nil {
		b.Fatal(err)
	}
	return n.Complete
}
