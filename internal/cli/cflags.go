package cli

import (
	"fmt"
	"strings"

	"fencepost/internal/gcc"
	"fencepost/internal/inputfile"
	"fencepost/internal/lazyregexp"
	"fencepost/query"

	"github.com/spf13/cobra"
)

// readC lets a command read C: included files are read as they are asked for, and what stands after -- are flags of the
// compiler.
func readC(cmd *cobra.Command, opt *query.Options) {
	database := ""
	bind(cmd, "compile-commands", &database)
	check, run := cmd.Args, cmd.RunE
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		files, _ := splitFlags(cmd, args)
		return check(cmd, files)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		files, more := splitFlags(cmd, args)
		opt.C.Flags = more
		if s, err := gcc.Parse(more); err == nil && len(s.Files) > 0 {
			return &usageError{fmt.Sprintf("%s after -- is not a flag of a compiler", s.Files[0]), "name the files of the program before --"}
		}
		if database != "" {
			found, err := commandsOf(database, files)
			if err != nil {
				return err
			}
			opt.C.FileFlags = found
		}
		return run(cmd, files)
	}
	opt.C.Include = func(name string) ([]byte, bool) {
		text, err := inputfile.Read(name)
		return text, err == nil
	}
}

// splitFlags separates the files from what stands after --.
func splitFlags(cmd *cobra.Command, args []string) (files, flags []string) {
	if at := cmd.ArgsLenAtDash(); at >= 0 && at <= len(args) {
		return args[:at], args[at:]
	}
	return args, nil
}

// namesValue collects names of C, one per use of the flag.
type namesValue struct {
	list   *[]string
	valued bool // a value may follow, and for functions their parameters
}

var identifier = lazyregexp.New(`^[\p{L}_$][\p{L}\p{Nd}_$]*$`)

func (namesValue) Type() string { return "name" }

func (v namesValue) String() string {
	if v.list == nil {
		return ""
	}
	return strings.Join(*v.list, " ")
}

func (v namesValue) Set(s string) error {
	name := s
	if v.valued {
		name, _, _ = strings.Cut(name, "=")
		name, _, _ = strings.Cut(name, "(")
	}
	if !identifier.MatchString(name) {
		return fmt.Errorf("%q is not a C identifier", name)
	}
	*v.list = append(*v.list, s)
	return nil
}
