package verdict

import (
	"fmt"
	"slices"
)

// Validation of stored results. A result may come from another version or another hand,
// so dangling indices must be found here, and not by a crash later.

// maxAccess is more than any access has bytes.
const maxAccess = 64

// Validate reports the first thing in a result that refers to nothing, with the
// path to it.
func (r *Result) Validate() error {
	if r.Verdict == Unset {
		return fmt.Errorf("verdict: missing")
	}
	if err := validCause("", r.Witness, r.Cause); err != nil {
		return err
	}
	if u := r.Coverage.Unsupported; u != nil {
		if err := validCause("coverage.unsupported.", u.Witness, nil); err != nil {
			return err
		}
	}
	for i := range r.Others {
		if err := validCause(fmt.Sprintf("others[%d].", i), r.Others[i].Witness, r.Others[i].Cause); err != nil {
			return err
		}
	}
	for i := range r.Attacks {
		if err := r.Attacks[i].validate(); err != nil {
			return fmt.Errorf("attacks[%d].%w", i, err)
		}
	}
	for i := range r.Triangles {
		if err := r.Triangles[i].validate(); err != nil {
			return fmt.Errorf("races[%d].%w", i, err)
		}
	}
	for i := range r.Fences {
		if err := r.Fences[i].Without.validate(fmt.Sprintf("fences[%d].without.", i)); err != nil {
			return err
		}
	}
	if r.Repair != nil {
		if err := r.Repair.Before.validate("repair.before."); err != nil {
			return err
		}
		if err := r.Repair.Hopeless.validate("repair.hopeless."); err != nil {
			return err
		}
		for i := range r.Repair.Needs {
			if err := r.Repair.Needs[i].Break.validate(fmt.Sprintf("repair.needs[%d].break.", i)); err != nil {
				return err
			}
		}
		for i := range r.Repair.Elsewhere {
			if err := r.Repair.Elsewhere[i].Without.validate(fmt.Sprintf("repair.elsewhere[%d].without.", i)); err != nil {
				return err
			}
		}
	}
	if r.Trace != nil && r.Trace.Witness != nil {
		if err := validOrder("trace.nodes", r.Trace.Witness, r.Trace.Nodes, r.Trace.Edges, r.Trace.Cycle); err != nil {
			return err
		}
	}
	for i := range r.Endings {
		if err := validCause(fmt.Sprintf("endings[%d].", i), r.Endings[i].Witness, nil); err != nil {
			return err
		}
	}
	if r.Litmus != nil {
		for i := range r.Litmus.Outcomes {
			if err := validCause(fmt.Sprintf("litmus.outcomes[%d].", i), r.Litmus.Outcomes[i].Witness, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// validCause checks a witness and what is said about it; neither need be there.
func validCause(path string, w *Witness, c *Cause) error {
	if w != nil {
		if err := w.Validate(); err != nil {
			return fmt.Errorf("%switness.%w", path, err)
		}
	}
	if c == nil {
		return nil
	}
	if w == nil {
		return fmt.Errorf("%scause: there is no witness it could be about", path)
	}
	if c.Kind == CauseDelay || c.Kind == CauseSwap {
		if !w.hasStep(c.First) || !w.hasStep(c.Second) {
			return fmt.Errorf("%scause: steps %d and %d, but the witness has %d", path, c.First, c.Second, len(w.Steps))
		}
	}
	return validOrder(path+"cause", w, c.Nodes, c.Edges, c.Cycle)
}

func (a *Attack) validate() error {
	if err := validDelay(a.Witness, a.StoreStep, a.LoadStep); err != nil {
		return err
	}
	return validOrder("nodes", a.Witness, a.Nodes, a.Edges, a.Cycle)
}

func (r *Triangle) validate() error { return validDelay(r.Witness, r.StoreStep, r.LoadStep) }

// validDelay checks the witness of a store that is delayed past a load.
func validDelay(w *Witness, store, load int) error {
	if w == nil {
		return fmt.Errorf("witness: missing")
	}
	if err := w.Validate(); err != nil {
		return fmt.Errorf("witness.%w", err)
	}
	if !w.hasStep(store) || !w.hasStep(load) {
		return fmt.Errorf("store_step: steps %d and %d, but the witness has %d", store, load, len(w.Steps))
	}
	return nil
}

// validate checks what is wrong without a fence, which need not be there.
func (b *Break) validate(path string) error {
	switch {
	case b == nil:
		return nil
	case b.Attack != nil:
		if err := b.Attack.validate(); err != nil {
			return fmt.Errorf("%sattack.%w", path, err)
		}
		return nil
	case b.Violation == nil || b.Violation.Witness == nil:
		return fmt.Errorf("%sviolation: missing", path)
	default:
		return validCause(path+"violation.", b.Violation.Witness, b.Violation.Cause)
	}
}

func validOrder(path string, w *Witness, nodes []TraceNode, edges, cycle []TraceEdge) error {
	for i, n := range nodes {
		if n.Thread < 0 || n.Thread >= len(w.Threads) {
			return fmt.Errorf("%s: node %d is of thread %d, but there are %d", path, i, n.Thread, len(w.Threads))
		}
		if !w.hasStep(n.Step) {
			return fmt.Errorf("%s: node %d is step %d, but there are %d", path, i, n.Step, len(w.Steps))
		}
	}
	for _, list := range [][]TraceEdge{edges, cycle} {
		for _, e := range list {
			if e.From < 0 || e.To < 0 || e.From >= len(nodes) || e.To >= len(nodes) {
				return fmt.Errorf("%s: an edge from %d to %d, but there are %d nodes", path, e.From, e.To, len(nodes))
			}
		}
	}
	return nil
}

func (w *Witness) hasStep(i int) bool { return i >= 0 && i < len(w.Steps) }

// Validate reports the first step that refers to a thread or step that is not
// there, or to one of the wrong kind.
func (w *Witness) Validate() error {
	flushed := map[int]bool{}
	for i := range w.Steps {
		if err := w.validStep(i); err != nil {
			return fmt.Errorf("steps[%d].%w", i, err)
		}
		if s := &w.Steps[i]; s.Kind == StepFlush {
			if flushed[s.Of] {
				return fmt.Errorf("steps[%d].of: the entry of step %d has reached memory before", i, s.Of)
			}
			flushed[s.Of] = true
		}
	}
	return nil
}

func (w *Witness) validStep(i int) error {
	s := &w.Steps[i]
	entry := func(k int) bool {
		return k >= 0 && k < i && w.Steps[k].Kind == StepStore && w.Steps[k].Buffered && w.Steps[k].Thread == s.Thread
	}
	switch {
	case s.Kind == StepUnset:
		return fmt.Errorf("kind: missing")
	case s.Thread < 0 || s.Thread >= len(w.Threads):
		return fmt.Errorf("thread: there is no thread %d", s.Thread)
	case s.Kind == StepFlush && !entry(s.Of):
		return fmt.Errorf("of: step %d is no earlier buffered store of the thread", s.Of)
	case s.Kind == StepLoad && s.From != 0 && !entry(s.From-1):
		return fmt.Errorf("from: step %d is no earlier buffered store of the thread", s.From-1)
	case len(s.FromBytes) > 0 && (s.Kind != StepLoad || len(s.FromBytes) != s.Size || s.From != 0):
		return fmt.Errorf("from_bytes: there must be one number for each byte of a load, and no from")
	case slices.ContainsFunc(s.FromBytes, func(f int) bool { return f != 0 && !entry(f-1) }):
		return fmt.Errorf("from_bytes: a byte comes from no earlier buffered store of the thread")
	case s.Other < 0 || s.Other > len(w.Threads):
		return fmt.Errorf("other: there is no thread %d", s.Other-1)
	case s.IsAccess() && (s.Size < 0 || s.Size > maxAccess), s.Kind == StepFlush && (s.Size < 0 || s.Size > maxAccess):
		return fmt.Errorf("size: %d bytes in one access", s.Size)
	}
	return nil
}

// Validate reports the first thing in traces that refers to nothing.
func (s *TraceSet) Validate() error {
	for i := range s.Traces {
		t := &s.Traces[i]
		if t.Witness == nil {
			return fmt.Errorf("traces[%d].witness: missing", i)
		}
		if err := t.Witness.Validate(); err != nil {
			return fmt.Errorf("traces[%d].witness.%w", i, err)
		}
		if err := validOrder(fmt.Sprintf("traces[%d].nodes", i), t.Witness, t.Nodes, t.Edges, t.Cycle); err != nil {
			return err
		}
	}
	return nil
}
