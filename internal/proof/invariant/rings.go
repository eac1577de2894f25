package invariant

import (
	"fmt"

	"fencepost/internal/ir"
	"fencepost/internal/proof/encode"
	"fencepost/internal/proof/program"
	"fencepost/internal/solver/smt"
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
	c     *program.Class
	edge  *ir.Edge
	index ir.Reg
}

// fillings returns the stores of a class whose address depends on one register, and the value on no other one.
func fillings(pr *encode.Problem, c *program.Class) []filling {
	var out []filling
	for i := range c.Code.Edges {
		e := &c.Code.Edges[i]
		if _, _, block := pr.InBlock(&e.Op); e.Op.Kind != ir.Store || c.Inside[e.From] || block {
			continue
		}
		r := ir.NoReg
		e.Op.Addr.Walk(func(x *ir.Expr) {
			if x.Op == ir.RegRef {
				r = x.Reg
			}
		})
		if r == ir.NoReg || !program.OnlyReads(e.Op.Addr, r) || !program.OnlyReads(e.Op.Val, r) || program.AsksSelf(&e.Op) {
			continue
		}
		if g := &pr.Regions[pr.Locate(&e.Op, pr.Env(pr.Registers(c, "a"))).Region]; g.Shape == encode.Elements {
			out = append(out, filling{c, e, r})
		}
	}
	return out
}

// text names the array and the store.
func (f filling) text(pr *encode.Problem) string {
	home := pr.Home(&f.edge.Op)
	if home == ir.NoObject {
		return fmt.Sprintf("the cell that line %d stores to", f.edge.Pos.Line)
	}
	return fmt.Sprintf("the element of %s that line %d stores to", pr.Prog.Objects[home].Name, f.edge.Pos.Line)
}

// filled returns the condition that the slot of an index has what is stored there with this index.
func (f filling) filled(pr *encode.Problem, m encode.Memory, index smt.Term) smt.Term {
	regs := make([]smt.Term, len(f.c.Code.Regs))
	for r := range regs {
		regs[r] = pr.Arith.Num(0)
	}
	regs[f.index] = index
	v, op := pr.Env(regs), &f.edge.Op
	return encode.Equal(pr.Read(m, pr.Locate(op, v), op.Type), pr.Arith.Narrow(v.Number(op.Val), op.Type))
}

// isFilled is filled in a state of an instance.
func (f filling) isFilled(pr *encode.Problem, st program.State, index int64) bool {
	env := ir.Env{Regs: make([]int64, len(f.c.Code.Regs)), Prog: pr.Prog}
	env.Regs[f.index] = index
	op := &f.edge.Op
	addr := uint64(op.Addr.Eval(env))
	return pr.Prog.FindObject(addr, op.Type.Size()) != ir.NoObject && st.Read(addr, op.Type) == op.Type.Wrap(op.Val.Eval(env))
}

// maxRing bounds the slots in use that are looked at in a state of an instance.
const maxRing = 256

// rings returns candidates about the slots in use.
func (g *clauseGrammar) rings() []*Condition {
	pr := g.k.pr
	var out []*Condition
	for _, c := range pr.Classes {
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
func (f filling) between(k *Knowledge, x, y sorted) *Condition {
	pr, t := k.pr, ir.Type{Bits: x.typ.Bits}
	k.bound = max(k.bound, 1)
	return &Condition{
		text:  fmt.Sprintf("for all i from %s up to %s: %s with %s = i is filled", y.name, x.name, f.text(pr), f.c.Code.Regs[f.index].Name),
		bound: 1,
		term: func(regs []smt.Term, m encode.Memory, q []smt.Term) smt.Term {
			st := &symbolic{mem: m, regs: regs}
			from, to := y.term(st), x.term(st)
			i := pr.Arith.Narrow(q[0], x.typ)
			in := pr.Arith.Compare(ir.Lt, ir.U64, pr.Arith.Binary(ir.Sub, t, i, from), pr.Arith.Binary(ir.Sub, t, to, from))
			return smt.Implies(in, f.filled(pr, m, i))
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
func (g *clauseGrammar) fillingAt(c *program.Class, l ir.Loc) []*Condition {
	pr := g.k.pr
	var out []*Condition
	for _, f := range fillings(pr, c) {
		if !pr.Facts.IsLive(pr.Prog.Threads[c.Thread].Func, l, f.index) {
			continue
		}
		out = append(out, &Condition{
			text:  fmt.Sprintf("%s with %s is filled", f.text(pr), c.Code.Regs[f.index].Name),
			term:  func(regs []smt.Term, m encode.Memory, _ []smt.Term) smt.Term { return f.filled(pr, m, regs[f.index]) },
			holds: func(st *concrete) bool { return f.isFilled(pr, st.State, st.Reg(st.thread, f.index)) },
		})
	}
	return out
}
