package rows

import (
	"fmt"
	"slices"
)

// A loop makes the same rows again and again. Of four or more equal rounds in a row the
// first and the last are shown, with a fold for the others between them. Rounds are equal if
// they have the same statements, whatever the values. Rounds with a key row stay.

const (
	minRounds = 4
	maxPeriod = 40 // rows of a round
	passes    = 3  // loops in loops
)

func foldRounds(list []Row) []Row {
	for range passes {
		folded := foldRoundsOnce(list)
		if len(folded) == len(list) {
			return list
		}
		list = folded
	}
	return list
}

func foldRoundsOnce(list []Row) []Row {
	marks := make([]string, len(list))
	for i := range list {
		marks[i] = list[i].mark()
	}
	var out []Row
	for i := 0; i < len(list); {
		period, rounds := roundsAt(marks, i)
		if rounds < minRounds {
			out = append(out, list[i])
			i++
			continue
		}
		end := i + period*rounds
		middle := list[i+period : end-period]
		text := fmt.Sprintf("%s more rounds of the loop", grouped(rounds-2))
		out = append(append(append(out, list[i:i+period]...), foldOf(Rounds, slices.Clone(middle), text)), list[end-period:end]...)
		i = end
	}
	return out
}

// mark identifies what a row does, apart from values. Key rows are like no other row.
func (r *Row) mark() string {
	if r.Key || r.Fails {
		return fmt.Sprint("key ", r.First)
	}
	if r.Fold != Statement {
		return fmt.Sprint(r.Fold, r.Thread, " ", len(r.Rows) > 0 && r.Fold == Rounds, r.Rows[0].mark())
	}
	if r.Pos == nil {
		return fmt.Sprint(r.Thread, r.Text, r.cell)
	}
	return fmt.Sprint(r.Thread, r.Text, *r.Pos, len(r.Effects))
}

// roundsAt returns the length of the shortest round that begins at row i and is repeated
// often enough, and how often it occurs.
func roundsAt(marks []string, i int) (period, rounds int) {
	for period = 1; period <= maxPeriod && i+minRounds*period <= len(marks); period++ {
		for rounds = 1; i+(rounds+1)*period <= len(marks) && slices.Equal(marks[i:i+period], marks[i+rounds*period:i+(rounds+1)*period]); {
			rounds++
		}
		if rounds >= minRounds {
			return period, rounds
		}
	}
	return 0, 0
}
