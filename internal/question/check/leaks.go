//go:build !fencepost_small

package check

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"fencepost/internal/engine"
	"fencepost/internal/engine/explicit"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/property"
	"fencepost/verdict"
)

// Memory leaks. Whether a block is lost is a question about final states (property/leaks.go), so the engine that visits
// all of them answers it, after the program's own questions. Other engines are not asked: they keep no states, or do not
// know where a block comes from.

// withLeaks asks a question and then, unless a violation was found, looks for memory leaks.
func withLeaks(ctx context.Context, q *question, ask func(context.Context) (*verdict.Result, error)) (*verdict.Result, error) {
	how, err := ask(ctx)
	if err != nil || how.Verdict == verdict.Unsafe || how.Verdict == verdict.Unknown && !how.BoundedOnly {
		return how, err
	}
	leaks, err := leaks(ctx, q, how.By != "")
	if err != nil || leaks.Verdict != verdict.Safe && !leaks.BoundedOnly {
		return leaks, err
	}
	how.Question += ", " + verdict.MemoryLeaks
	pipeline.Join(how, leaks, Given(&q.opt))
	return how, nil
}

// leaks answers whether a block is lost in a final state. A robust program has the final states of SC.
func leaks(ctx context.Context, q *question, robust bool) (*verdict.Result, error) {
	under := q.model
	if robust {
		under = memory.SC
	}
	task := q.Task(q.flat, under, &q.opt.Options)
	task.Props, task.Finals = &property.Set{Leaks: true}, true
	task.WitnessFinal = func(final string) bool { return final != "" }
	c := &pipeline.Conclusion{Question: verdict.MemoryLeaks, Model: q.model, Engine: explicit.Engine.Name, Given: Given(&q.opt)}
	out, err := pipeline.RunEngine(ctx, &explicit.Engine, task)
	if err != nil {
		return nil, err
	}
	c.Outcome = out
	switch {
	case len(out.Violations) > 0:
		if c.Violation, err = leak(ctx, q, task, &out.Violations[0]); err != nil {
			return nil, err
		}
	case out.Stats.FinalStates == 0 && out.Coverage.Exhaustive:
		c.Open = "no execution comes to the end of all threads, where memory leaks are looked for"
	case out.Exits > 0:
		out.Warnings = append(out.Warnings, verdict.Warning{
			Code: "FP0945", Message: "executions that end by a call of exit were not checked for memory leaks",
		})
	}
	out.Warnings = slices.DeleteFunc(out.Warnings, func(w verdict.Warning) bool { return w.Code != "FP0945" }) // the others were said
	return q.Conclude(c), nil
}

// leak makes the execution to a final state with lost blocks ready to be shown.
func leak(ctx context.Context, q *question, task *engine.Task, v *engine.Violation) (*verdict.Violation, error) {
	asking := &pipeline.Asking{Engine: &explicit.Engine, Model: q.model, Under: task.Model}
	w, err := pipeline.Ending(ctx, q.Program, asking, task, v)
	if err != nil {
		return nil, err
	}
	one := &verdict.Violation{Witness: w, Cause: q.Cause(q.flat, q.model, w)}
	one.Reason, one.Pos = LeakText(q.flat, v.Final)
	return one, nil
}

// LeakText says which blocks are lost, and where the first of them was allocated.
func LeakText(flat *ir.Program, lost string) (string, *verdict.Pos) {
	type site struct {
		text  string
		bytes int64
		count int
	}
	var sites []site
	var first *verdict.Pos
	for _, b := range property.ParseLost(lost) {
		name, lead, pos := allocatedAt(flat, b.Site)
		if first == nil {
			first = pos
		}
		if pos != nil {
			name += fmt.Sprintf(" at %s:%d", path.Base(pos.File), pos.Line)
		}
		i := slices.IndexFunc(sites, func(s site) bool { return s.text == name })
		if i < 0 {
			i = len(sites)
			sites = append(sites, site{text: name})
		}
		sites[i].bytes += b.Size - lead
		sites[i].count++
	}
	var parts []string
	for _, s := range sites {
		text := fmt.Sprintf("%d bytes of %s", s.bytes, s.text)
		if s.count > 1 {
			text = fmt.Sprintf("%d blocks, %s", s.count, text)
		}
		parts = append(parts, text)
	}
	return "memory leak: no pointer reaches " + strings.Join(parts, " and ") + " when all threads have ended", first
}

// allocatedAt returns the name of the function that allocates at an edge, and the statement of the program that calls it.
// lead is how many bytes the block has in front of what the program asked for.
func allocatedAt(flat *ir.Program, id ir.EdgeID) (name string, lead int64, pos *verdict.Pos) {
	_, e, ok := flat.EdgeByID(id)
	if !ok {
		return "a block", 0, nil
	}
	name, pos = userPosition(e)
	if name == "" {
		name = e.Op.Block.Name
	}
	if name == "" {
		name = "a block"
	}
	return name, e.Op.Block.Lead, pos
}
