package dual_test

import (
	"context"
	"path/filepath"
	"testing"

	"fencepost/internal/budget"
	"fencepost/internal/question/check"
	"fencepost/internal/testkit"
	"fencepost/query"
	"fencepost/verdict"
)

// workLimit returns a context that ends when a search has used up some units of work: what is decided does not depend on
// the machine.
func workLimit(work int64) (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	b := budget.New()
	b.Grant(work)
	go func() {
		select {
		case <-b.Used():
			cancel()
		case <-ctx.Done():
		}
	}()
	return budget.With(ctx, b), cancel
}

// TestCorpus: on the programs of both corpora that dual takes, every definite answer under TSO is the
// expected one, and a safe covers all executions.
func TestCorpus(t *testing.T) {
	count := map[string]int{}
	root := testkit.Root(t)
	cases := testkit.LoadCorpus(t, filepath.Join(root, "testdata", "corpus"))
	cases = append(cases, testkit.LoadCorpus(t, filepath.Join(root, "internal", "frontend", "c", "testdata", "corpus"))...)
	for _, c := range testkit.PartOf(t, cases, 10) {
		want := c.Expect["tso"]
		if want != "safe" && want != "unsafe" {
			continue
		}
		opt := c.Options
		opt.Engines = query.Engines{"dual"}
		ctx, stop := workLimit(100 * budget.Millisecond) // an unknown is no failure
		answer, err := check.Run(ctx, c.Input, opt.Under("tso"))
		stop()
		if err != nil {
			t.Fatalf("%s: %v", c.Input.Name, err)
		}
		if answer.HasErrors() {
			count[refused]++
			continue
		}
		res := answer.Results[0]
		count[res.Verdict.String()]++
		switch {
		case res.Verdict == verdict.Unknown:
		case res.Verdict.String() != want:
			t.Errorf("%s: %s instead of %s", c.Input.Name, res.Verdict, want)
		case res.Verdict == verdict.Safe && !res.Coverage.Exhaustive:
			t.Errorf("%s: safe, but not for all executions", c.Input.Name)
		}
	}
	t.Log(count)
	if count["safe"] == 0 || count["unsafe"] == 0 {
		t.Errorf("too few definite answers: %v", count)
	}
}
