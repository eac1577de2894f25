package pipeline

import (
	"context"
	"slices"

	"fencepost/internal/engine"
	"fencepost/internal/engine/explicit"
	"fencepost/internal/engine/smc"
	"fencepost/verdict"
)

// What bounds mean for an answer. A search that found nothing and left out no execution
// is Safe. One that met bounds is Safe within them if the user set all of them: then the
// user knows what the answer covers. A default is nobody's decision, so a search that met
// one has not answered the question: Unknown, with the bounds in its reason.

// given reports whether the user set a bound to the value it has.
func given(b *verdict.Bound, opt *Options) bool {
	steps := opt.BMC.Auto // bmc chose the values
	switch b.Name {
	case "buffer":
		return opt.Buffer > 0
	case "unroll":
		return opt.Unroll > 0 && b.Value == opt.Unroll
	case "recursion", "threads": // of a place that starts threads in a loop
		return opt.Unroll > 0
	case "rounds":
		return opt.BMC.Rounds > 0 && !steps
	case "clock":
		return opt.BMC.Clock > 0 && !steps
	case "queue":
		return opt.BMC.Queue > 0 && !steps
	case "width":
		return opt.BMC.Width > 0 && !steps
	case "domain":
		return opt.Domain != nil
	default:
		return false
	}
}

// mark says of every bound who set it.
func mark(c *verdict.Coverage, opt Options) {
	for i := range c.Bounds {
		b := &c.Bounds[i]
		b.Given = b.Given || given(b, &opt)
	}
}

// holds states the verdict of a search that came to its end and found nothing: the one
// wanted, Safe or NotObserved, or Unknown if the search met a bound that the user did
// not set. Every question is decided here.
func holds(res *verdict.Result, wanted verdict.Verdict, opt Options) {
	mark(&res.Coverage, opt)
	if res.Coverage.Complete() {
		res.Verdict = wanted
		return
	}
	res.Verdict, res.BoundedOnly = verdict.Unknown, true
	res.Reason = withinWords(res, wanted) + ": " + res.Coverage.BoundText()
}

// withinWords begin the reason of an answer that holds within bounds only.
func withinWords(res *verdict.Result, wanted verdict.Verdict) string {
	switch {
	case len(res.Fences) > 0:
		return "enough within"
	case wanted == verdict.NotObserved:
		return "not observed within"
	case res.Question == finalStates:
		return "explored only within"
	default:
		return "no violation within"
	}
}

// restrict adds the bounds that lie in how the program was read: the number of
// threads of a template, and the values of inputs. The user set both.
func (p *program) restrict(res *verdict.Result, opt Options) {
	if res.Verdict == verdict.Unsafe {
		return
	}
	c := &res.Coverage
	add := func(b verdict.Bound) {
		b.Hit, b.Given, c.Exhaustive = true, true, false
		if !slices.ContainsFunc(c.Bounds, func(o verdict.Bound) bool { return o.Name == b.Name && (o.Pos == nil) == (b.Pos == nil) }) {
			c.Bounds = append(c.Bounds, b)
		}
	}
	if n := p.props.Instances; n > 0 {
		add(verdict.Bound{Name: "threads", Value: n})
	}
	if r := opt.C.NondetRange; len(r) == 2 && p.limited != nil {
		add(verdict.Bound{Name: "nondet-range", Low: int(r[0]), Value: int(r[1]), Pos: p.limited})
	}
}

// allFinals collects final states with the explicit engine. If that meets a bound that
// the user did not set, smc is asked, which bounds no buffers.
func allFinals(ctx context.Context, task *engine.Task, opt Options) (*engine.Outcome, *engine.Engine, error) {
	out, err := explicit.Engine.Run(ctx, task)
	if err != nil {
		return nil, nil, err
	}
	mark(&out.Coverage, opt)
	if out.Unknown != "" || out.Coverage.Complete() || smc.Engine.Supports(task) != nil {
		return out, &explicit.Engine, nil
	}
	again := *task
	again.Limits.Unroll = opt.unroll()
	more, err := smc.Engine.Run(ctx, &again)
	if err != nil {
		return nil, nil, err
	}
	mark(&more.Coverage, opt)
	if more.Unknown != "" || !more.Coverage.Complete() {
		return out, &explicit.Engine, nil
	}
	return more, &smc.Engine, nil
}
