package transform

import (
	"fmt"
	"slices"

	"fencepost/internal/digraph"
	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// The call graph. Functions that can call each other in a cycle form a component. Recursion is
// bounded per component: in a chain of calls inside one component, the calls of functions that
// are in the chain already are counted. A function that calls itself is thus bounded as the
// user expects, and a cycle through many functions does not multiply their bounds.

// callGraph has the calls between functions.
type callGraph struct {
	p         *ir.Program
	calls     [][]callSite // by function
	component []int32      // by function
	cyclic    []bool       // by component: it has a cycle
	ends      *endings
	wholes    map[ir.FuncID]float64
}

// callSite is an instruction and the functions that it may call.
type callSite struct {
	edge    *ir.Edge
	targets []ir.FuncID
}

func newCallGraph(p *ir.Program, through map[ir.EdgeID][]ir.FuncID) *callGraph {
	g := newCalls(p, through)
	g.ends = newEndings(g)
	return g
}

// newCalls makes a call graph that does not know which functions end the program.
func newCalls(p *ir.Program, through map[ir.EdgeID][]ir.FuncID) *callGraph {
	g := &callGraph{p: p, calls: make([][]callSite, len(p.Funcs))}
	for id, f := range p.Funcs {
		for i := range f.Edges {
			e := &f.Edges[i]
			switch {
			case e.Op.Kind != ir.Call:
			case e.Op.Call.Func != ir.NoFunc:
				g.calls[id] = append(g.calls[id], callSite{e, []ir.FuncID{e.Op.Call.Func}})
			default:
				g.calls[id] = append(g.calls[id], callSite{e, through[e.ID]})
			}
		}
	}
	callees := make([][]ir.FuncID, len(p.Funcs))
	for f, calls := range g.calls {
		for _, c := range calls {
			callees[f] = append(callees[f], c.targets...)
		}
	}
	var count int
	g.component, count = digraph.Components(len(p.Funcs), func(f, i int) (int, bool) {
		if i == len(callees[f]) {
			return 0, false
		}
		return int(callees[f][i]), true
	})
	g.cyclic = make([]bool, count)
	for f := range p.Funcs {
		for _, callee := range callees[f] {
			if c := g.component[f]; c == g.component[callee] {
				g.cyclic[c] = true
			}
		}
	}
	return g
}

// calleesFirst returns the functions of each component, after those of the components that it calls.
func (g *callGraph) calleesFirst() [][]ir.FuncID {
	out := make([][]ir.FuncID, len(g.cyclic)) // components are numbered in this order
	for f, c := range g.component {
		out[c] = append(out[c], ir.FuncID(f))
	}
	return out
}

// recursion is the state of a chain of calls inside one component.
type recursion struct {
	chain    []ir.FuncID // the functions of the chain, sorted
	repeated int         // calls of functions that were in the chain already
}

// first returns the state of a chain that begins with f.
func (g *callGraph) first(f ir.FuncID) recursion {
	if !g.cyclic[g.component[f]] {
		return recursion{}
	}
	return recursion{chain: []ir.FuncID{f}}
}

// enter returns the state after a call from one function to another.
func (g *callGraph) enter(r recursion, from, to ir.FuncID) recursion {
	if g.component[from] != g.component[to] {
		return g.first(to)
	}
	chain := slices.Clone(r.chain)
	at, known := slices.BinarySearch(chain, to)
	if known {
		r.repeated++
	} else {
		chain = slices.Insert(chain, at, to)
	}
	if g.ends.ends[to] { // control does not come back: how it came here makes no difference, only how often
		chain = slices.DeleteFunc(chain, func(f ir.FuncID) bool { return !g.ends.ends[f] })
	}
	return recursion{chain, r.repeated}
}

// TooLarge says that inlining the calls of a program would make too many instructions.
type TooLarge struct {
	Pos  source.Span // of the call that makes the most
	Text string
}

func (t *TooLarge) Error() string { return t.Text }

// maxEstimates limits the states of an estimate.
const maxEstimates = 1 << 16

// estimate counts the instructions of inlined functions.
type estimate struct {
	*callGraph
	bound int
	sizes map[string]float64
	// once has the sizes of functions that end the program, whose copies are shared, by function and state.
	once map[string]float64
}

// recursionBound returns the bound of recursion: the one given or, if that makes the program too large and is a
// default, the largest one below with which the program is small, or at least not too large. Where only calls through
// pointers make functions recursive, these mostly never are: a smaller bound loses nothing, and the program is to be
// smaller.
func (g *callGraph) recursionBound(roots []ir.FuncID, bound int, isDefault bool) (int, error) {
	most, limits := float64(maxEdges), []float64{fewEdges, maxEdges}
	if isDefault && !slices.Contains(newCalls(g.p, nil).cyclic, true) {
		most, limits = fewestEdges, []float64{fewestEdges, fewEdges, maxEdges}
	}
	known, err := g.tooLarge(roots, bound, most)
	if known && err == nil || !isDefault {
		return bound, err
	}
	for _, limit := range limits {
		for less := bound; less > 0; less-- {
			if known, err := g.tooLarge(roots, less, limit); known && err == nil {
				return less, nil
			}
		}
	}
	_, err = g.tooLarge(roots, bound, maxEdges)
	return bound, err
}

// tooLarge returns a *TooLarge if a thread's function has more instructions than the limit once
// its calls are inlined. known is false if the size of another one cannot be estimated.
func (g *callGraph) tooLarge(roots []ir.FuncID, bound int, limit float64) (known bool, err error) {
	known = true
	for _, f := range roots {
		e := &estimate{callGraph: g, bound: bound, sizes: map[string]float64{}, once: map[string]float64{}}
		n, ok := e.size(f, g.first(f))
		for _, one := range e.once {
			n += (separateCopies + 1) * one
		}
		if ok && n > limit {
			return true, e.located(f, n, limit)
		}
		known = known && ok
	}
	return known, nil
}

// size returns the number of instructions of a function with its calls inlined.
func (s *estimate) size(f ir.FuncID, r recursion) (float64, bool) {
	key := fmt.Sprint(f, r.chain, r.repeated)
	if n, ok := s.sizes[key]; ok {
		return n, true
	}
	if len(s.sizes) >= maxEstimates {
		return 0, false
	}
	n := float64(len(s.p.Funcs[f].Edges))
	for _, c := range s.calls[f] {
		for _, callee := range c.targets {
			in := s.enter(r, f, callee)
			if in.repeated > s.bound {
				continue
			}
			one, ok := s.size(callee, in)
			if !ok {
				return 0, false
			}
			n += float64(s.p.Funcs[callee].Params) + 2
			if s.ends.ends[callee] {
				s.once[shared(callee, in)] = one
			} else {
				n += one
			}
		}
	}
	s.sizes[key] = n
	return n, true
}

// located says where most of the instructions come from: it goes down the largest calls, as long
// as one call makes most of what its function has and recursion has not begun.
func (s *estimate) located(root ir.FuncID, n, limit float64) error {
	f, r, size := root, s.first(root), n
	at, what := s.p.Funcs[root].Pos, ""
	for !s.cyclic[s.component[f]] {
		c, callee, largest := s.largestCall(f, r)
		if largest < size/2 {
			break
		}
		r = s.enter(r, f, callee)
		f, size, at = callee, largest, c.edge.Pos
		if len(c.targets) > 1 {
			what = fmt.Sprintf("the call through a pointer, which can reach %d functions", len(c.targets))
			break
		}
	}
	switch {
	case s.cyclic[s.component[f]]:
		what = "the recursion of " + s.names(s.component[f])
	case what == "":
		what = "the calls in " + s.p.Funcs[f].Name
	}
	return &TooLarge{at, fmt.Sprintf("%s would have %.2g instructions after inlining, more than %.2g; most are from %s", s.p.Funcs[root].Name, n, limit, what)}
}

// largestCall returns the call of a function that makes the most instructions, how many, and the
// callee that makes most of them.
func (s *estimate) largestCall(f ir.FuncID, r recursion) (c *callSite, callee ir.FuncID, largest float64) {
	for i := range s.calls[f] {
		var all, most float64
		var by ir.FuncID
		for _, target := range s.calls[f][i].targets {
			n, _ := s.size(target, s.enter(r, f, target)) // known since the size of the root is
			all += n
			if n > most {
				by, most = target, n
			}
		}
		if all > largest {
			c, callee, largest = &s.calls[f][i], by, all
		}
	}
	return c, callee, largest
}

// names lists the functions of a component.
func (g *callGraph) names(component int32) string {
	var names []string
	for f, c := range g.component {
		if c == component {
			names = append(names, g.p.Funcs[f].Name)
		}
	}
	if len(names) > 4 {
		return fmt.Sprintf("%s, %s and %d other functions", names[0], names[1], len(names)-2)
	}
	text := names[0]
	for i, name := range names[1:] {
		if i == len(names)-2 {
			text += " and " + name
		} else {
			text += ", " + name
		}
	}
	return text
}
