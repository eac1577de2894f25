package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"fencepost"
	"fencepost/internal/inputfile"
	"fencepost/query"
	"fencepost/verdict"
)

// fake stands in for the verifier and notes what it was asked.
type fake struct {
	answer query.Answer
	err    error
	during func(context.Context, query.CheckOptions) // runs inside the check

	in   query.Input
	opt  query.CheckOptions
	form query.Form

	tty map[io.Writer]int // width of the writers that are terminals
	env map[string]string

	stdout, stderr bytes.Buffer
}

func (f *fake) check(ctx context.Context, in query.Input, opt query.CheckOptions) (query.Answer, error) {
	f.in, f.opt = in, opt
	if f.during != nil {
		f.during(ctx, opt)
	}
	return f.answer, f.err
}

func (f *fake) show(_ context.Context, in query.Input, opt query.ShowOptions) (query.TextAnswer, error) {
	f.in, f.form = in, opt.Form
	return query.TextAnswer{Text: "automaton of " + in.Name, Diagnostics: f.answer.Diagnostics}, f.err
}

func (f *fake) run(stdin string, args ...string) int {
	s := services{check: f.check, show: f.show,
		terminal: func(w io.Writer) (int, bool) { width, ok := f.tty[w]; return width, ok },
		getenv:   func(name string) string { return f.env[name] }}
	return run(s, args, strings.NewReader(stdin), &f.stdout, &f.stderr)
}

func results(verdicts ...verdict.Verdict) query.Answer {
	var a query.Answer
	for _, v := range verdicts {
		a.Results = append(a.Results, verdict.Result{Program: "p.fp", Model: "tso", Verdict: v, Engine: "explicit"})
	}
	return a
}

func program(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "p.fp")
	if err := os.WriteFile(path, []byte("var x;"), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestExitCodes(t *testing.T) {
	refused := query.Answer{Diagnostics: []verdict.Diagnostic{{Severity: verdict.SeverityError, Code: "FP0900", Message: "nothing to check"}}}
	warned := results(verdict.Safe)
	warned.Diagnostics = []verdict.Diagnostic{{Severity: verdict.SeverityWarning, Code: "FP0200", Message: "look here"}}
	for _, c := range []struct {
		name   string
		answer query.Answer
		err    error
		want   int
	}{
		{"safe", results(verdict.Safe), nil, 0},
		{"observed", results(verdict.Observed), nil, 0},
		{"unsafe", results(verdict.Unsafe), nil, 1},
		{"not observed", results(verdict.NotObserved), nil, 1},
		{"unknown", results(verdict.Unknown), nil, 2},
		{"violated before unknown", results(verdict.Safe, verdict.Unknown, verdict.Unsafe), nil, 1},
		{"unknown before safe", results(verdict.Safe, verdict.Unknown), nil, 2},
		{"refused", refused, nil, 3},
		{"warning only", warned, nil, 0},
		{"internal", query.Answer{}, errors.New("replay disagrees"), 4},
		{"no result", query.Answer{}, nil, 4},
		{"no verdict", results(verdict.Safe, verdict.Unset), nil, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &fake{answer: c.answer, err: c.err}
			if got := f.run("", "check", program(t)); got != c.want {
				t.Errorf("exit code %d, want %d; stderr: %s", got, c.want, f.stderr.String())
			}
			if internal := strings.HasPrefix(f.stderr.String(), "internal error: "); internal != (c.want == exitInternal) {
				t.Errorf("stderr: %s", f.stderr.String())
			}
			for _, d := range c.answer.Diagnostics {
				if !strings.Contains(f.stderr.String(), string(d.Severity)+": "+d.Message+" ["+d.Code+"]") {
					t.Errorf("diagnostic missing in %q", f.stderr.String())
				}
			}
		})
	}
}

func TestWorst(t *testing.T) {
	for _, c := range []struct {
		codes []int
		want  int
	}{{[]int{0, 2, 1, 3, 4}, 4}, {[]int{0, 2, 1, 3}, 3}, {[]int{2, 1, 0}, 1}, {[]int{0, 2}, 2}, {[]int{0}, 0}, {nil, 4}} {
		if got := worst(c.codes...); got != c.want {
			t.Errorf("worst(%v) = %d, want %d", c.codes, got, c.want)
		}
	}
}

