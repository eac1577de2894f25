package cli

import (
	"fmt"
	"strings"

	"fencepost"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const completionHelp = `Print a script that completes commands, options, models and files in a shell.

  bash   fencepost completion bash > ~/.local/share/bash-completion/completions/fencepost
  zsh    fencepost completion zsh > "${fpath[1]}/_fencepost"
  fish   fencepost completion fish > ~/.config/fish/completions/fencepost.fish

Start a new shell to use it.`

var shells = []string{"bash", "zsh", "fish"}

func (a *app) completionCommand() *cobra.Command {
	return &cobra.Command{
		Use:       "completion bash|zsh|fish",
		Short:     "Print a completion script for a shell",
		Long:      completionHelp,
		Example:   "  source <(fencepost completion bash)",
		ValidArgs: shells,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return &usageError{"name one shell", "try `fencepost completion bash`, zsh or fish"}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.stdout, true)
			case "zsh":
				return root.GenZshCompletion(a.stdout)
			case "fish":
				return root.GenFishCompletion(a.stdout, true)
			default:
				return &usageError{fmt.Sprintf("unknown shell %q", args[0]), "known: " + strings.Join(shells, ", ")}
			}
		},
	}
}

// programExtensions returns the extensions of programs, without the dot, as shells want them.
func programExtensions() []string {
	var out []string
	for _, e := range fencepost.Extensions() {
		out = append(out, strings.TrimPrefix(e, "."))
	}
	return out
}

// completeArguments tells the shell what a command's arguments and options are.
func (a *app) completeArguments(cmd *cobra.Command) {
	files := func(extensions ...string) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return extensions, cobra.ShellCompDirectiveFilterFileExt
		}
	}
	switch cmd.Name() {
	case "report":
		cmd.ValidArgsFunction = files("json")
	case "stress":
		cmd.ValidArgsFunction = files("litmus")
	case "verify-trace":
		cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return []string{"json"}, cobra.ShellCompDirectiveFilterFileExt
			}
			return programExtensions(), cobra.ShellCompDirectiveFilterFileExt
		}
	case "explain":
		cmd.ValidArgsFunction = codeCompletions
	case "version":
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	default:
		if cmd.ValidArgs == nil && cmd.ValidArgsFunction == nil {
			cmd.ValidArgsFunction = files(programExtensions()...)
		}
	}
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if v, ok := flag.Value.(interface{ words() []string }); ok {
			must(cmd.RegisterFlagCompletionFunc(flag.Name, cobra.FixedCompletions(v.words(), cobra.ShellCompDirectiveNoFileComp)))
		}
	})
}

// codeCompletions lists the codes that `fencepost explain` knows.
func codeCompletions(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var list []string
	for _, c := range fencepost.Explanations() {
		list = append(list, c.Code+"\t"+c.Title)
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}

func must(err error) {
	if err != nil {
		panic("BUG: " + err.Error())
	}
}
