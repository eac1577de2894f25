package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fencepost/query"
)

const head = "family\tN\ttool\tmodel\talgo\tverdict\texecs\tsleepset_blocked\tassume_blocked\tcpu_s\twall_s\tmaxrss_mb\n"

// fake is a measurement of a binary whose every answer is the same, but for the time, which falls with each run.
func fake(out *strings.Builder, asked *[][]string) *measurement {
	m := &measurement{only: regexp.MustCompile("."), runs: 3, out: out, fixed: func() float64 { return 0.5 }}
	m.ask = func(args ...string) (sample, error) {
		*asked = append(*asked, args)
		return sample{cpu: 0.5 - 0.1*float64(len(*asked)%3), wall: 1, verdict: "safe", stats: stats{Executions: 20, Complete: 16}}, nil
	}
	m.charge = func(q chargeQuestion) (charged, error) {
		c := charged{Counted: 90, Took: 60}
		switch q.Engine {
		case "bmc":
			c.Took = 30
		case "dual":
			c.Refused = true
		case "lazy":
			c.Took = leastCharge / 2
		}
		return c, nil
	}
	return m
}

// TestCharges: engines that refuse a program and times that are too short are left out, and ratios beyond a factor of
// two are marked and counted.
func TestCharges(t *testing.T) {
	var out strings.Builder
	m := fake(&out, new([][]string))
	m.only = regexp.MustCompile("charges readers")
	if err := m.charges(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| readers(16) | smc | 30 | 90 | 60 | 1.50 |\n", "| readers(16) | bmc | 600 | 90 | 30 | 3.00 * |\n", "\n10 ratios, 2 of them not within a factor of two; the worst is 3.00.\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
	for _, other := range []string{"dual", "lazy", "sbn"} {
		if strings.Contains(out.String(), other) {
			t.Errorf("%s is in\n%s", other, out.String())
		}
	}
}

// TestChargeOne runs an engine under a budget in this process: it stops when the budget is used up, and a program that
// the engine does not take is refused.
func TestChargeOne(t *testing.T) {
	text := "var x;\nthread w[i] * 9 { x = i + 1; }\nnever 1 == 0;\n"
	q := chargeQuestion{Path: "w.fp", Engine: "smc", Model: query.TSO, Grant: 2}
	if c := q.run([]byte(text)); c.Refused || c.Ended || c.Counted < 2 || c.Took <= 0 {
		t.Errorf("%+v", c)
	}
	q.Model, q.Engine = query.SC, "dual"
	if c := q.run([]byte(text)); !c.Refused {
		t.Errorf("%+v, but dual takes TSO alone", c)
	}
}

// TestRatios: the least time of each side counts, calibration scales the peer's, and questions with other counts and
// figures that are too short are left out.
func TestRatios(t *testing.T) {
	lines := head +
		"readers\t4\tslow\ttso\tx\tok\t16\t0\t0\t3.0\t4\t1\n" +
		"readers\t4\tfast\ttso\ty\tok\t16\t0\t0\t1.2\t4\t1\n" +
		"readers\t4\twrong\ttso\ty\ttimeout\t16\t0\t0\t0.2\t4\t1\n" +
		"readers\t3\tfast\tsc\ty\tok\t16\t0\t0\t0.01\t4\t1\n" +
		"sbn\t4\tclasses\tsc\ty\tok\t9\t0\t0\t0.9\t4\t1\n"
	for _, c := range []struct{ calibration, says, row string }{
		{"", "Not calibrated", "| readers(4) | TSO | 16 | 0.30 | 1.20 | fast | 4.00 |\n"},
		{calibrationLine(0.25) + "\n", "0.50 s here and 0.25 s there", "| readers(4) | TSO | 16 | 0.30 | 2.40 | fast | 8.00 |\n"},
	} {
		p, err := readPeer("peers.tsv", lines+c.calibration)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		var asked [][]string
		if err := fake(&out, &asked).ratios(p); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{c.says, c.row, "sbn(4) SC: 9 by classes, 16 by us"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%q is missing in\n%s", want, out.String())
			}
		}
		if strings.Count(out.String(), "| readers(") != 1 {
			t.Errorf("more than one row of readers in\n%s", out.String())
		}
		if len(asked) != 6 {
			t.Errorf("asked %d questions, want two three times: %q", len(asked), asked)
		}
	}
}

func TestBadPeerFiles(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"family\tN\n", `p:1: there is no column "tool"`},
		{head, "p: there is no figure"},
		{head + "readers\t4\n", "p:2: there is no cell"},
		{head + "readers\tfour\ta\ttso\t\tok\t16\t0\t0\t1\t1\t1\n", `p:2: column N: "four"`},
		{head + "readers\t4\ta\ttso\t\tok\tmany\t0\t0\t1\t1\t1\n", `p:2: execs "many"`},
		{head + "readers\t4\ta\ttso\t\tok\t16\t0\t0\t-1\t1\t1\n", `p:2: cpu_s "-1"`},
		{head + calibrationLine(0) + "\n", "p:2: a calibration of 0 s"},
	} {
		if _, err := readPeer("p", c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %q", c.text, err, c.want)
		}
	}
}

// TestTables: without a peer every table is printed, and every family of the tables exists.
func TestTables(t *testing.T) {
	var out strings.Builder
	var asked [][]string
	if err := fake(&out, &asked).all(nil); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"## Start", "## Families", "## Two workers", "## Explicit search", "## Formulas", "| fib(5) | 20 | 0 | 0.30 | 0.00 | safe | 0 | 0.30 | 0.00 | safe |", "| writers(9) | PSO | 20 | 0.30 |"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
	for _, args := range asked {
		if (args[0] == "check") != slices.Contains(args, "--json") {
			t.Errorf("%q: only check is asked for figures in JSON", args)
		}
	}
}

// TestDifferentCounts: runs of one question that differ in their counts are an error, not a figure.
func TestDifferentCounts(t *testing.T) {
	n := int64(0)
	m := &measurement{runs: 2, ask: func(...string) (sample, error) {
		n++
		return sample{stats: stats{Executions: n}}, nil
	}}
	if _, err := m.best("check", "x.fp"); err == nil || !strings.Contains(err.Error(), "check x.fp: 1 executions and then 2") {
		t.Errorf("got %v", err)
	}
}

// TestOpen: the cost of a question without a definite answer is an error where answers are compared, and a figure where
// the answer is shown.
func TestOpen(t *testing.T) {
	m := &measurement{runs: 1, ask: func(...string) (sample, error) { return sample{open: true, verdict: "unknown"}, nil }}
	if _, err := m.best("check", "x.fp"); err == nil || !strings.Contains(err.Error(), "check x.fp: no definite answer") {
		t.Errorf("got %v", err)
	}
	if _, err := m.least("check", "x.fp"); err != nil {
		t.Error(err)
	}
}

// TestUsage: what cannot be measured is refused before anything runs.
func TestUsage(t *testing.T) {
	for _, c := range []struct {
		only string
		runs int
		args []string
		want string
	}{
		{".", 3, nil, "want one argument"},
		{"(", 3, []string{"x"}, "--only"},
		{".", 0, []string{"x"}, "--runs 0"},
		{"start", 1, []string{"./no-such-binary"}, "no-such-binary version"},
	} {
		if err := run(&strings.Builder{}, "", "", c.only, c.runs, false, c.args); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v", c, err)
		}
	}
	if err := run(&strings.Builder{}, "no-such-file", "", ".", 1, false, []string{"x"}); err == nil || !strings.Contains(fmt.Sprint(err), "no-such-file") {
		t.Errorf("a missing file: got %v", err)
	}
}
