package invariant

import (
	"slices"
	"strings"

	"fencepost/internal/ir"
	"fencepost/internal/proof/program"
	"fencepost/verdict"
)

// dropped is a proposal that is not inductive.
type dropped struct {
	site
	Condition *Condition
	state     []verdict.ProofValue // before the step
}

// Report returns a proposal that was dropped as plain data.
func (f dropped) Report(proves bool) verdict.ProofMissing {
	out := verdict.ProofMissing{Cond: f.Condition.text, Proves: proves, Fails: f.why, State: f.state}
	if f.at.c != nil {
		out.Thread = f.at.c.Name
		if pos := f.at.c.Code.Locs[f.at.l].Pos; pos.IsValid() {
			out.Pos = program.SpanPos(pos)
		}
	}
	if f.step != nil {
		step := program.DescribeAction(f.by, f.step)
		out.Step = &step
	}
	return out
}

// strength orders proposals.
func strength(p *Condition) int {
	if strings.Contains(p.text, "==") {
		return 0
	}
	return 1
}

// DroppedAt returns the proposals about a location, and about all, that were dropped and have not been proved
// since. The latest reason counts. Equalities come first, since they say most.
func (k *Knowledge) DroppedAt(c *program.Class, l ir.Loc) []dropped {
	seen := map[string]bool{}
	for _, p := range append(slices.Clone(k.global), k.Local[c][l]...) {
		seen[p.text] = true
	}
	var out []dropped
	for _, f := range slices.Backward(k.dropped) {
		if f.at != (standing{c, l}) && f.at.c != nil || seen[f.Condition.text] {
			continue
		}
		seen[f.Condition.text] = true
		out = append(out, f)
	}
	slices.SortStableFunc(out, func(f, g dropped) int { return strength(f.Condition) - strength(g.Condition) })
	return out
}

// NotRefuted returns the proposals that hold in all states of small instances, of which some were seen. Beside the
// instances on which proposals are tried there is one with a single thread per template, whose states are often few
// enough to see all of them.
func (k *Knowledge) NotRefuted(all []dropped) []dropped {
	seen, refuted := make([]bool, len(all)), make([]bool, len(all))
	for _, in := range append([]*instance{k.instance(1)}, k.instances()...) {
		in.each(k.pr.Ctx, k.Reach, func(s program.State, threads []ir.ThreadID) {
			for _, t := range threads {
				l, _ := s.At(t)
				st := &concrete{State: s}
				st.thread = t
				for i, f := range all {
					if f.Condition.holds != nil && !refuted[i] && (f.at.c == nil || f.at == (standing{in.of[t], l})) {
						seen[i], refuted[i] = true, !f.Condition.holds(st)
					}
				}
			}
		})
		k.pr.Poll()
	}
	var out []dropped
	for i, f := range all {
		if seen[i] && !refuted[i] {
			out = append(out, f)
		}
	}
	return out
}
