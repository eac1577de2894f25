package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"fencepost/internal/render/markdown"
	"fencepost/internal/render/text"
	"fencepost/query"
	"fencepost/render"
	"fencepost/verdict"

	"github.com/spf13/cobra"
)

const testHelp = `Check programs, and compare the answers with the expectations in their comments.

A program states its expectations in a comment:
  // expect: sc=safe tso=unsafe pso=unsafe robust=no
  sc, tso, pso   the verdict: safe, unsafe, unknown, observed, not-observed;
  and c11        nonterminating is unsafe because of loops that never end
  robust, trf    yes or no; robust-c11 is robustness against C11's own model
  state          yes if TSO has the same final states as SC, else no
  races          yes if the program has data races, else no
  fences         the number of fences that make the program robust
A comment such as
  // options: --deadlock --buffer 2 --unroll 4 --threads 3
sets options for this program. It also takes --liveness, --rounds, --clock, --queue,
--width and --nondet-range. Directories are searched for programs; files in them that expect
nothing are skipped. A file that ends in .txtar is an archive of one program with a
file "expect" that has the expectations and the options.

With --tasks DIR the programs are answers to tasks: DIR has a task of the same name for each,
with comments such as
  // task: Make it impossible that both threads read 0.
  // fences: at most 2
  // expect: tso=safe
The task says what is expected, and the answer may differ from it in fences and comments only.

Exit codes: 0 all answers are as expected, 1 some are not, 2 interrupted, 3 bad usage
or a program that cannot be read, 4 internal error.`

const testExample = `  fencepost test examples/
  fencepost test src/ tests/ --junit results.xml --timeout 2m
  fencepost test src/ --html results.html --sarif results.sarif --github
  fencepost test src/ --baseline results.sarif
  fencepost test answers/ --tasks lessons/
  fencepost test dekker.fp --verbose`

type testFlags struct {
	opt     query.TestOptions
	junit   string
	html    string
	sarif   string
	summary string
	json    bool
	github  bool
	old     string // results of an earlier run
	cache   string // directory of certificates
	verbose bool
}

func (a *app) testCommand() *cobra.Command {
	f := &testFlags{}
	f.opt.Options = query.Defaults()
	cmd := &cobra.Command{
		Use:     "test FILE|DIR...",
		Short:   "Check programs against the answers that they expect",
		Long:    testHelp,
		Example: testExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return &usageError{"no file or directory given", fmt.Sprintf("try `%s .` for everything below this directory", cmd.CommandPath())}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.testPrograms(args, f) },
	}
	addOptions(cmd, &f.opt)
	flags := cmd.Flags()
	bind(cmd, "html", &f.html)
	bind(cmd, "junit", &f.junit)
	bind(cmd, "summary", &f.summary)
	bind(cmd, "sarif", &f.sarif)
	bind(cmd, "json", &f.json)
	bind(cmd, "github", &f.github)
	bind(cmd, "baseline", &f.old)
	bind(cmd, "cache", &f.cache)
	bind(cmd, "verbose", &f.verbose)
	noDefault(flags, "memory")
	readC(cmd, &f.opt.Options)
	return cmd
}

func (a *app) testPrograms(args []string, f *testFlags) error {
	opt := f.opt
	if slices.Contains(args, "-") {
		return &usageError{"test cannot read standard input", "name files or directories"}
	}
	opt.Paths = args
	report := a.stdout
	files := f.files()
	if err := f.oneDocument(files); err != nil {
		return err
	}
	known, err := readBaseline(a, f.old)
	if err != nil {
		return err
	}
	if f.json || slices.ContainsFunc(files, func(one testFile) bool { return one.name == "-" }) { // what is piped must be one document
		a.stdout = a.stderr
		defer func() { a.stdout = report }()
	}
	if f.cache != "" {
		if opt.Store, err = openDirectory(a, f.cache); err != nil {
			return err
		}
	}
	if opt.Memory == 0 {
		opt.Memory = defaultMemory() / int64(max(1, sideBySide(opt.Workers)))
	}
	var all []*verdict.ProgramTest
	skipped := map[string]int{}
	opt.Done = func(t *verdict.ProgramTest) {
		known.mark(t)
		all = append(all, t)
		for _, o := range t.Outcomes {
			if o.Status == verdict.TestNotChecked {
				skipped[o.Key]++
			}
		}
		a.testResult(t, f.verbose)
		if f.github {
			annotate(a.stdout, t)
		}
	}
	sum, err := a.runTests(opt)
	known.recount(&sum, all)
	if input := (*query.InputError)(nil); errors.As(err, &input) {
		return &usageError{input.Error(), "check the path"}
	}
	if err != nil {
		return &internalError{err}
	}
	if sum.Programs+sum.NotRun == 0 {
		return &usageError{"no program has an expect: comment", "write a comment such as // expect: sc=safe tso=unsafe; see `fencepost help test`"}
	}
	a.testSummary(&sum, skipped)
	a.code = testExit(&sum)
	if err := writeFiles(a, report, files, all); err != nil {
		return err
	}
	if f.json {
		if err := render.TestsJSON(report, all, &sum); err != nil {
			return &internalError{err}
		}
	}
	return nil
}

