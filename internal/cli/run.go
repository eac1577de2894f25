package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"
	"unicode"

	"fencepost"
	"fencepost/internal/supervise"
	"fencepost/query"
	"fencepost/verdict"

	"github.com/spf13/cobra"
)

// services is the rest of the world, so that tests can replace it.
//
// shape: a field for each question and each door to the machine; none changes after the start
type services struct {
	check        func(context.Context, query.Input, query.CheckOptions) (query.Answer, error)
	robust       func(context.Context, query.Input, query.RobustOptions) (query.Answer, error)
	fences       func(context.Context, query.Input, query.FenceOptions) (query.Answer, error)
	orders       func(context.Context, query.Input, query.FenceOptions) (query.Answer, error)
	lin          func(context.Context, query.Input, query.LinOptions) (query.Answer, error)
	fuzz         func(context.Context, query.Input, query.FuzzOptions) (query.Answer, error)
	prove        func(context.Context, query.Input, query.ProveOptions) (query.Answer, error)
	traces       func(context.Context, query.Input, query.TraceOptions) (query.TraceAnswer, error)
	show         func(context.Context, query.Input, query.ShowOptions) (query.TextAnswer, error)
	export       func(context.Context, query.Input, query.ExportOptions) (query.TextAnswer, error)
	harness      func(context.Context, query.Input, query.HarnessOptions) (query.TextAnswer, error)
	litmus       func(context.Context, query.SuiteOptions) (verdict.LitmusSummary, error)
	stress       func(context.Context, query.StressOptions) (verdict.StressSummary, error)
	verify       func(context.Context, query.Input, []verdict.Result, query.Options) (query.VerifyAnswer, error)
	verifyTraces func(context.Context, query.Input, []verdict.TraceSet, query.Options) (query.VerifyAnswer, error)
	certificate  func(context.Context, query.Input, io.Reader, query.Options) (query.VerifyAnswer, error)
	test         func(context.Context, query.TestOptions) (verdict.TestSummary, error)
	bench        func(context.Context, string, query.BenchOptions) (verdict.Bench, error)
	terminal     func(io.Writer) (width int, ok bool)
	getenv       func(string) string
	openPage     func(address string) error
	base         context.Context // of all work; its scope has the work that is abandoned; nil: none
}

func realServices() services {
	return services{
		check: fencepost.Check, robust: fencepost.Robust, fences: fencepost.Fences, orders: fencepost.Orders, lin: fencepost.Lin, fuzz: fencepost.Fuzz, prove: fencepost.Prove, traces: fencepost.Traces,
		show: fencepost.Show, export: fencepost.Export, harness: fencepost.Harness, litmus: fencepost.LitmusSuite, stress: fencepost.Stress,
		verify: fencepost.Verify, verifyTraces: fencepost.VerifyTraces, certificate: fencepost.VerifyCertificate, test: fencepost.TestPrograms, bench: fencepost.Bench,
		terminal: terminal, getenv: os.Getenv, openPage: openBrowser, base: supervise.WithScope(context.Background()),
	}
}

// app is one run of the command line.
type app struct {
	services
	name       string // of the program
	stdin      io.Reader
	stdout     io.Writer
	stderr     io.Writer
	color      choiceValue
	out        outputs // files to write beside the answer
	full       bool    // show every step of an execution
	storedText bool    // results come from a file
	compiler   string  // makes machine code of the files, with its flags
	asm        bool    // show the instructions of machine code
	shown      *block  // lines of progress, nil: none
	code       int
	grace      time.Duration // how long interrupted work may take to end
}

// usageError is a mistake in how fencepost was called, with what to do instead.
type usageError struct {
	message string
	hint    string
}

func (e *usageError) Error() string { return e.message }

// internalError is a failure of fencepost. The user can correct every other error: ours
// are usageErrors, and cobra's are about arguments.
type internalError struct{ err error }

func (e *internalError) Error() string { return "internal error: " + e.err.Error() }
func (e *internalError) Unwrap() error { return e.err }

// Run does what args (without the program's name) say and returns the exit code.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return run(realServices(), args, stdin, stdout, stderr)
}

// Commands returns all commands with their help, for manual pages.
func Commands() *cobra.Command {
	return (&app{services: realServices(), stdout: io.Discard, stderr: io.Discard, color: colorChoice()}).allCommands()
}

func run(s services, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	return runCommands(s, (*app).allCommands, args, stdin, stdout, stderr)
}

