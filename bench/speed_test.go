package bench_test

import (
	"bufio"
	"bytes"
	"flag"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var (
	oldTree   = flag.String("fp.oldtree", "", "checkout whose benchmarks are the measure")
	speedRuns = flag.Int("fp.runs", 10, "runs of each benchmark in each checkout")
	speedTime = flag.String("fp.benchtime", "100ms", "time for one run of one benchmark")
	speedOnly = flag.String("fp.bench", ".", "regular expression of the benchmarks to compare")
)

// A timed benchmark function has a test binary and a directory to run it in.
type timed struct{ name, dir, binary string }

// TestSpeed runs the benchmarks that two checkouts share in turn, and reports the ratio of
// their times: make speed OLD=COMMIT. It measures and judges nothing.
//
// Runs alternate, and the order within a pair too, so that a machine that is busy for a while
// slows both. The median of the ratios of the pairs counts.
func TestSpeed(t *testing.T) {
	if *oldTree == "" {
		t.Skip("no checkout to compare with: make speed OLD=COMMIT")
	}
	newTree, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	old := benchmarksOf(t, *oldTree)
	times := map[string]*[2][]float64{} // by benchmark: old, new
	for key, b := range benchmarksOf(t, newTree) {
		o, ok := old[key]
		if !ok {
			t.Logf("%s: only the new checkout has it", key)
			continue
		}
		o.binary, b.binary = testBinary(t, o.dir), testBinary(t, b.dir)
		for run := range *speedRuns {
			for half := range 2 {
				side := (run + half) % 2
				for name, ns := range runBenchmark(t, []timed{o, b}[side]) {
					name = key[:strings.LastIndex(key, ".")+1] + name
					if times[name] == nil {
						times[name] = new([2][]float64)
					}
					times[name][side] = append(times[name][side], ns)
				}
			}
		}
	}
	reportSpeed(t, times)
}

func reportSpeed(t *testing.T, times map[string]*[2][]float64) {
	var names []string
	for name, both := range times {
		if len(both[0]) > 0 && len(both[1]) > 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var logs, worst float64
	for _, name := range names {
		both := times[name]
		var ratios []float64
		for i := range min(len(both[0]), len(both[1])) {
			ratios = append(ratios, both[1][i]/both[0][i])
		}
		slices.Sort(ratios)
		n := len(ratios)
		mid := (ratios[(n-1)/2] + ratios[n/2]) / 2
		t.Logf("%-60s %12.0f ns/op  %.3f, of %d pairs from %.3f to %.3f", name, slices.Min(both[1]), mid, n, ratios[0], ratios[n-1])
		logs += math.Log(mid)
		worst = max(worst, mid)
	}
	if len(names) == 0 {
		t.Fatal("the checkouts share no benchmark")
	}
	t.Logf("%d benchmarks, new/old: geometric mean %.3f, worst %.3f", len(names), math.Exp(logs/float64(len(names))), worst)
}

var benchmarkDecl = regexp.MustCompile(`(?m)^func (Benchmark\w+)\(`)

// benchmarksOf finds the benchmark functions of a checkout. The key is the name, with the
// package's last element before it, which tells apart the names that occur twice.
func benchmarksOf(t *testing.T, root string) map[string]timed {
	t.Helper()
	only := regexp.MustCompile(*speedOnly)
	all := map[string]timed{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range benchmarkDecl.FindAllSubmatch(text, -1) {
			b := timed{name: string(m[1]), dir: filepath.Dir(path)}
			if only.MatchString(b.name) {
				all[movedPackage(filepath.Base(b.dir))+"."+b.name] = b
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// movedPackage returns today's name of a package that had another one.
func movedPackage(name string) string {
	switch name {
	case "automaton":
		return "fp"
	case "pipeline":
		return "fences"
	}
	return name
}

// testBinary builds the test binary of the package in dir, once.
func testBinary(t *testing.T, dir string) string {
	t.Helper()
	binary, ok := testBinaries[dir]
	if !ok {
		binary = filepath.Join(t.TempDir(), "bench.test")
		cmd := exec.Command("go", "test", "-c", "-o", binary, ".")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", dir, err, out)
		}
		testBinaries[dir] = binary
	}
	return binary
}

var testBinaries = map[string]string{}

// runBenchmark returns the nanoseconds per operation of a benchmark and its parts.
func runBenchmark(t *testing.T, b timed) map[string]float64 {
	t.Helper()
	cmd := exec.Command(b.binary, "-test.run", "^$", "-test.bench", "^"+b.name+"$", "-test.benchtime", *speedTime, "-test.timeout", "60m")
	cmd.Dir = b.dir
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("%s in %s: %v", b.name, b.dir, err)
	}
	times := map[string]float64{}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || fields[3] != "ns/op" || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		if ns, err := strconv.ParseFloat(fields[2], 64); err == nil {
			times[fields[0]] = ns
		}
	}
	return times
}
