package search

import (
	"bytes"
	"encoding/binary"
	"errors"
	"sync"
	"sync/atomic"
)

// The visited set. States live in arenas, one per shard; a shard is chosen by the
// top bits of the hash and has a lock of its own, so workers rarely meet. A
// record is the id of the parent, the sleep set if there are any, the length and
// the bytes; its place is its identity, and new records stand behind old ones, so
// the arena is also the queue of the search.

// ID names a stored state: shard in the top bits, place in its arena below.
type ID uint64

const (
	shardBits = 6
	shards    = 1 << shardBits
	placeBits = 40

	noParent ID = 1<<64 - 1

	maxChunk   = 1 << 20
	firstChunk = 1 << 9 // small searches are many
	chunkBits  = 20

	parentSize = 6 // bytes an id takes in a record: shardBits + placeBits fit
	sleepSize  = 4 // bytes a sleep set takes

	// maxState is the longest state that fits a chunk with its record's head.
	maxState = maxChunk - parentSize - sleepSize - binary.MaxVarintLen32
)

// ErrTooLarge says that a single state is too long to store.
var ErrTooLarge = errors.New("a state takes more than a megabyte")

func makeID(shard int, place uint64) ID { return ID(uint64(shard)<<placeBits | place) }

func (id ID) shard() int    { return int(id >> placeBits) }
func (id ID) place() uint64 { return uint64(id) & (1<<placeBits - 1) }

type shard struct {
	mu     sync.Mutex
	table  []uint64 // 0: empty; else tag in the top bits, place+1 below
	count  int
	chunks [][]byte // chunk i holds places i<<chunkBits ..
	_      [64]byte // keep neighbours off one cache line
}

// visited is the set.
type visited struct {
	shards [shards]shard
	bytes  atomic.Int64
	head   int // bytes of a record before the length
	// level is where the states of the level under construction begin. It is
	// written between levels only.
	level [shards]mark
}

func newVisited(sleeps bool) *visited {
	v := &visited{head: parentSize}
	if sleeps {
		v.head += sleepSize
	}
	return v
}

const tagMask = ^uint64(1<<placeBits - 1)

// tableShare of a shard's table may be filled, in quarters.
const tableShare = 3

// add stores a state unless it is there. For a state that is there from an
// earlier level and sleeps on something that sleep does not, it returns the
// state's id and true: some of its steps may have to be looked at after all.
func (v *visited) add(state []byte, parent ID, sleep uint32) (ID, bool) {
	h := hash(state)
	index := int(h >> (64 - shardBits))
	sh := &v.shards[index]
	tag := h << shardBits & tagMask
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.count*4 >= len(sh.table)*tableShare {
		v.grow(sh)
	}
	mask := uint64(len(sh.table) - 1)
	i := h & mask
	for sh.table[i] != 0 {
		slot := sh.table[i]
		if slot&tagMask == tag {
			place := slot&^tagMask - 1
			if stored, _, _ := v.record(sh, place); bytes.Equal(stored, state) {
				return v.again(index, place, sleep)
			}
		}
		i = (i + 1) & mask
	}
	place := v.store(sh, state, parent, sleep)
	sh.table[i] = tag | (place + 1)
	sh.count++
	return 0, false
}

// states is how many there are. Workers count per shard, so as not to meet at one
// counter.
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

// again takes another arrival at a stored state into account.
func (v *visited) again(index int, place uint64, sleep uint32) (ID, bool) {
	if v.head == parentSize {
		return 0, false
	}
	set := v.sleepAt(&v.shards[index], place)
	old := binary.LittleEndian.Uint32(set)
	if old&^sleep == 0 {
		return 0, false
	}
	if !v.level[index].covers(place) {
		binary.LittleEndian.PutUint32(set, old&sleep)
		return 0, false
	}
	return makeID(index, place), true
}

// sleepAt is the bytes of a record's sleep set.
func (v *visited) sleepAt(sh *shard, place uint64) []byte {
	off := place&(1<<chunkBits-1) + parentSize
	return sh.chunks[place>>chunkBits][off : off+sleepSize]
}

