package mover

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// class is the threads that run the same code. One stands for all.
type class struct {
	thread      ir.ThreadID
	f           *ir.Func
	name        string
	many        bool // there may be two of them
	start       bool // they run from the beginning
	acts        []*action
	inside      []bool // locations inside atomic sections
	passing     []bool // locations that the induction leaves out
	annotations []*annotation
	ghosts      map[ir.EdgeID]*annotation // by the edge that they run with
	self        ir.Reg                    // has a different number in each of many threads; NoReg: there is none
}

// problem is a prepared program as terms, with the solver that answers questions about it.
type problem struct {
	runner
	ctx     context.Context
	props   *property.Set
	facts   *analysis.Facts
	asker   *asker
	classes []*class
	entries map[*class][]string // first values of the registers, without arguments of a start
	classOf map[ir.ThreadID]*class
	family  *family
	ghosts  map[int]*annotation // ghost code by the regions that it writes

	widths      *widths
	declared    map[string]bool
	obligations int
	err         error // the solver failed; later answers do not count
}

// prover proves one program.
type prover struct {
	*problem
	known   *knowledge
	written map[ir.EdgeID]writtenAbstraction // by load
	given   *ir.Program                      // with conditions and barriers; nil: there are none

	abstractor *abstractor
	movers     *moverTable
	checker    *checker

	loops map[ir.ThreadID]ir.ThreadID // threads that a statement in a loop starts: the first of them
}

// prepare makes the parts of the proof.
func (pr *prover) prepare(p *ir.Program, props *property.Set, opt Options) error {
	left := privatize(p, opt.private)
	var err error
	if pr.written, err = takeAbstractions(p, props); err != nil {
		return err
	}
	annotated := annotationsIn(p, props)
	bits := simplify(p, annotated.begins, props.Numbers)
	if !p.Cells {
		separateWebs(p, props)
	}
	found, err := resolvePointers(p, props.Numbers)
	if err != nil {
		return err
	}
	annotations, err := annotated.take(p)
	dropDead(p)
	if err != nil {
		return err
	}
	if err := pr.replaceSynchronisation(p); err != nil {
		return err
	}
	if err := supported(p); err != nil {
		return err
	}
	arith := opt.Arithmetic
	if arith == 0 && bits {
		arith = BitVectors
	}
	if arith == 0 {
		arith = suited(p)
	}
	y, err := newLayout(p, arith, found, append(namedCells(p, props), annotations.cells()...))
	if err != nil {
		return err
	}
	pr.widths = newWidths(p, props.Numbers)
	pr.runner, pr.props, pr.declared = runner{layout: y}, props, map[string]bool{}
	pr.entries = map[*class][]string{}
	pr.facts, pr.classOf = analysis.NewFacts(p, keeps(p, props)), map[ir.ThreadID]*class{}
	pr.loops = startedInLoops(p)
	pr.declare = pr.declareConst
	pr.abstractor = &abstractor{pr: pr, original: map[ir.EdgeID]ir.OpKind{}, variant: map[ir.EdgeID]int{}}
	pr.movers = &moverTable{pr: pr, pairs: map[pairKey]*pairAnswer{}, addresses: map[addressKey]*int64{}}
	pr.checker = &checker{pr: pr}
	for _, f := range p.Funcs {
		for i := range f.Edges {
			pr.abstractor.original[f.Edges[i].ID] = f.Edges[i].Op.Kind
		}
	}
	for _, d := range arith.prelude() {
		pr.asker.define(d)
	}
	for t := range p.Threads {
		if err := pr.addThread(ir.ThreadID(t), props, annotations); err != nil {
			return err
		}
	}
	if pr.family, err = newFamily(p, pr.classes, pr.classOf); err != nil {
		return err
	}
	if err := pr.covered(left); err != nil {
		return err
	}
	for _, c := range pr.classes {
		if err := c.takeGhosts(func(cl *annotation) error { return ends(pr.problem, c, cl) }); err != nil {
			return err
		}
	}
	if err := ghostsApart(pr.problem); err != nil {
		return err
	}
	findPassing(pr.problem, props)
	pr.known = newKnowledge(pr.problem, props, opt.Reach)
	return nil
}

