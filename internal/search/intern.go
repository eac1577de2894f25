package search

import (
	"bytes"
	"sync"
	"sync/atomic"
)

// Interner gives equal byte strings equal small numbers, so that states can be stored as lists of
// components that recur (COLLAPSE compression [H97]). It is safe for concurrent use. Numbers stay
// valid. The number of a string depends on the order of calls.
type Interner struct {
	shards [internShards]internShard
	bytes  *atomic.Int64 // memory used is added here
}

const (
	internShardBits = 4
	internShards    = 1 << internShardBits
	internChunk     = 1 << 10 // strings per chunk
)

type internShard struct {
	mu    sync.Mutex
	table []uint32 // 0: empty, else index+1
	tags  []uint8
	count int
	// chunks is replaced by a list of twice the length when it is full.
	chunks atomic.Pointer[[]*[internChunk][]byte]
	arena  []byte
}

// NewInterner returns an empty interner that adds the memory it uses to a counter.
func NewInterner(bytes *atomic.Int64) *Interner { return &Interner{bytes: bytes} }

// ID returns the number of b. It copies b if it is new.
func (in *Interner) ID(b []byte) uint32 {
	h := hash(b)
	index := h >> (64 - internShardBits)
	sh := &in.shards[index]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sh.count*4 >= len(sh.table)*3 {
		in.grow(sh)
	}
	mask := uint64(len(sh.table) - 1)
	tag := uint8(h >> 40)
	i := h & mask
	for sh.table[i] != 0 {
		if sh.tags[i] == tag && bytes.Equal(sh.at(sh.table[i]-1), b) {
			return (sh.table[i]-1)<<internShardBits | uint32(index)
		}
		i = (i + 1) & mask
	}
	n := uint32(sh.count)
	in.store(sh, b)
	sh.table[i], sh.tags[i] = n+1, tag
	return n<<internShardBits | uint32(index)
}

// Bytes returns the string with a number. The caller must not change it.
func (in *Interner) Bytes(id uint32) []byte {
	return in.shards[id&(internShards-1)].at(id >> internShardBits)
}

func (sh *internShard) at(n uint32) []byte {
	return (*sh.chunks.Load())[n/internChunk][n%internChunk]
}

func (in *Interner) grow(sh *internShard) {
	size := max(16, 2*len(sh.table))
	in.bytes.Add(int64(5 * (size - len(sh.table))))
	table, tags := make([]uint32, size), make([]uint8, size)
	mask := uint64(size - 1)
	for _, slot := range sh.table {
		if slot == 0 {
			continue
		}
		h := hash(sh.at(slot - 1))
		i := h & mask
		for table[i] != 0 {
			i = (i + 1) & mask
		}
		table[i], tags[i] = slot, uint8(h>>40)
	}
	sh.table, sh.tags = table, tags
}

func (in *Interner) store(sh *internShard, b []byte) {
	if cap(sh.arena)-len(sh.arena) < len(b) {
		size := max(len(b), min(64<<10, max(1<<10, 2*cap(sh.arena))))
		sh.arena = make([]byte, 0, size)
		in.bytes.Add(int64(size))
	}
	start := len(sh.arena)
	sh.arena = append(sh.arena, b...)
	n := sh.count
	if n%internChunk == 0 {
		var list []*[internChunk][]byte
		if old := sh.chunks.Load(); old != nil {
			list = append(list, *old...)
		}
		list = append(list, new([internChunk][]byte))
		in.bytes.Add(internChunk * 24)
		sh.chunks.Store(&list)
	}
	(*sh.chunks.Load())[n/internChunk][n%internChunk] = sh.arena[start:len(sh.arena):len(sh.arena)]
	sh.count++
}
