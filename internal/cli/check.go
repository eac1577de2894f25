package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fencepost"
	"fencepost/internal/render/json"
	"fencepost/internal/render/text"
	"fencepost/query"
	"fencepost/verdict"

	"github.com/spf13/cobra"
)

const checkHelp = `Check whether the assertions, goals and final condition of a program hold.

Every answer says what it covers. A violation comes with the execution that
leads to it: one column per thread, and the contents of the store buffers.
FILE is a program, or - for standard input. Several C files form one program.
Flags of a C compiler, as a build passes them, stand after --.

If the search meets a bound that you did not set, such as 8 buffered stores per
thread, the answer is unknown. Set the bound yourself (--buffer 8) to get an answer
for all executions up to this bound.

With --binary PROG.o, the machine code that a compiler made of the program is
checked too. A violation that only the machine code has is the compiler's doing, or
that of a data race in the source: the answer says which.

Exit codes: 0 holds, 1 violated, 2 unknown, 3 bad input or usage, 4 internal error.
For an exists condition: 0 observed, 1 not observed. With several models, the exit
code is the first of 4, 3, 1, 2, 0 that occurs; the same holds for --binary.`

const checkExample = `  fencepost check dekker.fp
  fencepost check dekker.fp --model sc,tso,pso
  fencepost check queue.fp --buffer 16 --timeout 5m --memory 4GiB
  fencepost check sb.fp --final-states --json
  fencepost check queue.c --timeout 8h --checkpoint queue.checkpoint
  fencepost check dekker.fp --html dekker.html --sarif dekker.sarif
  fencepost check client.c -I lib/include -- -std=gnu99 -O2 -mcx16 -include config.h
  fencepost check queue.c --binary queue.o
  fencepost check queue.c --certified --certificate queue.cert
  fencepost check stack.c --engine bmc --unroll 3 --rounds 4 --clock 3 --queue 3`

// maxCount bounds the numbers that flags accept; a larger one is a typing error.
const (
	maxCount   = 1_000_000
	maxWorkers = 1024
)

type checkFlags struct {
	rounds  bool
	dimacs  string
	verbose bool // print which engine runs
	json    bool
	parts   partsFlags
	binary  []string // machine code that was made of the program
	opt     query.CheckOptions

	certificate string // file
	cache       string // directory of certificates
}

func (a *app) checkCommand() *cobra.Command {
	f := &checkFlags{opt: query.CheckOptions{Options: query.Defaults(), Models: query.Models{query.TSO}}}
	cmd := &cobra.Command{
		Use:     "check FILE...",
		Short:   "Check a program's assertions, goals and final condition",
		Long:    checkHelp,
		Example: checkExample,
		Args:    oneProgram,
		RunE:    func(_ *cobra.Command, args []string) error { return a.check(args, f) },
	}
	addOptions(cmd, &f.opt)
	bind(cmd, "trace-refinement", &f.rounds)
	bind(cmd, "dimacs", &f.dimacs)
	bind(cmd, "verbose", &f.verbose)
	readC(cmd, &f.opt.Options)
	a.compileFlag(cmd)
	bind(cmd, "binary", &f.binary)
	bind(cmd, "certificate", &f.certificate)
	bind(cmd, "cache", &f.cache)
	f.parts.flags(cmd)
	bind(cmd, "json", &f.json)
	return cmd
}

func (a *app) check(names []string, f *checkFlags) error {
	if (f.opt.Fairness != "" || f.opt.Starvation != "") && f.opt.Liveness != query.LivenessFair {
		return &usageError{"--fairness and --starvation need --liveness fair", "also give --liveness fair"}
	}
	if f.verbose {
		f.opt.Turns = func(line string) { fmt.Fprintln(a.stderr, line) }
	}
	done, err := a.bmcOptions(f)
	if err != nil {
		return err
	}
	defer done()
	if err := a.lazyFlags(f); err != nil {
		return err
	}
	if err := anyThreads(f.opt.AnyThreads, &f.opt.Options, f.opt.Domain); err != nil {
		return err
	}
	if f.opt.AnyThreads {
		if err := oneModel(f.opt.Models); err != nil {
			return err
		}
	}
	if err := binaryFlag(a, names, f); err != nil {
		return err
	}
	done, err = certificateFlag(a, names, f)
	if err != nil {
		return err
	}
	defer done()
	f.opt.Endings = f.opt.Finals && (f.json || a.out.any())
	ask := func(ctx context.Context, in query.Input) (query.Answer, error) {
		return a.services.check(ctx, in, f.opt)
	}
	if f.parts.on() {
		if err := f.parts.refuse(f); err != nil {
			return err
		}
		if f.parts.shard.n == 0 {
			a.grace = storingGrace
		}
		ask = func(ctx context.Context, in query.Input) (query.Answer, error) {
			return exploreInParts(ctx, a, in, f)
		}
	}
	if strings.EqualFold(filepath.Ext(names[0]), ".txtar") {
		in, err := a.read(names[0])
		if err != nil {
			return err
		}
		program, err := fencepost.ReadArchive(in.Text, &f.opt)
		if err != nil {
			return &usageError{fmt.Sprintf("%s: %v", in.Name, err), "an archive has one program and its expectations; see `fencepost help test`"}
		}
		return answerAbout(a, program, &f.opt.Options, ask, func(answer query.Answer) error { return a.render(f.json, answer) })
	}
	return a.answer(names, &f.opt.Options, ask, func(answer query.Answer) error { return a.render(f.json, answer) })
}

