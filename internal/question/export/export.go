package export

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"fencepost/internal/engine"
	"fencepost/internal/engine/bmc"
	"fencepost/internal/engine/instrument"
	"fencepost/internal/engine/param"
	"fencepost/internal/export"
	"fencepost/internal/export/c11"
	"fencepost/internal/export/herd"
	"fencepost/internal/export/promela"
	"fencepost/internal/export/sequential"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/transform"
	"fencepost/query"
	"fencepost/verdict"
)

// Run writes the program and its questions in the language of another tool. What cannot be expressed
// there is a diagnostic with a position.
func Run(ctx context.Context, in query.Input, opt query.ExportOptions) (query.TextAnswer, error) {
	opt.Format, opt.Model = cmp.Or(opt.Format, query.ExportPromela), cmp.Or(opt.Model, query.TSO)
	if opt.Format == query.ExportDIMACS || opt.Format == query.ExportSMT2 {
		return formula(ctx, in, opt)
	}
	run := pipeline.Open(in)
	text, choices := "", ""
	err := run.Do(ctx, func(ctx context.Context) (err error) {
		switch opt.Format {
		case query.ExportPromela:
			text, err = inPromela(ctx, run, opt)
		case query.ExportPNML:
			text, err = net(ctx, run, opt)
		case query.ExportLitmus:
			text, err = litmusTest(ctx, run, opt)
		case query.ExportSequential:
			text, err = inSequentialC(ctx, run, opt, &choices)
		case query.ExportC:
			text, err = inC(ctx, run, opt)
		default:
			err = &query.OptionError{Option: "export format", Value: string(opt.Format), Want: "one of " + formats()}
		}
		return err
	})
	return query.TextAnswer{Text: text, Choices: choices, Diagnostics: run.Diagnostics}, err
}

// exported returns the memory model of what is written.
func exported(run *pipeline.Run, name query.Model) (promela.Model, error) {
	model, ok := promela.ParseModel(string(name))
	if !ok {
		return model, run.Refuse(verdict.Diagnostic{
			Code:    "FP0951",
			Message: "the memory model " + string(name) + " cannot be exported",
			Notes:   []string{"give --model sc or --model tso"},
		})
	}
	return model, nil
}

func inPromela(ctx context.Context, run *pipeline.Run, opt query.ExportOptions) (string, error) {
	model, err := exported(run, opt.Model)
	if err != nil {
		return "", err
	}
	flat, err := flatten(ctx, run, opt)
	if err != nil {
		return "", err
	}
	props, how := run.Props, promela.Options{Model: model, Buffer: opt.BufferBound()}
	if opt.Attack > 0 {
		inst, _, err := instrumented(ctx, run, flat, opt.Attack, instrument.Options{Export: true})
		if err != nil {
			return "", err
		}
		flat, props, how = inst.Program, inst.Props, promela.Options{Model: promela.SC, FaultsStop: true}
	}
	text, refusals := promela.Write(flat, props, how)
	refuse(run, refusals)
	return text, nil
}

