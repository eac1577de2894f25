package transform

import (
	"encoding/binary"
	"fmt"
	"slices"
	"unsafe"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// Unrolling. The idea: a location is copied for every combination of iteration
// numbers of the loops around it, so that no path comes back to a location.
//
// Loops are found as a nest of strongly connected components. A component with a cycle is
// a loop. One of its locations is its head, if possible one that is entered from outside.
// Without the head the component falls apart into smaller components, which are the inner
// loops. Every cycle goes through the head of the innermost loop that contains all of it,
// so it suffices to count the arrivals at heads, for automata of any shape.
//
// Entering a loop sets its count to 1, coming back to the head adds 1, and leaving the
// loop drops the count. A loop that tests before its body comes to its head once
// more than the body runs, so k+1 arrivals are allowed. The next one ends in a
// Bound edge, which engines report as a bound that was hit. So every execution whose
// bodies run at most k times per entry is kept whole. A loop that tests after its body
// may run one round more. A loop whose number of rounds constants decide
// (analysis.LoopRounds) gets as many copies as it needs, fewer or more than k, and no Bound edge is reached.
//
// Locations and edges keep their ids: the first copy of a location is the location
// itself, and further copies are appended, with the names L#2, L#3 and so on.

// unrollBound is the name under which engines report the bound.
const unrollBound = "unroll"

// maxUnrolled is the largest number of edges of an unrolled automaton.
const maxUnrolled = 1 << 18

// Unroll returns a flat program in which every loop is bounded: it has the executions in
// which each body whose number of rounds is not known runs at most k times per entry, and cuts off longer ones. The returned
// properties also name the copies of the locations in props. Unroll returns a program
// without loops unchanged, with props. If stop is not nil, Unroll calls it now and then with
// the memory that the copies use, and returns an error that stop returns.
func Unroll(p *ir.Program, props *property.Set, k int, stop func(bytes int64) error) (*ir.Program, *property.Set, error) {
	out, asked, _, err := unroll(p, props, k, stop)
	return out, asked, err
}

// UnrollOf does the same as Unroll. It also returns, by edge id, the edge of p of which an
// edge is a copy, or NoEdge for an edge that cuts off executions.
func UnrollOf(p *ir.Program, props *property.Set, k int) (*ir.Program, *property.Set, []ir.EdgeID, error) {
	return unroll(p, props, k, nil)
}

func unroll(p *ir.Program, props *property.Set, k int, stop func(bytes int64) error) (*ir.Program, *property.Set, []ir.EdgeID, error) {
	if p.Form != ir.Flat {
		panic("BUG: only flat programs can be unrolled")
	}
	out := *p
	out.Funcs = slices.Clone(p.Funcs)
	copies := make([][][]ir.Loc, len(p.Funcs)) // by function and location
	changed := false
	var of []ir.EdgeID
	for id := range p.NextEdge {
		of = append(of, id)
	}
	for i, f := range p.Funcs {
		n := analysis.NewLoops(f)
		if len(n.Heads) == 0 {
			continue
		}
		u := newUnroller(&out, f, n, max(1, k))
		u.arrivals = arrivals(p, f, n, u.k)
		u.of, u.stop = of, stop
		if err := u.run(); err != nil {
			return nil, nil, nil, err
		}
		of = u.of
		out.Funcs[i], copies[i], changed = u.f, u.copies, true
	}
	if !changed {
		return p, props, of, nil
	}
	out.Seal()
	if errs := ir.Verify(&out); len(errs) > 0 {
		panic(fmt.Sprintf("BUG: unrolling broke the program: %v", errs[0]))
	}
	return &out, withCopies(p, props, copies), of, nil
}

// withCopies returns properties whose goals also hold at the copies of their locations.
func withCopies(p *ir.Program, props *property.Set, copies [][][]ir.Loc) *property.Set {
	out := *props
	out.Goals = slices.Clone(props.Goals)
	for i := range out.Goals {
		g := &out.Goals[i]
		g.At = slices.Clone(g.At)
		for j := range g.At {
			at := &g.At[j]
			of := copies[p.Threads[at.Thread].Func]
			if of == nil {
				continue
			}
			locs := slices.Clone(at.Locs)
			for _, l := range at.Locs {
				locs = append(locs, of[l]...)
			}
			at.Locs = locs
		}
	}
	return &out
}

// Arrivals returns, by loop of a function of p, how often Unroll lets a path come to its head for each time that it
// enters the loop.
func Arrivals(p *ir.Program, f *ir.Func, k int) []int { return arrivals(p, f, analysis.NewLoops(f), k) }

// unroller builds the unrolled automaton of one function.
type unroller struct {
	out  *ir.Program // for new edge ids
	src  *ir.Func
	nest *analysis.Loops
	k    int
	// arrivals has, by loop, how often its head may be come to for each time that the loop is entered.
	arrivals []int

	f      *ir.Func
	copies [][]ir.Loc              // by location of src: its copies, without itself
	seen   map[string]ir.Loc       // copies by location and counts
	met    []bool                  // by location of src: whether it has a copy
	names  map[string]int          // by name of a location: 0 if free, else the next suffix to try
	work   []node                  // copies whose edges are not yet made
	of     []ir.EdgeID             // by edge id: the edge it is a copy of
	cuts   map[ir.EdgeID]ir.Loc    // by edge: the end of paths that take it once too often
	end    ir.Loc                  // the target of all Bound edges; -1: not made yet
	stop   func(bytes int64) error // called now and then, nil: never
}

// unrolledBytes is the memory of an edge and of the location that it leads to, with their names.
const unrolledBytes = int64(unsafe.Sizeof(ir.Edge{})+unsafe.Sizeof(ir.Location{})) + 64

// node is a copy of a location.
type node struct {
	at     ir.Loc // the copy, in the new automaton
	of     ir.Loc // the location, in the old one
	counts []int  // iterations of the loops around it
}

func newUnroller(out *ir.Program, f *ir.Func, n *analysis.Loops, k int) *unroller {
	c := &ir.Func{
		Name: f.Name, Regs: f.Regs, Params: f.Params, Entry: f.Entry, Pos: f.Pos, Pointer: f.Pointer,
		Locs: slices.Clone(f.Locs), Edges: slices.Clone(f.Edges),
	}
	u := &unroller{
		out: out, src: f, nest: n, k: k, f: c,
		copies: make([][]ir.Loc, len(f.Locs)), met: make([]bool, len(f.Locs)),
		seen: map[string]ir.Loc{}, names: map[string]int{}, cuts: map[ir.EdgeID]ir.Loc{}, end: -1,
	}
	for _, l := range f.Locs {
		u.names[l.Name] = 1
	}
	return u
}

// arrivals returns, by loop, how often its head may be come to: as often as constants say, else k+1 times.
func arrivals(p *ir.Program, f *ir.Func, n *analysis.Loops, k int) []int {
	rounds := analysis.LoopRounds(p, f)
	out := make([]int, len(n.Heads))
	for loop := range out {
		known, ok := rounds(n.Heads[loop], n.Members[loop])
		if out[loop] = known; !ok {
			out[loop] = k + 1
		}
	}
	return out
}

func (u *unroller) run() error {
	counts := make([]int, len(u.nest.Around[u.src.Entry]))
	for i := range counts {
		counts[i] = 1
	}
	u.node(u.src.Entry, counts)
	for made := 0; len(u.work) > 0; made++ {
		if made%checkInterval == 0 && u.stop != nil {
			if err := u.stop(int64(u.out.NextEdge) * unrolledBytes); err != nil {
				return err
			}
		}
		n := u.work[0]
		u.work = u.work[1:]
		for _, i := range u.src.Out(n.of) {
			u.edge(n, int(i))
		}
		if len(u.f.Edges) > maxUnrolled {
			return fmt.Errorf("%s has more than %d instructions after unrolling its loops %d times", u.src.Name, maxUnrolled, u.k)
		}
	}
	return nil
}

// edge makes the copy of edge i that leaves a copy of its location.
func (u *unroller) edge(n node, i int) {
	e := u.src.Edges[i]
	to, fits := u.target(n, &e)
	if !fits {
		to = u.cut(&e)
	}
	if n.at == n.of {
		u.f.Edges[i].To = to
		return
	}
	of := e.ID
	e.From, e.To, e.Pass = n.at, to, unrollBound
	u.add(e, of)
}

func (u *unroller) add(e ir.Edge, of ir.EdgeID) {
	e.ID = u.out.NextEdge
	u.out.NextEdge++
	u.of = append(u.of, of)
	u.f.Edges = append(u.f.Edges, e)
}

// target returns the copy to which an edge leads from a node, or false if the edge would
// begin an iteration too many.
func (u *unroller) target(n node, e *ir.Edge) (ir.Loc, bool) {
	from, to := u.nest.Around[e.From], u.nest.Around[e.To]
	counts := make([]int, len(to))
	for i, loop := range to {
		if i >= len(from) || from[i] != loop {
			counts[i] = 1
			continue
		}
		counts[i] = n.counts[i]
		if u.nest.Heads[loop] == e.To && !e.Op.Terminal() {
			if counts[i]++; counts[i] > u.arrivals[loop] {
				return 0, false
			}
		}
	}
	return u.node(e.To, counts), true
}

// node returns the copy of a location for the given counts.
func (u *unroller) node(of ir.Loc, counts []int) ir.Loc {
	key := binary.AppendUvarint(nil, uint64(of))
	for _, n := range counts {
		key = binary.AppendUvarint(key, uint64(n))
	}
	if at, ok := u.seen[string(key)]; ok {
		return at
	}
	at := of
	if u.met[of] {
		at = u.loc(u.src.Locs[of].Name, of)
		u.copies[of] = append(u.copies[of], at)
	}
	u.met[of] = true
	u.seen[string(key)] = at
	u.work = append(u.work, node{at: at, of: of, counts: counts})
	return at
}

// loc adds a location with a name and the position of another one.
func (u *unroller) loc(name string, like ir.Loc) ir.Loc {
	try := name
	for n := max(2, u.names[name]); u.names[try] > 0; n++ {
		try = fmt.Sprintf("%s#%d", name, n)
		u.names[name] = n + 1
	}
	u.names[try] = 1
	u.f.Locs = append(u.f.Locs, ir.Location{Name: try, Pos: u.src.Locs[like].Pos})
	return ir.Loc(len(u.f.Locs) - 1)
}

// cut returns the target of an edge that would begin an iteration too many. The edge
// itself is still taken: the bound is hit only if the edge can be taken.
func (u *unroller) cut(e *ir.Edge) ir.Loc {
	at, ok := u.cuts[e.ID]
	if ok {
		return at
	}
	if u.end < 0 {
		u.end = u.loc("unroll.end", u.src.Entry)
	}
	at = u.loc("unroll.cut", e.To)
	u.cuts[e.ID] = at
	bound := ir.NewOp(ir.Bound)
	bound.Report.Msg, bound.Val = unrollBound, ir.Int(int64(u.k))
	u.add(ir.Edge{Origin: e.Origin, From: at, To: u.end, Op: bound, Pos: e.Pos, Pass: unrollBound, Stack: e.Stack}, ir.NoEdge)
	return at
}
