package cli

import (
	"fmt"
	"os"
	"os/exec"

	"fencepost/query"

	"github.com/spf13/pflag"
)

// Flags of bounded model checking.

// wordBits is the number of bits of a word.
const wordBits = 64

func bmcFlags(flags *pflag.FlagSet, f *checkFlags) {
	o := &f.opt.BMC
	flags.Var(countValue{&o.Rounds, 1, maxCount}, "rounds", "bmc: number of rounds; every thread gets one turn per round")
	flags.Var(countValue{&o.Clock, 1, maxCount}, "clock", "bmc: number of times at which stores can reach memory; 1 is SC")
	flags.Var(countValue{&o.Queue, 2, maxCount}, "queue", "bmc: number of writes kept per memory cell: one in memory, the rest buffered")
	flags.Var(countValue{&o.Width, 0, wordBits}, "width", "bmc: bits of the results of arithmetic; 0: as many as needed")
	flags.Var(&f.encoding, "encoding", "bmc: what the formula is about: `order` of all events, or rounds (default: order, if it fits and no bound of rounds is set)")
	flags.BoolVar(&o.Auto, "auto", false, "bmc: raise the bounds step by step")
	flags.StringVar(&o.Solver, "solver", "", "bmc: a SAT `solver` on the PATH, such as cadical (default: the built-in solver)")
	flags.StringVar(&f.dimacs, "dimacs", "", "bmc: write the formula to this `file`")
}

// bmcOptions opens what the flags name; the function it returns closes it.
func (a *app) bmcOptions(f *checkFlags) (func(), error) {
	f.opt.BMC.Encoding = query.Encoding(f.encoding.value)
	if b := &f.opt.BMC; f.encoding.value == "order" && (b.Rounds > 0 || b.Clock > 0 || b.Queue > 0) {
		return nil, &usageError{"--encoding order has no rounds, clock or queue", "leave --rounds, --clock and --queue out"}
	}
	if f.opt.BMC.Auto {
		f.opt.BMC.Report = func(text string) { fmt.Fprintln(a.stderr, text) }
	}
	if name := f.opt.BMC.Solver; name != "" {
		if _, err := exec.LookPath(name); err != nil {
			return nil, &usageError{fmt.Sprintf("%s is not on the PATH", name), "install it, or leave --solver out to use the built-in solver"}
		}
	}
	if f.dimacs == "" {
		return func() {}, nil
	}
	file, err := os.Create(f.dimacs)
	if err != nil {
		return nil, &usageError{err.Error(), "give --dimacs a file that can be written"}
	}
	f.opt.BMC.DIMACS = file
	return func() { file.Close() }, nil
}
