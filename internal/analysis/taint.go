package analysis

import (
	"fencepost/internal/ir"
)

// Taint: which registers of an automaton depend on something that is read from memory or chosen. A register depends on
// the values that are assigned to it, and on the branches that decide whether it is assigned. A branch decides about the
// locations between it and its immediate postdominator.
//
// It is a forward dataflow problem. Locations wait for their turn in reverse postorder, and the sets of neighbouring
// locations share what they have in common, as those of liveness do.

// Taint says what depends on something that is read or chosen.
type Taint struct {
	f        *ir.Func
	live     []Numbers[ir.Reg] // by location
	constant func(*ir.Edge) bool
	after    []ir.Loc          // by location: the nearest postdominator
	regs     []Numbers[ir.Reg] // by location: live registers that depend
	decided  []bool            // by location: it is reached depending on a tainted branch
	branch   []bool            // by location: a tainted branch
	sources  sources           // of the walks from all tainted branches
	waiting  *Waiting[ir.Loc]
}

// Taint computes the taint of a function. constant says which loads read memory that is never written: reading a
// constant makes nothing depend on a choice. Registers that are not live are left out: no branch reads them.
func (fs *Facts) Taint(id ir.FuncID, constant func(*ir.Edge) bool) *Taint {
	return newTaint(fs.p.Funcs[id], fs.funcs[id].live, constant)
}

func newTaint(f *ir.Func, live []Numbers[ir.Reg], constant func(*ir.Edge) bool) *Taint {
	t := &Taint{
		f: f, live: live, constant: constant, after: Postdominators(f), regs: make([]Numbers[ir.Reg], len(f.Locs)),
		decided: make([]bool, len(f.Locs)), branch: make([]bool, len(f.Locs)), sources: sources{},
		waiting: NewWaiting(ReversePostorder(f)),
	}
	for l := range f.Locs {
		t.regs[l] = NoNumbers[ir.Reg](len(f.Regs))
		t.waiting.Add(ir.Loc(l))
	}
	for {
		l, ok := t.waiting.Next()
		if !ok {
			return t
		}
		t.visit(l)
	}
}

// visit lets the edges of a location pass on what depends.
func (t *Taint) visit(l ir.Loc) {
	if !t.branch[l] && t.Branches(l) {
		t.branch[l] = true
		t.decide(l)
	}
	for _, i := range t.f.Out(l) {
		e := &t.f.Edges[i]
		if e.Op.Terminal() {
			continue
		}
		next := t.regs[l]
		constant := e.Op.Kind == ir.Assign || t.constant(e)
		bad := !constant && e.Op.Kind != ir.Spawn || t.decided[l]
		if constant && !bad {
			e.Op.Uses(func(r ir.Reg) { bad = bad || t.regs[l].Has(r) })
		}
		e.Op.Defs(func(r ir.Reg) { next.Put(r, bad) })
		if next.Keep(t.live[e.To]); t.regs[e.To].Add(next) {
			t.waiting.Add(e.To)
		}
	}
}

// Branches reports whether the edge that is taken from l depends on something tainted.
func (t *Taint) Branches(l ir.Loc) bool {
	out := t.f.Out(l)
	if len(out) < 2 {
		return false
	}
	depends := false
	for _, i := range out {
		op := &t.f.Edges[i].Op
		depends = depends || op.Kind != ir.Assume
		op.Uses(func(r ir.Reg) { depends = depends || t.regs[l].Has(r) })
	}
	return depends
}

// decide adds the locations between a branch and its postdominator to decided.
func (t *Taint) decide(branch ir.Loc) {
	t.between(branch, t.sources, func(l ir.Loc) {
		if !t.decided[l] {
			t.decided[l] = true
			t.waiting.Add(l)
		}
	})
}

// toward is a location on the way to a postdominator.
type toward struct{ at, end ir.Loc }

// sources has branches from which a location is reached before their postdominator: at most two, since a third adds
// nothing. A branch does not decide about itself, so one is not enough.
type sources map[toward][2]ir.Loc

// between calls decided with locations that a branch decides about: those between it and its postdominator, without the
// branch. It leaves out locations about which known has enough branches. Every location is visited at most twice for each
// postdominator.
func (t *Taint) between(branch ir.Loc, known sources, decided func(ir.Loc)) {
	end := t.after[branch]
	for work := []ir.Loc{branch}; len(work) > 0; {
		l := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range t.f.Out(l) {
			e := &t.f.Edges[i]
			if e.Op.Terminal() || e.To == end {
				continue
			}
			at := toward{e.To, end}
			from, met := known[at]
			switch {
			case !met:
				known[at] = [2]ir.Loc{branch, branch}
			case from[0] == branch || from[0] != from[1]:
				continue
			default:
				known[at] = [2]ir.Loc{from[0], branch}
			}
			if e.To != branch {
				decided(e.To)
			}
			work = append(work, e.To)
		}
	}
}

// DecidedInside returns the locations of a loop that are reached depending on a tainted branch of the loop. members has
// the locations of the loop, and inside says which locations they are.
func (t *Taint) DecidedInside(members []ir.Loc, inside func(ir.Loc) bool) map[ir.Loc]bool {
	decided := map[ir.Loc]bool{}
	known := sources{}
	for _, branch := range members {
		if !t.branch[branch] {
			continue
		}
		if end := t.after[branch]; end >= 0 && inside(end) {
			t.between(branch, known, func(l ir.Loc) { decided[l] = true })
			continue
		}
		// The way to the postdominator leaves the loop, and from the branch control can come to all of the loop before.
		for _, l := range members {
			if l != branch {
				decided[l] = true
			}
		}
		if decided[branch] {
			break // the whole loop
		}
	}
	return decided
}

// ReversePostorder returns the locations of f in the order in which control comes to them, as far as loops allow one;
// locations that the entry does not reach come last.
func ReversePostorder(f *ir.Func) []ir.Loc {
	if len(f.Locs) == 0 {
		return nil
	}
	g := newGraph(len(f.Locs))
	for i := range f.Edges {
		if e := &f.Edges[i]; !e.Op.Terminal() {
			g.add(int32(e.From), int32(e.To))
		}
	}
	post := g.postorder(int32(f.Entry))
	order := make([]ir.Loc, 0, len(f.Locs))
	met := make([]bool, len(f.Locs))
	for i := len(post) - 1; i >= 0; i-- {
		order = append(order, ir.Loc(post[i]))
		met[post[i]] = true
	}
	for l := range f.Locs {
		if !met[l] {
			order = append(order, ir.Loc(l))
		}
	}
	return order
}
