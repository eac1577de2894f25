package mover

import (
	"fmt"

	"fencepost/internal/ir"
	"fencepost/internal/proof/encode"
	"fencepost/internal/proof/program"
	"fencepost/internal/solver/smt"
	"fencepost/verdict"
)

// Read-modify-writes that may fail.

// mayFail returns the register with the result of an action that reads and writes. It returns false
// if the action has no result that is used, or changes other registers, too.
func (ab *abstractor) mayFail(c *program.Class, a *program.Action) (ir.Reg, bool) {
	if !a.Writes() || !a.Reads() || a.Fails != nil {
		return ir.NoReg, false
	}
	result, ok := ir.NoReg, true
	for _, e := range a.Edges {
		e.Op.Defs(func(r ir.Reg) {
			if ab.pr.Facts.IsLive(ab.pr.Prog.Threads[c.Thread].Func, a.To(), r) {
				ok = ok && (result == ir.NoReg || result == r)
				result = r
			}
		})
	}
	return result, ok && result != ir.NoReg
}

// letFail adds an action to a class, as an alternative to action a: it drains, gets a result that
// satisfies a condition and writes nothing.
func (ab *abstractor) letFail(c *program.Class, a *program.Action, t template) {
	r, _ := ab.mayFail(c, a)
	drain, get := ir.NewOp(ir.Fence), ir.NewOp(ir.Havoc)
	drain.Fence = ir.FullFence
	get.Dst, get.Cond = r, t.cond(ir.R(r), nil)
	if typ, narrow := ab.pr.Widths.TypeOf(ab.pr.Prog.Threads[c.Thread].Func, r); narrow {
		get.Cond = program.FitsType(ir.R(r), typ, get.Cond)
	}
	edge := func(op ir.Op, n int) *ir.Edge {
		last := a.Edges[len(a.Edges)-1]
		id := -ir.EdgeID(2*int(a.First().ID)+n) - 2 // no edge of the program has it
		return &ir.Edge{ID: id, Origin: a.First().Origin, From: a.From(), To: last.To, Op: op, Pos: a.First().Pos, Pass: Name}
	}
	may := &program.Action{Thread: a.Thread, Edges: []*ir.Edge{edge(drain, 0), edge(get, 1)}, Section: true}
	twin := *a
	twin.Fails = may
	list := make([]*program.Action, 0, len(c.Actions)+1)
	for _, x := range c.Actions {
		if x == a {
			x = &twin
		}
		list = append(list, x)
	}
	c.Actions = append(list, may)
}

// failsInstead returns the condition that b, executed before a store, could as well have failed
// after it: with the same result, and without writing.
func (mt *moverTable) failsInstead(d *program.Class, b *program.Action, regs []smt.Term, b1, a1, a2 encode.Run) smt.Term {
	get := &b.Fails.Edges[1].Op
	result := append([]smt.Term(nil), regs...)
	result[get.Dst] = b1.Regs[get.Dst]
	want := []smt.Term{mt.pr.Env(result).Truth(get.Cond)}
	want = append(want, encode.SameMemory(a1.Mem, a2.Mem)...)
	return smt.And(append(want, mt.pr.SameRegisters(d, b.To(), b1.Regs, result)...)...)
}

// describeFailure returns the description of how an action may fail.
func (ab *abstractor) describeFailure(x member, t template) verdict.ProofAbstraction {
	text := "it may fail: write nothing, with any result"
	if r, ok := ab.mayFail(x.c, x.a); ok && t.text != "any value" {
		text = "it may fail: write nothing, with " + fmt.Sprintf(t.text, x.c.Code.Regs[r].Name)
	}
	return verdict.ProofAbstraction{ProofInstruction: program.DescribeAction(x.c, x.a), Cond: text, Found: true, Sound: true, Fails: true}
}

// materialize adds the failing actions to the program.
func (ab *abstractor) materialize() {
	for _, c := range ab.pr.Classes {
		for _, a := range c.Actions {
			if a.Fails == nil {
				continue
			}
			mid := ir.Loc(len(c.Code.Locs))
			c.Code.Locs = append(c.Code.Locs, ir.Location{Name: fmt.Sprintf("fails%d", mid), Pos: a.First().Pos})
			for i, e := range a.Fails.Edges {
				copied := *e
				copied.ID = ab.pr.Prog.NextEdge
				ab.pr.Prog.NextEdge++
				if i == 0 {
					copied.To = mid
				} else {
					copied.From = mid
				}
				c.Code.Edges = append(c.Code.Edges, copied)
			}
		}
	}
	ab.pr.Prog.Seal()
}