func TestFlagsReachTheVerifier(t *testing.T) {
	defaults := query.CheckOptions{Options: query.Defaults()}
	defaults.Memory = defaultMemory()
	with := func(change func(*query.CheckOptions)) query.CheckOptions {
		opt := defaults
		change(&opt)
		return opt
	}
	tso := []query.Model{query.TSO}
	for _, c := range []struct {
		args   string
		models []query.Model
		opt    query.CheckOptions
	}{
		{"", tso, defaults},
		{"--model pso", []query.Model{"pso"}, defaults},
		{"--model SC,tso,sc", []query.Model{"sc", "tso"}, defaults},
		{"-m sc,tso,pso", []query.Model{"sc", "tso", "pso"}, defaults},
		{"--timeout 5m", tso, with(func(o *query.CheckOptions) { o.Timeout = 5 * time.Minute })},
		{"--timeout 0", tso, with(func(o *query.CheckOptions) { o.Timeout = 0 })},
		{"--memory 512MiB", tso, with(func(o *query.CheckOptions) { o.Memory = 512 << 20 })},
		{"--buffer 3", tso, with(func(o *query.CheckOptions) { o.Buffer = 3 })},
		{"--unroll 4", tso, with(func(o *query.CheckOptions) { o.Unroll = 4 })},
		{"--threads 5", tso, with(func(o *query.CheckOptions) { o.Threads = 5 })},
		{"--workers 6", tso, with(func(o *query.CheckOptions) { o.Workers = 6 })},
		{"--deadlock", tso, with(func(o *query.CheckOptions) { o.Deadlock = true })},
		{"--liveness fair --fairness weak --starvation t1", tso, with(func(o *query.CheckOptions) {
			o.Liveness, o.Fairness, o.Starvation = query.LivenessFair, query.FairnessWeak, "t1"
		})},
		{"--liveness spin", tso, with(func(o *query.CheckOptions) { o.Liveness = query.LivenessSpin })},
		{"--keep-going", tso, with(func(o *query.CheckOptions) { o.KeepGoing = true })},
		{"--final-states", tso, with(func(o *query.CheckOptions) { o.Finals = true })},
		{"--lang rmm", tso, with(func(o *query.CheckOptions) { o.Lang = "rmm" })},
		{"--no-reduction", tso, with(func(o *query.CheckOptions) { o.NoReduction = true })},
		{"--entry f --entry g(3) --finally h", tso, with(func(o *query.CheckOptions) {
			o.C.Entry, o.C.Finally = []string{"f", "g(3)"}, "h"
		})},
		{"-D N=3 -DM -U X -I inc --extern-pure f --extern-fence g", tso, with(func(o *query.CheckOptions) {
			o.C.Defines, o.C.Undefines, o.C.IncludeDirs = []string{"N=3", "M"}, []string{"X"}, []string{"inc"}
			o.C.ExternPure, o.C.ExternFence = []string{"f"}, []string{"g"}
		})},
	} {
		f := &fake{answer: results(verdict.Safe)}
		if code := f.run("", append([]string{"check", program(t)}, strings.Fields(c.args)...)...); code != 0 {
			t.Errorf("%s: exit code %d: %s", c.args, code, f.stderr.String())
		}
		if f.opt.C.Include == nil {
			t.Errorf("%s: nothing reads included files", c.args)
		}
		f.opt.C.Include = nil // functions do not compare
		c.opt.Models = c.models
		if !reflect.DeepEqual(f.opt, c.opt) {
			t.Errorf("%s: %+v, want %+v", c.args, f.opt, c.opt)
		}
	}
}