// testFile is a file that a run is written to.
type testFile = runFile[*verdict.ProgramTest]

func (f *testFlags) files() []testFile {
	all := []testFile{
		{"--junit", f.junit, render.JUnit},
		{"--sarif", f.sarif, unexpectedSARIF},
		{"--summary", f.summary, markdown.Tests},
		{"--html", f.html, func(w io.Writer, tests []*verdict.ProgramTest) error { return render.TestsHTML(w, tests) }},
	}
	return slices.DeleteFunc(all, func(one testFile) bool { return one.name == "" })
}

// sideBySide is how many run at once.
func sideBySide(workers int) int {
	if workers > 0 {
		return workers
	}
	return runtime.GOMAXPROCS(0)
}

// testResult prints a program as soon as it is its turn.
func (a *app) testResult(t *verdict.ProgramTest, verbose bool) {
	style := a.style(a.stdout)
	say := func(status string, bad bool, line int, words string) {
		at := t.File
		if line > 0 {
			at = fmt.Sprintf("%s:%d", t.File, line)
		}
		fmt.Fprintf(a.stdout, "%s %s: %s\n", style.Status(fmt.Sprintf("%-8s", status), bad), text.Printable(at), text.Printable(words))
	}
	if t.Problem != "" {
		say("ERROR", true, t.Line, t.Problem)
	}
	for _, o := range t.Outcomes {
		detail := ""
		if o.Detail != "" {
			detail = " (" + strings.Join(strings.Fields(o.Detail), " ") + ")"
		}
		switch o.Status {
		case verdict.TestPassed:
			if verbose {
				say("ok", false, o.Line, fmt.Sprintf("%s is %s%s", o.Key, o.Got, storedProof(&o)))
			}
		case verdict.TestNotChecked:
			if verbose {
				say("skipped", false, o.Line, fmt.Sprintf("%s=%s is not checked", o.Key, o.Want))
			}
		case verdict.TestFailed:
			say("FAIL", true, o.Line, fmt.Sprintf("%s is %s, expected %s%s", o.Key, o.Got, o.Want, detail))
			if command := seeAlso(t.File, &o); command != "" {
				fmt.Fprintf(a.stdout, "         see `%s`\n", text.Printable(command))
			}
		case verdict.TestKnown:
			say("known", false, o.Line, fmt.Sprintf("%s is %s, expected %s, as in the earlier run%s", o.Key, o.Got, o.Want, detail))
		default:
			say(o.Status.String(), true, o.Line, fmt.Sprintf("%s has no answer, expected %s%s", o.Key, o.Want, detail))
		}
	}
}

// storedProof says that an answer comes from a stored certificate.
func storedProof(o *verdict.TestOutcome) string {
	if o.Proved() {
		return ", proved by a stored certificate"
	}
	return ""
}

func (a *app) testSummary(sum *verdict.TestSummary, skipped map[string]int) {
	asked := sum.Passed + sum.Failed + sum.Known + sum.Refused + sum.Broken
	line := fmt.Sprintf("%s, %s: %d as expected", plural(sum.Programs, "program"), plural(asked, "expectation"), sum.Passed)
	for _, c := range []struct {
		n    int
		what string
	}{{sum.Failed, "not"}, {sum.Known, "known from the earlier run"}, {sum.Refused, "refused"}, {sum.Broken, "broken"}, {sum.Problems, "with a problem"}, {sum.NotRun, "not run"}} {
		if c.n > 0 {
			line += fmt.Sprintf(", %d %s", c.n, c.what)
		}
	}
	if sum.Proved > 0 {
		line += fmt.Sprintf("; %d proved by stored certificates", sum.Proved)
	}
	if sum.NotChecked > 0 {
		var keys []string
		for k := range skipped {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		line += fmt.Sprintf("; %d not checked (%s)", sum.NotChecked, strings.Join(keys, ", "))
	}
	if sum.Without > 0 {
		line += fmt.Sprintf("; %s without expect:", plural(sum.Without, "file"))
	}
	bad := sum.Failed+sum.Refused+sum.Broken+sum.Problems > 0
	style := a.style(a.stdout)
	fmt.Fprintf(a.stdout, "%s\n", style.Status(line, bad))
}

// testExit is the exit code of all programs together.
func testExit(sum *verdict.TestSummary) int {
	return exitOfAll(counted{sum.Broken, exitInternal}, counted{sum.Refused + sum.Problems, exitUsage}, counted{sum.Failed, exitViolated}, counted{sum.NotRun, exitUnknown})
}

// runTests runs the programs with progress, until they end or are interrupted.
func (a *app) runTests(opt query.TestOptions) (verdict.TestSummary, error) {
	var finish func()
	opt.Tested, opt.Done, finish = withLine(a, "programs", opt.Timeout, opt.Done)
	defer finish()
	return interruptible(a, func() {}, func(ctx context.Context) (verdict.TestSummary, error) { return a.services.test(ctx, opt) })
}
