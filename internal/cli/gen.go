package cli

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"fencepost"

	"github.com/spf13/cobra"
)

func genHelp() string {
	var b strings.Builder
	b.WriteString("Write the program of size N of a family, in the language .fp.\n\nThe families:\n")
	for _, f := range fencepost.Families() {
		fmt.Fprintf(&b, "  %-10s %s\n", f.Name, f.Doc)
	}
	b.WriteString("\nThe programs of readers, writers, nw1r, ainc, casrot, sbn, bufw and fib have nothing to check: `fencepost traces` counts their executions.\n")
	return strings.TrimSpace(b.String())
}

const genExample = `  fencepost gen diamond 100 | fencepost check - --lang fp --engine lazy
  fencepost gen lamport 4 -o lamport4.fp`

func (a *app) genCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:     "gen FAMILY N",
		Short:   "Write a benchmark program of a given size",
		Long:    genHelp(),
		Example: genExample,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return &usageError{"gen takes a family and a number", "see `fencepost gen --help`"}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			n, err := strconv.Atoi(args[1])
			if err != nil || n < 1 || n > maxCount {
				return &usageError{fmt.Sprintf("%q is not a size", args[1]), "give a whole number, such as 10"}
			}
			text, err := fencepost.Generate(args[0], n)
			if err != nil {
				return &usageError{err.Error(), "see `fencepost gen --help`"}
			}
			if output == "" {
				io.WriteString(a.stdout, text)
				return nil
			}
			if err := os.WriteFile(output, []byte(text), 0o644); err != nil {
				return cannotWrite(output, err, "check the path given with -o")
			}
			wrote(a, output, "")
			return nil
		},
	}
	bind(cmd, "output", &output)
	return cmd
}
