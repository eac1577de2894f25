package explicit

import (
	"bytes"
	"encoding/binary"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/memory/reduce"
	"fencepost/internal/search"
)

// Storing states. The key of a state is a list of fields, one for each of its parts (a thread with its buffer, a piece of
// memory). In a small state the field of a part is the part as package memory encodes it. In a large one it is the
// number of the part, which is stored once, however many states share it. Either way the whole state can be decoded, so
// equal keys mean equal states.
//
// Most steps change one or two parts, so only their fields are made anew. The base is the state that was unpacked last,
// with its key. The invariants:
//   - While all steps since unpack are undone, the state is the base.
//   - A part that the log of changes does not name is that of the base (memory.Codec.Changed), and so is its field.
//   - A field depends on its part alone. The parts of symmetric threads are sorted, in the key of the base as well, so a
//     step of such a thread may move the fields of others and changes none of them.
//   - A field can be told from its first bytes: a list of fields that begins with a field of the base begins with the
//     same part, and it need not be decoded again.

// internFrom is the length of an encoded initial state from which on parts are stored
// separately. It is a variable for the tests.
var internFrom = 48

// pieceShift says how many bytes of large blocks are stored together, where parts are stored separately: 1<<pieceShift. It
// is a variable for the tests.
var pieceShift = 8

// codec packs states for one worker. The interner is shared by all workers.
type codec struct {
	states *reduce.Symmetry
	in     *search.Interner // nil: fields are parts
	pieces *memory.Pieces   // of large blocks; nil without an interner

	base, old       []byte // keys of the states unpacked last and before
	ends, oldEnds   []int  // by part: where its field ends in base and old
	based, separate bool   // there is a base; parts can be decoded one by one
	changed         memory.PartSet

	ids   []uint32 // with an interner: the numbers of the base's parts
	parts [][]byte // and their bytes
	key   []uint32 // scratch
	part  []byte
	field []byte
	slots []slot
}

// slot is the field of a thread in the key under construction.
type slot struct{ field, part []byte }

func newCodec(y *system, in *search.Interner) *codec {
	c := &codec{states: reduce.NewSymmetry(y.mem, y.groups), in: in}
	if in == nil {
		c.states.ByElement()
	} else {
		c.pieces = memory.NewPieces(pieceShift, in.ID, in.Bytes)
		c.states.InPieces(c.pieces)
	}
	n := c.states.Parts()
	c.ends, c.oldEnds, c.changed, c.separate = make([]int, n), make([]int, n), memory.NewPartSet(n), c.states.Separate()
	if in != nil {
		c.ids, c.parts, c.key = make([]uint32, n), make([][]byte, n), make([]uint32, n)
	}
	return c
}

// worthInterning reports whether the states of a system are long.
func worthInterning(y *system) bool {
	for _, e := range y.mem.Edges() {
		if e.Op.Kind != ir.Alloc {
			continue
		}
		if n, known := e.Op.Val.IsConst(); known && n >= 2<<pieceShift {
			return true
		}
	}
	return len(reduce.NewSymmetry(y.mem, y.groups).Encode(y.mem.NewState(), nil)) >= internFrom
}

// pack appends the key of a state. If there is a base, only steps that are in the log have been taken since.
func (c *codec) pack(s *memory.State, out []byte) []byte {
	if !c.based {
		return c.packWhole(s, out)
	}
	c.states.Changed(s, 0, c.changed)
	if c.groupChanged() {
		return c.packFrom(s, c.states.Threads(), c.packThreads(s, out))
	}
	return c.packFrom(s, 0, out)
}

// groupChanged reports whether a symmetric thread may have changed.
func (c *codec) groupChanged() bool {
	for _, group := range c.states.Groups() {
		for _, t := range group {
			if c.changed.Has(int(t)) {
				return true
			}
		}
	}
	return false
}

// start returns where the field of part i begins in the base.
func (c *codec) start(i int) int {
	if i == 0 {
		return 0
	}
	return c.ends[i-1]
}

// packFrom appends the fields of part i and all later ones.
func (c *codec) packFrom(s *memory.State, i int, out []byte) []byte {
	at := c.start(i)
	for i = c.changed.Next(i); i >= 0; i = c.changed.Next(i + 1) {
		out = append(out, c.base[at:c.start(i)]...)
		out, _ = c.packPart(s, i, out)
		at = c.ends[i]
	}
	return append(out, c.base[at:]...)
}

