package testkit

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"fencepost/internal/question/check"
	"fencepost/internal/question/robust"
	"fencepost/query"
	"fencepost/verdict"
)

// Case is one program of the corpus, with the reason why it is there and the answers
// that are expected.
type Case struct {
	Path    string
	Why     string
	Input   query.Input
	Expect  map[string]string // model: verdict, or Nonterminating
	Robust  string            // robust against TSO: yes, no, or "" if the file does not say
	TRF     string            // free of triangular races: yes, no, or ""
	State   string            // TSO has the same final states as SC: yes, no, or ""
	Races   string            // has data races by C11's definition: yes, no, or ""
	Fences  string            // smallest number of fences for robustness against TSO, or ""
	Options query.CheckOptions

	archive *txtar.Archive
}

// Nonterminating is the expectation that a program is unsafe because of loops that never end. Unsafe as an
// expectation is any violation.
const Nonterminating = "nonterminating"

// answersFile is the file in the archive of a case that -update writes.
const answersFile = "answers"

// LoadCorpus returns all cases of a directory, sorted by path.
func LoadCorpus(t testing.TB, dir string) []*Case {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no corpus in %s (%v)", dir, err)
	}
	sort.Strings(paths)
	var out []*Case
	for _, path := range paths {
		c, err := loadCase(path)
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(path), err)
			continue
		}
		out = append(out, c)
	}
	return out
}

func loadCase(path string) (*Case, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	c := &Case{Path: path, archive: txtar.Parse(data), Expect: map[string]string{}, Options: query.CheckOptions{Options: query.Defaults()}}
	c.Options.Workers = 1
	c.Options.Timeout = 0 // a loaded machine must not change a verdict
	c.Why = strings.TrimSpace(string(c.archive.Comment))
	if c.Why == "" {
		return nil, fmt.Errorf("the comment must say why the program is in the corpus")
	}
	for _, f := range c.archive.Files {
		switch f.Name {
		case "expect":
			if err := c.parseExpect(string(f.Data)); err != nil {
				return nil, err
			}
		case answersFile:
		default:
			if c.Input.Name != "" {
				return nil, fmt.Errorf("more than one program")
			}
			c.Input = query.Input{Name: f.Name, Text: f.Data}
		}
	}
	if c.Input.Name == "" || len(c.Expect) == 0 {
		return nil, fmt.Errorf("program or expectation missing")
	}
	return c, nil
}

// parseExpect reads `sc=safe tso=unsafe robust=no` and `options: --buffer 2`.
func (c *Case) parseExpect(text string) error {
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		if opts, ok := strings.CutPrefix(line, "options:"); ok {
			if err := c.parseOptions(strings.Fields(opts)); err != nil {
				return err
			}
			continue
		}
		for _, pair := range strings.Fields(line) {
			model, want, ok := strings.Cut(pair, "=")
			if !ok {
				return fmt.Errorf("expectation %q is not model=verdict", pair)
			}
			if model == "fences" {
				c.Fences = want
				continue
			}
			field, ok := map[string]*string{"robust": &c.Robust, "trf": &c.TRF, "races": &c.Races, "state": &c.State}[model]
			if !ok {
				c.Expect[model] = want
				continue
			}
			if want != "yes" && want != "no" {
				return fmt.Errorf("%s is yes or no, not %q", model, want)
			}
			*field = want
		}
	}
	return nil
}

