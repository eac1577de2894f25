package memory

import (
	"errors"

	"fencepost/internal/ir"
)

// Own memory. The idea: what a thread keeps to itself needs no buffer. A store to an
// object that no other thread can reach takes effect at once, and a load of it
// reads memory at once: nobody can tell when the store arrives.
//
// An object is a thread's own if the thread alone mentions it and its address stays
// confined (ir.Flow). That speaks of programs that keep inside their objects. For the
// others there is a guard: an access that reaches an object it was not expected to
// reach, whoever makes it, stops the search with ErrStray, and the engine starts again
// without own memory. So nothing rests on the analysis but speed.
//
// docs/engines/explicit.md has the argument.

// ErrStray says that an access reached a thread's own memory from elsewhere.
var ErrStray = errors.New("an access leaves its object")

// ownership is which memory is whose.
type ownership struct {
	of    []int32                   // per object: its thread, -1: shared
	edges map[ir.EdgeID]ir.ObjectID // accesses to own memory
}

// findOwn decides which objects are a thread's own.
func findOwn(p *ir.Program) *ownership {
	o := &ownership{of: make([]int32, len(p.Objects)), edges: map[ir.EdgeID]ir.ObjectID{}}
	const nobody, shared = -1, -2
	for i := range o.of {
		o.of[i] = nobody
	}
	touch := func(id ir.ObjectID, t int32) {
		if o.of[id] == nobody {
			o.of[id] = t
		} else if o.of[id] != t {
			o.of[id] = shared
		}
	}
	initialAddresses(p, func(id ir.ObjectID) { touch(id, shared) })
	flows := make([]*ir.Flow, len(p.Threads))
	for t := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(t))
		flows[t] = ir.NewFlow(f)
		flows[t].Sources(func(s ir.Source, confined bool) {
			switch {
			case s.Object == ir.NoObject:
			case confined && !p.Threads[t].Unbounded:
				touch(s.Object, int32(t))
			default:
				touch(s.Object, shared)
			}
		})
		for i := range f.Edges {
			if op := &f.Edges[i].Op; op.Obj != ir.NoObject && op.Accesses() {
				touch(op.Obj, int32(t))
			} else if op.Obj != ir.NoObject {
				touch(op.Obj, shared)
			}
		}
	}
	for i := range o.of {
		o.of[i] = max(o.of[i], -1)
		if p.Objects[i].Cells { // integers name them
			o.of[i] = -1
		}
	}
	o.collect(p, flows)
	return o
}

// initialAddresses calls f on the objects whose address a thread is given, or memory
// holds at first.
func initialAddresses(p *ir.Program, f func(ir.ObjectID)) {
	word := func(v uint64) {
		for i := range p.Objects {
			if o := &p.Objects[i]; v >= o.Addr && v-o.Addr <= uint64(o.Size) {
				f(ir.ObjectID(i))
			}
		}
	}
	for _, t := range p.Threads {
		for _, v := range t.Args {
			word(uint64(v))
		}
	}
	for i := range p.Objects {
		for b := p.Objects[i].Init; len(b) >= wordSize; b = b[wordSize:] {
			v := uint64(0)
			for i := range wordSize {
				v |= uint64(b[i]) << (8 * i)
			}
			word(v)
		}
	}
}

// collect finds the accesses to own memory, and gives up the objects where an access may
// mean several.
func (o *ownership) collect(p *ir.Program, flows []*ir.Flow) {
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
					o.of[id] = -1
				}
			} else if len(ids) == 1 && o.of[ids[0]] >= 0 {
				o.edges[e.ID] = ids[0]
			}
		}
	}
	for e, id := range o.edges {
		if o.of[id] < 0 {
			delete(o.edges, e)
		}
	}
}

// reachedObjects are the objects an access may reach, or nil.
func reachedObjects(op *ir.Op, sources []ir.Source) []ir.ObjectID {
	if op.Obj != ir.NoObject {
		return []ir.ObjectID{op.Obj}
	}
	var out []ir.ObjectID
	for _, s := range sources {
		if s.Object == ir.NoObject {
			return nil
		}
		out = append(out, s.Object)
	}
	return out
}

// wordOf resolves a word that an operation reaches beside its address: the mutex of a
// condition.
func (y *System) wordOf(s *State, addr uint64) (int, ir.CheckClass) {
	off, fault := y.resolve(s, addr, wordSize, int32(ir.NoObject))
	if fault == 0 && y.OwnAt(addr) {
		s.Err = ErrStray
	}
	return off, fault
}

// owned reports whether an edge accesses own memory.
func (y *System) owned(e *ir.Edge) bool {
	if y.own == nil {
		return false
	}
	_, ok := y.own.edges[e.ID]
	return ok
}

// Owns reports whether some memory is treated as a thread's own.
func (y *System) Owns() bool { return y.own != nil && len(y.own.edges) > 0 }

// OwnAt reports whether an address lies in a thread's own memory.
func (y *System) OwnAt(addr uint64) bool {
	off, fault := y.resolveStatic(addr, 1, int32(ir.NoObject))
	return y.own != nil && fault == 0 && off >= 0 && y.own.of[y.objectAt[off]-1] >= 0
}

// stray reports whether an access, found at off, is not where the analysis has it.
func (y *System) stray(e *edge, off int) bool {
	id := ir.NoObject
	if off >= 0 && off < len(y.objectAt) {
		id = ir.ObjectID(y.objectAt[off]) - 1
	}
	if !e.own {
		return id != ir.NoObject && y.own.of[id] >= 0
	}
	return id != y.own.edges[e.ir.ID]
}
