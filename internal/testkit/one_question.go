package testkit

import "fencepost/internal/property"

// OneQuestion returns the checks and one other question of a set, which s selects.
func OneQuestion(props *property.Set, s uint64) *property.Set {
	p := &property.Set{Checks: true}
	switch s % 3 {
	case 0:
		p.Deadlock = true
	case 1:
		p.Final = props.Final
	case 2:
		p.Goals = props.Goals
	}
	return p
}
