package mover

import (
	"fmt"

	"fencepost/internal/ir"
)

// Rings. A producer fills the slot of its index and then counts the index up; a consumer empties the slots later. The
// invariant is about all slots in use: for every number i from the consumer's index up to the producer's, the slot of
// i has what the producer stores there with index i. It is proposed for every store to an array whose address and value
// depend on one register, and for every two variables of the sort of this register. On the way the thread
// knows that the slot of its own index has been filled.
//
// Numbers may wrap around: i runs from y up to x if i - y < x - y, in the arithmetic of the variables.

// filling is a store that fills the slot of an index.
type filling struct {
	c     *class
	edge  *ir.Edge
	index ir.Reg
}

// fillings returns the stores of a class whose address depends on one register, and the value on no other one.
func fillings(pr *problem, c *class) []filling {
	var out []filling
	for i := range c.f.Edges {
		e := &c.f.Edges[i]
		if _, _, block := inBlock(pr.layout, &e.Op); e.Op.Kind != ir.Store || c.inside[e.From] || block {
			continue
		}
		r := ir.NoReg
		e.Op.Addr.Walk(func(x *ir.Expr) {
			if x.Op == ir.RegRef {
				r = x.Reg
			}
		})
		if r == ir.NoReg || !onlyReads(e.Op.Addr, r) || !onlyReads(e.Op.Val, r) || asksSelf(&e.Op) {
			continue
		}
		if g := &pr.regions[pr.locate(&e.Op, pr.env(pr.registers(c, "a"))).region]; g.shape == elements {
			out = append(out, filling{c, e, r})
		}
	}
	return out
}

// text names the array and the store.
func (f filling) text(pr *problem) string {
	home := pr.home(&f.edge.Op)
	if home == ir.NoObject {
		return fmt.Sprintf("the cell that line %d stores to", f.edge.Pos.Line)
	}
	return fmt.Sprintf("the element of %s that line %d stores to", pr.prog.Objects[home].Name, f.edge.Pos.Line)
}

// filled returns the condition that the slot of an index has what is stored there with this index.
func (f filling) filled(pr *problem, m memory, index string) string {
	regs := make([]string, len(f.c.f.Regs))
	for r := range regs {
		regs[r] = pr.arith.num(0)
	}
	regs[f.index] = index
	v, op := pr.env(regs), &f.edge.Op
	return equal(pr.read(m, pr.locate(op, v), op.Type), pr.arith.narrow(v.number(op.Val), op.Type))
}

// isFilled is filled in a state of an instance.
func (f filling) isFilled(pr *problem, st State, index int64) bool {
	env := ir.Env{Regs: make([]int64, len(f.c.f.Regs)), Prog: pr.prog}
	env.Regs[f.index] = index
	op := &f.edge.Op
	addr := uint64(op.Addr.Eval(env))
	return pr.prog.FindObject(addr, op.Type.Size()) != ir.NoObject && st.Read(addr, op.Type) == op.Type.Wrap(op.Val.Eval(env))
}

// maxRing bounds the slots in use that are looked at in a state of an instance.
const maxRing = 256

// rings returns candidates about the slots in use.
func (g *clauseGrammar) rings() []*pred {
	pr := g.k.pr
	var out []*pred
	for _, c := range pr.classes {
		for _, f := range fillings(pr, c) {
			for _, x := range g.variables {
				for _, y := range g.variables {
					if x.sort == y.sort && x.sort == g.sorts.register(c, f.index) && x.typ == y.typ && x.name != y.name {
						out = append(out, f.between(g.k, x, y))
					}
				}
			}
		}
	}
	return out
}

// between returns the fact that the slots from y up to x are filled.
func (f filling) between(k *knowledge, x, y sorted) *pred {
	pr, t := k.pr, ir.Type{Bits: x.typ.Bits}
	k.bound = max(k.bound, 1)
	return &pred{
		text:  fmt.Sprintf("for all i from %s up to %s: %s with %s = i is filled", y.name, x.name, f.text(pr), f.c.f.Regs[f.index].Name),
		bound: 1,
		term: func(regs []string, m memory, q []string) string {
			st := &symbolic{mem: m, regs: regs}
			from, to := y.term(st), x.term(st)
			i := pr.arith.narrow(q[0], x.typ)
			in := pr.arith.compare(ir.Lt, ir.U64, pr.arith.binary(ir.Sub, t, i, from), pr.arith.binary(ir.Sub, t, to, from))
			return implies(in, f.filled(pr, m, i))
		},
		holds: func(st *concrete) bool {
			to := x.value(st)
			for i, n := y.value(st), 0; i != to && n < maxRing; i, n = x.typ.Wrap(i+1), n+1 {
				if !f.isFilled(pr, st, i) {
					return false
				}
			}
			return true
		},
	}
}

// fillingAt returns candidates that a slot of the thread's own index is filled.
func (g *clauseGrammar) fillingAt(c *class, l ir.Loc) []*pred {
	pr := g.k.pr
	var out []*pred
	for _, f := range fillings(pr, c) {
		if !pr.facts.IsLive(pr.prog.Threads[c.thread].Func, l, f.index) {
			continue
		}
		out = append(out, &pred{
			text:  fmt.Sprintf("%s with %s is filled", f.text(pr), c.f.Regs[f.index].Name),
			term:  func(regs []string, m memory, _ []string) string { return f.filled(pr, m, regs[f.index]) },
			holds: func(st *concrete) bool { return f.isFilled(pr, st.State, st.Reg(st.thread, f.index)) },
		})
	}
	return out
}
