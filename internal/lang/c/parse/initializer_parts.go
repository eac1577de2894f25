package parse

import (
	"fencepost/internal/lang/c/lex"
	"fencepost/internal/lang/c/types"
)

// clear sets a part to zero if an earlier value set some of it.
func (f *filler) clear(t *types.Type, offset int64) {
	end := offset + t.Size()
	for i := range f.in.Items {
		item := &f.in.Items[i]
		first, last := item.Offset, item.Offset+(item.Count-1)*item.Stride+item.Type.Size()
		if first < end && offset < last {
			f.add(offset, nil, t, nil)
			return
		}
	}
}

// choose notes which member of a union is set. Setting another one than before clears the
// union.
func (f *filler) choose(t *types.Type, fd *types.Field, offset int64) {
	key := unionAt{t.Record, offset}
	if last := f.chosen[key]; last != nil && last != fd {
		f.clear(t, offset)
	}
	if f.chosen == nil {
		f.chosen = map[unionAt]*types.Field{}
	}
	f.chosen[key] = fd
}

// isFull reports whether an aggregate has no part of a number.
func (f *filler) isFull(t *types.Type, index int64) bool {
	switch t.Kind {
	case types.Array, types.Vector:
		return t.Len >= 0 && index >= t.Len
	case types.Union:
		return index >= 1 || firstNamed(t) < 0
	default:
		return f.fieldAt(t, index) < 0
	}
}

// firstNamed returns the index of the first member that can be initialized, or -1.
func firstNamed(t *types.Type) int {
	for i := range t.Record.Fields {
		if fd := &t.Record.Fields[i]; fd.ID != 0 || fd.Type.IsRecord() {
			return i
		}
	}
	return -1
}

// fieldAt returns the index of a member by its number among the members that can be
// initialized, or -1.
func (f *filler) fieldAt(t *types.Type, n int64) int {
	for i := range t.Record.Fields {
		fd := &t.Record.Fields[i]
		if fd.ID == 0 && !fd.Type.IsRecord() {
			continue
		}
		if n == 0 {
			return i
		}
		n--
	}
	return -1
}

// part returns the part of an aggregate with a number.
func (f *filler) part(t *types.Type, index, offset int64) (*types.Field, *types.Type, int64) {
	if t.Kind == types.Array || t.Kind == types.Vector {
		return nil, t.Elem, offset + index*t.Elem.Size()
	}
	i := f.fieldAt(t, index)
	if t.Kind == types.Union {
		i = firstNamed(t)
	}
	fd := &t.Record.Fields[i]
	if t.Kind == types.Union {
		f.choose(t, fd, offset)
	}
	return fd, fd.Type, offset + fd.Offset
}

// index reads [n] or [a ... b].
func (f *filler) index(t *types.Type) (low, high int64) {
	p := f.p
	at := p.at
	p.next()
	low = p.constantInt("an index").Int64()
	high = low
	if p.accept(lex.Ellipsis) {
		high = p.constantInt("an index").Int64()
	}
	p.expect(lex.RBracket)
	if low < 0 || high < low || t.Len >= 0 && high >= t.Len || high > 1<<40 {
		p.errorf(at, "there is no element with this index")
		panic(bail{})
	}
	return low, high
}

// numberOf returns the number of a member among the members that can be initialized.
func (f *filler) numberOf(t *types.Type, fd *types.Field) int64 {
	n := int64(0)
	for i := range t.Record.Fields {
		other := &t.Record.Fields[i]
		if other == fd {
			return n
		}
		if other.ID != 0 || other.Type.IsRecord() {
			n++
		}
	}
	return n
}
