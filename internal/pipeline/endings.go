package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"fencepost/internal/engine"
	"fencepost/internal/memory"
	"fencepost/internal/replay"
	"fencepost/internal/shorten"
	"fencepost/verdict"
)

// maxEndings is how many final states get an execution.
const maxEndings = 1000

// pickEndings wants an execution for the first final states that are found. Workers call the function at the same
// time.
func pickEndings() func(final string) bool {
	var mu sync.Mutex
	picked := map[string]bool{}
	return func(final string) bool {
		mu.Lock()
		defer mu.Unlock()
		if !picked[final] && len(picked) < maxEndings {
			picked[final] = true
		}
		return picked[final]
	}
}

// takeEndings removes the executions to final states from an outcome and returns them in the order of the states,
// replayed under the model that was asked about.
func takeEndings(ctx context.Context, p *Program, a *Asking, task *engine.Task, out *engine.Outcome) ([]verdict.Ending, error) {
	var endings []verdict.Ending
	var rest []engine.Violation
	for i := range out.Violations {
		v := out.Violations[i]
		if v.Kind != engine.FinalReached {
			rest = append(rest, v)
			continue
		}
		w, err := Ending(ctx, p, a, task, &v)
		if err != nil {
			return nil, err
		}
		endings = append(endings, verdict.Ending{State: v.Final, Witness: w})
	}
	out.Violations = rest
	slices.SortFunc(endings, func(a, b verdict.Ending) int { return strings.Compare(a.State, b.State) })
	return endings, nil
}

// Ending makes an execution to a final state ready to be shown.
func Ending(ctx context.Context, p *Program, a *Asking, task *engine.Task, v *engine.Violation) (*verdict.Witness, error) {
	w := v.Witness
	if a.Model != memory.C11 { // a graph has no states to rearrange
		w = shorten.Witness(ctx, task, v)
	}
	if a.Under != a.Model {
		asking := *task
		asking.Model = a.Model
		var err error
		if w, err = shorten.FromSC(&asking, v); err != nil {
			return nil, fmt.Errorf("the witness of a final state under %s is none under %s: %w", a.Under, a.Model, err)
		}
	}
	m, err := replay.ParseModel(a.Model.String())
	if err != nil {
		return nil, err
	}
	if err := replay.Replay(task.Program, task.Props, m, w, replay.Expect{Target: replay.TargetState, Final: v.Final}); err != nil {
		return nil, fmt.Errorf("the witness of a final state does not replay: %w", err)
	}
	p.AddTexts(w)
	return w, nil
}
