package replay

import (
	"encoding/binary"
	"slices"

	"fencepost/internal/ir"
)

// state is a state of the whole program. A step never changes a state, but a deep copy
// of it.
type state struct {
	over    bool // exit was executed, and no step is enabled any more
	holder  int  // the thread inside an atomic section, or -1
	threads []thread
	words   []word // the words of memory that are not zero, by address
	// undefined are the words of memory with undefined bits, by address.
	undefined []undefinedWord
	blocks    []block // every block ever allocated, by address
}

// phase says whether a thread runs, waits, or has not started. Its location is separate.
type phase uint8

const (
	unstarted phase = iota
	running
	waiting   // waits for a signal, in the condition wait at edge
	woken     // has to lock the mutex again, in the condition wait at edge
	atBarrier // waits for other threads, in the barrier at edge
	joined    // has ended and was joined
)

type thread struct {
	phase phase
	loc   ir.Loc
	edge  int32 // index into the function's edges; set while waiting, woken or atBarrier
	regs  []int64
	// undefined is the undefined bits of the registers; nil if nothing in the program is undefined.
	undefined []undefined
	read      *origin // of undefined bits of the last read from memory; two states that differ only here are equal
	result    int64
	unclear   undefined // the undefined bits of the result
	buf       []entry   // oldest first; no marker is first or comes right after another marker
	fresh     int64     // offset of the next fresh block in the heap region of the thread
}

type entryKind uint8

const (
	_ entryKind = iota
	storeEntry
	freeEntry // addr is the address of the block
	marker    // a store-store fence
)

// entry is an element of a store buffer.
type entry struct {
	kind  entryKind
	addr  uint64
	size  int
	value int64
	undefined
	step int // the witness step that added the entry; two states that differ only here are equal
}

// word is an aligned 8-byte word of memory. Its value is never zero.
type word struct {
	addr  uint64
	value uint64
}

type block struct {
	addr  uint64
	size  int64
	stack bool
	freed bool
	site  ir.EdgeID // the edge that allocated the block last
	order int       // number of the allocation; a later one has a larger number
	kept  bool      // one thread alone can reach it: the site is one of machine.kept
}

// initial returns the state in which execution begins.
func initial(p *ir.Program) *state {
	s := &state{holder: -1, threads: make([]thread, len(p.Threads))}
	uses := usesUndefined(p)
	for i := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(i))
		th := &s.threads[i]
		th.loc = f.Entry
		th.regs = make([]int64, len(f.Regs))
		if uses {
			th.undefined = undefinedRegs(f)
		}
		for r := range f.Regs {
			th.regs[r] = f.Regs[r].Init
		}
		copy(th.regs[:f.Params], p.Threads[i].Args)
		if p.Threads[i].Start {
			th.phase = running
		}
	}
	for _, o := range p.Objects {
		for i, b := range o.Init {
			s.setByte(o.Addr+uint64(i), b)
		}
	}
	return s
}

// clone returns a copy of a state. The two have registers in common, until a thread gets others.
func (s *state) clone() *state {
	n := *s
	n.threads = slices.Clone(s.threads)
	for i := range n.threads {
		n.threads[i].buf = slices.Clone(n.threads[i].buf)
	}
	n.words = slices.Clone(s.words)
	n.undefined = slices.Clone(s.undefined)
	n.blocks = slices.Clone(s.blocks)
	return &n
}

// unshare gives a thread registers that no other state has.
func (th *thread) unshare() {
	th.regs, th.undefined = slices.Clone(th.regs), slices.Clone(th.undefined)
}

// heldByOther reports whether a thread other than t is inside an atomic section.
func (s *state) heldByOther(t int) bool { return s.holder >= 0 && s.holder != t }

// allEmpty reports whether every store has reached memory.
func (s *state) allEmpty() bool {
	for i := range s.threads {
		if len(s.threads[i].buf) > 0 {
			return false
		}
	}
	return true
}

// rank returns the number of live blocks that the same site allocated before block k.
func (s *state) rank(k block) int {
	n := 0
	for _, b := range s.blocks {
		if !b.freed && b.site == k.site && b.order < k.order {
			n++
		}
	}
	return n
}

// key returns a string that identifies the state: two states have the same key exactly
// if they are equal. The step of a buffer entry does not count. The edges that
// allocated blocks, and their order, count only if sites is set.
func (s *state) key(sites bool) string {
	b := make([]byte, 0, 128)
	b = append(b, truth(s.over))
	b = binary.AppendVarint(b, int64(s.holder))
	for i := range s.threads {
		b = s.threads[i].appendKey(b)
	}
	b = binary.AppendUvarint(b, uint64(len(s.words)))
	for _, w := range s.words {
		b = binary.AppendUvarint(b, w.addr)
		b = binary.AppendUvarint(b, w.value)
	}
	b = binary.AppendUvarint(b, uint64(len(s.undefined)))
	for _, w := range s.undefined {
		b = binary.AppendUvarint(b, w.addr)
		b = binary.AppendUvarint(b, w.mask)
	}
	for _, k := range s.blocks {
		b = binary.AppendUvarint(b, k.addr)
		b = binary.AppendVarint(b, k.size)
		b = append(b, truth(k.stack)|truth(k.kept && !k.freed)<<1, truth(k.freed))
		if sites && !k.freed {
			b = binary.AppendVarint(b, int64(k.site))
			b = binary.AppendVarint(b, int64(s.rank(k)))
		}
	}
	return string(b)
}

// appendKey adds what counts of a thread. decode.go reads it.
func (th *thread) appendKey(b []byte) []byte {
	b = append(b, byte(th.phase))
	if th.phase == unstarted {
		return b
	}
	b = binary.AppendVarint(b, int64(th.loc))
	if th.phase != running {
		b = binary.AppendVarint(b, int64(th.edge))
	}
	for _, r := range th.regs {
		b = binary.AppendVarint(b, r)
	}
	for _, u := range th.undefined {
		b = binary.AppendUvarint(b, u.mask)
	}
	b = binary.AppendVarint(b, th.result)
	b = binary.AppendUvarint(b, th.unclear.mask)
	b = binary.AppendVarint(b, th.fresh)
	b = binary.AppendUvarint(b, uint64(len(th.buf)))
	for _, e := range th.buf {
		b = append(b, byte(e.kind), byte(e.size))
		b = binary.AppendUvarint(b, e.addr)
		b = binary.AppendUvarint(b, cut(uint64(e.value), e.size))
		b = binary.AppendUvarint(b, e.mask)
	}
	return b
}

func truth(b bool) byte {
	if b {
		return 1
	}
	return 0
}
