package mover

import (
	"strconv"

	"fencepost/internal/ir"
)

// Facts: the conditions that are proposed as invariants. A fact is an expression over words, which
// are numbers in a state. It has two meanings that agree: a term for the solver, and its value in
// a state of a small instance. A proposal that is false in a state of an instance is no invariant,
// which is found out without the solver.

// symbolic is a state as terms: memory, the registers of the thread that a fact is about, and those
// of a second thread if it is about two.
type symbolic struct {
	mem          memory
	regs, others []string
}

// concrete is a state of an instance, with the threads that a fact is about.
type concrete struct {
	State
	thread, other ir.ThreadID
}

// word is a number in a state.
type word struct {
	name  string
	term  func(*symbolic) string
	value func(*concrete) int64
}

// variableWord returns the value of a variable.
func (pr *prover) variableWord(x int) word {
	g := &pr.regions[x]
	return word{
		pr.name(x),
		func(st *symbolic) string { return pr.value(st.mem, x) },
		func(st *concrete) int64 { return st.Read(uint64(g.base), g.typ) },
	}
}

// registerWord returns the value of a register of the thread.
func registerWord(c *class, r ir.Reg) word {
	return word{
		c.f.Regs[r].Name,
		func(st *symbolic) string { return st.regs[r] },
		func(st *concrete) int64 { return st.Reg(st.thread, r) },
	}
}

// otherWord returns the value of a register of the second thread.
func otherWord(d *class, r ir.Reg) word {
	return word{
		d.f.Regs[r].Name,
		func(st *symbolic) string { return st.others[r] },
		func(st *concrete) int64 { return st.Reg(st.other, r) },
	}
}

// cellWord returns what a thread would read with an operation: a cell that depends on registers.
func (pr *prover) cellWord(c *class, name string, op *ir.Op) word {
	return word{
		name,
		func(st *symbolic) string { return pr.read(st.mem, pr.locate(op, pr.env(st.regs)), op.Type) },
		func(st *concrete) int64 {
			regs := make([]int64, len(c.f.Regs))
			for r := range regs {
				regs[r] = st.Reg(st.thread, ir.Reg(r))
			}
			return st.Read(uint64(op.Addr.Eval(ir.Env{Regs: regs, Prog: pr.prog})), op.Type)
		},
	}
}

// fact returns a condition over words. RegRef number i in the expression is words[i].
func (pr *prover) fact(text string, expr *ir.Expr, words ...word) *pred {
	return &pred{
		text: text,
		term: func(regs []string, m memory, _ []string) string {
			return pr.factTerm(expr, words, &symbolic{mem: m, regs: regs})
		},
		holds: func(st *concrete) bool {
			values := make([]int64, len(words))
			for i, w := range words {
				values[i] = w.value(st)
			}
			return expr.Eval(ir.Env{Regs: values, Prog: pr.prog}) != 0
		},
	}
}

func (pr *prover) factTerm(expr *ir.Expr, words []word, st *symbolic) string {
	terms := make([]string, len(words))
	for i, w := range words {
		terms[i] = w.term(st)
	}
	return pr.env(terms).truth(expr)
}

// compared returns the fact that two words are in a relation.
func (pr *prover) compared(x word, rel relation, y word) *pred {
	return pr.fact(x.name+" "+rel.text+" "+y.name, ir.Binary(rel.op, ir.S64, ir.R(0), ir.R(1)), x, y)
}

// comparedWith returns the fact that a word is in a relation to a number.
func (pr *prover) comparedWith(x word, rel relation, v int64) *pred {
	return pr.fact(x.name+" "+rel.text+" "+strconv.FormatInt(v, 10), ir.Binary(rel.op, ir.S64, ir.R(0), ir.Int(v)), x)
}
