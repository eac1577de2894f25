package text

import (
	"fmt"
	"slices"
	"strings"

	"fencepost/verdict"
)

// AccessRow is an access with its type of mover, and why.
type AccessRow struct {
	At    verdict.ProofInstruction
	Mover string
	Why   string
	Open  bool
}

// AccessRows returns the table of accesses of a proof: stores, and then the loads that may overtake one that is not
// a left mover.
func AccessRows(proof *verdict.Proof) []AccessRow {
	stores := proof.Stores
	var out []AccessRow
	for i := range stores {
		out = append(out, storeRow(&stores[i]))
	}
	seen := map[string]bool{}
	for i := range stores {
		for j := range stores[i].Loads {
			if stores[i].By == verdict.ByLeft {
				continue
			}
			l := &stores[i].Loads[j]
			key := fmt.Sprintf("%s %s %s", l.Thread, where(l.ProofInstruction), l.Text)
			if l.Pos != nil {
				key += fmt.Sprint(*l.Pos)
			}
			if !seen[key] {
				seen[key] = true
				out = append(out, loadRow(l, abstracted(proof, l.ProofInstruction)))
			}
		}
	}
	return out
}

func storeRow(s *verdict.ProofStore) AccessRow {
	row := AccessRow{At: s.ProofInstruction, Mover: "not shown", Why: "not shown to be atomic", Open: true}
	switch s.By {
	case verdict.ByFlow:
		row = AccessRow{At: s.ProofInstruction, Mover: "not needed", Why: "atomic: no load can overtake it"}
	case verdict.ByRight:
		var loads []string
		for _, l := range s.Loads {
			if name := lineName(l.ProofInstruction); !slices.Contains(loads, name) {
				loads = append(loads, name)
			}
		}
		row = AccessRow{At: s.ProofInstruction, Mover: "not needed", Why: "atomic: only right movers can overtake it: " + strings.Join(loads, ", ")}
	case verdict.ByLeft:
		row = AccessRow{At: s.ProofInstruction, Mover: "left", Why: "atomic: " + crosses(s.Crosses, "accesses what it writes")}
	}
	if len(s.Overtakers) > 0 {
		names := make([]string, len(s.Overtakers))
		for i, at := range s.Overtakers {
			names[i] = lineName(at)
		}
		row.Why, row.Open = row.Why+"; a younger store can overtake it: "+strings.Join(names, ", "), true
	}
	return row
}

// abstracted returns the condition that a load was abstracted to, or "".
func abstracted(proof *verdict.Proof, at verdict.ProofInstruction) string {
	for _, a := range proof.Abstractions {
		if a.Cond != "" && !a.Fails && a.Thread == at.Thread && a.Pos != nil && at.Pos != nil && *a.Pos == *at.Pos {
			return oneLine(a.Cond)
		}
	}
	return ""
}

func loadRow(l *verdict.ProofLoad, cond string) AccessRow {
	if len(l.Blocks) > 0 {
		return AccessRow{At: l.ProofInstruction, Mover: "not right", Why: "a step of another thread changes what it reads", Open: true}
	}
	if cond != "" {
		return AccessRow{At: l.ProofInstruction, Mover: "right", Why: "abstracted to " + cond}
	}
	return AccessRow{At: l.ProofInstruction, Mover: "right", Why: crosses(l.Crosses, "writes what it reads")}
}

// maxCrossed bounds the instructions that a row names.
const maxCrossed = 3

// crosses says why an access moves across what others do.
func crosses(list []verdict.ProofInstruction, what string) string {
	if len(list) == 0 {
		return "no other thread " + what
	}
	var names []string
	for _, at := range list {
		if name := lineName(at); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	more := ""
	if n := len(names) - maxCrossed; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
		names = names[:maxCrossed]
	}
	return "the invariants make it commute with " + strings.Join(names, ", ") + more
}

// lineName is where an instruction is, without the name of the file if there is one.
func lineName(at verdict.ProofInstruction) string {
	if at.Pos == nil || at.Pos.Line == 0 {
		return instruction(at)
	}
	return fmt.Sprintf("line %d", at.Pos.Line)
}
