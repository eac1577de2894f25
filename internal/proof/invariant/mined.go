package invariant

import (
	"fmt"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/proof/program"
)

// Candidates for the ways in which programs pass things on: tickets, turns that were read before
// they are tested. There are too many of them to ask the solver about each, so only the ones that
// hold in all states of small instances are proposed.

// mine proposes counts, facts about two threads, and conditions of locations that go with them. It
// adds to the invariants that are proved.
func (k *Knowledge) mine(scalars []int, numbers []int64) {
	k.retry()
	k.mineCounts(scalars)
	k.minePairs()
	for _, c := range k.pr.Classes {
		seen := program.Reachable(c.Code, c.Code.Entry)
		for l := range c.Code.Locs {
			if !c.Skips(ir.Loc(l)) && seen[l] {
				k.Local[c][l] = slices.Concat(k.Local[c][l], k.onTickets(c, ir.Loc(l), scalars), k.onContents(c, ir.Loc(l)), k.unpublished(c, ir.Loc(l)))
			}
		}
	}
	// With what is known of two threads, more is inductive.
	k.global = unlessThere(k.global, append(k.onBlocks(), k.onFields()...))
	k.atLocations(scalars, numbers, Few)
	k.proposeEverywhere()
	k.prune()
	k.dropFalseNew()
}

// onTickets returns candidates about tickets at a location: that the ticket is the number in a
// variable, that it is one of the numbers that are counted, and that a number that was read and is
// the ticket is still in the variable.
func (k *Knowledge) onTickets(c *program.Class, l ir.Loc, scalars []int) []*Condition {
	var out []*Condition
	tickets := k.tickets(c)
	for _, r := range tickets {
		w := k.say.register(c, r)
		for _, x := range scalars {
			out = append(out, k.say.compared(w, relations[0], k.say.variable(x)))
		}
		for _, ct := range k.counts {
			if ct.y >= 0 {
				out = append(out, k.say.counted(w, ct))
			}
		}
	}
	live := k.watched(c, l)
	for _, r := range live {
		for _, s := range tickets {
			for _, x := range scalars {
				if r != s {
					out = append(out, k.say.stillThere(k.say.register(c, r), k.say.register(c, s), k.say.variable(x)))
				}
			}
		}
	}
	return out
}

// counted returns the fact that a number is one of those from y up to and without x, which may wrap
// around.
func (v vocabulary) counted(w word, ct *count) *Condition {
	t := ir.Type{Bits: ct.bits}
	x, y := v.variable(ct.x), v.variable(ct.y)
	from := func(n int) *ir.Expr { return ir.Binary(ir.Sub, t, ir.R(ir.Reg(n)), ir.R(2)) }
	text := fmt.Sprintf("%s - %s < %s - %s", w.name, y.name, x.name, y.name)
	return v.fact(text, ir.Binary(ir.Lt, ir.U64, from(0), from(1)), w, x, y)
}

// stillThere returns the fact that x still has the value that was read from it, if this value is s.
func (v vocabulary) stillThere(r, s, x word) *Condition {
	text := fmt.Sprintf("%s == %s implies %s == %s", r.name, s.name, x.name, s.name)
	return v.fact(text, ir.Binary(ir.LOr, ir.S64, ir.Binary(ir.Ne, ir.S64, ir.R(0), ir.R(1)), ir.Binary(ir.Eq, ir.S64, ir.R(2), ir.R(1))), r, s, x)
}
