//go:build !fencepost_small

package transform

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"fencepost/internal/ir"
)

// Calls that executions make. The idea: a program may be far too large with all of its calls inlined, while its
// executions make few of them: the others are on paths of errors, or go to functions that a pointer never has. So a
// call is inlined if some execution is known to make it. The others are bounds: an answer for all executions has met
// none of them, so it does not matter for that answer which calls are left out. Small functions are inlined without
// being asked for.
//
// A function that is called has calls that each execution makes which comes back from it: these are inlined with it, up to
// mostCertain instructions in all, so that executions need not show them one after the other.
//
// The caller knows executions, and says which bounds they meet (Needs). Then flattening begins anew. A call is told from
// others by the calls that led to it.

// Calls says which calls of a program are inlined that would be too large with all of them. The zero value knows none.
type Calls struct {
	// Always leaves calls out of every program, and Small is the number of instructions of a function, with its calls
	// inlined, that is not left out. 0: smallCall.
	Always bool
	Small  int

	partial bool                 // calls are left out
	needed  map[string]bool      // by path
	left    map[ir.EdgeID]string // of the program that was made last: the paths of the calls that are left out

	targets map[ir.EdgeID][]ir.FuncID // of calls through pointers
	graph   *callGraph
	certain map[ir.FuncID]map[ir.EdgeID]bool // the calls that each execution makes which comes back from a function
	room    int                              // for such calls, in the program that is made
}

// inliningBound is the name under which engines report the bound.
const inliningBound = "inlining"

// mostFlow is the work after which it is given up to find the functions that a call through a pointer may reach, smallCall
// the default of Calls.Small, mostCertain the number of instructions in functions that are inlined because each execution
// calls them.
const (
	mostFlow    = 1 << 28
	smallCall   = 256
	mostCertain = 1 << 15
)

// Partial reports whether calls are left out.
func (c *Calls) Partial() bool { return c != nil && c.partial }

// Needs says that executions meet the bound of an edge of the program that was made last. It reports whether that
// stands for a call.
func (c *Calls) Needs(e ir.EdgeID) bool {
	path, is := c.left[e]
	if is {
		c.needed[path] = true
	}
	return is
}

// plan decides whether calls are left out, the first time that a program is made flat.
func (c *Calls) plan(f *flattener) (err error) {
	c.left, c.room = map[ir.EdgeID]string{}, mostCertain
	if c.partial {
		f.targets, f.graph, f.depth = c.targets, c.graph, max(1, f.opt.Unroll)
		return nil
	}
	f.targets, err = callTargets(f.src, mostFlow, f.opt.Stop)
	if errors.Is(err, errMuchFlow) {
		f.targets, c.partial = fittingTargets(f.src), true
	} else if err != nil {
		return err
	}
	f.graph = newCallGraph(f.src, f.targets)
	roots := threadFuncs(f.src, f.targets)
	if c.partial = c.partial || c.Always; !c.partial {
		known, err := f.graph.tooLarge(roots, 1, fewEdges)
		c.partial = !known || err != nil
	}
	if c.partial {
		c.leaveOut(f)
		return c.plan(f)
	}
	f.depth, err = f.graph.recursionBound(roots, max(1, f.opt.Unroll), f.opt.Default)
	return err
}

// leaveOut says that calls are left out.
func (c *Calls) leaveOut(f *flattener) {
	c.partial, c.needed, c.targets, c.graph = true, map[string]bool{}, f.targets, f.graph
	c.certain = map[ir.FuncID]map[ir.EdgeID]bool{}
}

// leavesOut adds a bound instead of a call, and reports whether it did. path tells the call from others.
func (b *body) leavesOut(a *activation, e *ir.Edge, callee ir.FuncID, from ir.Loc) (path string, left bool) {
	c := b.opt.Calls
	if !c.Partial() {
		return "", false
	}
	small := c.Small
	if small == 0 {
		small = smallCall
	}
	path = fmt.Sprintf("%s/%d>%d", a.path, e.ID, callee)
	if c.needed[path] || b.graph.whole(callee) <= float64(small) || c.makes(a.id, e, callee) {
		return path, false
	}
	cut := ir.NewOp(ir.Bound)
	cut.Report.Msg, cut.Val = inliningBound, ir.Int(0)
	b.emit(a, e, from, cut, b.threadEnd(), true)
	c.left[b.f.Edges[len(b.f.Edges)-1].ID] = path
	return path, true
}

// makes reports whether each execution that comes back from a function makes a call in it, if there is room for the callee.
func (c *Calls) makes(f ir.FuncID, e *ir.Edge, callee ir.FuncID) bool {
	calls, known := c.certain[f]
	if !known {
		calls = c.graph.certainCalls(f)
		c.certain[f] = calls
	}
	n := len(c.graph.p.Funcs[callee].Edges)
	if !calls[e.ID] || n > c.room {
		return false
	}
	c.room -= n
	return true
}

// certainCalls returns the calls of one function each that are on all paths from the entry of a function to its end.
func (g *callGraph) certainCalls(f ir.FuncID) map[ir.EdgeID]bool {
	out := map[ir.EdgeID]bool{}
	never := map[*ir.Edge]bool{} // calls that do not come back
	for _, c := range g.calls[f] {
		never[c.edge] = !slices.ContainsFunc(c.targets, func(callee ir.FuncID) bool { return !g.ends.ends[callee] })
	}
	fn := g.p.Funcs[f]
	returns := func(without *ir.Edge) bool {
		return reachesEnd(fn, func(e *ir.Edge) bool { return e == without || never[e] })
	}
	if !returns(nil) {
		return out
	}
	for _, c := range g.calls[f] {
		if len(c.targets) == 1 && !never[c.edge] && !returns(c.edge) {
			out[c.edge.ID] = true
		}
	}
	return out
}

// whole returns the number of instructions of a function with its calls inlined, infinity if it is recursive.
func (g *callGraph) whole(f ir.FuncID) float64 {
	if g.wholes == nil {
		g.wholes = map[ir.FuncID]float64{}
	}
	if n, ok := g.wholes[f]; ok {
		return n
	}
	n := float64(len(g.p.Funcs[f].Edges))
	if g.cyclic[g.component[f]] {
		n = math.Inf(1)
	} else {
		for _, c := range g.calls[f] {
			for _, callee := range c.targets {
				n += float64(g.p.Funcs[callee].Params) + 2 + g.whole(callee)
			}
		}
	}
	g.wholes[f] = n
	return n
}
