package encode

import (
	"context"
	"fmt"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
	"fencepost/internal/proof/program"
	"fencepost/internal/property"
	"fencepost/internal/solver/smt"
)

// Problem is a prepared program as terms, with the solver that answers questions about it.
type Problem struct {
	Runner
	Ctx       context.Context
	Props     *property.Set
	Facts     *analysis.Facts
	Asker     *Asker
	Classes   []*program.Class
	Entries   map[*program.Class][]smt.Term // first values of the registers, without arguments of a start
	ClassOf   map[ir.ThreadID]*program.Class
	Lifetimes *program.Lifetimes
	Ghosts    map[int]*program.Annotation // ghost code by the regions that it writes

	Widths      *program.RegisterWidths
	Declared    map[string]smt.Term
	Obligations int
	Err         error // the solver failed; later answers do not count
}

// Against returns the classes of other threads that can run while a thread of class c runs.
func (pr *Problem) Against(c *program.Class) []*program.Class {
	var list []*program.Class
	for _, d := range pr.Classes {
		if d != c || c.Many {
			list = append(list, d)
		}
	}
	return list
}

// DeclareConst returns a constant, which it declares.
func (pr *Problem) DeclareConst(name string, sort smt.Sort) smt.Term {
	t, ok := pr.Declared[name]
	if !ok {
		t = smt.Constant(name, sort)
		pr.Declared[name] = t
		pr.Asker.declare(t)
	}
	return t
}

// Memory returns constants for the contents of the regions in any state.
func (pr *Problem) Memory(prefix string) Memory {
	pr.Poll()
	m := make(Memory, len(pr.Regions))
	for i := range m {
		m[i] = pr.DeclareConst(fmt.Sprintf("%s%d", prefix, i), pr.sort(i))
	}
	return m
}

// Registers returns constants for the registers of a thread of class c in a role.
func (pr *Problem) Registers(c *program.Class, role string) []smt.Term {
	pr.Poll()
	regs := make([]smt.Term, len(c.Code.Regs))
	for r := range regs {
		name := fmt.Sprintf("%s%d_%d", role, c.Thread, r)
		if t, narrow := pr.Widths.TypeOf(pr.Prog.Threads[c.Thread].Func, ir.Reg(r)); narrow && pr.Arith == BitVectors {
			regs[r] = pr.Arith.extend(pr.DeclareConst(name, pr.Arith.bytes(t.Size())), t)
			continue
		}
		regs[r] = pr.DeclareConst(name, pr.Arith.Sort())
	}
	return regs
}

// SameMemory returns the conditions that two memories are equal.
func SameMemory(m, n Memory) []smt.Term {
	var out []smt.Term
	for i := range m {
		if eq := Equal(m[i], n[i]); !eq.IsTrue() {
			out = append(out, eq)
		}
	}
	return out
}

// SameRegisters returns the conditions that the registers live at a location are equal.
func (pr *Problem) SameRegisters(c *program.Class, at ir.Loc, x, y []smt.Term) []smt.Term {
	var out []smt.Term
	for r := range x {
		if eq := Equal(x[r], y[r]); !eq.IsTrue() && pr.Facts.IsLive(pr.Prog.Threads[c.Thread].Func, at, ir.Reg(r)) {
			out = append(out, eq)
		}
	}
	return out
}

// Started returns the class whose threads an action starts, or nil.
func (pr *Problem) Started(a *program.Action) *program.Class {
	if op := &a.First().Op; op.Kind == ir.Spawn {
		return pr.ClassOf[op.Call.Threads[0]]
	}
	return nil
}

// ArgumentsOf returns the registers of a thread that was just started.
func (pr *Problem) ArgumentsOf(d *program.Class, op *ir.Op, regs []smt.Term) []smt.Term {
	out := append([]smt.Term(nil), pr.Entries[d]...)
	for i, x := range op.Call.Args {
		out[i] = pr.Env(regs).Number(x)
	}
	return out
}

// Poll ends the proof if the context has ended.
func (pr *Problem) Poll() {
	if pr.Ctx.Err() != nil {
		panic(Stopped{})
	}
}

// Stopped is the panic that ends a proof at the end of its context.
type Stopped struct{}

// AnyNumbers returns constants that stand for any numbers.
func (pr *Problem) AnyNumbers(n int) []smt.Term {
	q := make([]smt.Term, n)
	for i := range q {
		q[i] = pr.DeclareConst(fmt.Sprintf("q%d", i), pr.Arith.Sort())
	}
	return q
}

// Numbered returns the conditions on the number of a thread.
func (pr *Problem) Numbered(c *program.Class, regs []smt.Term) []smt.Term {
	if c.Self == ir.NoReg {
		return nil
	}
	return []smt.Term{pr.Arith.Le(pr.Arith.Num(0), regs[c.Self])}
}

// FirstRegisters returns the registers of a thread that runs from the beginning, in a role.
func (pr *Problem) FirstRegisters(c *program.Class, role string) []smt.Term {
	out := append([]smt.Term(nil), pr.Entries[c]...)
	if c.Self != ir.NoReg {
		out[c.Self] = pr.Registers(c, role)[c.Self]
	}
	return out
}
