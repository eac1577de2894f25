package mover

import (
	"context"
	"fmt"
	"sort"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/proof/invariant"
	"fencepost/internal/proof/program"
	"fencepost/internal/solver/smt"
	"fencepost/verdict"
)

// Read abstraction [BEMT18 §5]: stores move more easily across a load that may read more values
// than it does. If the value in memory is always among the allowed values, the abstracted program
// reaches every state that the program reaches, under SC and TSO (Lemma 3 there). So if the
// abstracted program is value-robust, its properties under SC are properties of the program under
// TSO.
//
// A read-modify-write, or a section that writes, can be abstracted, too: it may fail. Then it
// drains the buffer, gets a result that satisfies a condition, and writes nothing. This adds
// executions and removes none. A store then moves left across a failed attempt that would succeed
// after the store, such as the release of a spin lock across an attempt to take it. [BEMT18 §6]
// leaves this to future work.
//
// Actions that prevent the proof are abstracted with a family of conditions: few actions before
// many, and strong conditions before weak ones.

// abstractor abstracts loads and read-modify-writes.
type abstractor struct {
	pr       *prover
	original map[ir.EdgeID]ir.OpKind // before abstraction
	variant  map[ir.EdgeID]int       // the template that made it abstract, from 1
}

// template is a condition over the value read and the value in memory.
type template struct {
	text string // a format for the register and the variable
	cond func(r, seen *ir.Expr) *ir.Expr
}

var templates = []template{
	{"%[1]s == %[2]s || %[1]s == 0", func(r, seen *ir.Expr) *ir.Expr { return seenOr(r, seen, 0) }},
	{"%[1]s == %[2]s || %[1]s == 1", func(r, seen *ir.Expr) *ir.Expr { return seenOr(r, seen, 1) }},
	{"0 <= %[1]s && %[1]s <= %[2]s", func(r, seen *ir.Expr) *ir.Expr {
		return ir.Binary(ir.LAnd, ir.S64, ir.Binary(ir.Ge, ir.S64, r, ir.Int(0)), ir.Binary(ir.Le, ir.S64, r, seen))
	}},
	{"%[1]s <= %[2]s", func(r, seen *ir.Expr) *ir.Expr { return ir.Binary(ir.Le, ir.S64, r, seen) }},
	{"%[1]s >= %[2]s", func(r, seen *ir.Expr) *ir.Expr { return ir.Binary(ir.Ge, ir.S64, r, seen) }},
	{"any value", func(_, _ *ir.Expr) *ir.Expr { return ir.Int(1) }},
}

// failures has the conditions on the result of a read-modify-write that fails.
var failures = []template{
	{"%[1]s == 0", func(r, _ *ir.Expr) *ir.Expr { return ir.Binary(ir.Eq, ir.S64, r, ir.Int(0)) }},
	{"%[1]s == 1", func(r, _ *ir.Expr) *ir.Expr { return ir.Binary(ir.Eq, ir.S64, r, ir.Int(1)) }},
	{"%[1]s < 0", func(r, _ *ir.Expr) *ir.Expr { return ir.Binary(ir.Lt, ir.S64, r, ir.Int(0)) }},
	{"%[1]s <= 0", func(r, _ *ir.Expr) *ir.Expr { return ir.Binary(ir.Le, ir.S64, r, ir.Int(0)) }},
	{"%[1]s != 0", func(r, _ *ir.Expr) *ir.Expr { return ir.Binary(ir.Ne, ir.S64, r, ir.Int(0)) }},
	{"any value", func(_, _ *ir.Expr) *ir.Expr { return ir.Int(1) }},
}

func seenOr(r, seen *ir.Expr, v int64) *ir.Expr {
	return ir.Binary(ir.LOr, ir.S64, ir.Binary(ir.Eq, ir.S64, r, seen), ir.Binary(ir.Eq, ir.S64, r, ir.Int(v)))
}

// maxAbstractions bounds how many loads are abstracted at once.
const maxAbstractions = 2

// candidate is an instruction of the source text that may be abstracted, in all threads that run
// it.
type candidate []member

// family returns the conditions that a candidate is tried with.
func (x candidate) family() []template {
	if x[0].a.Writes() {
		return failures
	}
	return templates
}

type member struct {
	c *program.Class
	a *program.Action
}

