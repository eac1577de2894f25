package program

import (
	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/source"
)

// Read abstractions that are written in the program as annotations. The annotation's code computes the
// condition from the registers and from memory. The load that follows becomes a load that may read
// every value that satisfies the condition: where the condition reads the register that gets the
// value, it means the value read, and where it reads the same memory as the load, the value there.
//
// The program that the user runs has no such annotation. So the proof is of an abstraction, as it is with
// one that is found, and an annotation that does not always allow the value in memory proves nothing
// [BEMT18 Lemma 3].

// WrittenAbstraction is an annotation with the load that it abstracts.
type WrittenAbstraction struct {
	Text string
	pos  source.Span
}

// TakeAbstractions removes the annotations that are read abstractions and abstracts the loads. It returns them by
// load.
func TakeAbstractions(p *ir.Program, props *property.Set) (map[ir.EdgeID]WrittenAbstraction, error) {
	by := map[ir.EdgeID]property.CodeInvariant{}
	for _, cl := range props.CodeInvariants {
		if cl.Abstract {
			by[cl.Edge] = cl
		}
	}
	out := map[ir.EdgeID]WrittenAbstraction{}
	if len(by) == 0 {
		return out, nil
	}
	taken, err := (&Annotated{by}).Take(p)
	if err != nil {
		return nil, err
	}
	others := (&Annotated{codeInvariants(props)}).Begins
	for t := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(t))
		for _, cl := range taken[ir.ThreadID(t)] {
			load, err := cl.abstracts(f, others)
			if err != nil {
				return nil, err
			}
			if _, twice := out[load]; twice {
				return nil, cl.Refuse("this load has two abstractions")
			}
			out[load] = WrittenAbstraction{cl.Text, cl.Pos}
		}
	}
	return out, nil
}

// Refuse returns the error that proofs do not cover an annotation.
func (cl *Annotation) Refuse(what string) error {
	return &engine.Unsupported{What: "prove: " + what, Pos: SpanPos(cl.Pos)}
}

// abstracts makes the load that follows an annotation an abstract one, and returns its edge.
func (cl *Annotation) abstracts(f *ir.Func, skip func(*ir.Edge) bool) (ir.EdgeID, error) {
	inside, err := ir.SectionLocs(f)
	if err != nil {
		return 0, err
	}
	var load *ir.Edge
	now, set := map[ir.Reg]*ir.Expr{}, map[ir.Reg]bool{} // the registers that are first set to what the load reads
	for l, n := cl.At, 0; n < maxSteps; n++ {
		e := onlyWay(f, l, skip)
		switch {
		case e == nil || inside[l]:
		case e.Op.Kind == ir.Nop:
			l = e.To
			continue
		case e.Op.Kind == ir.Assign && load == nil:
			if reads(cl, e.Op.Dst) {
				return 0, cl.Refuse("the statement after an abstraction sets a variable of the condition before it loads")
			}
			l = e.To
			continue
		case e.Op.Kind == ir.Assign:
			if v := substitute(e.Op.Val, now); !set[e.Op.Dst] && mentions(v, load.Op.Dst) {
				now[e.Op.Dst] = v
			}
			set[e.Op.Dst] = true
			l = e.To
			continue
		case e.Op.Kind == ir.Load && load == nil && e.Op.Dst != ir.NoReg:
			load = e
			now[e.Op.Dst] = ir.R(e.Op.Dst)
			l = e.To
			continue
		}
		break
	}
	if load == nil {
		return 0, cl.Refuse("no load of shared memory follows this abstraction")
	}
	cond, err := cl.condition(load, now)
	if err != nil {
		return 0, err
	}
	load.Op.Kind, load.Op.Cond = ir.AbstractLoad, cond
	if t := load.Op.Type; t.Bits < 64 {
		load.Op.Cond = FitsType(ir.R(load.Op.Dst), t, cond)
	}
	return load.ID, nil
}

// reads reports whether the code of an annotation reads a register.
func reads(cl *Annotation, r ir.Reg) bool {
	found := false
	for _, way := range cl.Ways {
		for _, e := range way {
			e.Op.Uses(func(x ir.Reg) { found = found || x == r })
		}
	}
	return found
}

// onlyWay returns the only edge that leaves a location, or nil. The code of other annotations does not count.
func onlyWay(f *ir.Func, l ir.Loc, skip func(*ir.Edge) bool) *ir.Edge {
	var only *ir.Edge
	for _, i := range f.Out(l) {
		e := &f.Edges[i]
		if skip(e) {
			continue
		}
		if only != nil {
			return nil
		}
		only = e
	}
	return only
}

// mentions reports whether an expression reads a register.
func mentions(e *ir.Expr, r ir.Reg) bool {
	found := false
	e.Walk(func(x *ir.Expr) { found = found || x.Op == ir.RegRef && x.Reg == r })
	return found
}

// substitute returns an expression in which expressions replace registers.
func substitute(e *ir.Expr, regs map[ir.Reg]*ir.Expr) *ir.Expr {
	return e.Map(func(x *ir.Expr) *ir.Expr {
		if x.Op == ir.RegRef && regs[x.Reg] != nil {
			return regs[x.Reg]
		}
		return x
	})
}

// condition returns the condition of an annotation as an expression: on every path through its code, what the
// path asserts.
func (cl *Annotation) condition(load *ir.Edge, now map[ir.Reg]*ir.Expr) (*ir.Expr, error) {
	all := ir.Int(1)
	for _, way := range cl.Ways {
		regs := map[ir.Reg]*ir.Expr{}
		for r, e := range now {
			regs[r] = e
		}
		guard := ir.Int(1)
		for _, e := range way {
			switch op := &e.Op; op.Kind {
			case ir.Assume:
				guard = ir.Binary(ir.LAnd, ir.S64, guard, substitute(op.Val, regs))
			case ir.Assign:
				regs[op.Dst] = substitute(op.Val, regs)
			case ir.Load:
				if !op.Addr.Equal(load.Op.Addr) || op.Type != load.Op.Type {
					return nil, cl.Refuse("an abstraction cannot read other memory than the load that follows it")
				}
				regs[op.Dst] = ir.SeenValue()
			case ir.Assert:
				holds := ir.Binary(ir.LOr, ir.S64, ir.Unary(ir.Not, ir.S64, guard), substitute(op.Val, regs))
				all = ir.Binary(ir.LAnd, ir.S64, all, holds)
			case ir.Nop:
			default:
				return nil, cl.Refuse("the condition of an abstraction cannot do this: " + op.Kind.String())
			}
		}
	}
	return all, nil
}