// replaceSynchronisation replaces what is made of simpler steps: kinds of mutexes, conditions, barriers.
func (pr *prover) replaceSynchronisation(p *ir.Program) error {
	if err := plainMutexes(p); err != nil {
		return err
	}
	given := clone(p)
	found, err := replaceWaits(p)
	if found {
		pr.given = given
	}
	return err
}

// keeps returns which registers the questions of the program read. They count where states are
// compared; other registers count while they are live.
func keeps(p *ir.Program, props *property.Set) func(ir.FuncID, ir.Reg) bool {
	type key struct {
		f ir.FuncID
		r ir.Reg
	}
	kept := map[key]bool{}
	add := func(c *property.Cond) {
		if c == nil {
			return
		}
		for _, v := range c.Vars {
			if !v.IsMemory() {
				kept[key{p.Threads[v.Thread].Func, v.Reg}] = true
			}
		}
	}
	for i := range props.Goals {
		add(props.Goals[i].With)
	}
	if props.Final != nil {
		add(props.Final.Cond)
	}
	return func(f ir.FuncID, r ir.Reg) bool { return kept[key{f, r}] }
}

// addThread puts a thread into its class.
func (pr *prover) addThread(t ir.ThreadID, props *property.Set, annotations annotations) error {
	th := &pr.prog.Threads[t]
	if !th.Start && len(pr.prog.ThreadFunc(t).Edges) == 0 {
		return nil // it is never started
	}
	for _, c := range pr.classes {
		if pr.sameCode(c.thread, t, props) && annotations.same(c.thread, t) {
			c.many = true
			pr.classOf[t] = c
			if leader, in := pr.loops[t]; in && leader == c.thread {
				return nil // the name stands for all that the loop starts
			}
			if th.Template == "" || th.Template != pr.prog.Threads[c.thread].Template {
				c.name += ", " + th.Name
			}
			return nil
		}
	}
	acts, err := actions(pr.prog, t)
	if err != nil {
		return err
	}
	c := &class{thread: t, f: pr.prog.ThreadFunc(t), name: th.Name, many: th.Unbounded, start: th.Start, acts: acts, annotations: annotations[t], self: ir.NoReg}
	if r, ok := props.Numbers[t]; ok {
		c.self = r
	}
	pr.classOf[t] = c
	if th.Template != "" {
		c.name = th.Template
	}
	if c.inside, err = ir.SectionLocs(c.f); err != nil {
		return err
	}
	for r := range c.f.Regs {
		v := c.f.Regs[r].Init
		if r < len(th.Args) {
			v = th.Args[r]
		}
		if ir.Reg(r) == c.self {
			pr.entries[c] = append(pr.entries[c], pr.registers(c, "a")[r])
			continue
		}
		pr.entries[c] = append(pr.entries[c], pr.arith.num(v))
	}
	pr.classes = append(pr.classes, c)
	return nil
}

