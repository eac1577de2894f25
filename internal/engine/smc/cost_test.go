package smc_test

import (
	"fmt"
	"syscall"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/smc"
	"fencepost/internal/family"
	"fencepost/internal/frontend/c"
	"fencepost/internal/frontend/fp"
	"fencepost/internal/frontend/statement"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

// flatText returns a program for the engine.
func flatText(t testing.TB, text string) *ir.Program {
	t.Helper()
	u, diags := fp.Parse(source.NewFile("text.fp", []byte(text)), statement.Options{})
	if diags.HasErrors() {
		t.Fatal(diags.All)
	}
	flat, err := transform.Run(u.Program, transform.Options{Unroll: 40}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return flat
}

// TestNoAllocations: an exploration that has the memory it needs allocates none, whatever it explores.
func TestNoAllocations(t *testing.T) {
	for _, f := range []struct {
		name string
		n    int
	}{{"readers", 6}, {"writers", 4}, {"sbn", 5}, {"bufw", 6}, {"casrot", 5}, {"ainc", 4}, {"fib", 3}, {"indexer", 12}, {"lastzero", 5}, {"szymanski", 1}} {
		gen, _ := family.Find(f.name)
		flat := flatText(t, gen.Text(f.n))
		for _, m := range testkit.Models {
			a := smc.NewAgain(&engine.Task{Program: flat, Props: &property.Set{}, Model: m})
			var executions int64
			if n := testing.AllocsPerRun(3, func() { executions = a.Explore() }); n > 0 {
				t.Errorf("%s(%d) under %s: %.0f allocations in %d executions", f.name, f.n, m, n, executions)
			}
		}
	}
}

// BenchmarkOtherThreads explores store buffering of two threads; only the number of threads that have run before them,
// and share nothing with them, differs.
func BenchmarkOtherThreads(b *testing.B) {
	for _, n := range []int{0, 10, 100} {
		text := "var x, y, z[200];\n"
		for i := range n {
			text += fmt.Sprintf("thread c%d { z[%d] = 1; fence; }\n", i, i)
		}
		text += "thread a { reg r; x = 1; r = y; x = 2; r = y; x = 3; r = y; }\nthread b { reg r; y = 1; r = x; y = 2; r = x; y = 3; r = x; }\n"
		benchmarkAgain(b, fmt.Sprintf("threads=%d", n), flatText(b, text), memory.TSO)
	}
}

// BenchmarkModels explores a program that has the traces of SC under every model, but for one.
func BenchmarkModels(b *testing.B) {
	gen, _ := family.Find("sbn")
	for _, m := range testkit.Models {
		benchmarkAgain(b, m.String(), flatText(b, gen.Text(10)), m)
	}
}

// BenchmarkLongBuffers explores executions of two threads with long buffers; only the length differs.
func BenchmarkLongBuffers(b *testing.B) {
	gen, _ := family.Find("bufw")
	for _, n := range []int{10, 30, 90} {
		benchmarkAgain(b, fmt.Sprintf("stores=%d", n), flatText(b, gen.Text(n)), memory.TSO)
	}
}

// joinsProgram is store buffering of two threads in C, with n threads more that do nothing. Main joins all of them in the
// end.
func joinsProgram(t testing.TB, n int) *ir.Program {
	t.Helper()
	text := fmt.Sprintf(`#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y;
void *a(void *p) { for (int i = 1; i < 6; i++) { atomic_store_explicit(&x, i, memory_order_relaxed); (void)atomic_load(&y); } return 0; }
void *b(void *p) { for (int i = 1; i < 6; i++) { atomic_store_explicit(&y, i, memory_order_relaxed); (void)atomic_load(&x); } return 0; }
void *c(void *p) { return 0; }
int main(void) {
  pthread_t t[%d];
  for (long i = 0; i < %d; i++) pthread_create(&t[i + 2], 0, c, (void *)i);
  pthread_create(&t[0], 0, a, 0);
  pthread_create(&t[1], 0, b, 0);
  for (int i = 0; i < %d; i++) pthread_join(t[i], 0);
}
`, n+2, n, n+2)
	return flatC(t, "joins.c", text)
}

// flatC returns a program in C for the engine.
func flatC(t testing.TB, name, text string) *ir.Program {
	t.Helper()
	u, diags := c.Parse([]*source.File{source.NewFile(name, []byte(text))}, testkit.ZeroedC())
	if diags.HasErrors() {
		t.Fatal(diags.All)
	}
	flat, err := transform.Run(u.Program, transform.Options{Unroll: 60}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return flat
}

// BenchmarkJoins explores store buffering of two threads; only the number of other threads that main joins in the end
// differs. There are 49,104 executions, so that one thing counts for nothing that is done once for all of them: main
// starts the threads, and its joins are performed once.
func BenchmarkJoins(b *testing.B) {
	for _, n := range []int{0, 10, 50} {
		benchmarkAgain(b, fmt.Sprintf("joins=%d", n), joinsProgram(b, n), memory.TSO)
	}
}

// BenchmarkFinalLoads explores the orders of seven stores; only the number of loads differs that main does in the end.
func BenchmarkFinalLoads(b *testing.B) {
	for _, n := range []int{0, 10, 50} {
		text := fmt.Sprintf(`#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
void *w(void *p) { atomic_store_explicit(&x, (int)(long)p, memory_order_relaxed); return 0; }
int main(void) {
  pthread_t t[7];
  for (long i = 0; i < 7; i++) pthread_create(&t[i], 0, w, (void *)i);
  for (int i = 0; i < 7; i++) pthread_join(t[i], 0);
  for (int i = 0; i < %d; i++) (void)atomic_load(&x);
}
`, n)
		benchmarkAgain(b, fmt.Sprintf("loads=%d", n), flatC(b, "loads.c", text), memory.TSO)
	}
}

// benchmarkAgain reports the processor time of an execution.
func benchmarkAgain(b *testing.B, name string, flat *ir.Program, m memory.Model) {
	b.Run(name, func(b *testing.B) {
		a := smc.NewAgain(&engine.Task{Program: flat, Props: &property.Set{}, Model: m})
		executions := int64(0)
		before := cpuSeconds(b)
		for b.Loop() {
			executions += a.Explore()
		}
		b.ReportMetric((cpuSeconds(b)-before)*1e9/float64(executions), "cpu-ns/execution")
	})
}

func cpuSeconds(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}
