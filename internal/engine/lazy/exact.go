package lazy

import (
	"fmt"
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/transform"
	"fencepost/verdict"
)

// Exact mode on programs with loops: unroll k times, decide, and if nothing is found but the bound
// was hit, continue with a larger k [BCDM15 Thm 4]. That ends for every program with a violation,
// and for programs whose loops are bounded under TSO; otherwise the time limit ends it.

func (r *refinement) exact() (*engine.Outcome, error) {
	p, props := r.task.Program, r.task.Props
	if !cyclic(p) {
		r.x = NewExtended(p, props)
		return r.rounds()
	}
	last := ""
	for k := 1; ; k *= 2 {
		if r.ctx.Err() != nil {
			return &engine.Outcome{Unknown: fmt.Sprintf("time limit reached or interrupted%s", last)}, nil
		}
		flat, asked, of, err := transform.UnrollOf(p, props, k)
		if err != nil {
			return &engine.Outcome{Unknown: fmt.Sprintf("%v%s", err, last)}, nil
		}
		r.x, r.copyOf, r.used, r.round, r.extended = NewExtended(flat, asked), of, map[string]bool{}, 0, false
		r.logf("loops run at most %d times", k)
		out, err := r.rounds()
		switch {
		case err != nil:
			return nil, err
		case len(out.Violations) > 0:
			return out, nil
		case out.Unknown != "":
			out.Unknown += last
			return out, nil
		case !slices.ContainsFunc(out.Coverage.Bounds, func(b verdict.Bound) bool { return b.Name != verdict.BoundUnsupported }):
			return out, nil // longer loops reach nothing else
		}
		last = fmt.Sprintf("; nothing found with loops run at most %d times", k)
	}
}

func cyclic(p *ir.Program) bool {
	facts := analysis.NewFacts(p, nil)
	for t := range p.Threads {
		if facts.Cyclic(p.Threads[t].Func) {
			return true
		}
	}
	return false
}
