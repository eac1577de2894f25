package replay

import (
	"fmt"

	"fencepost/internal/ir"
)

// Escapes looks at all states of a program, with the rules for all programs, and says where another thread than that which has
// allocated a block can reach it, though the analysis takes it that none does: a register, a buffer, a result or other
// memory has an address of the block, or another thread accesses it. Blocks are new ones, since old pointers may be left to
// one that has ended. kept is how many such allocations there are; over says that
// there are more than limit states.
// all takes it that no block on the stack is reached, so that a test sees what is found.
func Escapes(p *ir.Program, model Model, limit int, all bool) (where string, kept int, over bool, err error) {
	m, err := newMachine(p, model)
	if err != nil {
		return "", 0, false, err
	}
	sites := keptBlocks(p)
	for t := range p.Threads {
		for _, e := range p.ThreadFunc(ir.ThreadID(t)).Edges {
			if all && e.Op.Kind == ir.Alloc {
				sites[e.ID] = true
			}
		}
	}
	seen, todo := map[string]bool{}, []*state{initial(p)}
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, b := range s.blocks {
			if sites[b.site] && !b.freed {
				if where := s.reached(p, b, sites); where != "" {
					return where, len(sites), false, nil
				}
			}
		}
		next, err := m.successors(s, 0)
		if err != nil {
			return "", len(sites), false, err
		}
		for i := range next {
			tr := &next[i]
			for _, b := range s.blocks {
				access := tr.size > 0 && !tr.free && tr.kind.String() != "exec" && overlap(tr.addr, int64(tr.size), b.addr, max(b.size, 1))
				if sites[b.site] && !b.freed && access && ownerOf(p, b.site) != tr.thread {
					return fmt.Sprintf("thread %d accesses the block at %x", tr.thread, b.addr), len(sites), false, nil
				}
			}
			if tr.next == nil || sites[tr.edge] && tr.choice != 0 {
				continue
			}
			if k := tr.next.key(true); !seen[k] {
				if seen[k] = true; len(seen) > limit {
					return "", len(sites), true, nil
				}
				todo = append(todo, tr.next)
			}
		}
	}
	return "", len(sites), false, nil
}

// ownerOf returns the thread that has an edge.
func ownerOf(p *ir.Program, site ir.EdgeID) int {
	for t := range p.Threads {
		for _, e := range p.ThreadFunc(ir.ThreadID(t)).Edges {
			if e.ID == site {
				return t
			}
		}
	}
	return -1
}

// reached says where something but a register of its thread has an address of a block.
func (s *state) reached(p *ir.Program, b block, sites map[ir.EdgeID]bool) string {
	points := func(v uint64) bool { return v-b.addr < uint64(max(b.size, 1)) }
	owner := ownerOf(p, b.site)
	for t := range s.threads {
		th := &s.threads[t]
		for r, v := range th.regs {
			if t != owner && points(uint64(v)) {
				return fmt.Sprintf("register %d of thread %d has the address %x", r, t, v)
			}
		}
		if points(uint64(th.result)) {
			return fmt.Sprintf("thread %d returns the address %x", t, th.result)
		}
		for _, e := range th.buf {
			if e.kind == storeEntry && points(uint64(e.value)) {
				return fmt.Sprintf("a store of thread %d has the address %x", t, e.value)
			}
		}
	}
	for _, w := range s.words {
		if points(w.value) {
			return fmt.Sprintf("the word at %x has the address %x", w.addr, w.value)
		}
	}
	return ""
}
