//go:build !fencepost_small

package undefined

import (
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Results of threads that may be undefined: of a function that ends without a value, for example. The thread that joins it
// may take the value and do nothing with it. So these results go through memory, which has masks.

// ends reports whether an operation is the end of a thread with a result.
func ends(op *ir.Op) bool {
	return (op.Kind == ir.Return || op.Kind == ir.ThreadExit) && op.Val != nil
}

// unclearResults reports whether a thread may have a result with undefined bits, and a join takes results.
func (u *undefiner) unclearResults() bool {
	unclear := false
	for id, f := range u.p.Funcs {
		for i := range f.Edges {
			e := &f.Edges[i]
			unclear = unclear || ends(&e.Op) && !u.flows[id].isMain() && u.flows[id].unsure(e.From, e.Op.Val)
		}
	}
	return unclear && analysis.TakesResults(u.p)
}

// resultsInMemory returns a program in which each thread writes its result to an object, the last one, from which
// joins read it.
func resultsInMemory(p *ir.Program) *ir.Program {
	out := *p
	out.Objects, out.Funcs = slices.Clone(p.Objects), slices.Clone(p.Funcs)
	results := out.AddObject(ir.Object{Name: "results of threads", Size: int64(8 * len(p.Threads)), Unit: 8, Type: ir.U64})
	for t := range p.Threads {
		id := p.Threads[t].Func
		f := *p.Funcs[id]
		f.Regs, f.Locs, f.Edges = slices.Clone(f.Regs), slices.Clone(f.Locs), slices.Clone(f.Edges)
		c := &undefinedCode{into: &out, f: &f, names: map[string]bool{}}
		for _, r := range f.Regs {
			c.names[r.Name] = true
		}
		for i := range len(f.Edges) {
			c.result(i, ir.Addr(results, int64(8*t)), ir.ThreadID(t) == p.Main)
		}
		out.Funcs[id] = &f
	}
	out.Seal()
	return &out
}

// result makes an edge write the result of its thread, or read that of another one.
func (c *undefinedCode) result(i int, cell *ir.Expr, main bool) {
	access := func(kind ir.OpKind) ir.Op {
		op := ir.NewOp(kind)
		op.Type, op.Sync.Order, op.Addr, op.Obj = ir.U64, ir.Relaxed, cell, cell.Obj
		return op
	}
	e := c.f.Edges[i]
	c.edge = &e
	switch op := &e.Op; {
	case ends(op) && !main:
		c.at = e.From
		v := c.reg("result")
		c.assign(v, op.Val)
		store := access(ir.Store)
		store.Val, op.Val = ir.R(v), ir.R(v)
		c.add(store)
		c.f.Edges[i].From, c.f.Edges[i].Op = c.at, *op
	case op.Kind == ir.Join && op.Dst != ir.NoReg:
		c.at = c.loc(e.Pos)
		load := access(ir.Load)
		load.Dst, op.Dst = op.Dst, ir.NoReg
		load.Addr = ir.Binary(ir.Add, ir.U64, ir.Addr(cell.Obj, 0), ir.Binary(ir.Mul, ir.U64, op.Val, ir.Int(8)))
		c.put(load, e.To)
		c.f.Edges[i].To, c.f.Edges[i].Op = c.at, *op
	}
}
