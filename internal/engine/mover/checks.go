package mover

import (
	"fmt"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/proof/encode"
	"fencepost/internal/proof/program"
	"fencepost/internal/property"
	"fencepost/internal/solver/smt"
	"fencepost/verdict"
)

// The checks of the program. An assertion holds if the invariants of its location imply it: a proof
// by induction over SC executions, for any number of threads. If all stores are atomic it holds
// under TSO, too, since an assertion that fails under TSO fails under SC [BEMT18 §5]: a thread
// reaches its assertion with the same registers, whether its stores have left the buffer or not.
// The same is true of other errors: an access outside an array, an unlock of a mutex that the
// thread does not hold.

// checker proves the checks of the program.
type checker struct {
	pr   *prover
	open []openCheck // of the last call of checks
}

// openCheck is a check that is not proved, with its number in the answer.
type openCheck struct {
	check
	number int
}

// check is a condition that must hold whenever a thread is about to take a step.
type check struct {
	c    *program.Class
	a    *program.Action
	edge *ir.Edge
	what string
	// goal is the condition in the state before the edge; "" if it cannot be expressed.
	given []smt.Term
	goal  smt.Term
}

// checks decides all checks of the program under the current invariants.
func (cr *checker) checks() []verdict.ProofCheck {
	var out []verdict.ProofCheck
	cr.open = nil
	at := map[key2]int{}
	for _, c := range cr.pr.Classes {
		for _, a := range c.Actions {
			for _, ck := range cr.checksOf(c, a) {
				res := cr.decide(&ck)
				k := key2{c, ck.edge, ck.what}
				i, seen := at[k]
				switch {
				case !seen:
					i = len(out)
					at[k], out = i, append(out, res)
				case out[i].Proved: // another path through the same section
					out[i] = res
				default:
					continue
				}
				if !res.Proved {
					cr.open = append(cr.open, openCheck{ck, i})
				}
			}
		}
	}
	for i := range cr.pr.Props.Goals {
		out = append(out, cr.unreachableGoal(&cr.pr.Props.Goals[i]))
	}
	if f := cr.pr.Props.Final; f != nil && f.Quantifier != property.Exists {
		out = append(out, verdict.ProofCheck{ProofInstruction: verdict.ProofInstruction{Pos: program.SpanPos(f.Pos)}, What: f.Quantifier.String() + " " + f.Cond.Text})
	}
	return out
}

type key2 struct {
	c    *program.Class
	edge *ir.Edge
	what string
}

// checksOf returns the checks of an action.
func (cr *checker) checksOf(c *program.Class, a *program.Action) []check {
	var out []check
	m, regs := cr.pr.Memory("m"), cr.pr.Registers(c, "a")
	s := encode.Run{Regs: append([]smt.Term(nil), regs...), Mem: m}
	for _, e := range a.Edges {
		goal, what := cr.mustHold(c, a, e, &s)
		if what != "" {
			out = append(out, check{c: c, a: a, edge: e, what: what, given: append([]smt.Term(nil), s.Guard...), goal: goal})
		}
		cr.pr.Step(&e.Op, fmt.Sprintf("a_h%d", e.ID), &s)
	}
	return out
}

// mustHold returns the precondition of an instruction in a state, and its description, which is ""
// if there is none.
func (cr *checker) mustHold(c *program.Class, a *program.Action, e *ir.Edge, s *encode.Run) (goal smt.Term, what string) {
	op := &e.Op
	v := cr.pr.Env(s.Regs)
	switch {
	case op.Kind == ir.Assert:
		what := op.Report.Msg
		if op.Report.Class != ir.Assertion || what == "" {
			what = op.Report.Class.String()
		}
		return v.Truth(op.Val), what
	case op.Kind == ir.Unlock:
		var holders []smt.Term
		for _, lk := range cr.pr.known.Locks {
			if cr.pr.known.LockFinder.Accesses(op, lk.Region) {
				holders = append(holders, lk.Holds(cr.pr.Arith, c, a.From(), s.Regs))
			}
		}
		if op.Report.Class != 0 {
			return smt.Or(holders...), op.Report.Class.String()
		}
		return smt.Or(holders...), ir.BadUnlock.String()
	case op.Kind == ir.Join:
		if !cr.joinsOnce(c, e) {
			return smt.False, ir.BadJoin.String()
		}
		return smt.True, ""
	case op.Kind == ir.Free:
		return cr.pr.Freeable(s.Mem, op, v.Number(op.Addr)), ir.DoubleFree.String()
	case !program.AccessesMemory(op):
		return smt.True, ""
	}
	if f, block, ok := cr.pr.InBlock(op); ok {
		return cr.pr.IsBlock(s.Mem, v.Number(block), f.Kind), cr.pr.Blocks.Failure()
	}
	if cr.forbidden(op) {
		return smt.False, ir.ReadOnly.String()
	}
	addr, fixed := cr.pr.Constant(op.Addr)
	if fixed && !cr.pr.Prog.Cells && cr.pr.Prog.FindObject(uint64(addr), program.AccessSize(op)) == ir.NoObject {
		return smt.False, ir.NullDeref.String()
	}
	if fixed || cr.pr.Home(op) == ir.NoObject && cr.pr.Prog.Cells && cr.pr.Arith == encode.Integers {
		return smt.True, "" // cells are everywhere, as far as mathematical integers number them
	}
	return cr.inside(op, v), ir.OutOfBounds.String()
}

