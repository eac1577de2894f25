package explicit

import (
	"bytes"
	"encoding/binary"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/memory/reduce"
	"fencepost/internal/search"
)

// Storing states. A small state is stored as package memory encodes it. A large one is stored as
// the numbers of its parts (a thread with its buffer, a piece of memory), each of which is stored
// once, however many states share it: most steps change one or two parts. Either way the whole
// state can be decoded, so equal keys mean equal states.

// internFrom is the length of an encoded initial state from which on parts are stored
// separately. It is a variable for the tests.
var internFrom = 48

// codec packs states for one worker. The interner is shared by all workers.
type codec struct {
	states *reduce.Symmetry
	in     *search.Interner // nil: states are stored whole

	ids  []uint32 // parts of the state last unpacked
	last [][]byte
	part []byte
	key  []uint32
}

func newCodec(y *system, in *search.Interner) *codec {
	c := &codec{states: reduce.NewSymmetry(y.mem, y.groups), in: in}
	if in != nil {
		n := c.states.Parts()
		c.ids, c.last, c.key = make([]uint32, n), make([][]byte, n), make([]uint32, n)
	}
	return c
}

// worthInterning reports whether the states of a system are long.
func worthInterning(y *system) bool {
	return len(reduce.NewSymmetry(y.mem, y.groups).Encode(y.mem.NewState(), nil)) >= internFrom
}

// pack appends the key of a state.
func (c *codec) pack(s *memory.State, out []byte) []byte {
	if c.in == nil {
		return c.states.Encode(s, out)
	}
	for i := range c.key {
		c.part = c.states.EncodePart(s, i, c.part[:0])
		if c.last[i] != nil && bytes.Equal(c.part, c.last[i]) {
			c.key[i] = c.ids[i]
		} else {
			c.key[i] = c.in.ID(c.part)
		}
	}
	for _, group := range c.states.Groups() {
		// Symmetric threads are in the order of their parts, not of the numbers of the
		// parts, which depend on the order of the search.
		less := func(t, u ir.ThreadID) bool {
			return c.key[t] != c.key[u] && bytes.Compare(c.in.Bytes(c.key[t]), c.in.Bytes(c.key[u])) < 0
		}
		for i := 1; i < len(group); i++ {
			for j := i; j > 0 && less(group[j], group[j-1]); j-- {
				c.key[group[j]], c.key[group[j-1]] = c.key[group[j-1]], c.key[group[j]]
			}
		}
	}
	for _, id := range c.key {
		out = binary.AppendUvarint(out, uint64(id))
	}
	return out
}

// unpack sets s to the state with a key.
func (c *codec) unpack(s *memory.State, key []byte) {
	if c.in == nil {
		c.states.Decode(s, key)
		return
	}
	c.states.Reset(s)
	for i := range c.ids {
		id, n := binary.Uvarint(key)
		key = key[n:]
		if c.last[i] == nil || c.ids[i] != uint32(id) {
			c.ids[i] = uint32(id)
			c.last[i] = c.in.Bytes(uint32(id))
		}
		c.states.DecodePart(s, i, c.last[i])
	}
}

// same reports whether a state has a key.
func (c *codec) same(s *memory.State, key []byte) bool {
	return bytes.Equal(c.pack(s, nil), key)
}
