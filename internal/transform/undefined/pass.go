//go:build !fencepost_small

package undefined

import (
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Undefined values. Automatic variables, blocks of the heap and unset bytes of unions hold undefined bits until they are
// written. Copies of undefined bits are fine; it is an error if one decides something: a branch, an address, an
// assertion, the size of a block (docs/models.md, "Undefined values").
//
// The idea: which bits of a value are undefined is itself a value, the mask. This pass makes masks explicit: a
// register that may be undefined gets a second register with its mask, assignments compute the mask of their result
// (undefined_mask.go), and checks of class Uninitialised stand before the operations that decide. All of that is
// ordinary code to the engines, with ordinary registers that are live or dead, and part of states and their keys as every register is. Only memory
// needs more: a store carries the mask of its value (Op.Mask), and a load returns that of what it reads
// (Op.DstMask), each in the step of the access itself, so that no other thread sees one without the other.
//
// Most programs pay nothing: a forward analysis finds the registers and the bytes of thread-private objects that may be undefined
// at each location (undefined_flow.go), and only what may be undefined and reaches a decision is kept
// (undefined_prune.go).
//
// Undefined bits have the value 0, so that states that differ in nothing else are equal.

// Run is the pass.
func Run(p *ir.Program, opt Options) (*ir.Program, error) {
	if !mentionsUndefined(p) {
		return p, nil
	}
	u, err := masked(p, opt)
	if err == nil && u.unclearResults() {
		v, err := masked(resultsInMemory(p), opt)
		if err != nil {
			return nil, err
		}
		if v.out.Objects[len(p.Objects)].Masked {
			u = v
		}
	}
	switch {
	case err != nil:
		return nil, err
	case opt.Any:
		return u.choose(opt), nil
	case opt.Refuse:
		u.refuse()
	}
	u.out.Seal()
	return u.out, nil
}

// CodeLeft is the code of a decision by a value that a call has left in a register.
const CodeLeft = "X0203"

// refuse makes the checks branches to operations that are not supported.
func (u *undefiner) refuse() {
	for _, f := range u.out.Funcs {
		c := &undefinedCode{into: u.out, f: f}
		for i := range len(f.Edges) {
			e := f.Edges[i]
			if e.Op.Kind != ir.Assert || e.Op.Report.Class != ir.Uninitialised {
				continue
			}
			c.edge, c.at = &e, e.From
			assume := func(cond *ir.Expr) ir.Op {
				op := ir.NewOp(ir.Assume)
				op.Val = cond
				return op
			}
			f.Edges[i].Op = assume(e.Op.Val)
			c.add(assume(ir.Negate(e.Op.Val)))
			op := ir.NewOp(ir.Unsupported)
			op.Report = ir.Report{Code: CodeLeft, Msg: "what happens here depends on the value of a register that a call may have changed, or that is no parameter"}
			c.put(op, c.loc(e.Pos))
		}
	}
}

// masked makes the masks of a program that are needed.
func masked(p *ir.Program, opt Options) (*undefiner, error) {
	u := newUndefiner(p)
	if err := u.solve(opt.Stop); err != nil {
		return nil, err
	}
	out := *p
	out.Objects, out.Funcs = slices.Clone(p.Objects), slices.Clone(p.Funcs)
	u.out = &out
	for id := range p.Funcs {
		out.Funcs[id] = u.rewrite(ir.FuncID(id))
	}
	u.prune()
	return u, nil
}

// mentionsUndefined reports whether something in a program is undefined at first.
func mentionsUndefined(p *ir.Program) bool {
	found := false
	for _, f := range p.Funcs {
		for r := range f.Regs {
			found = found || f.Regs[r].Undef != (ir.Type{})
		}
		for i := range f.Edges {
			op := &f.Edges[i].Op
			found = found || op.Block.Undef || op.Report.Class == ir.Uninitialised
			op.Exprs(func(e *ir.Expr) *ir.Expr {
				found = found || hasUndefined(e)
				return e
			})
		}
	}
	return found
}

// hasUndefined reports whether an expression mentions an undefined value.
func hasUndefined(e *ir.Expr) bool {
	found := false
	e.Walk(func(x *ir.Expr) { found = found || x.Undef })
	return found
}

// undefiner has what the pass knows about a program.
type undefiner struct {
	p   *ir.Program
	out *ir.Program

	foot     []analysis.Footprint // by edge
	taken    []bool               // by object: a pointer of unknown origin may lead to it
	known    []bool               // by object: taken before the program begins
	written  []bool               // by object: something may write to it
	find     func(analysis.Bytes, func(ir.ObjectID))
	flows    []*undefinedFlow // by function
	shared   []bool           // by object: may hold undefined bits, whatever the location
	blocks   bool             // blocks may hold undefined bits
	changed  bool
	shadowOf []map[ir.Reg]ir.Reg // by function: the register with the mask of a register
}

func newUndefiner(p *ir.Program) *undefiner {
	u := &undefiner{
		p: p, foot: analysis.Footprints(p), taken: make([]bool, len(p.Objects)), shared: make([]bool, len(p.Objects)),
		find: analysis.ObjectFinder(p), shadowOf: make([]map[ir.Reg]ir.Reg, len(p.Funcs)),
	}
	for o := range p.Objects {
		u.taken[o] = p.Objects[o].Cells || analysis.AddressedInMemory(p, &p.Objects[o])
	}
	u.known = slices.Clone(u.taken)
	for _, f := range p.Funcs {
		for i := range f.Edges {
			u.note(&f.Edges[i])
		}
	}
	u.findWritten()
	for id := range p.Funcs {
		u.flows = append(u.flows, newUndefinedFlow(u, ir.FuncID(id)))
	}
	return u
}

// note records the objects whose address an operation uses as a value, and what the program does with undefined memory.
func (u *undefiner) note(e *ir.Edge) {
	u.takes(e, func(o ir.ObjectID) { u.taken[o] = true })
	op := &e.Op
	u.blocks = u.blocks || op.Kind == ir.Alloc && op.Block.Undef
}

// findWritten finds the objects that something may write to.
func (u *undefiner) findWritten() {
	u.written = make([]bool, len(u.p.Objects))
	for _, f := range u.p.Funcs {
		for i := range f.Edges {
			switch e := &f.Edges[i]; {
			case e.Op.Block.Undef && e.Op.Obj != ir.NoObject:
				u.written[e.Op.Obj] = true
			case e.Op.Kind != ir.Load && e.Op.Kind != ir.Await:
				u.reach(e, func(o ir.ObjectID) { u.written[o] = true })
			}
		}
	}
}

// takes calls f on the objects whose address an operation uses as a value.
func (u *undefiner) takes(e *ir.Edge, f func(ir.ObjectID)) {
	analysis.AddressValues(&e.Op, f)
	if u.foot[e.ID].Anything {
		analysis.AddressesIn(e.Op.Addr, f)
	}
}

// solve finds what may be undefined. It ends since sets only grow.
func (u *undefiner) solve(stop func() error) error {
	for u.changed = true; u.changed; {
		u.changed = false
		for _, f := range u.flows {
			if stop != nil {
				if err := stop(); err != nil {
					return err
				}
			}
			f.solve()
		}
	}
	return nil
}

// reach calls f on the objects that an access may reach, and returns whether it may reach a block.
func (u *undefiner) reach(e *ir.Edge, f func(ir.ObjectID)) bool { return u.reachFoot(u.foot[e.ID], f) }

// reachFoot calls f on the objects in a footprint, and returns whether a block may be in it. What is read-only never holds
// undefined bits.
func (u *undefiner) reachFoot(foot analysis.Footprint, f func(ir.ObjectID)) bool {
	for _, r := range foot.Ranges {
		u.find(r, f)
	}
	if foot.Anything {
		for o := range u.taken {
			if u.taken[o] && !u.p.Objects[o].ReadOnly {
				f(ir.ObjectID(o))
			}
		}
	}
	return foot.Anything
}

// spoil notes that an access may write undefined bits to whatever it may reach.
func (u *undefiner) spoil(e *ir.Edge) {
	anywhere := u.reach(e, func(o ir.ObjectID) {
		if !u.shared[o] {
			u.shared[o], u.changed = true, true
		}
	})
	if anywhere && !u.blocks {
		u.blocks, u.changed = true, true
	}
}

// mayBeShared reports whether an access may read undefined bits that are not known by location.
func (u *undefiner) mayBeShared(e *ir.Edge) bool {
	may := false
	anywhere := u.reach(e, func(o ir.ObjectID) { may = may || u.shared[o] })
	return may || anywhere && u.blocks
}
