package bmc_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/internal/question/check"
	"fencepost/internal/question/export"
	"fencepost/internal/testkit"
	"fencepost/query"
	"fencepost/verdict"
)

// solver is another solver, the language of formulas that it reads, and how it answers.
type otherSolver struct {
	name   string
	format query.ExportFormat
	second bool // it writes its answer to a second file
}

var otherSolvers = []otherSolver{{"cadical", query.ExportDIMACS, false}, {"minisat", query.ExportDIMACS, true}, {"z3", query.ExportSMT2, false}}

// answer returns what a solver says about a formula.
func (s *otherSolver) answer(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "formula."+string(s.format)), filepath.Join(dir, "answer")
	if err := os.WriteFile(in, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{in}
	if s.second {
		args = append(args, out)
	}
	said, err := exec.CommandContext(t.Context(), s.name, args...).Output() // the exit code is the answer
	if len(said) == 0 {
		t.Fatalf("%s: %v", s.name, err)
	}
	if s.second {
		if said, err = os.ReadFile(out); err != nil {
			t.Fatal(err)
		}
	}
	return string(said)
}

// TestFormulas: on programs of the corpus other solvers answer as the embedded one, about formulas in both encodings and
// both languages, and every answer with a model reads back as an execution with a violation.
func TestFormulas(t *testing.T) {
	var solvers []otherSolver
	for _, s := range otherSolvers {
		if _, err := exec.LookPath(s.name); err == nil {
			solvers = append(solvers, s)
		}
	}
	if len(solvers) == 0 {
		t.Skip("no cadical here: nothing is compared")
	}
	var compared, found, refused int
	count := 0
	for _, c := range testkit.PartOf(t, testkit.LoadCorpus(t, filepath.Join(testkit.Root(t), "testdata", "corpus")), 40) {
		for _, model := range c.Models() {
			for _, encoding := range []query.Encoding{query.EncodingOrder, query.EncodingRounds} {
				count++
				s := solvers[0]
				if !testkit.Slow() || count%4 == 0 {
					s = solvers[count/4%len(solvers)]
				}
				opt := query.ExportOptions{Options: c.Options.Options, Deadlock: c.Options.Deadlock, Format: s.format, Model: model, BMC: query.BMCOptions{Encoding: encoding, Rounds: rounds(encoding), Unroll: 3}}
				text, err := export.Run(t.Context(), c.Input, opt)
				if err != nil {
					t.Fatalf("%s: %v", c.Name(), err)
				}
				if text.HasErrors() || len(text.Text) > 4<<20 {
					refused++
					continue
				}
				_, ask, err := export.FormulaQuestion(text.Text)
				if err != nil {
					t.Fatalf("%s: %v", c.Name(), err)
				}
				want := one(t, c, ask)
				ask.BMC.Answer = s.answer(t, text.Text)
				got := one(t, c, ask)
				if bad(want) != bad(got) || !bad(got) && got.Verdict != verdict.Unknown {
					t.Errorf("%s under %s, %s, %s: %s %s, here %s %s", c.Name(), model, encoding, s.name, got.Verdict, got.Reason, want.Verdict, want.Reason)
				}
				compared++
				if bad(got) {
					found++
				}
			}
		}
	}
	t.Logf("%d answers compared, %d with an execution, %d formulas not written", compared, found, refused)
	if found == 0 || found == compared {
		t.Error("the programs do not distinguish right from wrong answers")
	}
}

func rounds(e query.Encoding) int {
	if e == query.EncodingRounds {
		return 2
	}
	return 0
}

func bad(r *verdict.Result) bool { return r.Verdict == verdict.Unsafe || r.Verdict == verdict.Observed }

func one(t *testing.T, c *testkit.Case, ask query.CheckOptions) *verdict.Result {
	t.Helper()
	answer, err := check.Run(t.Context(), c.Input, ask)
	if err != nil || answer.HasErrors() {
		t.Fatalf("%s: %v %v", c.Name(), err, answer.Diagnostics)
	}
	return &answer.Results[0]
}

// TestWrongAnswers: an answer to another formula, and what is no answer, are refused.
func TestWrongAnswers(t *testing.T) {
	in := query.Input{Name: "sb.fp", Text: []byte("var x, y;\nthread t1 { reg r; x = 1; r = y; }\nthread t2 { reg r; y = 1; r = x; }\nnever t1:r == 0 && t2:r == 0;\n")}
	text, err := export.Run(t.Context(), in, query.ExportOptions{Options: query.Defaults(), Format: query.ExportDIMACS})
	if err != nil || text.HasErrors() {
		t.Fatal(err, text.Diagnostics)
	}
	if !strings.Contains(text.Text, "sb.fp:2:20: store") {
		t.Errorf("no position of a store:\n%s", text.Text)
	}
	_, ask, err := export.FormulaQuestion(text.Text)
	if err != nil {
		t.Fatal(err)
	}
	for answer, want := range map[string]string{
		"s SATISFIABLE\nv 0\n": "do not satisfy clause", "hello": "no line that says", "s SATISFIABLE\nv one\n": "no number",
		"sat\n(define-fun x () Bool true)": "no value of a variable",
	} {
		ask.BMC.Answer = answer
		if _, err := check.Run(t.Context(), in, ask); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", answer, err, want)
		}
	}
	if _, _, err := export.FormulaQuestion("p cnf 1 1\n1 0\n"); err == nil {
		t.Error("a formula without a question is taken")
	}
}