func runCommands(s services, commands func(*app) *cobra.Command, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	// Pipeline catches what breaks inside the verifier. This is for the command line
	// itself: Go would end with 2, which scripts take for "unknown".
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(stderr, "internal error: %s", supervise.Broken(r))
			code = exitInternal
		}
	}()
	above := &aboveProgress{w: stdout}
	out := bufio.NewWriter(above)
	a := &app{services: s, name: "fencepost", stdin: stdin, stdout: out, stderr: stderr, color: colorChoice(), grace: interruptGrace}
	above.a = a
	// The terminal is asked about the writer given, not the one in front of it.
	a.terminal = func(w io.Writer) (int, bool) {
		if w == io.Writer(out) {
			w = stdout
		}
		return s.terminal(w)
	}
	root := commands(a)
	root.SetArgs(append([]string{}, args...)) // never nil, for which cobra takes os.Args
	root.SetIn(stdin)
	root.SetOut(out)
	root.SetErr(stderr)
	err := root.Execute()
	if late := (*supervise.NotStopped)(nil); errors.As(err, &late) { // it may still write to out
		fmt.Fprintln(stderr, "fencepost: interrupted before there was an answer")
		return exitUnknown
	}
	if flushErr := errors.Join(out.Flush(), above.close()); err == nil && flushErr != nil {
		err = fmt.Errorf("writing the answer: %w", flushErr)
	}
	if full := above.failed; full != nil {
		err = &usageError{fmt.Sprintf("cannot write to standard output: %v", full), "make room where it goes, or give another file; the answer is not complete"}
	}
	if err != nil {
		return a.report(err)
	}
	return a.code
}

// report prints an error that ends the run and returns its exit code.
func (a *app) report(err error) int {
	if internal := (*internalError)(nil); errors.As(err, &internal) && !ofTheMachine(err) {
		fmt.Fprintln(a.stderr, internal)
		return exitInternal
	}
	fmt.Fprintf(a.stderr, "%s: %s\n", a.name, printableLines(err.Error()))
	hint := fmt.Sprintf("see `%s --help`", a.name)
	if usage := (*usageError)(nil); errors.As(err, &usage) {
		hint = usage.hint
	}
	fmt.Fprintf(a.stderr, "  %s\n", printableLines(hint))
	return exitUsage
}

// ofTheMachine reports whether an error is of the system and not of fencepost: a disk is full, there are too many open
// files, a device does not work.
func ofTheMachine(err error) bool {
	var number syscall.Errno
	return errors.As(err, &number)
}

// printableLines returns a text whose lines cannot steer the terminal: arguments and names of files may have any
// characters.
func printableLines(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || unicode.IsPrint(r) {
			return r
		}
		return '.'
	}, s)
}

var rootHelp = `fencepost checks whether a concurrent program is still correct when the processor
buffers its stores. If it is not, fencepost shows an execution that breaks the
program and finds the fewest fences that repair it.

Memory models: sc (no buffers), tso (x86), pso (one buffer per memory cell),
c11 (the memory orders of C11).
` + exitLine()

func (a *app) rootCommand() *cobra.Command {
	root := rootOf(a, rootName, "Check concurrent programs under SC, TSO and PSO", rootHelp,
		"  fencepost check dekker.fp --model sc,tso\n  fencepost fences dekker.c\n  fencepost show dekker.fp")
	root.AddCommand(a.checkCommand(), a.robustCommand(), a.fencesCommand(), ordersCommand(a), linCommand(a), fuzzCommand(a), a.tracesCommand(), a.proveCommand(), a.explainCommand(), a.showCommand(), a.exportCommand(), a.litmusCommand(), a.stressCommand(), a.genCommand(), a.initCommand(), serveCommand(a), lspCommand(a), bisectCommand(a), a.versionCommand())
	return root
}

// noCommand runs where the first argument is no command.
func (a *app) noCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		a.code = exitUsage // a script that lost its arguments has no answer
		return cmd.Help()
	}
	hint := fmt.Sprintf("see `%s --help`", a.name)
	if names := cmd.SuggestionsFor(args[0]); len(names) > 0 {
		hint = fmt.Sprintf("did you mean `%s %s`?", a.name, names[0])
	} else if _, err := os.Stat(args[0]); err == nil {
		hint = fmt.Sprintf("to check the file, run `%s check %s`", a.name, args[0])
	}
	return &usageError{fmt.Sprintf("unknown command %q", args[0]), hint}
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  fencepost version",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return &usageError{"version takes no arguments", "run `fencepost version`"}
			}
			return nil
		},
		Run: func(*cobra.Command, []string) { io.WriteString(a.stdout, versionLine()) },
	}
}

func versionLine() string {
	return fmt.Sprintf("fencepost %s (%s %s/%s)\n", fencepost.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
