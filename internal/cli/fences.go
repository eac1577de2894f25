package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"fencepost"
	"fencepost/internal/render/text"
	"fencepost/internal/scratch"
	"fencepost/query"
	"fencepost/verdict"

	"github.com/spf13/cobra"
)

const fencesHelp = `Find the fewest fences that repair a program, and write them into it.

With --for robustness (the default), the repaired program behaves on x86, or with
--model pso under PSO, as under sequential consistency. With --for assertions, its assertions, goals and final
condition hold under the model; this may take fewer fences.

The answer shows an execution that goes wrong without fences, the fences and their
positions, why each fence is needed, and the patch. The patched program is read and
checked from scratch. No cheaper set of fences is enough, where --cost says what a
fence costs:
  uniform         every fence costs 1
  loops           ten times as much for every loop around the fence
  profile=FILE    FILE has lines 'LINE COST' or 'FILE:LINE COST'; other lines cost 1
A fence in the definition of a macro costs as much as one in each of its expansions.
Fences also go into files that the program includes, except system headers (-isystem).
Of several sets with the lowest cost, the one that a maintainer would write is shown: a
statement in the function of the delayed store comes first, then another function, an
included file, and a macro at last; then the library (included files, or of several C
files those without main) comes before its client, and the site nearest to the store
before others. --prefer client puts the client first, and --files '*.h' limits which files
may change. Other sites for each fence are listed with their cost.
FILE is a program, or - for standard input. Several C files form one program.
Of machine code, the answer names the instructions and lines; nothing is written.

Exit codes: 0 a set of fences was found, or none is needed; 1 no set of fences
repairs the program; 2 unknown, or the repair would have to change a system header, a file
that --files leaves out, or a part of a macro with no room for a statement (fencepost shows
this repair, but does not change these); 3 bad input or usage; 4 internal error.`

const fencesExample = `  fencepost fences dekker.c
  fencepost fences dekker.c --diff | patch -p1
  fencepost fences queue.fp --for assertions --model pso --cost loops
  fencepost fences lock.c --write --fence-style smp_mb
  fencepost fences lock.c --remove`

type fencesFlags struct {
	opt               query.FenceOptions
	cost              costValue
	json, diff, write bool
	output            string
	certificate       string // file
}

func (a *app) fencesCommand() *cobra.Command {
	f := &fencesFlags{opt: query.FenceOptions{Options: query.Defaults(), For: query.ForRobustness, Model: query.TSO, Style: fencepost.FenceStyles()[0]}}
	f.cost = costValue{scheme: query.CostUniform}
	cmd := &cobra.Command{
		Use:     "fences FILE...",
		Short:   "Repair a program with the fewest fences",
		Long:    fencesHelp,
		Example: fencesExample,
		Args:    oneProgram,
		RunE:    func(_ *cobra.Command, args []string) error { return a.fences(args, f) },
	}
	addOptions(cmd, &f.opt)
	readC(cmd, &f.opt.Options)
	a.compileFlag(cmd)
	bind(cmd, "certificate", &f.certificate)
	bind(cmd, "cost", &f.cost)
	bind(cmd, "diff", &f.diff)
	bind(cmd, "output", &f.output)
	bind(cmd, "write", &f.write)
	bind(cmd, "json", &f.json)
	return cmd
}

