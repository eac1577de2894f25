package bench_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"fencepost"
	"fencepost/internal/testkit"
)

// BenchmarkPortfolio: the programs of the corpus under TSO, by the portfolio and by the
// explicit engine alone, as a ratio within one run; and the slowest of the examples.
func BenchmarkPortfolio(b *testing.B) {
	cases := testkit.LoadCorpus(b, filepath.Join(testkit.Root(b), "testdata", "corpus"))
	ask := func(in fencepost.Input, opt fencepost.CheckOptions) time.Duration {
		start := time.Now()
		if _, err := fencepost.Check(context.Background(), in, opt); err != nil {
			b.Fatal(err)
		}
		return time.Since(start)
	}
	for b.Loop() {
		var portfolio, explicit, worst time.Duration
		slowest := ""
		for _, c := range cases {
			with := fencepost.CheckOptions{Options: fencepost.Options{
				Buffer: c.Options.Buffer, Threads: c.Options.Threads, Unroll: c.Options.Unroll, Timeout: c.Options.Timeout,
			}, Deadlock: c.Options.Deadlock}
			alone := with
			in := fencepost.Input{Name: c.Input.Name, Text: c.Input.Text}
			alone.Engines = []fencepost.Engine{"explicit"}
			p, e := ask(in, with), ask(in, alone)
			portfolio += p
			explicit += e
			if p-e > worst {
				worst, slowest = p-e, c.Path
			}
		}
		b.ReportMetric(portfolio.Seconds()/explicit.Seconds(), "portfolio/explicit")
		b.Logf("%d programs: portfolio %v, explicit alone %v; most added: %v in %s", len(cases), portfolio, explicit, worst, filepath.Base(slowest))
		files, err := filepath.Glob(filepath.Join(testkit.Root(b), "examples", "*.*"))
		if err != nil {
			b.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				b.Fatal(err)
			}
			if filepath.Ext(file) != ".md" {
				b.Logf("%-20s %v", filepath.Base(file), ask(fencepost.Input{Name: filepath.Base(file), Text: text}, fencepost.CheckOptions{Options: fencepost.Defaults()}))
			}
		}
	}
}
