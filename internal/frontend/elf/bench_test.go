package elf

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkParse reads a program of some 10,000 instructions.
func BenchmarkParse(b *testing.B) {
	var text strings.Builder
	text.WriteString("volatile int x[64];\n")
	const functions, lines = 100, 32
	for i := range functions {
		fmt.Fprintf(&text, "__attribute__((noinline)) int f%d(int k) {\n", i)
		for j := range lines {
			fmt.Fprintf(&text, "  if (x[%d] > k) x[%d] += k; else k ^= %d;\n", (i+j)%64, (i*j)%64, j)
		}
		text.WriteString("  return k;\n}\n")
	}
	text.WriteString("int main(void) { int k = 0;\n")
	for i := range functions {
		fmt.Fprintf(&text, "  k += f%d(k);\n", i)
	}
	text.WriteString("  return k;\n}\n")
	object := compiled(b, text.String(), "-O1", "-g")
	n, begin := 0, cpuTime(b)
	for b.Loop() {
		u, diags := parse(object)
		if u.Program == nil {
			b.Fatal(diags)
		}
		n = strings.Count(string(u.Listing.Text), "  +0x")
	}
	b.ReportMetric(float64(n), "instructions")
	b.ReportMetric(float64((cpuTime(b)-begin).Milliseconds())/float64(b.N)*10000/float64(n), "cpu-ms/10000-instructions")
}

// cpuTime returns the CPU time of the process, which other processes on the machine do not change.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
