package traces

import (
	"context"

	"fencepost/internal/engine/rf"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/supervise"
	"fencepost/query"
	"fencepost/verdict"
)

// Under C11's own model an execution is a graph: what each read reads from, and modification orders. By traces, graphs are
// counted; by reads-from, classes, which leave modification orders out.

// forC11 returns the program as the model c11 takes it, and refuses options that have no meaning there.
func forC11(run *pipeline.Run, flat *ir.Program, opt *query.TraceOptions) (*ir.Program, error) {
	refused := ""
	switch {
	case opt.CrossCheck:
		refused = "a second algorithm for comparison"
	case opt.Algorithm != "":
		refused = "an algorithm for traces of an order of steps"
	case opt.Each != nil:
		refused = "a list of executions"
	}
	if refused != "" {
		return nil, run.Refuse(verdict.Diagnostic{Code: "FP0939", Message: refused + " is not supported under the model c11: executions can be counted, with --count"})
	}
	return pipeline.ForC11(run.Program, flat)
}

// graphs counts the graphs or the reads-from classes of a program.
func graphs(ctx context.Context, run *pipeline.Run, flat *ir.Program, opt *query.TraceOptions, by query.By) (verdict.TraceSet, error) {
	set := verdict.TraceSet{Program: run.Input.Name, Model: string(opt.Model), By: string(by), Asked: pipeline.NewAsked(Command, *opt), Sources: run.Sources()}
	task := run.ExploreTask(flat, memory.C11, &opt.Options)
	if err := run.Supports(&rf.Engine, task); err != nil {
		return set, err
	}
	run.Stage = "exploration under c11"
	ctx, cancel := supervise.TimeLimit(ctx, opt.Timeout)
	defer cancel()
	how := rf.Options{Traces: true, Failed: func(*verdict.Witness, []string) { set.Failing++ }}
	if by == query.ByTrace {
		how.Graphs, how.Visit = true, func(*verdict.Witness) { set.Count++ }
	}
	e := rf.New(how)
	out, err := pipeline.RunEngine(ctx, &e, task)
	if err != nil {
		return set, err
	}
	if by == query.ByReadsFrom {
		set.Count, set.Fingerprint = out.Stats.FinalStates, out.Stats.Fingerprint
	}
	if set.Count+set.Failing == 0 && out.Unknown == "" && out.Exits == 0 {
		out.Unknown = "no execution comes to its end"
	}
	set.Complete, set.Total, set.Blocked = set.Count, set.Count+set.Failing, out.Stats.Blocked
	pipeline.Mark(&out.Coverage, pipeline.GivenBy(&opt.Options))
	if u := out.Coverage.Unsupported; u != nil && out.Unknown == "" {
		out.Unknown = pipeline.ReachedReason(u)
	}
	set.Reason, set.Coverage, set.Stats, set.Warnings = out.Unknown, out.Coverage, out.Stats, out.Warnings
	return set, nil
}
