package pipeline

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost/internal/engine/explicit"
	"fencepost/internal/engine/fences"
	"fencepost/internal/engine/robust"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/source"
	"fencepost/verdict"
)

// check answers whether the program with fences in place is as it should be.
func (r *repairer) check(ctx context.Context, at []ir.FenceAt) (*fences.Finding, error) {
	flat, props := r.fs.Insert(at)
	return r.checkFlat(ctx, flat, props)
}

func (r *repairer) checkFlat(ctx context.Context, flat *ir.Program, props *property.Set) (*fences.Finding, error) {
	p := *r.p
	p.props = props
	if r.opt.For == ForRobustness {
		return r.robust(ctx, &p, flat)
	}
	return r.reach(ctx, &p, flat, r.model)
}

// smallSearch is how many states one worker looks at alone, so that the same input
// gives the same executions; more workers help only where that is not enough.
const smallSearch = 200_000

// robust asks for an attack.
func (r *repairer) robust(ctx context.Context, p *program, flat *ir.Program) (*fences.Finding, error) {
	opt := r.opt.Options
	opt.KeepGoing = false
	task := robustTask(p, flat, opt)
	many := task.Limits.Workers
	task.Limits.Workers, task.Limits.States = 1, smallSearch
	out, err := robust.Engine.Run(ctx, task)
	if err == nil && out.Unknown != "" && len(out.Violations) == 0 && ctx.Err() == nil {
		task.Limits.Workers, task.Limits.States = many, 0
		out, err = robust.Engine.Run(ctx, task)
	}
	if err != nil {
		return nil, err
	}
	found := &fences.Finding{Coverage: out.Coverage, Stats: out.Stats, Warnings: out.Warnings}
	for i := range out.Violations {
		a, err := p.attack(flat, &out.Violations[i])
		if err != nil {
			return nil, fmt.Errorf("the witness of an attack does not hold: %w", err)
		}
		found.Breaks = append(found.Breaks, fences.Break{Witness: a.Witness, Store: a.StoreStep, Load: a.LoadStep, Attack: a})
	}
	switch {
	case len(found.Breaks) > 0:
		found.Verdict = verdict.Unsafe
	case out.Unknown != "":
		found.Verdict, found.Reason = verdict.Unknown, out.Unknown
	default:
		found.Verdict = verdict.Safe
	}
	return found, nil
}

// reach asks the program's own questions.
func (r *repairer) reach(ctx context.Context, p *program, flat *ir.Program, model memory.Model) (*fences.Finding, error) {
	opt := r.opt.Options
	opt.KeepGoing, opt.Finals, opt.Workers = false, false, 1
	a := &asked{engine: &explicit.Engine, model: model, under: model, limit: smallSearch}
	p.ask(ctx, a, flat, opt)
	if a.err == nil && a.res.Verdict == verdict.Unknown && ctx.Err() == nil {
		a.limit, opt.Workers = 0, r.opt.Workers
		p.ask(ctx, a, flat, opt)
	}
	if a.err != nil {
		return nil, a.err
	}
	if a.res.BoundedOnly {
		opt.Workers, opt.patience = r.opt.Workers, r.share(ctx)
		if _, a.res, a.err = p.others(ctx, flat, a, opt); a.err != nil {
			return nil, a.err
		}
	}
	res := a.res
	found := &fences.Finding{
		Verdict: res.Verdict, Reason: res.Reason, Coverage: res.Coverage, Stats: res.Stats, Warnings: res.Warnings,
	}
	switch res.Verdict {
	case verdict.Unsafe:
		v := &verdict.Violation{Question: res.Question, Reason: res.Reason, Pos: res.Pos, Witness: res.Witness, Cause: res.Cause}
		found.Breaks = []fences.Break{{Witness: v.Witness, Violation: v}}
	case verdict.Observed, verdict.NotObserved: // what is only looked for does not matter here
		found.Verdict = verdict.Safe
	}
	if res.BoundedOnly { // the answer as a whole says so
		found.Verdict = verdict.Safe
	}
	return found, nil
}

// mostPatience is how long the other engines may work, at most, on one question that the
// first has answered within bounds that the user did not set: there are more to come.
const mostPatience = 15 * time.Second

// share is the part of the time that is left for one question among many.
func (r *repairer) share(ctx context.Context) time.Duration {
	end, ok := ctx.Deadline()
	if !ok {
		return mostPatience
	}
	return min(mostPatience, time.Until(end)/4)
}

