package mover

import (
	"reflect"
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
	"fencepost/internal/proof/encode"
	"fencepost/internal/proof/invariant"
	"fencepost/internal/proof/program"
	"fencepost/internal/property"
	"fencepost/internal/solver/smt"
)

// prover proves one program.
type prover struct {
	*encode.Problem
	known   *invariant.Knowledge
	written map[ir.EdgeID]program.WrittenAbstraction // by load
	given   *ir.Program                              // with conditions and barriers; nil: there are none

	abstractor *abstractor
	movers     *moverTable
	checker    *checker

	loops map[ir.ThreadID]ir.ThreadID // threads that a statement in a loop starts: the first of them
}

// prepare makes the parts of the proof.
func (pr *prover) prepare(p *ir.Program, props *property.Set, opt Options) error {
	left := program.Privatize(p, opt.private)
	var err error
	if pr.written, err = program.TakeAbstractions(p, props); err != nil {
		return err
	}
	annotated := program.AnnotationsIn(props)
	bits := program.PropagateConstants(p, annotated.Begins, props.Numbers)
	if !p.Cells {
		program.SeparateWebs(p, props)
	}
	found, err := program.ResolvePointers(p, props.Numbers)
	if err != nil {
		return err
	}
	annotations, err := annotated.Take(p)
	program.DropDeadAddresses(p)
	if err != nil {
		return err
	}
	if err := pr.replaceSynchronisation(p); err != nil {
		return err
	}
	if err := program.Supported(p); err != nil {
		return err
	}
	arith := opt.Arithmetic
	if arith == 0 && bits {
		arith = encode.BitVectors
	}
	if arith == 0 {
		arith = encode.SuitableArithmetic(p)
	}
	y, err := encode.NewLayout(p, arith, found, append(program.NamedCells(p, props), annotations.Cells()...))
	if err != nil {
		return err
	}
	pr.Widths = program.NewRegisterWidths(p, props.Numbers)
	pr.Runner, pr.Props, pr.Declared = encode.Runner{Layout: y}, props, map[string]smt.Term{}
	pr.Entries = map[*program.Class][]smt.Term{}
	pr.Facts, pr.ClassOf = analysis.NewFacts(p, program.NamedRegisters(p, props)), map[ir.ThreadID]*program.Class{}
	pr.loops = program.StartedInLoops(p)
	pr.Declare = pr.DeclareConst
	pr.abstractor = &abstractor{pr: pr, original: map[ir.EdgeID]ir.OpKind{}, variant: map[ir.EdgeID]int{}}
	pr.movers = &moverTable{pr: pr, pairs: map[pairKey]*encode.Decision{}, addresses: map[addressKey]*int64{}}
	pr.checker = &checker{pr: pr}
	for _, f := range p.Funcs {
		for i := range f.Edges {
			pr.abstractor.original[f.Edges[i].ID] = f.Edges[i].Op.Kind
		}
	}
	for _, d := range arith.Prelude() {
		pr.Asker.Define(d)
	}
	for t := range p.Threads {
		if err := pr.addThread(ir.ThreadID(t), props, annotations); err != nil {
			return err
		}
	}
	if pr.Lifetimes, err = program.NewLifetimes(p, pr.Classes, pr.ClassOf); err != nil {
		return err
	}
	if err := pr.Covered(left); err != nil {
		return err
	}
	for _, c := range pr.Classes {
		if err := c.TakeGhosts(func(cl *program.Annotation) error { return encode.GhostCodeEnds(pr.Problem, c, cl) }); err != nil {
			return err
		}
	}
	if err := encode.GhostMemoryApart(pr.Problem); err != nil {
		return err
	}
	encode.FindPassingLocations(pr.Problem, props)
	pr.known = invariant.NewKnowledge(pr.Problem, props, opt.Reach)
	return nil
}

