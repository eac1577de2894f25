package verify

import (
	"fmt"
	"slices"

	"fencepost/internal/pipeline"
	"fencepost/internal/replay"
	"fencepost/verdict"
)

// attack compares the execution, the pair of accesses and the cycle with what is computed.
func (v *verifier) attack(a *verdict.Attack, model replay.Model) error {
	w := a.Witness
	if err := pipeline.ReplayTrace(v.now.flat, model, w); err != nil {
		return err
	}
	store, load := &w.Steps[a.StoreStep], &w.Steps[a.LoadStep]
	flush, arrives := flushOf(w, a.StoreStep), flushOf(w, a.LoadStep)
	if load.Kind == verdict.StepStore && load.Buffered && (arrives < 0 || flush >= 0 && flush < arrives) {
		return fmt.Errorf("step %d: this store does not reach memory after the one of step %d", a.StoreStep, a.LoadStep)
	}
	if store.Thread != load.Thread || load.Kind != verdict.StepLoad && a.Action == "" || a.StoreStep > a.LoadStep || !store.Buffered || flush >= 0 && flush < a.LoadStep {
		return fmt.Errorf("step %d: this store is not delayed past step %d", a.StoreStep, a.LoadStep)
	}
	if a.Thread != w.Threads[store.Thread] {
		return fmt.Errorf("step %d: the store is of thread %s, not %s", a.StoreStep, w.Threads[store.Thread], a.Thread)
	}
	return v.order(w, a.Nodes, a.Edges, a.Cycle)
}

// flushOf returns the step in which the store of a step reaches memory, or -1.
func flushOf(w *verdict.Witness, store int) int {
	return slices.IndexFunc(w.Steps, func(s verdict.Step) bool { return s.Kind == verdict.StepFlush && s.Of == store })
}
