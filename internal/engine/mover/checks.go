package mover

import (
	"fmt"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/verdict"
)

// What the program asks. An assertion holds if the invariants of its place imply it:
// a proof by induction over SC executions, for any number of threads. If all stores
// are atomic it holds under TSO, too, since whatever fails there fails under SC
// [BEMT18 §5]: a thread stands before its assertion with the same registers whether its
// stores have left the buffer or not. The same goes for what else a program may do
// wrong: leave an array, unlock what it does not hold.

// check is something that must hold wherever a thread is about to take a step.
type check struct {
	c    *class
	a    *action
	edge *ir.Edge
	what string
	// goal is the condition in the state before the edge; "" if there is none to prove.
	given []string
	goal  string
}

// checks lists what the program asks, as obligations under what is known now.
func (pr *prover) checks() []verdict.ProofCheck {
	var out []verdict.ProofCheck
	at := map[key2]int{}
	for _, c := range pr.classes {
		for _, a := range c.acts {
			for _, ck := range pr.checksOf(c, a) {
				res := pr.decide(&ck)
				k := key2{c, ck.edge, ck.what}
				if i, seen := at[k]; seen { // another way through the same section
					if out[i].Proved {
						out[i] = res
					}
					continue
				}
				at[k] = len(out)
				out = append(out, res)
			}
		}
	}
	for i := range pr.props.Goals {
		out = append(out, pr.unreachableGoal(&pr.props.Goals[i]))
	}
	if f := pr.props.Final; f != nil && f.Quantifier != property.Exists {
		out = append(out, verdict.ProofCheck{ProofInstruction: verdict.ProofInstruction{Pos: spanPos(f.Pos)}, What: f.Quantifier.String() + " " + f.Cond.Text})
	}
	return out
}

type key2 struct {
	c    *class
	edge *ir.Edge
	what string
}

// checksOf lists what an action may do wrong.
func (pr *prover) checksOf(c *class, a *action) []check {
	var out []check
	m, regs := pr.memory("m"), pr.registers(c, "a")
	s := run{regs: append([]string(nil), regs...), mem: m}
	for _, e := range a.edges {
		goal, what := pr.mustHold(c, a, e, &s)
		if what != "" {
			out = append(out, check{c: c, a: a, edge: e, what: what, given: append([]string(nil), s.guard...), goal: goal})
		}
		pr.step(&e.Op, fmt.Sprintf("a_h%d", e.ID), &s)
	}
	return out
}

// mustHold is what an instruction takes for granted, in a state; what is "" if that
// is nothing.
func (pr *prover) mustHold(c *class, a *action, e *ir.Edge, s *run) (goal, what string) {
	op := &e.Op
	v := pr.env(s.regs)
	switch {
	case op.Kind == ir.Assert:
		what := op.Msg
		if op.Class != ir.Assertion || what == "" {
			what = op.Class.String()
		}
		return v.truth(op.Val), what
	case op.Kind == ir.Unlock:
		var holders []string
		for _, lk := range pr.known.locks {
			if pr.touches(op, lk.region) {
				holders = append(holders, lk.holds(pr.arith, c, a.from(), s.regs))
			}
		}
		return or(holders), ir.BadUnlock.String()
	case op.Kind == ir.Join:
		if !pr.joinsOnce(c, e) {
			return "false", ir.BadJoin.String()
		}
		return "true", ""
	case !touches(op):
		return "true", ""
	}
	if pr.forbidden(op) {
		return "false", ir.ReadOnly.String()
	}
	if _, fixed := pr.constant(op.Addr); fixed || pr.home(op) == ir.NoObject && pr.prog.Cells && pr.arith == Integers {
		return "true", "" // cells are everywhere, as far as mathematical integers number them
	}
	return pr.inside(op, v), ir.OutOfBounds.String()
}

// forbidden reports whether an operation may write to a read-only object.
func (pr *prover) forbidden(op *ir.Op) bool {
	if !op.Writes() {
		return false
	}
	if addr, fixed := pr.constant(op.Addr); fixed {
		o := pr.prog.FindObject(uint64(addr), op.Type.Size())
		return o != ir.NoObject && pr.prog.Objects[o].ReadOnly
	}
	home := pr.home(op)
	for o := range pr.prog.Objects {
		if pr.prog.Objects[o].ReadOnly && (home == ir.NoObject || home == ir.ObjectID(o)) {
			return true
		}
	}
	return false
}

// joinsOnce reports whether a join waits for a thread that is known and that no other
// join, nor this one again, waits for.
func (pr *prover) joinsOnce(c *class, e *ir.Edge) bool {
	handle, ok := e.Op.Val.IsConst()
	if !ok || c.many {
		return false
	}
	for _, d := range pr.classes {
		for i := range d.f.Edges {
			o := &d.f.Edges[i]
			if h, known := o.Op.Val.IsConst(); o.Op.Kind == ir.Join && (!known || h == handle) && (d != c || leadsTo(c.f, e.To, o.From)) {
				return false
			}
		}
	}
	return true
}

