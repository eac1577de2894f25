package mover

import (
	"fmt"
	"slices"

	"fencepost/internal/ir"
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
	pairs     map[pairKey]*pairAnswer
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
	other  *action
	va, vb int // the abstractions of the two
	round  int // of the invariants
}

// moves returns whether action a of class c moves across action b of class d.
func (mt *moverTable) moves(dir direction, c *class, a *action, d *class, b *action) *pairAnswer {
	key := pairKey{dir, a.first().ID, b, mt.pr.abstractor.variant[a.first().ID], mt.pr.abstractor.variant[b.first().ID], mt.pr.known.round}
	if ans := mt.pairs[key]; ans != nil {
		return ans
	}
	mt.pr.obligations++
	var given []string
	var goal string
	switch {
	case dir == left:
		given, goal = mt.leftGoal(c, a, d, b)
	case a.first().Op.Kind == ir.Alloc:
		given, goal = mt.allocGoal(c, a, d, b)
	default:
		given, goal = mt.rightGoal(c, a, d, b)
	}
	ans := &pairAnswer{holds: goal == "true"}
	if !ans.holds {
		ans = mt.pr.ask(c, a.from(), d, b.from(), given, goal)
		ans.asked = true
	}
	mt.pairs[key] = ans
	return ans
}

// given returns the invariants where a thread of class c is before a and one of class d before b.
func (mt *moverTable) given(c *class, a *action, regsA []string, d *class, b *action, regsB []string, m memory) []string {
	numbers := mt.pr.known.numbers(mt.pr.run(a, "a", run{regs: regsA, mem: m}), mt.pr.run(b, "b", run{regs: regsB, mem: m}))
	out := mt.pr.known.at(c, a.from(), regsA, m, numbers...)
	out = append(out, mt.pr.known.at(d, b.from(), regsB, m, numbers...)...)
	return append(out, mt.pr.known.apart(c, a.from(), regsA, d, b.from(), regsB, m)...)
}

// leftGoal returns the question whether store a, right after b, moves left.
func (mt *moverTable) leftGoal(c *class, a *action, d *class, b *action) (given []string, goal string) {
	m, regsA, regsB := mt.pr.memory("m"), mt.pr.registers(c, "a"), mt.pr.registers(d, "b")
	b1 := mt.pr.run(b, "b", run{regs: regsB, mem: m})
	a1 := mt.pr.run(a, "a", run{regs: regsA, mem: b1.mem})
	a2 := mt.pr.run(a, "a", run{regs: regsA, mem: m})
	b2 := mt.pr.run(b, "b", run{regs: regsB, mem: a2.mem})
	given = append(mt.given(c, a, regsA, d, b, regsB, m), b1.guard...)
	want := append([]string(nil), b2.guard...)
	if slices.Equal(b1.guard, b2.guard) {
		want = nil
	}
	want = append(want, sameMemory(a1.mem, b2.mem)...)
	want = append(want, mt.pr.sameRegisters(d, b.to(), b1.regs, b2.regs)...)
	if goal = and(want); b.fails != nil && goal != "true" {
		goal = or([]string{goal, mt.failsInstead(d, b, regsB, b1, a1, a2)})
	}
	return given, goal
}

// rightGoal returns the question whether load a, right before b, moves right.
func (mt *moverTable) rightGoal(c *class, a *action, d *class, b *action) (given []string, goal string) {
	if !b.writes() {
		return nil, "true"
	}
	m, regsA, regsB := mt.pr.memory("m"), mt.pr.registers(c, "a"), mt.pr.registers(d, "b")
	op := &a.first().Op
	p := mt.pr.locate(op, mt.pr.env(regsA))
	pieces, seen := mt.pr.regions[p.region].bytewise(), m
	if b.section || pieces {
		seen = mt.pr.write(mt.pr.memory("f"), p, op.Type, mt.pr.read(m, p, op.Type))
	}
	var forwarded []string // whether the load forwards a byte
	if pieces && mt.splits(c, a.first()) {
		for i := range op.Type.Size() {
			forwarded = append(forwarded, fmt.Sprintf("own_byte%d", i))
			mt.pr.declareConst(forwarded[i], "Bool")
		}
		seen = mt.pr.blend(mt.pr.memory("f"), seen, p, forwarded)
	}
	a1 := mt.pr.run(a, "a", run{regs: regsA, mem: m})
	b1 := mt.pr.run(b, "b", run{regs: regsB, mem: seen})
	a2 := mt.pr.run(a, "a", run{regs: regsA, mem: mt.pr.blend(m, b1.mem, p, forwarded)})
	given = append(mt.given(c, a, regsA, d, b, regsB, m), a1.guard...)
	given = append(given, b1.guard...)
	var want []string
	if !slices.Equal(a1.guard, a2.guard) {
		want = append(want, a2.guard...)
	}
	return given, and(append(want, mt.pr.sameRegisters(c, a.to(), a1.regs, a2.regs)...))
}
