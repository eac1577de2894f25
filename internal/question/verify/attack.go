package verify

import (
	"fmt"
	"slices"

	"fencepost/internal/replay"
	"fencepost/verdict"
)

// attack compares the execution, the pair of accesses and the cycle with what is computed.
func (v *verifier) attack(a *verdict.Attack, model replay.Model) error {
	w := a.Witness
	if err := replay.Replay(v.now.flat, v.now.Props, model, w, replay.Expect{Target: replay.TargetExecution}); err != nil {
		return err
	}
	store, load := &w.Steps[a.StoreStep], &w.Steps[a.LoadStep]
	flush := slices.IndexFunc(w.Steps, func(s verdict.Step) bool { return s.Kind == verdict.StepFlush && s.Of == a.StoreStep })
	arrives := slices.IndexFunc(w.Steps, func(s verdict.Step) bool { return s.Kind == verdict.StepFlush && s.Of == a.LoadStep })
	if load.Kind == verdict.StepStore && load.Buffered && (arrives < 0 || flush >= 0 && flush < arrives) {
		return fmt.Errorf("step %d: this store does not reach memory after the one of step %d", a.StoreStep, a.LoadStep)
	}
	if store.Thread != load.Thread || load.Kind != verdict.StepLoad && a.Action == "" || a.StoreStep > a.LoadStep || flush < a.LoadStep {
		return fmt.Errorf("step %d: this store is not delayed past step %d", a.StoreStep, a.LoadStep)
	}
	if a.Thread != w.Threads[store.Thread] {
		return fmt.Errorf("step %d: the store is of thread %s, not %s", a.StoreStep, w.Threads[store.Thread], a.Thread)
	}
	return v.order(w, a.Nodes, a.Edges, a.Cycle)
}
