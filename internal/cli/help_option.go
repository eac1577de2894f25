package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// optionHelp returns what the tables say about an option of a command; "" if the command has no such option.
func optionHelp(cmd *cobra.Command, name string) string {
	f := cmd.Flags().Lookup(name)
	if f == nil || f.Hidden {
		return ""
	}
	var b strings.Builder
	one := pflag.NewFlagSet(name, pflag.ContinueOnError)
	one.AddFlag(f)
	b.WriteString(one.FlagUsages())
	for _, o := range slices.Concat(table, commandTable) {
		if o.name != name || !o.has(cmd.Name()) {
			continue
		}
		if o.long != "" {
			fmt.Fprintf(&b, "\n%s\n", o.long)
		}
		fmt.Fprintf(&b, "\nCommands: %s\n", strings.ReplaceAll(o.on, " ", ", "))
		if o.field != "" {
			fmt.Fprintf(&b, "In Go:    %s\n", o.field)
		}
	}
	return b.String()
}

// optionNames lists the options of a command, for completion.
func optionNames(root *cobra.Command, args []string) []string {
	cmd, rest, err := root.Find(args)
	if err != nil || cmd == root || len(rest) > 0 {
		return nil
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name+"\t"+f.Usage)
		}
	})
	return names
}
