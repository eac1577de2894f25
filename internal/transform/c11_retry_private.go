package transform

import (
	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// privateCells are the variables in memory that one function of a flat program alone accesses, as a whole and with one type,
// and whose address no operation takes. Such a variable is a register in all but name.
type privateCells struct {
	p     *ir.Program
	kinds map[ir.ObjectID]ir.Type
	in    map[ir.ObjectID]*ir.Func
}

// findPrivateCells finds the variables of a flat program. Objects that end with their thread are automatic variables and
// thread-locals: no initial value is their address.
func findPrivateCells(p *ir.Program) *privateCells {
	c := &privateCells{p: p, kinds: map[ir.ObjectID]ir.Type{}, in: map[ir.ObjectID]*ir.Func{}}
	share := func(e *ir.Expr) {
		e.Walk(func(e *ir.Expr) {
			if e.Op == ir.AddrOf {
				c.in[e.Obj] = nil
			}
		})
	}
	users := map[*ir.Func]int{}
	for t := range p.Threads {
		users[p.ThreadFunc(ir.ThreadID(t))]++
	}
	for _, f := range p.Funcs {
		for i := range f.Edges {
			op := &f.Edges[i].Op
			for _, e := range append([]*ir.Expr{op.Val, op.Val2, op.Cond, op.Undef.Val}, op.Call.Args...) {
				share(e)
			}
			o, ok := c.whole(op)
			if !ok || users[f] != 1 {
				share(op.Addr)
				continue
			}
			if in, known := c.in[o]; !known {
				c.kinds[o], c.in[o] = op.Type, f
			} else if in != f || c.kinds[o] != op.Type {
				share(op.Addr)
			}
		}
	}
	return c
}

// cellsOf are the variables of one function, numbered after its registers.
type cellsOf struct {
	*privateCells
	reg  map[ir.ObjectID]ir.Reg
	last ir.Reg // the greatest number of a register or variable
}

// of returns the variables of a function.
func (c *privateCells) of(f *ir.Func) *cellsOf {
	out := &cellsOf{privateCells: c, reg: map[ir.ObjectID]ir.Reg{}, last: ir.Reg(len(f.Regs))}
	for o := range c.p.Objects {
		if in := c.in[ir.ObjectID(o)]; in != nil && in.Name == f.Name {
			out.last++
			out.reg[ir.ObjectID(o)] = out.last
		}
	}
	return out
}

// whole returns the object all of whose bytes an operation loads or stores.
func (c *privateCells) whole(op *ir.Op) (ir.ObjectID, bool) {
	if op.Kind != ir.Load && op.Kind != ir.Store || op.Addr == nil || op.Addr.Op != ir.AddrOf || op.Addr.Value != 0 {
		return 0, false
	}
	o := &c.p.Objects[op.Addr.Obj]
	return op.Addr.Obj, o.Ends && o.Size == int64(op.Type.Size()) && !o.Masked && !o.ReadOnly
}

// accessed returns the number of the variable that an operation reads, sets or makes undefined; NoReg: it does no such thing.
func (c *cellsOf) accessed(op *ir.Op) ir.Reg {
	o, ok := c.whole(op)
	if !ok && op.Block.Undef && (op.Kind == ir.Nop || op.Kind == ir.Assign) {
		o, ok = op.Obj, true
	}
	if r, known := c.reg[o]; ok && known {
		return r
	}
	return ir.NoReg
}

// types adds the types of the variables.
func (c *cellsOf) types(to map[ir.Reg]ir.Type) {
	for o, r := range c.reg {
		to[r] = c.kinds[o]
	}
}

// liveness says which registers and variables are read later.
func (c *cellsOf) liveness(f *ir.Func) func(ir.Loc, ir.Reg) bool {
	registers := analysis.Liveness(f)
	found := map[ir.Reg][]bool{}
	return func(l ir.Loc, r ir.Reg) bool {
		if int(r) < len(f.Regs) {
			return registers(l, r)
		}
		live, ok := found[r]
		if !ok {
			live = c.liveCell(f, r)
			found[r] = live
		}
		return live[l]
	}
}

// overwritten returns from where every way to the end of a function sets a register or variable, by location. What a final
// condition observes of a thread is not there.
func (c *cellsOf) overwritten(f *ir.Func, r ir.Reg) []bool {
	sets := func(op *ir.Op) bool {
		if int(r) >= len(f.Regs) {
			return op.Kind != ir.Load && c.accessed(op) == r
		}
		return op.Dst == r || op.Dst2 == r || op.Undef.Dst == r
	}
	out := make([]bool, len(f.Locs))
	for i := range f.Edges {
		out[f.Edges[i].From] = true
	}
	for changed := true; changed; {
		changed = false
		for i := range f.Edges {
			if e := &f.Edges[i]; out[e.From] && !out[e.To] && !sets(&e.Op) {
				out[e.From], changed = false, true
			}
		}
	}
	return out
}

// liveCell returns where a variable is read later, by location.
func (c *cellsOf) liveCell(f *ir.Func, r ir.Reg) []bool {
	live := make([]bool, len(f.Locs))
	for changed := true; changed; {
		changed = false
		for i := range f.Edges {
			e := &f.Edges[i]
			reads := c.accessed(&e.Op) == r && e.Op.Kind == ir.Load
			sets := c.accessed(&e.Op) == r && e.Op.Kind != ir.Load
			if !live[e.From] && (reads || live[e.To] && !sets) {
				live[e.From], changed = true, true
			}
		}
	}
	return live
}
