package cli

import (
	"fmt"
	"regexp"
	"strings"

	"fencepost"
	"fencepost/internal/inputfile"

	"github.com/spf13/pflag"
)

// cFlags adds what a C compiler's command line has. Included files are read as
// they are asked for.
func cFlags(flags *pflag.FlagSet, opt *fencepost.Options) {
	flags.VarP(namesValue{&opt.C.Defines, true}, "define", "D", "C: define a macro, NAME or NAME=VALUE")
	flags.VarP(namesValue{&opt.C.Undefines, false}, "undefine", "U", "C: undefine a macro")
	flags.StringArrayVarP(&opt.C.IncludeDirs, "include", "I", nil, "C: also search this directory for headers")
	flags.BoolVar(&opt.C.CheckOverflow, "check-overflow", false, "C: report signed overflow and shifts out of range as errors")
	flags.Var(namesValue{&opt.C.ExternPure, false}, "extern-pure", "C: name of a function without a body that does nothing")
	flags.Var(namesValue{&opt.C.ExternFence, false}, "extern-fence", "C: name of a function without a body that acts as a full fence")
	flags.Var(rangeValue{&opt.C.NondetRange}, "nondet-range", "C: values to try for each nondeterministic input, such as -1..4")
	opt.C.Include = func(name string) ([]byte, bool) {
		text, err := inputfile.Read(name)
		return text, err == nil
	}
}

// namesValue collects names of C, one per use of the flag.
type namesValue struct {
	list   *[]string
	valued bool // a value may follow, and for functions their parameters
}

var identifier = regexp.MustCompile(`^[\p{L}_$][\p{L}\p{Nd}_$]*$`)

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
