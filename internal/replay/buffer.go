package replay

import (
	"slices"

	"fencepost/internal/ir"
	"fencepost/verdict"
)

// Store buffers.
//
// A buffer is one list in program order. TSO may flush only the first entry
// [BDM13 Table 1]. PSO may flush any entry that overlaps no older one
// [AAAJLS15 App. C].
//
// Differs from the paper: PSO has one buffer per variable there. Here all entries of a
// thread are in one list, and overlap takes the role of the variable, since accesses
// have sizes. A store-store fence is a marker that no younger entry passes.

// push adds the newest entry.
func (th *thread) push(e entry) {
	th.buf = append(th.buf, e)
}

// mark adds the marker of a store-store fence, unless there is nothing to order.
func (th *thread) mark() {
	th.push(entry{kind: marker})
	th.tidy()
}

// remove deletes entry i.
func (th *thread) remove(i int) {
	th.buf = slices.Delete(th.buf, i, i+1)
	th.tidy()
}

// tidy deletes the markers that order nothing: one at the front, or right after another.
func (th *thread) tidy() {
	var kept []entry
	for _, e := range th.buf {
		if e.kind == marker && (len(kept) == 0 || kept[len(kept)-1].kind == marker) {
			continue
		}
		kept = append(kept, e)
	}
	th.buf = kept
}

// extent returns the number of bytes that an entry writes. A free writes its whole block.
func (s *state) extent(e entry) int64 {
	switch e.kind {
	case storeEntry:
		return int64(e.size)
	case freeEntry:
		return s.blocks[s.blockAt(e.addr)].size
	default:
		return 0
	}
}

// newest returns the newest buffered store that writes the byte at addr, or nil.
func (th *thread) newest(addr uint64) *entry {
	for i := len(th.buf) - 1; i >= 0; i-- {
		if e := &th.buf[i]; e.kind == storeEntry && inside(addr, 1, e.addr, int64(e.size)) {
			return e
		}
	}
	return nil
}

// at returns the byte that a store writes at addr, which must be one of its bytes.
func (e *entry) at(addr uint64) byte { return byte(uint64(e.value) >> (8 * (addr - e.addr))) }

// pendingFree returns the index of the entry that frees the block, or -1.
func pendingFree(buf []entry, block uint64) int {
	return slices.IndexFunc(buf, func(e entry) bool { return e.kind == freeEntry && e.addr == block })
}

// mayFlush reports whether entry i of a thread may reach memory next.
func (m *machine) mayFlush(s *state, t, i int) bool {
	buf := s.threads[t].buf
	if buf[i].kind == marker {
		return false
	}
	if m.model == TSO {
		return i == 0
	}
	for _, older := range buf[:i] {
		if older.kind == marker || overlap(buf[i].addr, s.extent(buf[i]), older.addr, s.extent(older)) {
			return false
		}
	}
	return true
}

// flushes returns the transitions that move an entry of thread t to memory.
func (m *machine) flushes(s *state, t int) []transition {
	if s.heldByOther(t) {
		return nil
	}
	var out []transition
	for i, e := range s.threads[t].buf {
		if !m.mayFlush(s, t, i) {
			continue
		}
		tr := transition{
			label:  label{thread: t, kind: verdict.StepFlush, edge: ir.NoEdge, of: e.step},
			record: record{addr: e.addr, size: e.size, value: e.value, free: e.kind == freeEntry},
		}
		if e.kind == freeEntry {
			if s.blocks[s.blockAt(e.addr)].freed {
				tr.fail = &violation{ir.DoubleFree, "the free reaches memory after another thread has freed the block"}
			}
		} else {
			tr.fail = m.checkFlush(s, e)
		}
		if tr.fail != nil {
			tr.kind = verdict.StepFail
		} else {
			n := s.clone()
			n.threads[t].remove(i)
			if e.kind == freeEntry {
				n.blocks[n.blockAt(e.addr)].freed = true
			} else {
				n.write(e.addr, e.size, e.value)
				n.writeUndefined(e.addr, e.size, e.undefined)
			}
			tr.next = n
		}
		out = append(out, tr)
	}
	return out
}
