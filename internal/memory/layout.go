package memory

import "fencepost/internal/ir"

// layout is where static memory lies in State.mem. Neighbouring objects share a segment, so
// that an address is found by few comparisons.
type layout struct {
	objects  []ir.Object
	segments []segment
	objectAt []uint32 // by static byte: 1 + object, 0 in the gaps
	units    []unit   // how static memory is encoded
	unitAt   []int32  // by static byte: its unit, any in the gaps
	initial  []byte
}

// segment is a stretch of address space kept flat at offset off of State.mem.
type segment struct {
	base uint64
	size uint64
	off  int
}

// unit is a piece of static memory that encodes as one number.
type unit struct {
	off    int32
	size   uint8
	signed bool
	masked bool // encoded with its undefined bits
}

// newLayout lays out the objects of a program.
func newLayout(p *ir.Program) layout {
	l := layout{objects: p.Objects}
	for _, id := range objectsByAddress(p) {
		o := &p.Objects[id]
		if o.Size == 0 {
			continue
		}
		const near = 4096
		n := len(l.segments)
		if n == 0 || o.Addr-(l.segments[n-1].base+l.segments[n-1].size) > near {
			l.segments = append(l.segments, segment{base: o.Addr, off: len(l.initial)})
			n++
		}
		seg := &l.segments[n-1]
		seg.size = o.Addr + uint64(o.Size) - seg.base
		end := seg.off + int(seg.size)
		for len(l.initial) < end {
			l.initial = append(l.initial, 0)
			l.objectAt = append(l.objectAt, 0)
			l.unitAt = append(l.unitAt, 0)
		}
		start := seg.off + int(o.Addr-seg.base)
		copy(l.initial[start:], o.Init)
		for i := start; i < end; i++ {
			l.objectAt[i] = 1 + uint32(id)
		}
		l.addUnits(o, start)
	}
	return l
}

func (l *layout) addUnits(o *ir.Object, start int) {
	size := o.Unit
	if size != 1 && size != 2 && size != 4 && size != 8 {
		size = 8
	}
	for off := 0; off < int(o.Size); off += size {
		for off+size > int(o.Size) {
			size /= 2
		}
		for i := range size {
			l.unitAt[start+off+i] = int32(len(l.units))
		}
		l.units = append(l.units, unit{off: int32(start + off), size: uint8(size), signed: o.Type.Signed, masked: o.Masked})
	}
}

func objectsByAddress(p *ir.Program) []ir.ObjectID {
	ids := make([]ir.ObjectID, len(p.Objects))
	for i := range ids {
		ids[i] = ir.ObjectID(i)
	}
	// Objects come almost sorted: insertion sort.
	for i := 1; i < len(ids); i++ {
		for j := i; j > 0 && p.Objects[ids[j]].Addr < p.Objects[ids[j-1]].Addr; j-- {
			ids[j], ids[j-1] = ids[j-1], ids[j]
		}
	}
	return ids
}

// find returns the offset of static bytes in State.mem, or -1 if the bytes are not static.
// The bytes must lie in object obj, unless that is ir.NoObject.
func (l *layout) find(addr uint64, size int, obj int32) (int, ir.CheckClass) {
	if obj != int32(ir.NoObject) {
		o := &l.objects[obj]
		if addr-o.Addr >= uint64(o.Size) || uint64(o.Size)-(addr-o.Addr) < uint64(size) {
			return -1, ir.OutOfBounds
		}
	}
	for i := range l.segments {
		seg := &l.segments[i]
		if d := addr - seg.base; d < seg.size {
			if seg.size-d < uint64(size) {
				return -1, 0
			}
			off := seg.off + int(d)
			if id := l.objectAt[off]; id == 0 || l.objectAt[off+size-1] != id {
				return -1, 0
			}
			return off, 0
		}
	}
	return -1, 0
}

// object returns the object at an offset of State.mem, or ir.NoObject if the offset is not in
// static memory.
func (l *layout) object(off int) ir.ObjectID {
	if off < 0 || off >= len(l.objectAt) {
		return ir.NoObject
	}
	return ir.ObjectID(l.objectAt[off]) - 1
}

// staticOff returns an offset that lies in static memory, and -1 for others: blocks move.
func (l *layout) staticOff(off int) int32 {
	if off < len(l.initial) {
		return int32(off)
	}
	return -1
}

// forbidden reports whether an operation writes to a read-only object. off is the offset of
// its bytes. Stores are checked where they are issued, so a forbidden store never enters a
// buffer.
func (l *layout) forbidden(e *edge, off int) bool {
	if e.kind != ir.Store && e.kind != ir.RMW {
		return false
	}
	id := l.object(off)
	return id != ir.NoObject && l.objects[id].ReadOnly
}

// putAddress appends an address; static ones become small offsets.
func (l *layout) putAddress(out []byte, addr uint64) []byte {
	for i := range l.segments {
		if d := addr - l.segments[i].base; d < l.segments[i].size {
			return putNumber(putNumber(out, int64(1+i)), int64(d))
		}
	}
	return putNumber(putNumber(out, 0), int64(addr))
}

// getAddress reads an address that putAddress wrote, and returns its offset in State.mem or
// -1, and the rest of the input.
func (l *layout) getAddress(in []byte) (uint64, int32, []byte) {
	i, in := getNumber(in)
	v, in := getNumber(in)
	if i == 0 {
		return uint64(v), -1, in
	}
	seg := &l.segments[i-1]
	return seg.base + uint64(v), int32(seg.off) + int32(v), in
}
