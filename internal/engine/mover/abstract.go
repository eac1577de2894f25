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
	if x[0].a.writes() {
		return failures
	}
	return templates
}

type member struct {
	c *class
	a *action
}

// abstract finds the fewest instructions whose abstraction completes the proof. If there are none
// it returns the table it was given.
func (ab *abstractor) abstract(ctx context.Context, list []*judged) ([]*judged, []verdict.ProofAbstraction) {
	loads := ab.inTheWayOf(list)
	saved := ab.pr.known.save()
	for n := 1; n <= min(maxAbstractions, len(loads)); n++ {
		for _, how := range choices(n, max(len(templates), len(failures))) {
			for _, chosen := range choose(len(loads), n) {
				if ctx.Err() != nil || ab.pr.err != nil {
					return list, nil
				}
				if tried, found := ab.tryAbstraction(loads, chosen, how); found != nil {
					return tried, found
				}
				ab.pr.known.restore(saved)
			}
		}
	}
	return list, nil
}

// inTheWayOf returns the plain loads, and the actions that may fail, across which stores do not
// move. The most frequent ones come first.
func (ab *abstractor) inTheWayOf(list []*judged) []candidate {
	count := map[*action]int{}
	var order []candidate
	add := func(c *class, a *action) {
		if _, may := ab.mayFail(c, a); !may && (a.section || a.first().Op.Kind != ir.Load) {
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
func (ab *abstractor) sameSource(c *class, a *action) candidate {
	template := ab.pr.prog.Threads[c.thread].Template
	var all candidate
	for _, d := range ab.pr.classes {
		if d != c && (template == "" || ab.pr.prog.Threads[d.thread].Template != template) {
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

// tryAbstraction abstracts instructions. It keeps the abstraction if all stores are atomic then.
func (ab *abstractor) tryAbstraction(loads []candidate, chosen, how []int) ([]*judged, []verdict.ProofAbstraction) {
	before := map[*ir.Edge]ir.Op{}
	var found []verdict.ProofAbstraction
	acts := map[*class][]*action{}
	undo := func() {
		for e, op := range before {
			e.Op = op
			delete(ab.variant, e.ID)
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
			ab.variant[e.ID] = how[i] + 1
			if !x.a.writes() {
				abstractLoad(&e.Op, family[how[i]])
				continue
			}
			if acts[x.c] == nil {
				acts[x.c] = x.c.acts
			}
			ab.letFail(x.c, x.a, family[how[i]])
		}
	}
	list := ab.pr.movers.table()
	if !atomic(list) { // the invariants now are stronger than those of the abstracted program
		undo()
		return nil, nil
	}
	var locks []*lock
	for _, lk := range ab.pr.known.locks {
		if ab.pr.known.lockFinder.isLock(lk) {
			locks = append(locks, lk)
		}
	}
	ab.pr.known.locks = locks
	ab.pr.known.dropFalse()
	list = ab.pr.movers.table()
	sound := true
	for i, n := range chosen {
		a := ab.describe(loads[n], loads[n].family()[how[i]])
		a.Variant = how[i] + 1
		found, sound = append(found, a), sound && a.Sound
	}
	if ab.pr.err == nil && sound && atomic(list) && len(ab.pr.known.failed) == 0 {
		return list, found
	}
	undo()
	return nil, nil
}

func abstractLoad(op *ir.Op, t template) {
	op.Kind = ir.AbstractLoad
	op.Cond = t.cond(ir.R(op.Dst), ir.SeenValue())
	if op.Type.Bits < 64 {
		op.Cond = fits(ir.R(op.Dst), op.Type, op.Cond)
	}
}

// describe returns the description of an abstracted load.
func (ab *abstractor) describe(all candidate, t template) verdict.ProofAbstraction {
	load := all[0]
	if load.a.writes() {
		return ab.describeFailure(load, t)
	}
	op := &load.a.first().Op
	name := "the value in memory"
	if x, ok := ab.pr.variable(op); ok && len(all) == 1 {
		name = ab.pr.name(x)
	}
	text := t.text
	if t.text != "any value" {
		text = fmt.Sprintf(t.text, load.c.f.Regs[op.Dst].Name, name)
	}
	sound := true
	for _, m := range all {
		sound = sound && ab.admits(m.c, m.a)
	}
	return verdict.ProofAbstraction{ProofInstruction: placed(load.c, load.a), Cond: text, Found: true, Sound: sound}
}

// admits reports whether an abstract load always allows the value in memory [BEMT18 Lemma 3]. It
// uses global invariants on memory. They hold under TSO, too, if the abstracted program is
// value-robust, and for buffered values, since these reach memory. Invariants of the thread's
// location may not hold while stores are in the buffer.
func (ab *abstractor) admits(c *class, a *action) bool {
	op := &a.first().Op
	m, regs := ab.pr.memory("m"), ab.pr.registers(c, "a")
	seen := ab.pr.read(m, ab.pr.locate(op, ab.pr.env(regs)), op.Type)
	after := append([]string(nil), regs...)
	after[op.Dst] = seen
	v := ab.pr.env(after)
	v.seen = seen
	goal := []string{v.truth(op.Cond)}
	if op.HasRange {
		goal = append(goal, ab.pr.arith.le(ab.pr.arith.num(op.Lo), seen), ab.pr.arith.le(seen, ab.pr.arith.num(op.Hi)))
	}
	ab.pr.obligations++
	status, _, err := ab.pr.asker.check(ab.pr.known.everywhere(m), goal, nil)
	if err != nil {
		ab.pr.err = err
	}
	return status == smt.Unsat
}

// written returns the abstractions that are part of the program itself.
func (ab *abstractor) written() []verdict.ProofAbstraction {
	var out []verdict.ProofAbstraction
	for _, c := range ab.pr.classes {
		for _, a := range c.acts {
			if a.section || a.first().Op.Kind != ir.AbstractLoad || ab.original[a.first().ID] != ir.AbstractLoad {
				continue
			}
			out = append(out, verdict.ProofAbstraction{
				ProofInstruction: verdict.ProofInstruction{Thread: c.name, Pos: engine.Pos(a.first())},
				Cond:             ab.pr.written[a.first().ID].text, Sound: ab.admits(c, a),
			})
		}
	}
	return out
}

// saved is a copy of the knowledge.
type saved struct {
	dropped int
	local   map[*class][][]*pred
	global  []*pred
	pairs   []*pairFact
	counts  []*count
	locks   []*lock
	round   int
}

func (k *knowledge) save() saved {
	s := saved{local: map[*class][][]*pred{}, global: k.global, counts: k.counts, locks: k.locks, round: k.round, dropped: len(k.dropped)}
	for c, at := range k.local {
		s.local[c] = append([][]*pred(nil), at...)
	}
	s.pairs = copyPairs(k.pairs)
	return s
}

func (k *knowledge) restore(s saved) {
	k.global, k.failed, k.dropped = s.global, nil, k.dropped[:s.dropped]
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
	k.pairs, k.counts = copyPairs(s.pairs), s.counts
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
