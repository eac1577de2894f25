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

// cFlags adds what a C compiler's command line has. Included files are read as
// they are asked for. What stands after -- are flags of the compiler.
func cFlags(cmd *cobra.Command, opt *query.Options) {
	flags := cmd.Flags()
	std := &choiceValue{choices: gcc.Standards()}
	flags.Var(named{std, "standard"}, "std", "C: standard: "+strings.Join(gcc.Standards(), ", ")+" (default gnu17)")
	database := ""
	flags.Var(fileValue{&database}, "compile-commands", "C: take the compiler flags of each file from this compilation database of a build")
	check, run := cmd.Args, cmd.RunE
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		files, _ := splitFlags(cmd, args)
		return check(cmd, files)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		files, more := splitFlags(cmd, args)
		opt.C.Std, opt.C.Flags = std.value, more
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
	flags.VarP(namesValue{&opt.C.Defines, true}, "define", "D", "C: define a macro, NAME or NAME=VALUE")
	flags.VarP(namesValue{&opt.C.Undefines, false}, "undefine", "U", "C: undefine a macro")
	flags.StringArrayVarP(&opt.C.IncludeDirs, "include", "I", nil, "C: also search this `directory` for headers")
	flags.BoolVar(&opt.C.CheckOverflow, "check-overflow", false, "C: report signed overflow and shifts out of range as errors")
	flags.BoolVar(&opt.C.Strict, "strict", false, "C: refuse every construct that is not supported, whether or not an execution reaches it")
	flags.Var(namesValue{&opt.C.ExternPure, false}, "extern-pure", "C: name of a function without a body that does nothing")
	flags.Var(namesValue{&opt.C.ExternFence, false}, "extern-fence", "C: name of a function without a body that acts as a full fence")
	flags.StringArrayVar(&opt.C.Entry, "entry", nil, "machine code: `function` that runs as a thread, instead of main; F(3) has the argument 3")
	flags.StringVar(&opt.C.Finally, "finally", "", "machine code: `function` that runs when those of --entry have returned")
	flags.Var(rangeValue{&opt.C.NondetRange}, "nondet-range", "C: values to try for each nondeterministic input, such as -1..4")
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
