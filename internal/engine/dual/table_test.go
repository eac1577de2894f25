package dual_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"fencepost/internal/pipeline"
	"fencepost/internal/question/check"
	"fencepost/verdict"
)

var table = flag.Duration("fp.table", 0, "time limit for each program of TestTable, 0: no table")

// TestTable prints which programs of the public benchmarks beside the repository are answered, for
// bench/dual.md. With the flag it has no other expectation than that no answer contradicts the explicit engine's.
func TestTable(t *testing.T) {
	if *table == 0 {
		t.Skip("no -fp.table")
	}
	fmt.Println("| program | dual | elements | seconds | explicit, 8 buffered stores |")
	fmt.Println("|---|---|---:|---:|---|")
	for _, dir := range []string{"reach", "rmm", "trencher"} {
		files, err := filepath.Glob(filepath.Join(shared(t, dir), "*.*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			if ext := filepath.Ext(path); ext != ".txt" && ext != ".rmm" {
				continue
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			ask := func(name string) (string, verdict.Result) {
				opt := check.Options{Engine: name}
				opt.Timeout, opt.Buffer, opt.Memory = *table, 8, 1<<30
				a, err := check.Run(context.Background(), pipeline.Input{Name: path, Text: text}, []string{"tso"}, opt)
				if err != nil {
					t.Fatalf("%s: %v", path, err)
				}
				if len(a.Results) == 0 {
					return "refused", verdict.Result{}
				}
				r := a.Results[0]
				switch {
				case r.Verdict == verdict.Unknown:
					return "unknown: " + r.Reason, r
				case r.Verdict == verdict.Safe && r.Coverage.Exhaustive:
					return "safe, all executions", r
				default:
					return r.Verdict.String(), r
				}
			}
			begin := time.Now()
			answer, r := ask("dual")
			took := time.Since(begin).Seconds()
			other, e := ask("explicit")
			fmt.Printf("| %s/%s | %s | %d | %.1f | %s |\n", dir, filepath.Base(path), answer, r.Stats.States, took, other)
			if r.Verdict == verdict.Safe && e.Verdict == verdict.Unsafe || r.Verdict == verdict.Unsafe && e.Verdict == verdict.Safe && e.Coverage.Exhaustive {
				t.Errorf("%s: dual says %s, explicit %s", path, r.Verdict, e.Verdict)
			}
		}
	}
}