// formats lists the formats for an error message.
func formats() string {
	var names []string
	for _, f := range query.ExportFormats() {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

// refuse reports what the other language cannot express.
func refuse(run *pipeline.Run, refusals []export.Refusal) {
	for _, r := range refusals {
		run.Refuse(verdict.Diagnostic{Code: "FP0950", Pos: pipeline.Position(r.Pos), Message: r.Reason})
	}
}

// flatten reads a program and brings it into the form that is exported, with its questions.
func flatten(ctx context.Context, run *pipeline.Run, opt query.ExportOptions) (*ir.Program, error) {
	if err := run.Read(ctx, pipeline.ReadOptions{Options: opt.Options}); err != nil {
		return nil, err
	}
	if opt.Deadlock {
		run.Props.Deadlock = true
	}
	run.Stage = "passes"
	flat, err := run.FlattenFixed(opt.Options)
	run.Stage = "export"
	return flat, err
}

// litmusTest writes a litmus test. A thread that goes round a loop while another one fails would have no final state, so
// loops beside assertions are unrolled.
func litmusTest(ctx context.Context, run *pipeline.Run, opt query.ExportOptions) (string, error) {
	flat, err := flatten(ctx, run, opt)
	if err != nil {
		return "", err
	}
	if flat.Main != ir.NoThread {
		run.Props.Deadlock = opt.Deadlock // C asks by default
	}
	props := run.Props
	if props.Checks {
		if flat, props, err = transform.Unroll(flat, props, opt.UnrollBound(), run.Stops(opt.Options)); err != nil {
			return "", err
		}
	}
	text, refusals := herd.Write(flat, props)
	refuse(run, refusals)
	return text, nil
}

// net writes the Petri net of a program: of its own questions for the model sc, else of robustness.
func net(ctx context.Context, run *pipeline.Run, opt query.ExportOptions) (string, error) {
	if _, err := exported(run, opt.Model); err != nil {
		return "", err
	}
	opt.Threads = 0
	if err := run.Read(ctx, pipeline.ReadOptions{Options: opt.Options}); err != nil {
		return "", err
	}
	flat, err := run.FlattenTemplates(opt.Options)
	if err != nil {
		return "", err
	}
	q := param.Robust
	if opt.Model == query.SC {
		q = param.Safety
	}
	net, bad, err := param.NetOf(ctx, &engine.Task{Program: flat, Props: run.Props, Model: memory.SC}, q, opt.Domain)
	if err != nil {
		return "", run.Refuse(run.Unsupported(err))
	}
	var b strings.Builder
	if err := param.WritePNML(&b, net, bad, run.Input.Name); err != nil {
		return "", err
	}
	return b.String(), nil
}

// inC writes the program in C.
func inC(ctx context.Context, run *pipeline.Run, opt query.ExportOptions) (string, error) {
	flat, err := flatten(ctx, run, opt)
	if err != nil {
		return "", err
	}
	text, refusals := c11.Write(flat, run.Props)
	refuse(run, refusals)
	return text, nil
}

// inSequentialC writes the sequential program that bounded model checking with rounds encodes. With opt.Choices, lines gets
// the choices that lead to a violation.
func inSequentialC(ctx context.Context, run *pipeline.Run, opt query.ExportOptions, lines *string) (string, error) {
	if opt.BMC.Width > 0 || opt.BMC.Encoding == query.EncodingOrder {
		return "", run.Refuse(verdict.Diagnostic{Code: "FP0950", Message: "a sequential program has rounds and whole numbers: it takes neither --width nor --encoding order"})
	}
	model, err := pipeline.ParseModel(opt.Model)
	if err != nil {
		return "", err
	}
	flat, err := flatten(ctx, run, opt)
	if err != nil {
		return "", err
	}
	run.Props.Deadlock = opt.Deadlock // C asks by default
	task := run.QuestionTask(flat, model, &pipeline.Asked{CheckOptions: query.CheckOptions{Options: opt.Options}})
	plan, err := bmc.NewPlan(ctx, task, opt.BMC)
	if err != nil {
		return "", run.Refuse(run.Unsupported(err))
	}
	text, sites, refusals := sequential.Write(Sequence(plan, opt.Model))
	refuse(run, refusals)
	if opt.Choices && len(refusals) == 0 {
		choices, _, err := plan.Choices()
		if err != nil {
			return "", run.Refuse(run.Unsupported(err))
		}
		*lines = ChoiceLines(sites, choices)
	}
	return text, nil
}

// ChoiceLines returns choices as a sequential program reads them: a line for each of its sites.
func ChoiceLines(sites []sequential.Site, choices map[bmc.Choice]int64) string {
	var out strings.Builder
	for i, s := range sites {
		if v, ok := choices[bmc.Choice{Thread: s.Thread, Loc: s.Loc, Edge: s.Edge, Wait: s.Wait, Kind: bmc.ChoiceKind(s.Kind)}]; ok {
			fmt.Fprintf(&out, "%d=%d\n", i, v)
		}
	}
	return out.String()
}

// Sequence returns the plan of rounds as the writer of sequential programs takes it.
func Sequence(plan *bmc.Plan, model query.Model) sequential.Sequence {
	in := sequential.Sequence{
		Program: plan.Program, Props: plan.Props, Model: string(model), Rounds: plan.Rounds, Times: plan.Clock, Kept: plan.Queue,
		Heap: plan.Heap, Unit: plan.Unit, Order: plan.Order, Stops: plan.Stops,
	}
	for _, c := range plan.Cells {
		in.Cells = append(in.Cells, sequential.Cell(c))
	}
	for _, b := range plan.Blocks {
		in.Blocks = append(in.Blocks, sequential.Block(b))
	}
	return in
}
