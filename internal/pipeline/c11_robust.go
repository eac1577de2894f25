package pipeline

import (
	"context"
	"fmt"
	"strings"

	"fencepost/internal/engine"
	"fencepost/internal/engine/rf"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/supervise"
	"fencepost/verdict"
)

// RobustC11 answers whether SC allows every execution that C11's own model allows: the reads, and the last writes of
// locations on which the program's own questions depend. A data race, which is undefined behaviour, is an execution that
// SC does not have.
func RobustC11(ctx context.Context, p *Program, flat *ir.Program, how *Asked) (*verdict.Result, error) {
	task := p.QuestionTask(flat, memory.C11, how)
	task.KeepGoing, task.WitnessFinal = false, nil
	by := rf.New(rf.Options{Robust: true})
	if err := p.Supports(&by, task); err != nil {
		return nil, err
	}
	out, err := RunEngine(ctx, &by, task)
	if err != nil {
		return nil, err
	}
	supervise.Answered(ctx) // what is left is replay
	c := &Conclusion{Question: verdict.Robustness, Model: memory.C11, Engine: by.Name, Outcome: out, Given: how.Given}
	if len(out.Violations) > 0 {
		v := &out.Violations[0]
		if err := p.Replay(flat, memory.C11, v); err != nil {
			return nil, fmt.Errorf("the witness of an execution that SC does not have does not hold: %w", err)
		}
		p.AddTexts(v.Witness)
		one := p.Describe(v)
		c.Violation = &verdict.Violation{Reason: one.Reason, Pos: one.Pos, Witness: v.Witness, Cause: p.Cause(flat, memory.C11, v.Witness)}
	}
	return p.Conclude(c), nil
}

// ShowsDataRace reports whether a program is not robust because of a data race.
func ShowsDataRace(r *verdict.Result) bool { return DataRaceReason(r.Reason) }

// DataRaceReason reports whether a reason is that of a data race.
func DataRaceReason(reason string) bool { return strings.HasPrefix(reason, dataRaceOn) }

// notSCWords says what an execution shows that SC does not have, with the position of its last access.
func notSCWords(v *engine.Violation) (string, *verdict.Pos) {
	words := "no SC execution has these reads"
	if len(v.Witness.Graph.Last) > 0 {
		words = "no SC execution has these reads and these last stores"
	}
	for i := len(v.Witness.Steps) - 1; i >= 0; i-- {
		if st := &v.Witness.Steps[i]; st.IsAccess() {
			return words, st.Pos
		}
	}
	return words, nil
}
