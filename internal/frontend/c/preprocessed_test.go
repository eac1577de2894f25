package c_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"fencepost/internal/frontend/c"
	"fencepost/internal/frontend/c/translate"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
	"fencepost/query"
	"fencepost/verdict"
)

// preprocess returns the output of gcc for a text, with the headers of the system inside.
func preprocess(t testing.TB, text []byte) []byte {
	t.Helper()
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc here: nothing is preprocessed")
	}
	cmd := exec.Command(gcc, "-E", "-pthread", "-idirafter", "translate/read/include", "-x", "c", "-")
	cmd.Stdin = bytes.NewReader(text)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("gcc: %v\n%s", err, errs.Bytes())
	}
	return out
}

// TestPreprocessed: the examples mean the same after gcc's preprocessor.
func TestPreprocessed(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(testkit.Root(t), "examples", "*.c"))
	if err != nil || len(paths) < 11 {
		t.Fatalf("%d examples (%v)", len(paths), err)
	}
	for _, p := range paths {
		if !testkit.InPart(t, filepath.Base(p), 3) {
			continue
		}
		t.Run(filepath.Base(p), func(t *testing.T) {
			text, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			expect := expectations(text)
			if len(expect) == 0 {
				t.Fatal("no expectation")
			}
			in := query.Input{Name: filepath.Base(p), Text: preprocess(t, text)}
			for _, pair := range expect {
				question, want, _ := strings.Cut(pair, "=")
				if got := ask(t, in, question); got != want {
					t.Errorf("%s: %s, want %s", question, got, want)
				}
			}
		})
	}
}

// ofGlibc has programs in which macros of glibc call a function that only glibc has: the answer names it.
var ofGlibc = map[string]string{"c-cleanup": "__sigsetjmp_cancel"}

// TestPreprocessedCorpus: programs of the corpus, a third of the shared ones, are
// accepted after gcc's preprocessor and under SC get the verdicts their files expect.
func TestPreprocessedCorpus(t *testing.T) {
	corpus := filepath.Join("testdata", "corpus")
	for _, dir := range []string{filepath.Join(testkit.Root(t), "testdata", "corpus"), corpus} {
		for i, p := range testkit.LoadCorpus(t, dir) {
			if !strings.HasSuffix(p.Input.Name, ".c") || p.Expect["sc"] == "" || dir != corpus && i%3 != 0 || !testkit.InPart(t, p.Name(), 10) {
				continue
			}
			text := preprocess(t, p.Input.Text)
			p.Input.Text = text
			delete(p.Expect, "tso")
			delete(p.Expect, "pso")
			results, err := p.Check(p.Options)
			if err != nil {
				_, diags := c.Parse([]*source.File{source.NewFile(p.Input.Name, text)}, c.Options{})
				t.Errorf("%s: %v\n%s", p.Path, err, testkit.Messages(diags))
				continue
			}
			for _, r := range results {
				if name := ofGlibc[p.Name()]; name != "" && r.Verdict == verdict.Unknown && strings.Contains(r.Reason, name) {
					continue
				}
				if r.Model == "sc" && !p.Meets(&r) {
					t.Errorf("%s: want %s, got %s (%s)", p.Path, p.Expect["sc"], r.Verdict, r.Reason)
				}
			}
		}
	}
}

// TestLargePreprocessed: 5,000 lines after the preprocessor, system headers among
// them, are taken.
func TestLargePreprocessed(t *testing.T) {
	text := preprocess(t, []byte(largeFile(5_000)))
	if n := bytes.Count(text, []byte("\n")); n < 5_000 {
		t.Errorf("only %d lines", n)
	}
	testkit.TranslateC(t, translate.Options{}, source.NewFile("large.c", text))
}

// BenchmarkPreprocessed parses, checks and lowers the output of gcc -E for a program
// of 10,000 lines that includes a dozen headers.
func BenchmarkPreprocessed(b *testing.B) {
	var head strings.Builder
	for _, h := range []string{"stdio", "stdlib", "string", "stdint", "semaphore", "time", "unistd", "errno", "limits", "sched", "stdatomic", "ctype"} {
		fmt.Fprintf(&head, "#include <%s.h>\n", h)
	}
	text := preprocess(b, []byte(head.String()+largeFile(10_000)))
	b.ReportAllocs()
	runtime.GC()
	peak := watchMemory()
	for b.Loop() {
		unit, diags := c.Parse([]*source.File{source.NewFile("large.c", text)}, c.Options{})
		if unit.Program == nil {
			b.Fatalf("refused:\n%s", testkit.Messages(diags))
		}
	}
	b.ReportMetric(float64(peak())/(1<<20), "peak-MiB")
	b.ReportMetric(float64(bytes.Count(text, []byte("\n"))), "lines")
}

// watchMemory looks at how much memory is in use every few milliseconds until it is
// asked for the most it saw.
func watchMemory() (most func() uint64) {
	stop, done := make(chan struct{}), make(chan uint64)
	go func() {
		var peak uint64
		var m runtime.MemStats
		for tick := time.NewTicker(5 * time.Millisecond); ; {
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapInuse+m.StackInuse)
			select {
			case <-stop:
				tick.Stop()
				done <- peak
				return
			case <-tick.C:
			}
		}
	}()
	return func() uint64 { close(stop); return <-done }
}