func (c *Case) parseOptions(words []string) error {
	for i := 0; i < len(words); i++ {
		number := func() (int, error) {
			if i++; i >= len(words) {
				return 0, fmt.Errorf("option %s needs a number", words[i-1])
			}
			return strconv.Atoi(words[i])
		}
		var err error
		switch words[i] {
		case "--deadlock":
			c.Options.Deadlock = true
		case "--buffer":
			c.Options.Buffer, err = number()
		case "--threads":
			c.Options.Threads, err = number()
		case "--unroll":
			c.Options.Unroll, err = number()
		default:
			err = fmt.Errorf("unknown option %s", words[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Name returns the name of the case: that of its file, without the extension.
func (c *Case) Name() string { return strings.TrimSuffix(filepath.Base(c.Path), ".txtar") }

// Models returns the models that the case has expectations for, strongest first.
func (c *Case) Models() query.Models {
	var out query.Models
	for _, m := range Models {
		if _, ok := c.Expect[m.String()]; ok {
			out = append(out, query.Model(m.String()))
		}
	}
	return out
}

// Verdict returns the verdict that the case expects under a model.
func (c *Case) Verdict(model string) string {
	if c.Expect[model] == Nonterminating {
		return verdict.Unsafe.String()
	}
	return c.Expect[model]
}

// Meets reports whether a result has the verdict that the case expects under its model, and its class.
func (c *Case) Meets(r *verdict.Result) bool {
	endless := c.Expect[r.Model] == Nonterminating
	return r.Verdict.String() == c.Verdict(r.Model) && (!endless || r.Question == verdict.NonTermination)
}

// Robustly returns the options of the case for questions about robustness.
func (c *Case) Robustly() query.RobustOptions { return query.RobustOptions{Options: c.Options.Options} }

// Check returns the results of the case under all its models.
func (c *Case) Check(opt query.CheckOptions) ([]verdict.Result, error) {
	answer, err := check.Run(context.Background(), c.Input, opt.Under(c.Models()...))
	if err != nil {
		return nil, err
	}
	if answer.HasErrors() {
		return nil, fmt.Errorf("refused: %+v", answer.Diagnostics)
	}
	return answer.Results, nil
}

// Unsupported is the answer of IsRobust about a program with operations that the engine
// does not support.
const Unsupported = "unsupported"

// IsRobust returns whether the case is robust against TSO, as "yes", "no", Unsupported, or
// "unknown: " with the reason.
func (c *Case) IsRobust(opt query.RobustOptions) (string, *verdict.Result, error) {
	answer, err := robust.Run(context.Background(), c.Input, opt)
	if err != nil {
		return "", nil, err
	}
	if answer.HasErrors() {
		for _, d := range answer.Diagnostics {
			if d.Severity == verdict.SeverityError && d.Code != "FP0907" && d.Code != "FP0941" {
				return "", nil, fmt.Errorf("refused: %+v", answer.Diagnostics)
			}
		}
		return Unsupported, nil, nil
	}
	r := &answer.Results[0]
	switch r.Verdict {
	case verdict.Safe:
		return "yes", r, nil
	case verdict.Unsafe:
		return "no", r, nil
	default:
		return "unknown: " + r.Reason, r, nil
	}
}

// CompareStored demands that the answers are the ones stored with the program. With update
// it stores them instead.
func (c *Case) CompareStored(t testing.TB, results []verdict.Result, update bool) {
	t.Helper()
	got := Summary(results)
	if update {
		if err := c.Store(got); err != nil {
			t.Fatal(err)
		}
	} else if !bytes.Equal(got, c.Stored()) {
		t.Errorf("answers changed (run with -update if they are right):\nstored:\n%s\ncomputed:\n%s", c.Stored(), got)
	}
}

// Summary returns the results as text for the answers file of a case. A change of the
// text shows in a diff.
func Summary(results []verdict.Result) []byte {
	var out bytes.Buffer
	for _, r := range results {
		fmt.Fprintf(&out, "%s: %s", r.Model, r.Verdict)
		if r.Reason != "" {
			fmt.Fprintf(&out, ", %s", r.Reason)
		}
		if r.Pos != nil {
			fmt.Fprintf(&out, " (%s)", r.Pos)
		}
		if r.Verdict == verdict.Safe || r.Verdict == verdict.NotObserved {
			if r.Coverage.Exhaustive {
				out.WriteString("; all executions")
			}
			for _, b := range r.Coverage.Bounds {
				fmt.Fprintf(&out, "; %s %d", b.Name, b.Value)
				if b.Hit {
					fmt.Fprintf(&out, " hit at %s", b.Pos)
				}
			}
		}
		fmt.Fprintf(&out, "; %d final states\n", len(r.FinalStates))
		for _, w := range r.Warnings {
			fmt.Fprintf(&out, "  %s: %s", r.Model, w.Message)
			if w.Pos != nil {
				fmt.Fprintf(&out, " (%s)", w.Pos)
			}
			out.WriteString("\n")
		}
	}
	return out.Bytes()
}

// Stored returns the answers that the file of the case has, or nil.
func (c *Case) Stored() []byte {
	for _, f := range c.archive.Files {
		if f.Name == answersFile {
			return f.Data
		}
	}
	return nil
}

// Store writes the answers into the file of the case.
func (c *Case) Store(answers []byte) error {
	var files []txtar.File
	for _, f := range c.archive.Files {
		if f.Name != answersFile {
			files = append(files, f)
		}
	}
	c.archive.Files = append(files, txtar.File{Name: answersFile, Data: answers})
	return os.WriteFile(c.Path, txtar.Format(c.archive), 0o644)
}
