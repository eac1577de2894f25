package memory

import (
	"errors"

	"fencepost/internal/ir"
)

// Undefined bits. Memory and the entries of buffers hold, beside values, which bits of them are undefined: a mask,
// with a bit for each. Only programs in which a load asks for masks have any (ir.Op.DstMask), and of static memory
// only the objects that may hold undefined bits. Undefined bits have the value 0. What computes with masks, and what checks them, is
// ordinary code of the program (transform/undefined.go); the rules are in docs/models.md.

// ErrUntracked says that undefined bits were stored outside of the memory that may hold any.
var ErrUntracked = errors.New("an access leaves its object and stores a value that is not initialised")

// maskAt returns the undefined bits of bytes that resolve found.
func maskAt(s *State, off, size int) uint64 {
	if off < 0 || s.masks == nil {
		return 0
	}
	return loadBytes(s.masks[off:], size)
}

// putMask notes which bits of the bytes at off, which were just written, are undefined.
func putMask(y *System, s *State, off, size int, mask uint64) {
	if s.masks == nil || off < 0 {
		return
	}
	if id := y.static.object(off); id != ir.NoObject && !y.static.objects[id].Masked {
		if mask != 0 {
			s.Err = ErrUntracked
		}
		return
	}
	if maskAt(s, off, size) != mask {
		setMask(s, off, size, mask)
	}
}

// evalMask returns the undefined bits of the value that an edge writes.
func (e *edge) evalMask(regs []int64) uint64 {
	if e.mask.kind == codeNone {
		return 0
	}
	return truncate(e.mask.eval(regs, 0), int(e.size))
}

// takeMask returns the undefined bits of what a load of thread t reads.
func (e *edge) takeMask(s *State, t, off int, addr uint64) uint64 {
	memory := maskAt(s, off, int(e.size))
	if e.private || len(s.bufs[t]) == 0 {
		return memory
	}
	var mask uint64
	var done uint8
	b, all := s.bufs[t], byteMask(int(e.size))
	for i := len(b) - 1; i >= 0 && done != all; i-- {
		en := &b[i]
		if en.Kind != StoreEntry || !overlaps(addr, uint32(e.size), en.Addr, en.Size) {
			continue
		}
		of := Entry{Addr: en.Addr, Size: en.Size, Val: en.Mask}
		v, has := of.bytesFor(addr, int(e.size))
		has &^= done
		mask |= v & byteBits(has)
		done |= has
	}
	return mask | memory&^byteBits(done)
}

// asks reports whether an operation wants to know that what it reads is undefined: its condition then counts as
// satisfied, so that the check after the operation is reached.
func (e *edge) asks(mask uint64) bool { return e.dstMask >= 0 && mask != 0 }

// setDstMask sets the register for the undefined bits that an operation has read.
func (e *edge) setDstMask(y *System, s *State, t int, mask uint64) {
	if e.dstMask >= 0 {
		y.set(s, t, e.dstMask, extend(mask, int(e.size), e.signed))
	}
}

// undefine makes bytes at off undefined: the contents of a block that thread t allocates, or of a variable whose
// scope begins. Older stores of the thread to these bytes that still wait carry undefined bits from now on.
func undefine(s *State, t, off int, addr uint64, size int) {
	for k := 0; k < size; {
		n := 8
		for k+n > size {
			n /= 2
		}
		s.setMem(off+k, n, 0)
		setMask(s, off+k, n, truncate(-1, n))
		k += n
	}
	waiting := false
	for i := range s.bufs[t] {
		e := &s.bufs[t][i]
		waiting = waiting || e.Kind == StoreEntry && overlaps(addr, uint32(size), e.Addr, e.Size)
	}
	if !waiting {
		return
	}
	s.saveBuffer(t)
	for i := range s.bufs[t] {
		e := &s.bufs[t][i]
		if e.Kind != StoreEntry || !overlaps(addr, uint32(size), e.Addr, e.Size) {
			continue
		}
		for k := range uint64(e.Size) {
			if overlaps(addr, uint32(size), e.Addr+k, 1) {
				e.Mask |= 0xff << (8 * k)
			}
		}
		e.Val &^= e.Mask
	}
}

// undefineObject makes the object of an edge undefined, if its masks matter.
func (e *edge) undefineObject(y *System, s *State, t int) {
	o := &y.static.objects[e.obj]
	off, _ := y.static.find(o.Addr, int(o.Size), int32(ir.NoObject))
	undefine(s, t, off, o.Addr, int(o.Size))
}

// appendMasks encodes the undefined bits of a block: 0 if there are none, 1 if all are undefined, 2 and the bytes.
func appendMasks(out, masks []byte) []byte {
	if len(masks) == 0 {
		return out
	}
	all := masks[0] == 0 || masks[0] == 0xff
	for _, b := range masks {
		all = all && b == masks[0]
	}
	if all {
		return append(out, masks[0]&1)
	}
	return append(append(out, 2), masks...)
}

// readMasks reads the undefined bits of the block that the last bytes of mem belong to, and returns the rest of the input.
func readMasks(s *State, has bool, in []byte) []byte {
	first := len(s.masks)
	for len(s.masks) < len(s.mem) {
		s.masks = append(s.masks, 0)
	}
	if !has {
		return in
	}
	tag := in[0]
	in = in[1:]
	masks := s.masks[first:]
	switch tag {
	case 1:
		for i := range masks {
			masks[i] = 0xff
		}
	case 2:
		n := copy(masks, in)
		in = in[n:]
	}
	return in
}

func setMask(s *State, off, size int, v uint64) {
	s.undo = append(s.undo, undo{kind: undoMask, a: int32(off), size: uint8(size), old: int64(loadBytes(s.masks[off:], size))})
	putBytes(s.masks[off:], size, v)
}
