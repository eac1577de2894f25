package memory

// Every change of a State is logged, so that a step can be undone without copying the state.
// Records are small; buffer entries and whole buffers that a step removes go to stacks of their
// own.

type undoKind uint8

const (
	undoPC undoKind = iota
	undoReg
	undoStatus
	undoWait
	undoResult
	undoFresh
	undoMem       // a: offset, size
	undoMask      // a: offset, size
	undoBlockAdd  // a: index; its bytes are the last of mem
	undoBlockFree // a: index; old: freed or not
	undoOrigin    // a: index; old: site and order
	undoPush      // t: the entry at index a was added
	undoRemove    // t: the entry at index a was removed; it is on the removed stack
	undoBuffer    // t: the whole buffer is on the saved stack
	undoHolder    // old
	undoAttacker  // old
	undoOver      //
	undoFault     //
)

type undo struct {
	kind undoKind
	size uint8
	t    int16
	a    int32
	old  int64
}

// Mark returns a mark that Undo can return to.
func (s *State) Mark() int { return len(s.undo) }

// Undo undoes all changes since the mark.
func (s *State) Undo(mark int) {
	for i := len(s.undo) - 1; i >= mark; i-- {
		u := &s.undo[i]
		switch u.kind {
		case undoPC:
			s.pc[u.t] = int32(u.old)
		case undoReg:
			s.regs[u.a] = u.old
		case undoStatus:
			s.status[u.t] = threadStatus(u.old)
		case undoWait:
			s.wait[u.t] = int32(u.old)
		case undoResult:
			s.result[u.t] = u.old
		case undoFresh:
			s.fresh[u.t] = uint64(u.old)
		case undoMem:
			s.put(int(u.a), int(u.size), uint64(u.old))
		case undoMask:
			putBytes(s.masks[u.a:], int(u.size), uint64(u.old))
		case undoBlockAdd:
			s.mem = s.mem[:s.blocks[u.a].off]
			if s.masks != nil {
				s.masks = s.masks[:len(s.mem)]
			}
			s.blocks = append(s.blocks[:u.a], s.blocks[u.a+1:]...)
		case undoBlockFree:
			s.blocks[u.a].free = u.old != 0
		case undoOrigin:
			s.blocks[u.a].site, s.blocks[u.a].order = int32(u.old>>32), int32(u.old)
		case undoPush:
			b := s.bufs[u.t]
			s.bufs[u.t] = append(b[:u.a], b[u.a+1:]...)
		case undoRemove:
			e := s.removed[len(s.removed)-1]
			s.removed = s.removed[:len(s.removed)-1]
			s.putBack(int(u.t), int(u.a), e)
		case undoBuffer:
			old := s.saved[len(s.saved)-1]
			s.saved = s.saved[:len(s.saved)-1]
			s.bufs[u.t] = append(s.bufs[u.t][:0], old...)
		case undoHolder:
			s.holder = int32(u.old)
		case undoAttacker:
			s.attacker = int32(u.old)
		case undoOver:
			s.over = false
		case undoFault:
			s.faulted = false
		}
	}
	s.undo = s.undo[:mark]
}

func insertEntry(b []Entry, i int, e Entry) []Entry {
	b = append(b, Entry{})
	copy(b[i+1:], b[i:])
	b[i] = e
	return b
}

func (s *State) setPC(t int, l int32) {
	s.undo = append(s.undo, undo{kind: undoPC, t: int16(t), old: int64(s.pc[t])})
	s.pc[t] = l
}

func (s *State) setReg(i int, v int64) {
	s.undo = append(s.undo, undo{kind: undoReg, a: int32(i), old: s.regs[i]})
	s.regs[i] = v
}

func (s *State) setStatus(t int, v threadStatus) {
	s.undo = append(s.undo, undo{kind: undoStatus, t: int16(t), old: int64(s.status[t])})
	s.status[t] = v
}

func (s *State) setWait(t int, v int32) {
	s.undo = append(s.undo, undo{kind: undoWait, t: int16(t), old: int64(s.wait[t])})
	s.wait[t] = v
}

func (s *State) setResult(t int, v int64) {
	s.undo = append(s.undo, undo{kind: undoResult, t: int16(t), old: s.result[t]})
	s.result[t] = v
}

func (s *State) setFresh(t int, v uint64) {
	s.undo = append(s.undo, undo{kind: undoFresh, t: int16(t), old: int64(s.fresh[t])})
	s.fresh[t] = v
}

func (s *State) setMem(off, size int, v uint64) {
	s.undo = append(s.undo, undo{kind: undoMem, a: int32(off), size: uint8(size), old: int64(s.load(off, size))})
	s.put(off, size, v)
}

func (s *State) setHolder(t int32) {
	s.undo = append(s.undo, undo{kind: undoHolder, old: int64(s.holder)})
	s.holder = t
}

func (s *State) setOver() {
	s.undo = append(s.undo, undo{kind: undoOver})
	s.over = true
}

func (s *State) fail(f Fault) {
	s.undo = append(s.undo, undo{kind: undoFault})
	s.faulted, s.fault = true, f
}

func (s *State) freeBlock(i int, free bool) {
	s.undo = append(s.undo, undo{kind: undoBlockFree, a: int32(i), old: bit(s.blocks[i].free)})
	s.blocks[i].free = free
}

func (s *State) setOrigin(i int, site, order int32) {
	b := &s.blocks[i]
	s.undo = append(s.undo, undo{kind: undoOrigin, a: int32(i), old: int64(b.site)<<32 | int64(b.order)})
	b.site, b.order = site, order
}

// addBlock inserts a block of zero bytes and returns its index.
func (s *State) addBlock(addr uint64, size uint32, kind blockKind) int {
	i := s.blockAfter(addr)
	s.blocks = append(s.blocks, block{})
	copy(s.blocks[i+1:], s.blocks[i:])
	s.blocks[i] = block{addr: addr, size: size, off: int32(len(s.mem)), kind: kind}
	for range size {
		s.mem = append(s.mem, 0)
		if s.masks != nil {
			s.masks = append(s.masks, 0)
		}
	}
	s.undo = append(s.undo, undo{kind: undoBlockAdd, a: int32(i)})
	return i
}

func (s *State) push(t, i int, e Entry) {
	s.bufs[t] = insertEntry(s.bufs[t], i, e)
	s.sizes.add(&e)
	s.undo = append(s.undo, undo{kind: undoPush, t: int16(t), a: int32(i)})
}

func (s *State) remove(t, i int) Entry {
	e := s.bufs[t][i]
	s.removed = append(s.removed, e)
	s.takeOut(t, i)
	s.undo = append(s.undo, undo{kind: undoRemove, t: int16(t), a: int32(i)})
	return e
}

// saveBuffer logs a whole buffer, so that the caller may rewrite it.
func (s *State) saveBuffer(t int) {
	s.saved = append(s.saved, append([]Entry(nil), s.bufs[t]...))
	s.undo = append(s.undo, undo{kind: undoBuffer, t: int16(t)})
}
