package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"fencepost/internal/inputfile"
	"fencepost/internal/render/text"
	"fencepost/internal/scratch"
	"fencepost/query"
	"fencepost/verdict"

	"github.com/spf13/cobra"
)

const bisectHelp = `Find the first commit, or the first set of compiler flags, for which the answer about a
program changes, and show both answers with their executions.

With --good COMMIT, the commits after it up to --bad (default HEAD) are searched by
halving: the program and the files that it includes are read from each commit, and
nothing is checked out. An answer that is not known, or a program that cannot be read,
says nothing: the commits beside it are tried.

With --flags, given at least twice, the program is compiled with each set of flags, in
this order, and the machine code is checked.

With --step, the program as it is now is checked once, with the exit codes that
` + "`git bisect run`" + ` wants: 0 if the answer is the one of --want, 1 if it is another, and
125 if it is not known. So git can check out commits for programs that need a build:

    git bisect start BAD GOOD && git bisect run fencepost bisect prog.c --step

Exit codes: 0 the answer never changes, 1 the first change was found, 2 it lies among
commits whose answers are not known, 3 bad input or usage, 4 internal error.`

const bisectExample = `  fencepost bisect queue.c --good v1.0
  fencepost bisect queue.c --good v1.0 --bad v1.4 --model pso
  fencepost bisect queue.c --flags=-O0 --flags=-O1 --flags=-O2
  git bisect run fencepost bisect queue.c --step --want safe`

// Exit codes of git bisect run.
const (
	stepSame    = 0
	stepChanged = 1
	stepSkip    = 125
)

type bisectFlags struct {
	good, bad string
	flags     []string
	step      bool
	want      string
	compiler  string
	opt       query.CheckOptions
}

func bisectCommand(a *app) *cobra.Command {
	f := &bisectFlags{opt: query.CheckOptions{Options: query.Defaults(), Models: query.Models{query.TSO}}}
	want := choiceValue{value: "safe", choices: []string{"safe", "unsafe"}}
	cmd := &cobra.Command{
		Use:     "bisect FILE",
		Short:   "Find the commit or compiler flag that changes the answer",
		Long:    bisectHelp,
		Example: bisectExample,
		Args:    oneFile,
		RunE: func(_ *cobra.Command, args []string) error {
			f.want = want.value
			return (&bisection{a}).run(args[0], f)
		},
	}
	addOptions(cmd, &f.opt)
	bind(cmd, "good", &f.good)
	f.bad, f.compiler = "HEAD", "gcc"
	bind(cmd, "bad", &f.bad)
	bind(cmd, "flags", &f.flags)
	bind(cmd, "cc", &f.compiler)
	bind(cmd, "step", &f.step)
	bind(cmd, "want", &want)
	return cmd
}

// candidate is a version of the program.
type candidate struct {
	name   string // as it is shown
	ask    func(context.Context) (query.Answer, error)
	asked  bool
	result *verdict.Result // nil: there is none
	why    string          // there is none
}

// bisection is a search for the version of a program that changes an answer.
type bisection struct{ a *app }

func (b *bisection) run(file string, f *bisectFlags) error {
	kinds := 0
	for _, given := range []bool{f.good != "", len(f.flags) > 0, f.step} {
		if given {
			kinds++
		}
	}
	switch {
	case kinds != 1:
		return &usageError{"give one of --good, --flags and --step", "`fencepost bisect FILE --good COMMIT` searches the history of FILE"}
	case len(f.opt.Models) != 1:
		return &usageError{"bisect follows one answer", "give one model"}
	case len(f.flags) == 1:
		return &usageError{"one set of flags has nothing to be compared with", "give --flags at least twice"}
	}
	if f.opt.Memory == 0 {
		f.opt.Memory = defaultMemory()
	}
	list, err := b.candidates(file, f)
	if err != nil {
		return err
	}
	return interruptibly(b.a, func(ctx context.Context) error {
		if f.step {
			return b.step(ctx, &list[0], f.want)
		}
		return b.findChange(ctx, list, len(f.flags) > 0)
	})
}

// interruptibly runs work that Ctrl-C ends.
func interruptibly(a *app, work func(context.Context) error) error {
	_, err := interruptible(a, func() {}, func(ctx context.Context) (query.Answer, error) { return query.Answer{}, work(ctx) })
	if errors.Is(err, context.Canceled) {
		fmt.Fprintf(a.stderr, "%s: interrupted before there was an answer\n", a.name)
		a.code = exitUnknown
		return nil
	}
	return err
}

