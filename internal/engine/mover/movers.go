package mover

import (
	"fmt"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/proof/encode"
	"fencepost/internal/proof/program"
	"fencepost/internal/solver/smt"
)

// The checks of pairs [BEMT18 §4]. A store is a left mover if every action of another thread right
// before it could as well come right after it, with the same final state. A load is a right mover
// if every action of another thread right after it could as well come right before it. Both are
// asked for all states that the invariants of the two locations allow. Final states are compared by
// value, so a store of the value that memory has already moves across everything: the paper's
// relaxed store order. For a read abstraction the chosen value stays the same and must still be
// allowed: the paper's from-read rule for havoc.
//
// Differs from the paper: registers count only while they are live. The language has atomic
// sections, and every path through a section is checked. When a load moves right across a section,
// the section may read any value from addresses other than the load's: other stores of the load's
// thread may be in its buffer, and the section may see them in one order and not in the other. The
// same is true for every instruction that reads memory which is accessed with different sizes,
// since it can read more bytes than the load. There a load can also forward some of its bytes from
// the buffer. Whatever bytes these are, the load keeps them, and the action of the other thread
// does not see them.

// moverTable decides which actions move across which, and which stores are atomic.
type moverTable struct {
	pr        *prover
	pairs     map[pairKey]*encode.Decision
	addresses map[addressKey]*int64 // nil: more than one
}

// direction of a move. The zero value is unset.
type direction uint8

const (
	_ direction = iota
	left
	right
)

type pairKey struct {
	dir    direction
	edge   ir.EdgeID
	other  *program.Action
	va, vb int // the abstractions of the two
	round  int // of the invariants
}

// moves returns whether action a of class c moves across action b of class d.
func (mt *moverTable) moves(dir direction, c *program.Class, a *program.Action, d *program.Class, b *program.Action) *encode.Decision {
	key := pairKey{dir, a.First().ID, b, mt.pr.abstractor.variant[a.First().ID], mt.pr.abstractor.variant[b.First().ID], mt.pr.known.Round}
	if ans := mt.pairs[key]; ans != nil {
		return ans
	}
	mt.pr.Obligations++
	var given []smt.Term
	var goal smt.Term
	switch {
	case dir == left:
		given, goal = mt.leftGoal(c, a, d, b)
	case a.First().Op.Kind == ir.Alloc:
		given, goal = mt.allocGoal(c, a, d, b)
	default:
		given, goal = mt.rightGoal(c, a, d, b)
	}
	ans := &encode.Decision{Holds: goal.IsTrue()}
	if !ans.Holds {
		ans = mt.pr.Ask(c, a.From(), d, b.From(), given, goal)
		ans.Asked = true
	}
	mt.pairs[key] = ans
	return ans
}

// given returns the invariants where a thread of class c is before a and one of class d before b.
func (mt *moverTable) given(c *program.Class, a *program.Action, regsA []smt.Term, d *program.Class, b *program.Action, regsB []smt.Term, m encode.Memory) []smt.Term {
	numbers := mt.pr.known.Numbers(mt.pr.Run(a, "a", encode.Run{Regs: regsA, Mem: m}), mt.pr.Run(b, "b", encode.Run{Regs: regsB, Mem: m}))
	out := mt.pr.known.At(c, a.From(), regsA, m, numbers...)
	out = append(out, mt.pr.known.At(d, b.From(), regsB, m, numbers...)...)
	return append(out, mt.pr.known.Apart(c, a.From(), regsA, d, b.From(), regsB, m)...)
}