// replaceSynchronisation replaces what is made of simpler steps: kinds of mutexes, conditions, barriers.
func (pr *prover) replaceSynchronisation(p *ir.Program) error {
	if err := program.PlainMutexes(p); err != nil {
		return err
	}
	given := program.Clone(p)
	found, err := program.ReplaceWaits(p)
	if found {
		pr.given = given
	}
	return err
}

// addThread puts a thread into its class.
func (pr *prover) addThread(t ir.ThreadID, props *property.Set, annotations program.Annotations) error {
	th := &pr.Prog.Threads[t]
	if !th.Start && len(pr.Prog.ThreadFunc(t).Edges) == 0 {
		return nil // it is never started
	}
	for _, c := range pr.Classes {
		if pr.sameCode(c.Thread, t, props) && annotations.Same(c.Thread, t) {
			c.Many = true
			pr.ClassOf[t] = c
			if leader, in := pr.loops[t]; in && leader == c.Thread {
				return nil // the name stands for all that the loop starts
			}
			if th.Template == "" || th.Template != pr.Prog.Threads[c.Thread].Template {
				c.Name += ", " + th.Name
			}
			return nil
		}
	}
	acts, err := program.ActionsOf(pr.Prog, t)
	if err != nil {
		return err
	}
	c := &program.Class{Thread: t, Code: pr.Prog.ThreadFunc(t), Name: th.Name, Many: th.Unbounded, Start: th.Start, Actions: acts, Annotations: annotations[t], Self: ir.NoReg}
	if r, ok := props.Numbers[t]; ok {
		c.Self = r
	}
	pr.ClassOf[t] = c
	if th.Template != "" {
		c.Name = th.Template
	}
	if c.Inside, err = ir.SectionLocs(c.Code); err != nil {
		return err
	}
	for r := range c.Code.Regs {
		v := c.Code.Regs[r].Init
		if r < len(th.Args) {
			v = th.Args[r]
		}
		if ir.Reg(r) == c.Self {
			pr.Entries[c] = append(pr.Entries[c], pr.Registers(c, "a")[r])
			continue
		}
		pr.Entries[c] = append(pr.Entries[c], pr.Arith.Num(v))
	}
	pr.Classes = append(pr.Classes, c)
	return nil
}

// sameCode reports whether two threads are the same for a proof.
func (pr *prover) sameCode(a, b ir.ThreadID, props *property.Set) bool {
	f, g := pr.Prog.ThreadFunc(a), pr.Prog.ThreadFunc(b)
	if len(f.Edges) != len(g.Edges) || len(f.Locs) != len(g.Locs) || len(f.Regs) != len(g.Regs) || f.Entry != g.Entry ||
		pr.Prog.Threads[a].Start != pr.Prog.Threads[b].Start ||
		!slices.Equal(pr.Prog.Threads[a].Args, pr.Prog.Threads[b].Args) {
		return false
	}
	for i := range f.Regs {
		keep := program.NamedRegisters(pr.Prog, props)
		if f.Regs[i].Init != g.Regs[i].Init || keep(pr.Prog.Threads[a].Func, ir.Reg(i)) != keep(pr.Prog.Threads[b].Func, ir.Reg(i)) {
			return false
		}
	}
	for i := range f.Edges {
		e, h := &f.Edges[i], &g.Edges[i]
		if e.From != h.From || e.To != h.To || !reflect.DeepEqual(e.Op, h.Op) {
			return false
		}
	}
	return slices.EqualFunc(program.InvariantsOf(props, a), program.InvariantsOf(props, b), func(x, y property.Invariant) bool {
		return x.Loc == y.Loc && x.Cond.Expr.Equal(y.Cond.Expr) && slices.EqualFunc(x.Cond.Vars, y.Cond.Vars, func(v, w property.Var) bool {
			return v.IsMemory() == w.IsMemory() && v.Reg == w.Reg && v.Addr == w.Addr && v.AddrExpr.Equal(w.AddrExpr)
		})
	})
}
