package program

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
	by   *Class
	edge *ir.Edge
}

// Lifetimes has the spawns and joins of the classes of a program.
type Lifetimes struct {
	spawns map[*Class][]spawning
	// reached says which locations of the spawner are reachable from a spawn.
	reached map[*ir.Edge][]bool
	// joined has, per location of a class, the classes of single threads that have ended when a
	// thread is at the location.
	joined map[*Class][]map[*Class]bool
}

// NewLifetimes finds spawns and joins. A class whose threads are started more than once has many.
func NewLifetimes(p *ir.Program, classes []*Class, of map[ir.ThreadID]*Class) (*Lifetimes, error) {
	fm := &Lifetimes{spawns: map[*Class][]spawning{}, reached: map[*ir.Edge][]bool{}, joined: map[*Class][]map[*Class]bool{}}
	for _, c := range classes {
		for _, a := range c.Actions {
			e := a.First()
			if e.Op.Kind != ir.Spawn {
				continue
			}
			after := Reachable(c.Code, e.To)
			fm.reached[e] = after
			d := of[e.Op.Call.Threads[0]]
			for _, t := range e.Op.Call.Threads {
				if of[t] != d {
					return nil, Refuse(e, "threads that are started in a loop and have different thread-private memory are not covered")
				}
			}
			if after[e.From] || len(fm.spawns[d]) > 0 {
				d.Many = true
			}
			fm.spawns[d] = append(fm.spawns[d], spawning{c, e})
		}
	}
	for _, d := range classes {
		if !d.Start && len(fm.spawns[d]) == 0 {
			panic("BUG: a thread that is never started has instructions")
		}
	}
	for changed := true; changed; { // a class that many threads start has many
		changed = false
		for d, list := range fm.spawns {
			if !d.Many && slices.ContainsFunc(list, func(s spawning) bool { return s.by.Many }) {
				d.Many, changed = true, true
			}
		}
	}
	for _, c := range classes {
		fm.joined[c] = joins(c, of)
	}
	return fm, nil
}

// joins returns the classes that a thread of class c has certainly joined at each of its locations;
// nil: not reached.
func joins(c *Class, of map[ir.ThreadID]*Class) []map[*Class]bool {
	at := make([]map[*Class]bool, len(c.Code.Locs))
	at[c.Code.Entry] = map[*Class]bool{}
	for work := []ir.Loc{c.Code.Entry}; len(work) > 0; {
		l := work[len(work)-1]
		work = work[:len(work)-1]
		for _, a := range c.Actions {
			if a.From() != l {
				continue
			}
			after := map[*Class]bool{}
			for d := range at[l] {
				after[d] = true
			}
			if d := JoinedBy(&a.First().Op, of); d != nil {
				after[d] = true
			}
			switch to := a.To(); {
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

// JoinedBy returns the class of the single thread that an operation joins, or nil.
func JoinedBy(op *ir.Op, of map[ir.ThreadID]*Class) *Class {
	if op.Kind != ir.Join {
		return nil
	}
	t, ok := op.Val.IsConst()
	if !ok {
		return nil
	}
	if d := of[ir.ThreadID(t)]; d != nil && !d.Many {
		return d
	}
	return nil
}

// Beside reports whether a thread of class c can be at l while one of class d is at n.
func (fm *Lifetimes) Beside(c *Class, l ir.Loc, d *Class, n ir.Loc) bool {
	return !fm.absent(c, l, d) && !fm.absent(d, n, c)
}

// absent reports whether no thread of class d takes steps while one of class c is at l.
func (fm *Lifetimes) absent(c *Class, l ir.Loc, d *Class) bool {
	if c == d || c.Many {
		return false
	}
	return fm.Over(c, l, d) || fm.unborn(c, l, d, map[*Class]bool{})
}

// Over reports whether the one thread of class d has ended, and was joined, when the thread of class c is at l.
func (fm *Lifetimes) Over(c *Class, l ir.Loc, d *Class) bool {
	return c != d && !c.Many && fm.joined[c][l][d] && !d.Many && len(fm.spawns[d]) == 1 && fm.spawns[d][0].by == c
}

// unborn reports whether no thread of class d has been started while the thread of class c is at
// l.
func (fm *Lifetimes) unborn(c *Class, l ir.Loc, d *Class, asked map[*Class]bool) bool {
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

// First reports whether no other thread has been started while the thread of class c is at l.
func (fm *Lifetimes) First(c *Class, l ir.Loc) bool {
	if c.Many {
		return false
	}
	for d := range fm.joined {
		if d != c && !fm.unborn(c, l, d, map[*Class]bool{}) {
			return false
		}
	}
	return true
}

// StartedInLoops returns the threads that one statement starts again and again, each with the first of them.
func StartedInLoops(p *ir.Program) map[ir.ThreadID]ir.ThreadID {
	out := map[ir.ThreadID]ir.ThreadID{}
	for _, f := range p.Funcs {
		for i := range f.Edges {
			op := &f.Edges[i].Op
			if op.Kind != ir.Spawn || len(op.Call.Threads) < 2 {
				continue
			}
			for _, t := range op.Call.Threads {
				out[t] = op.Call.Threads[0]
			}
		}
	}
	return out
}
