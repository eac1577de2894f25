package html_test

import (
	"context"
	"encoding/json"
	stdhtml "html"
	"regexp"
	"strings"
	"testing"

	"fencepost"
	"fencepost/query"
)

// TestImpossibleNeedsAWholeSearch: a check that stops at the first violation does not say that a model lacks the first
// violation of another model; one that lists all violations does.
func TestImpossibleNeedsAWholeSearch(t *testing.T) {
	const program = `var x, y, f, g;
thread t1 { reg r, p; x = 1; r = y; f = 1 + r; p = g; assert r == 1 || p != 1; p = g; p = g; p = g; assert p != 2; }
thread t2 { reg s; y = 1; s = x; g = 1 + s; }
`
	for _, all := range []bool{false, true} {
		answer, err := fencepost.Check(context.Background(), query.Input{Name: "f.fp", Text: []byte(program)},
			query.CheckOptions{Options: query.Options{Workers: 1}, KeepGoing: all, Models: query.Models{query.SC, query.TSO}, Engines: query.Engines{"explicit"}})
		if err != nil || len(answer.Results) != 2 {
			t.Fatalf("%v %+v", err, answer)
		}
		if a, b := answer.Results[0].Reason, answer.Results[1].Reason; !all && a == b {
			t.Fatalf("both models have %q first: the test needs two", a)
		}
		data := regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`).FindStringSubmatch(render(t, answer.Results))
		var page struct {
			Groups []struct {
				Rows []struct {
					Text, Kind string
					Cells      []struct{ Text string }
				}
			}
		}
		if err := json.Unmarshal([]byte(stdhtml.UnescapeString(data[1])), &page); err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, row := range page.Groups[0].Rows {
			if row.Kind == "holds" {
				_, what, _ := strings.Cut(row.Text, ": ")
				got[what] = row.Cells[0].Text + " " + row.Cells[1].Text
			}
		}
		want := map[bool]string{false: "yes ?, ? yes", true: "yes yes, – yes"}[all]
		if have := got["p != 2"] + ", " + got["r == 1 || p != 1"]; have != want {
			t.Errorf("all %v: %q, want %q", all, have, want)
		}
	}
}
