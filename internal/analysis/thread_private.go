package analysis

import (
	"slices"
	"sort"

	"fencepost/internal/ir"
)

// Thread-private memory: objects that a single thread accesses. No other thread can notice
// what happens to them. There are two answers, for two kinds of clients.
//
// Facts.PrivateObject holds in every execution, also of programs that leave their objects. It
// pays for that: one access with an unknown address anywhere, and no object is private.
//
// PrivateMemory finds more objects by points-to analysis, but is right only as long as every
// access stays inside the object it was computed from. Its clients check that while they run
// the program (memory.ErrStray).

// accessors records which thread accesses each object.
type accessors []ir.ThreadID

// severalThreads marks an object that is not private.
const severalThreads ir.ThreadID = -2

func newAccessors(p *ir.Program) accessors {
	a := make(accessors, len(p.Objects))
	for o := range a {
		a[o] = ir.NoThread
	}
	return a
}

func (a accessors) add(o ir.ObjectID, t ir.ThreadID) {
	if a[o] == ir.NoThread {
		a[o] = t
	} else if a[o] != t {
		a[o] = severalThreads
	}
}

// PrivateObject returns the thread that alone accesses an object. It returns false if
// several threads may access the object, or none does.
func (fs *Facts) PrivateObject(o ir.ObjectID) (ir.ThreadID, bool) {
	t := fs.owners[o]
	return t, t != ir.NoThread
}

// owners finds the only thread of each object, whatever the order of operations. An object
// whose address is used as a value has none.
func owners(p *ir.Program, footprints []Footprint) []ir.ThreadID {
	users := newAccessors(p)
	find := ObjectFinder(p)
	unknown := false
	for t := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(t))
		for i := range f.Edges {
			e := &f.Edges[i]
			foot := footprints[e.ID]
			unknown = unknown || foot.Anything && e.Op.Kind != ir.Alloc && e.Op.Kind != ir.Free // blocks are not static objects
			for _, r := range foot.Ranges {
				find(r, func(o ir.ObjectID) {
					users.add(o, ir.ThreadID(t))
					if p.Threads[t].Unbounded {
						users.add(o, severalThreads)
					}
				})
			}
			AddressValues(&e.Op, func(o ir.ObjectID) { users.add(o, severalThreads) })
		}
	}
	for o := range users {
		if unknown || users[o] == severalThreads {
			users[o] = ir.NoThread
		}
	}
	return users
}

// ObjectFinder returns a function that calls f on the objects that overlap a range.
func ObjectFinder(p *ir.Program) func(r Bytes, f func(ir.ObjectID)) {
	order := make([]ir.ObjectID, len(p.Objects))
	bytes := make([]Bytes, len(p.Objects))
	for i := range order {
		order[i] = ir.ObjectID(i)
		bytes[i] = objectBytes(p, ir.ObjectID(i))
	}
	sort.Slice(order, func(i, j int) bool { return bytes[order[i]].Lo < bytes[order[j]].Lo })
	return func(r Bytes, f func(ir.ObjectID)) {
		first := sort.Search(len(order), func(i int) bool { return bytes[order[i]].Hi > r.Lo })
		for _, o := range order[first:] {
			if bytes[o].Lo >= r.Hi {
				break
			}
			f(o)
		}
	}
}

// AddressesIn calls f on the objects whose address an expression takes.
func AddressesIn(e *ir.Expr, f func(ir.ObjectID)) {
	e.Walk(func(e *ir.Expr) {
		if e.Op == ir.AddrOf {
			f(e.Obj)
		}
	})
}

// AddressValues calls f on the objects whose address an operation uses as a value.
func AddressValues(op *ir.Op, f func(ir.ObjectID)) {
	visit := func(e *ir.Expr) { AddressesIn(e, f) }
	visit(op.Val)
	visit(op.Cond)
	if op.Kind != ir.CondWait { // there it is the address of the mutex
		visit(op.Val2)
	}
	for _, a := range op.Call.Args {
		visit(a)
	}
}

// PrivateMemory says which objects are thread-private in executions whose accesses stay
// inside the object that their address was computed from.
type PrivateMemory struct {
	owner    []ir.ThreadID             // by object; NoThread: shared
	accesses map[ir.EdgeID]ir.ObjectID // accesses to thread-private objects
	ranges   []part                    // of other objects, ascending
	partial  map[ir.EdgeID]ir.ThreadID // accesses to these, and who makes them
}

