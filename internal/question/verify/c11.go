package verify

import (
	"fmt"
	"reflect"
	"strings"

	"fencepost/internal/engine"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/replay"
	"fencepost/query"
	"fencepost/verdict"
)

// Graphs: executions under C11's own model. The steps, the sources of reads and the modification orders are checked by the
// axioms, and so are the end, the reason and the cause.

// graph checks an execution under c11.
func (v *verifier) graph(e *verdict.Execution) (shows string, err error) {
	shows = "a graph"
	if err := v.threads(e.Witness); err != nil {
		return shows, err
	}
	if len(e.Witness.Steps) == 0 {
		return shows, fmt.Errorf("end: an execution without steps")
	}
	flat, err := pipeline.ForC11(v.now.Program, v.now.flat)
	if err != nil {
		return shows, err
	}
	if e.Question == verdict.Robustness && !strings.HasPrefix(e.Reason, "data race") {
		shows = "a graph that SC does not have"
		if err = replay.Replay(flat, v.now.Props, replay.C11, e.Witness, replay.Expect{Target: replay.TargetNotSC}); err == nil {
			if now := v.now.Describe(&engine.Violation{Kind: engine.NotSC, Witness: e.Witness}); now.Reason != e.Reason || !reflect.DeepEqual(now.Pos, e.Pos) {
				err = fmt.Errorf("the result gives the reason %q, computed %q", e.Reason, now.Reason)
			}
		}
	} else if e.Question == verdict.DataRaces || e.Question == verdict.Robustness {
		shows = "a graph with a data race"
		second := len(e.Witness.Steps) - 1
		for first := range second {
			want := replay.Expect{Target: replay.TargetDataRace, DataRace: [2]int{first, second}}
			if err = replay.Replay(flat, v.now.Props, replay.C11, e.Witness, want); err != nil {
				continue
			}
			pair := &engine.Violation{Kind: engine.DataRace, Witness: e.Witness, StoreStep: first, LoadStep: second}
			if now := v.now.Describe(pair); now.Reason != e.Reason || !reflect.DeepEqual(now.Pos, e.Pos) {
				err = fmt.Errorf("step %d: the result gives the reason %q, computed %q", second, e.Reason, now.Reason)
				continue
			}
			break
		}
		if second == 0 {
			err = fmt.Errorf("end: expected a data race, computed none")
		}
	} else {
		var expects []replay.Expect
		if shows, expects, err = v.expected(e); err != nil {
			return shows, err
		}
		for _, want := range expects {
			if err = replay.Replay(flat, v.now.Props, replay.C11, e.Witness, want); err == nil {
				break
			}
		}
	}
	if err == nil && e.Cause != nil {
		if now := v.now.Cause(flat, memory.C11, e.Witness); !reflect.DeepEqual(now, e.Cause) {
			err = fmt.Errorf("cause: the result gives another cause than the execution has")
		}
	}
	return shows, err
}

// isC11 reports whether a name is that of C11's own model.
func isC11(name string) bool {
	m, err := pipeline.ParseAnyModel(query.Model(name))
	return err == nil && m == memory.C11
}
