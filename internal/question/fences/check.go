package fences

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

	"fencepost/internal/engine/fences"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/property"
	"fencepost/internal/question/check"
	"fencepost/internal/source"
	"fencepost/query"
	"fencepost/verdict"
)

// checkOptions returns the options for checks of the program with fences.
func (r *Repairer) checkOptions() query.CheckOptions {
	o := &r.opt
	return query.CheckOptions{Options: o.Options, Models: o.Models(), Deadlock: o.Deadlock, Endless: o.Endless, BMC: o.BMC}
}

// check answers whether the program with fences in place is as it should be, under all models. If most is not 0, it ends
// after so many states under each.
func (r *Repairer) check(ctx context.Context, at []ir.FenceAt, most int64) (*fences.Finding, error) {
	var all []*fences.Finding
	for i := range r.parts {
		p := &r.parts[i]
		flat, props := p.fences.Insert(at)
		found, err := r.checkFlat(ctx, p, flat, props, most)
		if err != nil {
			return nil, err
		}
		for k := range found.Breaks {
			found.Breaks[k].Of = i
		}
		if all = append(all, found); found.Status == fences.Bad {
			break
		}
	}
	return together(all), nil
}

// together joins what was found under several models: bad if it is bad under one of them, and good if it is good under
// all.
func together(all []*fences.Finding) *fences.Finding {
	out := *all[0]
	for _, f := range all[1:] {
		stats := out.Stats
		stats.States += f.Stats.States
		stats.Transitions += f.Stats.Transitions
		stats.Seconds += f.Stats.Seconds
		stats.Depth, stats.Bytes = max(stats.Depth, f.Stats.Depth), max(stats.Bytes, f.Stats.Bytes)
		warnings := append(slices.Clip(out.Warnings), f.Warnings...)
		worse := f.Status == fences.Bad || f.Status == fences.Unknown && out.Status == fences.Good
		if worse || f.Status == out.Status && out.Coverage.Exhaustive && !f.Coverage.Exhaustive {
			out = *f
		}
		out.Stats, out.Warnings = stats, warnings
	}
	return &out
}

func (r *Repairer) checkFlat(ctx context.Context, of *part, flat *ir.Program, props *property.Set, most int64) (*fences.Finding, error) {
	p := r.run.With(props)
	switch {
	case memory.HasC11 && of.model == memory.C11:
		return r.reachC11(ctx, p, flat)
	case r.opt.For == query.ForRobustness:
		return r.robust(ctx, p, flat, of.model, most)
	}
	return r.reach(ctx, p, flat, of.model, most)
}

// smallSearch is how many states one worker searches alone, so that the same input gives the same
// executions; more workers help only where that is not enough.
const smallSearch = 200_000

// small returns how many states one worker searches alone, if a check ends after so many.
func small(most int64) int64 {
	if most > 0 {
		return min(most, smallSearch)
	}
	return smallSearch
}

// robust asks for an attack.
func (r *Repairer) robust(ctx context.Context, p *pipeline.Program, flat *ir.Program, model memory.Model, most int64) (*fences.Finding, error) {
	by, task := robustEngine(), p.RobustTask(flat, model, &r.opt.Options)
	many := task.Limits.Workers
	task.Limits.Workers, task.Limits.States = 1, small(most)
	out, err := pipeline.RunEngine(ctx, by, task)
	if err == nil && most > 0 && out.Unknown != "" && len(out.Violations) == 0 {
		return &fences.Finding{Status: fences.Unknown, Reason: out.Unknown, Coverage: out.Coverage, Stats: out.Stats}, nil
	}
	if err == nil && out.Unknown != "" && len(out.Violations) == 0 && ctx.Err() == nil && !pipeline.OneDelayOnly(out) {
		task.Limits.Workers, task.Limits.States = many, 0
		out, err = pipeline.RunEngine(ctx, by, task)
	}
	if err == nil {
		out, _, err = pipeline.TwoDelays(ctx, p.ExploreTask(flat, model, &r.opt.Options), out)
	}
	if err != nil {
		return nil, err
	}
	found := &fences.Finding{Coverage: out.Coverage, Stats: out.Stats, Warnings: out.Warnings}
	for i := range out.Violations {
		a, err := p.Attack(flat, model, &out.Violations[i])
		if err != nil {
			return nil, fmt.Errorf("the witness of an attack does not hold: %w", err)
		}
		found.Breaks = append(found.Breaks, fences.Break{Witness: a.Witness, Store: a.StoreStep, Load: a.LoadStep, Attack: a})
	}
	switch {
	case len(found.Breaks) > 0:
		found.Status = fences.Bad
	case out.Unknown != "":
		found.Status, found.Reason = fences.Unknown, out.Unknown
	default:
		found.Status = fences.Good
	}
	return found, nil
}

// reach asks the program's own questions.
func (r *Repairer) reach(ctx context.Context, p *pipeline.Program, flat *ir.Program, model memory.Model, most int64) (*fences.Finding, error) {
	how := pipeline.Asked{CheckOptions: query.CheckOptions{Options: r.opt.Options}, Given: r.givenBounds()}
	how.Workers = 1
	a := &pipeline.Asking{Engine: pipeline.Engines(nil)[0], Model: model, Under: model, States: small(most)}
	p.Ask(ctx, a, flat, how)
	if a.Err == nil && a.Result.Verdict == verdict.Unknown && ctx.Err() == nil && most == 0 {
		a.States, how.Workers = 0, r.opt.Workers
		p.Ask(ctx, a, flat, how)
	}
	if a.Err != nil {
		return nil, a.Err
	}
	if a.Result.BoundedOnly {
		opt := r.checkOptions()
		opt.OthersTime = r.share(ctx)
		if _, a.Result, a.Err = check.Others(ctx, p, flat, a, opt); a.Err != nil {
			return nil, a.Err
		}
	}
	return finding(a.Result), nil
}

