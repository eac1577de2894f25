package cli

import (
	"context"
	"fmt"
	"io"

	"fencepost"
	"fencepost/query"

	"github.com/spf13/cobra"
)

// Front is the command line of another program that has the command check, with all its flags and outputs, and
// answers it in its own way.
type Front struct {
	// Name, Short, Long and Example are of the program, for its help.
	Name, Short, Long, Example string
	Check                      func(context.Context, query.Input, query.CheckOptions) (query.Answer, error)
	// Without are flags of check that this program does not have.
	Without []string
	// Extend adds flags to the command check and further commands to the root.
	Extend func(root, check *cobra.Command, printer Printer)
	// Say prints a line to standard error, above the lines of progress and without control characters. Run sets it.
	Say func(line string)
}

// Printer asks for an answer with progress and interruption, prints it as check does, and sets the exit code.
type Printer func(asJSON bool, ask func(context.Context, func(query.Progress)) (query.Answer, error)) error

// Note is an error that is none: there is no answer, and the text is printed instead.
type Note struct{ Text string }

func (n *Note) Error() string { return n.Text }

// UsageError returns an error about how the program was called, with what to do instead.
func UsageError(message, hint string) error { return &usageError{message, hint} }

// Run does what args say and returns the exit code.
func (f *Front) Run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	s := realServices()
	s.check = f.Check
	return runCommands(s, f.commands, args, stdin, stdout, stderr)
}

func (f *Front) commands(a *app) *cobra.Command {
	a.name = f.Name
	f.Say = func(line string) {
		if a.shown != nil {
			a.shown.clear()
		}
		fmt.Fprintln(a.stderr, printableLines(line))
	}
	root := rootOf(a, f.Name, f.Short, f.Long, f.Example)
	check := a.checkCommand()
	check.Example = ""
	check.Flag("timeout").DefValue = "0s"
	if err := check.Flags().Set("timeout", "0"); err != nil {
		panic("BUG: " + err.Error())
	}
	for _, name := range f.Without {
		if err := check.Flags().MarkHidden(name); err != nil {
			panic("BUG: " + err.Error())
		}
	}
	a.out.flags(check)
	before := check.PreRunE
	check.PreRunE = func(cmd *cobra.Command, args []string) error {
		for _, name := range f.Without {
			if cmd.Flags().Changed(name) {
				return &usageError{f.Name + " check does not have --" + name, "`fencepost check` has it"}
			}
		}
		return before(cmd, args)
	}
	bind(check, "full", &a.full)
	bind(check, "asm", &a.asm)
	root.AddCommand(check, a.versionCommand())
	root.CompletionOptions.DisableDefaultCmd = true
	f.Extend(root, check, func(asJSON bool, ask func(context.Context, func(query.Progress)) (query.Answer, error)) error {
		var opt query.Options
		question := func(ctx context.Context, _ query.Input) (query.Answer, error) { return ask(ctx, opt.Progress) }
		return answerAbout(a, query.Input{Name: f.Name}, &opt, question, func(answer query.Answer) error { return a.render(asJSON, answer) })
	})
	return root
}

// rootOf returns the root of the commands of a program.
func rootOf(a *app, name, short, long, example string) *cobra.Command {
	root := &cobra.Command{
		Use: name, Short: short, Long: long, Example: example, Version: fencepost.Version(),
		SilenceUsage: true, SilenceErrors: true,
		// A name with two typing errors still suggests a command.
		SuggestionsMinimumDistance: 2,
		Args:                       cobra.ArbitraryArgs,
		RunE:                       a.noCommand,
	}
	root.SetVersionTemplate(versionLine())
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return &usageError{err.Error(), flagHint(cmd, err.Error())}
	})
	bindIn(root.PersistentFlags(), rootName, "color", &a.color)
	return root
}