// leadsTo reports whether a way leads from one location to another.
func leadsTo(f *ir.Func, from, to ir.Loc) bool {
	seen := map[ir.Loc]bool{from: true}
	for work := []ir.Loc{from}; len(work) > 0; {
		l := work[len(work)-1]
		work = work[:len(work)-1]
		if l == to {
			return true
		}
		for _, i := range f.Out(l) {
			if next := f.Edges[i].To; !seen[next] {
				seen[next] = true
				work = append(work, next)
			}
		}
	}
	return false
}

// inside is that an access stays in its object, or in some object or cell if it has
// none of its own.
func (pr *prover) inside(op *ir.Op, v env) string {
	addr := v.number(op.Addr)
	in := func(lo, hi int64) string {
		return and([]string{
			pr.arith.compare(ir.Le, ir.U64, pr.arith.num(lo), addr), pr.arith.compare(ir.Le, ir.U64, addr, pr.arith.num(hi-int64(width(op)))),
		})
	}
	home := pr.home(op)
	switch {
	case home != ir.NoObject:
		o := &pr.prog.Objects[home]
		return in(int64(o.Addr), int64(o.Addr)+o.Size)
	case pr.prog.Cells:
		limit := int64(ir.CellLimit) * ir.CellUnit
		return or([]string{
			and([]string{pr.arith.le(pr.arith.num(-limit+ir.CellUnit), addr), pr.arith.le(addr, pr.arith.num(limit-ir.CellUnit))}), pr.inSomeObject(in),
		})
	}
	return pr.inSomeObject(in)
}

func (pr *prover) inSomeObject(in func(lo, hi int64) string) string {
	var some []string
	for i := range pr.prog.Objects {
		o := &pr.prog.Objects[i]
		if o.Size > 0 {
			some = append(some, in(int64(o.Addr), int64(o.Addr)+o.Size))
		}
	}
	return or(some)
}

// decide asks whether a check follows from what is known.
func (pr *prover) decide(ck *check) verdict.ProofCheck {
	res := verdict.ProofCheck{ProofInstruction: verdict.ProofInstruction{Thread: ck.c.name, Pos: engine.Pos(ck.edge)}, What: ck.what}
	m, regs := pr.memory("m"), pr.registers(ck.c, "a")
	after := pr.run(ck.a, "a", run{regs: regs, mem: m})
	given := append(pr.known.at(ck.c, ck.a.from(), regs, m, pr.known.numbers(after)...), ck.given...)
	pr.obligations++
	ans := pr.ask(ck.c, ck.a.from(), nil, 0, given, ck.goal)
	res.Proved, res.State, res.Vague = ans.holds, ans.state, ans.vague
	return res
}

// unreachableGoal asks whether no state of a goal is allowed.
func (pr *prover) unreachableGoal(g *property.Goal) verdict.ProofCheck {
	res := verdict.ProofCheck{ProofInstruction: verdict.ProofInstruction{Pos: spanPos(g.Pos)}, What: "goal " + g.Name}
	if len(g.At) > 2 || pr.err != nil || engine.GoalInside(pr.prog, g) { // sections are one step here
		return res
	}
	m := pr.memory("m")
	roles := []string{"a", "b"}
	res.Proved = true
	var try func(n int, at []ir.Loc)
	try = func(n int, at []ir.Loc) {
		if n < len(g.At) {
			for _, l := range g.At[n].Locs {
				try(n+1, append(at[:len(at):len(at)], l))
			}
			return
		}
		var given []string
		regs := map[ir.ThreadID][]string{}
		for i, l := range at {
			c := pr.classOf[g.At[i].Thread]
			own := pr.registers(c, roles[i])
			regs[g.At[i].Thread] = own
			given = append(given, pr.known.at(c, l, own, m, pr.known.numbers()...)...)
			if i > 0 {
				first := pr.classOf[g.At[0].Thread]
				if !pr.family.beside(first, at[0], c, l) {
					return
				}
				given = append(given, pr.known.apart(first, at[0], pr.registers(first, "a"), c, l, own)...)
			}
		}
		if len(at) == 0 {
			given = pr.known.everywhere(m, pr.known.numbers()...)
		}
		with, ok := pr.goalCond(g.With, regs, m)
		pr.obligations++
		ans := pr.ask(pr.classes[0], 0, nil, 0, append(given, with), "false")
		if !ok || !ans.holds {
			res.Proved, res.State, res.Vague = false, nil, ans.vague
		}
	}
	try(0, nil)
	return res
}

// goalCond is the condition of a goal; not ok if it names registers of threads whose
// place is not given.
func (pr *prover) goalCond(cond *property.Cond, regs map[ir.ThreadID][]string, m memory) (string, bool) {
	if cond == nil {
		return "true", true
	}
	vars := make([]string, len(cond.Vars))
	for i, x := range cond.Vars {
		switch {
		case x.IsMemory():
			op := namedPlace(pr.prog, x).load()
			vars[i] = pr.read(m, pr.locate(&op, pr.env(nil)), x.Type)
		case regs[x.Thread] == nil:
			return "true", false
		default:
			vars[i] = regs[x.Thread][x.Reg]
		}
	}
	return pr.env(vars).truth(cond.Expr), true
}
