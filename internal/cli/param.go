package cli

import (
	"context"
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

// set looks whether the flags make sense.
func (p *paramFlags) set(opt *fencepost.Options) error {
	if !p.on && (p.domain != "" || opt.Replicate != "") {
		return &usageError{"--domain and --replicate are for any number of threads", "give --param, too"}
	}
	if p.domain == "" {
		return nil
	}
	lo, hi, ok := strings.Cut(p.domain, "..")
	from, err1 := strconv.ParseInt(lo, 10, 64)
	to, err2 := strconv.ParseInt(hi, 10, 64)
	if !ok || err1 != nil || err2 != nil || from > to {
		return &usageError{fmt.Sprintf("--domain %q is no range", p.domain), "write it as 0..3"}
	}
	opt.Domain = &fencepost.Domain{Lo: from, Hi: to}
	return nil
}

// checkParam asks for any number of threads under SC.
func (a *app) checkParam(names []string, f *checkFlags) error {
	if len(f.models) != 1 || f.models[0] != "sc" {
		return &usageError{"for any number of threads assertions and goals are decided under SC", "give --model sc; fencepost robust --param says whether TSO adds anything"}
	}
	ask := func(ctx context.Context, in fencepost.Input, opt fencepost.Options) (fencepost.Answer, error) {
		return a.services.checkParam(ctx, in, opt)
	}
	return a.answer(names, f.opt, ask, func(answer fencepost.Answer) error { return a.render(f.json, answer) })
}
