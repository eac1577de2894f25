package invariant

import (
	"strconv"

	"fencepost/internal/ir"
	"fencepost/internal/proof/encode"
	"fencepost/internal/proof/program"
	"fencepost/internal/solver/smt"
)

// Facts: the conditions that are proposed as invariants. A fact is an expression over words, which
// are numbers in a state. It has two meanings that agree: a term for the solver, and its value in
// a state of a small instance. A proposal that is false in a state of an instance is no invariant,
// which is found out without the solver.

// symbolic is a state as terms: memory, and the registers of the thread that a fact is about.
type symbolic struct {
	mem  encode.Memory
	regs []smt.Term
}

// concrete is a state of an instance, with the thread that a fact is about.
type concrete struct {
	program.State
	thread ir.ThreadID
}

// word is a number in a state.
type word struct {
	name  string
	term  func(*symbolic) smt.Term
	value func(*concrete) int64
}

// vocabulary makes words and facts.
type vocabulary struct{ pr *encode.Problem }

// variable returns the value of a variable.
func (v vocabulary) variable(x int) word {
	g := &v.pr.Regions[x]
	return word{
		v.pr.Name(x),
		func(st *symbolic) smt.Term { return v.pr.Value(st.mem, x) },
		func(st *concrete) int64 { return g.SeenIn(st) },
	}
}

// register returns the value of a register of the thread.
func (v vocabulary) register(c *program.Class, r ir.Reg) word {
	return word{
		c.Code.Regs[r].Name,
		func(st *symbolic) smt.Term { return st.regs[r] },
		func(st *concrete) int64 { return st.Reg(st.thread, r) },
	}
}

// cell returns what a thread would read with an operation: a cell that depends on registers.
func (v vocabulary) cell(c *program.Class, name string, op *ir.Op) word {
	return word{
		name,
		func(st *symbolic) smt.Term { return v.pr.Read(st.mem, v.pr.Locate(op, v.pr.Env(st.regs)), op.Type) },
		func(st *concrete) int64 {
			regs := make([]int64, len(c.Code.Regs))
			for r := range regs {
				regs[r] = st.Reg(st.thread, ir.Reg(r))
			}
			return st.Read(uint64(op.Addr.Eval(ir.Env{Regs: regs, Prog: v.pr.Prog})), op.Type)
		},
	}
}

// fact returns a condition over words. RegRef number i in the expression is words[i].
func (v vocabulary) fact(text string, expr *ir.Expr, words ...word) *Condition {
	return &Condition{
		text: text,
		term: func(regs []smt.Term, m encode.Memory, _ []smt.Term) smt.Term {
			return v.term(expr, words, &symbolic{mem: m, regs: regs})
		},
		holds: func(st *concrete) bool {
			values := make([]int64, len(words))
			for i, w := range words {
				values[i] = w.value(st)
			}
			return expr.Eval(ir.Env{Regs: values, Prog: v.pr.Prog}) != 0
		},
	}
}

// term returns a fact for the solver.
func (v vocabulary) term(expr *ir.Expr, words []word, st *symbolic) smt.Term {
	terms := make([]smt.Term, len(words))
	for i, w := range words {
		terms[i] = w.term(st)
	}
	return v.pr.Env(terms).Truth(expr)
}

// compared returns the fact that two words are in a relation.
func (v vocabulary) compared(x word, rel relation, y word) *Condition {
	return v.fact(x.name+" "+rel.text+" "+y.name, ir.Binary(rel.op, ir.S64, ir.R(0), ir.R(1)), x, y)
}

// comparedWith returns the fact that a word is in a relation to a number.
func (v vocabulary) comparedWith(x word, rel relation, n int64) *Condition {
	return v.fact(x.name+" "+rel.text+" "+strconv.FormatInt(n, 10), ir.Binary(rel.op, ir.S64, ir.R(0), ir.Int(n)), x)
}
