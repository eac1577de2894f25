package bench_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fencepost"
	"fencepost/internal/family"
	"fencepost/internal/testkit"
	"fencepost/verdict"
)

var (
	portfolioBinary = flag.String("fp.portfolio", "", "binary whose portfolio is compared with its single engines")
	portfolioModels = flag.String("fp.models", "tso,pso", "memory models to ask about")
	portfolioOnly   = flag.String("fp.programs", "", "compare only programs whose names contain this")
	portfolioLeast  = flag.Float64("fp.least", 0.05, "compare only programs of the corpus whose default check takes that many CPU seconds")
)

// asked is a program with the flags to ask about it.
type asked struct {
	name  string
	args  []string
	least float64 // CPU seconds of the default check below which it is not compared
}

// TestPortfolio compares the CPU time of the default check with that of each engine alone, in
// processes of their own with one worker: make portfolio. It measures; it fails only if a default
// check gives no definite answer where a single engine gives one, or another one. The best engine is
// searched for up to three times the CPU time of the default.
func TestPortfolio(t *testing.T) {
	if *portfolioBinary == "" {
		t.Skip("no binary to measure: make portfolio")
	}
	var ratios []float64
	worst, worstAt := 0.0, ""
	for _, p := range portfolioPrograms(t) {
		if !strings.Contains(p.name, *portfolioOnly) {
			continue
		}
		for model := range strings.SplitSeq(*portfolioModels, ",") {
			args := append([]string{"--model", model}, p.args...)
			v, cpu := askAlone(t, mostCPU, args)
			if cpu < p.least {
				continue
			}
			best, by, answer := math.Inf(1), "", verdict.Unknown
			for _, e := range fencepost.Engines() {
				// An engine that takes longer is not the best, or the default is far better than all of them.
				v, cpu := askAlone(t, min(int(3*cpu)+2, mostCPU), append([]string{"--engine", string(e)}, args...))
				if definiteAnswer(v) && cpu < best {
					best, by, answer = cpu, string(e), v
				}
			}
			if by == "" {
				t.Logf("%-40s %s  no engine alone answers in three times that; all together %s in %.2f s", p.name, model, v, cpu)
				continue
			}
			if v != answer {
				t.Errorf("%s under %s: %s, but %s alone says %s in %.2f s", p.name, model, v, by, answer, best)
				continue
			}
			ratio := cpu / best
			t.Logf("%-40s %s  %6.2f s  %-8s %6.2f s  %5.2f", p.name, model, cpu, by, best, ratio)
			ratios = append(ratios, ratio)
			if ratio > worst {
				worst, worstAt = ratio, p.name+" under "+model
			}
		}
	}
	logs := 0.0
	for _, r := range ratios {
		logs += math.Log(r)
	}
	t.Logf("%d questions: CPU of the default to that of the best engine: geometric mean %.2f, worst %.2f (%s)",
		len(ratios), math.Exp(logs/float64(max(1, len(ratios)))), worst, worstAt)
}

func definiteAnswer(v verdict.Verdict) bool {
	return slices.Contains([]verdict.Verdict{verdict.Safe, verdict.Unsafe, verdict.Observed, verdict.NotObserved}, v)
}

// mostCPU is how many CPU seconds the default check may take.
const mostCPU = 30

