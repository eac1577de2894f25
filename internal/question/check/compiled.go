package check

import (
	"context"
	"strings"

	"fencepost/query"
	"fencepost/verdict"
)

// RunCompiled answers the questions of a program about its source and about opt.Binary, the machine code that was made of it: two
// results for each model, of which the second compares the two. A violation that only the machine code has is the
// compiler's doing, unless the source has a data race: then C promises nothing, and the compiler has used that.
// Accesses to volatile variables count as races here, as they do in C.
func RunCompiled(ctx context.Context, source query.Input, opt query.CheckOptions) (query.Answer, error) {
	binary := *opt.Binary
	opt.Binary = nil
	before, err := Run(ctx, source, opt)
	if err != nil || before.HasErrors() {
		return before, err
	}
	machine := opt
	machine.Lang, machine.C.Uninitialised = "x86", ""
	after, err := Run(ctx, binary, machine)
	out := query.Answer{Diagnostics: append(before.Diagnostics, after.Diagnostics...)}
	if err != nil || after.HasErrors() {
		return out, err
	}
	var races []verdict.Result
	for i := range after.Results {
		s, b := &before.Results[i], &after.Results[i]
		if s.Verdict == verdict.Safe && b.Verdict == verdict.Safe && opt.Endless.Liveness != query.LivenessOff {
			if b, err = endsToo(ctx, source, binary, b, opt); err != nil {
				return out, err
			}
		}
		b.Compiled = &verdict.Compiled{Source: s.Program, Verdict: s.Verdict}
		if b.Verdict == verdict.Unsafe {
			b.Compiled.Instruction = instructionOf(b)
		}
		if b.Verdict == verdict.Unsafe && s.Verdict == verdict.Safe {
			if races == nil {
				if races, err = racesOf(ctx, source, opt); err != nil {
					return out, err
				}
			}
			blame(b.Compiled, races)
		}
		out.Results = append(out.Results, *s, *b)
	}
	return out, nil
}

// endsToo asks about the machine code of a safe program whether loops end that end in the source. A compiler may take a
// read out of a loop: what is left has no way out, and alone it would count as meant to go on for ever. It returns the
// result of the machine code so far, or the violation that was found.
func endsToo(ctx context.Context, source, binary query.Input, so *verdict.Result, opt query.CheckOptions) (*verdict.Result, error) {
	opt.Engines, opt.CrossCheck, opt.KeepGoing, opt.Finals, opt.Endings = query.Engines{"explicit"}, false, false, false, false
	opt.Endless.Liveness = query.LivenessFair
	for _, in := range []query.Input{source, binary} {
		if in.Name == binary.Name {
			opt.Lang, opt.C.Uninitialised = "x86", ""
		}
		answer, err := Run(ctx, in, opt.Under(query.Model(so.Model)))
		if err != nil || len(answer.Results) != 1 {
			return so, err
		}
		if r := &answer.Results[0]; r.Verdict != verdict.Safe {
			if in.Name == binary.Name && r.Verdict == verdict.Unsafe {
				return r, nil
			}
			return so, nil
		}
	}
	return so, nil
}

// racesOf answers whether the source has a data race under SC, as C defines one: one result, or none if the question
// was refused.
func racesOf(ctx context.Context, source query.Input, opt query.CheckOptions) ([]verdict.Result, error) {
	opt.Models, opt.Races, opt.Engines, opt.CrossCheck, opt.KeepGoing, opt.Finals, opt.Endings = query.Models{query.SC}, true, nil, false, false, false, false
	answer, err := Run(ctx, source, opt)
	return append([]verdict.Result{}, answer.Results...), err
}

// blame sets who caused a violation that only the machine code has: the compiler or the program.
func blame(c *verdict.Compiled, races []verdict.Result) {
	c.Blame, c.Race = verdict.BlameUndecided, "the question about data races was refused"
	for i := range races {
		switch r := &races[i]; {
		case r.Verdict == verdict.Unsafe && r.Question == verdict.DataRaces:
			c.Blame, c.Race, c.RacePos = verdict.BlameRace, r.Reason, r.Pos
		case r.Verdict == verdict.Safe:
			c.Blame, c.Race = verdict.BlameCompiler, ""
		default:
			c.Race = r.Reason
		}
	}
}

// instructionOf returns the text of the instruction at which a violation is seen: what the listing has at its position,
// or at the last step of the execution.
func instructionOf(r *verdict.Result) string {
	pos := r.Pos
	if pos == nil && r.Witness != nil {
		for i := range r.Witness.Steps {
			if p := r.Witness.Steps[i].Pos; p != nil {
				pos = p
			}
		}
	}
	if pos == nil || pos.Line < 1 {
		return ""
	}
	lines := strings.Split(r.Sources[pos.File], "\n")
	if pos.Line > len(lines) || pos.Col < 1 || pos.Col > len(lines[pos.Line-1]) {
		return ""
	}
	return lines[pos.Line-1][pos.Col-1:]
}
