package memory

// Pieces of large blocks. A structure on the heap may have a large array that few steps write, so a search that stores
// each part of a state once would store the whole array again with every other member. With Pieces the contents of a
// large block are encoded as the numbers of its pieces, and a piece is encoded only if it may have changed.
//
// Pieces know a base: the state that was decoded last, with the number of each piece by its offset in State.mem. A
// piece of another state is the base's if it begins at the same offset, is as long, and no record since then names its
// bytes. Blocks that are added later have their bytes after those of the base.

// Pieces encodes the large blocks of the states of one worker.
type Pieces struct {
	shift  int // pieces have 1<<shift bytes or more, at least 8
	number func([]byte) uint32
	bytes  func(uint32) []byte

	// Pieces by offset>>shift; no two begin there. old is the base before, while another one is decoded.
	base, old []pieceAt
	// changes says, by offset>>shift, in which turn bytes there changed last. In this turn nothing else differs
	// from the base; 0: anything may.
	changes []uint64
	turn    uint64
	turns   uint64
	scratch []byte
}

// pieceAt is a piece of the base.
type pieceAt struct {
	off, n int32 // the number does not tell the length: zeros of different lengths may be the same string
	number uint32
	is     bool
}

// mostPieces is how many pieces a block has at most: a larger one has larger pieces.
const mostPieces = 64

// NewPieces returns an encoding in pieces of 1<<shift bytes, at least 8, or more. number returns the number of a
// string, equal ones for equal strings, and bytes the string with a number.
func NewPieces(shift int, number func([]byte) uint32, bytes func(uint32) []byte) *Pieces {
	return &Pieces{shift: max(shift, 3), number: number, bytes: bytes}
}

// InPieces returns a codec that encodes as c does, but large blocks in pieces. It is for a single state, which is
// decoded part by part. Before the state is encoded after further steps, Changed must be called with the mark of the
// decoded state, or Forget.
func (c *Codec) InPieces(p *Pieces) *Codec { return &Codec{c.y, c.units, p} }

// has reports whether a block of n bytes has pieces.
func (p *Pieces) has(n int) bool { return p != nil && n >= 2<<p.shift }

// Forget says that the next state to be encoded may be any.
func (p *Pieces) Forget() {
	if p != nil {
		p.turn = 0
	}
}

// beginChanges says that the next state to be encoded differs from the base in the bytes that change is called with.
func (p *Pieces) beginChanges() {
	if p != nil {
		p.turns++
		p.turn = p.turns
	}
}

// change notes that bytes may differ from the base.
func (p *Pieces) change(off, n int) {
	if p == nil {
		return
	}
	for at := off >> p.shift; at <= (off+n-1)>>p.shift; at++ {
		for at >= len(p.changes) {
			p.changes = append(p.changes, 0)
		}
		p.changes[at] = p.turn
	}
}

// same returns the number of the piece of the base with the bytes of a state.
func (p *Pieces) same(off, n int) (uint32, bool) {
	at := off >> p.shift
	if p.turn == 0 || at >= len(p.base) || !p.base[at].is || p.base[at].off != int32(off) || p.base[at].n != int32(n) {
		return 0, false
	}
	for _, turn := range p.changes[min(at, len(p.changes)):min((off+n-1)>>p.shift+1, len(p.changes))] {
		if turn == p.turn {
			return 0, false
		}
	}
	return p.base[at].number, true
}

// each calls f with the pieces of a block of n bytes. The last one may be almost twice as long as the others.
func (p *Pieces) each(off, n int, f func(off, n int)) {
	size := 1 << p.shift
	for n/size > mostPieces {
		size *= 2
	}
	for ; n >= 2*size; off, n = off+size, n-size {
		f(off, size)
	}
	f(off, n)
}

// encode appends the numbers of the pieces of n bytes.
func (p *Pieces) encode(s *State, off, n int, out []byte) []byte {
	p.each(off, n, func(off, n int) {
		number, same := p.same(off, n)
		if !same {
			p.scratch = encodeBytes(s, off, n, p.scratch[:0])
			number = p.number(p.scratch)
		}
		out = putNumber(out, int64(number))
	})
	return out
}

// reset says that the bytes of the state are not those of the base any more.
func (p *Pieces) reset() {
	if p != nil {
		p.base, p.turn = p.base[:0], 0
	}
}

// begin begins the decoding of blocks.
func (p *Pieces) begin() {
	if p != nil {
		p.base, p.old, p.turn = p.old[:0], p.base, 0
	}
}

// decode appends n bytes to the memory of a state, and returns the rest of the input. A piece of the same length that
// stood at the same offset in the base before is still there: what was decoded so far ends where the piece begins.
func (p *Pieces) decode(s *State, n int, in []byte) []byte {
	p.each(len(s.mem), n, func(off, n int) {
		var v int64
		v, in = getNumber(in)
		piece, at := pieceAt{int32(off), int32(n), uint32(v), true}, off>>p.shift
		for at >= len(p.base) {
			p.base = append(p.base, pieceAt{})
		}
		p.base[at] = piece
		if at < len(p.old) && p.old[at] == piece && off+n <= cap(s.mem) && (s.masks == nil || off+n <= cap(s.masks)) {
			if s.mem = s.mem[:off+n]; s.masks != nil {
				s.masks = s.masks[:off+n]
			}
			return
		}
		if rest := decodeBytes(s, n, p.bytes(piece.number)); s.masks != nil {
			readMasks(s, true, rest)
		}
	})
	return in
}
