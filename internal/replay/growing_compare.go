//go:build !fencepost_small

package replay

import (
	"fmt"
	"slices"
	"strings"
)

// What tests of package certificate compare; nothing relies on it.

// Ended reports whether all threads that were started have ended.
func (x *Growing) Ended() bool { return x.m.final(x.s) }

// Class names what each read reads: two executions have the same name exactly if they have the same events and the same
// reads-from.
func (x *Growing) Class() string {
	var names []string
	for i := range x.g.events {
		if e := &x.g.events[i]; e.size > 0 {
			from := "-"
			if e.kind == 'R' && e.from >= 0 {
				from = fmt.Sprintf("%d.%d", x.g.events[e.from].thread, x.g.events[e.from].index)
			}
			names = append(names, fmt.Sprintf("%d.%d %c %x %s", e.thread, e.index, e.kind, e.addr, from))
		}
	}
	slices.Sort(names)
	return strings.Join(names, "; ")
}

// SameOrder returns an error if happens-before is not that of the axioms.
func (x *Growing) SameOrder() error {
	a := &axioms{events: x.g.events}
	a.happensBefore()
	for i := range x.g.events {
		for j := range x.g.events {
			if a.hb[i][j] != x.Happens(i, j) {
				return fmt.Errorf("does event %d happen before %d: %v, and %v by the axioms", i, j, x.Happens(i, j), a.hb[i][j])
			}
		}
	}
	return nil
}

// Finals visits the texts of the final states of an execution that has ended.
func (x *Growing) Finals(visit func(text string)) error {
	if !x.Ended() {
		return nil
	}
	return x.lastWrites(func(uint64, int) bool { return true }, func(lasts []int) bool {
		visit(x.m.observe(x.with(lasts), x.props))
		return true
	})
}
