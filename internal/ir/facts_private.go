package ir

import "sort"

// Objects that one thread alone touches. Nobody else can notice what happens to
// them, so engines treat accesses to them as local. The analysis is flow-blind:
// one access with an unknown address anywhere, and nothing is private; an
// address used as a value, and that object is not.

// PrivateObject is the thread that alone accesses an object, if there is one.
// Nothing is said of objects that no thread accesses.
func (fs *Facts) PrivateObject(o ObjectID) (ThreadID, bool) {
	t := fs.owners[o]
	return t, t != NoThread
}

// owners finds the only thread of each object.
func owners(p *Program, places []Footprint) []ThreadID {
	const shared = ThreadID(-2)
	owner := make([]ThreadID, len(p.Objects))
	for o := range owner {
		owner[o] = NoThread
	}
	touch := func(o ObjectID, t ThreadID) {
		if owner[o] == NoThread {
			owner[o] = t
		} else if owner[o] != t {
			owner[o] = shared
		}
	}
	find := objectFinder(p)
	lost := false
	for t := range p.Threads {
		f := p.ThreadFunc(ThreadID(t))
		for i := range f.Edges {
			e := &f.Edges[i]
			place := places[e.ID]
			lost = lost || place.Anything && e.Op.Kind != Alloc && e.Op.Kind != Free // blocks are not static objects
			for _, r := range place.Ranges {
				find(r, func(o ObjectID) {
					touch(o, ThreadID(t))
					if p.Threads[t].Unbounded {
						touch(o, shared)
					}
				})
			}
			escapes(&e.Op, func(o ObjectID) { touch(o, shared) })
		}
	}
	for o := range owner {
		if lost || owner[o] == shared {
			owner[o] = NoThread
		}
	}
	return owner
}

// objectFinder makes a function that calls f on the objects a range touches.
func objectFinder(p *Program) func(r Bytes, f func(ObjectID)) {
	order := make([]ObjectID, len(p.Objects))
	for i := range order {
		order[i] = ObjectID(i)
	}
	sort.Slice(order, func(i, j int) bool { return p.Objects[order[i]].bytes().Lo < p.Objects[order[j]].bytes().Lo })
	return func(r Bytes, f func(ObjectID)) {
		first := sort.Search(len(order), func(i int) bool { return p.Objects[order[i]].bytes().Hi > r.Lo })
		for _, o := range order[first:] {
			if p.Objects[o].bytes().Lo >= r.Hi {
				break
			}
			f(o)
		}
	}
}

// escapes calls f on the objects whose address the operation uses as a value.
func escapes(op *Op, f func(ObjectID)) {
	visit := func(e *Expr) {
		e.Walk(func(e *Expr) {
			if e.Op == AddrOf {
				f(e.Obj)
			}
		})
	}
	visit(op.Val)
	visit(op.Cond)
	if op.Kind != CondWait { // there it is the address of the mutex
		visit(op.Val2)
	}
	for _, a := range op.Args {
		visit(a)
	}
}
