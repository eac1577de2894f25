package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fencepost"
	"fencepost/internal/inputfile"
	"fencepost/internal/lsp"
	"fencepost/internal/render/text"
	"fencepost/query"
	"fencepost/verdict"

	"github.com/spf13/cobra"
)

const lspHelp = `Answer an editor over the Language Server Protocol, on standard input and output.

A program is checked when it is saved, or when the editor asks. Messages stand where a
property is violated, with the steps of the execution as related positions; code lenses
say what the answers are and what they cover; a code action inserts the fences that
make the program robust. A comment says what to check, and how:

    // fencepost: check
    // fencepost: check tests/client.c --model tso,pso --timeout 1m

The files, relative to the one with the comment, form one program; a header or a
library names its client. The options of ` + "`fencepost check`" + ` work here, too. A .c
file without a comment is checked if it has a main function; .fp and .litmus files
always are. The flags of the compiler come from the compile_commands.json that is
nearest above the program, or in a folder named build.

Exit codes: 0 ended by the editor, 1 the editor went away without saying so, 3 usage.`

const lspExample = `  fencepost lsp
  fencepost lsp --model sc,tso,pso --timeout 1m`

// lspTime is how long a search in an editor may take, if nothing else is said.
const lspTime = 20 * time.Second

func lspCommand(a *app) *cobra.Command {
	opt := query.CheckOptions{Options: query.Defaults(), Models: query.Models{query.TSO}}
	opt.Timeout = lspTime
	cmd := &cobra.Command{
		Use:     "lsp",
		Short:   "Answer an editor (Language Server Protocol)",
		Long:    lspHelp,
		Example: lspExample,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return &usageError{"lsp takes no files", "the editor names them"}
			}
			return nil
		},
	}
	addOptions(cmd, &opt)
	cmd.Flags().Bool("stdio", true, "accepted and ignored: the server always uses standard input and output")
	if err := cmd.Flags().MarkHidden("stdio"); err != nil {
		panic("BUG: " + err.Error())
	}
	cmd.RunE = func(*cobra.Command, []string) error { return serveEditor(a, opt) }
	return cmd
}

func serveEditor(a *app, opt query.CheckOptions) error {
	if opt.Memory == 0 {
		opt.Memory = defaultMemory()
	}
	with := lsp.With{
		Check: a.services.check, Robust: a.services.robust, Fences: a.services.fences,
		Read: inputfile.Read, Flags: nearestDatabase, Options: opt, Version: fencepost.Version(),
		Parse:    func(words []string) ([]string, query.CheckOptions, error) { return parseDirective(words, opt) },
		Headline: headline, Checked: text.CheckedText, Effect: text.Effect,
	}
	base := a.base
	if base == nil {
		base = context.Background()
	}
	if err := lsp.Serve(base, a.stdin, flushed{a.stdout}, with); err != nil {
		fmt.Fprintf(a.stderr, "%s: %v\n", a.name, err)
		a.code = exitViolated
	}
	return nil
}

// headline is the first line of an answer in words, which says what it covers.
func headline(r *verdict.Result) string {
	var b strings.Builder
	text.Result(&b, r, text.Options{})
	line, _, _ := strings.Cut(b.String(), "\n")
	return strings.ReplaceAll(line, r.Program, filepath.Base(r.Program)) // editors name files by their whole paths
}

// parseDirective reads the words of a comment as `check` reads its arguments.
func parseDirective(words []string, opt query.CheckOptions) ([]string, query.CheckOptions, error) {
	opt.Models = slices.Clone(opt.Models)
	cmd := &cobra.Command{Use: "check"}
	addOptions(cmd, &opt)
	cmd.Flags().SetOutput(io.Discard)
	if err := cmd.ParseFlags(words); err != nil {
		return nil, opt, err
	}
	return cmd.Flags().Args(), opt, nil
}

// databaseName is the name of the compilation databases that builds write.
const databaseName = "compile_commands.json"

// nearestDatabase returns the flags of files from the nearest compilation database above the first of them, or in a
// folder named build there, and its path; "" if there is none with a command for one of the files.
func nearestDatabase(files []string) (map[string][]string, string) {
	for dir := filepath.Dir(files[0]); ; dir = filepath.Dir(dir) {
		for _, path := range []string{filepath.Join(dir, databaseName), filepath.Join(dir, "build", databaseName)} {
			if _, err := os.Stat(path); err != nil {
				continue
			}
			if flags, err := commandsOf(path, files); err == nil {
				return flags, path
			}
			return nil, ""
		}
		if dir == filepath.Dir(dir) {
			return nil, ""
		}
	}
}
