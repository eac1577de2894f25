package search

import (
	"bytes"
	"encoding/binary"
	"errors"
	"sync"
	"sync/atomic"
)

// The visited set. States are in arenas, one per shard. The top bits of the hash select the shard,
// and each shard has a lock, so workers rarely wait for each other. A record is the id of the
// parent, the sleep set if there are any, the length and the bytes. Its offset in the arena
// identifies it. New records come after old ones, so the arena is also the queue of the search.

// ID identifies a stored state: the shard in the top bits, the offset in its arena in the others.
type ID uint64

const (
	shardBits  = 6
	shards     = 1 << shardBits
	offsetBits = 40

	noParent ID = 1<<64 - 1

	maxChunk   = 1 << 20
	firstChunk = 1 << 9 // small searches are many
	chunkBits  = 20

	parentSize = 6 // bytes an id takes in a record: shardBits + offsetBits fit
	sleepSize  = 8 // bytes a sleep set takes at most

	// maxState is the longest state that fits a chunk with its record's head.
	maxState = maxChunk - parentSize - sleepSize - binary.MaxVarintLen32
)

// ErrTooLarge says that a single state is too long to store.
var ErrTooLarge = errors.New("a state takes more than a megabyte")

func makeID(shard int, offset uint64) ID { return ID(uint64(shard)<<offsetBits | offset) }

func (id ID) shard() int     { return int(id >> offsetBits) }
func (id ID) offset() uint64 { return uint64(id) & (1<<offsetBits - 1) }

type shard struct {
	mu sync.Mutex
	// table has a slot for each state: 0 if it is empty, else a tag of the state's hash in the top bits and the
	// offset of the record plus 1 below. A state's home is the first bits of its tag, so that a table grows
	// without a look at the records. The length is 1<<bits, or 0.
	table  []uint64
	bits   int
	count  int
	chunks [][]byte // chunk i holds offsets i<<chunkBits ..
	room   int      // bytes of all chunks
	_      [64]byte // keep neighbours off one cache line
}

// visited is the set.
type visited struct {
	shards [shards]shard
	bytes  atomic.Int64
	head   int // bytes of a record before the length
	ranked bool
	// level is where the states of the level under construction begin. It is
	// written between levels only.
	level [shards]mark
}

// newVisited returns an empty set of states. Sleep sets have up to sleeps steps, at most 64.
func newVisited(sleeps int) *visited {
	v := &visited{head: parentSize}
	switch {
	case sleeps > 64:
		panic("BUG: a sleep set has at most 64 steps")
	case sleeps > 32:
		v.head += sleepSize
	case sleeps > 0:
		v.head += sleepSize / 2
	}
	return v
}

// A slot has 28 bits of tag. A shard has less than 1<<16 chunks, and then takes 64 gigabytes.
const (
	slotBits = 36
	tagMask  = ^uint64(1<<slotBits - 1)
	tagBits  = 64 - slotBits
)

// shardOf returns the shard of a hash.
func shardOf(h uint64) int { return int(h >> (64 - shardBits)) }

// tagOf returns the tag of a hash, at its position in a slot.
func tagOf(h uint64) uint64 { return h << shardBits & tagMask }

// home returns where a state with a hash is looked for first. It needs only the bits of the tag, unless there are more
// slots than tags.
func (sh *shard) home(h uint64) uint64 { return h << shardBits >> (64 - sh.bits) }

// readAhead reads the slots of a hash and the record that they lead to.
func (sh *shard) readAhead(h uint64) byte {
	tag, mask := tagOf(h), uint64(len(sh.table)-1)
	for i := sh.home(h); sh.table[i] != 0; i = (i + 1) & mask {
		if slot := sh.table[i]; slot&tagMask == tag {
			offset := slot&^tagMask - 1
			return sh.chunks[offset>>chunkBits][offset&(1<<chunkBits-1)]
		}
	}
	return 0
}