// askAlone runs the binary for at most that many CPU seconds, and returns its verdict and how many it took. Other
// programs on the machine change neither much.
func askAlone(t *testing.T, most int, args []string) (verdict.Verdict, float64) {
	t.Helper()
	line := fmt.Sprintf("ulimit -t %d; exec \"$@\"", most)
	cmd := exec.Command("sh", append([]string{"-c", line, "sh", *portfolioBinary, "check", "--json", "--workers", "1", "--timeout", "0"}, args...)...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	var out bytes.Buffer
	cmd.Stdout = &out
	_ = cmd.Run() // the exit code repeats the verdict
	cpu := (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	var report struct {
		Results []struct {
			Verdict verdict.Verdict `json:"verdict"`
		} `json:"results"`
	}
	if json.Unmarshal(out.Bytes(), &report) != nil || len(report.Results) != 1 {
		return verdict.Unknown, cpu // the engine refuses the program, or takes too long
	}
	return report.Results[0].Verdict, cpu
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// portfolioPrograms are the generated families, the shared ones, the larger programs of the corpus,
// long programs in C and as objects, and clients of public libraries.
func portfolioPrograms(t *testing.T) []asked {
	t.Helper()
	dir := t.TempDir()
	var out []asked
	put := func(name string, text []byte, args ...string) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		out = append(out, asked{name: name, args: append(args, path)})
	}
	for _, f := range fencepost.Families() {
		for _, n := range []int{3, 6} {
			text, err := fencepost.Generate(f.Name, n)
			if err != nil {
				t.Fatal(err)
			}
			put(f.Name+"-"+string(rune('0'+n))+".fp", []byte(text), "--deadlock") // some have nothing else to check
		}
	}
	if shared := filepath.Join(testkit.Root(t), "..", "shared", "bench", "scaling"); exists(shared) {
		for name, n := range map[string]string{
			"casrot": "8", "fib": "4", "indexer": "13", "lastzero": "8", "readers": "12", "sbn": "6", "szymanski": "4", "writers": "6", "bufw": "6",
		} {
			out = append(out, asked{name: name + "(" + n + ")", args: []string{"-DN=" + n, "--unroll", "16", "--threads", "24", filepath.Join(shared, name+".c")}})
		}
		// Members whose best engine takes up to ten seconds, with the default bound of loops.
		for name, members := range map[string]string{
			"ainc": "8", "bufw": "200 800", "casrot": "10", "fib": "6 8 12", "indexer": "15", "lastzero": "12 15", "nw1r": "8", "readers": "16", "sbn": "15 18", "szymanski": "5", "writers": "9",
		} {
			for n := range strings.FieldsSeq(members) {
				out = append(out, asked{name: name + "(" + n + "), default bounds", args: []string{"-DN=" + n, "--threads", "24", filepath.Join(shared, name+".c")}})
			}
		}
	}
	for name, text := range map[string]string{"loops(4000).c": family.LoopsInC(4000), "pointers(4000).c": family.PointersInC(4000)} {
		put(name, []byte(text))
		if _, err := exec.LookPath("gcc"); err != nil {
			t.Logf("notice: no objects: %v", err)
			continue
		}
		out = append(out, asked{name: name + ", object", args: []string{compiled(t, out[len(out)-1].args[0], []string{"-O1"})}})
	}
	out = append(out, exampleObjects(t, dir)...)
	for _, c := range testkit.LoadCorpus(t, filepath.Join(testkit.Root(t), "testdata", "corpus")) {
		put(filepath.Base(c.Input.Name), c.Input.Text, optionsOf(c)...)
		out[len(out)-1].least = *portfolioLeast
	}
	out = append(out, libraryClients(t)...)
	slices.SortFunc(out, func(a, b asked) int { return strings.Compare(a.name, b.name) })
	return out
}

// exampleObjects are the examples in C and C++ as machine code, as far as their compiler is there.
func exampleObjects(t *testing.T, dir string) []asked {
	var out []asked
	for pattern, compiler := range map[string][]string{"*.c": {"gcc", "-O2"}, "cpp/*.cc": {"g++", "-O2", "-std=c++20"}} {
		files, err := filepath.Glob(filepath.Join(testkit.Root(t), "examples", pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%v: no examples %s", err, pattern)
		}
		if _, err := exec.LookPath(compiler[0]); err != nil {
			t.Logf("notice: no objects of %s: %v", pattern, err)
			continue
		}
		for _, file := range files {
			object := filepath.Join(dir, strings.ReplaceAll(filepath.Base(file), ".", "-")+".o")
			args := slices.Concat(compiler[1:], []string{"-g", "-c", file, "-o", object})
			if text, err := exec.Command(compiler[0], args...).CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", file, err, text)
				continue
			}
			out = append(out, asked{name: filepath.Base(file) + ", object", args: []string{object}, least: *portfolioLeast})
		}
	}
	return out
}

// optionsOf returns the options of a program of the corpus as flags.
func optionsOf(c *testkit.Case) []string {
	var args []string
	if c.Options.Deadlock {
		args = append(args, "--deadlock")
	}
	for flag, n := range map[string]int{"--buffer": c.Options.Buffer, "--threads": c.Options.Threads, "--unroll": c.Options.Unroll} {
		if n != 0 {
			args = append(args, flag, strconv.Itoa(n))
		}
	}
	return args
}