// abstract finds the fewest instructions whose abstraction completes the proof. If there are none
// it returns the table it was given.
func (ab *abstractor) abstract(ctx context.Context, list []*judged) ([]*judged, []verdict.ProofAbstraction) {
	loads := ab.inTheWayOf(list)
	saved := ab.pr.known.Save()
	for n := 1; n <= min(maxAbstractions, len(loads)); n++ {
		for _, how := range choices(n, max(len(templates), len(failures))) {
			for _, chosen := range choose(len(loads), n) {
				if ctx.Err() != nil || ab.pr.Err != nil {
					return list, nil
				}
				if tried, found := ab.tryAbstraction(loads, chosen, how); found != nil {
					return tried, found
				}
				ab.pr.known.Restore(saved)
			}
		}
	}
	return list, nil
}

// inTheWayOf returns the plain loads, and the actions that may fail, across which stores do not
// move. The most frequent ones come first.
func (ab *abstractor) inTheWayOf(list []*judged) []candidate {
	count := map[*program.Action]int{}
	var order []candidate
	add := func(c *program.Class, a *program.Action) {
		if _, may := ab.mayFail(c, a); !may && (a.Section || a.First().Op.Kind != ir.Load) {
			return
		}
		all := ab.sameSource(c, a)
		if count[all[0].a] == 0 {
			order = append(order, all)
		}
		count[all[0].a]++
	}
	for _, j := range list {
		if j.by != "" {
			continue
		}
		for _, l := range j.loads {
			if len(j.right[l]) > 0 {
				add(j.c, l)
			}
		}
		for _, b := range j.lefts {
			add(b.d, b.b)
		}
	}
	sort.SliceStable(order, func(i, k int) bool { return count[order[i][0].a] > count[order[k][0].a] })
	return order
}

// sameSource returns the loads with the same source position, in the instances of one template.
func (ab *abstractor) sameSource(c *program.Class, a *program.Action) candidate {
	template := ab.pr.Prog.Threads[c.Thread].Template
	var all candidate
	for _, d := range ab.pr.Classes {
		if d != c && (template == "" || ab.pr.Prog.Threads[d.Thread].Template != template) {
			continue
		}
		for _, b := range d.Actions {
			if b == a || d != c && b.Section == a.Section && b.First().Op.Kind == a.First().Op.Kind && b.First().Pos.IsValid() && b.First().Pos == a.First().Pos {
				all = append(all, member{d, b})
			}
		}
	}
	return all
}

// tryAbstraction abstracts instructions. It keeps the abstraction if all stores are atomic then.
func (ab *abstractor) tryAbstraction(loads []candidate, chosen, how []int) ([]*judged, []verdict.ProofAbstraction) {
	before := map[*ir.Edge]ir.Op{}
	var found []verdict.ProofAbstraction
	acts := map[*program.Class][]*program.Action{}
	undo := func() {
		for e, op := range before {
			e.Op = op
			delete(ab.variant, e.ID)
		}
		for c, list := range acts {
			c.Actions = list
		}
	}
	for i, n := range chosen {
		family := loads[n].family()
		if how[i] >= len(family) {
			undo()
			return nil, nil
		}
		for _, x := range loads[n] {
			e := x.a.First()
			before[e] = e.Op
			ab.variant[e.ID] = how[i] + 1
			if !x.a.Writes() {
				abstractLoad(&e.Op, family[how[i]])
				continue
			}
			if acts[x.c] == nil {
				acts[x.c] = x.c.Actions
			}
			ab.letFail(x.c, x.a, family[how[i]])
		}
	}
	list := ab.pr.movers.table()
	if !atomic(list) { // the invariants now are stronger than those of the abstracted program
		undo()
		return nil, nil
	}
	var locks []*invariant.Lock
	for _, lk := range ab.pr.known.Locks {
		if ab.pr.known.LockFinder.IsLock(lk) {
			locks = append(locks, lk)
		}
	}
	ab.pr.known.Locks = locks
	ab.pr.known.DropFalse()
	list = ab.pr.movers.table()
	sound := true
	for i, n := range chosen {
		a := ab.describe(loads[n], loads[n].family()[how[i]])
		a.Variant = how[i] + 1
		found, sound = append(found, a), sound && a.Sound
	}
	if ab.pr.Err == nil && sound && atomic(list) && len(ab.pr.known.Failed) == 0 {
		return list, found
	}
	undo()
	return nil, nil
}