func (a *app) fences(names []string, f *fencesFlags) error {
	if here, err := os.Getwd(); err == nil {
		f.opt.Directory, f.opt.PatchRoot = here, patchRoot(here, names)
	}
	f.opt.Cost = f.cost.scheme
	if f.opt.Prefer == query.PreferLibrary {
		f.opt.Prefer = "" // the default
	}
	if err := f.consistent(names); err != nil {
		return err
	}
	done, err := proofFile(a, f.certificate, names, len(f.opt.Models()), &f.opt.Proofs)
	if err != nil {
		return err
	}
	defer done()
	targets := []string{}
	if f.output != "" {
		targets = append(targets, f.output)
	} else if f.write {
		targets = names
	}
	for _, name := range targets {
		if err := writable(name); err != nil {
			return cannotWrite(name, err, "check the path and its permissions")
		}
	}
	if f.cost.file != "" {
		in, err := a.read(f.cost.file)
		if err != nil {
			return err
		}
		f.opt.Profile = in
	}
	ask := func(ctx context.Context, in query.Input) (query.Answer, error) {
		if (f.write || f.output != "" || f.diff) && isMachineCode(&in, f.opt.Lang) {
			return query.Answer{}, &usageError{"fences cannot be written into machine code", "leave out --diff, --write and -o: the answer names the instructions and the lines"}
		}
		if f.opt.Orders.Accesses {
			return a.services.orders(ctx, in, f.opt)
		}
		return a.services.fences(ctx, in, f.opt)
	}
	return a.answer(names, &f.opt.Options, ask, func(answer query.Answer) error {
		failed := f.save(a, names, answer)
		if f.diff {
			a.patches(answer)
			if f.opt.PatchRoot != f.opt.Directory {
				fmt.Fprintf(a.stderr, "the names in the patch begin at %s: apply it there, as `git -C %s apply` does\n", f.opt.PatchRoot, f.opt.PatchRoot)
			}
			return failed
		}
		return errors.Join(failed, a.render(f.json, answer))
	})
}

// patchRoot is the directory for which a patch of these files is made: the current one if they are below it, or else the
// root of the repository, since neither git apply nor patch goes up by itself.
func patchRoot(here string, names []string) string {
	for _, name := range names {
		full, err := filepath.Abs(name)
		if err != nil || below(here, full) {
			continue
		}
		for dir := here; ; dir = filepath.Dir(dir) {
			if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil && below(dir, full) {
				return dir
			}
			if dir == filepath.Dir(dir) {
				return here
			}
		}
	}
	return here
}

func below(dir, file string) bool {
	rel, err := filepath.Rel(dir, file)
	return err == nil && filepath.IsLocal(rel)
}

// consistent refuses flags that contradict each other.
func (f *fencesFlags) consistent(names []string) error {
	switch {
	case f.opt.For == query.ForRobustness && f.opt.Deadlock:
		return &usageError{"--deadlock needs --for assertions", "also give --for assertions; robustness ignores deadlocks"}
	case f.opt.For == query.ForRobustness && f.opt.Liveness != "":
		return &usageError{"--liveness needs --for assertions", "also give --for assertions; robustness ignores loops that never end"}
	case (f.opt.Certified || f.certificate != "") && (f.opt.Remove || f.opt.For == query.ForLinearizability || len(f.opt.Models()) > 1):
		return &usageError{"there are no proofs with --remove, with --for linearizability and under several models", "leave out --certified and --certificate"}
	case f.json && f.diff:
		return &usageError{"--json and --diff cannot be combined", "the JSON contains the patch"}
	case f.opt.Remove && (f.diff || f.write || f.output != "" || f.opt.AllOptimal):
		return &usageError{"--remove only lists fences and writes nothing", "leave out --diff, --write, -o and --all-optimal"}
	case f.write && f.output != "":
		return &usageError{"--write and -o cannot be combined", "give one of them"}
	case f.output != "" && len(names) > 1:
		return &usageError{"-o names one file, but the program has several", "give --write to change the files, or --diff to get a patch"}
	case !isPattern(f.opt.Files):
		return &usageError{fmt.Sprintf("--files %q is not a pattern", f.opt.Files), "write a pattern such as *.h or src/*.c"}
	case f.write && slices.Contains(names, "-"):
		return &usageError{"--write cannot change standard input", "write the result to a file with -o FILE"}
	}
	return nil
}

// isMachineCode reports whether a program is read as machine code: --lang says so, the name of an object or an archive,
// or the text, as an executable has any name.
func isMachineCode(in *query.Input, lang string) bool {
	ext := strings.ToLower(path.Ext(in.Name))
	return lang == "x86" || lang == "" && (ext == ".o" || ext == ".a" || ext == ".rlib" || bytes.HasPrefix(in.Text, []byte("\x7fELF")))
}

// isPattern reports whether a text is a pattern for files.
func isPattern(text string) bool {
	_, err := path.Match(text, "")
	return err == nil
}