// forbidden reports whether an operation may write to a read-only object.
func (cr *checker) forbidden(op *ir.Op) bool {
	if !op.Writes() {
		return false
	}
	if addr, fixed := cr.pr.Constant(op.Addr); fixed {
		o := cr.pr.Prog.FindObject(uint64(addr), op.Type.Size())
		return o != ir.NoObject && cr.pr.Prog.Objects[o].ReadOnly
	}
	home := cr.pr.Home(op)
	for o := range cr.pr.Prog.Objects {
		if cr.pr.Prog.Objects[o].ReadOnly && (home == ir.NoObject || home == ir.ObjectID(o)) {
			return true
		}
	}
	return false
}

// joinsOnce reports whether the thread of a join is known, started by the thread that joins it on every path to the join,
// and joined by no other join and not twice by this one.
func (cr *checker) joinsOnce(c *program.Class, e *ir.Edge) bool {
	handle, ok := e.Op.Val.IsConst()
	if !ok || c.Many || leadsTo(c.Code, c.Code.Entry, e.From, func(o *ir.Edge) bool {
		return o.Op.Kind == ir.Spawn && len(o.Op.Call.Threads) == 1 && int64(o.Op.Call.Threads[0]) == handle
	}) {
		return false
	}
	for _, d := range cr.pr.Classes {
		for i := range d.Code.Edges {
			o := &d.Code.Edges[i]
			if h, known := o.Op.Val.IsConst(); o.Op.Kind == ir.Join && (!known || h == handle) && (d != c || leadsTo(c.Code, e.To, o.From, nil)) {
				return false
			}
		}
	}
	return true
}

// leadsTo reports whether there is a path from one location to another, without the edges for which not returns true. It
// may be nil.
func leadsTo(f *ir.Func, from, to ir.Loc, not func(*ir.Edge) bool) bool {
	seen := map[ir.Loc]bool{from: true}
	for work := []ir.Loc{from}; len(work) > 0; {
		l := work[len(work)-1]
		work = work[:len(work)-1]
		if l == to {
			return true
		}
		for _, i := range f.Out(l) {
			if next := f.Edges[i].To; !seen[next] && (not == nil || !not(&f.Edges[i])) {
				seen[next] = true
				work = append(work, next)
			}
		}
	}
	return false
}

// inside returns the condition that an access stays in its object, or in some object or cell if its
// object is not known.
func (cr *checker) inside(op *ir.Op, v encode.Env) smt.Term {
	addr := v.Number(op.Addr)
	in := func(lo, hi int64) smt.Term {
		return smt.And(cr.pr.Arith.Compare(ir.Le, ir.U64, cr.pr.Arith.Num(lo), addr), cr.pr.Arith.Compare(ir.Le, ir.U64, addr, cr.pr.Arith.Num(hi-int64(program.AccessSize(op)))))
	}
	home := cr.pr.Home(op)
	if p := cr.pr.Locate(op, v); home != ir.NoObject && !cr.pr.Mixed && cr.pr.Regions[p.Region].Shape == encode.Elements {
		// By its number: two numbers may be one address after wrapping.
		n := cr.pr.Prog.Objects[home].Size / cr.pr.Regions[p.Region].Unit()
		return smt.And(cr.pr.Arith.Le(cr.pr.Arith.Num(0), p.Index), cr.pr.Arith.Le(p.Index, cr.pr.Arith.Num(n-1)))
	}
	switch {
	case home != ir.NoObject:
		o := &cr.pr.Prog.Objects[home]
		return in(int64(o.Addr), int64(o.Addr)+o.Size)
	case cr.pr.Prog.Cells:
		limit := int64(ir.CellLimit) * ir.CellUnit
		return smt.Or(smt.And(cr.pr.Arith.Le(cr.pr.Arith.Num(-limit+ir.CellUnit), addr), cr.pr.Arith.Le(addr, cr.pr.Arith.Num(limit-ir.CellUnit))), cr.inSomeObject(in))
	}
	return cr.inSomeObject(in)
}

