package lts

import (
	"fmt"
	"slices"

	"fencepost/internal/ir"
)

// Atomic sections as one action. No other thread acts while a section is held, so the section is
// one transition, with the values that it read from its cells and the values that it wrote. A cell
// is read from memory once; after that its value is known.

// sectionState is a state inside a section.
type sectionState struct {
	s        State
	accesses []CellAccess
	path     []Taken
}

func (s *sectionState) access(c int) *CellAccess {
	for i := range s.accesses {
		if s.accesses[i].Cell == c {
			return &s.accesses[i]
		}
	}
	return nil
}

func (s *sectionState) key() string { return fmt.Sprint(s.s.Key(), s.accesses) }

// section returns the moves of a whole section. For attacks it also returns moves for its prefixes:
// a section that never ends has still made its accesses.
func (y *System) section(user int, from *State, begin *ir.Edge) []Move {
	var out []Move
	seen := map[string]bool{}
	work := []*sectionState{{s: y.At(from, begin.To, from.Regs), path: []Taken{{Edge: begin}}}}
	f := y.Prog.ThreadFunc(ir.ThreadID(from.Thread))
	for len(work) > 0 && y.Err == nil {
		s := work[len(work)-1]
		work = work[:len(work)-1]
		if key := s.key(); seen[key] {
			continue
		} else if seen[key] = true; len(seen) > maxSection {
			y.Refuse(begin, "a section with more than %d states", maxSection)
			return nil
		}
		if y.visible[locKey{from.Thread, s.s.Loc}] {
			y.Refuse(begin, "a goal inside an atomic section")
			return nil
		}
		for _, i := range f.Out(s.s.Loc) {
			out, work = y.sectionEdge(user, s, begin, &f.Edges[i], out, work)
		}
	}
	return out
}

// maxSection bounds the states of one section.
const maxSection = 50_000

// sectionEdge runs an edge inside a section. It adds moves to out, and states to work.
func (y *System) sectionEdge(user int, s *sectionState, begin, e *ir.Edge, out []Move, work []*sectionState) ([]Move, []*sectionState) {
	failing := func(path []Taken) Move {
		return Move{Edge: begin, Accesses: sorted(s.accesses), Next: []Outcome{{Fails: true, Path: path}}}
	}
	switch op := &e.Op; {
	case op.Kind == ir.AtomicEnd:
		path := append(slices.Clip(s.path), Taken{Edge: e})
		out = append(out, Move{Edge: begin, Accesses: sorted(s.accesses), Next: y.Run(y.At(&s.s, e.To, s.s.Regs), path)})
	case op.Local() || op.Kind == ir.Fence:
		for _, n := range y.Step(&s.s, e, s.path) {
			if n.Fails {
				out = append(out, failing(n.Path))
			} else {
				work = append(work, &sectionState{s: n.State, accesses: s.accesses, path: n.Path})
			}
		}
	case op.Kind == ir.Exit:
	default:
		more, failed, leaves := y.sectionAccess(user, s, e)
		if leaves {
			out = append(out, Move{Edge: begin, Accesses: sorted(s.accesses), Leaves: true})
		}
		if failed {
			out = append(out, failing(append(slices.Clip(s.path), Taken{Edge: e})))
		}
		for _, n := range more {
			if y.opt.Attacks {
				out = append(out, Move{Edge: begin, Accesses: sorted(n.accesses), Partial: true})
			}
			work = append(work, n)
		}
	}
	return out, work
}

// sectionAccess is a memory operation inside a section.
func (y *System) sectionAccess(user int, s *sectionState, e *ir.Edge) (out []*sectionState, failed, leaves bool) {
	values := func(c int) []int64 {
		if t := s.access(c); t != nil {
			return []int64{t.New}
		}
		return y.Cells[c].Values
	}
	y.Effects(user, e, &s.s, values, func(ef Effect) {
		if ef.Fails {
			failed = true
			return
		}
		if ef.Leaves {
			leaves = true
			return
		}
		n := &sectionState{s: y.At(&s.s, e.To, ef.Regs), accesses: slices.Clone(s.accesses), path: append(slices.Clip(s.path), Taken{e, ef.Choice})}
		n.s.Held = ef.Held
		for _, next := range ef.Accesses {
			if t := n.access(next.Cell); t != nil {
				t.New, t.Read, t.Write = next.New, t.Read || next.Read && !t.Write, t.Write || next.Write
			} else {
				n.accesses = append(n.accesses, next)
			}
		}
		out = append(out, n)
	})
	return out, failed, leaves
}

func sorted(list []CellAccess) []CellAccess {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b CellAccess) int { return a.Cell - b.Cell })
	return list
}
