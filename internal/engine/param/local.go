package param

import (
	"fmt"
	"strings"

	"fencepost/internal/lts"
)

// role is the role of a thread in an attack. The zero value is unset.
type role uint8

const (
	_        role = iota
	plain         // runs, and has no part in an attack
	involved      // has an action after the attacker's load [BDM13 Lemma 3]
	attacker      // delays its stores
)

var roleMarks = [...]string{"", "", "!", "@"}

// delayed is a cell that the attacker has stored to, and the newest value.
type delayed struct {
	cell  int
	value int64
}

// local is the state of one thread in the net, and for an attacker the delayed cells and the cells of
// the delayed store.
type local struct {
	lts.State
	role   role
	buffer []delayed
	target []int // cells
}

// with returns l in another state of its thread.
func (l *local) with(s lts.State) *local {
	next := *l
	next.State = s
	return &next
}

// name returns the name of a state, which is the name of its place.
func (b *builder) name(l *local) string {
	if l.role != attacker {
		return b.sys.Name(&l.State, roleMarks[l.role])
	}
	var s strings.Builder
	s.WriteString(b.sys.Name(&l.State, roleMarks[l.role]))
	for _, d := range l.buffer {
		fmt.Fprintf(&s, " [%s]=%d", b.sys.Cells[d.cell].Name, d.value)
	}
	for _, c := range l.target {
		fmt.Fprintf(&s, " target %s", b.sys.Cells[c].Name)
	}
	return s.String()
}
