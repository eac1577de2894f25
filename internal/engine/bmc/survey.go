package bmc

import (
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
)

// The survey before the encoding: all instructions that can run are looked at once, for
// which cells there are and who writes them, which threads are started by whom, and
// what cannot be encoded.

// survey is what was found.
type survey struct {
	places   []place
	edges    map[place]*ir.Edge // one that touches it
	buffered map[place]int      // stores that can wait
	stores   int
	writes   []write
	touches  []touch
}

type write struct {
	at place
	by int
}

// touch is an access, by nobody in particular if it is more than a plain load or store of
// known cells.
type touch struct {
	at []place
	by int
}

func (x *encoder) survey() {
	v := &survey{buffered: map[place]int{}, edges: map[place]*ir.Edge{}}
	for t := range x.flow.threads {
		x.surveyThread(v, t)
	}
	cs, large := newCells(append(v.places, x.asked()...))
	if large != nil {
		refuse(v.edges[large.views[len(large.views)-1].place], "bounded model checking does not encode accesses of different sizes that overlap over %d bytes", large.size)
	}
	x.cells = cs
	for _, w := range v.writes {
		switch c := cs.at[w.at].cell; c.writer {
		case nobody:
			c.writer = w.by
		case w.by:
		default:
			c.writer = several
		}
	}
	x.setUsers(v)
	var initial []word
	for i, c := range cs.list {
		for _, view := range c.views {
			c.stores += v.buffered[view.place]
		}
		initial = append(initial, constWord(x.initial(c)))
		c.mine = i
	}
	// More times than stores, or more room than there are stores, are of no use.
	switch clock := min(x.opt.Clock, v.stores+1); x.model {
	case memory.SC:
		x.mem = &scMemory{c: x.circuit, mem: initial}
	case memory.TSO:
		x.mem = newEtso(x.circuit, clock, x.opt.Queue, initial, cs)
	case memory.PSO:
		x.mem = epso{newEtso(x.circuit, clock, x.opt.Queue, initial, cs)}
	default:
		panic("BUG: unknown model")
	}
}

// setUsers finds the cells that are their thread's own business. All accesses of such
// a cell are to such cells only.
func (x *encoder) setUsers(v *survey) {
	v.touches = append(v.touches, touch{x.asked(), several})
	for changed := true; changed; {
		changed = false
		for _, u := range v.touches {
			by := u.by
			for _, p := range u.at {
				if c := x.cells.at[p].cell; c.mixed() || c.user != nobody && c.user != by || len(x.flow.blocksAt(p)) > 0 {
					by = several
				}
			}
			for _, p := range u.at {
				c := x.cells.at[p].cell
				changed = changed || c.user != by
				c.user = by
			}
		}
	}
}

// surveyThread finds the locations a thread can come to.
func (x *encoder) surveyThread(v *survey, t int) {
	tf := &x.flow.threads[t]
	th := &thread{id: t, f: tf.f, at: make([]*location, len(tf.f.Locs)), result: constWord(0), latest: constWord(0)}
	x.threads = append(x.threads, th)
	inside, err := ir.SectionLocs(tf.f)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	refuseEndless(tf.f, inside)
	for _, l := range tf.order {
		if tf.at == nil || tf.at[l] == nil {
			continue
		}
		loc := &location{id: l, pos: -1, inner: inside[l], ends: tf.f.Ends(l), stops: low}
		th.at[l] = loc
		th.locs = append(th.locs, loc)
		for index, i := range tf.f.Out(l) {
			e := &tf.f.Edges[i]
			if waitsInside(e) {
				th.locs = append(th.locs, x.addWait(th, loc, index))
			}
			if inside[l] && canWait(&e.Op) {
				x.holds = e
			}
			found := x.surveyEdge(t, e, tf.at[l])
			v.note(t, e, inside[l], found)
			by := several
			if e.Op.Kind == ir.Load || e.Op.Kind == ir.Store {
				if at := x.flow.places(e.Op.Addr, e.Op.Type.Size(), e.Op.Obj, tf.at[l]); !at.wide && len(at.bad) == 0 {
					by = t
				}
			}
			v.touches = append(v.touches, touch{found, by})
		}
	}
}

// note keeps the places an instruction can touch, and what it does to them.
func (v *survey) note(t int, e *ir.Edge, inside bool, found []place) {
	v.places = append(v.places, found...)
	for _, p := range found {
		v.edges[p] = e
	}
	switch e.Op.Kind {
	case ir.Load, ir.Await, ir.AbstractLoad, ir.Barrier, ir.Signal, ir.Broadcast:
		return
	case ir.Free:
		if !inside {
			v.stores++
		}
	case ir.Lock, ir.TryLock, ir.Unlock, ir.CondWait:
		t = several // what a mutex holds is nobody's own
	case ir.Store:
		if inside {
			break
		}
		v.stores++
		for _, p := range found {
			v.buffered[p]++
		}
	}
	for _, p := range found {
		v.writes = append(v.writes, write{p, t})
	}
}

// initial is what a cell holds at first. It may be larger than an object, where
// views overlap at its end.
func (x *encoder) initial(c *cell) int64 {
	var v uint64
	for i := range c.size {
		v |= uint64(uint8(x.flow.initial(place{c.addr + uint64(i), 1}))) << (8 * i)
	}
	return c.typ().Wrap(int64(v))
}

// asked is the places that the questions look at.
func (x *encoder) asked() []place {
	var out []place
	add := func(vars []property.Var) {
		for _, v := range vars {
			if v.IsMemory() {
				out = append(out, place{v.Addr, v.Type.Size()})
			}
		}
	}
	for _, g := range x.props.Goals {
		if g.With != nil {
			add(g.With.Vars)
		}
	}
	if x.props.Final != nil {
		add(x.props.Final.Cond.Vars)
	}
	add(x.props.Observe)
	return out
}

// surveyEdge is the places an instruction can touch.
func (x *encoder) surveyEdge(t int, e *ir.Edge, regs []values) []place {
	op := &e.Op
	switch op.Kind {
	case ir.Load, ir.AbstractLoad, ir.Await, ir.Store, ir.RMW:
		return x.flow.places(op.Addr, op.Type.Size(), op.Obj, regs).places
	case ir.Lock, ir.TryLock, ir.Unlock:
		return x.flow.places(op.Addr, wordType.Size(), op.Obj, regs).places
	case ir.CondWait, ir.Signal, ir.Broadcast, ir.Barrier:
		return x.surveyCondition(e, regs)
	case ir.Join:
		x.joins = true
	case ir.Spawn:
		x.surveySpawn(t, e)
	case ir.Nop, ir.Fence, ir.Assign, ir.Havoc, ir.Assume, ir.Assert, ir.Return, ir.ThreadExit, ir.Exit, ir.AtomicBegin, ir.AtomicEnd, ir.Bound, ir.Alloc, ir.Free:
	default:
		refuse(e, "bounded model checking does not encode %s", op.Kind)
	}
	return nil
}

func (x *encoder) surveySpawn(t int, e *ir.Edge) {
	first := e.Op.Threads[0]
	p := x.pools[first]
	if p == nil {
		p = &pool{index: len(x.poolList), spawner: t, size: len(e.Op.Threads)}
		x.poolList = append(x.poolList, p)
	}
	for _, u := range e.Op.Threads {
		if known := x.pools[u]; known == nil {
			x.pools[u] = p
		} else if known != p || p.spawner != t {
			known.shared, p.shared = true, true
		}
	}
}
