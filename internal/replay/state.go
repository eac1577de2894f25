package replay

import (
	"encoding/binary"
	"slices"

	"fencepost/internal/ir"
)

// state is a state of the whole program. States are values: a step works on a
// deep copy.
type state struct {
	over    bool // exit was executed: nothing happens any more
	holder  int  // the thread inside an atomic section, or -1
	threads []thread
	words   []word  // memory that is not zero, by address
	blocks  []block // every block ever allocated, by address
}

// phase tells what a thread is doing besides standing at a location.
type phase uint8

const (
	unstarted phase = iota
	running
	waiting   // for a signal, in the condition wait at edge
	woken     // has to lock the mutex again, in the condition wait at edge
	atBarrier // for other arrivals, in the barrier at edge
	joined    // has ended and was joined
)

type thread struct {
	phase  phase
	loc    ir.Loc
	edge   int32 // index into the function's edges; meaningful while waiting, woken or atBarrier
	regs   []int64
	result int64
	buf    []entry // oldest first; no marker is first, none follows another
	fresh  int64   // offset of the next fresh block in the thread's part of the heap
}

type entryKind uint8

const (
	_ entryKind = iota
	storeEntry
	freeEntry // addr is the block
	marker    // a store-store fence
)

// entry is an element of a store buffer.
type entry struct {
	kind  entryKind
	addr  uint64
	size  int
	value int64
	step  int // the witness step that made it; no part of the state proper
}

// word is an aligned 8-byte word of memory, never zero.
type word struct {
	addr  uint64
	value uint64
}

type block struct {
	addr  uint64
	size  int64
	stack bool
	freed bool
	site  ir.EdgeID // that allocated it last
	order int       // grows with every allocation
}

// initial is the state in which execution begins.
func initial(p *ir.Program) *state {
	s := &state{holder: -1, threads: make([]thread, len(p.Threads))}
	for i := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(i))
		th := &s.threads[i]
		th.loc = f.Entry
		th.regs = make([]int64, len(f.Regs))
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

func (s *state) clone() *state {
	n := *s
	n.threads = slices.Clone(s.threads)
	for i := range n.threads {
		th := &n.threads[i]
		th.regs = slices.Clone(th.regs)
		th.buf = slices.Clone(th.buf)
	}
	n.words = slices.Clone(s.words)
	n.blocks = slices.Clone(s.blocks)
	return &n
}

// allEmpty reports whether every store has reached memory.
func (s *state) allEmpty() bool {
	for i := range s.threads {
		if len(s.threads[i].buf) > 0 {
			return false
		}
	}
	return true
}

// rank is how many live blocks of the site of a block are older.
func (s *state) rank(k block) int {
	n := 0
	for _, b := range s.blocks {
		if !b.freed && b.site == k.site && b.order < k.order {
			n++
		}
	}
	return n
}

// key is a compact name of the state: two states have the same key exactly if
// they are equal but for the steps that made the entries, and, unless sites count, where
// and in which order blocks were allocated.
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
	for _, k := range s.blocks {
		b = binary.AppendUvarint(b, k.addr)
		b = binary.AppendVarint(b, k.size)
		b = append(b, truth(k.stack), truth(k.freed))
		if sites && !k.freed {
			b = binary.AppendVarint(b, int64(k.site))
			b = binary.AppendVarint(b, int64(s.rank(k)))
		}
	}
	return string(b)
}

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
	b = binary.AppendVarint(b, th.result)
	b = binary.AppendVarint(b, th.fresh)
	b = binary.AppendUvarint(b, uint64(len(th.buf)))
	for _, e := range th.buf {
		b = append(b, byte(e.kind), byte(e.size))
		b = binary.AppendUvarint(b, e.addr)
		b = binary.AppendUvarint(b, cut(uint64(e.value), e.size))
	}
	return b
}

func truth(b bool) byte {
	if b {
		return 1
	}
	return 0
}