// wake takes an arrival with a sleep set at an old state into account: what must
// be looked at now, because the state slept on it and the arrival does not.
func (v *visited) wake(id ID, sleep uint32) uint32 {
	set := v.sleepAt(&v.shards[id.shard()], id.place())
	old := binary.LittleEndian.Uint32(set)
	binary.LittleEndian.PutUint32(set, old&sleep)
	return old &^ sleep
}

// stateAt is a stored state and its sleep set.
func (v *visited) stateAt(id ID) ([]byte, uint32) {
	sh := &v.shards[id.shard()]
	sh.mu.Lock() // others may be adding chunks
	defer sh.mu.Unlock()
	state, _, _ := v.record(sh, id.place())
	return state, binary.LittleEndian.Uint32(v.sleepAt(sh, id.place()))
}

func (v *visited) grow(sh *shard) {
	old := sh.table
	size := max(16, 2*len(old))
	sh.table = make([]uint64, size)
	v.bytes.Add(int64(8 * (size - len(old))))
	mask := uint64(size - 1)
	for _, slot := range old {
		if slot == 0 {
			continue
		}
		state, _, _ := v.record(sh, slot&^tagMask-1)
		i := hash(state) & mask
		for sh.table[i] != 0 {
			i = (i + 1) & mask
		}
		sh.table[i] = slot
	}
}

// store appends a record and returns its place.
func (v *visited) store(sh *shard, state []byte, parent ID, sleep uint32) uint64 {
	need := v.head + binary.MaxVarintLen32 + len(state)
	n := len(sh.chunks)
	if n == 0 || len(sh.chunks[n-1])+need > cap(sh.chunks[n-1]) {
		size := max(need, min(maxChunk, firstChunk<<min(n, 16)))
		sh.chunks = append(sh.chunks, make([]byte, 0, size))
		v.bytes.Add(int64(size))
		n++
	}
	c := sh.chunks[n-1]
	place := uint64(n-1)<<chunkBits | uint64(len(c))
	for i := range parentSize {
		c = append(c, byte(parent>>(8*i)))
	}
	if v.head > parentSize {
		c = binary.LittleEndian.AppendUint32(c, sleep)
	}
	c = binary.AppendUvarint(c, uint64(len(state)))
	sh.chunks[n-1] = append(c, state...)
	return place
}

// record reads a record: its state, its parent, and the place behind it in the
// same chunk.
func (v *visited) record(sh *shard, place uint64) (state []byte, parent ID, next uint64) {
	return v.read(sh.chunks[place>>chunkBits], place)
}

func (v *visited) read(chunk []byte, place uint64) (state []byte, parent ID, next uint64) {
	off := place & (1<<chunkBits - 1)
	b := chunk[off:]
	for i := range parentSize {
		parent |= ID(b[i]) << (8 * i)
	}
	size, n := binary.Uvarint(b[v.head:])
	start := v.head + n
	return b[start : start+int(size)], parent, place + uint64(start) + size
}

// mark is the end of a shard's arena at some moment.
type mark struct {
	chunk int // index of the last chunk
	len   int // bytes used in it
}

// covers reports whether a place lies before the mark.
func (m mark) covers(place uint64) bool {
	chunk, off := int(place>>chunkBits), int(place&(1<<chunkBits-1))
	return chunk < m.chunk || chunk == m.chunk && off < m.len
}

func (sh *shard) end() mark {
	if len(sh.chunks) == 0 {
		return mark{}
	}
	n := len(sh.chunks) - 1
	return mark{n, len(sh.chunks[n])}
}

// path is the states from an initial one to id.
func (v *visited) path(id ID) [][]byte {
	var out [][]byte
	for id != noParentStored {
		state, parent, _ := v.record(&v.shards[id.shard()], id.place())
		out = append(out, state)
		id = parent
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// noParentStored is noParent as it reads back from a record.
const noParentStored = noParent & (1<<(8*parentSize) - 1)
