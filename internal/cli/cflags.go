package cli

import (
	"os"

	"fencepost"

	"github.com/spf13/pflag"
)

// cFlags adds what a C compiler's command line has. Included files are read as
// they are asked for.
func cFlags(flags *pflag.FlagSet, opt *fencepost.Options) {
	flags.StringArrayVarP(&opt.C.Defines, "define", "D", nil, "C: define a macro, NAME or NAME=VALUE")
	flags.StringArrayVarP(&opt.C.Undefines, "undefine", "U", nil, "C: undefine a macro")
	flags.StringArrayVarP(&opt.C.IncludeDirs, "include", "I", nil, "C: look for headers in a directory")
	flags.BoolVar(&opt.C.CheckOverflow, "check-overflow", false, "C: signed overflow and shifts out of range are errors")
	flags.StringArrayVar(&opt.C.ExternPure, "extern-pure", nil, "C: a function without a body that does nothing")
	flags.StringArrayVar(&opt.C.ExternFence, "extern-fence", nil, "C: a function without a body that is a full fence")
	flags.Var(rangeValue{&opt.C.NondetRange}, "nondet-range", "C: the values of inputs that are tried, such as -1..4")
	opt.C.Include = func(name string) ([]byte, bool) {
		text, err := os.ReadFile(name)
		return text, err == nil
	}
}
