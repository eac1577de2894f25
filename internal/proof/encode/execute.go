package encode

import (
	"fmt"

	"fencepost/internal/ir"
	"fencepost/internal/proof/program"
	"fencepost/internal/solver/smt"
)

// Run is a state inside an action, and the conditions for reaching it.
type Run struct {
	Regs  []smt.Term
	Mem   Memory
	Guard []smt.Term
	// Indices has the indices of arrays that were accessed, and the registers that were read:
	// conditions for all numbers are instantiated with them.
	Indices []smt.Term
}

// Runner executes actions on terms. Values that an action chooses are named after the instruction
// and the role of its thread, so that the same action makes the same choices in two orders.
type Runner struct {
	*Layout
	Declare func(name string, sort smt.Sort) smt.Term
}

// Run returns the state after an action. The values that the action chooses are named after role.
func (x *Runner) Run(a *program.Action, role string, start Run) Run {
	s := Run{Regs: append([]smt.Term(nil), start.Regs...), Mem: start.Mem, Guard: append([]smt.Term(nil), start.Guard...)}
	for _, e := range a.Edges {
		e.Op.Uses(func(r ir.Reg) { s.Indices = append(s.Indices, s.Regs[r]) })
		x.Step(&e.Op, fmt.Sprintf("%s_h%d", role, e.ID), &s)
	}
	return s
}

// Env returns what an expression is translated with, for registers.
func (x *Runner) Env(regs []smt.Term) Env { return Env{prog: x.Prog, arith: x.Arith, regs: regs} }

// spotOf returns the spot of an access, and notes its index.
func (x *Runner) spotOf(op *ir.Op, v Env, s *Run) Spot {
	p := x.Locate(op, v)
	if !p.Index.IsNone() {
		s.Indices = append(s.Indices, p.Index)
	}
	return p
}

// Step executes an operation. choice is the name of the value that it chooses.
func (x *Runner) Step(op *ir.Op, choice string, s *Run) {
	v := x.Env(s.Regs)
	switch op.Kind {
	case ir.Load:
		x.load(op, &v, s)
	case ir.Await:
		x.load(op, &v, s)
		s.Guard = append(s.Guard, v.Truth(op.Cond))
	case ir.AbstractLoad, ir.Havoc:
		if op.Kind == ir.AbstractLoad {
			v.Seen = x.Read(s.Mem, x.spotOf(op, v, s), op.Type)
		}
		x.choose(op, choice, &v, s)
	case ir.Store:
		s.Mem = x.Write(s.Mem, x.spotOf(op, v, s), op.Type, v.Number(op.Val))
	case ir.RMW:
		x.rmw(op, v, s)
	case ir.Lock, ir.TryLock, ir.Unlock:
		x.mutex(op, v, s)
	case ir.Alloc:
		x.allocate(op, choice, s)
	case ir.Free:
		x.release(op, v, s)
	case ir.Assign:
		value := v.Number(op.Val)
		s.Regs[op.Dst] = value
	case ir.Spawn, ir.Join:
		if op.Dst != ir.NoReg { // a handle or a result, which no other thread changes
			s.Regs[op.Dst] = x.Declare(choice, x.Arith.Sort())
		}
	case ir.Assume:
		s.Guard = append(s.Guard, v.Truth(op.Val))
	}
}

func (x *Runner) load(op *ir.Op, v *Env, s *Run) {
	v.Seen = x.Read(s.Mem, x.spotOf(op, *v, s), op.Type)
	v.regs = append([]smt.Term(nil), s.Regs...) // the condition sees the registers before
	if op.Dst != ir.NoReg {
		s.Regs[op.Dst] = v.Seen
	}
}

func (x *Runner) choose(op *ir.Op, choice string, v *Env, s *Run) {
	chosen := x.Declare(choice, x.Arith.Sort())
	s.Regs[op.Dst] = chosen
	v.regs = s.Regs
	if op.Cond != nil {
		s.Guard = append(s.Guard, v.Truth(op.Cond))
	}
	if op.Range.Bounded {
		s.Guard = append(s.Guard, x.Arith.Le(x.Arith.Num(op.Range.Lo), chosen), x.Arith.Le(chosen, x.Arith.Num(op.Range.Hi)))
	}
}

func (x *Runner) rmw(op *ir.Op, v Env, s *Run) {
	p := x.spotOf(op, v, s)
	old := x.Read(s.Mem, p, op.Type)
	v.Seen = old
	if op.Cond != nil {
		s.Guard = append(s.Guard, v.Truth(op.Cond))
	}
	value, wrote := v.Number(op.Val), x.Arith.Num(1)
	switch op.RMW {
	case ir.Xchg:
	case ir.FetchAdd, ir.FetchAnd, ir.FetchOr, ir.FetchXor:
		value = x.Arith.Binary(fetches[op.RMW], op.Type, old, value)
	case ir.Cas:
		hit := Equal(old, x.Arith.Narrow(value, op.Type))
		value, wrote = ite(hit, v.Number(op.Val2), old), x.Arith.truth(hit)
	default:
		panic("BUG: unknown read-modify-write")
	}
	s.Mem = x.Write(s.Mem, p, op.Type, value)
	if op.Dst != ir.NoReg {
		s.Regs[op.Dst] = old
	}
	if op.Dst2 != ir.NoReg {
		s.Regs[op.Dst2] = wrote
	}
}

var fetches = map[ir.RMWKind]ir.ExprOp{ir.FetchAdd: ir.Add, ir.FetchAnd: ir.And, ir.FetchOr: ir.Or, ir.FetchXor: ir.Xor}

// mutex executes an operation on the word of a mutex, which is 1 while a thread holds it. Proofs
// know which thread that is from the locations of threads.
func (x *Runner) mutex(op *ir.Op, v Env, s *Run) {
	p := x.spotOf(op, v, s)
	free := x.Arith.IsZero(x.Read(s.Mem, p, ir.U64))
	result := x.Arith.Num(0)
	switch op.Kind {
	case ir.Lock:
		s.Guard = append(s.Guard, free)
		s.Mem = x.Write(s.Mem, p, ir.U64, x.Arith.Num(1))
	case ir.TryLock:
		result = ite(free, x.Arith.Num(0), x.Arith.Num(ir.EBUSY))
		s.Mem = x.Write(s.Mem, p, ir.U64, x.Arith.Num(1))
	case ir.Unlock:
		s.Mem = x.Write(s.Mem, p, ir.U64, x.Arith.Num(0))
	}
	if op.Dst != ir.NoReg {
		s.Regs[op.Dst] = result
	}
}
