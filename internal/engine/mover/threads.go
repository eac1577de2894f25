package mover

import (
	"slices"

	"fencepost/internal/ir"
)

// Which threads can run in parallel. A thread does not run before it is started, and not after it
// was joined. Both are determined from the control-flow graph; a thread that may be running counts
// as running. Starting and joining do not access memory, so stores and loads move across them; they
// drain.

// spawning is an instruction that starts threads of a class.
type spawning struct {
	by   *class
	edge *ir.Edge
}

// family has the spawns and joins of the classes of a program.
type family struct {
	spawns map[*class][]spawning
	// reached says which locations of the spawner are reachable from a spawn.
	reached map[*ir.Edge][]bool
	// joined has, per location of a class, the classes of single threads that have ended when a
	// thread is at the location.
	joined map[*class][]map[*class]bool
}

// newFamily finds spawns and joins. A class whose threads are started more than once has many.
func newFamily(p *ir.Program, classes []*class, of map[ir.ThreadID]*class) (*family, error) {
	fm := &family{spawns: map[*class][]spawning{}, reached: map[*ir.Edge][]bool{}, joined: map[*class][]map[*class]bool{}}
	for _, c := range classes {
		for _, a := range c.acts {
			e := a.first()
			if e.Op.Kind != ir.Spawn {
				continue
			}
			after := reachable(c.f, e.To)
			fm.reached[e] = after
			d := of[e.Op.Threads[0]]
			for _, t := range e.Op.Threads {
				if of[t] != d {
					return nil, refuse(e, "threads that are started in a loop and have different thread-private memory are not covered")
				}
			}
			if after[e.From] || len(fm.spawns[d]) > 0 {
				d.many = true
			}
			fm.spawns[d] = append(fm.spawns[d], spawning{c, e})
		}
	}
	for _, d := range classes {
		if !d.start && len(fm.spawns[d]) == 0 {
			panic("BUG: a thread that is never started has instructions")
		}
	}
	for changed := true; changed; { // a class that many threads start has many
		changed = false
		for d, list := range fm.spawns {
			if !d.many && slices.ContainsFunc(list, func(s spawning) bool { return s.by.many }) {
				d.many, changed = true, true
			}
		}
	}
	for _, c := range classes {
		fm.joined[c] = joins(c, of)
	}
	return fm, nil
}

func reachable(f *ir.Func, from ir.Loc) []bool {
	seen := make([]bool, len(f.Locs))
	seen[from] = true
	for work := []ir.Loc{from}; len(work) > 0; {
		l := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range f.Out(l) {
			if to := f.Edges[i].To; !seen[to] {
				seen[to] = true
				work = append(work, to)
			}
		}
	}
	return seen
}

// joins returns the classes that a thread of class c has certainly joined at each of its locations;
// nil: not reached.
func joins(c *class, of map[ir.ThreadID]*class) []map[*class]bool {
	at := make([]map[*class]bool, len(c.f.Locs))
	at[c.f.Entry] = map[*class]bool{}
	for work := []ir.Loc{c.f.Entry}; len(work) > 0; {
		l := work[len(work)-1]
		work = work[:len(work)-1]
		for _, a := range c.acts {
			if a.from() != l {
				continue
			}
			after := map[*class]bool{}
			for d := range at[l] {
				after[d] = true
			}
			if d := joins1(&a.first().Op, of); d != nil {
				after[d] = true
			}
			switch to := a.to(); {
			case at[to] == nil:
				at[to] = after
				work = append(work, to)
			default:
				for d := range at[to] {
					if !after[d] {
						delete(at[to], d)
						work = append(work, to)
					}
				}
			}
		}
	}
	return at
}

// joins1 returns the class of the single thread that an operation joins, or nil.
func joins1(op *ir.Op, of map[ir.ThreadID]*class) *class {
	if op.Kind != ir.Join {
		return nil
	}
	t, ok := op.Val.IsConst()
	if !ok {
		return nil
	}
	if d := of[ir.ThreadID(t)]; d != nil && !d.many {
		return d
	}
	return nil
}

// beside reports whether a thread of class c can be at l while one of class d is at n.
func (fm *family) beside(c *class, l ir.Loc, d *class, n ir.Loc) bool {
	return !fm.absent(c, l, d) && !fm.absent(d, n, c)
}

// absent reports whether no thread of class d takes steps while one of class c is at l.
func (fm *family) absent(c *class, l ir.Loc, d *class) bool {
	if c == d || c.many {
		return false
	}
	return fm.over(c, l, d) || fm.unborn(c, l, d, map[*class]bool{})
}

// over reports whether the one thread of class d has ended, and was joined, when the thread of class c is at l.
func (fm *family) over(c *class, l ir.Loc, d *class) bool {
	return c != d && !c.many && fm.joined[c][l][d] && !d.many && len(fm.spawns[d]) == 1 && fm.spawns[d][0].by == c
}

// unborn reports whether no thread of class d has been started while the thread of class c is at
// l.
func (fm *family) unborn(c *class, l ir.Loc, d *class, asked map[*class]bool) bool {
	if d == c || len(fm.spawns[d]) == 0 {
		return false
	}
	if asked[d] { // only a thread of class d could have started it
		return true
	}
	asked[d] = true
	for _, s := range fm.spawns[d] {
		switch {
		case s.by == c && fm.reached[s.edge][l]:
			return false
		case s.by == c:
		case !fm.unborn(c, l, s.by, asked):
			return false
		}
	}
	return true
}

// first reports whether no other thread has been started while the thread of class c is at l.
func (fm *family) first(c *class, l ir.Loc) bool {
	if c.many {
		return false
	}
	for d := range fm.joined {
		if d != c && !fm.unborn(c, l, d, map[*class]bool{}) {
			return false
		}
	}
	return true
}

// ends returns the locations at which a thread of class c has ended.
func (c *class) ends() []ir.Loc {
	var list []ir.Loc
	add := func(l ir.Loc) {
		if !slices.Contains(list, l) {
			list = append(list, l)
		}
	}
	left := make([]bool, len(c.f.Locs))
	for _, a := range c.acts {
		left[a.from()] = true
	}
	if !left[c.f.Entry] {
		add(c.f.Entry)
	}
	for _, a := range c.acts {
		last := a.edges[len(a.edges)-1]
		switch last.Op.Kind {
		case ir.Return, ir.ThreadExit, ir.Exit:
			add(last.To)
		default:
			if !left[last.To] {
				add(last.To)
			}
		}
	}
	return list
}

// startedInLoops returns the threads that one statement starts again and again, each with the first of them.
func startedInLoops(p *ir.Program) map[ir.ThreadID]ir.ThreadID {
	out := map[ir.ThreadID]ir.ThreadID{}
	for _, f := range p.Funcs {
		for i := range f.Edges {
			op := &f.Edges[i].Op
			if op.Kind != ir.Spawn || len(op.Threads) < 2 {
				continue
			}
			for _, t := range op.Threads {
				out[t] = op.Threads[0]
			}
		}
	}
	return out
}