// finding converts the answer to the program's own questions. An observation does not matter here, and
// an answer within bounds counts: the result of the question says that it is one.
func finding(res *verdict.Result) *fences.Finding {
	found := &fences.Finding{Reason: res.Reason, Coverage: res.Coverage, Stats: res.Stats, Warnings: res.Warnings}
	switch {
	case res.Verdict == verdict.Unsafe:
		found.Status = fences.Bad
		v := &verdict.Violation{Question: res.Question, Reason: res.Reason, Pos: res.Pos, Witness: res.Witness, Cause: res.Cause}
		found.Breaks = []fences.Break{{Witness: v.Witness, Violation: v}}
	case res.Verdict == verdict.Unknown && !res.BoundedOnly:
		found.Status = fences.Unknown
	default:
		found.Status = fences.Good
	}
	return found
}

// mostOthersTime is how long the other engines may work, at most, on one question that the
// first has answered within bounds that the user did not set: there are more to come.
const mostOthersTime = 15 * time.Second

// share is the part of the time that is left for one question among many.
func (r *Repairer) share(ctx context.Context) time.Duration {
	end, ok := ctx.Deadline()
	if !ok {
		return mostOthersTime
	}
	return min(mostOthersTime, time.Until(end)/4)
}

// underSC sees whether the assertions fail without any delay: then no fence helps. It reports whether the result is
// complete: no fence helps, or the time is over.
func (r *Repairer) underSC(ctx context.Context, res *verdict.Result) (done bool, err error) {
	if r.opt.For != query.ForAssertions || r.parts.underC11() {
		return false, nil
	}
	flat, props := r.Fences.Insert(nil)
	found, err := r.reach(ctx, r.run.With(props), flat, memory.SC, 0)
	if err == nil && found.Status == fences.Unknown && ctx.Err() != nil {
		res.Verdict, res.Coverage, res.Stats = verdict.Unknown, found.Coverage, found.Stats
		res.Reason = "whether it fails under SC, too, is not known: " + found.Reason
		return true, nil
	}
	if err != nil || found.Status != fences.Bad {
		return false, err
	}
	b := r.broken(&found.Breaks[0])
	b.Model = memory.SC.String()
	res.Verdict, res.Stats = verdict.Unsafe, found.Stats
	res.Repair.Hopeless, res.Reason = b, UnderSCReason(b)
	return true, nil
}

// maxCost bounds what one fence costs, so that sums fit.
const maxCost = 1_000_000_000

// costs returns what each fence costs. One in the definition of a macro costs as much as one in each expansion.
func (r *Repairer) costs() (cost func(ir.FenceAt) int64, err error) {
	one, err := r.siteCosts()
	return func(at ir.FenceAt) int64 {
		return min(maxCost, one(at)*int64(max(1, r.Fences.Sites()[at.Site].Expansions)))
	}, err
}

// siteCosts returns what one fence at a site costs.
func (r *Repairer) siteCosts() (cost func(ir.FenceAt) int64, err error) {
	switch r.opt.Cost {
	case query.CostUniform:
		return func(ir.FenceAt) int64 { return 1 }, nil
	case query.CostLoops:
		depths := r.Fences.Depths()
		return func(at ir.FenceAt) int64 {
			c := int64(1)
			for range min(depths[at.Site], 9) {
				c *= 10
			}
			return c
		}, nil
	case query.CostProfile:
		lines, err := r.profile()
		return func(at ir.FenceAt) int64 {
			pos := pipeline.Position(r.Fences.Sites()[at.Site].Pos)
			if r.run.Locate != nil {
				r.run.Locate(&pos)
			}
			file, line := pos.SourceLine()
			return max(1, lines[source.Pos{File: path.Base(file), Line: line}])
		}, err
	default:
		panic(fmt.Sprintf("BUG: unknown cost %q", r.opt.Cost))
	}
}

// profile reads what a fence costs in each line: "line cost" or "file:line cost",
// '#' begins a comment. Lines that are not named cost 1.
func (r *Repairer) profile() (map[source.Pos]int64, error) {
	out := map[source.Pos]int64{}
	in := &r.opt.Profile
	scan := bufio.NewScanner(bytes.NewReader(in.Text))
	var refused error
	for n := 1; scan.Scan(); n++ {
		text, _, _ := strings.Cut(scan.Text(), "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		file, line := path.Base(r.run.Input.Name), words[0]
		if i := strings.LastIndexByte(line, ':'); i >= 0 {
			file, line = path.Base(line[:i]), line[i+1:]
		}
		at, err := strconv.Atoi(line)
		var cost int64
		if err == nil && len(words) == 2 {
			cost, err = strconv.ParseInt(words[1], 10, 64)
		}
		if err != nil || len(words) != 2 || at < 1 || cost < 0 || cost > maxCost {
			refused = r.run.Refuse(verdict.Diagnostic{
				Code: "FP0922", Pos: verdict.Pos{File: in.Name, Line: n, Col: 1},
				Message: fmt.Sprintf("expected a line number and a cost of at most %d, such as '12 100' or 'lock.c:12 100'", maxCost),
			})
			continue
		}
		out[source.Pos{File: file, Line: at}] = cost
	}
	return out, refused
}