// packPart appends the field of a part that may have changed. With an interner it returns the bytes of the part as well.
func (c *codec) packPart(s *memory.State, i int, out []byte) (field, part []byte) {
	if c.in == nil {
		return c.states.EncodePart(s, i, out), nil
	}
	c.part = c.states.EncodePart(s, i, c.part[:0])
	if bytes.Equal(c.part, c.parts[i]) {
		return append(out, c.base[c.start(i):c.ends[i]]...), c.parts[i]
	}
	id := c.in.ID(c.part)
	return binary.AppendUvarint(out, uint64(id)), c.in.Bytes(id)
}

// packThreads appends the fields of all threads, with those of symmetric threads sorted by their parts.
func (c *codec) packThreads(s *memory.State, out []byte) []byte {
	c.slots, c.field = c.slots[:0], c.field[:0]
	for t := range c.states.Threads() {
		if !c.changed.Has(t) {
			k := slot{field: c.base[c.start(t):c.ends[t]]}
			k.part = k.field
			if c.in != nil {
				k.part = c.parts[t]
			}
			c.slots = append(c.slots, k)
			continue
		}
		start := len(c.field)
		var part []byte
		c.field, part = c.packPart(s, t, c.field)
		k := slot{field: c.field[start:], part: part} // stays valid when c.field grows
		if c.in == nil {
			k.part = k.field
		}
		c.slots = append(c.slots, k)
	}
	for _, group := range c.states.Groups() {
		for i := 1; i < len(group); i++ {
			for j := i; j > 0 && bytes.Compare(c.slots[group[j]].part, c.slots[group[j-1]].part) < 0; j-- {
				c.slots[group[j]], c.slots[group[j-1]] = c.slots[group[j-1]], c.slots[group[j]]
			}
		}
	}
	for i := range c.slots {
		out = append(out, c.slots[i].field...)
	}
	return out
}

// packWhole appends the key of a state, whatever was packed before.
func (c *codec) packWhole(s *memory.State, out []byte) []byte {
	if c.in == nil {
		return c.states.Encode(s, out)
	}
	c.pieces.Forget()
	for i := range c.key {
		c.part = c.states.EncodePart(s, i, c.part[:0])
		c.key[i] = c.in.ID(c.part)
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

// unpack sets s to the state with a key, and makes it the base. It must be called with the same s each time.
func (c *codec) unpack(s *memory.State, key []byte) {
	known := c.based && c.separate && s.Mark() == 0
	if !known {
		c.states.Reset(s)
	}
	c.base, c.old, c.ends, c.oldEnds = append(c.old[:0], key...), c.base, c.oldEnds, c.ends
	in, from := c.base, 0
	for i := range c.ends {
		if known {
			if field := c.old[from:c.oldEnds[i]]; beginsWith(in, field) {
				from, in = c.oldEnds[i], in[len(field):]
				c.ends[i] = len(c.base) - len(in)
				continue
			}
			from = c.oldEnds[i]
		}
		in = c.unpackPart(s, i, in)
		c.ends[i] = len(c.base) - len(in)
	}
	if len(in) != 0 {
		panic("BUG: trailing bytes in the key of a state")
	}
	c.based = true
}

// beginsWith is bytes.HasPrefix, with the commonest case first: an element of memory that holds a small number.
func beginsWith(b, field []byte) bool {
	if len(field) == 1 {
		return len(b) > 0 && b[0] == field[0]
	}
	return bytes.HasPrefix(b, field)
}

// unpackPart reads the field of a part, and returns the rest of the input.
func (c *codec) unpackPart(s *memory.State, i int, in []byte) []byte {
	if c.in == nil {
		return c.states.DecodePart(s, i, in)
	}
	id, n := binary.Uvarint(in)
	if c.parts[i] == nil || c.ids[i] != uint32(id) {
		c.ids[i], c.parts[i] = uint32(id), c.in.Bytes(uint32(id))
	}
	if rest := c.states.DecodePart(s, i, c.parts[i]); len(rest) != 0 {
		panic("BUG: trailing bytes in an encoded part")
	}
	return in[n:]
}

// same reports whether a state has a key.
func (c *codec) same(s *memory.State, key []byte) bool {
	return bytes.Equal(c.pack(s, nil), key)
}
