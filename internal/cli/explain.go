package cli

import (
	"fmt"
	"strings"

	"fencepost"

	"github.com/spf13/cobra"
)

const explainHelp = `Say what the code of a message means and what to do, and show a program that gets
this message. Without a code, list all codes.`

const explainExample = `  fencepost explain C0301
  fencepost explain`

func (a *app) explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "explain [CODE...]",
		Short:   "Say what the code of a message means",
		Long:    explainHelp,
		Example: explainExample,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				for _, e := range fencepost.Explanations() {
					fmt.Fprintf(a.stdout, "%-7s %s\n", e.Code, e.Title)
				}
				return nil
			}
			for i, code := range args {
				e, ok := fencepost.Explain(code)
				if !ok {
					return &usageError{fmt.Sprintf("there is no code %s", code), "`fencepost explain` lists them all"}
				}
				if i > 0 {
					fmt.Fprintln(a.stdout)
				}
				explain(a, e)
			}
			return nil
		},
	}
}

func explain(a *app, e fencepost.Explanation) {
	fmt.Fprintf(a.stdout, "%s: %s\n\n%s", e.Code, e.Title, paragraph(e.Advice))
	if e.Command == "" {
		return
	}
	if e.Command == "ir" {
		fmt.Fprint(a.stdout, "\nFor example, in the printed form of programs:\n")
	} else {
		fmt.Fprintf(a.stdout, "\nFor example, fencepost %s:\n", e.Command)
	}
	for _, f := range e.Files {
		if len(e.Files) > 1 {
			fmt.Fprintf(a.stdout, "\n  %s\n", f.Name)
		}
		fmt.Fprintln(a.stdout)
		for line := range strings.SplitSeq(strings.TrimSuffix(f.Shown, "\n"), "\n") {
			fmt.Fprintln(a.stdout, strings.TrimRight("    "+line, " "))
		}
	}
}

// paragraph breaks a text into lines of at most 80 columns.
func paragraph(text string) string {
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		switch {
		case column == 0:
		case column+1+len(word) > 80:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	b.WriteByte('\n')
	return b.String()
}
