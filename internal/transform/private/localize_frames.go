//go:build !fencepost_small

package private

import (
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Frames of machine code. A frame begins with zeros (docs/languages/x86.md), and an object would have what the last
// activation left in it. So a block that is confined only because the lives of registers are separate becomes an object
// only if it is allocated once, or if the object becomes registers next and no part of it is read before it is written:
// then no execution can tell.

// separate splits the lives of registers if that confines more blocks.
func (l *localizer) separate() error {
	l.split = map[ir.EdgeID]bool{}
	if l.observed || len(l.escaping()) == 0 {
		return nil
	}
	if err := l.stopped(); err != nil {
		return err
	}
	f := splitLives(l.f)
	if f == nil {
		return nil
	}
	s := &localizer{f: f}
	s.forwardBlocks()
	s.flow = analysis.NewPointsTo(s.f)
	still := s.escaping()
	for _, e := range l.escaping() {
		if !slices.Contains(still, e) {
			l.split[e] = true
		}
	}
	if len(l.split) > 0 {
		l.f, l.flow = s.f, s.flow
	}
	return nil
}

// escaping returns the allocations of automatic variables whose addresses may leave the thread.
func (l *localizer) escaping() []ir.EdgeID {
	var out []ir.EdgeID
	l.flow.Pointees(func(s analysis.Pointee, confined bool) {
		if s.Object == ir.NoObject && !confined {
			out = append(out, s.Alloc)
		}
	})
	return out
}

// mustStay returns what allocates blocks that cannot become objects after all.
func (l *localizer) mustStay(id ir.FuncID) []ir.EdgeID {
	r := &registerMaker{p: l.p, parts: map[ir.ObjectID][]objectPart{}, barred: map[ir.ObjectID]bool{}}
	for o := range l.p.Objects {
		r.barred[ir.ObjectID(o)] = true
	}
	cycles := analysis.Components(l.f, nil)
	again := map[ir.EdgeID]bool{} // allocations on cycles
	for i := range l.f.Edges {
		if e := &l.f.Edges[i]; l.split[e.ID] {
			again[e.ID] = cycles[e.From] == cycles[e.To]
		}
	}
	found := 0
	for e := range l.split {
		if o, ok := l.made[e]; ok {
			r.barred[o] = !r.mayBeRegisters(&l.p.Objects[o])
			found++
		}
	}
	if found == 0 {
		return nil
	}
	f := r.knownAddresses(l.f)
	for i := range f.Edges {
		r.note(id, &f.Edges[i].Op, true)
	}
	var out []ir.EdgeID
	for e, o := range l.made {
		if again[e] && (r.barred[o] || r.readFirst(f, o, e)) {
			out = append(out, e)
		}
	}
	return out
}

// readFirst reports whether a part of an object may be read before it is written, when control has passed the edge where
// the object begins.
func (r *registerMaker) readFirst(f *ir.Func, object ir.ObjectID, begins ir.EdgeID) bool {
	into := make([][]int32, len(f.Locs))
	read := make([]uint32, len(f.Locs)) // by location: the parts that are read before they are written
	var work []int32
	start := ir.Loc(-1)
	for i := range f.Edges {
		e := &f.Edges[i]
		into[e.To] = append(into[e.To], int32(i))
		if o, _, ok := r.accessedPart(&e.Op); ok && o == object && e.Op.Kind == ir.Load {
			work = append(work, int32(i))
		}
		if e.ID == begins {
			start = e.To
		}
	}
	for len(work) > 0 {
		e := &f.Edges[work[len(work)-1]]
		work = work[:len(work)-1]
		before := read[e.To]
		if o, off, ok := r.accessedPart(&e.Op); ok && o == object {
			part := uint32(1) << slices.IndexFunc(r.parts[o], func(part objectPart) bool { return part.off == off })
			if before &^= part; e.Op.Kind == ir.Load {
				before |= part
			}
		}
		if e.ID == begins || read[e.From]|before == read[e.From] {
			continue
		}
		read[e.From] |= before
		work = append(work, into[e.From]...)
	}
	return read[start] != 0
}
