package suite

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"fencepost/internal/inputfile"
	"fencepost/query"
	"fencepost/verdict"
)

// Expected answers. A table of tab-separated columns with a head line:
//
//	file  model  verdict  observation  nstates  states
//
// verdict is Ok or No, observation Sometimes, Always or Never; states are joined by
// ';', the parts of a state by blanks. Neither order matters.

// Expected is a table of answers by test and model.
type Expected struct {
	answers map[string]map[string]answer
	files   []string // in the table's order
}

type answer struct {
	verdict, observation string
	states               []string // canonical, sorted
}

const columns = "file\tmodel\tverdict\tobservation\tnstates\tstates"

// ReadExpected reads a table from a file.
func ReadExpected(path string) (*Expected, error) {
	text, err := inputfile.Read(path)
	if err != nil {
		return nil, &query.InputError{Path: path, Err: reason(err)}
	}
	e, err := ParseExpected(string(text))
	if err != nil {
		return nil, &query.InputError{Path: path, Err: err}
	}
	return e, nil
}

// ParseExpected reads a table.
func ParseExpected(text string) (*Expected, error) {
	e := &Expected{answers: map[string]map[string]answer{}}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\r\n")
		switch {
		case n == 1:
			if line != columns {
				return nil, fmt.Errorf("line 1: want the columns %q", columns)
			}
			continue
		case line == "":
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 6 {
			return nil, fmt.Errorf("line %d: want 6 columns, found %d", n, len(f))
		}
		a := answer{verdict: f[2], observation: f[3]}
		if f[5] != "" {
			a.states = strings.Split(f[5], ";")
		}
		if want, err := strconv.Atoi(f[4]); err != nil || want != len(a.states) {
			return nil, fmt.Errorf("line %d: %q states announced, %d found", n, f[4], len(a.states))
		}
		for i, s := range a.states {
			a.states[i] = canonical(strings.Fields(s))
		}
		slices.Sort(a.states)
		models := e.answers[f[0]]
		if models == nil {
			models = map[string]answer{}
			e.answers[f[0]] = models
			e.files = append(e.files, f[0])
		}
		if _, twice := models[f[1]]; twice {
			return nil, fmt.Errorf("line %d: a second answer for %s under %s", n, f[0], f[1])
		}
		models[f[1]] = a
	}
	if n == 0 {
		return nil, fmt.Errorf("want a table with the columns %q", columns)
	}
	return e, nil
}

func canonical(parts []string) string {
	sort.Strings(parts)
	return strings.Join(parts, " ")
}

// herdState makes of a state as herd prints it what stands in a table.
func herdState(line string) string {
	parts := strings.Split(strings.TrimSuffix(strings.TrimSpace(line), ";"), ";")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return canonical(parts)
}

// comparison holds tests against a table.
type comparison struct {
	expected *Expected
	models   []string
	sum      *verdict.LitmusSummary
	matched  map[string]bool // files of the table
}

func (c *comparison) differ(file, model, format string, args ...any) {
	c.sum.Differences = append(c.sum.Differences, verdict.LitmusDifference{File: file, Model: model, Message: fmt.Sprintf(format, args...)})
}

// lookup finds a test in the table. A file that was named itself may be known
// there by the end of its path.
func (c *comparison) lookup(t Test) (string, map[string]answer) {
	for name := t.Name; ; {
		if a := c.expected.answers[name]; a != nil {
			return name, a
		}
		_, rest, ok := strings.Cut(name, "/")
		if !ok || t.Found {
			return t.Name, nil
		}
		name = rest
	}
}

// test compares one test under every model.
func (c *comparison) test(t Test, got *verdict.LitmusTest) {
	c.sum.Compared = true
	name, answers := c.lookup(t)
	if answers == nil {
		c.differ(t.Name, "", "no answer is expected for this test")
		return
	}
	c.matched[name] = true
	if len(got.Results) == 0 {
		c.differ(name, "", "the test did not run")
		return
	}
	for i := range got.Results {
		r := &got.Results[i]
		want, ok := answers[r.Model]
		if !ok {
			c.differ(name, r.Model, "no answer is expected under this model")
			continue
		}
		c.sum.Expected++
		c.result(name, r, want)
	}
}

func (c *comparison) result(name string, r *verdict.Result, want answer) {
	if r.Litmus.Verdict != want.verdict {
		c.differ(name, r.Model, "verdict %s, expected %s", r.Litmus.Verdict, want.verdict)
	}
	if r.Litmus.Observation != want.observation {
		c.differ(name, r.Model, "observation %s, expected %s", r.Litmus.Observation, want.observation)
	}
	have := make([]string, len(r.FinalStates))
	for i, s := range r.FinalStates {
		have[i] = herdState(s)
	}
	slices.Sort(have)
	if slices.Equal(have, want.states) {
		return
	}
	for _, s := range have {
		if _, ok := slices.BinarySearch(want.states, s); !ok {
			c.differ(name, r.Model, "unexpected state %s", s)
		}
	}
	for _, s := range want.states {
		if _, ok := slices.BinarySearch(have, s); !ok {
			c.differ(name, r.Model, "missing state %s", s)
		}
	}
}

// rest reports the tests of the table that do not exist. If the user named files
// one by one, the others are not missing.
func (c *comparison) rest(tests []Test) {
	if !slices.ContainsFunc(tests, func(t Test) bool { return t.Found }) {
		return
	}
	for _, f := range c.expected.files {
		if !c.matched[f] {
			c.differ(f, "", "expected, but there is no such test")
		}
	}
}