func TestUsageErrors(t *testing.T) {
	p := program(t)
	dir := t.TempDir()
	for _, c := range []struct {
		args []string
		want []string // parts of the message
	}{
		{[]string{"chekc"}, []string{`unknown command "chekc"`, "did you mean `fencepost check`?"}},
		{[]string{p}, []string{"unknown command", "fencepost check " + p}},
		{[]string{"frobnicate"}, []string{"unknown command", "--help"}},
		{[]string{"check"}, []string{"no file given", "fencepost check FILE"}},
		{[]string{"check", p, p}, []string{"2 files given", "one program"}},
		{[]string{"check", dir}, []string{"is a directory", "name one file"}},
		{[]string{"check", dir + "/none.fp"}, []string{"no such file: " + dir + "/none.fp", "check the path"}},
		{[]string{"check", p + "/none.fp"}, []string{"cannot read"}},
		{[]string{"check", p, "--model", "arm"}, []string{"the model arm is not supported", "sc, tso, pso"}},
		{[]string{"check", p, "--model", "vax"}, []string{`unknown model "vax"`, "sc, tso, pso"}},
		{[]string{"check", p, "--model", ""}, []string{`unknown model ""`}},
		{[]string{"check", p, "--timeout", "60"}, []string{"unit is missing", "60s"}},
		{[]string{"check", p, "--timeout", "-1s"}, []string{"not negative"}},
		{[]string{"check", p, "--timeout", "soon"}, []string{"such as 90s"}},
		{[]string{"check", p, "--memory", "lots"}, []string{"such as 8GiB"}},
		{[]string{"check", p, "--memory", "-8GiB"}, []string{"such as 8GiB"}},
		{[]string{"check", p, "--buffer", "-1"}, []string{"--buffer", "whole number from 1"}},
		{[]string{"check", p, "--buffer", "0"}, []string{"whole number from 1"}},
		{[]string{"check", p, "--unroll", "x"}, []string{"--unroll", "whole number"}},
		{[]string{"check", p, "--threads", "0"}, []string{"--threads", "whole number"}},
		{[]string{"check", p, "--workers", "-2"}, []string{"--workers", "whole number from 0"}},
		{[]string{"check", p, "--color", "pink"}, []string{"auto, always, never"}},
		{[]string{"check", p, "--frob"}, []string{"unknown flag: --frob", "fencepost check --help"}},
		{[]string{"robust", p, "--checkpoint", "x"}, []string{"unknown flag: --checkpoint", "only `fencepost check` can be stored"}},
		{[]string{"fences", p, "--shard", "0/2"}, []string{"unknown flag: --shard", "only `fencepost check` can be stored"}},
		{[]string{"show", p, "--flat", "--dot"}, []string{"cannot be combined"}},
		{[]string{"show"}, []string{"no file given"}},
		{[]string{"version", "now"}, []string{"takes no arguments"}},
	} {
		f := &fake{answer: results(verdict.Safe)}
		if code := f.run("", c.args...); code != exitUsage {
			t.Errorf("%v: exit code %d, want %d", c.args, code, exitUsage)
		}
		for _, part := range c.want {
			if !strings.Contains(f.stderr.String(), part) {
				t.Errorf("%v: %q lacks %q", c.args, f.stderr.String(), part)
			}
		}
		if n := strings.Count(f.stderr.String(), "\n"); n != 2 {
			t.Errorf("%v: %d lines on stderr, want a message and a hint: %s", c.args, n, f.stderr.String())
		}
		if f.stdout.Len() > 0 || f.in.Name != "" {
			t.Errorf("%v: went on: %s", c.args, f.stdout.String())
		}
	}
}

func TestUnreadableAndLargeFiles(t *testing.T) {
	p := program(t)
	if err := os.Chmod(p, 0); err != nil {
		t.Fatal(err)
	}
	f := &fake{answer: results(verdict.Safe)}
	if os.Getuid() != 0 { // root may read everything
		if code := f.run("", "check", p); code != exitUsage || !strings.Contains(f.stderr.String(), "permission denied") {
			t.Errorf("unreadable: exit code %d: %s", code, f.stderr.String())
		}
	}
	large := filepath.Join(t.TempDir(), "large.fp")
	if err := os.WriteFile(large, bytes.Repeat([]byte(" "), 8<<10), 0o644); err != nil { // then zeros
		t.Fatal(err)
	}
	for size, want := range map[int64]int{inputfile.MaxSize: exitHolds, inputfile.MaxSize + 1: exitUsage} {
		if err := os.Truncate(large, size); err != nil {
			t.Fatal(err)
		}
		if code := f.run("", "check", large); code != want {
			t.Errorf("file of %d bytes: exit code %d, want %d", size, code, want)
		}
	}
	if !strings.Contains(f.stderr.String(), "larger than 64 MiB") {
		t.Errorf("stderr: %s", f.stderr.String())
	}
}

func TestStdin(t *testing.T) {
	f := &fake{answer: results(verdict.Safe)}
	if code := f.run("var y;", "check", "-", "--lang", "fp"); code != 0 {
		t.Errorf("exit code %d: %s", code, f.stderr.String())
	}
	if string(f.in.Text) != "var y;" || f.in.Name != "<stdin>" {
		t.Errorf("input %q %q", f.in.Name, f.in.Text)
	}
}

func TestSeveralResultsAreSeparated(t *testing.T) {
	f := &fake{answer: results(verdict.Safe, verdict.NotObserved)}
	f.run("", "check", program(t))
	blocks := strings.Split(f.stdout.String(), "\n\n")
	if len(blocks) != 2 || !strings.HasPrefix(blocks[0], "p.fp: safe") || !strings.HasPrefix(blocks[1], "p.fp: not observed") {
		t.Errorf("output: %s", f.stdout.String())
	}
}

