package param

import (
	"fmt"
	"slices"

	"fencepost/internal/ir"
)

// Atomic sections as one action. No other thread acts while a section is held, so the section is
// one transition, with the values that it read from its cells and the values that it wrote. A cell
// is read from memory once; after that its value is known.

// inSection is a state inside a section.
type inSection struct {
	l        *local
	accesses []cellAccess
}

func (s *inSection) access(c int) *cellAccess {
	for i := range s.accesses {
		if s.accesses[i].cell == c {
			return &s.accesses[i]
		}
	}
	return nil
}

func (b *builder) sectionKey(s *inSection) string {
	return fmt.Sprint(b.name(s.l), s.accesses)
}

// section returns the moves of a whole section. For attacks it also returns moves for its prefixes:
// a section that never ends has still made its accesses.
func (b *builder) section(id int, l *local, begin *ir.Edge) []move {
	var out []move
	seen := map[string]bool{}
	work := []*inSection{{l: b.at(l, begin.To, l.regs)}}
	f := b.p.ThreadFunc(ir.ThreadID(l.thread))
	for len(work) > 0 && b.err == nil {
		s := work[len(work)-1]
		work = work[:len(work)-1]
		if key := b.sectionKey(s); seen[key] {
			continue
		} else if seen[key] = true; len(seen) > maxSection {
			b.refuse(begin, "a section with more than %d states", maxSection)
			return nil
		}
		if b.visible[locKey{s.l.thread, s.l.loc}] {
			b.refuse(begin, "a goal inside an atomic section")
			return nil
		}
		for _, i := range f.Out(s.l.loc) {
			e := &f.Edges[i]
			switch op := &e.Op; {
			case op.Kind == ir.AtomicEnd:
				out = append(out, move{edge: begin, accesses: sorted(s.accesses), next: b.runLocal(b.at(s.l, e.To, s.l.regs))})
			case op.Local() || op.Kind == ir.Fence:
				next, fails := b.localStep(s.l, e)
				if fails {
					out = append(out, move{edge: begin, accesses: sorted(s.accesses), next: []outcome{{fails: true}}})
				}
				for _, n := range next {
					work = append(work, &inSection{l: n, accesses: s.accesses})
				}
			case op.Kind == ir.Exit:
			default:
				more, failed, leaves := b.sectionAccess(id, s, e)
				if leaves {
					out = append(out, move{edge: begin, accesses: sorted(s.accesses), leaves: true})
				}
				if failed {
					out = append(out, move{edge: begin, accesses: sorted(s.accesses), next: []outcome{{fails: true}}})
				}
				for _, n := range more {
					if b.robust {
						out = append(out, move{edge: begin, accesses: sorted(n.accesses), partial: true})
					}
					work = append(work, n)
				}
			}
		}
	}
	return out
}

// maxSection bounds the states of one section.
const maxSection = 50_000

// sectionAccess is a memory operation inside a section.
func (b *builder) sectionAccess(id int, s *inSection, e *ir.Edge) (out []*inSection, failed, leaves bool) {
	values := func(c int) []int64 {
		if t := s.access(c); t != nil {
			return []int64{t.new}
		}
		return b.cells[c].values
	}
	b.effects(id, e, s.l, values, func(ef effect) {
		if ef.fails {
			failed = true
			return
		}
		if ef.leaves {
			leaves = true
			return
		}
		n := &inSection{l: b.at(s.l, e.To, ef.regs), accesses: slices.Clone(s.accesses)}
		n.l.held = ef.held
		for _, next := range ef.accesses {
			if t := n.access(next.cell); t != nil {
				t.new, t.read, t.write = next.new, t.read || next.read && !t.write, t.write || next.write
			} else {
				n.accesses = append(n.accesses, next)
			}
		}
		out = append(out, n)
	})
	return out, failed, leaves
}

func sorted(list []cellAccess) []cellAccess {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b cellAccess) int { return a.cell - b.cell })
	return list
}