// tableShare of a shard's table may be filled, in quarters.
const tableShare = 3

// addition says what became of a state that was added. The zero value says that it was known.
type addition uint8

const (
	known   addition = iota
	added            // stored
	arrived          // known, with a sleep set that has a step which the new one does not have
)

// add stores a state with a hash unless it is there. If it is there from an earlier level, and its sleep set
// has a step that sleep does not have, add says that it has arrived: this step may have to be
// explored. The caller has locked the shard of the hash.
func (v *visited) add(index int, state []byte, h uint64, parent ID, sleep uint64) (ID, addition) {
	sh := &v.shards[index]
	if sh.count*4 >= len(sh.table)*tableShare {
		v.grow(sh)
	}
	tag, mask := tagOf(h), uint64(len(sh.table)-1)
	i := sh.home(h)
	for sh.table[i] != 0 {
		slot := sh.table[i]
		if slot&tagMask == tag {
			offset := slot&^tagMask - 1
			if v.holds(sh, offset, state) {
				return v.again(index, offset, sleep)
			}
		}
		i = (i + 1) & mask
	}
	offset := v.store(sh, state, parent, sleep)
	sh.table[i] = tag | (offset + 1)
	sh.count++
	return makeID(index, offset), added
}

// holds reports whether the record at an offset is that of a state.
func (v *visited) holds(sh *shard, offset uint64, state []byte) bool {
	b := sh.chunks[offset>>chunkBits][offset&(1<<chunkBits-1)+uint64(v.head):]
	size, n := uint64(b[0]), 1
	if size >= 0x80 {
		size, n = binary.Uvarint(b)
	}
	return size == uint64(len(state)) && bytes.Equal(b[n:n+len(state)], state)
}

// states returns the number of states. Workers count per shard, since a single counter would be a
// bottleneck.
func (v *visited) states() int64 {
	n := 0
	for i := range v.shards {
		sh := &v.shards[i]
		sh.mu.Lock()
		n += sh.count
		sh.mu.Unlock()
	}
	return int64(n)
}

// again updates the sleep set of a stored state for another arrival.
func (v *visited) again(index int, offset uint64, sleep uint64) (ID, addition) {
	if v.head == parentSize {
		return makeID(index, offset), known
	}
	set := v.sleepAt(&v.shards[index], offset)
	old := v.sleepIn(set)
	if old&^sleep == 0 {
		return makeID(index, offset), known
	}
	if !v.level[index].covers(offset) {
		v.setSleep(set, old&sleep)
		return makeID(index, offset), known
	}
	return makeID(index, offset), arrived
}

// sleepAt returns the bytes of a record's sleep set.
func (v *visited) sleepAt(sh *shard, offset uint64) []byte {
	off := offset&(1<<chunkBits-1) + parentSize
	return sh.chunks[offset>>chunkBits][off : off+uint64(v.head-parentSize)]
}

