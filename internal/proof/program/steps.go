package program

import (
	"slices"

	"fencepost/internal/ir"
)

// Steps of the induction. What a thread does with its registers alone commutes with every step of others, so a thread
// need not stop there [BEMT18 §4 calls such actions thread-local]: a step is an action together with the assignments and
// tests that follow it, up to the next location that counts. Invariants are stated for these locations only, which are half
// of all or less, and the questions about two threads are a quarter.
//
// It is sound because a thread at a location in between always comes to the next one that counts, by steps of
// its own that read and write no memory: its tests cover all cases, and it does not loop in between. So for every state
// there is one in which all threads are at locations that count, with the same memory, and with the same registers of the
// threads that were at such locations before. Accesses, checks, and what the user names begin at locations that count.

// maxThrough bounds the ways from an action to the next locations that count.
const maxThrough = 8

// PassesBack reports whether a location is reached again through locations that do not count.
func (c *Class) PassesBack(l ir.Loc) bool {
	seen := make([]bool, len(c.Code.Locs))
	for work := []ir.Loc{l}; len(work) > 0; {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range c.Code.Out(at) {
			switch to := c.Code.Edges[i].To; {
			case to == l:
				return true
			case c.Passing[to] && !seen[to]:
				seen[to] = true
				work = append(work, to)
			}
		}
	}
	return false
}

// ManyThrough reports whether too many ways lead from a location to the next locations that count. A thread must not
// loop in between.
func (c *Class) ManyThrough(l ir.Loc) bool { return c.countThrough(l, maxThrough) > maxThrough }

// countThrough returns the number of ways from a location to the next locations that count, or some number above a limit.
func (c *Class) countThrough(l ir.Loc, limit int) int {
	if !c.Passing[l] {
		return 1
	}
	n := 0
	for _, i := range c.Code.Out(l) {
		if n += c.countThrough(c.Code.Edges[i].To, limit-n); n > limit {
			break
		}
	}
	return n
}

// Through returns the ways from a location to the next locations that count.
func (c *Class) Through(l ir.Loc) [][]*ir.Edge {
	if !c.Passing[l] {
		return [][]*ir.Edge{nil}
	}
	var out [][]*ir.Edge
	for _, i := range c.Code.Out(l) {
		e := &c.Code.Edges[i]
		for _, rest := range c.Through(e.To) {
			out = append(out, append([]*ir.Edge{e}, rest...))
		}
	}
	return out
}

// Skips reports whether no invariant is stated for a location.
func (c *Class) Skips(l ir.Loc) bool { return c.Inside[l] || c.Passing[l] }

// Steps returns the steps of a class, made of its current actions.
func (c *Class) Steps() []*Action {
	var list []*Action
	for _, a := range c.Actions {
		if c.Passing[a.From()] {
			continue
		}
		ways := c.Through(a.To())
		if len(ways) == 1 && len(ways[0]) == 0 && c.Ghosts[a.First().ID] == nil {
			list = append(list, a)
			continue
		}
		for _, way := range ways {
			for _, edges := range c.withGhosts(append(slices.Clone(a.Edges), way...)) {
				list = append(list, &Action{Thread: a.Thread, Edges: edges, Section: a.Section, Fails: a.Fails})
			}
		}
	}
	return list
}
