package mover

import (
	"slices"
	"strings"

	"fencepost/internal/ir"
	"fencepost/internal/solver/smt"
	"fencepost/verdict"
)

// What an open check lacks. The invariants allow a state in which it fails. Of the facts that were
// proposed for its location, and that hold in all states of small instances, the ones that this state
// violates may be what is missing: each was dropped because of a state and a step that lead to one
// where it is false, a counterexample to induction. A fact that would prove the check is shown with
// that state and step, so that the user can state it together with what excludes the state.

// fallen is a proposal that is not inductive.
type fallen struct {
	site
	p     *pred
	state []verdict.ProofValue // before the step
}

// Bounds: of the checks that are reported on, of the facts that are tried for one, and of the
// facts that are shown if none would prove the check.
const (
	maxReported = 8
	maxTried    = 24
	maxShown    = 2
)

// addMissing says what the open checks lack. Proposals that were not tried on states say nothing.
func (cr *checker) addMissing(list []verdict.ProofCheck) {
	if cr.pr.known.reach == nil || cr.pr.err != nil {
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
	m, regs := pr.memory("m"), pr.registers(ck.c, "a")
	given := cr.given(ck)
	candidates := notRefuted(k, k.fallenAt(ck.c, ck.a.from()))
	numbers := k.numbers(pr.run(ck.a, "a", run{regs: regs, mem: m}))
	terms := make([]string, len(candidates))
	for i, f := range candidates {
		terms[i] = and(f.p.uses(regs, m, numbers))
	}
	status, values, err := pr.asker.check(given, []string{ck.goal}, terms)
	if err != nil {
		pr.err = err
	}
	if status != smt.Sat {
		return nil
	}
	var violated []verdict.ProofMissing
	for i, f := range candidates {
		if values[i] != "false" || len(violated) >= maxTried {
			continue
		}
		pr.obligations++
		if pr.implied(append(given[:len(given):len(given)], terms[i]), ck.goal) {
			return []verdict.ProofMissing{f.report(true)}
		}
		violated = append(violated, f.report(false))
	}
	return violated[:min(maxShown, len(violated))]
}

// fallenAt returns the proposals about a location, and about all, that were dropped and have not been proved
// since. The latest reason counts. Equalities come first, since they say most.
func (k *knowledge) fallenAt(c *class, l ir.Loc) []fallen {
	seen := map[string]bool{}
	for _, p := range append(slices.Clone(k.global), k.local[c][l]...) {
		seen[p.text] = true
	}
	var out []fallen
	for _, f := range slices.Backward(k.dropped) {
		if f.at != (standing{c, l}) && f.at.c != nil || seen[f.p.text] {
			continue
		}
		seen[f.p.text] = true
		out = append(out, f)
	}
	slices.SortStableFunc(out, func(f, g fallen) int { return strength(f.p) - strength(g.p) })
	return out
}

// notRefuted returns the proposals that hold in all states of small instances, of which some were seen. Beside the
// instances on which proposals are tried there is one with a single thread per template, whose states are often few
// enough to see all of them.
func notRefuted(k *knowledge, all []fallen) []fallen {
	seen, refuted := make([]bool, len(all)), make([]bool, len(all))
	for _, in := range append([]*instance{k.instance(1)}, k.instances()...) {
		in.each(k.pr.ctx, k.reach, func(s State, threads []ir.ThreadID) {
			for _, t := range threads {
				l, _ := s.At(t)
				st := &concrete{State: s}
				st.thread = t
				for i, f := range all {
					if f.p.holds != nil && !refuted[i] && (f.at.c == nil || f.at == (standing{in.of[t], l})) {
						seen[i], refuted[i] = true, !f.p.holds(st)
					}
				}
			}
		})
		k.pr.poll()
	}
	var out []fallen
	for i, f := range all {
		if seen[i] && !refuted[i] {
			out = append(out, f)
		}
	}
	return out
}

// strength orders proposals.
func strength(p *pred) int {
	if strings.Contains(p.text, "==") {
		return 0
	}
	return 1
}

// report returns a proposal that was dropped as plain data.
func (f fallen) report(proves bool) verdict.ProofMissing {
	out := verdict.ProofMissing{Cond: f.p.text, Proves: proves, Fails: f.why, State: f.state}
	if f.at.c != nil {
		out.Thread = f.at.c.name
		if pos := f.at.c.f.Locs[f.at.l].Pos; pos.IsValid() {
			out.Pos = spanPos(pos)
		}
	}
	if f.step != nil {
		step := placed(f.by, f.step)
		out.Step = &step
	}
	return out
}
