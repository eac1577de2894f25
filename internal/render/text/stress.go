package text

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"fencepost/verdict"
)

// Stress prints the outcomes of a litmus test on the processor in the layout of the tool
// litmus, which herd's scripts read: counts before states, with * at states that satisfy
// the proposition. The remark after a state says whether SC and TSO allow it.
func Stress(w io.Writer, t *verdict.StressTest, opt Options) {
	p := &printer{w: w, opt: opt}
	name := oneLine(t.Name)
	p.line("Test %s %s", name, t.Kind)
	if t.Status == verdict.StressNotRun {
		p.line("Note %s: not run: %s", name, oneLine(t.Reason))
		p.line("")
		return
	}
	p.line("Histogram (%d states)", len(t.Outcomes))
	width := 0
	for i := range t.Outcomes {
		width = max(width, len(strconv.FormatInt(t.Outcomes[i].Count, 10)))
	}
	for i := range t.Outcomes {
		o := &t.Outcomes[i]
		mark, remark := ':', ""
		if o.Holds {
			mark = '*'
		}
		switch {
		case !o.Allowed && t.Status == verdict.StressForbidden:
			remark = opt.paint(red, "  NOT ALLOWED UNDER TSO")
		case !o.Allowed:
			remark = "  not found by the search"
		case o.Weak():
			remark = "  weak: SC forbids it"
		}
		p.line("%-*d %c>%s%s", width, o.Count, mark, oneLine(o.State), remark)
	}
	p.line("%s", stressVerdict(t))
	p.line("Witnesses")
	p.line("Positive: %d, Negative: %d", t.Positive, t.Negative)
	p.line("Condition %s", oneLine(t.Condition))
	p.line("Observation %s %s %d %d", name, t.Observation, t.Positive, t.Negative)
	p.line("Time %s %.2f", name, t.Seconds)
	for i := range t.Outcomes {
		if o := &t.Outcomes[i]; !o.Allowed && t.Status == verdict.StressForbidden {
			p.line("Error %s: seen %s, and TSO does not allow it: %s", name, times(o.Count), oneLine(o.State))
		}
	}
	if len(t.NotSeen) > 0 {
		p.line("Note %s: allowed, but not seen: %s", name, oneLine(strings.Join(t.NotSeen, " | ")))
	}
	if t.Reason != "" {
		p.line("Note %s: %s", name, oneLine(t.Reason))
	}
	p.line("")
}

func times(n int64) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// stressVerdict is the tool litmus' word: whether what was seen satisfies the condition.
func stressVerdict(t *verdict.StressTest) string {
	switch {
	case t.Status == verdict.StressUnknown:
		return "Unknown"
	case t.Kind == "Allowed" && t.Positive == 0, t.Kind == "Forbidden" && t.Positive > 0, t.Kind == "Required" && t.Negative > 0:
		return "No"
	default:
		return "Ok"
	}
}

// StressSummary prints what the tests gave together.
func StressSummary(w io.Writer, s *verdict.StressSummary, opt Options) {
	p := &printer{w: w, opt: opt}
	parts := []string{fmt.Sprintf("%d with allowed outcomes only", s.Allowed)}
	for _, c := range []struct {
		n    int
		what string
	}{
		{s.Forbidden, "with an outcome that TSO does not allow"}, {s.Unknown, "unknown"}, {s.NotRun, "not run"},
		{s.Refused, "not readable"}, {s.Failed, "failed"},
	} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	p.line("%s, %s rounds: %s; weak outcomes in %s, %s rounds; %s", counted(int64(s.Tests), "test", "tests"), Count(s.Rounds), strings.Join(parts, ", "),
		counted(int64(s.Weak), "test", "tests"), Count(s.WeakCount), duration(s.Seconds))
}
