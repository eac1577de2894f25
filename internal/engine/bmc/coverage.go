package bmc

import (
	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/verdict"
)

// What the bounds left out.

// summarise finds what the bounds left out, and whether a check, an exit or the end is reached.
func (r *run) summarise() error {
	if err := r.coverage(); err != nil {
		return err
	}
	ends, err := r.solve(r.x.asker.ended())
	if err != nil {
		return err
	}
	r.out.Ends = ends
	if main := r.prog.Main; !ends && main != ir.NoThread {
		returned := r.x.c.and(r.x.lifetimes.orderly(true), r.x.asker.hasReturned(r.x.threads[main]))
		if r.out.Returns, err = r.solve(returned); err != nil {
			return err
		}
	}
	some := low
	for _, g := range r.x.checks {
		some = r.x.c.or(some, g)
	}
	if r.out.ChecksReached, err = r.solve(some); err != nil {
		return err
	}
	some = low
	for _, g := range r.x.exits {
		some = r.x.c.or(some, g)
	}
	exits, err := r.solveOpen(some)
	if exits {
		r.out.Exits = 1
	}
	if err != nil || !r.task.Finals {
		return err
	}
	return r.finals()
}

// coverage adds the bounds to the outcome. A bound that provably excludes no execution is not hit.
func (r *run) coverage() error {
	c := &r.out.Coverage
	if r.x.order == nil {
		r.scheduleBounds(c)
	}
	if err := r.cuts(c); err != nil {
		return err
	}
	c.Exhaustive = true
	for _, b := range c.Bounds {
		c.Exhaustive = c.Exhaustive && !b.Hit
	}
	return nil
}

// scheduleBounds adds the bounds of rounds, times and lists.
func (r *run) scheduleBounds(c *verdict.Coverage) {
	stores := map[*cell]int{}
	var positions []int
	all := 0
	for _, t := range r.x.threads {
		if len(t.turns) > 0 {
			positions = append(positions, len(t.turns[0]))
		}
		for _, l := range t.locs {
			for _, st := range l.steps {
				if k := st.e.Op.Kind; st.access == nil || k != ir.Store && k != ir.Free || st.access.direct || st.access.silent {
					continue
				}
				all++
				for _, g := range st.access.goals {
					stores[g.cell]++
				}
			}
		}
	}
	most := 0
	for _, n := range stores {
		most = max(most, n)
	}
	need := Options{Rounds: roundsNeeded(positions), Clock: all + 1, Queue: most + 1}
	if r.need != nil {
		*r.need = need
	}
	c.Bounds = append(c.Bounds, verdict.Bound{Name: "rounds", Value: r.opt.Rounds, Hit: r.opt.Rounds < need.Rounds})
	if r.task.Model != memory.SC {
		c.Bounds = append(c.Bounds,
			verdict.Bound{Name: "clock", Value: r.opt.Clock, Hit: r.opt.Clock < need.Clock},
			verdict.Bound{Name: "queue", Value: r.opt.Queue, Hit: r.opt.Queue < need.Queue})
	}
}

// cuts asks for every bound of the unrolled program whether it can stop a thread.
func (r *run) cuts(c *verdict.Coverage) error {
	byName := map[string][]*cut{}
	var names []string
	for _, k := range r.x.cuts {
		if byName[k.name] == nil {
			names = append(names, k.name)
		}
		byName[k.name] = append(byName[k.name], k)
	}
	for _, name := range names {
		some := low
		for _, k := range byName[name] {
			some = r.x.c.or(some, k.cuts)
		}
		hit, err := r.solveOpen(some)
		if err != nil {
			return err
		}
		first := byName[name][0]
		if hit {
			memo := map[gate]bool{}
			for _, k := range byName[name] {
				if r.x.c.value(r.solver.Value, k.cuts, memo) {
					first = k
					break
				}
			}
		}
		b := verdict.Bound{Name: name, Value: first.value, Hit: hit}
		switch {
		case hit && name == verdict.BoundUnsupported:
			b = engine.BoundAt(first.edge)
		case hit:
			b.Pos = engine.Pos(first.edge)
		case name == verdict.BoundUnsupported || name == verdict.BoundFloatingPoint:
			continue // nothing was left out
		}
		c.Bounds = append(c.Bounds, b)
	}
	return nil
}
