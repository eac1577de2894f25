package rf

import (
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/machine"
)

// Units: operations that read several cells and write, in one step. They are atomic sections, and read-modify-writes
// whose bytes others access one by one. What a section reads is found out on the way.
//
// A read of a unit that is given a later write keeps the reads before it, whose sources need not be canonical. They
// say where the unit stands, so it may be that its write is not possible with canonical sources of the other reads,
// although it is with the later write. Therefore the write of a unit with several reads is a choice: it is added, or the
// unit stalls. Nothing comes after it in its thread then, until one of its reads is revisited, and a graph with a stalled
// unit is no class. Canonical is the write if it is consistent with what was added before, and with the past of the write
// that revisits; otherwise it is to stall.

// unit describes an operation that is one.
type unit struct {
	is      bool
	section bool    // which cells a section reads is found out on the way
	all     []int32 // the cells that a unit reads which is no section
	stalled int32   // stamp of the choice that the write is not added; 0: there was none
}

// inside adds the next part of a unit: a read, or a choice.
func (x *explorer) inside(t, i int, seq []node) {
	o := &x.g.threads[t][i]
	x.run.seek(x.g, seq[:last(seq, node{thread: int32(t), index: int32(i)})])
	c, all := x.run.next(t, o)
	old := *o
	switch {
	case x.stopped():
		return
	case x.run.m.Misfit:
		x.skip()
	case c != none:
		o.cells = append(o.cells[:len(o.reads):len(o.reads)], c)
		x.read(t, i, seq)
	case len(all) > 0:
		x.choose(t, i, all, seq)
	default:
		x.learn(t, i, seq)
	}
	x.g.threads[t][i] = old
}

// mayStall reports whether the write of an operation is a choice.
func (o *op) mayStall() bool { return o.unit.is && len(o.reads) > 1 }

// stall goes on with the other threads, without the write of operation i of thread t.
func stall(x *explorer, t, i int, seq []node) {
	o := &x.g.threads[t][i]
	done, past := o.done, o.past
	o.done, o.past, o.unit.stalled = 0, nil, x.g.next()
	x.visit(seq)
	o = &x.g.threads[t][i]
	o.done, o.past, o.unit.stalled = done, past, 0
}

// stalledInVain reports whether a unit that stalled after a stamp, and is not in past, could have written.
func stalledInVain(x *explorer, stamp int32, past []int32) bool {
	for t := range x.g.threads {
		o := x.g.last(t)
		if o == nil || o.unit.stalled <= stamp || len(x.g.threads[t]) <= int(past[t]) {
			continue
		}
		o.done = o.unit.stalled
		_, ok := x.witness(cut{before: o.unit.stalled + 1, past: past}, nil)
		o.done = 0
		if ok {
			return true
		}
	}
	return false
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// takes returns the freed blocks that the allocations of a section use, with 0 for fresh ones.
func (o *op) takes() []uint64 {
	var out []uint64
	for k := range o.reads {
		if r := &o.reads[k]; r.pool && o.unit.section {
			out = append(out, r.block)
		}
	}
	return out
}

// freedAfter returns the blocks that operations of a section free and do not use again.
func freedAfter(inside []machine.InnerOp) []uint64 {
	var out []uint64
	for _, in := range inside {
		switch {
		case in.Kind == ir.Free && in.Block != 0:
			out = append(out, in.Block)
		case in.Kind == ir.Alloc:
			out = slices.DeleteFunc(out, func(b uint64) bool { return b == in.Block })
		}
	}
	return out
}

// freedInside returns the blocks of a pool that a section has freed itself before the allocation that reads next, and that
// it has not used again. The section was just tried.
func (rn *runner) freedInside(o *op, pool int32) []uint64 {
	if !o.unit.section {
		return nil
	}
	n := len(o.takes())
	k := slices.IndexFunc(rn.m.Inside, func(in machine.InnerOp) bool {
		if in.Kind == ir.Alloc {
			n--
		}
		return n < 0
	})
	before := rn.m.Inside[:k]
	return slices.DeleteFunc(freedAfter(before), func(b uint64) bool {
		return !slices.ContainsFunc(before, func(in machine.InnerOp) bool {
			return in.Kind == ir.Free && in.Block == b && rn.pool(in.Shape)[0] == pool
		})
	})
}

// block returns the freed block that an allocation uses, or 0.
func (o *op) block() uint64 {
	if len(o.reads) == 0 {
		return 0
	}
	return o.reads[0].block
}