// save writes the repaired program. A program that needs no fence is its own
// repair.
func (f *fencesFlags) save(a *app, names []string, answer query.Answer) error {
	if f.output == "" && !f.write {
		return nil
	}
	for i := range answer.Results {
		r := &answer.Results[i]
		if exitOf(r) != exitHolds || r.Repair == nil {
			continue
		}
		if f.output != "" {
			out := r.Sources[r.Program]
			for _, p := range r.Repair.Patches {
				if p.File != r.Program {
					return &usageError{fmt.Sprintf("-o names one file, but %s changes", p.File), "give --write to change the files, --diff to get a patch, or --files to limit which files change"}
				}
				out = p.Text
			}
			if err := writeFile(f.output, out); err != nil {
				return err
			}
			wrote(a, f.output, fenceCount(len(r.Fences)))
			return nil
		}
		for _, p := range r.Repair.Patches {
			target := names[0]
			if p.File != r.Program {
				target = p.File
			}
			if err := writeFile(target, p.Text); err != nil {
				return err
			}
			wrote(a, target, fencesIn(r, p.File))
		}
	}
	return nil
}

// fencesIn counts the fences in a file.
func fencesIn(r *verdict.Result, file string) string {
	n := 0
	for i := range r.Fences {
		if p := r.Fences[i].Pos; p != nil && p.File == file {
			n++
		}
	}
	return fenceCount(n)
}

func fenceCount(n int) string {
	if n == 1 {
		return "1 fence"
	}
	return fmt.Sprintf("%d fences", n)
}

// writeFile replaces a file at once, and keeps its permissions. Of a symbolic link it
// replaces the target; the link stays. A pipe or a device is written to.
func writeFile(name, content string) error {
	mode := os.FileMode(0o644)
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return writeInto(name, content)
	}
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	if info, err := os.Stat(name); err == nil {
		mode = info.Mode().Perm()
	}
	fail := func(err error) error {
		if at := (*fs.PathError)(nil); errors.As(err, &at) {
			err = at.Err // of the file beside it that is written first
		}
		return &usageError{fmt.Sprintf("cannot write %s: %v", name, err), "check the path and its permissions"}
	}
	tmp, err := scratch.File(filepath.Dir(name), ".fencepost-")
	if err != nil {
		return fail(err)
	}
	defer os.Remove(tmp.Name())
	if _, err = io.WriteString(tmp, content); err == nil {
		err = tmp.Chmod(mode)
	}
	if closeErr := tmp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), name)
	}
	if err != nil {
		return fail(err)
	}
	return nil
}

// writeInto writes to a pipe or a device.
func writeInto(name, content string) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err == nil {
		_, err = io.WriteString(f, content)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return cannotWrite(name, err, "check the path and its permissions")
	}
	return nil
}

// patches prints the patch, and the answer itself to stderr.
func (a *app) patches(answer query.Answer) {
	for i := range answer.Results {
		r := &answer.Results[i]
		fmt.Fprintln(a.stderr, text.Headline(r))
		if r.Repair == nil {
			continue
		}
		for _, p := range r.Repair.Patches {
			io.WriteString(a.stdout, p.Diff)
		}
	}
}

// costValue is the cost of a fence.
type costValue struct {
	scheme query.Cost
	file   string
}

// words returns values for completion.
func (*costValue) words() []string { return []string{"uniform", "loops", "profile="} }

func (v *costValue) String() string {
	if v.file != "" {
		return string(v.scheme) + "=" + v.file
	}
	return string(v.scheme)
}

func (*costValue) Type() string { return "cost" }

func (v *costValue) Set(s string) error {
	name, file, given := strings.Cut(s, "=")
	scheme := query.Cost(name)
	profile := scheme == query.CostProfile
	switch {
	case !slices.Contains([]query.Cost{query.CostUniform, query.CostLoops, query.CostProfile}, scheme), given && !profile:
		return fmt.Errorf("want uniform, loops or profile=FILE")
	case profile && file == "":
		return fmt.Errorf("the file is missing, write profile=FILE")
	}
	v.scheme, v.file = scheme, file
	return nil
}
