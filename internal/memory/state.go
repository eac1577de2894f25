package memory

import (
	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// WordSize is the size of mutexes and barriers in bytes.
const WordSize = 8

// Entry is a store or free that a thread has issued and that has not reached memory, or a
// marker.
type Entry struct {
	Addr uint64
	Val  uint64 // raw bytes, low Size of them
	Mask uint64 // their undefined bits (undefined.go)
	Size uint32 // bytes it covers: a store's width, a freed block's size, 0 for a marker
	off  int32  // offset in State.mem if the address is static, else -1
	Kind EntryKind
	// Signed and Tag are for witnesses and not part of the state: whether people read the
	// value as signed, and State.Tag at the time when the entry was made.
	Signed bool
	Tag    int32
}

// StaticOffset returns the offset of the entry's bytes in static memory, or -1 if they are not
// static.
func (e *Entry) StaticOffset() int { return int(e.off) }

// EntryKind is the kind of a buffer entry. The zero value is unset.
type EntryKind uint8

// The kinds of entries.
const (
	EntryUnset EntryKind = iota
	StoreEntry
	FreeEntry
	// Marker stands for a store-store fence: no entry after it reaches memory before all
	// entries in front of it have. Markers exist under PSO only and never at the front of a
	// buffer.
	Marker
)

// overlaps reports whether two entries or accesses share a byte.
func overlaps(a uint64, n uint32, b uint64, m uint32) bool {
	return analysis.Overlap(a, uint64(n), b, uint64(m))
}

type threadStatus uint8

const (
	notStarted threadStatus = iota
	running
	condWaiting    // waits on a condition, mutex released
	condWoken      // woken, must take its mutex again
	barrierWaiting // arrived at a barrier
	stopped        // an attacker that was removed (attack.go)
	joined         // has ended and was joined
	assumed        // stands at assumptions that do not hold (assumed.go)
)

// block is a piece of memory that is not static: allocated, or a cell outside
// the window.
type block struct {
	addr uint64
	size uint32
	off  int32 // of its bytes in State.mem
	kind blockKind
	free bool
	// empty says that the block has no bytes. It has one byte in State.mem all the same,
	// which gives it an address.
	empty bool
	// With Options.Ends, for heap blocks in use: 1 + the index in System.Edges of the edge
	// that allocated the block, and a number that grows with every allocation.
	site, order int32
}

type blockKind uint8

const (
	heapBlock blockKind = iota
	stackBlock
	cellBlock
)

// Fault is a check that failed; it ends the program.
type Fault struct {
	Class  ir.CheckClass
	Thread int32
	Edge   *ir.Edge // nil if a flush failed
	Addr   uint64
	Tag    int32 // of the entry whose flush failed
}

// State is a state of the program that steps can be applied to and undone.
// shape: one field per part of the state, each encoded by itself
type State struct {
	pc     []int32
	regs   []int64
	status []threadStatus
	wait   []int32 // index of the edge the thread waits in
	result []int64
	fresh  []uint64 // bytes of address space each thread has allocated
	mem    []byte   // static memory, then the bytes of the blocks
	masks  []byte   // undefined bits of mem; nil if the program never asks for them
	blocks []block  // by address
	bufs   [][]Entry
	fronts []front // per thread: where its buffer can grow to the left
	sizes  sizes   // of the entries that buffers have had
	holder int32   // of the atomic section, -1: none
	// attacker is the only thread that buffers, with Options.Attacks; -1: none.
	attacker int32
	// Hold says that every store of the attacker waits under PSO. It is no part of the state.
	Hold    bool
	over    bool // exit was called
	faulted bool
	fault   Fault

	history

	record
}

// history lets Undo take steps back.
type history struct {
	undo    []undo
	removed []Entry
	saved   [][]Entry
}

// record tells of the way to a state.
type record struct {
	// Tag is put on the buffer entries made from now on.
	Tag int32
	// Event describes the last step applied, if Record is set.
	Record   bool
	Event    Event
	accesses [2]Access // the array of Event.Accesses
	wakes    []int32   // the array of Event.Wakes
	// Err is set when a step could not be computed, for example a havoc without bounds.
	Err error
	// Withheld is set when Enabled leaves out a step because of a bound, not because the
	// program forbids it. The caller resets it.
	Withheld bool
	// Covered marks the edges that were ever executed, Blocked the stores that ever waited
	// for room in a bounded buffer, Bounds the bound edges that were ever reached. They only
	// grow; Undo does not change them.
	Covered []bool
	Blocked []bool
	Bounds  []bool
}

// Event describes the effect of a step, for witnesses.
type Event struct {
	Addr     uint64
	Size     int
	Value    int64
	Written  int64
	Wrote    bool
	Remasked bool // a read-modify-write changed which bits are undefined
	Buffered bool
	// Forwarded is the bytes of a load that came from the thread's buffer, a bit each, and
	// ForwardedFrom the tags of the entries they came from. The other bytes came from memory.
	Forwarded     uint8
	ForwardedFrom [8]int32
	From          int32 // flush: tag of the entry
	Free          bool
	Memory        bool // the step accessed memory or a buffer
	Other         int  // 1 + the thread that was started or joined, else 0
	// Accesses are the accesses of a step to something else than memory: a condition, the
	// mutex of a wait, a barrier, a block. Wakes are the threads that the step lets go on.
	// Both belong to the state and are valid until the next step.
	Accesses []Access
	Wakes    []int32
}

// AllForwarded reports whether all bytes of a load came from the thread's buffer.
func (ev *Event) AllForwarded() bool { return ev.Forwarded != 0 && ev.Forwarded == byteMask(ev.Size) }

// Access is a range of bytes that a step reads, or reads and writes.
type Access struct {
	Addr  uint64
	Size  int
	Write bool
}

// access records accesses to something else than memory.
func (s *State) access(list ...Access) {
	if s.Record {
		s.Event.Accesses = s.accesses[:copy(s.accesses[:], list)]
	}
}

// wake records that a step lets a thread go on.
func (s *State) wake(t int) {
	if s.Record {
		s.wakes = append(s.wakes, int32(t))
		s.Event.Wakes = s.wakes
	}
}

// NewState returns the initial state.
func (y *System) NewState() *State {
	n := len(y.threads)
	s := &State{
		pc: make([]int32, n), regs: make([]int64, y.regCount), status: make([]threadStatus, n),
		wait: make([]int32, n), result: make([]int64, n), fresh: make([]uint64, n),
		mem: append([]byte(nil), y.static.initial...), bufs: make([][]Entry, n), fronts: make([]front, n), holder: -1, attacker: -1,
		record: record{Covered: make([]bool, len(y.edges)), Blocked: make([]bool, len(y.edges)), Bounds: make([]bool, len(y.edges))},
	}
	if y.masked {
		s.masks = make([]byte, len(s.mem))
	}
	for t := range y.threads {
		tc := &y.threads[t]
		s.pc[t] = tc.entry
		for i, r := range tc.regs {
			s.regs[tc.regBase+i] = r.Init
		}
		copy(s.regs[tc.regBase:tc.regBase+len(tc.regs)], tc.args)
		if tc.start {
			s.status[t] = running
		}
	}
	return s
}

// Fault returns the check that failed in this state, if any.
func (s *State) Fault() (Fault, bool) { return s.fault, s.faulted }

// Faulted reports whether a check has failed.
func (s *State) Faulted() bool { return s.faulted }

// Over reports whether the program has called exit.
func (s *State) Over() bool { return s.over }

// PC returns the location of a thread.
func (s *State) PC(t ir.ThreadID) ir.Loc { return ir.Loc(s.pc[t]) }

// Started reports whether a thread has begun to run.
func (s *State) Started(t ir.ThreadID) bool { return s.status[t] != notStarted }

// Running reports whether a thread is at an edge, and not inside a wait.
func (s *State) Running(t ir.ThreadID) bool { return s.status[t] == running }

// Waiting returns the edge inside which a thread waits, and whether the thread has been woken
// and only waits for its mutex.
func (s *State) Waiting(t ir.ThreadID) (edge int32, woken bool) {
	return s.wait[t], s.status[t] == condWoken
}

// Holder returns the thread inside an atomic section, or -1.
func (s *State) Holder() int { return int(s.holder) }

// Reg returns the value of a register.
func (y *System) Reg(s *State, t ir.ThreadID, r ir.Reg) int64 {
	return s.regs[y.threads[t].regBase+int(r)]
}

// Read returns the value that memory holds, without regard to buffers. It is 0 for bytes that
// do not exist.
func (y *System) Read(s *State, addr uint64, typ ir.Type) int64 {
	return extend(y.ReadRaw(s, addr, typ.Size()), typ.Size(), typ.Signed)
}

// ReadRaw returns the bytes that memory holds as a little-endian number. It is 0 for bytes
// that do not exist.
func (y *System) ReadRaw(s *State, addr uint64, size int) uint64 {
	off, fault := y.resolve(s, addr, size, int32(ir.NoObject))
	if fault != 0 {
		return 0
	}
	return s.readAt(off, size)
}

// Content is the value of a range of bytes, and which bits of it are undefined.
type Content struct{ Val, Mask uint64 }

// ReadContent returns what a range of bytes holds.
func ReadContent(y *System, s *State, addr uint64, size int) Content {
	out := Content{Val: y.ReadRaw(s, addr, size)}
	if off, fault := y.resolve(s, addr, size, int32(ir.NoObject)); fault == 0 {
		out.Mask = maskAt(s, off, size)
	}
	return out
}

// WriteContent writes bytes of a state, whichever thread may access them. The change can be undone. Bytes that do not exist are
// left alone.
func WriteContent(y *System, s *State, addr uint64, size int, c Content) {
	if off, fault := y.resolve(s, addr, size, int32(ir.NoObject)); fault == 0 && off >= 0 {
		s.setMem(off, size, c.Val)
		putMask(y, s, off, size, c.Mask)
	}
}

// BlockAt returns the start of the allocated block that holds the bytes, whether the block is
// in use or freed. It returns false if the bytes are static.
func (s *State) BlockAt(addr uint64, size int) (uint64, bool) {
	if i := s.findBlock(addr, size); i >= 0 && s.blocks[i].kind != cellBlock {
		return s.blocks[i].addr, true
	}
	return 0, false
}

// Lives reports whether a block that was allocated and is not freed begins at an address.
func (s *State) Lives(addr uint64) bool {
	i := s.findBlock(addr, 1)
	return i >= 0 && s.blocks[i].addr == addr && s.blocks[i].kind != cellBlock && !s.blocks[i].free
}

// Buffer returns the pending entries of a thread, oldest first. The slice belongs to the state.
func (s *State) Buffer(t ir.ThreadID) []Entry { return s.bufs[t] }

// Drained reports whether all buffers are empty.
func (s *State) Drained() bool {
	for _, b := range s.bufs {
		if len(b) > 0 {
			return false
		}
	}
	return true
}

// Final reports whether the program has ended: all threads that were started have ended, and all
// buffers are empty.
func (y *System) Final(s *State) bool {
	if s.over || s.faulted || !s.Drained() {
		return false
	}
	for t := range y.threads {
		if s.status[t] != notStarted && !y.Thread(s, t).Ended() {
			return false
		}
	}
	return true
}

// load reads little-endian bytes.
func (s *State) load(off, size int) uint64 { return loadBytes(s.mem[off:], size) }

func loadBytes(m []byte, size int) uint64 {
	switch size {
	case 8:
		_ = m[7]
		return uint64(m[0]) | uint64(m[1])<<8 | uint64(m[2])<<16 | uint64(m[3])<<24 |
			uint64(m[4])<<32 | uint64(m[5])<<40 | uint64(m[6])<<48 | uint64(m[7])<<56
	case 4:
		_ = m[3]
		return uint64(m[0]) | uint64(m[1])<<8 | uint64(m[2])<<16 | uint64(m[3])<<24
	case 2:
		return uint64(m[0]) | uint64(m[1])<<8
	default:
		return uint64(m[0])
	}
}

func (s *State) put(off, size int, v uint64) { putBytes(s.mem[off:], size, v) }

func putBytes(m []byte, size int, v uint64) {
	switch size {
	case 8:
		_ = m[7]
		m[0], m[1], m[2], m[3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
		m[4], m[5], m[6], m[7] = byte(v>>32), byte(v>>40), byte(v>>48), byte(v>>56)
	case 4:
		_ = m[3]
		m[0], m[1], m[2], m[3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
	case 2:
		m[0], m[1] = byte(v), byte(v>>8)
	default:
		m[0] = byte(v)
	}
}

// extend widens the low size bytes of v to a word.
func extend(v uint64, size int, signed bool) int64 {
	shift := 64 - 8*uint(size)
	if signed {
		return int64(v<<shift) >> shift
	}
	return int64(v << shift >> shift)
}

// truncate keeps the low size bytes.
func truncate(v int64, size int) uint64 {
	shift := 64 - 8*uint(size)
	return uint64(v) << shift >> shift
}
