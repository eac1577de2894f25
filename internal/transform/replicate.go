package transform

import (
	"fmt"
	"slices"
	"strings"

	"fencepost/internal/ir"
)

// Replicate returns a structured program in which every spawn of some functions is repeated, so
// that it starts n threads one after the other. Names are separated by commas. It returns an error if the program
// has no such function or no spawn names it.
func Replicate(p *ir.Program, functions string, n int) (*ir.Program, error) {
	for name := range strings.SplitSeq(functions, ",") {
		var err error
		if p, err = replicate(p, name, n); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// replicate repeats the spawns of one function.
func replicate(p *ir.Program, function string, n int) (*ir.Program, error) {
	is := func(f *ir.Func) bool { return f.Name == function } // the library may have one of this name that no thread runs
	if !slices.ContainsFunc(p.Funcs, is) {
		return nil, fmt.Errorf("there is no function %s that a thread runs", function)
	}
	out := *p
	out.Funcs = make([]*ir.Func, len(p.Funcs))
	found := false
	for k, old := range p.Funcs {
		f := &ir.Func{
			Name: old.Name, Regs: old.Regs, Params: old.Params, Locs: slices.Clone(old.Locs), Edges: slices.Clone(old.Edges),
			Entry: old.Entry, Pos: old.Pos, Pointer: old.Pointer, Types: old.Types,
		}
		out.Funcs[k] = f
		for i := range f.Edges {
			if op := &f.Edges[i].Op; op.Kind != ir.Spawn || op.Call.Func == ir.NoFunc || !is(p.Funcs[op.Call.Func]) {
				continue
			}
			found = true
			to := f.Edges[i].To
			last := i
			for range n - 1 {
				mid := ir.Loc(len(f.Locs))
				f.Locs = append(f.Locs, ir.Location{Name: fmt.Sprintf("again%d", mid), Pos: f.Edges[i].Pos})
				f.Edges[last].To = mid
				e := f.Edges[i]
				e.ID, e.From, e.To, e.Pass = out.NextEdge, mid, to, "replicate"
				out.NextEdge++
				f.Edges = append(f.Edges, e)
				last = len(f.Edges) - 1
			}
		}
	}
	if !found {
		return nil, fmt.Errorf("nothing starts %s as a thread", function)
	}
	out.Seal()
	return &out, nil
}
