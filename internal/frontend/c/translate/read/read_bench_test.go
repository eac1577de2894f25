package read

import (
	"os"
	"syscall"
	"testing"
	"time"

	"fencepost/internal/diag"
	"fencepost/internal/source"
)

// BenchmarkRead reads examples/dekker.c with our headers. A check of a small program spends this CPU
// time before the program is translated.
func BenchmarkRead(b *testing.B) {
	const name = "../../../../../examples/dekker.c"
	text, err := os.ReadFile(name)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	before := cpuTime(b)
	for b.Loop() {
		f := source.NewFile("dekker.c", text)
		diags := &diag.List{}
		if NewInput([]*source.File{f}, Options{}, diags).Parse(f, "", "") == nil {
			b.Fatal("refused")
		}
	}
	b.ReportMetric(float64(cpuTime(b)-before)/float64(time.Millisecond)/float64(b.N), "cpu-ms/op")
}

// cpuTime returns the CPU time that this process has used.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
