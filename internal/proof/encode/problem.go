package encode

import (
	"context"
	"fmt"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
	"fencepost/internal/proof/program"
	"fencepost/internal/property"
)

// Problem is a prepared program as terms, with the solver that answers questions about it.
type Problem struct {
	Runner
	Ctx       context.Context
	Props     *property.Set
	Facts     *analysis.Facts
	Asker     *Asker
	Classes   []*program.Class
	Entries   map[*program.Class][]string // first values of the registers, without arguments of a start
	ClassOf   map[ir.ThreadID]*program.Class
	Lifetimes *program.Lifetimes
	Ghosts    map[int]*program.Annotation // ghost code by the regions that it writes

	Widths      *program.RegisterWidths
	Declared    map[string]bool
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

// DeclareConst declares a constant, unless it is declared.
func (pr *Problem) DeclareConst(name, sort string) {
	if !pr.Declared[name] {
		pr.Declared[name] = true
		pr.Asker.constant(name, sort)
	}
}

// Memory returns constants for the contents of the regions in any state.
func (pr *Problem) Memory(prefix string) Memory {
	pr.Poll()
	m := make(Memory, len(pr.Regions))
	for i := range m {
		m[i] = fmt.Sprintf("%s%d", prefix, i)
		pr.DeclareConst(m[i], pr.sort(i))
	}
	return m
}

// Registers returns constants for the registers of a thread of class c in a role.
func (pr *Problem) Registers(c *program.Class, role string) []string {
	pr.Poll()
	regs := make([]string, len(c.Code.Regs))
	for r := range regs {
		regs[r] = fmt.Sprintf("%s%d_%d", role, c.Thread, r)
		if t, narrow := pr.Widths.TypeOf(pr.Prog.Threads[c.Thread].Func, ir.Reg(r)); narrow && pr.Arith == BitVectors {
			pr.DeclareConst(regs[r], pr.Arith.bytes(t.Size()))
			regs[r] = pr.Arith.extend(regs[r], t)
			continue
		}
		pr.DeclareConst(regs[r], pr.Arith.Sort())
	}
	return regs
}

// SameMemory returns the conditions that two memories are equal.
func SameMemory(m, n Memory) []string {
	var out []string
	for i := range m {
		if eq := Equal(m[i], n[i]); eq != "true" {
			out = append(out, eq)
		}
	}
	return out
}

// SameRegisters returns the conditions that the registers live at a location are equal.
func (pr *Problem) SameRegisters(c *program.Class, at ir.Loc, x, y []string) []string {
	var out []string
	for r := range x {
		if eq := Equal(x[r], y[r]); eq != "true" && pr.Facts.IsLive(pr.Prog.Threads[c.Thread].Func, at, ir.Reg(r)) {
			out = append(out, eq)
		}
	}
	return out
}

// Started returns the class whose threads an action starts, or nil.
func (pr *Problem) Started(a *program.Action) *program.Class {
	if op := &a.First().Op; op.Kind == ir.Spawn {
		return pr.ClassOf[op.Threads[0]]
	}
	return nil
}

// ArgumentsOf returns the registers of a thread that was just started.
func (pr *Problem) ArgumentsOf(d *program.Class, op *ir.Op, regs []string) []string {
	out := append([]string(nil), pr.Entries[d]...)
	for i, x := range op.Args {
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
func (pr *Problem) AnyNumbers(n int) []string {
	q := make([]string, n)
	for i := range q {
		q[i] = fmt.Sprintf("q%d", i)
		pr.DeclareConst(q[i], pr.Arith.Sort())
	}
	return q
}

// Numbered returns the conditions on the number of a thread.
func (pr *Problem) Numbered(c *program.Class, regs []string) []string {
	if c.Self == ir.NoReg {
		return nil
	}
	return []string{pr.Arith.Le(pr.Arith.Num(0), regs[c.Self])}
}

// FirstRegisters returns the registers of a thread that runs from the beginning, in a role.
func (pr *Problem) FirstRegisters(c *program.Class, role string) []string {
	out := append([]string(nil), pr.Entries[c]...)
	if c.Self != ir.NoReg {
		out[c.Self] = pr.Registers(c, role)[c.Self]
	}
	return out
}
