package pipeline

import (
	"context"
	"fmt"

	"fencepost/internal/export"
	"fencepost/internal/transform"
	"fencepost/verdict"
)

// ExportFormat is a language of another tool.
type ExportFormat uint8

// The formats. The zero value is unset.
const (
	_ ExportFormat = iota
	ExportPromela
	ExportPNML // the Petri net of engine param
)

// ExportOptions say what Export writes. Of Options, Lang, Unroll, Threads,
// Buffer and Deadlock count.
type ExportOptions struct {
	Options
	Format ExportFormat
	Model  string // sc or tso
	// Attack is the number of an attack, from 1: instead of the program its
	// instrumented program is written, whose model is SC. 0: none.
	Attack int
}

// Export writes the program and its questions in the language of another tool.
// What cannot be expressed there is a diagnostic with a position.
func Export(in Input, opt ExportOptions) (text string, diags []verdict.Diagnostic, err error) {
	stage := "front end"
	defer caught(&stage, in, &err)

	model, ok := export.ParseModel(opt.Model)
	if !ok {
		return "", []verdict.Diagnostic{{
			Severity: verdict.SeverityError, Code: "FP0951", Pos: verdict.Pos{File: in.Name},
			Message: fmt.Sprintf("the memory model %s cannot be exported", opt.Model),
			Notes:   []string{"sc and tso can"},
		}}, nil
	}
	if opt.Format == ExportPNML {
		return exportNet(in, opt)
	}
	if opt.Format != ExportPromela {
		return "", nil, fmt.Errorf("unknown export format %d", opt.Format)
	}
	p := load(context.Background(), in, opt.Options)
	if !p.ok() {
		return "", p.diags, nil
	}
	if opt.Deadlock {
		p.props.Deadlock = true
	}
	stage = "passes"
	flat := p.flat(opt.Options)
	if flat == nil {
		return "", p.diags, nil
	}
	if d, refused := p.unboundedThreads(flat); refused {
		return "", append(p.diags, d), nil
	}
	stage = "export"
	props, how := p.props, export.Options{Model: model, Buffer: opt.buffer()}
	if opt.Attack > 0 {
		inst, _, d := p.instrumentAttack(flat, opt.Attack, transform.InstrumentOptions{Export: true})
		if d != nil {
			return "", append(p.diags, *d), nil
		}
		flat, props, how = inst.Program, inst.Props, export.Options{Model: export.SC, FaultsStop: true}
	}
	text, refusals := export.Promela(flat, props, how)
	for _, r := range refusals {
		d := verdict.Diagnostic{Severity: verdict.SeverityError, Code: "FP0950", Pos: position(r.Pos), Message: r.Reason}
		if d.Pos.File == "" {
			d.Pos.File = in.Name
		}
		p.diags = append(p.diags, d)
	}
	return text, p.diags, nil
}
