package rows

import (
	"fmt"

	"fencepost/verdict"
)

// The end of an execution that never ends: steps that repeat for ever. They are not folded, and the first
// and the last of them say so.

// splitRound splits rows where the steps begin that repeat for ever.
func splitRound(w *verdict.Witness, list []Row) (before, round []Row) {
	start := len(w.Steps) - w.Repeats
	for i := range list {
		if w.Repeats > 0 && list[i].Last >= start {
			return list[:i:i], list[i:]
		}
	}
	return list, nil
}

// markRound says in words which rows repeat.
func markRound(w *verdict.Witness, round []Row) []Row {
	for i := range round {
		round[i].Repeats = true
	}
	if n := len(round); n > 0 {
		round[0].Add(round[0].Last, "from here on for ever")
		round[n-1].Add(round[n-1].Last, fmt.Sprintf("again from step %d", len(w.Steps)-w.Repeats+1))
	}
	return round
}
