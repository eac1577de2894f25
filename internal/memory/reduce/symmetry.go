package reduce

import (
	"bytes"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// Symmetry. Threads with the same code that nothing distinguishes form a group. States that
// differ only in which thread of a group is which encode the same: the parts of the threads of a
// group are sorted. The part of such a thread says whether the thread holds the atomic section.

// inGroup is written as the holder of the section if the holder belongs to a group.
const inGroup = -2

// Symmetry encodes states up to the order of symmetric threads, for one worker. Without groups
// it encodes as memory.Codec does.
type Symmetry struct {
	codec   *memory.Codec
	groups  [][]ir.ThreadID
	group   []int // by thread: its group, -1: none
	parts   []byte
	partEnd []int
}

// NewSymmetry returns the encoding for groups of symmetric threads.
func NewSymmetry(y *memory.System, groups [][]ir.ThreadID) *Symmetry {
	m := &Symmetry{codec: y.Codec(), groups: groups, group: make([]int, y.Threads())}
	for t := range m.group {
		m.group[t] = -1
	}
	for g, threads := range groups {
		for _, t := range threads {
			m.group[t] = g
		}
	}
	return m
}

// ByElement makes every element of static memory a part. States encode as before.
func (m *Symmetry) ByElement() { m.codec = m.codec.ByElement() }

// InPieces encodes large blocks in pieces, for a single state.
func (m *Symmetry) InPieces(p *memory.Pieces) { m.codec = m.codec.InPieces(p) }

// Changed sets out to the parts that steps since the mark may have changed.
func (m *Symmetry) Changed(s *memory.State, mark int, out memory.PartSet) {
	m.codec.Changed(s, mark, out)
}

// Threads returns the number of threads. Their parts come first.
func (m *Symmetry) Threads() int { return len(m.group) }

// Separate reports whether each part can be decoded without the others. It cannot if the holder of the section is
// named by the part of a thread.
func (m *Symmetry) Separate() bool { return len(m.groups) == 0 || !m.codec.HasSections() }

// Groups returns the groups of symmetric threads, whose parts may be exchanged.
func (m *Symmetry) Groups() [][]ir.ThreadID { return m.groups }

// marks reports whether the part of a thread says whether the thread holds the section.
func (m *Symmetry) marks(t int) bool { return m.group[t] >= 0 && m.codec.HasSections() }

// holder returns what to write as the holder of the section.
func (m *Symmetry) holder(s *memory.State) int {
	h := s.Holder()
	if h >= 0 && m.group[h] >= 0 {
		return inGroup
	}
	return h
}

// Encode appends the state to out. The state must have neither failed nor exited.
func (m *Symmetry) Encode(s *memory.State, out []byte) []byte {
	if len(m.groups) == 0 {
		return m.codec.Encode(s, out)
	}
	m.parts, m.partEnd = m.parts[:0], m.partEnd[:0]
	for t := range m.group {
		m.parts = m.encodeThread(s, t, m.parts)
		m.partEnd = append(m.partEnd, len(m.parts))
	}
	for t, g := range m.group {
		if g < 0 {
			out = append(out, m.part(t)...)
			continue
		}
		// The k-th thread of a group gets the k-th smallest part.
		out = append(out, m.ranked(g, t)...)
	}
	return m.codec.EncodeRest(s, m.holder(s), m.codec.EncodeStatic(s, out))
}

// Decode sets s to the encoded state. The steps taken so far cannot be undone any more.
func (m *Symmetry) Decode(s *memory.State, in []byte) {
	if len(m.groups) == 0 {
		m.codec.Decode(s, in)
		return
	}
	m.Reset(s)
	for t := range m.group {
		in = m.decodeThread(s, t, in)
	}
	m.keepHolder(s, func() { m.codec.DecodeShared(s, in) })
}

// Parts returns how many parts a state has.
func (m *Symmetry) Parts() int { return m.codec.Parts() }

// EncodePart appends part i to out, as memory.Codec does. The parts of symmetric threads are not
// sorted.
func (m *Symmetry) EncodePart(s *memory.State, i int, out []byte) []byte {
	switch {
	case len(m.groups) == 0:
	case i < len(m.group):
		return m.encodeThread(s, i, out)
	case i == m.Parts()-1:
		return m.codec.EncodeRest(s, m.holder(s), out)
	}
	return m.codec.EncodePart(s, i, out)
}

// DecodePart reads part i and returns the rest of the input. All parts must be read in order after Reset, or, if they
// are separate, only the parts that have changed, as with memory.Codec.
func (m *Symmetry) DecodePart(s *memory.State, i int, in []byte) []byte {
	if len(m.groups) == 0 {
		return m.codec.DecodePart(s, i, in)
	}
	if i < len(m.group) {
		return m.decodeThread(s, i, in)
	}
	if i == m.Parts()-1 {
		m.keepHolder(s, func() { in = m.codec.DecodePart(s, i, in) })
		return in
	}
	return m.codec.DecodePart(s, i, in)
}

// Reset prepares a state for decoding part by part.
func (m *Symmetry) Reset(s *memory.State) { m.codec.Reset(s) }

// keepHolder decodes the shared parts. The holder of the section stays the thread whose part is
// marked, if the holder belongs to a group.
func (m *Symmetry) keepHolder(s *memory.State, decode func()) {
	marked := s.Holder()
	if decode(); s.Holder() == inGroup {
		m.codec.SetHolder(s, marked)
	}
}

// encodeThread appends the part of a thread and its mark.
func (m *Symmetry) encodeThread(s *memory.State, t int, out []byte) []byte {
	out = m.codec.EncodeThread(s, t, out)
	if m.marks(t) {
		mark := byte(0)
		if s.Holder() == t {
			mark = 1
		}
		out = append(out, mark)
	}
	return out
}

// decodeThread reads the part of a thread and its mark, and returns the rest of the input.
func (m *Symmetry) decodeThread(s *memory.State, t int, in []byte) []byte {
	in = m.codec.DecodeThread(s, t, in)
	if m.marks(t) {
		if in[0] != 0 {
			m.codec.SetHolder(s, t)
		}
		in = in[1:]
	}
	return in
}

// part returns the encoded part of thread t.
func (m *Symmetry) part(t int) []byte {
	start := 0
	if t > 0 {
		start = m.partEnd[t-1]
	}
	return m.parts[start:m.partEnd[t]]
}

// ranked returns the part whose rank in its group is the position of t there.
func (m *Symmetry) ranked(g, t int) []byte {
	group := m.groups[g]
	want := slices.Index(group, ir.ThreadID(t))
	for i, u := range group {
		rank := 0
		for j, v := range group {
			if c := bytes.Compare(m.part(int(v)), m.part(int(u))); c < 0 || c == 0 && j < i {
				rank++
			}
		}
		if rank == want {
			return m.part(int(u))
		}
	}
	panic("BUG: no thread of that rank")
}
