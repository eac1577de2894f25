package analysis

import (
	"cmp"
	"slices"
	"sort"

	"fencepost/internal/ir"
)

// Parts of shared objects that a single thread accesses: a member of a structure in which a thread keeps what it read
// last, or one of the variables that machine code has in one object. They are thread-private as whole objects are.
// Objects whose address escapes have none, since any pointer may lead to their bytes.

// part is a range of bytes that one thread accesses.
type part struct {
	Bytes
	owner ir.ThreadID
}

// parts finds the thread-private parts of objects that are not private, and the accesses to them. escapes reports the
// objects whose addresses may be anywhere.
func (m *PrivateMemory) parts(p *ir.Program, flows []*PointsTo, escapes func(ir.ObjectID) bool) {
	uses, accesses := partUses(p, flows)
	find := ObjectFinder(p)
	for {
		all := byUser(uses)
		m.ranges = m.ranges[:0]
		for _, s := range all {
			find(s.Bytes, func(o ir.ObjectID) {
				of := objectBytes(p, o)
				if s.owner < 0 || m.Private(o) || p.Objects[o].Cells || escapes(o) {
					return
				}
				m.ranges = append(m.ranges, part{Bytes{max(s.Lo, of.Lo), min(s.Hi, of.Hi)}, s.owner})
			})
		}
		// An access to a part and to other bytes as well makes all of them shared.
		changed := false
		for i := range accesses {
			if a := &accesses[i]; m.overlaps(a.Bytes) && !m.inPart(a.Bytes, a.owner) {
				uses = append(uses, part{a.Bytes, severalThreads})
				a.Bytes, changed = Bytes{}, true
			}
		}
		if !changed {
			break
		}
	}
	for _, a := range accesses {
		if m.inPart(a.Bytes, a.owner) {
			m.partial[a.edge] = a.owner
		}
	}
}

// partAccess is an access whose bytes are known.
type partAccess struct {
	part
	edge ir.EdgeID
}

// partUses returns what each thread accesses, and the accesses that may be private.
func partUses(p *ir.Program, flows []*PointsTo) (uses []part, accesses []partAccess) {
	for t := range p.Threads {
		owner := ir.ThreadID(t)
		if p.Threads[t].Unbounded {
			owner = severalThreads
		}
		f := p.ThreadFunc(ir.ThreadID(t))
		for i := range f.Edges {
			e := &f.Edges[i]
			foot := FootprintOf(p, &e.Op)
			switch {
			case !e.Op.Accesses():
				for _, r := range foot.Ranges {
					uses = append(uses, part{r, severalThreads})
				}
				if e.Op.Obj != ir.NoObject {
					uses = append(uses, part{objectBytes(p, e.Op.Obj), severalThreads})
				}
			case foot.Anything:
				for _, o := range reachedObjects(&e.Op, flows[t].Reaches(e)) {
					uses = append(uses, part{objectBytes(p, o), owner})
				}
			default:
				for _, r := range foot.Ranges {
					uses = append(uses, part{r, owner})
				}
				if len(foot.Ranges) == 1 {
					accesses = append(accesses, partAccess{part{foot.Ranges[0], owner}, e.ID})
				}
			}
		}
	}
	return uses, accesses
}

// byUser divides the bytes of uses into ranges that have the same users. It returns them in order, with the only thread
// that uses them; neighbours of one thread are one range.
func byUser(uses []part) []part {
	edges := make([]int64, 0, 2*len(uses))
	for _, u := range uses {
		edges = append(edges, u.Lo, u.Hi)
	}
	slices.Sort(edges)
	edges = slices.Compact(edges)
	if len(edges) == 0 {
		return nil
	}
	users := make([]ir.ThreadID, len(edges)-1)
	for i := range users {
		users[i] = ir.NoThread
	}
	slices.SortFunc(uses, func(a, b part) int {
		return cmp.Or(cmp.Compare(a.Lo, b.Lo), cmp.Compare(a.Hi, b.Hi), cmp.Compare(a.owner, b.owner))
	})
	for i, u := range uses {
		if u.Lo >= u.Hi || i > 0 && u == uses[i-1] {
			continue
		}
		from, _ := slices.BinarySearch(edges, u.Lo)
		for k := from; k < len(users) && edges[k] < u.Hi; k++ {
			if users[k] == ir.NoThread {
				users[k] = u.owner
			} else if users[k] != u.owner {
				users[k] = severalThreads
			}
		}
	}
	var out []part
	for k, t := range users {
		if n := len(out); n > 0 && out[n-1].owner == t && out[n-1].Hi == edges[k] {
			out[n-1].Hi = edges[k+1]
		} else {
			out = append(out, part{Bytes{edges[k], edges[k+1]}, t})
		}
	}
	return out
}

// at returns the first part that ends after an address.
func (m *PrivateMemory) at(addr int64) int {
	return sort.Search(len(m.ranges), func(i int) bool { return m.ranges[i].Hi > addr })
}

// overlaps reports whether some of the bytes are in a part.
func (m *PrivateMemory) overlaps(b Bytes) bool {
	i := m.at(b.Lo)
	return i < len(m.ranges) && m.ranges[i].Overlaps(b)
}

// inPart reports whether all of the bytes are in a part of a thread.
func (m *PrivateMemory) inPart(b Bytes, t ir.ThreadID) bool {
	i := m.at(b.Lo)
	return b.Lo < b.Hi && i < len(m.ranges) && m.ranges[i].owner == t && m.ranges[i].Contains(b)
}

// InPart reports whether bytes belong to a private part of an object that is not private as a whole.
func (m *PrivateMemory) InPart(addr uint64, size int) bool {
	return len(m.ranges) > 0 && m.overlaps(Bytes{int64(addr), int64(addr) + int64(size)})
}

// StraysFromPart reports whether an edge that accesses a private part reaches other bytes. part says whether the
// edge accesses one.
func (m *PrivateMemory) StraysFromPart(e ir.EdgeID, addr uint64, size int) (strays, part bool) {
	t, part := m.partial[e]
	return part && !m.inPart(Bytes{int64(addr), int64(addr) + int64(size)}, t), part
}
