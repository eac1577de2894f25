package testkit_test

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"fencepost/internal/question/check"
	"fencepost/internal/testkit"
	"fencepost/query"
	"fencepost/verdict"
)

// weakOrders finds memory orders below seq_cst, and what stands for them.
var weakOrders = regexp.MustCompile(`relaxed|acquire|release|acq_rel|consume|RELAXED|ACQUIRE|RELEASE|ACQ_REL|CONSUME|__sync_lock|asm|smp_|READ_ONCE|WRITE_ONCE|trylock|barrier\(\)|fence`)

// TestC11AsSC: a program without data races whose atomics are seq_cst behaves under c11 as under SC
// [LVKHD17]. This compares operations that random programs do not have: conditions, barriers, semaphores,
// reader-writer locks, allocation and free.
func TestC11AsSC(t *testing.T) {
	compared, racy, open := 0, 0, 0
	for _, c := range testkit.LoadCorpus(t, "../../testdata/corpus") {
		if !strings.HasSuffix(c.Input.Name, ".c") || weakOrders.Match(c.Input.Text) {
			continue
		}
		answer := func(m query.Model) *verdict.Result {
			opt := c.Options
			opt.Timeout = time.Second // a program that takes longer is not compared
			opt.Models, opt.Engines = query.Models{m}, query.Engines{"rf"}
			ans, err := check.Run(context.Background(), c.Input, opt)
			if err != nil || len(ans.Results) != 1 {
				if err != nil && !strings.Contains(err.Error(), "FP09") {
					t.Errorf("%s: %v", c.Path, err)
				}
				return nil
			}
			return &ans.Results[0]
		}
		sc, c11 := answer(query.SC), answer(query.C11)
		switch {
		case sc == nil || c11 == nil:
			open++
		case c11.Verdict == verdict.Unsafe && strings.HasPrefix(c11.Reason, "data race"):
			racy++
		case sc.Verdict == verdict.Unknown || c11.Verdict == verdict.Unknown:
			t.Logf("%s: sc %s, c11 %s %s", c.Path, sc.Verdict, c11.Verdict, c11.Reason)
			open++
		default:
			compared++
			if sc.Verdict != c11.Verdict {
				t.Errorf("%s: %s under sc, %s under c11: %s %s", c.Path, sc.Verdict, c11.Verdict, sc.Reason, c11.Reason)
			}
		}
	}
	t.Logf("%d compared, %d with a data race, %d without an answer", compared, racy, open)
}
