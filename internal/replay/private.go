//go:build !fencepost_small

package replay

import (
	"errors"

	"fencepost/internal/ir"
	"fencepost/verdict"
)

// Blocks that one thread alone can reach. No register that may depend on the address of such a block is used for
// more than addresses of accesses: it is never written to memory, given to another thread, returned or compared. So no
// other thread has it; that a thread computes the address of a block from that of another one is excluded, as it is in
// C.
//
// Since nothing but accesses depends on the address, a block of this kind need not be one that was given back: its
// contents are undefined in either case.

// keptBlocks returns the allocations whose blocks one thread alone can reach.
func keptBlocks(p *ir.Program) map[ir.EdgeID]bool {
	out := map[ir.EdgeID]bool{}
	for t := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(t))
		for i := range f.Edges {
			if e := &f.Edges[i]; e.Op.Kind == ir.Alloc && e.Op.Block.Stack && e.Op.Block.Undef && keeps(f, e.Op.Dst) {
				out[e.ID] = true
			}
		}
	}
	return out
}

// keeps reports whether a function lets no other thread have what a register holds.
func keeps(f *ir.Func, r ir.Reg) bool {
	if r == ir.NoReg {
		return true
	}
	depends := map[ir.Reg]bool{r: true}
	mentions := func(e *ir.Expr) bool {
		found := false
		if e != nil {
			e.Walk(func(e *ir.Expr) { found = found || e.Op == ir.RegRef && depends[e.Reg] })
		}
		return found
	}
	for grown := true; grown; {
		grown = false
		for i := range f.Edges {
			op := &f.Edges[i].Op
			switch op.Kind {
			case ir.Assign:
				if mentions(op.Val) && !depends[op.Dst] {
					depends[op.Dst], grown = true, true
				}
			default: // what it does with values may reach memory or another thread, or decide something
				all := append([]*ir.Expr{op.Val, op.Val2, op.Undef.Val, op.Cond}, op.Call.Args...)
				for _, e := range all {
					if mentions(e) {
						return false
					}
				}
			}
		}
	}
	return true
}

// keptIfNone returns the allocations of keptBlocks, or none if a block on the stack that other threads can reach may be
// one that was given back: then it makes a difference which blocks are.
func keptIfNone(p *ir.Program) map[ir.EdgeID]bool {
	kept, escapes, frees := keptBlocks(p), false, false
	for t := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(t))
		for i := range f.Edges {
			op := &f.Edges[i].Op
			escapes = escapes || op.Kind == ir.Alloc && op.Block.Stack && !kept[f.Edges[i].ID]
			frees = frees || op.Kind == ir.Free && op.Block.Stack
		}
	}
	if escapes && frees {
		return nil
	}
	return kept
}

// Alone returns the step of thread t that concerns a block which it alone can reach, if it is all that the thread can do:
// an access, the end of the block, or its allocation. The block is a new one: what an access to a block that has ended
// would do to one that is used again is an error then.
func (x *Stepper) Alone(s State, t int) (*Move, error) {
	f := x.m.p.ThreadFunc(ir.ThreadID(t))
	out := f.Out(s.s.threads[t].loc)
	if len(x.m.kept) == 0 || len(out) != 1 {
		return nil, nil
	}
	e := &f.Edges[out[0]]
	c := x.m.turn(s.s, t, e, 0)
	switch e.Op.Kind {
	case ir.Alloc:
		if !x.m.kept[e.ID] {
			return nil, nil
		}
	case ir.Load, ir.Store, ir.Free:
		if !x.m.alone(s.s, t, uint64(c.eval(e.Op.Addr))) {
			return nil, nil
		}
	default:
		return nil, nil
	}
	c.run()
	if c.err != nil || len(c.out) == 0 {
		return nil, c.err
	}
	one := moves(c.out[:1]) // of an allocation, the new block
	return &one[0], nil
}

var errGuess = errors.New("a thread guesses the address of an automatic variable of another one")

// foreign reports whether a step accesses a block that another thread alone can reach.
func (x *Stepper) foreign(s State, tr *transition) bool {
	if len(x.m.kept) == 0 || tr.addr < heapBase || wasNewTo(tr.addr, tr.thread) {
		return false
	}
	for _, b := range s.s.blocks {
		if b.kept && tr.addr-b.addr < uint64(max(b.size, 1)) {
			return tr.kind == verdict.StepLoad || tr.kind == verdict.StepStore || tr.kind == verdict.StepRMW
		}
	}
	return false
}

// Keeps reports whether the program has blocks that one thread alone can reach.
func (x *Stepper) Keeps() bool { return len(x.m.kept) > 0 }

// Approximates reports whether the steps may have more than the model allows: accesses to blocks that one thread alone can
// reach do not wait for the end of an atomic section.
func (x *Stepper) Approximates() bool {
	if len(x.m.kept) == 0 {
		return false
	}
	for _, f := range x.m.p.Funcs {
		for i := range f.Edges {
			if f.Edges[i].Op.Kind == ir.AtomicBegin {
				return true
			}
		}
	}
	return false
}

// OneThreadBlocks returns the allocations whose blocks one thread alone can reach, none if it may show which blocks were
// given back.
func OneThreadBlocks(p *ir.Program) map[ir.EdgeID]bool { return keptIfNone(p) }