// underSC sees whether the assertions fail without any delay: then no fence helps.
func (r *repairer) underSC(ctx context.Context, res *verdict.Result) (hopeless bool, err error) {
	if r.opt.For != ForAssertions {
		return false, nil
	}
	flat, props := r.fs.Insert(nil)
	p := *r.p
	p.props = props
	found, err := r.reach(ctx, &p, flat, memory.SC)
	if err != nil || found.Verdict != verdict.Unsafe {
		return false, err
	}
	b := r.broken(&found.Breaks[0])
	b.Model = memory.SC.String()
	res.Verdict, res.Stats = verdict.Unsafe, found.Stats
	res.Repair.Hopeless, res.Reason = b, underSCReason(b)
	return true, nil
}

// presentFence is a fence that the program has.
type presentFence struct {
	pos     source.Span
	kind    ir.FenceKind
	threads []string
}

// presentFences are the fences that are statements of their own, in the order of
// the text: a release store brings a fence along that cannot go alone.
func presentFences(p *ir.Program) []presentFence {
	others := map[source.Span]bool{}
	for _, f := range p.Funcs {
		for i := range f.Edges {
			if k := f.Edges[i].Op.Kind; k != ir.Fence && k != ir.Nop {
				others[f.Edges[i].Pos] = true
			}
		}
	}
	var out []presentFence
	for t := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(t))
		for i := range f.Edges {
			e := &f.Edges[i]
			if e.Op.Kind != ir.Fence || others[e.Pos] || !e.Pos.IsValid() {
				continue
			}
			at := slices.IndexFunc(out, func(x presentFence) bool { return x.pos == e.Pos })
			if at < 0 {
				at = len(out)
				out = append(out, presentFence{pos: e.Pos, kind: e.Op.Fence})
			}
			if name := p.Threads[t].Name; !slices.Contains(out[at].threads, name) {
				out[at].threads = append(out[at].threads, name)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b presentFence) int {
		if a.pos.Before(b.pos.Pos) {
			return -1
		}
		return 1
	})
	return out
}

// maxCost bounds what one fence costs, so that sums fit.
const maxCost = 1_000_000_000

// costs is what each fence costs; ok is false after a diagnostic.
func (r *repairer) costs() (cost func(ir.FenceAt) int64, ok bool) {
	switch r.opt.Cost {
	case CostUniform:
		return func(ir.FenceAt) int64 { return 1 }, true
	case CostLoops:
		depths := r.fs.Depths()
		return func(at ir.FenceAt) int64 {
			c := int64(1)
			for range min(depths[at.Place], 9) {
				c *= 10
			}
			return c
		}, true
	case CostProfile:
		lines, ok := r.profile()
		return func(at ir.FenceAt) int64 {
			pos := r.fs.Places()[at.Place].Pos
			return max(1, lines[source.Pos{File: path.Base(pos.File), Line: pos.Line}])
		}, ok
	default:
		panic(fmt.Sprintf("BUG: unknown cost %q", r.opt.Cost))
	}
}

// profile reads what a fence costs in each line: "line cost" or "file:line cost",
// '#' begins a comment. Lines that are not named cost 1.
func (r *repairer) profile() (map[source.Pos]int64, bool) {
	out := map[source.Pos]int64{}
	in := &r.opt.Profile
	scan := bufio.NewScanner(bytes.NewReader(in.Text))
	good := true
	for n := 1; scan.Scan(); n++ {
		text, _, _ := strings.Cut(scan.Text(), "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		file, line := path.Base(r.p.file.Name), words[0]
		if i := strings.LastIndexByte(line, ':'); i >= 0 {
			file, line = path.Base(line[:i]), line[i+1:]
		}
		at, err := strconv.Atoi(line)
		var cost int64
		if err == nil && len(words) == 2 {
			cost, err = strconv.ParseInt(words[1], 10, 64)
		}
		if err != nil || len(words) != 2 || at < 1 || cost < 0 || cost > maxCost {
			r.p.diags = append(r.p.diags, verdict.Diagnostic{
				Severity: verdict.SeverityError, Code: "FP0922", Pos: verdict.Pos{File: in.Name, Line: n, Col: 1},
				Message: fmt.Sprintf("expected a line number and a cost of at most %d, such as '12 100' or 'lock.c:12 100'", maxCost),
			})
			good = false
			continue
		}
		out[source.Pos{File: file, Line: at}] = cost
	}
	return out, good
}