func (b *bisection) candidates(file string, f *bisectFlags) ([]candidate, error) {
	switch {
	case f.step:
		return []candidate{{name: file, ask: b.asksFile(file, file, f.opt)}}, nil
	case len(f.flags) > 0:
		return b.builds(file, f)
	default:
		return b.commits(file, f)
	}
}

// asksFile asks about a file, whose machine code or text stands at path.
func (b *bisection) asksFile(name, path string, opt query.CheckOptions) func(context.Context) (query.Answer, error) {
	return func(ctx context.Context) (query.Answer, error) {
		in, err := b.a.read(path)
		if err != nil {
			return query.Answer{}, err
		}
		in.Name = name
		opt.C.Include = func(name string) ([]byte, bool) {
			text, err := inputfile.Read(name)
			return text, err == nil
		}
		return b.a.services.check(ctx, in, opt)
	}
}

// builds returns a candidate for each set of flags. The program is compiled when its turn comes.
func (b *bisection) builds(file string, f *bisectFlags) ([]candidate, error) {
	if _, err := exec.LookPath(f.compiler); err != nil {
		return nil, &usageError{fmt.Sprintf("%s is not installed", f.compiler), "name another compiler with --cc"}
	}
	var out []candidate
	for _, words := range f.flags {
		out = append(out, candidate{name: f.compiler + " " + words, ask: func(ctx context.Context) (query.Answer, error) {
			dir, remove, err := scratch.Dir("fencepost-bisect-")
			if err != nil {
				return query.Answer{}, err
			}
			defer remove()
			object := filepath.Join(dir, "program.o")
			args := append([]string{"-g"}, strings.Fields(words)...)
			compile := exec.CommandContext(ctx, f.compiler, append(args, "-c", "-o", object, file)...)
			if said, err := compile.CombinedOutput(); err != nil {
				return query.Answer{}, fmt.Errorf("%s %s: %w\n%s", f.compiler, words, err, bytes.TrimSpace(said))
			}
			return b.asksFile(strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))+".o", object, f.opt)(ctx)
		}})
	}
	return out, nil
}

// git runs git in the directory of a file.
func git(dir string, args ...string) ([]byte, error) {
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git %s: %s", args[0], cmp.Or(strings.TrimSpace(said.String()), err.Error()))
	}
	return out, nil
}

// commits returns the good commit and those after it up to the bad one, the oldest first.
func (b *bisection) commits(file string, f *bisectFlags) ([]candidate, error) {
	dir := filepath.Dir(file)
	var ids []string
	for _, name := range []string{f.good, f.bad} {
		id, err := git(dir, "rev-parse", "--verify", "--end-of-options", name+"^{commit}")
		if err != nil {
			return nil, &usageError{fmt.Sprintf("there is no commit %s: %v", name, err), "name a commit, a tag or a branch of the repository of " + file}
		}
		ids = append(ids, strings.TrimSpace(string(id)))
	}
	between, err := git(dir, "rev-list", "--first-parent", "--reverse", ids[0]+".."+ids[1])
	if err != nil {
		return nil, &usageError{err.Error(), "check --good and --bad"}
	}
	if _, err := git(dir, "merge-base", "--is-ancestor", ids[0], ids[1]); err != nil {
		return nil, &usageError{fmt.Sprintf("%s is not before %s", f.good, f.bad), "give an older commit with --good"}
	}
	list := append([]string{ids[0]}, strings.Fields(string(between))...)
	var out []candidate
	for _, id := range list {
		line, err := git(dir, "log", "-1", "--format=%h %s", id)
		if err != nil {
			return nil, &internalError{err}
		}
		out = append(out, candidate{name: strings.TrimSpace(string(line)), ask: b.asksCommit(file, id, f.opt)})
	}
	return out, nil
}

// asksCommit asks about a file as it was in a commit. Files of the repository that it includes are read from there, too.
func (b *bisection) asksCommit(file, id string, opt query.CheckOptions) func(context.Context) (query.Answer, error) {
	dir := filepath.Dir(file)
	at := func(name string) ([]byte, error) {
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return nil, err
		}
		return git(dir, "cat-file", "blob", id+":./"+path.Clean(filepath.ToSlash(rel)))
	}
	return func(ctx context.Context) (query.Answer, error) {
		program, err := at(file)
		if err != nil {
			return query.Answer{}, err
		}
		opt.C.Include = func(name string) ([]byte, bool) {
			text, err := at(name)
			return text, err == nil
		}
		return b.a.services.check(ctx, query.Input{Name: file, Text: program}, opt)
	}
}

