package export

import (
	"context"
	"strings"

	"fencepost/internal/engine"
	"fencepost/internal/engine/param"
	"fencepost/internal/export"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/transform"
	"fencepost/verdict"
)

// Format is a language of another tool.
type Format string

// The formats.
const (
	Promela Format = "promela" // for SPIN
	PNML    Format = "pnml"    // the Petri net of engine param
)

// Options are the options of Run. Of the common options, Lang, Unroll, Threads, Buffer, Replicate and C
// count.
type Options struct {
	pipeline.Options
	Deadlock bool
	Format   Format
	Model    string // sc or tso
	// Attack is the number of an attack, from 1: instead of the program its instrumented program is
	// written, whose model is SC. 0: none.
	Attack int
	// Domain restricts the values of memory in a Petri net; nil: as found in the program.
	Domain *param.Domain
}

// Run writes the program and its questions in the language of another tool. What cannot be expressed
// there is a diagnostic with a position.
func Run(ctx context.Context, in pipeline.Input, opt Options) (text string, diags []verdict.Diagnostic, err error) {
	run := pipeline.Open(in)
	err = run.Do(ctx, func(ctx context.Context) (err error) {
		switch opt.Format {
		case Promela:
			text, err = promela(ctx, run, opt)
		case PNML:
			text, err = net(ctx, run, opt)
		default:
			err = &pipeline.OptionError{Option: "export format", Value: string(opt.Format), Want: "promela or pnml"}
		}
		return err
	})
	return text, run.Diagnostics, err
}

// exported returns the memory model of what is written.
func exported(run *pipeline.Run, name string) (export.Model, error) {
	model, ok := export.ParseModel(name)
	if !ok {
		return model, run.Refuse(verdict.Diagnostic{
			Code:    "FP0951",
			Message: "the memory model " + name + " cannot be exported",
			Notes:   []string{"give --model sc or --model tso"},
		})
	}
	return model, nil
}

func promela(ctx context.Context, run *pipeline.Run, opt Options) (string, error) {
	model, err := exported(run, opt.Model)
	if err != nil {
		return "", err
	}
	if err := run.Read(ctx, pipeline.ReadOptions{Options: opt.Options}); err != nil {
		return "", err
	}
	if opt.Deadlock {
		run.Props.Deadlock = true
	}
	run.Stage = "passes"
	flat, err := run.FlattenFixed(opt.Options)
	if err != nil {
		return "", err
	}
	run.Stage = "export"
	props, how := run.Props, export.Options{Model: model, Buffer: opt.BufferBound()}
	if opt.Attack > 0 {
		inst, _, err := instrumented(ctx, run, flat, opt.Attack, transform.InstrumentOptions{Export: true})
		if err != nil {
			return "", err
		}
		flat, props, how = inst.Program, inst.Props, export.Options{Model: export.SC, FaultsStop: true}
	}
	text, refusals := export.Promela(flat, props, how)
	for _, r := range refusals {
		run.Refuse(verdict.Diagnostic{Code: "FP0950", Pos: pipeline.Position(r.Pos), Message: r.Reason})
	}
	return text, nil
}

// net writes the Petri net of a program: of its own questions for the model sc, else of robustness.
func net(ctx context.Context, run *pipeline.Run, opt Options) (string, error) {
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
	if opt.Model == memory.SC.String() {
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
