package program

import (
	"fencepost/internal/ir"
)

// Conditions and barriers as simpler steps.
//
// A thread that waits for a condition may wake without a signal, so a wait is an unlock and, at any later
// time, a lock. A signal then changes nothing but which threads wait. It accesses no variable, so that
// stores and loads move across it, and it moves across them.
//
// A thread passes a barrier when enough others have come. Here it drains, reads the word of the barrier,
// which must be initialised, and passes at any time with any result: the program here does more than the
// given one, and what is invariant of it is invariant of that. The reduction is for the given program:
// whether a thread can pass depends on which threads are at the barrier, and no store or load changes
// that, so that stores and loads move across its steps as they do here.
//
// Which thread waits for which is not part of the proof, so nothing is said about deadlock.

// ReplaceWaits replaces operations on conditions and barriers. It reports whether there are any.
func ReplaceWaits(p *ir.Program) (found bool, err error) {
	for _, f := range p.Funcs {
		inside, err := ir.SectionLocs(f)
		if err != nil {
			return false, err
		}
		n := len(f.Edges)
		for i := range n {
			e := &f.Edges[i]
			switch e.Op.Kind {
			case ir.CondWait, ir.Signal, ir.Broadcast, ir.Barrier:
			default:
				continue
			}
			found = true
			if _, fixed := ConstantAddress(p, e.Op.Addr); !fixed {
				return true, Refuse(e, "a condition or barrier whose address is computed is not covered")
			}
			switch {
			case e.Op.Kind == ir.Signal || e.Op.Kind == ir.Broadcast:
				e.Op, e.Pass = ir.NewOp(ir.Nop), passName
			case inside[e.From]:
				return true, Refuse(e, "%s inside an atomic section is not covered", e.Op.Kind)
			case e.Op.Kind == ir.CondWait:
				replaceWait(p, f, i)
			default:
				replaceBarrier(p, f, i)
			}
		}
	}
	if found {
		p.Seal()
	}
	return found, nil
}

// replaceWait makes an unlock and a lock of a wait for a condition.
func replaceWait(p *ir.Program, f *ir.Func, i int) {
	unlock := ir.NewOp(ir.Unlock)
	unlock.Addr, unlock.Mutex.Kind, unlock.Report.Class = f.Edges[i].Op.Val2, ir.NormalMutex, ir.BadWait
	lock := unlock
	lock.Kind, lock.Dst, lock.Report.Class = ir.Lock, f.Edges[i].Op.Dst, 0
	f.Edges[i].Op, f.Edges[i].Pass = unlock, passName
	insertAfter(p, f, i, lock)
}

// replaceBarrier makes an atomic section of a wait at a barrier.
func replaceBarrier(p *ir.Program, f *ir.Func, i int) {
	op := f.Edges[i].Op
	word := ir.Reg(len(f.Regs))
	f.Regs = append(f.Regs, ir.Register{Name: "barrier", Pos: f.Edges[i].Pos})
	load := ir.NewOp(ir.Load)
	load.Addr, load.Obj, load.Type, load.Dst = op.Addr, op.Obj, ir.S64, word
	valid := ir.NewOp(ir.Assert)
	valid.Val, valid.Report.Class = ir.Binary(ir.Lt, ir.S64, ir.Int(0), ir.R(word)), ir.BadWait
	steps := []ir.Op{load, valid}
	if op.Dst != ir.NoReg {
		last := ir.NewOp(ir.Havoc)
		last.Dst, last.Range = op.Dst, ir.Range{Bounded: true, Lo: 0, Hi: 1}
		steps = append(steps, last)
	}
	f.Edges[i].Op, f.Edges[i].Pass = ir.NewOp(ir.AtomicBegin), passName
	for _, s := range append(steps, ir.NewOp(ir.AtomicEnd)) {
		i = insertAfter(p, f, i, s)
	}
}
