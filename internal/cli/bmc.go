package cli

import (
	"fmt"
	"os"
	"os/exec"

	"fencepost/query"
)

// Flags of bounded model checking.

// wordBits is the number of bits of a word.
const wordBits = 64

// bmcOptions opens what the flags name; the function it returns closes it.
func (a *app) bmcOptions(f *checkFlags) (func(), error) {
	if b := &f.opt.BMC; b.Encoding == query.EncodingOrder && (b.Rounds > 0 || b.Clock > 0 || b.Queue > 0) {
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
