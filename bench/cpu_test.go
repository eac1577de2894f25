package bench_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	testCPU     = flag.Bool("fp.cpu", false, "measure the CPU time of the tests of each package")
	testCPUOnly = flag.String("fp.cpuonly", ".", "regular expression of the packages to measure")
	testCPUArgs = flag.String("fp.cpuargs", "", "further arguments for the test binaries, separated by spaces")
)

// TestCPU runs the tests of each package and prints the CPU seconds that they and the processes
// they start take: make cpu. Compiling is not counted. It measures, and fails only if tests fail.
func TestCPU(t *testing.T) {
	if !*testCPU {
		t.Skip("make cpu measures the tests")
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	total, most, mostIn := 0.0, 0.0, ""
	only := regexp.MustCompile(*testCPUOnly)
	for _, p := range testedPackages(t, root) {
		if !only.MatchString(p.path) {
			continue
		}
		binary := filepath.Join(t.TempDir(), "cpu.test")
		build := exec.Command("go", "test", "-c", "-o", binary, ".")
		build.Dir = p.dir
		if out, err := build.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", p.path, err, out)
			continue
		}
		cmd := exec.Command(binary, append([]string{"-test.timeout", "60m"}, strings.Fields(*testCPUArgs)...)...)
		cmd.Dir = p.dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", p.path, err, out)
		}
		if cmd.ProcessState == nil {
			continue
		}
		cpu := (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
		t.Logf("%8.1f s  %s", cpu, p.path)
		total += cpu
		if cpu > most {
			most, mostIn = cpu, p.path
		}
		if err := os.Remove(binary); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%8.1f s  in all, at most %.1f s in one package (%s)", total, most, mostIn)
}

type testedPackage struct{ path, dir string }

// testedPackages lists the packages of the module that have tests.
func testedPackages(t *testing.T, root string) []testedPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}\t{{.Dir}}{{end}}", "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []testedPackage
	for line := range strings.Lines(string(out)) {
		if path, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			all = append(all, testedPackage{path, dir})
		}
	}
	if len(all) == 0 {
		t.Fatal("no package has tests")
	}
	return all
}
