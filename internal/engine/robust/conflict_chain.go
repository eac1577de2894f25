package robust

import (
	"encoding/binary"

	"fencepost/internal/ir"
)

// Chains of conflicts, for the filter acyclic (filter.go).

// chains has, for the loads of thread t, the edges of other threads that can come after them.
// These depend only on what conflicts with the load, so loads of one variable share them.
type chains struct {
	fl   *filterer
	t    ir.ThreadID
	keys map[ir.EdgeID]string // by load: what conflicts with it
	edge map[string]map[ir.EdgeID]bool
}

func (fl *filterer) newChains(t ir.ThreadID) *chains {
	return &chains{fl: fl, t: t, keys: map[ir.EdgeID]string{}, edge: map[string]map[ir.EdgeID]bool{}}
}

// after returns the edges of other threads that can come after a load. It must not be used once
// the time is over.
func (c *chains) after(l *ir.Edge) map[ir.EdgeID]bool {
	key, ok := c.keys[l.ID]
	if !ok {
		var ids []byte
		for _, g := range c.fl.conflict[l.ID] {
			ids = binary.AppendUvarint(ids, uint64(g.ID))
		}
		key = string(ids)
		c.keys[l.ID] = key
	}
	edges, ok := c.edge[key]
	if !ok {
		edges = c.fl.chain(c.t, l)
		c.edge[key] = edges
	}
	return edges
}

// chain finds the edges of other threads that can come after a load of thread t.
func (fl *filterer) chain(t ir.ThreadID, l *ir.Edge) map[ir.EdgeID]bool {
	c := &chainer{fl: fl, t: int(t), edges: map[ir.EdgeID]bool{}, node: map[[2]int]bool{}, loc: map[[2]int]bool{}}
	c.conflicts(-1, l.ID)
	for len(c.work) > 0 {
		n := c.work[len(c.work)-1]
		c.work = c.work[:len(c.work)-1]
		if fl.over(1) {
			break
		}
		f := fl.p.ThreadFunc(ir.ThreadID(n[0]))
		e := &f.Edges[n[1]]
		c.edges[e.ID] = true
		c.conflicts(n[0], e.ID)
		c.from(n[0], e.To)
		if fl.inside(f)[e.From] {
			c.section(n[0], f, e.From)
		}
		for _, u := range e.Op.Call.Threads {
			c.from(int(u), fl.p.ThreadFunc(u).Entry)
		}
		c.joins()
	}
	return c.edges
}

// chainer collects the edges that can come after a load. Nodes are a thread and the index
// of an edge of it.
type chainer struct {
	fl     *filterer
	t      int
	work   [][2]int
	edges  map[ir.EdgeID]bool
	node   map[[2]int]bool
	loc    map[[2]int]bool
	joined bool
}

func (c *chainer) add(thread, edge int) {
	if n := [2]int{thread, edge}; thread != c.t && !c.node[n] {
		c.node[n] = true
		c.work = append(c.work, n)
	}
}

// conflicts adds what conflicts with an edge in threads other than its own.
func (c *chainer) conflicts(thread int, e ir.EdgeID) {
	if c.fl.over(len(c.fl.conflict[e])) {
		return
	}
	for _, g := range c.fl.conflict[e] {
		for _, u := range c.fl.threads[g.ID] {
			if u != thread {
				c.add(u, int(c.fl.index[g.ID]))
			}
		}
	}
}

// from adds all that a thread can do from a location on.
func (c *chainer) from(thread int, l ir.Loc) {
	if at := [2]int{thread, int(l)}; thread != c.t && !c.loc[at] {
		c.loc[at] = true
		for _, i := range c.fl.p.ThreadFunc(ir.ThreadID(thread)).Out(l) {
			c.add(thread, int(i))
		}
	}
}

// joins adds all joins: whom they join is not looked at.
func (c *chainer) joins() {
	if c.joined {
		return
	}
	c.joined = true
	for u := range c.fl.p.Threads {
		f := c.fl.p.ThreadFunc(ir.ThreadID(u))
		for i := range f.Edges {
			if f.Edges[i].Op.Kind == ir.Join {
				c.add(u, i)
			}
		}
	}
}

// section adds the edges of the section around a location: all of the section comes after the
// load if a part of it does.
func (c *chainer) section(thread int, f *ir.Func, l ir.Loc) {
	inside := c.fl.inside(f)
	for work := []ir.Loc{l}; len(work) > 0; {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		for i := range f.Edges {
			e := &f.Edges[i]
			if e.To == at && inside[e.From] && !c.loc[[2]int{thread, int(e.From)}] {
				c.from(thread, e.From)
				work = append(work, e.From)
			}
		}
	}
}

// inside is the locations of a function that lie inside a section.
func (fl *filterer) inside(f *ir.Func) []bool {
	in, ok := fl.sections[f]
	if !ok {
		var err error
		if in, err = ir.SectionLocs(f); err != nil {
			panic("BUG: " + err.Error())
		}
		fl.sections[f] = in
	}
	return in
}
