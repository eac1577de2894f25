package memory

import "math/bits"

// What steps change. A search encodes many states that differ from one state in a step or two. Every change of a state
// is logged, so that it can be undone, and the log says which parts of the state may have changed:
//   - A part that no record since a mark names encodes as it did at the mark.
//   - After Undo to the mark no part has changed.
//
// Attacks are set up without records (attack.go), and the engine that uses them encodes states as a whole.

// PartSet is a set of parts of a state, a bit each.
type PartSet []uint64

// NewPartSet returns an empty set for a number of parts.
func NewPartSet(parts int) PartSet { return make(PartSet, (parts+63)/64) }

func (p PartSet) add(i int) { p[i/64] |= 1 << (i % 64) }

// Has reports whether part i is in the set.
func (p PartSet) Has(i int) bool { return p[i/64]>>(i%64)&1 != 0 }

// Next returns the first part in the set from i on, or -1.
func (p PartSet) Next(i int) int {
	for w := i / 64; w < len(p); w++ {
		rest := p[w]
		if w == i/64 {
			rest = rest >> (i % 64) << (i % 64)
		}
		if rest != 0 {
			return 64*w + bits.TrailingZeros64(rest)
		}
	}
	return -1
}

// Changed sets out to the parts that steps since the mark may have changed.
func (c *Codec) Changed(s *State, mark int, out PartSet) {
	clear(out)
	c.pieces.beginChanges()
	rest := c.Parts() - 1
	for i := mark; i < len(s.undo); i++ {
		u := &s.undo[i]
		switch u.kind {
		case undoPC, undoStatus, undoWait, undoResult, undoPush, undoRemove, undoBuffer:
			out.add(int(u.t))
		case undoReg:
			out.add(int(c.y.regOwner[u.a]))
		case undoMem, undoMask:
			if int(u.a) >= len(c.y.static.unitAt) {
				out.add(rest) // a block
				c.pieces.change(int(u.a), int(u.size))
				continue
			}
			first, last := c.y.static.unitAt[u.a], c.y.static.unitAt[int(u.a)+int(u.size)-1]
			for part := int(first) / c.units; part <= int(last)/c.units; part++ {
				out.add(len(c.y.threads) + part)
			}
		case undoHolder:
			// Encodings up to symmetry say in the part of a thread whether it is the holder.
			out.add(rest)
			for _, h := range []int32{int32(u.old), s.holder} {
				if h >= 0 {
					out.add(int(h))
				}
			}
		case undoFresh, undoBlockAdd, undoBlockFree, undoOrigin:
			out.add(rest)
		case undoOver, undoFault: // such states are not encoded
		default:
			panic("BUG: a change of no part")
		}
	}
}
