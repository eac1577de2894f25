package certificate

import (
	"errors"
	"fmt"
)

// Proofs that clauses have no model, in the manner of LRAT: each clause comes with the numbers of clauses that show it. If all
// its literals are false, each of these has one literal left, which is then true, and the last one has none: so the
// clause follows.

// deriver has clauses, and derives further ones.
type deriver struct {
	clauses [][]int32 // that with number n is the n-th one, nil if it was dropped
	isTrue  map[int32]bool
}

// derive adds a clause, unless the hints do not show that it follows.
func (d *deriver) derive(clause []int32, hints []int) error {
	if d.isTrue == nil {
		d.isTrue = map[int32]bool{}
	}
	clear(d.isTrue)
	for _, l := range clause {
		d.isTrue[-l] = true
	}
	for k, h := range hints {
		if h < 1 || h > len(d.clauses) || d.clauses[h-1] == nil {
			return fmt.Errorf("there is no clause %d", h)
		}
		left := int32(0)
		for _, l := range d.clauses[h-1] {
			switch {
			case d.isTrue[-l] || l == left:
			case left != 0:
				return fmt.Errorf("clause %d has more than one literal left", h)
			default:
				left = l
			}
		}
		if left == 0 {
			if k+1 < len(hints) {
				return errors.New("clauses follow one that is false")
			}
			d.clauses = append(d.clauses, append([]int32{}, clause...))
			return nil
		}
		d.isTrue[left] = true
	}
	return errors.New("the clause does not follow")
}
