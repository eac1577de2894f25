package check_test

import (
	"context"
	"errors"
	"flag"
	"slices"
	"testing"

	"fencepost/internal/certificate"
	"fencepost/internal/question/check"
	"fencepost/internal/testkit"
	"fencepost/query"
	"fencepost/verdict"
)

var everyRefuted = flag.Bool("fp.refuted", false, "refute what is unsafe in the whole corpus, not in a part of it")

// Whatever an engine says, the checker accepts no proof that a program of the corpus is safe which is not. Many of these
// programs are there because an engine once said so.
func TestUnsafeIsNeverCertified(t *testing.T) {
	refuted, open := map[string]int{}, map[string]int{}
	cases := slices.Concat(testkit.LoadCorpus(t, "../../../testdata/corpus"), testkit.LoadCorpus(t, "../../frontend/c/testdata/corpus"))
	for i, c := range cases {
		if !*everyRefuted && i%12 != 5 {
			continue
		}
		opt := c.Options
		if opt.Races || opt.Leaks || opt.Robustness || opt.AnyThreads {
			continue
		}
		for _, m := range c.Models() {
			if c.Verdict(string(m)) != verdict.Unsafe.String() {
				continue
			}
			for _, kind := range []string{certificate.KindClasses, certificate.KindStates, certificate.KindClauses} {
				err := check.Proof(context.Background(), c.Input, opt.Under(query.Model(m)), m, kind)
				switch violation := (*certificate.Refuted)(nil); {
				case err == nil:
					t.Errorf("%s under %s: unsafe, and certified by %s", c.Name(), m, kind)
				case errors.As(err, &violation):
					refuted[kind]++
				default:
					open[kind]++
					t.Logf("%s under %s by %s: %v", c.Name(), m, kind, err)
				}
			}
		}
	}
	t.Logf("refuted: %v; without a proof for another reason: %v", refuted, open)
	if refuted[certificate.KindClasses] == 0 || refuted[certificate.KindStates] == 0 || refuted[certificate.KindClauses] == 0 {
		t.Error("nothing is refuted")
	}
}
