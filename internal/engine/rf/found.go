package rf

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/verdict"
)

// The findings of a portion, as plain data that can be stored and added up. The sum over all portions of an exploration
// equals the findings of one run.

// Found has counts, violations and coverage.
type Found struct {
	engine.Ends
	Void        int64       `json:",omitempty"` // see counts
	Graphs      int64       // that were visited
	Depth       int         // operations and updates of the longest execution
	Bytes       int64       // the most that a portion kept
	Fingerprint Fingerprint // of the classes
	Part        float64     // what part of the whole exploration this is expected to be

	Covered    []int          `json:",omitempty"` // edges that were executed, as memory.System numbers them
	Bounds     []int          `json:",omitempty"` // edges at which a bound was met
	Cuts       []Cut          `json:",omitempty"` // loops that were cut off
	Violations []KeyViolation `json:",omitempty"`
	Finals     []string       `json:",omitempty"`
	Cells      []Span         `json:",omitempty"` // the partition of memory

	// Stopped says that the exploration is over, at a violation or because of Unknown.
	Stopped bool   `json:",omitempty"`
	Unknown string `json:",omitempty"`
	// Torn says that an access has split a cell: the whole exploration is void, and starts again with Cells.
	Torn bool `json:",omitempty"`
}

// Cut is a loop that was cut off at an edge.
type Cut struct {
	Edge  ir.EdgeID
	Name  string
	Value int
}

// KeyViolation is a violation with its key: violations with one key are the same.
type KeyViolation struct {
	Key string
	engine.Violation
}

// Span is a range of bytes.
type Span struct {
	Addr uint64
	Size int
}

// found returns what a worker has found.
func (x *exploration) found() *Found {
	c := &x.out.counts
	f := &Found{
		Ends: c.Ends, Void: c.void, Graphs: c.graphs, Depth: c.depth, Bytes: x.most, Fingerprint: c.sum, Part: x.explored,
		Finals: slices.Sorted(maps.Keys(x.out.Finals)), Stopped: x.out.Stopped, Unknown: x.out.Result.Unknown,
	}
	s := x.run.m.State
	x.task.groups.Exchange(x.run.m.Sys, s)
	for i := range s.Covered {
		if s.Covered[i] {
			f.Covered = append(f.Covered, i)
		}
		if s.Bounds[i] {
			f.Bounds = append(f.Bounds, i)
		}
	}
	for id, cut := range x.run.m.Cuts {
		f.Cuts = append(f.Cuts, Cut{id, cut.Name, cut.Value})
	}
	f.sort()
	for i, key := range x.out.Keys() {
		f.Violations = append(f.Violations, KeyViolation{key, x.out.Result.Violations[i]})
	}
	return f
}

// sort orders the lists that are sets.
func (f *Found) sort() {
	slices.SortFunc(f.Cuts, func(a, b Cut) int {
		return cmp.Or(cmp.Compare(a.Edge, b.Edge), cmp.Compare(a.Value, b.Value))
	})
	f.Cuts = slices.CompactFunc(f.Cuts, func(a, b Cut) bool { return a.Edge == b.Edge })
	for _, set := range []*[]int{&f.Covered, &f.Bounds} {
		slices.Sort(*set)
		*set = slices.Compact(*set)
	}
	slices.Sort(f.Finals)
	f.Finals = slices.Compact(f.Finals)
}

// Add adds what another portion of the same exploration has found. If the two have partitions of memory that do not
// fit together, the sum is torn.
func (f *Found) Add(o *Found) {
	f.Ends.Add(&o.Ends)
	f.Void += o.Void
	f.Graphs += o.Graphs
	f.Depth, f.Bytes = max(f.Depth, o.Depth), max(f.Bytes, o.Bytes)
	f.Fingerprint.add(o.Fingerprint)
	f.Part += o.Part
	f.Covered, f.Bounds, f.Cuts = slices.Concat(f.Covered, o.Covered), slices.Concat(f.Bounds, o.Bounds), slices.Concat(f.Cuts, o.Cuts)
	f.Finals = slices.Concat(f.Finals, o.Finals)
	f.sort()
	for _, v := range o.Violations {
		if !slices.ContainsFunc(f.Violations, func(w KeyViolation) bool { return v.Key == w.Key }) {
			f.Violations = append(f.Violations, v)
		}
	}
	f.Stopped = f.Stopped || o.Stopped
	f.Unknown = cmp.Or(f.Unknown, o.Unknown)
	cells, torn := join(f.Cells, o.Cells)
	f.Cells = cells
	if f.Torn = f.Torn || o.Torn || torn; f.Torn {
		*f = Found{Cells: cells, Torn: true}
	}
}

// Uncount takes the counts away: the executions are counted elsewhere.
func (f *Found) Uncount() {
	f.Ends, f.Void, f.Graphs, f.Fingerprint, f.Part = engine.Ends{}, 0, 0, Fingerprint{}, 0
}

// join returns the coarsest partition that is finer than two, and whether it is finer than one of them where that has
// cells.
func join(a, b []Span) ([]Span, bool) {
	cs := newCells()
	for _, s := range slices.Concat(a, b) {
		cs.of(s.Addr, s.Size)
	}
	torn := false
	for _, s := range slices.Concat(a, b) {
		torn = torn || len(cs.of(s.Addr, s.Size)) != 1
	}
	return cs.sorted(), torn
}

// sorted returns the cells in the order of their addresses.
func (cs *cells) sorted() []Span {
	var out []Span
	for _, s := range cs.spans() {
		out = append(out, Span{s.addr, s.size})
	}
	slices.SortFunc(out, func(a, b Span) int { return cmp.Compare(a.Addr, b.Addr) })
	return out
}

// spans returns the cells by their numbers.
func (cs *cells) spans() []span {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return slices.Clone(cs.list)
}

// outcome writes the coverage, the bounds that were met, statistics and final states into out.
func (f *Found) outcome(y *memory.System, out *engine.Outcome) error {
	s := y.NewState()
	for _, set := range []struct {
		from []int
		to   []bool
	}{{f.Covered, s.Covered}, {f.Bounds, s.Bounds}} {
		for _, i := range set.from {
			if i < 0 || i >= len(set.to) {
				return fmt.Errorf("edge %d does not exist", i)
			}
			set.to[i] = true
		}
	}
	out.AddReached(y, s)
	edges := map[ir.EdgeID]*ir.Edge{}
	for _, e := range y.Edges() {
		edges[e.ID] = e
	}
	for _, c := range f.Cuts {
		e := edges[c.Edge]
		if e == nil {
			return fmt.Errorf("edge %d does not exist", c.Edge)
		}
		out.Coverage.Bounds = append(out.Coverage.Bounds, verdict.Bound{Name: c.Name, Value: c.Value, Hit: true, Pos: engine.Pos(e)})
	}
	with := engine.NewFindings(true)
	with.Stopped = f.Stopped
	for _, s := range f.Finals {
		with.Finals[s] = true
	}
	out.AddEnds(&f.Ends, &with)
	out.Stats.Transitions = f.Graphs
	out.Stats.Depth = f.Depth
	out.Stats.Bytes = f.Bytes
	if !f.Stopped {
		out.Stats.Fingerprint = f.Fingerprint.String()
	}
	return nil
}
