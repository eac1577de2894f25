package bmc

import (
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
)

// The scan of the program before the encoding. It visits all instructions that can run, and finds
// the cells and the threads that access them, the threads that spawns start, and instructions that
// cannot be encoded.

// scan has what was found.
type scan struct {
	x        *encoder
	ranges   []byteRange
	edges    map[byteRange]*ir.Edge // one that uses it
	buffered map[byteRange]int      // how many stores can be in buffers
	stores   int
	writes   []write
	uses     []use
}

type write struct {
	at byteRange
	by int
}

// use is an access to one of some byte ranges. by is its thread, or several if it is not a plain
// load or store with known addresses.
type use struct {
	at []byteRange
	by int
}

func newScan(x *encoder) *scan {
	return &scan{x: x, buffered: map[byteRange]int{}, edges: map[byteRange]*ir.Edge{}}
}

// run scans the program and sets up cells, threads and the memory abstraction.
func (sv *scan) run() {
	for t := range sv.x.flow.threads {
		sv.thread(t)
	}
	cs, large := newCells(append(sv.ranges, sv.asked()...))
	if large != nil {
		refuse(sv.edges[large.views[len(large.views)-1].byteRange], "bounded model checking does not encode accesses of different sizes that overlap over %d bytes", large.size)
	}
	sv.x.cells = cs
	for _, w := range sv.writes {
		switch c := cs.at[w.at].cell; c.writer {
		case noThread:
			c.writer = w.by
		case w.by:
		default:
			c.writer = several
		}
	}
	sv.setUsers()
	var initial []word
	for _, c := range cs.list {
		for _, view := range c.views {
			c.stores += sv.buffered[view.byteRange]
		}
		initial = append(initial, constWord(sv.x.flow.initialCell(c)))
	}
	if sv.x.opt.Encoding == Order {
		m := newOrderedMemory(sv.x.c, sv.x.model, initial)
		sv.x.order, sv.x.mem = newOrder(sv.x, m), m
		return
	}
	sv.x.seq.mem = sv.pointwise(initial)
	sv.x.mem = sv.x.seq.mem
}

// pointwise returns the memory abstraction for rounds. More times or slots than stores make no
// difference.
func (sv *scan) pointwise(initial []word) pointwise {
	switch clock := min(sv.x.opt.Clock, sv.stores+1); sv.x.model {
	case memory.SC:
		return &scMemory{c: sv.x.c, mem: initial}
	case memory.TSO:
		return newEtso(sv.x.c, clock, sv.x.opt.Queue, initial, sv.x.cells)
	case memory.PSO:
		return epso{newEtso(sv.x.c, clock, sv.x.opt.Queue, initial, sv.x.cells)}
	default:
		panic("BUG: unknown model")
	}
}

// setUsers finds the thread-private cells. An access to such a cell goes to cells of the same
// thread only.
func (sv *scan) setUsers() {
	sv.uses = append(sv.uses, use{sv.asked(), several})
	for changed := true; changed; {
		changed = false
		for _, u := range sv.uses {
			by := u.by
			for _, p := range u.at {
				if c := sv.x.cells.at[p].cell; c.mixed() || c.user != noThread && c.user != by || len(sv.x.flow.blocksAt(p)) > 0 {
					by = several
				}
			}
			for _, p := range u.at {
				c := sv.x.cells.at[p].cell
				changed = changed || c.user != by
				c.user = by
			}
		}
	}
}

