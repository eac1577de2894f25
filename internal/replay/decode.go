//go:build !fencepost_small

package replay

import (
	"encoding/binary"
	"errors"
	"slices"

	"fencepost/internal/ir"
)

// States as bytes, and back. The bytes are the key of the state, so that two states have the same bytes exactly if they
// are equal.

// Encode returns the bytes of a state.
func (x *Stepper) Encode(s State) string { return s.s.key(x.sites) }

var errNoState = errors.New("not a state of the program")

// decoder reads the bytes of a state. After bytes that are none, bad is set, and all that is read is zero.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) byte() byte {
	if len(d.b) == 0 {
		d.bad = true
		return 0
	}
	v := d.b[0]
	d.b = d.b[1:]
	return v
}

func (d *decoder) truth() bool {
	v := d.byte()
	d.bad = d.bad || v > 1
	return v == 1
}

func (d *decoder) uint() uint64 {
	v, n := binary.Uvarint(d.b)
	d.skip(n)
	return v
}

func (d *decoder) int() int64 {
	v, n := binary.Varint(d.b)
	d.skip(n)
	return v
}

// skip takes away the n bytes of a number, or everything if there was none.
func (d *decoder) skip(n int) {
	if n <= 0 {
		d.bad, d.b = true, nil
		return
	}
	d.b = d.b[n:]
}

// below returns a number that must be less than n.
func (d *decoder) below(n int) int {
	v := d.int()
	if v < 0 || v >= int64(n) {
		d.bad = true
		return 0
	}
	return int(v)
}

// count returns the length of a list, each element of which has at least one byte.
func (d *decoder) count() int {
	n := d.uint()
	if n > uint64(len(d.b)) {
		d.bad = true
		return 0
	}
	return int(n)
}

// maxBlocks bounds the number of blocks that one operation allocates.
const maxBlocks = 1 << 30

// Decode returns the state with these bytes.
func (x *Stepper) Decode(key string) (State, error) {
	d := &decoder{b: []byte(key)}
	s := x.first.clone()
	s.words = nil
	s.over = d.truth()
	s.holder = int(d.int())
	d.bad = d.bad || s.holder < -1 || s.holder >= len(s.threads)
	for t := range s.threads {
		x.decodeThread(d, &s.threads[t], x.m.p.ThreadFunc(ir.ThreadID(t)))
	}
	for range d.count() {
		s.words = append(s.words, word{addr: d.uint(), value: d.uint()})
	}
	for range d.count() {
		s.undefined = append(s.undefined, undefinedWord{addr: d.uint(), undefined: unknownOrigin(d.uint())})
	}
	for len(d.b) > 0 && !d.bad {
		b := block{addr: d.uint(), size: d.int(), order: 1 + len(s.blocks)}
		kind := d.byte()
		b.stack, b.kept, b.freed = kind&1 != 0, kind&2 != 0, d.truth()
		d.bad = d.bad || kind > 3 || b.kept && len(x.m.kept) == 0
		if x.sites && !b.freed {
			b.site, b.order = ir.EdgeID(d.int()), 1+d.below(maxBlocks)
		}
		s.blocks = append(s.blocks, b)
	}
	if d.bad || !x.sane(s) || s.key(x.sites) != key {
		return State{}, errNoState
	}
	return State{s}, nil
}

func (x *Stepper) decodeThread(d *decoder, th *thread, f *ir.Func) {
	th.phase = phase(d.byte())
	if th.phase == unstarted {
		return
	}
	th.loc = ir.Loc(d.below(len(f.Locs)))
	if th.phase != running {
		th.edge = int32(d.below(len(f.Edges)))
	}
	th.unshare()
	for r := range th.regs {
		th.regs[r] = d.int()
	}
	for r := range th.undefined {
		th.undefined[r] = unknownOrigin(d.uint())
	}
	th.result = d.int()
	th.unclear = unknownOrigin(d.uint())
	th.fresh = d.int()
	for range d.count() {
		e := entry{kind: entryKind(d.byte()), size: int(d.byte())}
		e.addr = d.uint()
		e.value = int64(d.uint())
		e.undefined = unknownOrigin(d.uint())
		th.buf = append(th.buf, e)
	}
}

// unknownOrigin returns undefined bits with an origin that is not known. No rule depends on origins.
func unknownOrigin(mask uint64) undefined {
	if mask == 0 {
		return undefined{}
	}
	return undefined{mask: mask, from: &origin{edge: ir.NoEdge, reg: ir.NoReg, object: ir.NoObject, read: -1}}
}

// sane reports whether a state has the shape that the rules rely on.
func (x *Stepper) sane(s *state) bool {
	for i, w := range s.words {
		if w.addr%8 != 0 || w.value == 0 || i > 0 && s.words[i-1].addr >= w.addr {
			return false
		}
	}
	for i, w := range s.undefined {
		if w.addr%8 != 0 || w.mask == 0 || i > 0 && s.undefined[i-1].addr >= w.addr {
			return false
		}
	}
	for i, b := range s.blocks {
		if b.size < 0 || i > 0 && s.blocks[i-1].addr >= b.addr {
			return false
		}
	}
	for t := range s.threads {
		if !x.saneThread(s, &s.threads[t], x.m.p.ThreadFunc(ir.ThreadID(t))) {
			return false
		}
	}
	return true
}

func (x *Stepper) saneThread(s *state, th *thread, f *ir.Func) bool {
	kind := ir.OpKind(0)
	if len(f.Edges) > 0 {
		kind = f.Edges[th.edge].Op.Kind
	}
	switch th.phase {
	case unstarted, running, joined:
	case waiting, woken:
		if kind != ir.CondWait {
			return false
		}
	case atBarrier:
		if kind != ir.Barrier {
			return false
		}
	default:
		return false
	}
	return !slices.ContainsFunc(th.buf, func(e entry) bool {
		switch e.kind {
		case storeEntry:
			return e.size < 1 || e.size > 8
		case freeEntry:
			return s.blockAt(e.addr) < 0
		default:
			return e.kind != marker
		}
	})
}
