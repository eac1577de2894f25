package mover

import (
	"context"
	"fmt"
	"sort"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/solver/smt"
	"fencepost/verdict"
)

// Read abstraction [BEMT18 §5]: a load that may read more than it does gets out of
// the way of stores. If the value in memory is always among those allowed, the
// abstracted program reaches all that the program reaches, under SC and TSO
// (Lemma 3 there). So if the abstracted program is value-robust, what holds of it
// under SC holds of the program under TSO.
//
// A read-modify-write, or a section that writes, may be abstracted, too: it may fail,
// which is to drain, to get a result that satisfies a condition, and to write nothing.
// Doing so adds executions and takes none away. A store then moves left across one that
// failed for want of what the store gives, such as the release of a spin lock across an
// attempt to take it. [BEMT18 §6] leaves this to future work.
//
// What is in the way is tried with a family of conditions, few places before
// many and tight conditions before loose ones.

// template is a condition over the value read and the value in memory.
type template struct {
	text string // with the register and the place put in
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

// failures are the conditions on the result of a read-modify-write that fails.
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

// candidate is a place of the source that may be abstracted, in all threads that
// run it.
type candidate []member

// family is the conditions a candidate is tried with.
func (x candidate) family() []template {
	if x[0].a.writes() {
		return failures
	}
	return templates
}

type member struct {
	c *class
	a *action
}

// abstract looks for the fewest loads whose abstraction makes the proof go
// through. If there are none it gives back the table it was given.
func (pr *prover) abstract(ctx context.Context, list []*judged) ([]*judged, []verdict.ProofAbstraction) {
	loads := pr.inTheWayOf(list)
	saved := pr.known.save()
	for n := 1; n <= min(maxAbstractions, len(loads)); n++ {
		for _, how := range choices(n, max(len(templates), len(failures))) {
			for _, chosen := range choose(len(loads), n) {
				if ctx.Err() != nil || pr.err != nil {
					return list, nil
				}
				if tried, found := pr.tryAbstraction(loads, chosen, how); found != nil {
					return tried, found
				}
				pr.known.restore(saved)
			}
		}
	}
	return list, nil
}

// inTheWayOf lists the plain loads, and what writes and may fail, that keep stores from
// being atomic, most often in the way first.
func (pr *prover) inTheWayOf(list []*judged) []candidate {
	count := map[*action]int{}
	var order []candidate
	add := func(c *class, a *action) {
		if _, may := pr.mayFail(c, a); !may && (a.section || a.first().Op.Kind != ir.Load) {
			return
		}
		all := pr.sameSource(c, a)
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

// sameSource lists the loads that stand at the same place of the source, in the
// instances of one template.
func (pr *prover) sameSource(c *class, a *action) candidate {
	template := pr.prog.Threads[c.thread].Template
	var all candidate
	for _, d := range pr.classes {
		if d != c && (template == "" || pr.prog.Threads[d.thread].Template != template) {
			continue
		}
		for _, b := range d.acts {
			if b == a || d != c && b.section == a.section && b.first().Op.Kind == a.first().Op.Kind && b.first().Pos.IsValid() && b.first().Pos == a.first().Pos {
				all = append(all, member{d, b})
			}
		}
	}
	return all
}

// tryAbstraction abstracts loads, and leaves them so if that makes all stores
// atomic.
func (pr *prover) tryAbstraction(loads []candidate, chosen, how []int) ([]*judged, []verdict.ProofAbstraction) {
	before := map[*ir.Edge]ir.Op{}
	var found []verdict.ProofAbstraction
	acts := map[*class][]*action{}
	undo := func() {
		for e, op := range before {
			e.Op = op
			delete(pr.variant, e.ID)
		}
		for c, list := range acts {
			c.acts = list
		}
	}
	for i, n := range chosen {
		family := loads[n].family()
		if how[i] >= len(family) {
			undo()
			return nil, nil
		}
		for _, x := range loads[n] {
			e := x.a.first()
			before[e] = e.Op
			pr.variant[e.ID] = how[i] + 1
			if !x.a.writes() {
				abstractLoad(&e.Op, family[how[i]])
				continue
			}
			if acts[x.c] == nil {
				acts[x.c] = x.c.acts
			}
			pr.letFail(x.c, x.a, family[how[i]])
		}
	}
	list := pr.table()
	if !atomic(list) { // what is known now is more than what will be known
		undo()
		return nil, nil
	}
	var locks []*lock
	for _, lk := range pr.known.locks {
		if pr.isLock(lk) {
			locks = append(locks, lk)
		}
	}
	pr.known.locks = locks
	pr.known.settle()
	list = pr.table()
	sound := true
	for i, n := range chosen {
		a := pr.describe(loads[n], loads[n].family()[how[i]])
		found, sound = append(found, a), sound && a.Sound
	}
	if pr.err == nil && sound && atomic(list) && len(pr.known.failed) == 0 {
		return list, found
	}
	undo()
	return nil, nil
}

func abstractLoad(op *ir.Op, t template) {
	op.Kind = ir.AbstractLoad
	op.Cond = t.cond(ir.R(op.Dst), ir.SeenValue())
}

// describe says what a load was abstracted to.
func (pr *prover) describe(all candidate, t template) verdict.ProofAbstraction {
	load := all[0]
	if load.a.writes() {
		return pr.describeFailure(load, t)
	}
	op := &load.a.first().Op
	name := "the value in memory"
	if x, ok := pr.variable(op); ok && len(all) == 1 {
		name = pr.name(x)
	}
	text := t.text
	if t.text != "any value" {
		text = fmt.Sprintf(t.text, load.c.f.Regs[op.Dst].Name, name)
	}
	sound := true
	for _, m := range all {
		sound = sound && pr.admits(m.c, m.a)
	}
	return verdict.ProofAbstraction{ProofInstruction: placed(load.c, load.a), Cond: text, Found: true, Sound: sound}
}

// admits checks that an abstract load always allows the value in memory [BEMT18
// Lemma 3]. It may use what holds of memory everywhere: that is so under TSO, too, if
// the abstracted program is value-robust, and of buffered values, since they get to
// memory. What holds at a place of the thread need not be so while stores wait.
func (pr *prover) admits(c *class, a *action) bool {
	op := &a.first().Op
	m, regs := pr.memory("m"), pr.registers(c, "a")
	seen := pr.read(m, pr.locate(op, pr.env(regs)), op.Type)
	after := append([]string(nil), regs...)
	after[op.Dst] = seen
	v := pr.env(after)
	v.seen = seen
	goal := []string{v.truth(op.Cond)}
	if op.HasRange {
		goal = append(goal, pr.arith.le(pr.arith.num(op.Lo), seen), pr.arith.le(seen, pr.arith.num(op.Hi)))
	}
	pr.obligations++
	status, _, err := pr.solver.Check(nil, append(pr.known.everywhere(m), not(and(goal))), nil)
	if err != nil {
		pr.err = err
	}
	return status == smt.Unsat
}

// written lists the abstractions that stand in the program.
func (pr *prover) written() []verdict.ProofAbstraction {
	var out []verdict.ProofAbstraction
	for _, c := range pr.classes {
		for _, a := range c.acts {
			if a.section || a.first().Op.Kind != ir.AbstractLoad || pr.original[a.first().ID] != ir.AbstractLoad {
				continue
			}
			out = append(out, verdict.ProofAbstraction{ProofInstruction: verdict.ProofInstruction{Thread: c.name, Pos: engine.Pos(a.first())}, Sound: pr.admits(c, a)})
		}
	}
	return out
}

// saved is knowledge to go back to.
type saved struct {
	local  map[*class][][]*pred
	global []*pred
	locks  []*lock
	round  int
}

func (k *knowledge) save() saved {
	s := saved{local: map[*class][][]*pred{}, global: k.global, locks: k.locks, round: k.round}
	for c, at := range k.local {
		s.local[c] = append([][]*pred(nil), at...)
	}
	return s
}

func (k *knowledge) restore(s saved) {
	k.global, k.failed = s.global, nil
	for _, p := range s.global {
		p.fails, p.state = "", nil
	}
	for c, at := range s.local {
		k.local[c] = append([][]*pred(nil), at...)
		for _, list := range at {
			for _, p := range list {
				p.fails, p.state = "", nil
			}
		}
	}
	k.locks, k.round = s.locks, s.round
}

// choose lists the ways to take n of m, in order.
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

// choices lists the ways to take one of m for each of n.
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
