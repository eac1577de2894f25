package smc

// Wakeup trees [AAJS14 §6], [AAJS17 §6].
//
// A tree at a state says which initial parts of executions are still to be explored
// from there, in which order; a branch is a sequence of events. A sequence v that is
// to be added is led along the first child whose event is a weak initial of v, that is, could come
// first in v or before v without changing it; the event is taken from v if it is
// in it. Arriving at a leaf, v has nothing new: exploring the leaf leads on to it. Where no child fits,
// the rest of v becomes a new last branch.
//
// Differs from the paper: a branch ends where nothing sleeps any more. What sleeps when it is
// explored is known when it is added: what sleeps at the node now, and what is explored from it
// and from the nodes on the way before the branch is. None of that is a weak initial of v, so
// each is woken by some event of v. Behind the last of these the exploration is free: it
// comes to all that follows without being told. Trees are the shorter for it.

// tree is a node other than the root.
type tree struct {
	ev       event
	children []*tree
}

// item is an event of a sequence under construction: number i of the execution, or
// the reversed event if i is none.
type item struct {
	i    int32
	pend uint8 // the bytes that are forwarded in the sequence
	gone bool  // taken out
}

// sequence is an initial part of executions from the state before the first event
// of a race: the wakeup sequence v.
type sequence struct {
	items  []item
	second int32 // the second event of the race, none: it did not happen
	turn   int   // index of the reversed event
	last   event // the reversed event
	upd    event // scratch
}

// get is an event of the sequence as it is in the sequence.
func (x *explorer) get(v *sequence, k int) *event {
	it := &v.items[k]
	if it.i == none {
		return &v.last
	}
	e := &x.ev[it.i]
	if e.src.pend == it.pend {
		return e
	}
	v.upd = *e
	v.upd.src.pend = it.pend
	return &v.upd
}

// What weakInitial says besides an index.
const (
	notInitial = -1
	before     = -2 // not in v, but v goes on unchanged after it
)

// leads reports whether exploring d leads to v: the index of d in v, or before. With source-DPOR,
// whose executions may be cut off and tell only a part of v, d must be an event of v up to the reversed one.
func (x *explorer) leads(d *event, v *sequence) int {
	k := x.weakInitial(d, v)
	if x.source && (k < 0 || k > v.turn) {
		return notInitial
	}
	return k
}

// weakInitial reports whether d could come first in v: the index of it in v, or
// before.
func (x *explorer) weakInitial(d *event, v *sequence) int {
	probe := d
	if d.src.pend != 0 { // it may turn into a load of memory on the way
		x.probe = *d
		probe = &x.probe
	}
	for k := range v.items {
		if v.items[k].gone {
			continue
		}
		e := x.get(v, k)
		if e.proc == d.proc {
			if e.label == d.label {
				return k
			}
			return notInitial
		}
		if !probe.passes(e) {
			return notInitial
		}
	}
	return before
}

// insert leads v along the tree below a list of children and returns the children
// it has then.
func (x *explorer) insert(children []*tree, v *sequence) []*tree {
	for _, c := range children {
		k := x.leads(&c.ev, v)
		if k == notInitial {
			x.passed = append(x.passed, &c.ev)
			continue
		}
		if k >= 0 {
			v.items[k].gone = true
		}
		x.moveFront(&c.ev, v)
		if len(c.children) > 0 {
			x.led = append(x.led, ledBy{&c.ev, len(x.passed)})
			c.children = x.insert(c.children, v)
		}
		return children
	}
	if b := x.branch(v); b != nil {
		return append(children, b)
	}
	return children
}

// ledBy is an event that v was led along, and how many events it had been held against
// in vain before.
type ledBy struct {
	ev     *event
	passed int
}

// findSleepers collects what sleeps where v leaves the tree: what slept at the node, the event explored
// from it at present, and what v was held against in vain, unless something v was led along wakes it.
func (x *explorer) findSleepers() {
	x.sleepers = append(x.sleepers[:0], sleeper{x.present, x.present.src.pend})
	for i := range x.slept {
		x.sleepers = append(x.sleepers, sleeper{&x.slept[i], x.slept[i].src.pend})
	}
	i := 0
	for _, l := range x.led {
		for ; i < l.passed; i++ {
			x.sleepers = append(x.sleepers, sleeper{x.passed[i], x.passed[i].src.pend})
		}
		x.wakeBy(l.ev)
	}
	for ; i < len(x.passed); i++ {
		x.sleepers = append(x.sleepers, sleeper{x.passed[i], x.passed[i].src.pend})
	}
}

// sleeper is an event that sleeps, with the bytes that it still forwards where it has come.
type sleeper struct {
	ev   *event
	pend uint8
}

// wakeBy takes out the sleepers that an event wakes.
func (x *explorer) wakeBy(e *event) {
	n := 0
	for _, s := range x.sleepers {
		d := s.ev
		if d.src.pend != s.pend {
			x.probe = *d
			x.probe.src.pend = s.pend
			d = &x.probe
		}
		if d.proc == e.proc || dependent(d, e) {
			continue
		}
		if s.pend != 0 && e.flags&isUpdate != 0 && d.thread == e.thread {
			s.pend &^= d.src.from(e.ord, s.pend)
		}
		x.sleepers[n] = s
		n++
	}
	x.sleepers = x.sleepers[:n]
}

// moveFront notes what it means for v that an event comes before all of it: bytes
// that a load forwards from the store whose update that is are read in memory then.
func (x *explorer) moveFront(e *event, v *sequence) {
	if e.flags&isUpdate == 0 {
		return
	}
	for k := range v.items {
		if it := &v.items[k]; it.pend != 0 && !it.gone && x.ev[it.i].thread == e.thread {
			it.pend &^= x.ev[it.i].src.from(e.ord, it.pend)
		}
	}
	if v.last.src.pend != 0 && v.last.thread == e.thread {
		v.last.src.reached(e.ord)
	}
}

// branch makes a chain of what is left of v until nothing sleeps, nil if nothing is left.
func (x *explorer) branch(v *sequence) *tree {
	var first, at *tree
	x.findSleepers()
	for k := range v.items {
		if v.items[k].gone {
			continue
		}
		e := x.get(v, k)
		t := x.newTree(e)
		x.trees++
		if first == nil {
			first = t
		} else {
			at.children = []*tree{t}
		}
		at = t
		if x.source {
			break // source-DPOR is told only where to begin
		}
		if x.wakeBy(e); len(x.sleepers) == 0 {
			break
		}
	}
	x.mostTrees = max(x.mostTrees, x.trees)
	return first
}

// newTree is a leaf; what freeTree gave back is used again.
func (x *explorer) newTree(e *event) *tree {
	n := len(x.unused)
	if n == 0 {
		return &tree{ev: *e}
	}
	t := x.unused[n-1]
	x.unused = x.unused[:n-1]
	t.ev = *e
	return t
}

// freeTree gives back a node that has been explored.
func (x *explorer) freeTree(t *tree) {
	t.children = nil
	x.unused = append(x.unused, t)
}
