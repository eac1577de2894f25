package smc

import "math"

// Wakeup trees [AAJS14 §6], [AAJS17 §6].
//
// The wakeup tree of a node has the sequences that remain to be explored from the node, in the
// order of their exploration. To insert a wakeup sequence v, the algorithm leads v along the tree:
// at each node it takes the first child whose event is a weak initial of v. An event is a weak
// initial of v if it is an event of v that can come first, or if it is not in v and independent of
// all of v. If the event is in v, it is removed from v. If v arrives at a leaf, there is nothing to
// insert: exploring the leaf leads to the rest of v. If no child is a weak initial, the rest of v
// becomes a new last child.
//
// Differs from the paper: a new branch contains only as much of v as is needed to wake all sleeping
// events. The sleep set that the exploration will have at the new branch is known when the branch
// is inserted. It consists of the events that sleep at the node now, the event being explored from
// the node, and the children that v was compared with in vain on its way through the tree; less the
// events that an event on that way wakes. None of them is a weak initial of v, so each depends on
// some event of v. After the last of these events of v nothing sleeps, and an exploration without
// sleeping events reaches all continuations, including the rest of v. So the branch can end there,
// and trees are smaller.

// tree is a node of a wakeup tree other than its root: an event and what comes after it. Equal nodes are shared
// (equal_branches.go).
type tree struct {
	ev    event
	below branches
	next  *tree // in the list of nodes to be used again, or of shared nodes with the same hash
	sharing
}

// branches is a list of branches, in the order of their exploration.
type branches struct {
	first, last *branch
	n           int
}

// branch is an entry of a list of branches. A node can be in several lists, an entry is in one.
type branch struct {
	*tree
	next *branch
}

// inserter inserts wakeup sequences into wakeup trees.
type inserter struct {
	sourceDPOR bool   // source-DPOR: a branch is a single event
	world      *world // nil: one worker
	tail       *tail  // what v leaves out

	size, most int     // how many nodes the wakeup trees have, and have had at most
	unused     *tree   // nodes to be used again
	spare      *branch // and entries of lists
	equal      equalBranches
	way        []int // the indices of the branches that v was led along

	// The sequence that is being inserted at a node: the event explored from the node at present,
	// the node's sleep set, the children that were no weak initials, and the events that it was led
	// along.
	present *event
	slept   []event
	passed  []*event
	led     []ledBy

	stop  int // the event of v that kept one from being a weak initial
	reach int // how many events of v the decisions about it have depended on

	sleepers []sleeper // what sleeps at the new branch
	probe    event     // scratch
}

// ledBy is an event that v was led along, and how many children were no weak initials before.
type ledBy struct {
	ev     *event
	passed int
}

// sleeper is a sleeping event with the bytes that it still forwards at the node considered.
type sleeper struct {
	ev        *event
	forwarded uint8
}

// begin prepares for a sequence that is to be inserted at a node.
func (in *inserter) begin(present *event, slept []event) {
	in.present, in.slept, in.passed, in.led = present, slept, in.passed[:0], in.led[:0]
}

// What weakInitial returns besides an index.
const (
	notInitial = -1
	before     = -2 // not in v, but independent of all of v
)

// all is the reach of a decision that depends on every event of v, and on there being no others.
const all = math.MaxInt

// leads reports whether exploring event d leads to v. It returns the index of d in v, before, or
// notInitial. With source-DPOR, where executions may be cut off and show only a part of v, d must
// be an event of v up to the reversed one.
func (in *inserter) leads(d *event, v *sequence) int {
	k := in.weakInitial(d, v)
	if in.sourceDPOR && (k < 0 || k > v.turn) {
		return notInitial
	}
	return k
}

// weakInitial reports whether d is a weak initial of v. It returns the index of d in v, before, or
// notInitial.
func (in *inserter) weakInitial(d *event, v *sequence) int {
	probe := d
	if d.From.Forwarded != 0 { // passes may change it
		in.probe = *d
		probe = &in.probe
	}
	for k := 0; v.has(k); k++ {
		if v.items[k].gone {
			continue
		}
		e := v.get(k)
		if e.Proc == d.Proc {
			in.reach = max(in.reach, k+1)
			if e.Label == d.Label {
				return k
			}
			in.stop = none
			return notInitial
		}
		if !passes(probe, e) {
			in.reach, in.stop = max(in.reach, k+1), k
			return notInitial
		}
	}
	in.reach = all
	in.tail.compare(d)
	return before
}

// repeated reports whether a sleeping event d, which the reversed event is the first of v to depend on by weakInitial just
// now, is independent of all other events of v that do not happen after the reversed event (reverse.go).
func (in *inserter) repeated(d *event, v *sequence) bool {
	probe := d
	if d.From.Forwarded != 0 {
		probe = &in.probe // as it is at the reversed event
	}
	in.reach = all
	for k := v.turn + 1; v.has(k); k++ {
		i := v.items[k].i
		if i > v.second && v.exec.before(v.second, i) {
			continue
		}
		if e := v.get(k); e.Proc == d.Proc || !passes(probe, e) {
			return false
		}
	}
	in.tail.compare(d)
	return !in.tail.clash
}

