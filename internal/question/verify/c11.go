package verify

import (
	"fmt"
	"reflect"

	"fencepost/internal/engine"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/replay"
	"fencepost/query"
	"fencepost/verdict"
)

// Graphs: executions under C11's own model. The steps, the sources of reads and the modification orders are checked by the
// axioms, and so are the end, the reason and the cause.

// notSC checks that SC does not have a graph.
func (v *verifier) notSC(e *verdict.Execution) error {
	if err := replay.Replay(v.now.flat, v.now.Props, replay.C11, e.Witness, replay.Expect{Target: replay.TargetNotSC}); err != nil {
		return err
	}
	return v.describes(&engine.Violation{Kind: engine.NotSC, Witness: e.Witness}, e)
}

// unorderedAccesses checks that the last step of a graph races with one before it, and that the result names both.
func (v *verifier) unorderedAccesses(e *verdict.Execution) error {
	err := fmt.Errorf("end: expected a data race, computed none")
	second := len(e.Witness.Steps) - 1
	for first := range second {
		want := replay.Expect{Target: replay.TargetDataRace, DataRace: [2]int{first, second}}
		if err = replay.Replay(v.now.flat, v.now.Props, replay.C11, e.Witness, want); err != nil {
			continue
		}
		if err = v.describes(&engine.Violation{Kind: engine.DataRace, Witness: e.Witness, StoreStep: first, LoadStep: second}, e); err == nil {
			return nil
		}
	}
	return err
}

// describes compares the reason and the position that a result gives with those of a violation.
func (v *verifier) describes(found *engine.Violation, e *verdict.Execution) error {
	if now := v.now.Describe(found); now.Reason != e.Reason || !reflect.DeepEqual(now.Pos, e.Pos) {
		return fmt.Errorf("step %d: the result gives the reason %q, computed %q", len(e.Witness.Steps)-1, e.Reason, now.Reason)
	}
	return nil
}

// isC11 reports whether a name is that of C11's own model.
func isC11(name string) bool {
	m, err := pipeline.ParseAnyModel(query.Model(name))
	return err == nil && m == memory.C11
}