// sameCode reports whether two threads are the same for a proof.
func (pr *prover) sameCode(a, b ir.ThreadID, props *property.Set) bool {
	f, g := pr.prog.ThreadFunc(a), pr.prog.ThreadFunc(b)
	if len(f.Edges) != len(g.Edges) || len(f.Locs) != len(g.Locs) || len(f.Regs) != len(g.Regs) || f.Entry != g.Entry ||
		pr.prog.Threads[a].Start != pr.prog.Threads[b].Start ||
		!slices.Equal(pr.prog.Threads[a].Args, pr.prog.Threads[b].Args) {
		return false
	}
	for i := range f.Regs {
		keep := keeps(pr.prog, props)
		if f.Regs[i].Init != g.Regs[i].Init || keep(pr.prog.Threads[a].Func, ir.Reg(i)) != keep(pr.prog.Threads[b].Func, ir.Reg(i)) {
			return false
		}
	}
	for i := range f.Edges {
		e, h := &f.Edges[i], &g.Edges[i]
		if e.From != h.From || e.To != h.To || !reflect.DeepEqual(e.Op, h.Op) {
			return false
		}
	}
	return slices.EqualFunc(invariantsOf(props, a), invariantsOf(props, b), func(x, y property.Invariant) bool {
		return x.Loc == y.Loc && x.Cond.Expr.Equal(y.Cond.Expr) && slices.EqualFunc(x.Cond.Vars, y.Cond.Vars, func(v, w property.Var) bool {
			return v.IsMemory() == w.IsMemory() && v.Reg == w.Reg && v.Addr == w.Addr && v.AddrExpr.Equal(w.AddrExpr)
		})
	})
}

func invariantsOf(props *property.Set, t ir.ThreadID) []property.Invariant {
	var list []property.Invariant
	for _, inv := range props.Invariants {
		if inv.Thread == t {
			list = append(list, inv)
		}
	}
	return list
}

// against returns the classes of other threads that can run while a thread of class c runs.
func (pr *problem) against(c *class) []*class {
	var list []*class
	for _, d := range pr.classes {
		if d != c || c.many {
			list = append(list, d)
		}
	}
	return list
}

func (pr *problem) declareConst(name, sort string) {
	if !pr.declared[name] {
		pr.declared[name] = true
		pr.asker.constant(name, sort)
	}
}

// memory returns constants for the contents of the regions in any state.
func (pr *problem) memory(prefix string) memory {
	pr.poll()
	m := make(memory, len(pr.regions))
	for i := range m {
		m[i] = fmt.Sprintf("%s%d", prefix, i)
		pr.declareConst(m[i], pr.sort(i))
	}
	return m
}

// registers returns constants for the registers of a thread of class c in a role.
func (pr *problem) registers(c *class, role string) []string {
	pr.poll()
	regs := make([]string, len(c.f.Regs))
	for r := range regs {
		regs[r] = fmt.Sprintf("%s%d_%d", role, c.thread, r)
		if t, narrow := pr.widths.typeOf(pr.prog.Threads[c.thread].Func, ir.Reg(r)); narrow && pr.arith == BitVectors {
			pr.declareConst(regs[r], pr.arith.bytes(t.Size()))
			regs[r] = pr.arith.extend(regs[r], t)
			continue
		}
		pr.declareConst(regs[r], pr.arith.sort())
	}
	return regs
}

// sameMemory returns the conditions that two memories are equal.
func sameMemory(m, n memory) []string {
	var out []string
	for i := range m {
		if eq := equal(m[i], n[i]); eq != "true" {
			out = append(out, eq)
		}
	}
	return out
}

// sameRegisters returns the conditions that the registers live at a location are equal.
func (pr *problem) sameRegisters(c *class, at ir.Loc, x, y []string) []string {
	var out []string
	for r := range x {
		if eq := equal(x[r], y[r]); eq != "true" && pr.facts.IsLive(pr.prog.Threads[c.thread].Func, at, ir.Reg(r)) {
			out = append(out, eq)
		}
	}
	return out
}

// started returns the class whose threads an action starts, or nil.
func (pr *problem) started(a *action) *class {
	if op := &a.first().Op; op.Kind == ir.Spawn {
		return pr.classOf[op.Threads[0]]
	}
	return nil
}

// argumentsOf returns the registers of a thread that was just started.
func (pr *problem) argumentsOf(d *class, op *ir.Op, regs []string) []string {
	out := append([]string(nil), pr.entries[d]...)
	for i, x := range op.Args {
		out[i] = pr.env(regs).number(x)
	}
	return out
}
