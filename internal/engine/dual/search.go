package dual

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"fencepost/internal/budget"
	"fencepost/query"
)

// The search. It keeps minimal elements: a configuration that a known one covers adds nothing. A
// configuration can only be covered by one with the same states of threads and the same cells in
// their own messages, except for threads that are in any state. So elements are found by a key of
// these, once for every set of threads that are in any state in some element.

// element is a configuration from which a bad state is reachable.
type element struct {
	*config
	parent  int32 // the element that step leads to, or anything
	step    step
	target  int32
	covered bool
}

// search is a backward search.
type search struct {
	ctx      context.Context
	m        *model
	targets  []target
	elements []element
	queue    []int32
	index    map[string][]int32
	opens    []uint64 // sets of threads in any state that occur
	buf      []byte
	found    int32 // an element with an initial state, or anything
	tried    int64
	counted  int64 // of tried, as work
	parts    int64 // of configurations that were tried since then
	bytes    int64
	stop     error
}

// errLimit says that a limit of the task was met; the text is the reason.
type errLimit string

func (e errLimit) Error() string { return string(e) }

// search searches until a target is reachable or nothing is new.
func (m *model) search(ctx context.Context, targets []target) *search {
	s := &search{ctx: ctx, m: m, targets: targets, index: map[string][]int32{}, found: anything}
	for i := range s.targets {
		s.add(s.targets[i].config, element{parent: anything, target: int32(i)})
	}
	for len(s.queue) > 0 && s.found == anything && s.stop == nil {
		id := s.queue[0]
		s.queue = s.queue[1:]
		if s.elements[id].covered {
			continue
		}
		e := s.elements[id]
		if !m.predecessors(e.config, func(c *config, st step) {
			if m.opt.Late && st.kind == propagate && !m.late(&e, &st) {
				return
			}
			s.add(c, element{parent: id, step: st, target: e.target})
		}, s.work) {
			break
		}
		s.work()
	}
	return s
}

// late reports whether a message is propagated as late as possible: the step that follows in the path is one of
// the same thread, or changes the cell. Otherwise the two can be exchanged, and the search finds the
// propagation after the step. Propagations to different threads are never left out for each other, or both would be
// missing.
func (m *model) late(e *element, st *step) bool {
	if e.parent == anything || len(e.of) > 0 { // instances are sorted: a step does not name one
		return true
	}
	next := &e.step
	if next.thread == st.thread || next.kind == propagate {
		return true
	}
	th := m.threads[next.thread]
	changes := func(i int32) bool {
		if i == leave {
			return false
		}
		tr := &th.trans[i]
		return tr.kind == write && tr.cell == st.cell || tr.kind == exclusive && slices.ContainsFunc(tr.accesses, func(a access) bool { return a.cell == st.cell && a.new != a.old })
	}
	switch next.kind {
	case single:
		return changes(next.trans) || th.trans[next.trans].other == st.thread+1
	case burst:
		return slices.ContainsFunc(next.steps, func(s small) bool { return changes(s.trans) })
	default:
		return false
	}
}

// What a step back costs, as work.
const (
	undoCost = budget.Microsecond
	addCost  = budget.Microsecond // of a configuration that is compared with the known ones
	partCost = 150                // of a thread, a cell or a message of it: it is copied and compared
)

// work counts a unit of work. It returns false if the search must end.
func (s *search) work() bool {
	if s.stop != nil {
		return false
	}
	limits := &s.m.task.Limits
	switch {
	case limits.States > 0 && int64(len(s.elements)) > limits.States:
		s.stop = errLimit(fmt.Sprintf("limit of %d states reached", limits.States))
	case limits.MemoryLimit() > 0 && s.bytes > limits.MemoryLimit():
		s.stop = errLimit(fmt.Sprintf("memory limit of %s reached with %d elements", limits.MemoryText(), len(s.elements)))
	default:
		cost := undoCost + addCost*(s.tried-s.counted) + partCost*s.parts
		s.counted, s.parts = s.tried, 0
		if err := budget.Spend(s.ctx, cost); err != nil {
			why := "time limit reached"
			if errors.Is(err, context.Canceled) {
				why = "interrupted"
			}
			s.stop = errLimit(fmt.Sprintf("%s with %d elements", why, len(s.elements)))
		}
	}
	if p := s.m.task.Progress; p != nil && s.tried&0xfff == 0 {
		p(query.Progress{States: int64(len(s.elements)), Waiting: int64(len(s.queue))})
	}
	return s.stop == nil
}

// add adds a configuration, unless it is not reachable or a known one covers it.
func (s *search) add(c *config, e element) {
	s.tried++
	s.parts += int64(len(c.at) + len(c.mem) + c.messages())
	if s.found != anything || s.stop != nil || !s.m.possible(c) {
		return
	}
	if len(c.of) > maxInstances {
		s.stop = errInstances
		return
	}
	c.sort()
	open := c.open()
	if s.knows(c, open) {
		return
	}
	if !s.knowsOpen(open) {
		s.opens = append(s.opens, open)
	}
	s.buf = c.key(s.buf, open)
	bucket := s.index[string(s.buf)]
	keep := bucket[:0]
	for _, id := range bucket {
		if c.covers(s.elements[id].config) {
			s.elements[id].covered = true
		} else {
			keep = append(keep, id)
		}
	}
	id := int32(len(s.elements))
	e.config = c
	s.elements = append(s.elements, e)
	s.index[string(s.buf)] = append(keep, id)
	s.bytes += int64(160 + 8*len(c.at) + 4*len(c.mem) + 24*len(c.bufs) + 4*c.messages())
	if s.m.starts(c) {
		s.found = id
		return
	}
	s.queue = append(s.queue, id)
}

// knows reports whether an element covers c.
func (s *search) knows(c *config, open uint64) bool {
	fixed := c.fixed()
	for _, o := range s.opens {
		if o&open != open {
			continue
		}
		for some := range uint64(1) << len(c.of) { // an element may have fewer instances
			s.buf = c.key(s.buf, o|some<<fixed)
			for _, id := range s.index[string(s.buf)] {
				if s.elements[id].covers(c) {
					return true
				}
			}
		}
	}
	return false
}

func (s *search) knowsOpen(open uint64) bool {
	for _, o := range s.opens {
		if o == open {
			return true
		}
	}
	return false
}

// starts reports whether an initial state is one of c.
func (m *model) starts(c *config) bool {
	for p, s := range c.at {
		if s != anything && (s != m.threadOf(c, p).init || len(c.bufs[p]) > 0) {
			return false
		}
	}
	for i, v := range c.mem {
		if v != anything && v != m.initial[i] {
			return false
		}
	}
	return true
}

// possible reports whether a configuration may have reachable states.
func (m *model) possible(c *config) bool {
	for p, s := range c.at {
		if s == anything {
			continue
		}
		if !m.threadOf(c, p).waits[s].allows(c.bufs[p]) {
			return false
		}
	}
	return m.related(c)
}
