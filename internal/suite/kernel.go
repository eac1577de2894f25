package suite

import (
	"fmt"
	"regexp"
	"sync"

	"fencepost/verdict"
)

// Litmus tests of the Linux kernel have their answer in a comment: (* Result: Never *). It is
// the answer of the kernel's memory model, which allows all that SC, TSO and PSO allow, and
// more. So Never and Always must be our answers, too; Sometimes says that a weaker
// processor shows the outcome, and not that these models do.

// resultComment takes a millisecond to compile, which every command would pay.
var resultComment = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)\(\*.{0,400}?\bResult:\s*(Never|Sometimes|Always|DEADLOCK)\b`)
})

// stated returns the answer that a test in C states in a comment, "" if it states none.
func stated(text []byte) string {
	const enough = 16 << 10
	if m := resultComment().FindSubmatch(text[:min(len(text), enough)]); m != nil {
		return string(m[1])
	}
	return ""
}

// compareStated compares the answers of a test with the answer in its comment.
func compareStated(sum *verdict.LitmusSummary, t *verdict.LitmusTest) {
	for i := range t.Results {
		r := &t.Results[i]
		l := r.Litmus
		if l == nil || l.Arch != "C" || t.Stated != "Never" && t.Stated != "Always" && t.Stated != "Sometimes" {
			continue
		}
		sum.Compared = true
		sum.Expected++
		switch {
		case l.Observation == "Unknown", l.Observation == t.Stated:
		case t.Stated == "Sometimes":
			l.Notes = append(l.Notes, "the kernel's model shows the outcome sometimes (Result: Sometimes)")
		default:
			sum.Differences = append(sum.Differences, verdict.LitmusDifference{
				File: t.Name, Model: r.Model, Message: fmt.Sprintf("observation %s, but the comment in the test says Result: %s", l.Observation, t.Stated),
			})
		}
	}
}
