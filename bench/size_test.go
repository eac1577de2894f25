package bench_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/internal/cli"
	"fencepost/internal/family"
)

// sizes are the lines of functions that a thread of the programs below reaches.
var sizes = []int{1000, 2000, 4000, 8000, 16000}

// BenchmarkSize measures what a program costs by its size: two threads with the accesses of store buffering, one of which
// calls functions of 20 lines in between. Their work is private, so there are few executions, and almost all of the time
// goes into reading the program and setting up engines. It reports CPU seconds and, from the second size on, the ratio to
// half the size: 2.3 is the most that it should be.
func BenchmarkSize(b *testing.B) {
	for _, kind := range []struct {
		name string
		text func(lines int) string
		args []string
	}{
		{"loops", family.LoopsInC, nil}, {"pointers", family.PointersInC, nil},
		{"loops-object", family.LoopsInC, []string{"-O1"}}, {"pointers-object", family.PointersInC, []string{"-O1"}},
	} {
		half := 0.0
		for _, lines := range sizes {
			b.Run(fmt.Sprintf("%s/%d", kind.name, lines), func(b *testing.B) {
				file := filepath.Join(b.TempDir(), "program.c")
				if err := os.WriteFile(file, []byte(kind.text(lines)), 0o600); err != nil {
					b.Fatal(err)
				}
				if kind.args != nil {
					file = compiled(b, file, kind.args)
				}
				start := cpu()
				for range b.N {
					var out bytes.Buffer
					if code := cli.Run([]string{"check", file, "--timeout", "10m"}, strings.NewReader(""), &out, &out); code != 0 {
						b.Fatalf("exit status %d:\n%s", code, out.String())
					}
				}
				took := (cpu() - start).Seconds() / float64(b.N)
				b.ReportMetric(took, "cpu-s/op")
				if half > 0 {
					b.ReportMetric(took/half, "of-half")
				}
				half = took
			})
		}
	}
}

// compiled returns the object of a C file.
func compiled(b testing.TB, file string, flags []string) string {
	b.Helper()
	object := strings.TrimSuffix(file, ".c") + ".o"
	args := append([]string{"-fno-inline", "-c", file, "-o", object}, flags...)
	if text, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		b.Skipf("no gcc that compiles the program: %v\n%s", err, text)
	}
	return object
}