// try asks about a candidate once.
func (b *bisection) try(ctx context.Context, c *candidate) {
	if c.asked {
		return
	}
	c.asked = true
	answer, err := c.ask(ctx)
	switch {
	case err != nil:
		c.why = err.Error()
	case answer.HasErrors():
		at := slices.IndexFunc(answer.Diagnostics, func(d verdict.Diagnostic) bool { return d.Severity == verdict.SeverityError })
		c.why = answer.Diagnostics[at].Message
	case len(answer.Results) != 1:
		c.why = "no answer"
	case answer.Results[0].Verdict == verdict.Unknown:
		c.why = text.Headline(&answer.Results[0])
	default:
		c.result = &answer.Results[0]
	}
	words := c.why
	if c.result != nil {
		words = text.Headline(c.result)
	}
	words, _, _ = strings.Cut(words, "\n")
	fmt.Fprintf(b.a.stderr, "%s: %s\n", text.Printable(c.name), text.Printable(strings.TrimPrefix(words, c.name+": ")))
}

// step checks once, for git bisect run.
func (b *bisection) step(ctx context.Context, c *candidate, want string) error {
	b.try(ctx, c)
	if err := ctx.Err(); err != nil {
		return err
	}
	switch {
	case c.result == nil:
		b.a.code = stepSkip
	case c.result.Verdict.String() == want:
		b.a.code = stepSame
	default:
		b.a.code = stepChanged
	}
	return nil
}

// findChange finds the first candidate whose answer is not that of the first one: by halving, or in their order.
func (b *bisection) findChange(ctx context.Context, list []candidate, inOrder bool) error {
	first, last := 0, len(list)-1
	b.try(ctx, &list[first])
	if list[first].result == nil {
		return &usageError{fmt.Sprintf("%s has no answer to compare with: %s", list[first].name, list[first].why), "begin elsewhere, or give it more time with --timeout"}
	}
	want := list[first].result.Verdict
	same := func(i int) bool { return list[i].result.Verdict == want }
	if inOrder {
		for i := 1; i <= last; i++ {
			b.try(ctx, &list[i])
			if err := ctx.Err(); err != nil {
				return err
			}
			if list[i].result != nil && !same(i) {
				return b.changed(list, first, i)
			}
			if list[i].result != nil {
				first = i
			}
		}
		return b.unchanged(list)
	}
	b.try(ctx, &list[last])
	if list[last].result == nil {
		return &usageError{fmt.Sprintf("%s has no answer: %s", list[last].name, list[last].why), "end elsewhere with --bad, or give it more time with --timeout"}
	}
	if same(last) {
		return b.unchanged(list)
	}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		i := middle(list, first, last)
		if i < 0 {
			return b.changed(list, first, last)
		}
		if b.try(ctx, &list[i]); list[i].result == nil {
			continue
		}
		if same(i) {
			first = i
		} else {
			last = i
		}
	}
}

// middle returns the candidate nearest to the middle between two that may have an answer, -1 if there is none.
func middle(list []candidate, first, last int) int {
	mid := (first + last) / 2
	for away := 0; away <= last-first; away++ {
		for _, i := range []int{mid - away, mid + away} {
			if i > first && i < last && !list[i].asked {
				return i
			}
		}
	}
	return -1
}

// unchanged says that the answer never changes, as far as it is known.
func (b *bisection) unchanged(list []candidate) error {
	open := 0
	for i := range list {
		if list[i].asked && list[i].result == nil {
			open++
		}
	}
	fmt.Fprintf(b.a.stdout, "the answer is the same at both ends: %s\n", text.Headline(list[0].result))
	if open > 0 {
		fmt.Fprintf(b.a.stdout, "of %d it is not known\n", open)
		b.a.code = exitUnknown
	}
	return nil
}

// changed shows the change between two candidates. What lies between them has no answer.
func (b *bisection) changed(list []candidate, before, after int) error {
	b.a.code = exitViolated
	if after-before > 1 {
		b.a.code = exitUnknown
		fmt.Fprintf(b.a.stdout, "the answer changes at one of these %d:\n", after-before)
	} else {
		fmt.Fprintln(b.a.stdout, "the answer changes at:")
	}
	for i := before + 1; i <= after; i++ {
		fmt.Fprintf(b.a.stdout, "  %s\n", text.Printable(list[i].name))
	}
	style := b.a.style(b.a.stdout)
	for _, i := range []int{before, after} {
		word := "before"
		if i == after {
			word = "after"
		}
		fmt.Fprintf(b.a.stdout, "\n%s, %s:\n", word, text.Printable(list[i].name))
		text.Result(b.a.stdout, list[i].result, style)
	}
	return nil
}
