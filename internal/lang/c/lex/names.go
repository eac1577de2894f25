package lex

import "slices"

// Name is the number of an identifier. 0 is none.
type Name uint32

// Names numbers identifiers. The numbers of a table grow from 1, so that slices can be
// indexed by them. The table is an open-addressed hash table without pointers: a clone
// costs a few copies of memory.
type Names struct {
	slots   []Name // a power of two
	entries []entry
	bytes   []byte
}

type entry struct {
	hash     uint32
	from, to uint32
}

// NewNames returns a table with some names, numbered from 1.
func NewNames(first ...string) *Names {
	n := &Names{slots: make([]Name, 1<<12), entries: make([]entry, 1, 1<<11)}
	for _, name := range first {
		n.Of([]byte(name))
	}
	return n
}

// Clone returns an independent copy.
func (n *Names) Clone() *Names {
	c := &Names{slots: slices.Clone(n.slots), entries: make([]entry, len(n.entries), 1<<11), bytes: make([]byte, len(n.bytes), 1<<15)}
	copy(c.entries, n.entries)
	copy(c.bytes, n.bytes)
	return c
}

// Len returns the number after the highest one.
func (n *Names) Len() int { return len(n.entries) }

const (
	hashStart  = 2166136261
	hashFactor = 16777619
)

func hashOf(name []byte) uint32 {
	h := uint32(hashStart)
	for _, c := range name {
		h = (h ^ uint32(c)) * hashFactor
	}
	return h
}

// Of returns the number of a name.
func (n *Names) Of(name []byte) Name { return n.find(name, hashOf(name)) }

func (n *Names) find(name []byte, hash uint32) Name {
	mask := uint32(len(n.slots) - 1)
	for i := (hash ^ hash>>15) & mask; ; i = (i + 1) & mask {
		id := n.slots[i]
		if id == 0 {
			return n.add(name, hash, i)
		}
		e := &n.entries[id]
		if e.hash == hash && string(n.bytes[e.from:e.to]) == string(name) {
			return id
		}
	}
}

func (n *Names) add(name []byte, hash, slot uint32) Name {
	id := Name(len(n.entries))
	from := uint32(len(n.bytes))
	n.bytes = append(n.bytes, name...)
	n.entries = append(n.entries, entry{hash, from, uint32(len(n.bytes))})
	n.slots[slot] = id
	if len(n.entries)*2 > len(n.slots) {
		n.grow()
	}
	return id
}

func (n *Names) grow() {
	n.slots = make([]Name, 2*len(n.slots))
	mask := uint32(len(n.slots) - 1)
	for id := 1; id < len(n.entries); id++ {
		hash := n.entries[id].hash
		i := (hash ^ hash>>15) & mask
		for n.slots[i] != 0 {
			i = (i + 1) & mask
		}
		n.slots[i] = Name(id)
	}
}

// Bytes returns the spelling of a name, which is not to be changed.
func (n *Names) Bytes(id Name) []byte {
	e := n.entries[id]
	return n.bytes[e.from:e.to:e.to]
}

// String returns the spelling of a name.
func (n *Names) String(id Name) string { return string(n.Bytes(id)) }
