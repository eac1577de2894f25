package smc

// Equal branches.
//
// Where one node has many reversals, the wakeup tree has many branches that are equal: one writer and n readers demand,
// for each set of readers that comes before the writer, a sequence of its own at the node of the first reader, and below
// the branches that begin with different readers the same sets remain. So nodes of a wakeup tree with the same event and
// the same branches below are one node, as in a decision diagram.
//
// New branches are inserted at the end of a list, and most often below the last branch. So all branches of a list but the
// last are frozen: they are looked up, and replaced by an equal node if there is one. A frozen node has only frozen nodes
// below it. It does not change; if a sequence becomes a new branch below it, the nodes on the way are copied first. So a
// tree has the branches, in the order, that it would have without sharing: nothing that the algorithm decides depends on
// what is shared.

// sharing says how a node is shared.
type sharing struct {
	frozen bool
	lent   bool   // frozen, and other workers have it: it is never used again
	refs   int32  // of a frozen node: the lists that it is in
	hash   uint64 // of a frozen node: of its event and what is below
}

// equalBranches finds frozen nodes by their contents.
type equalBranches struct {
	table []*tree // by hash; nodes with one hash are linked by next
	count int
	// coarse is for tests: all hashes are equal, so that contents alone decide.
	coarse bool
}

// push adds a new last branch.
func (in *inserter) push(l *branches, t *tree) {
	if l.n > 0 {
		l.last.tree = in.freeze(l.last.tree)
	}
	in.add(l, t)
}

// freeze returns the frozen node with the contents of t, which is t or replaces it.
func (in *inserter) freeze(t *tree) *tree {
	if t.frozen {
		return t
	}
	h := hashOf(&t.ev)
	for c := t.below.first; c != nil; c = c.next {
		c.tree = in.freeze(c.tree)
		h = (h ^ c.hash) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	q := &in.equal
	if q.coarse {
		h = 0
	}
	if len(q.table) > 0 {
		for u := q.table[h&uint64(len(q.table)-1)]; u != nil; u = u.next {
			if u.hash == h && u.ev.Proc == t.ev.Proc && sameEvent(&u.ev, &t.ev) && sameBranches(&u.below, &t.below) {
				u.refs++
				in.drop(t)
				return u
			}
		}
	}
	t.frozen, t.refs, t.hash = true, 1, h
	q.add(t)
	return t
}

// sameBranches reports whether two lists of frozen nodes have the same nodes.
func sameBranches(k, l *branches) bool {
	if k.n != l.n {
		return false
	}
	for a, b := k.first, l.first; a != nil; a, b = a.next, b.next {
		if a.tree != b.tree {
			return false
		}
	}
	return true
}

// change makes the node of an entry one that can be changed.
func (in *inserter) change(at *branch) *tree {
	t := at.tree
	if !t.frozen {
		return t
	}
	at.tree = in.newTree(&t.ev)
	at.tree.below = in.copied(&t.below)
	in.release(t)
	return at.tree
}

// copied returns a list with the same frozen nodes.
func (in *inserter) copied(l *branches) (out branches) {
	for c := l.first; c != nil; c = c.next {
		if !c.lent {
			c.refs++
		}
		in.add(&out, c.tree)
	}
	return out
}

// takeBelow returns the branches below a node that is in no list any more.
func (in *inserter) takeBelow(t *tree) branches {
	if t.frozen && (t.refs > 1 || t.lent) {
		out := in.copied(&t.below)
		in.release(t)
		return out
	}
	out := t.below
	in.remove(t)
	in.free(t)
	return out
}

// release counts one list less that a frozen node is in.
func (in *inserter) release(t *tree) {
	if t.lent {
		return
	}
	if t.refs--; t.refs == 0 {
		in.remove(t)
		in.drop(t)
	}
}

// drop takes back a node that is in no list and not in the table.
func (in *inserter) drop(t *tree) {
	for t.below.n > 0 {
		in.release(in.pop(&t.below))
	}
	in.free(t)
}

// lend prepares a frozen node for other workers: neither it nor the nodes below it are found any more.
func (in *inserter) lend(t *tree) {
	if t.lent {
		return
	}
	in.remove(t)
	t.lent = true
	for c := t.below.first; c != nil; c = c.next {
		in.lend(c.tree)
	}
}

// remove takes a frozen node out of the table.
func (in *inserter) remove(t *tree) {
	if !t.frozen {
		return
	}
	q := &in.equal
	at := &q.table[t.hash&uint64(len(q.table)-1)]
	for *at != t {
		at = &(*at).next
	}
	*at = t.next
	q.count--
}

// add adds a frozen node to the table.
func (q *equalBranches) add(t *tree) {
	if q.count >= len(q.table) {
		old := q.table
		q.table = make([]*tree, max(64, 2*len(old)))
		for _, u := range old {
			for u != nil {
				next := u.next
				q.link(u)
				u = next
			}
		}
	}
	q.link(t)
	q.count++
}

func (q *equalBranches) link(t *tree) {
	at := &q.table[t.hash&uint64(len(q.table)-1)]
	t.next = *at
	*at = t
}

// hashOf returns a hash of an event.
func hashOf(e *event) uint64 {
	h := uint64(14695981039346656037)
	mix := func(v uint64) {
		h = (h ^ v) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	mix(uint64(uint32(e.Proc))<<32 | uint64(uint32(e.Idx)))
	mix(uint64(uint32(e.Label.Edge))<<32 | uint64(e.Label.Inner))
	mix(uint64(e.Label.Choice))
	mix(uint64(e.Flags)<<48 | uint64(e.From.Forwarded)<<40 | uint64(uint32(e.Ord)))
	for k := range e.Size() {
		a := e.At(k)
		mix(a.Addr<<8 ^ uint64(a.Size)<<4 ^ uint64(a.Mode))
	}
	return h
}
