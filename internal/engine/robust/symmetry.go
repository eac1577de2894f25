package robust

import (
	"bytes"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/memory/reduce"
)

// Symmetry. Threads with the same code, the same arguments and no way to learn their identity can be
// exchanged (reduce.Groups), also in a state with an attacker: the others are helpers, and what an
// attack needs of them does not depend on their numbers. So states are stored up to the order of such
// threads. The attacker is taken for the first thread of its group, and its store for the same store
// there; the other threads of a group are sorted by their parts, which say whether they are involved
// and whether they hold the atomic section.
//
// Where every attack is listed there is no symmetry: attacks of exchangeable threads are different
// attacks.

// symmetry encodes states up to the order of exchangeable threads, for one worker.
type symmetry struct {
	p      *ir.Program
	groups [][]ir.ThreadID
	group  []int   // by thread: its group, -1: none
	index  []int32 // by edge id: its position in its function

	parts [][]byte
	order []int // by position: the thread whose part is written there
	rest  []int
}

// newSymmetry returns nil if no threads can be exchanged.
func newSymmetry(p *ir.Program, groups [][]ir.ThreadID) *symmetry {
	if len(groups) == 0 {
		return nil
	}
	m := &symmetry{p: p, groups: groups, index: make([]int32, p.NextEdge)}
	m.group, m.parts, m.order = make([]int, len(p.Threads)), make([][]byte, len(p.Threads)), make([]int, len(p.Threads))
	for t := range m.group {
		m.group[t] = -1
	}
	for g, threads := range groups {
		for _, t := range threads {
			m.group[t] = g
		}
	}
	for _, f := range p.Funcs {
		for i := range f.Edges {
			m.index[f.Edges[i].ID] = int32(i)
		}
	}
	return m
}

// groups are the exchangeable threads of a program.
func groups(p *ir.Program) [][]ir.ThreadID {
	return reduce.Groups(p, func(ir.ThreadID) bool { return false })
}

// attacker returns the thread and the store that stand for those of an attack.
func (m *symmetry) attacker(a *attack) (thread int, store int32) {
	g := m.group[a.attacker]
	if g < 0 {
		return a.attacker, a.store
	}
	first := m.groups[g][0]
	return int(first), int32(m.p.ThreadFunc(first).Edges[m.index[a.store]].ID)
}

// arrange finds the order in which the parts are written.
func (m *symmetry) arrange(attacker int) {
	for t := range m.order {
		m.order[t] = t
	}
	for _, group := range m.groups {
		m.rest = m.rest[:0]
		first := 0
		for _, t := range group {
			if int(t) != attacker {
				m.rest = append(m.rest, int(t))
			} else {
				m.order[group[0]], first = attacker, 1
			}
		}
		slices.SortStableFunc(m.rest, func(t, u int) int { return bytes.Compare(m.parts[t], m.parts[u]) })
		for i, t := range m.rest {
			m.order[group[first+i]] = t
		}
	}
}

// inGroup is written as the holder of the section if the holder belongs to a group.
const inGroup = -2

// encode appends the state of the program. With exact the threads keep their positions.
func (m *symmetry) encode(y *memory.System, s *memory.State, a *attack, exact bool, out []byte) []byte {
	mem := y.Codec()
	for t := range m.parts {
		m.parts[t] = m.parts[t][:0]
		if a.phase == closing && t == a.attacker {
			continue // it does nothing any more
		}
		mark := boolByte(a.isInvolved(t))<<1 | boolByte(s.Holder() == t)
		m.parts[t] = append(mem.EncodeThread(s, t, m.parts[t]), mark)
	}
	attacker := -1
	if a.phase != before {
		attacker = a.attacker
	}
	m.arrange(attacker)
	for t, from := range m.order {
		if exact {
			from = t
		}
		out = append(out, m.parts[from]...)
	}
	holder := s.Holder()
	if holder >= 0 {
		holder = inGroup
	}
	return mem.EncodeRest(s, holder, mem.EncodeStatic(s, out))
}

// decode reads what encode wrote.
func (m *symmetry) decode(y *memory.System, s *memory.State, a *attack, in []byte) {
	mem := y.Codec()
	stopped := a.phase == closing
	mem.ResetAttack(s, a.attacker, stopped)
	holder := -1
	a.involved = 0
	for t := range m.parts {
		if stopped && t == a.attacker {
			continue
		}
		in = mem.DecodeThread(s, t, in)
		if in[0]&1 != 0 {
			holder = t
		}
		if in[0]&2 != 0 {
			a.involve(t)
		}
		in = in[1:]
	}
	mem.DecodeShared(s, in)
	mem.SetHolder(s, holder)
}
