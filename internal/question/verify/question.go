package verify

import (
	"cmp"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"fencepost/internal/ir"
	"fencepost/internal/pipeline"
	"fencepost/internal/property"
	"fencepost/internal/question/check"
	"fencepost/internal/question/fences"
	"fencepost/internal/question/fuzz"
	"fencepost/internal/question/lin"
	"fencepost/internal/question/litmus"
	"fencepost/internal/question/param"
	"fencepost/internal/question/prove"
	"fencepost/internal/question/robust"
	"fencepost/internal/question/traces"
	"fencepost/query"
	"fencepost/verdict"
)

// question is a question that a result answers, with the options that the result carries.
type question struct {
	options any            // a pointer to the struct of options
	common  *query.Options // in that struct
	// ask asks the question again; nil for traces.
	ask func(model string) (query.Answer, error)

	// The options of some questions, nil for others.
	check  *query.CheckOptions
	robust *query.RobustOptions
	fences *query.FenceOptions
	litmus *query.LitmusOptions
	prove  *query.ProveOptions
	traces *query.TraceOptions
	fuzz   *query.FuzzOptions
	lin    *query.LinOptions
}

// asksCheck returns the options of the question as those of check, nil if it is another question than that of check.
func (q *question) asksCheck() *query.CheckOptions {
	if q.fuzz == nil {
		return q.check
	}
	opt := q.fuzz.Check()
	return &opt
}

// add adds what the options asked about beside the program's own properties.
func (q *question) add(props *property.Set) {
	check := q.asksCheck()
	if check != nil && check.Deadlock || q.fences != nil && q.fences.Deadlock {
		props.Deadlock = true
	}
	if check != nil {
		pipeline.AskEndless(&check.Endless, props)
	}
}

// addDefault adds what is asked about by default, given the flat program.
func (q *question) addDefault(props *property.Set, flat *ir.Program) {
	if check := q.asksCheck(); check != nil {
		pipeline.AskDefaultEndless(&check.Endless, props, flat)
	}
}

// questions has a row for each command whose results are stored.
var questions = map[string]func(*verifier) *question{
	check.Command: func(v *verifier) *question {
		opt := &query.CheckOptions{}
		return &question{options: opt, common: &opt.Options, check: opt, ask: func(model string) (query.Answer, error) {
			opt.Models = query.Models{query.Model(model)}
			return check.Run(v.ctx, v.in, *opt)
		}}
	},
	param.CheckCommand: func(v *verifier) *question {
		opt := &param.StoredCheck{}
		return &question{options: opt, common: &opt.Options, check: &opt.CheckOptions, ask: func(string) (query.Answer, error) {
			opt.Models = query.Models{cmp.Or(opt.Model, query.SC)}
			return param.Check(v.ctx, v.in, opt.CheckOptions)
		}}
	},
	fuzz.Command: func(v *verifier) *question {
		opt := &query.FuzzOptions{}
		return &question{options: opt, common: &opt.Options, fuzz: opt, ask: func(model string) (query.Answer, error) {
			opt.Models = query.Models{query.Model(model)}
			return fuzz.Run(v.ctx, v.in, *opt)
		}}
	},
	lin.Command: func(v *verifier) *question {
		opt := &query.LinOptions{}
		return &question{options: opt, common: &opt.Options, check: &query.CheckOptions{}, lin: opt, ask: func(model string) (query.Answer, error) {
			opt.Models = query.Models{query.Model(model)}
			return lin.Run(v.ctx, v.in, *opt)
		}}
	},
	robust.Command: func(v *verifier) *question {
		opt := &query.RobustOptions{}
		return &question{options: opt, common: &opt.Options, robust: opt, ask: func(model string) (query.Answer, error) {
			one := *opt
			one.Models = query.Models{query.Model(model)}
			return robust.Run(v.ctx, v.in, one)
		}}
	},
	param.RobustCommand: func(v *verifier) *question {
		opt := &query.RobustOptions{}
		return &question{options: opt, common: &opt.Options, robust: opt, ask: func(string) (query.Answer, error) {
			return param.Robust(v.ctx, v.in, *opt)
		}}
	},
	fences.Command: func(v *verifier) *question {
		opt := &query.FenceOptions{}
		return &question{options: opt, common: &opt.Options, fences: opt, ask: func(string) (query.Answer, error) {
			return fences.Run(v.ctx, v.in, *opt)
		}}
	},
	fences.OrdersCommand: func(v *verifier) *question {
		opt := &query.FenceOptions{}
		return &question{options: opt, common: &opt.Options, fences: opt, ask: func(string) (query.Answer, error) {
			return fences.RunOrders(v.ctx, v.in, *opt)
		}}
	},
	prove.Command: func(v *verifier) *question {
		opt := &query.ProveOptions{}
		return &question{options: opt, common: &opt.Options, prove: opt, ask: func(string) (query.Answer, error) {
			return prove.Run(v.ctx, v.in, *opt)
		}}
	},
	litmus.Command: func(v *verifier) *question {
		opt := &query.LitmusOptions{}
		return &question{options: opt, common: &opt.Options, litmus: opt, ask: func(model string) (query.Answer, error) {
			opt.Models = query.Models{query.Model(model)}
			test, err := litmus.Run(v.ctx, v.in, *opt)
			return query.Answer{Results: test.Results, Diagnostics: test.Diagnostics}, err
		}}
	},
	traces.Command: func(*verifier) *question {
		opt := &query.TraceOptions{}
		return &question{options: opt, common: &opt.Options, traces: opt}
	},
}