// insert inserts v below a node with the given branches.
func (in *inserter) insert(top *branches, v *sequence) {
	in.way = in.way[:0]
	for list := top; list != nil; {
		c, i := in.lead(list, v)
		switch {
		case in.tail.clash:
			return
		case c == nil:
			list = nil
		case c.below.n == 0:
			return
		default:
			in.way, list = append(in.way, i), &c.below
		}
	}
	b := in.branch(v)
	if b == nil {
		return
	}
	for _, i := range in.way {
		at := top.first
		for ; i > 0; i-- {
			at = at.next
		}
		top = &in.change(at).below
	}
	in.push(top, b)
}

// lead leads v along the first of some branches that is a weak initial of it. It returns the branch and its index, or nil
// if there is none.
func (in *inserter) lead(list *branches, v *sequence) (*branch, int) {
	for c, i := list.first, 0; c != nil; c, i = c.next, i+1 {
		k := in.leads(&c.ev, v)
		if in.tail.clash {
			return nil, 0
		}
		if k == notInitial {
			in.passed = append(in.passed, &c.ev)
			continue
		}
		if k >= 0 {
			v.items[k].gone = true
		}
		v.moveToFront(&c.ev)
		if c.below.n > 0 {
			in.led = append(in.led, ledBy{&c.ev, len(in.passed)})
		}
		return c, i
	}
	return nil, 0
}

// findSleepers collects the events that will sleep at the new branch.
func (in *inserter) findSleepers() {
	in.sleepers = append(in.sleepers[:0], sleeper{in.present, in.present.From.Forwarded})
	for i := range in.slept {
		in.sleepers = append(in.sleepers, sleeper{&in.slept[i], in.slept[i].From.Forwarded})
	}
	i := 0
	for _, l := range in.led {
		for ; i < l.passed; i++ {
			in.sleepers = append(in.sleepers, sleeper{in.passed[i], in.passed[i].From.Forwarded})
		}
		in.wakeBy(l.ev)
	}
	for ; i < len(in.passed); i++ {
		in.sleepers = append(in.sleepers, sleeper{in.passed[i], in.passed[i].From.Forwarded})
	}
}

// wakeBy removes the sleepers that event e wakes.
func (in *inserter) wakeBy(e *event) {
	n := 0
	for _, s := range in.sleepers {
		d := s.ev
		if d.From.Forwarded != s.forwarded {
			in.probe = *d
			in.probe.From.Forwarded = s.forwarded
			d = &in.probe
		}
		if d.Proc == e.Proc || dependent(d, e) {
			continue
		}
		if s.forwarded != 0 && e.Flags&isUpdate != 0 && d.Thread == e.Thread {
			s.forwarded &^= d.From.BytesOf(e.Ord, s.forwarded)
		}
		in.sleepers[n] = s
		n++
	}
	in.sleepers = in.sleepers[:n]
}

// branch returns a branch with the rest of v, up to the event after which nothing sleeps. It
// returns nil if nothing is left of v.
func (in *inserter) branch(v *sequence) *tree {
	var first, at *tree
	in.findSleepers()
	for k := 0; v.has(k); k++ {
		if v.items[k].gone {
			continue
		}
		e := v.get(k)
		in.reach = max(in.reach, k+1)
		t := in.newTree(e)
		if first == nil {
			first = t
		} else {
			in.add(&at.below, t)
		}
		at = t
		if in.sourceDPOR {
			break
		}
		if in.wakeBy(e); len(in.sleepers) == 0 {
			break
		}
	}
	return first
}

func (in *inserter) newTree(e *event) *tree {
	if in.unused == nil {
		more := make([]tree, 64)
		in.size += len(more)
		for i := range more {
			in.free(&more[i])
		}
	}
	t := in.unused
	in.unused = t.next
	t.ev, t.below, t.next, t.sharing = *e, branches{}, nil, sharing{}
	in.size++
	in.most = max(in.most, in.size)
	return t
}

// free takes back a node that is not used any more, for newTree.
func (in *inserter) free(t *tree) {
	in.size--
	t.next = in.unused
	in.unused = t
}

// add adds a branch at the end of a list.
func (in *inserter) add(l *branches, t *tree) {
	b := in.spare
	if b == nil {
		more := make([]branch, 64)
		for i := range more {
			more[i].next = b
			b = &more[i]
		}
	}
	in.spare = b.next
	b.tree, b.next = t, nil
	if l.n++; l.first == nil {
		l.first = b
	} else {
		l.last.next = b
	}
	l.last = b
}

// pop takes the first branch out of a list.
func (in *inserter) pop(l *branches) *tree {
	b := l.first
	t := b.tree
	l.n--
	l.first = b.next
	b.tree, b.next, in.spare = nil, in.spare, b
	return t
}