func (cr *checker) inSomeObject(in func(lo, hi int64) smt.Term) smt.Term {
	var some []smt.Term
	for i := range cr.pr.Prog.Objects {
		o := &cr.pr.Prog.Objects[i]
		if o.Size > 0 {
			some = append(some, in(int64(o.Addr), int64(o.Addr)+o.Size))
		}
	}
	return smt.Or(some...)
}

// decide asks whether a check follows from the invariants.
func (cr *checker) decide(ck *check) verdict.ProofCheck {
	res := verdict.ProofCheck{ProofInstruction: verdict.ProofInstruction{Thread: ck.c.Name, Pos: engine.Pos(ck.edge)}, What: ck.what}
	if op := &ck.edge.Op; op.Kind != ir.Assert || op.Report.Class != ir.Assertion {
		res.Failure = ck.what
	}
	cr.pr.Obligations++
	ans := cr.pr.Ask(ck.c, ck.a.From(), nil, 0, cr.given(ck), ck.goal)
	res.Proved, res.State, res.Vague = ans.Holds, ans.State, ans.Vague
	return res
}

// given returns what is known where a check must hold.
func (cr *checker) given(ck *check) []smt.Term {
	m, regs := cr.pr.Memory("m"), cr.pr.Registers(ck.c, "a")
	after := cr.pr.Run(ck.a, "a", encode.Run{Regs: regs, Mem: m})
	return append(cr.pr.known.At(ck.c, ck.a.From(), regs, m, cr.pr.known.Numbers(after)...), ck.given...)
}

// unreachableGoal asks whether the invariants exclude every state of a goal.
func (cr *checker) unreachableGoal(g *property.Goal) verdict.ProofCheck {
	res := verdict.ProofCheck{ProofInstruction: verdict.ProofInstruction{Pos: program.SpanPos(g.Pos)}, What: "goal " + g.Name}
	inside := engine.GoalInside(cr.pr.Prog, g) || g.MentionsMemory() && engine.MemoryInside(cr.pr.Prog)
	if len(g.At) > 2 || cr.pr.Err != nil || inside { // sections are one step here
		return res
	}
	m := cr.pr.Memory("m")
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
		var given []smt.Term
		regs := map[ir.ThreadID][]smt.Term{}
		for i, l := range at {
			c := cr.pr.ClassOf[g.At[i].Thread]
			its := cr.pr.Registers(c, roles[i])
			regs[g.At[i].Thread] = its
			given = append(given, cr.pr.known.At(c, l, its, m, cr.pr.known.Numbers()...)...)
			if i > 0 {
				first := cr.pr.ClassOf[g.At[0].Thread]
				if !cr.pr.Lifetimes.Beside(first, at[0], c, l) {
					return
				}
				given = append(given, cr.pr.known.Apart(first, at[0], cr.pr.Registers(first, "a"), c, l, its, m)...)
			}
		}
		if len(at) == 0 {
			given = cr.pr.known.Everywhere(m, cr.pr.known.Numbers()...)
		}
		with, ok := cr.goalCond(g.With, regs, m)
		cr.pr.Obligations++
		ans := cr.pr.Ask(cr.pr.Classes[0], 0, nil, 0, append(given, with), smt.False)
		if !ok || !ans.Holds {
			res.Proved, res.State, res.Vague = false, nil, ans.Vague
		}
	}
	try(0, nil)
	return res
}

// goalCond returns the condition of a goal. It returns false if it names registers of threads whose
// location the goal does not give.
func (cr *checker) goalCond(cond *property.Cond, regs map[ir.ThreadID][]smt.Term, m encode.Memory) (smt.Term, bool) {
	if cond == nil {
		return smt.True, true
	}
	vars := make([]smt.Term, len(cond.Vars))
	for i, x := range cond.Vars {
		switch {
		case x.IsMemory():
			op := program.NamedCellOf(cr.pr.Prog, x).Load()
			vars[i] = cr.pr.Read(m, cr.pr.Locate(&op, cr.pr.Env(nil)), x.Type)
		case regs[x.Thread] == nil:
			return smt.True, false
		default:
			vars[i] = regs[x.Thread][x.Reg]
		}
	}
	return cr.pr.Env(vars).Truth(cond.Expr), true
}