// recall finds the question that a result answers, and its options.
func (v *verifier) recall(asked *verdict.Asked) error {
	if asked == nil {
		return fmt.Errorf("the result does not say what was asked")
	}
	make := questions[asked.Command]
	if make == nil {
		return fmt.Errorf("there is no command %q", asked.Command)
	}
	v.question = make(v)
	if err := pipeline.Recall(asked.Options, v.question.options); err != nil {
		return err
	}
	override(v.question.common, &v.flags)
	v.include()
	v.opt = *v.question.common
	return nil
}

// override replaces the options of a result by the options that the caller set.
func override(opt, flags *query.Options) {
	opt.Workers, opt.Progress = flags.Workers, flags.Progress
	opt.Timeout = cmp.Or(flags.Timeout, opt.Timeout)
	opt.Memory = cmp.Or(flags.Memory, opt.Memory)
	opt.Lang = cmp.Or(flags.Lang, opt.Lang)
	opt.Unroll = cmp.Or(flags.Unroll, opt.Unroll)
	opt.Threads = cmp.Or(flags.Threads, opt.Threads)
	from, to := reflect.ValueOf(flags.C), reflect.ValueOf(&opt.C).Elem()
	for i := range from.NumField() {
		if !from.Field(i).IsZero() {
			to.Field(i).Set(from.Field(i))
		}
	}
}

// include lets the program include the files beside it, where it is now.
func (v *verifier) include() {
	if read := v.flags.C.Include; read != nil {
		v.question.common.C.Include = beside(v.in.Name, v.given.Name, read)
	}
}

// beside returns a function that reads files beside stored, the name of a program, from beside given.
func beside(stored, given string, read func(string) ([]byte, bool)) func(string) ([]byte, bool) {
	dir, here := path.Dir(stored), path.Dir(given)
	return func(name string) ([]byte, bool) {
		if rest, ok := strings.CutPrefix(name, dir+"/"); ok && dir != "." {
			name = path.Join(here, rest)
		} else if dir == "." && !path.IsAbs(name) {
			name = path.Join(here, name)
		}
		return read(name)
	}
}

// aboutGiven returns the results about the given program if the results compare machine code with its source, and what
// it leaves out. If none is about the program, all are returned, and will be rejected.
func aboutGiven(name string, results []verdict.Result) (about []verdict.Result, other []string) {
	compared := false
	for i := range results {
		compared = compared || results[i].Compiled != nil
		if path.Base(results[i].Program) == path.Base(name) {
			about = append(about, results[i])
		} else if text := "results about " + path.Base(results[i].Program); !slices.Contains(other, text) {
			other = append(other, text)
		}
	}
	if !compared || len(about) == 0 {
		return results, nil
	}
	return about, other
}