// thread scans the locations that a thread can reach.
func (sv *scan) thread(t int) {
	tf := &sv.x.flow.threads[t]
	th := &thread{id: t, f: tf.f, at: make([]*location, len(tf.f.Locs)), result: constWord(0), latest: constWord(0)}
	sv.x.threads = append(sv.x.threads, th)
	inside, err := ir.SectionLocs(tf.f)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	refuseEndless(tf.f, inside)
	for _, l := range tf.order {
		if tf.at == nil || tf.at[l].root == nil {
			continue
		}
		loc := &location{id: l, pos: -1, inner: inside[l], ends: tf.f.Ends(l), stops: low}
		th.at[l] = loc
		th.locs = append(th.locs, loc)
		for index, i := range tf.f.Out(l) {
			e := &tf.f.Edges[i]
			if waitsInside(e) {
				th.locs = append(th.locs, sv.x.addWait(th, loc, index))
			}
			if inside[l] && canWait(&e.Op) {
				sv.x.holds = e
			}
			found := sv.edge(t, e, tf.at[l])
			sv.note(t, e, inside[l], found)
			by := several
			if e.Op.Kind == ir.Load || e.Op.Kind == ir.Store {
				if at := sv.x.flow.ranges(e.Op.Addr, e.Op.Type.Size(), e.Op.Obj, tf.at[l]); !at.wide && len(at.bad) == 0 {
					by = t
				}
			}
			sv.uses = append(sv.uses, use{found, by})
		}
	}
}

// note notes the bytes that an instruction can access, and how.
func (sv *scan) note(t int, e *ir.Edge, inside bool, found []byteRange) {
	sv.ranges = append(sv.ranges, found...)
	for _, p := range found {
		sv.edges[p] = e
	}
	switch e.Op.Kind {
	case ir.Load, ir.Await, ir.AbstractLoad, ir.Barrier, ir.Signal, ir.Broadcast:
		return
	case ir.Free:
		if !inside {
			sv.stores++
		}
	case ir.Lock, ir.TryLock, ir.Unlock, ir.CondWait:
		t = several // what a mutex holds is noThread's newest
	case ir.Store:
		if inside {
			break
		}
		sv.stores++
		for _, p := range found {
			sv.buffered[p]++
		}
	}
	for _, p := range found {
		sv.writes = append(sv.writes, write{p, t})
	}
}

// asked returns the bytes that the questions read.
func (sv *scan) asked() []byteRange {
	var out []byteRange
	add := func(vars []property.Var) {
		for _, v := range vars {
			if v.IsMemory() {
				out = append(out, byteRange{v.Addr, v.Type.Size()})
			}
		}
	}
	for _, g := range sv.x.props.Goals {
		if g.With != nil {
			add(g.With.Vars)
		}
	}
	if sv.x.props.Final != nil {
		add(sv.x.props.Final.Cond.Vars)
	}
	add(sv.x.props.Observe)
	return out
}

// edge returns the bytes that an instruction can access.
func (sv *scan) edge(t int, e *ir.Edge, regs table[values]) []byteRange {
	op := &e.Op
	switch op.Kind {
	case ir.Load, ir.AbstractLoad, ir.Await, ir.Store, ir.RMW:
		return sv.x.flow.ranges(op.Addr, op.Type.Size(), op.Obj, regs).ranges
	case ir.Lock, ir.TryLock, ir.Unlock:
		return sv.x.flow.ranges(op.Addr, wordType.Size(), op.Obj, regs).ranges
	case ir.CondWait, ir.Signal, ir.Broadcast, ir.Barrier:
		return sv.condition(e, regs)
	case ir.Join:
		sv.x.joins = true
	case ir.Spawn:
		sv.spawn(t, e)
	case ir.Nop, ir.Fence, ir.Assign, ir.Havoc, ir.Assume, ir.Assert, ir.Return, ir.ThreadExit, ir.Exit, ir.AtomicBegin, ir.AtomicEnd, ir.Bound, ir.Unsupported, ir.Alloc, ir.Free:
	default:
		refuse(e, "bounded model checking does not encode %s", op.Kind)
	}
	return nil
}

func (sv *scan) spawn(t int, e *ir.Edge) {
	first := e.Op.Call.Threads[0]
	p := sv.x.pools[first]
	if p == nil {
		p = &pool{index: len(sv.x.poolList), spawner: t, size: len(e.Op.Call.Threads)}
		sv.x.poolList = append(sv.x.poolList, p)
	}
	for _, u := range e.Op.Call.Threads {
		if known := sv.x.pools[u]; known == nil {
			sv.x.pools[u] = p
		} else if known != p || p.spawner != t {
			known.shared, p.shared = true, true
		}
	}
}