// leftGoal returns the question whether store a, right after b, moves left.
func (mt *moverTable) leftGoal(c *program.Class, a *program.Action, d *program.Class, b *program.Action) (given []smt.Term, goal smt.Term) {
	m, regsA, regsB := mt.pr.Memory("m"), mt.pr.Registers(c, "a"), mt.pr.Registers(d, "b")
	b1 := mt.pr.Run(b, "b", encode.Run{Regs: regsB, Mem: m})
	a1 := mt.pr.Run(a, "a", encode.Run{Regs: regsA, Mem: b1.Mem})
	a2 := mt.pr.Run(a, "a", encode.Run{Regs: regsA, Mem: m})
	b2 := mt.pr.Run(b, "b", encode.Run{Regs: regsB, Mem: a2.Mem})
	given = append(mt.given(c, a, regsA, d, b, regsB, m), b1.Guard...)
	want := append([]smt.Term(nil), b2.Guard...)
	if smt.Same(b1.Guard, b2.Guard) {
		want = nil
	}
	want = append(want, encode.SameMemory(a1.Mem, b2.Mem)...)
	want = append(want, mt.pr.SameRegisters(d, b.To(), b1.Regs, b2.Regs)...)
	if goal = smt.And(want...); b.Fails != nil && !goal.IsTrue() {
		goal = smt.Or(goal, mt.failsInstead(d, b, regsB, b1, a1, a2))
	}
	return given, goal
}

// rightGoal returns the question whether load a, right before b, moves right.
func (mt *moverTable) rightGoal(c *program.Class, a *program.Action, d *program.Class, b *program.Action) (given []smt.Term, goal smt.Term) {
	if !b.Writes() {
		return nil, smt.True
	}
	m, regsA, regsB := mt.pr.Memory("m"), mt.pr.Registers(c, "a"), mt.pr.Registers(d, "b")
	op := &a.First().Op
	p := mt.pr.Locate(op, mt.pr.Env(regsA))
	pieces, seen := mt.pr.Regions[p.Region].Bytewise(), m
	if b.Section || pieces {
		seen = mt.pr.Write(mt.pr.Memory("f"), p, op.Type, mt.pr.Read(m, p, op.Type))
	}
	var forwarded []smt.Term // whether the load forwards a byte
	if pieces && mt.splits(c, a.First()) {
		for i := range op.Type.Size() {
			forwarded = append(forwarded, mt.pr.DeclareConst(fmt.Sprintf("own_byte%d", i), smt.Bool))
		}
		seen = mt.pr.Blend(mt.pr.Memory("f"), seen, p, forwarded)
	}
	a1 := mt.pr.Run(a, "a", encode.Run{Regs: regsA, Mem: m})
	b1 := mt.pr.Run(b, "b", encode.Run{Regs: regsB, Mem: seen})
	a2 := mt.pr.Run(a, "a", encode.Run{Regs: regsA, Mem: mt.pr.Blend(m, b1.Mem, p, forwarded)})
	given = append(mt.given(c, a, regsA, d, b, regsB, m), a1.Guard...)
	given = append(given, b1.Guard...)
	var want []smt.Term
	if !smt.Same(a1.Guard, a2.Guard) {
		want = append(want, a2.Guard...)
	}
	return given, smt.And(append(want, mt.pr.SameRegisters(c, a.To(), a1.Regs, a2.Regs)...)...)
}

// allocGoal returns the question whether an allocation moves right across a step: the same block can be allocated after the
// step, and memory is the same then. A section may see other stores of the thread in one order and not in the other,
// so it must not access blocks.
func (mt *moverTable) allocGoal(c *program.Class, a *program.Action, d *program.Class, b *program.Action) (given []smt.Term, goal smt.Term) {
	pr := mt.pr
	m, regsA, regsB := pr.Memory("m"), pr.Registers(c, "a"), pr.Registers(d, "b")
	if !b.Any(func(op *ir.Op) bool { return int(op.Obj) >= pr.Blocks.Static }) {
		return nil, smt.True
	}
	if b.Section {
		return nil, smt.False
	}
	a1 := pr.Run(a, "a", encode.Run{Regs: regsA, Mem: m})
	b1 := pr.Run(b, "b", encode.Run{Regs: regsB, Mem: a1.Mem})
	b2 := pr.Run(b, "b", encode.Run{Regs: regsB, Mem: m})
	a2 := pr.Run(a, "a", encode.Run{Regs: regsA, Mem: b2.Mem})
	given = append(mt.given(c, a, regsA, d, b, regsB, m), a1.Guard...)
	given = append(given, b1.Guard...)
	want := append(slices.Clone(a2.Guard), b2.Guard...)
	want = append(want, encode.SameMemory(b1.Mem, a2.Mem)...)
	want = append(want, pr.SameRegisters(d, b.To(), b1.Regs, b2.Regs)...)
	return given, smt.And(want...)
}