func TestJSON(t *testing.T) {
	var doc struct {
		Schema      string
		Results     *[]verdict.Result
		Diagnostics []verdict.Diagnostic
	}
	f := &fake{answer: results(verdict.Unsafe, verdict.Safe)}
	if code := f.run("", "check", program(t), "--json"); code != 1 {
		t.Errorf("exit code %d", code)
	}
	if err := json.Unmarshal(f.stdout.Bytes(), &doc); err != nil || doc.Results == nil ||
		!reflect.DeepEqual(*doc.Results, f.answer.Results) || doc.Schema != verdict.Schema {
		t.Errorf("%v: %s", err, f.stdout.String())
	}

	f = &fake{answer: query.Answer{Diagnostics: []verdict.Diagnostic{{Severity: verdict.SeverityError, Code: "FP0103", Message: "no"}}}}
	if code := f.run("", "check", program(t), "--json"); code != 3 {
		t.Errorf("exit code %d", code)
	}
	doc.Results = nil
	if err := json.Unmarshal(f.stdout.Bytes(), &doc); err != nil || doc.Results == nil || len(*doc.Results) != 0 ||
		!reflect.DeepEqual(doc.Diagnostics, f.answer.Diagnostics) {
		t.Errorf("%v: %s", err, f.stdout.String())
	}
	if !strings.Contains(f.stderr.String(), "error: no [FP0103]") {
		t.Errorf("stderr: %s", f.stderr.String())
	}
}

func TestShow(t *testing.T) {
	for flag, form := range map[string]query.Form{"": query.FormStructured, "--flat": query.FormFlat, "--dot": query.FormDot} {
		f := &fake{}
		p := program(t)
		if code := f.run("", append([]string{"show", p}, strings.Fields(flag)...)...); code != 0 || f.form != form {
			t.Errorf("%s: exit code %d, form %s, want %s", flag, code, f.form, form)
		}
		if f.stdout.String() != "automaton of "+p+"\n" {
			t.Errorf("output %q", f.stdout.String())
		}
	}
	f := &fake{answer: query.Answer{Diagnostics: []verdict.Diagnostic{{Severity: verdict.SeverityError, Message: "bad"}}}}
	if code := f.run("", "show", program(t)); code != 3 || f.stdout.Len() > 0 {
		t.Errorf("refused: exit code %d, output %q", code, f.stdout.String())
	}
	f = &fake{err: errors.New("broken")}
	if code := f.run("", "show", program(t)); code != 4 || f.stderr.String() != "internal error: broken\n" {
		t.Errorf("internal: exit code %d, %q", code, f.stderr.String())
	}
}

func TestVersionAndHelp(t *testing.T) {
	for _, args := range []string{"version", "--version"} {
		f := &fake{}
		if code := f.run("", args); code != 0 || !strings.HasPrefix(f.stdout.String(), "fencepost "+fencepost.Version()+" ") {
			t.Errorf("%s: exit code %d: %s", args, code, f.stdout.String())
		}
	}
	for _, args := range []string{"--help", "check --help", "robust --help", "show --help", "version --help"} {
		f := &fake{}
		if code := f.run("", strings.Fields(args)...); code != 0 || !strings.Contains(f.stdout.String(), "Examples:\n  fencepost ") {
			t.Errorf("%s: exit code %d: %s", args, code, f.stdout.String())
		}
	}
}

func TestColor(t *testing.T) {
	for _, c := range []struct {
		flag string
		tty  bool
		env  map[string]string
		want bool
	}{
		{"auto", false, nil, false},
		{"auto", true, nil, true},
		{"auto", true, map[string]string{"NO_COLOR": "1"}, false},
		{"auto", true, map[string]string{"TERM": "dumb"}, false},
		{"never", true, nil, false},
		{"always", false, map[string]string{"NO_COLOR": "1"}, true},
	} {
		f := &fake{answer: results(verdict.Safe), env: c.env}
		if c.tty {
			f.tty = map[io.Writer]int{&f.stdout: 100}
		}
		f.run("", "check", program(t), "--color", c.flag)
		if got := strings.Contains(f.stdout.String(), "\x1b["); got != c.want {
			t.Errorf("%+v: colour %v", c, got)
		}
	}
}

func TestPanicIsInternalError(t *testing.T) {
	f := &fake{during: func(context.Context, query.CheckOptions) { panic("BUG: oops") }}
	if code := f.run("", "check", program(t)); code != exitInternal || !strings.HasPrefix(f.stderr.String(), "internal error: BUG: oops\n") {
		t.Errorf("exit code %d: %s", code, f.stderr.String())
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestLostOutputIsAnError(t *testing.T) {
	f := &fake{answer: results(verdict.Safe)}
	s := services{check: f.check, terminal: terminal, getenv: os.Getenv}
	for _, extra := range []string{"--json", "--color=never"} {
		f.stderr.Reset()
		code := run(s, []string{"check", program(t), extra}, nil, fullDisk{}, &f.stderr)
		if code != exitUsage || !strings.Contains(f.stderr.String(), "no space left") {
			t.Errorf("%s: exit code %d: %s", extra, code, f.stderr.String())
		}
	}
}
