package mover

import (
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// Steps of the induction. What a thread does with its registers alone commutes with every step of others, so a thread
// need not stop there [BEMT18 §4 calls such actions thread-local]: a step is an action together with the assignments and
// tests that follow it, up to the next location that counts. Invariants are stated for these locations only, which are half
// of all or less, and the questions about two threads are a quarter.
//
// It is sound because a thread at a location in between always comes to the next one that counts, by steps of
// its own that read and write no memory: its tests cover all cases, and it does not loop in between. So for every state
// there is one in which all threads are at locations that count, with the same memory, and with the same registers of the
// threads that were at such locations before. Accesses, checks, and what the user names begin at locations that count.

// maxThrough bounds the ways from an action to the next locations that count.
const maxThrough = 8

// findPassing finds the locations of each class that do not count.
func findPassing(pr *problem, props *property.Set) {
	for _, c := range pr.classes {
		c.passing = make([]bool, len(c.f.Locs))
		for l := range c.f.Locs {
			c.passing[l] = mayPass(pr, c, ir.Loc(l), props)
		}
		for l := range c.f.Locs { // a thread must not loop in between
			if c.passing[l] && (c.passesBack(ir.Loc(l)) || len(c.through(ir.Loc(l))) > maxThrough) {
				c.passing[l] = false
			}
		}
	}
}

// mayPass reports whether a thread leaves a location by a step of its own, whatever its registers are.
func mayPass(pr *problem, c *class, l ir.Loc, props *property.Set) bool {
	out := c.f.Out(l)
	if l == c.f.Entry || c.inside[l] || len(out) == 0 || named(c, l, props) {
		return false
	}
	var tests []string
	for _, i := range out {
		op := &c.f.Edges[i].Op
		switch {
		case op.Kind != ir.Assign && op.Kind != ir.Assume && op.Kind != ir.Nop || asksSelf(op):
			return false
		case op.Kind == ir.Assume:
			tests = append(tests, pr.env(pr.registers(c, "a")).truth(op.Val))
		case len(out) > 1:
			return false
		}
	}
	return len(tests) == 0 || pr.implied(nil, or(tests))
}

// named reports whether a question or a condition of the user names a location.
func named(c *class, l ir.Loc, props *property.Set) bool {
	for _, inv := range invariantsOf(props, c.thread) {
		if inv.Loc == l {
			return true
		}
	}
	if slices.ContainsFunc(c.annotations, func(a *annotation) bool { return a.at == l }) {
		return true
	}
	return slices.ContainsFunc(props.Goals, func(g property.Goal) bool {
		return slices.ContainsFunc(g.At, func(at property.At) bool { return slices.Contains(at.Locs, l) })
	})
}

func asksSelf(op *ir.Op) bool {
	found := false
	op.Val.Walk(func(e *ir.Expr) { found = found || e.Op == ir.Self })
	return found
}

// passesBack reports whether a location is reached again through locations that do not count.
func (c *class) passesBack(l ir.Loc) bool {
	seen := make([]bool, len(c.f.Locs))
	for work := []ir.Loc{l}; len(work) > 0; {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range c.f.Out(at) {
			switch to := c.f.Edges[i].To; {
			case to == l:
				return true
			case c.passing[to] && !seen[to]:
				seen[to] = true
				work = append(work, to)
			}
		}
	}
	return false
}

// through returns the ways from a location to the next locations that count.
func (c *class) through(l ir.Loc) [][]*ir.Edge {
	if !c.passing[l] {
		return [][]*ir.Edge{nil}
	}
	var out [][]*ir.Edge
	for _, i := range c.f.Out(l) {
		e := &c.f.Edges[i]
		for _, rest := range c.through(e.To) {
			out = append(out, append([]*ir.Edge{e}, rest...))
		}
	}
	return out
}

// skips reports whether no invariant is stated for a location.
func (c *class) skips(l ir.Loc) bool { return c.inside[l] || c.passing[l] }

// steps returns the steps of a class, made of its current actions.
func (c *class) steps() []*action {
	var list []*action
	for _, a := range c.acts {
		if c.passing[a.from()] {
			continue
		}
		ways := c.through(a.to())
		if len(ways) == 1 && len(ways[0]) == 0 && c.ghosts[a.first().ID] == nil {
			list = append(list, a)
			continue
		}
		for _, way := range ways {
			for _, edges := range c.withGhosts(append(slices.Clone(a.edges), way...)) {
				list = append(list, &action{thread: a.thread, edges: edges, section: a.section, fails: a.fails})
			}
		}
	}
	return list
}

// onward is a state in which every thread has gone on to a location that counts.
type onward struct {
	State
	moved map[ir.ThreadID]position
}

// position is a thread's location and registers.
type position struct {
	l    ir.Loc
	regs []int64
}

// At returns the location of a thread, or false if the thread has not been started.
func (s *onward) At(t ir.ThreadID) (ir.Loc, bool) {
	if p, ok := s.moved[t]; ok {
		return p.l, true
	}
	return s.State.At(t)
}

// Reg returns the value of a register.
func (s *onward) Reg(t ir.ThreadID, r ir.Reg) int64 {
	if p, ok := s.moved[t]; ok {
		return p.regs[r]
	}
	return s.State.Reg(t, r)
}

// goOn lets every thread go on to a location that counts.
func (in *instance) goOn(s State, threads []ir.ThreadID) State {
	out := &onward{State: s}
	for _, t := range threads {
		c := in.of[t]
		l, _ := s.At(t)
		if !c.passing[l] {
			continue
		}
		p := position{l, make([]int64, len(c.f.Regs))}
		for r := range p.regs {
			p.regs[r] = s.Reg(t, ir.Reg(r))
		}
		for c.passing[p.l] {
			p.pass(c, in.prog)
		}
		if out.moved == nil {
			out.moved = map[ir.ThreadID]position{}
		}
		out.moved[t] = p
	}
	if out.moved == nil {
		return s
	}
	return out
}

// pass takes the one step that a thread can take at a location that does not count.
func (p *position) pass(c *class, prog *ir.Program) {
	env := ir.Env{Regs: p.regs, Prog: prog}
	for _, i := range c.f.Out(p.l) {
		e := &c.f.Edges[i]
		if e.Op.Kind == ir.Assume && e.Op.Val.Eval(env) == 0 {
			continue
		}
		if e.Op.Kind == ir.Assign {
			p.regs[e.Op.Dst] = e.Op.Val.Eval(env)
		}
		p.l = e.To
		return
	}
	panic("BUG: the tests at a location do not cover all cases")
}
