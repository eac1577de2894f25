package cli

import (
	"fmt"
	"strconv"
	"strings"

	"fencepost/query"

	"github.com/spf13/pflag"
)

// Any number of threads: the flags that robust, check and export share.

// paramFlags are the flags about templates.
type paramFlags struct {
	on     bool
	domain string
}

func (p *paramFlags) flags(flags *pflag.FlagSet, opt *query.Options, what string) {
	flags.BoolVar(&p.on, "param", false, what)
	p.more(flags, opt)
}

func (p *paramFlags) more(flags *pflag.FlagSet, opt *query.Options) {
	flags.StringVar(&opt.Replicate, "replicate", "", "C: the `function` that any number of threads run; several are separated by commas")
	flags.StringVar(&p.domain, "domain", "", "with any number of threads: `range` of the values in memory, such as 0..3 (default: computed)")
}

// set checks that the flags make sense, and returns the domain, nil if there is none.
func (p *paramFlags) set(opt *query.Options) (*query.Domain, error) {
	if !p.on && (p.domain != "" || opt.Replicate != "") {
		return nil, &usageError{"--domain and --replicate are options for any number of threads", "also give --param"}
	}
	if p.domain == "" {
		return nil, nil
	}
	lo, hi, ok := strings.Cut(p.domain, "..")
	from, err1 := strconv.ParseInt(lo, 10, 64)
	to, err2 := strconv.ParseInt(hi, 10, 64)
	if !ok || err1 != nil || err2 != nil || from > to {
		return nil, &usageError{fmt.Sprintf("--domain %q is not a range of numbers", p.domain), "write two numbers, such as 0..3"}
	}
	return &query.Domain{Lo: from, Hi: to}, nil
}

// oneModel refuses several models, and PSO.
func oneModel(models []query.Model) error {
	if len(models) != 1 || models[0] == query.PSO {
		return &usageError{"for any number of threads, assertions and goals can be checked under one model, SC or TSO", "give --model sc or --model tso; `fencepost robust --param` says whether the program behaves under TSO as under SC"}
	}
	return nil
}
