package rows

import (
	"fencepost/internal/render/relation"
	"fencepost/verdict"
)

// nameAccessors gives the rows of calls in which one thing happens the text and the position
// of the call.
func nameAccessors(w *verdict.Witness, list []Row) {
	callers := relation.Callers(w)
	for i := range list {
		r := &list[i]
		if r.quiet || r.Fails && !relation.InHeader(r.Pos) {
			continue
		}
		for k := r.First; k <= r.Last; k++ {
			if c := callers[k]; c >= 0 {
				r.Text, r.Pos, r.depth = StepText(&w.Steps[c]), w.Steps[c].Pos, len(w.Steps[c].Stack)
				r.accessor = true
				break
			}
		}
	}
}

// joinAgain joins the row of an accessor with the rest of the statement that calls it, such as
// the store in x = get(&y).
func joinAgain(list []Row) []Row {
	var out []Row
	for i := range list {
		if n := len(out); n > 0 && out[n-1].accessor && !list[i].accessor && samePos(out[n-1].Pos, list[i].Pos) && out[n-1].join(&list[i]) {
			continue
		}
		out = append(out, list[i])
	}
	return out
}

func samePos(a, b *verdict.Pos) bool { return a != nil && b != nil && *a == *b }