func abstractLoad(op *ir.Op, t template) {
	op.Kind = ir.AbstractLoad
	op.Cond = t.cond(ir.R(op.Dst), ir.SeenValue())
	if op.Type.Bits < 64 {
		op.Cond = program.FitsType(ir.R(op.Dst), op.Type, op.Cond)
	}
}

// describe returns the description of an abstracted load.
func (ab *abstractor) describe(all candidate, t template) verdict.ProofAbstraction {
	load := all[0]
	if load.a.Writes() {
		return ab.describeFailure(load, t)
	}
	op := &load.a.First().Op
	name := "the value in memory"
	if x, ok := ab.pr.Variable(op); ok && len(all) == 1 {
		name = ab.pr.Name(x)
	}
	text := t.text
	if t.text != "any value" {
		text = fmt.Sprintf(t.text, load.c.Code.Regs[op.Dst].Name, name)
	}
	sound := true
	for _, m := range all {
		sound = sound && ab.admits(m.c, m.a)
	}
	return verdict.ProofAbstraction{ProofInstruction: program.DescribeAction(load.c, load.a), Cond: text, Found: true, Sound: sound}
}

// admits reports whether an abstract load always allows the value in memory [BEMT18 Lemma 3]. It
// uses global invariants on memory. They hold under TSO, too, if the abstracted program is
// value-robust, and for buffered values, since these reach memory. Invariants of the thread's
// location may not hold while stores are in the buffer.
func (ab *abstractor) admits(c *program.Class, a *program.Action) bool {
	op := &a.First().Op
	m, regs := ab.pr.Memory("m"), ab.pr.Registers(c, "a")
	seen := ab.pr.Read(m, ab.pr.Locate(op, ab.pr.Env(regs)), op.Type)
	after := append([]smt.Term(nil), regs...)
	after[op.Dst] = seen
	v := ab.pr.Env(after)
	v.Seen = seen
	goal := []smt.Term{v.Truth(op.Cond)}
	if op.Range.Bounded {
		goal = append(goal, ab.pr.Arith.Le(ab.pr.Arith.Num(op.Range.Lo), seen), ab.pr.Arith.Le(seen, ab.pr.Arith.Num(op.Range.Hi)))
	}
	ab.pr.Obligations++
	status, _, err := ab.pr.Asker.Check(ab.pr.known.Everywhere(m), goal, nil)
	if err != nil {
		ab.pr.Err = err
	}
	return status == smt.Unsat
}

// written returns the abstractions that are part of the program itself.
func (ab *abstractor) written() []verdict.ProofAbstraction {
	var out []verdict.ProofAbstraction
	for _, c := range ab.pr.Classes {
		for _, a := range c.Actions {
			if a.Section || a.First().Op.Kind != ir.AbstractLoad || ab.original[a.First().ID] != ir.AbstractLoad {
				continue
			}
			out = append(out, verdict.ProofAbstraction{
				ProofInstruction: verdict.ProofInstruction{Thread: c.Name, Pos: engine.Pos(a.First())},
				Cond:             ab.pr.written[a.First().ID].Text, Sound: ab.admits(c, a),
			})
		}
	}
	return out
}

// choose returns the subsets of n elements of m, in order.
func choose(m, n int) [][]int {
	if n == 0 {
		return [][]int{nil}
	}
	var out [][]int
	for last := n - 1; last < m; last++ {
		for _, rest := range choose(last, n-1) {
			out = append(out, append(append([]int(nil), rest...), last))
		}
	}
	return out
}

// choices returns the functions from n elements to m.
func choices(n, m int) [][]int {
	if n == 0 {
		return [][]int{nil}
	}
	var out [][]int
	for _, rest := range choices(n-1, m) {
		for i := range m {
			out = append(out, append(append([]int(nil), rest...), i))
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return total(out[i]) < total(out[j]) })
	return out
}

func total(list []int) int {
	sum := 0
	for _, v := range list {
		sum += v
	}
	return sum
}

// writtenAllowed reports whether the annotations are shown to allow the value in memory always.
func (ab *abstractor) writtenAllowed() bool {
	return len(ab.pr.written) == 0 || unsoundWritten(ab.written()) == nil
}

// unsoundWritten returns an annotation that does not always allow the value in memory, or nil.
func unsoundWritten(list []verdict.ProofAbstraction) *verdict.ProofAbstraction {
	for i := range list {
		if a := &list[i]; a.Cond != "" && !a.Found && !a.Sound {
			return a
		}
	}
	return nil
}
