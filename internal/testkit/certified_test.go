package testkit

import (
	"context"
	"flag"
	"slices"
	"strings"
	"testing"
	"time"

	"fencepost/internal/question/robust"
	"fencepost/query"
	"fencepost/verdict"
)

var everyCertified = flag.Bool("fp.certified", false, "certify the safe answers of the whole corpus, not of a part of it")

// Safe answers of the corpus are certified, or there is a reason that is known. No answer is refuted: that would be an
// error.
func TestCorpusCertified(t *testing.T) {
	all := map[string]int{}
	certified, total := 0, 0
	cases := slices.Concat(LoadCorpus(t, "../../testdata/corpus"), LoadCorpus(t, "../frontend/c/testdata/corpus"))
	for i, c := range cases {
		if !*everyCertified && i%40 != 7 {
			continue
		}
		opt := c.Options
		opt.Certified, opt.Memory, opt.Timeout = true, 1<<30, 10*time.Second
		results, err := c.Check(opt)
		if err != nil {
			t.Errorf("%s: %v", c.Name(), err)
			continue
		}
		for k := range results {
			r := &results[k]
			switch why, refused := strings.CutPrefix(r.Reason, "not certified: "); {
			case r.Coverage.Certificate != nil && (r.Verdict == verdict.Safe || r.Verdict == verdict.NotObserved):
				certified++
				total++
			case refused:
				total++
				all[why]++
				t.Logf("%s under %s: %s", c.Name(), r.Model, why)
			case r.Coverage.Certificate != nil:
				total++
				all["a bound"]++
				t.Logf("%s under %s: %s", c.Name(), r.Model, r.Reason)
			case r.Verdict == verdict.Safe:
				t.Errorf("%s under %s: safe without a certificate", c.Name(), r.Model)
			}
		}
	}
	t.Logf("%d of %d safe answers are certified; the others: %v", certified, total, all)
	if certified == 0 {
		t.Error("nothing is certified")
	}
}

// Programs of the corpus that are robust have a proof of it, or there is a reason that is known. No answer is refuted.
func TestCorpusCertifiedRobust(t *testing.T) {
	all := map[string]int{}
	certified, total := 0, 0
	cases := slices.Concat(LoadCorpus(t, "../../testdata/corpus"), LoadCorpus(t, "../frontend/c/testdata/corpus"))
	for i, c := range cases {
		if !*everyCertified && i%40 != 11 {
			continue
		}
		for _, model := range []query.Model{query.TSO, query.PSO} {
			opt := c.Robustly()
			opt.Certified, opt.Memory, opt.Timeout, opt.Models = true, 1<<30, 10*time.Second, query.Models{model}
			answer, err := robust.Run(context.Background(), c.Input, opt)
			if err != nil {
				t.Errorf("%s under %s: %v", c.Name(), model, err)
				continue
			}
			for k := range answer.Results {
				r := &answer.Results[k]
				why, refused := strings.CutPrefix(r.Reason, "not certified: ")
				switch {
				case r.Verdict == verdict.Safe && r.Coverage.Certificate == nil:
					t.Errorf("%s under %s: robust without a certificate", c.Name(), model)
				case r.Verdict == verdict.Safe:
					certified++
					total++
				case refused, r.Coverage.Certificate != nil:
					total++
					t.Logf("%s under %s: %s", c.Name(), model, r.Reason)
					why, _, _ = strings.Cut(why, " (")
					all[string(model)+": "+why]++
				}
			}
		}
	}
	t.Logf("%d of %d answers robust are certified; the others: %v", certified, total, all)
	if certified == 0 {
		t.Error("nothing is certified")
	}
}
