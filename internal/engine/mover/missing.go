package mover

import (
	"fencepost/internal/proof/encode"
	"fencepost/internal/solver/smt"
	"fencepost/verdict"
)

// What an open check lacks. The invariants allow a state in which it fails. Of the facts that were
// proposed for its location, and that hold in all states of small instances, the ones that this state
// violates may be what is missing: each was dropped because of a state and a step that lead to one
// where it is false, a counterexample to induction. A fact that would prove the check is shown with
// that state and step, so that the user can state it together with what excludes the state.

// Bounds: of the checks that are reported on, of the facts that are tried for one, and of the
// facts that are shown if none would prove the check.
const (
	maxReported = 8
	maxTried    = 24
	maxShown    = 2
)

// addMissing says what the open checks lack. Proposals that were not tried on states say nothing.
func (cr *checker) addMissing(list []verdict.ProofCheck) {
	if cr.pr.known.Reach == nil || cr.pr.Err != nil {
		return
	}
	n := 0
	for _, ck := range cr.open {
		if c := &list[ck.number]; !c.Proved && !c.Vague && n < maxReported {
			n++
			c.Missing = cr.missing(&ck.check)
		}
	}
}

// missing returns the proposal with which a check would be proved, or else proposals that a state in which it
// fails violates.
func (cr *checker) missing(ck *check) []verdict.ProofMissing {
	pr, k := cr.pr, cr.pr.known
	m, regs := pr.Memory("m"), pr.Registers(ck.c, "a")
	given := cr.given(ck)
	candidates := k.NotRefuted(k.DroppedAt(ck.c, ck.a.From()))
	numbers := k.Numbers(pr.Run(ck.a, "a", encode.Run{Regs: regs, Mem: m}))
	terms := make([]smt.Term, len(candidates))
	for i, f := range candidates {
		terms[i] = smt.And(f.Condition.Uses(regs, m, numbers)...)
	}
	status, values, err := pr.Asker.Check(given, []smt.Term{ck.goal}, terms)
	if err != nil {
		pr.Err = err
	}
	if status != smt.Sat {
		return nil
	}
	var violated []verdict.ProofMissing
	for i, f := range candidates {
		if values[i] != smt.False.String() || len(violated) >= maxTried {
			continue
		}
		pr.Obligations++
		if pr.Implied(append(given[:len(given):len(given)], terms[i]), ck.goal) {
			return []verdict.ProofMissing{f.Report(true)}
		}
		violated = append(violated, f.Report(false))
	}
	return violated[:min(maxShown, len(violated))]
}