// question asks about a program.
type question func(context.Context, query.Input) (query.Answer, error)

// answer asks about a file, sets the exit code and prints.
func (a *app) answer(names []string, opt *query.Options, ask question, print func(query.Answer) error) error {
	in, err := a.readProgram(names)
	if err != nil {
		return err
	}
	return answerAbout(a, in, opt, ask, print)
}

// answerAbout is answer for a program that was read.
func answerAbout(a *app, in query.Input, opt *query.Options, ask question, print func(query.Answer) error) error {
	if opt.Memory == 0 {
		opt.Memory = defaultMemory()
	}
	print = a.withFiles(print)
	answer, err := a.ask(in, opt, ask)
	if note := (*Note)(nil); errors.As(err, &note) {
		_, err := fmt.Fprintln(a.stdout, note.Text)
		return err
	}
	if usage := (*usageError)(nil); errors.As(err, &usage) {
		return usage
	}
	if errors.Is(err, context.Canceled) {
		fmt.Fprintf(a.stderr, "%s: interrupted before there was an answer\n", a.name)
		a.code = exitUnknown
		return print(query.Answer{})
	}
	if wrong := (*usageError)(nil); errors.As(err, &wrong) {
		return wrong
	}
	if err != nil {
		return &internalError{err}
	}
	a.diagnostics(answer.Diagnostics)
	if answer.HasErrors() {
		a.code = exitUsage
		return print(query.Answer{Diagnostics: answer.Diagnostics})
	}
	if len(answer.Results) == 0 {
		return &internalError{fmt.Errorf("no result for %s", in.Name)}
	}
	var codes []int
	for _, r := range answer.Results {
		if r.Verdict == verdict.Unset {
			return &internalError{fmt.Errorf("no verdict for %s under %s", in.Name, r.Model)}
		}
		codes = append(codes, exitOf(&r))
	}
	a.code = worst(codes...)
	return print(answer)
}

// ask asks with progress, until there is an answer or an interruption.
func (a *app) ask(in query.Input, opt *query.Options, ask question) (query.Answer, error) {
	return a.askUntil(opt.Timeout, in, opt, ask)
}

// askUntil is ask with another time limit on the terminal.
func (a *app) askUntil(limit time.Duration, in query.Input, opt *query.Options, ask question) (query.Answer, error) {
	heard := func() {}
	if lines := newProgress(a, limit); lines != nil {
		opt.Progress, heard = lines.update, lines.interrupted
		defer lines.finish()
	}
	return interruptible(a, heard, func(ctx context.Context) (query.Answer, error) { return ask(ctx, in) })
}

func (a *app) diagnostics(all []verdict.Diagnostic) {
	style := a.style(a.stderr)
	var refused []string
	for _, d := range all {
		text.Diagnostic(a.stderr, d, style)
		if _, ok := fencepost.Explain(d.Code); ok && d.Severity == verdict.SeverityError && !slices.Contains(refused, d.Code) {
			refused = append(refused, d.Code)
		}
	}
	if len(refused) > 0 {
		fmt.Fprintf(a.stderr, "  `fencepost explain %s` says more\n", refused[0])
	}
}

// render prints the answer to stdout.
func (a *app) render(asJSON bool, answer query.Answer) error {
	if asJSON {
		if err := json.Report(a.stdout, answer.Results, answer.Diagnostics); err != nil {
			return &internalError{err}
		}
		return nil
	}
	style := a.style(a.stdout)
	if text.IsCompiled(answer.Results) {
		text.Compiled(a.stdout, answer.Results, style)
		return nil
	}
	if text.Comparable(answer.Results) {
		text.Comparison(a.stdout, answer.Results, style)
		return nil
	}
	text.Models(a.stdout, answer.Results, style)
	for i := range answer.Results {
		if i > 0 {
			fmt.Fprintln(a.stdout)
		}
		text.Result(a.stdout, &answer.Results[i], style)
	}
	return nil
}
