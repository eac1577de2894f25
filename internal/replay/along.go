//go:build !fencepost_small

package replay

// Steps along a list of choices, for package certificate; no proof relies on it.

// Choosing returns what NextOf does, where a value is chosen that has too many to try. now is the number of the step, for Of of a
// flush.
func (x *Stepper) Choosing(s State, t int, choice int64, now int) ([]Move, error) {
	x.m.chosen = &choice
	next, err := x.m.successorsOf(s.s, t, now)
	x.m.chosen = nil
	return moves(next), err
}