// sleepIn reads the sleep set at the beginning of some bytes.
func (v *visited) sleepIn(b []byte) uint64 {
	if v.head == parentSize+4 {
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

func (v *visited) setSleep(b []byte, sleep uint64) {
	if v.head == parentSize+4 {
		binary.LittleEndian.PutUint32(b, uint32(sleep))
	} else {
		binary.LittleEndian.PutUint64(b, sleep)
	}
}

// wake updates the sleep set of an old state for an arrival. It returns the steps that must be
// explored now, because they are in the sleep set of the state and not in that of the arrival.
func (v *visited) wake(id ID, sleep uint64) uint64 {
	set := v.sleepAt(&v.shards[id.shard()], id.offset())
	old := v.sleepIn(set)
	v.setSleep(set, old&sleep)
	return old &^ sleep
}

// bytesAt returns a stored state.
func (v *visited) bytesAt(id ID) []byte {
	sh := &v.shards[id.shard()]
	sh.mu.Lock() // others may be adding chunks
	defer sh.mu.Unlock()
	state, _, _ := v.record(sh, id.offset())
	return state
}

// stateAt returns a stored state and its sleep set.
func (v *visited) stateAt(id ID) ([]byte, uint64) {
	sh := &v.shards[id.shard()]
	sh.mu.Lock() // others may be adding chunks
	defer sh.mu.Unlock()
	state, _, _ := v.record(sh, id.offset())
	return state, v.sleepIn(v.sleepAt(sh, id.offset()))
}

func (v *visited) grow(sh *shard) {
	old := sh.table
	sh.bits = max(4, sh.bits+1)
	size := 1 << sh.bits
	sh.table = make([]uint64, size)
	v.bytes.Add(int64(8 * (size - len(old))))
	mask := uint64(size - 1)
	for _, slot := range old {
		if slot == 0 {
			continue
		}
		h := slot >> shardBits
		if sh.bits > tagBits { // the tag does not say the home any more
			state, _, _ := v.record(sh, slot&^tagMask-1)
			h = hash(state)
		}
		i := sh.home(h)
		for sh.table[i] != 0 {
			i = (i + 1) & mask
		}
		sh.table[i] = slot
	}
}

// store appends a record and returns its offset.
func (v *visited) store(sh *shard, state []byte, parent ID, sleep uint64) uint64 {
	need := v.head + binary.MaxVarintLen32 + len(state)
	n := len(sh.chunks)
	if n == 0 || len(sh.chunks[n-1])+need > cap(sh.chunks[n-1]) {
		size := max(need, min(maxChunk, max(firstChunk, sh.room/4)))
		sh.chunks, sh.room = append(sh.chunks, make([]byte, 0, size)), sh.room+size
		v.bytes.Add(int64(size))
		n++
	}
	c := sh.chunks[n-1]
	offset := uint64(n-1)<<chunkBits | uint64(len(c))
	for i := range parentSize {
		c = append(c, byte(parent>>(8*i)))
	}
	switch v.head - parentSize {
	case 4:
		c = binary.LittleEndian.AppendUint32(c, uint32(sleep))
	case 8:
		c = binary.LittleEndian.AppendUint64(c, sleep)
	}
	c = binary.AppendUvarint(c, uint64(len(state)))
	sh.chunks[n-1] = append(c, state...)
	return offset
}

// record returns the state and the parent of a record, and the offset after it in the same chunk.
func (v *visited) record(sh *shard, offset uint64) (state []byte, parent ID, next uint64) {
	return v.read(sh.chunks[offset>>chunkBits], offset)
}

func (v *visited) read(chunk []byte, offset uint64) (state []byte, parent ID, next uint64) {
	off := offset & (1<<chunkBits - 1)
	b := chunk[off:]
	for i := range parentSize {
		parent |= ID(b[i]) << (8 * i)
	}
	size, n := binary.Uvarint(b[v.head:])
	start := v.head + n
	return b[start : start+int(size)], parent, offset + uint64(start) + size
}

// mark is the end of a shard's arena at some moment.
type mark struct {
	chunk int // index of the last chunk
	len   int // bytes used in it
}

// covers reports whether an offset is before the mark.
func (m mark) covers(offset uint64) bool {
	chunk, off := int(offset>>chunkBits), int(offset&(1<<chunkBits-1))
	return chunk < m.chunk || chunk == m.chunk && off < m.len
}

func (sh *shard) end() mark {
	if len(sh.chunks) == 0 {
		return mark{}
	}
	n := len(sh.chunks) - 1
	return mark{n, len(sh.chunks[n])}
}

// path returns the states from an initial one to id.
func (v *visited) path(id ID) [][]byte {
	var out [][]byte
	for id != noParentStored {
		state, parent, _ := v.record(&v.shards[id.shard()], id.offset())
		out = append(out, state)
		id = parent
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// noParentStored is noParent as it is read from a record.
const noParentStored = noParent & (1<<(8*parentSize) - 1)
