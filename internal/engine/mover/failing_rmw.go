package mover

import (
	"fmt"

	"fencepost/internal/ir"
	"fencepost/verdict"
)

// Read-modify-writes that may fail.

// mayFail returns the register with the result of an action that reads and writes. It returns false
// if the action has no result that is used, or changes other registers, too.
func (ab *abstractor) mayFail(c *class, a *action) (ir.Reg, bool) {
	if !a.writes() || !a.reads() || a.fails != nil {
		return ir.NoReg, false
	}
	result, ok := ir.NoReg, true
	for _, e := range a.edges {
		e.Op.Defs(func(r ir.Reg) {
			if ab.pr.facts.IsLive(ab.pr.prog.Threads[c.thread].Func, a.to(), r) {
				ok = ok && (result == ir.NoReg || result == r)
				result = r
			}
		})
	}
	return result, ok && result != ir.NoReg
}

// letFail adds an action to a class, as an alternative to action a: it drains, gets a result that
// satisfies a condition and writes nothing.
func (ab *abstractor) letFail(c *class, a *action, t template) {
	r, _ := ab.mayFail(c, a)
	drain, get := ir.NewOp(ir.Fence), ir.NewOp(ir.Havoc)
	drain.Fence = ir.FullFence
	get.Dst, get.Cond = r, t.cond(ir.R(r), nil)
	if typ, narrow := ab.pr.widths.typeOf(ab.pr.prog.Threads[c.thread].Func, r); narrow {
		get.Cond = fits(ir.R(r), typ, get.Cond)
	}
	edge := func(op ir.Op, n int) *ir.Edge {
		last := a.edges[len(a.edges)-1]
		id := -ir.EdgeID(2*int(a.first().ID)+n) - 2 // no edge of the program has it
		return &ir.Edge{ID: id, Origin: a.first().Origin, From: a.from(), To: last.To, Op: op, Pos: a.first().Pos, Pass: Name}
	}
	may := &action{thread: a.thread, edges: []*ir.Edge{edge(drain, 0), edge(get, 1)}, section: true}
	twin := *a
	twin.fails = may
	list := make([]*action, 0, len(c.acts)+1)
	for _, x := range c.acts {
		if x == a {
			x = &twin
		}
		list = append(list, x)
	}
	c.acts = append(list, may)
}

// failsInstead returns the condition that b, executed before a store, could as well have failed
// after it: with the same result, and without writing.
func (mt *moverTable) failsInstead(d *class, b *action, regs []string, b1, a1, a2 run) string {
	get := &b.fails.edges[1].Op
	result := append([]string(nil), regs...)
	result[get.Dst] = b1.regs[get.Dst]
	want := []string{mt.pr.env(result).truth(get.Cond)}
	want = append(want, sameMemory(a1.mem, a2.mem)...)
	return and(append(want, mt.pr.sameRegisters(d, b.to(), b1.regs, result)...))
}

// describeFailure returns the description of how an action may fail.
func (ab *abstractor) describeFailure(x member, t template) verdict.ProofAbstraction {
	text := "it may fail: write nothing, with any result"
	if r, ok := ab.mayFail(x.c, x.a); ok && t.text != "any value" {
		text = "it may fail: write nothing, with " + fmt.Sprintf(t.text, x.c.f.Regs[r].Name)
	}
	return verdict.ProofAbstraction{ProofInstruction: placed(x.c, x.a), Cond: text, Found: true, Sound: true, Fails: true}
}

// materialize adds the failing actions to the program.
func (ab *abstractor) materialize() {
	for _, c := range ab.pr.classes {
		for _, a := range c.acts {
			if a.fails == nil {
				continue
			}
			mid := ir.Loc(len(c.f.Locs))
			c.f.Locs = append(c.f.Locs, ir.Location{Name: fmt.Sprintf("fails%d", mid), Pos: a.first().Pos})
			for i, e := range a.fails.edges {
				copied := *e
				copied.ID = ab.pr.prog.NextEdge
				ab.pr.prog.NextEdge++
				if i == 0 {
					copied.To = mid
				} else {
					copied.From = mid
				}
				c.f.Edges = append(c.f.Edges, copied)
			}
		}
	}
	ab.pr.prog.Seal()
}
