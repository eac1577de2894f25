package export

import (
	"context"
	"fmt"
	"strings"

	"fencepost/internal/engine"
	"fencepost/internal/engine/instrument"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/pipeline"
	"fencepost/query"
	"fencepost/verdict"
)

// Show prints a program's representation, or the instrumented program of an attack.
func Show(ctx context.Context, in query.Input, opt query.ShowOptions) (query.TextAnswer, error) {
	run := pipeline.Open(in)
	text := ""
	err := run.Do(ctx, func(ctx context.Context) (err error) {
		if opt.Attack > 0 {
			text, err = showInstrumented(ctx, run, &opt)
			return err
		}
		if err := opt.Validate(); err != nil {
			return err
		}
		if err := run.Read(ctx, pipeline.ReadOptions{Options: opt.Options}); err != nil {
			return err
		}
		prog := run.IR
		if opt.Form == query.FormFlat {
			run.Stage = "passes"
			if prog, err = run.Flatten(opt.Options); err != nil {
				return err
			}
			if opt.Model == query.C11 {
				if prog, err = pipeline.ForC11(run.Program, prog); err != nil {
					return err
				}
			}
		}
		if opt.Form == query.FormDot {
			text = irtext.Dot(prog)
		} else {
			text = irtext.Print(prog)
		}
		return nil
	})
	return query.TextAnswer{Text: text, Diagnostics: run.Diagnostics}, err
}

// showInstrumented returns the instrumented program of an attack, numbered from 1, after a list of all
// attacks.
func showInstrumented(ctx context.Context, run *pipeline.Run, opt *query.ShowOptions) (string, error) {
	if err := run.Read(ctx, pipeline.ReadOptions{Options: opt.Options}); err != nil {
		return "", err
	}
	run.Stage = "passes"
	flat, err := run.FlattenFixed(opt.Options)
	if err != nil {
		return "", err
	}
	inst, attacks, err := instrumented(ctx, run, flat, opt.Attack, instrument.Options{})
	if err != nil {
		return "", err
	}
	return listing(flat, inst, attacks, opt.Attack), nil
}

func listing(flat *ir.Program, inst *instrument.Instrumented, attacks []instrument.Attack, attack int) string {
	var b strings.Builder
	for i, a := range attacks {
		this := ""
		if i+1 == attack {
			this = " (this one)"
		}
		fmt.Fprintf(&b, "# attack %d%s: %s\n", i+1, this, describe(flat, a))
	}
	for _, g := range inst.Props.Goals {
		at := g.At[0]
		name := inst.Program.ThreadFunc(at.Thread).Locs[at.Locs[0]].Name
		fmt.Fprintf(&b, "# feasible if thread %s reaches %s under SC\n", inst.Program.Threads[at.Thread].Name, name)
	}
	b.WriteString(irtext.Print(inst.Program))
	return b.String()
}

// instrumented makes the instrumented program of the attack with a number.
func instrumented(ctx context.Context, run *pipeline.Run, flat *ir.Program, number int, opt instrument.Options) (*instrument.Instrumented, []instrument.Attack, error) {
	in, err := instrument.NewInstrumenter(flat, opt)
	if err != nil {
		return nil, nil, run.Refuse(run.Unsupported(err))
	}
	list, err := instrument.Attacks(ctx, flat)
	if err != nil {
		return nil, nil, err
	}
	attacks := list.Attacks
	if number < 1 || number > len(attacks) {
		return nil, nil, run.Refuse(verdict.Diagnostic{
			Code:    "FP0931",
			Message: fmt.Sprintf("there is no attack %d", number),
			Notes:   []string{fmt.Sprintf("the program has %d attack(s) that fences and addresses do not rule out", len(attacks))},
		})
	}
	inst, err := in.Attack(attacks[number-1])
	if err != nil {
		return nil, nil, run.Refuse(run.Unsupported(err))
	}
	return inst, attacks, nil
}

// describe names an attack for users.
func describe(flat *ir.Program, a instrument.Attack) string {
	name := func(id ir.EdgeID) string { return engine.EdgeText(flat, id) }
	return fmt.Sprintf("%s delays %s past %s", flat.Threads[a.Thread].Name, name(a.Store), name(a.Load))
}
