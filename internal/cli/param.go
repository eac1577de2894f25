package cli

import (
	"fmt"
	"strconv"
	"strings"

	"fencepost"

	"github.com/spf13/pflag"
)

// Any number of threads: the flags that robust, check and export share.

// paramFlags are the flags about templates.
type paramFlags struct {
	on     bool
	domain string
}

func (p *paramFlags) flags(flags *pflag.FlagSet, opt *fencepost.Options, what string) {
	flags.BoolVar(&p.on, "param", false, what)
	p.more(flags, opt)
}

func (p *paramFlags) more(flags *pflag.FlagSet, opt *fencepost.Options) {
	flags.StringVar(&opt.Replicate, "replicate", "", "with C, the function whose threads stand for any number of threads")
	flags.StringVar(&p.domain, "domain", "", "values of memory where threads are counted, such as 0..3; as found if not given")
}

// set checks that the flags make sense, and returns the domain, nil if there is none.
func (p *paramFlags) set(opt *fencepost.Options) (*fencepost.Domain, error) {
	if !p.on && (p.domain != "" || opt.Replicate != "") {
		return nil, &usageError{"--domain and --replicate are for any number of threads", "give --param, too"}
	}
	if p.domain == "" {
		return nil, nil
	}
	lo, hi, ok := strings.Cut(p.domain, "..")
	from, err1 := strconv.ParseInt(lo, 10, 64)
	to, err2 := strconv.ParseInt(hi, 10, 64)
	if !ok || err1 != nil || err2 != nil || from > to {
		return nil, &usageError{fmt.Sprintf("--domain %q is no range", p.domain), "write it as 0..3"}
	}
	return &fencepost.Domain{Lo: from, Hi: to}, nil
}

// underSC refuses other models than SC.
func underSC(models []fencepost.Model) error {
	if len(models) != 1 || models[0] != fencepost.SC {
		return &usageError{"for any number of threads assertions and goals are decided under SC", "give --model sc; fencepost robust --param says whether TSO adds anything"}
	}
	return nil
}