// NewPrivateMemory finds the thread-private objects of a flat program: a single thread
// mentions the object, and its address stays confined to that thread (PointsTo). Of other objects it finds the
// parts that a single thread accesses. If runs is not nil, what other edges access does not count.
func NewPrivateMemory(p *ir.Program, runs func(ir.EdgeID) bool) *PrivateMemory {
	if runs != nil {
		p = without(p, runs)
	}
	users := newAccessors(p)
	escaped := map[ir.ObjectID]bool{}
	initialAddresses(p, func(o ir.ObjectID) {
		users.add(o, severalThreads)
		escaped[o] = true
	})
	flows := make([]*PointsTo, len(p.Threads))
	for t := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(t))
		flows[t] = NewPointsTo(f)
		flows[t].Pointees(func(to Pointee, confined bool) {
			switch {
			case to.Object == ir.NoObject:
			case confined && !p.Threads[t].Unbounded:
				users.add(to.Object, ir.ThreadID(t))
			default:
				users.add(to.Object, severalThreads)
				escaped[to.Object] = escaped[to.Object] || !confined
			}
		})
		for i := range f.Edges {
			if op := &f.Edges[i].Op; op.Obj != ir.NoObject && (op.Accesses() || op.Block.Undef) {
				users.add(op.Obj, ir.ThreadID(t))
			} else if op.Obj != ir.NoObject {
				users.add(op.Obj, severalThreads)
			}
		}
	}
	for o := range users {
		if users[o] == severalThreads || p.Objects[o].Cells { // integers name the cells
			users[o] = ir.NoThread
		}
	}
	m := &PrivateMemory{owner: users, accesses: map[ir.EdgeID]ir.ObjectID{}, partial: map[ir.EdgeID]ir.ThreadID{}}
	m.collect(p, flows)
	m.parts(p, flows, func(o ir.ObjectID) bool { return escaped[o] })
	return m
}

// without returns a program for this analysis that has only the edges that run.
func without(p *ir.Program, runs func(ir.EdgeID) bool) *ir.Program {
	out := *p
	out.Funcs = slices.Clone(p.Funcs)
	for i, f := range p.Funcs {
		part := *f
		part.Edges = slices.DeleteFunc(slices.Clone(f.Edges), func(e ir.Edge) bool { return !runs(e.ID) })
		out.Funcs[i] = &part
	}
	return &out
}

// Private reports whether the object is thread-private.
func (m *PrivateMemory) Private(o ir.ObjectID) bool { return m.owner[o] != ir.NoThread }

// Accesses reports whether an edge accesses a thread-private object, or a private part of another one.
func (m *PrivateMemory) Accesses(e ir.EdgeID) bool {
	_, object := m.accesses[e]
	_, part := m.partial[e]
	return object || part
}

// Accessed returns the thread-private object that an edge accesses. It returns false if the
// edge accesses something else, or nothing.
func (m *PrivateMemory) Accessed(e ir.EdgeID) (ir.ObjectID, bool) {
	o, ok := m.accesses[e]
	return o, ok
}

// Empty reports whether no edge accesses thread-private memory.
func (m *PrivateMemory) Empty() bool { return len(m.accesses) == 0 && len(m.partial) == 0 }

// initialAddresses calls f on the objects whose address is an argument of a thread or stands
// in memory initially.
func initialAddresses(p *ir.Program, f func(ir.ObjectID)) {
	value := func(v uint64) {
		for i := range p.Objects {
			if o := &p.Objects[i]; v >= o.Addr && v-o.Addr <= uint64(o.Size) {
				f(ir.ObjectID(i))
			}
		}
	}
	for _, t := range p.Threads {
		for _, v := range t.Args {
			value(uint64(v))
		}
	}
	const wordSize = 8
	for i := range p.Objects {
		for b := p.Objects[i].Init; len(b) >= wordSize; b = b[wordSize:] {
			v := uint64(0)
			for i := range wordSize {
				v |= uint64(b[i]) << (8 * i)
			}
			value(v)
		}
	}
}

// collect finds the accesses to thread-private objects. An object is shared after all if
// some access may reach it or another object.
func (m *PrivateMemory) collect(p *ir.Program, flows []*PointsTo) {
	for t := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(t))
		for i := range f.Edges {
			e := &f.Edges[i]
			if !e.Op.Accesses() {
				continue
			}
			ids := reachedObjects(&e.Op, flows[t].Reaches(e))
			if len(ids) > 1 {
				for _, id := range ids {
					m.owner[id] = ir.NoThread
				}
			} else if len(ids) == 1 && m.owner[ids[0]] != ir.NoThread {
				m.accesses[e.ID] = ids[0]
			}
		}
	}
	for e, id := range m.accesses {
		if m.owner[id] == ir.NoThread {
			delete(m.accesses, e)
		}
	}
}

// reachedObjects returns the objects an access may reach, nil if it may reach a block or is
// not known.
func reachedObjects(op *ir.Op, pointees []Pointee) []ir.ObjectID {
	if op.Obj != ir.NoObject {
		return []ir.ObjectID{op.Obj}
	}
	var out []ir.ObjectID
	for _, to := range pointees {
		if to.Object == ir.NoObject {
			return nil
		}
		out = append(out, to.Object)
	}
	return out
}
