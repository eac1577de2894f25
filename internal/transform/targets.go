package transform

import (
	"slices"

	"fencepost/internal/ir"
)

// Targets of calls through pointers. The idea: addresses of functions spread from where the
// program mentions them to the calls, through registers, arguments, results and memory,
// whatever the order of the instructions [Andersen 1994] (address_flow.go). A call goes only
// to functions whose addresses reach it, that take as many arguments, and that have a type
// that fits. A thread's function is one of them only if its address reaches the call.
//
// The calls keep a check that the pointer holds one of them: a program that forges an
// address, which the analysis does not see, fails that check.

// callTargets returns, by the id of each call or spawn through a pointer, the functions that it
// may reach, in the order of the program. It returns nil if the program has no such instruction.
// An error is that of stop, or errMuchFlow after most work, if that is not 0.
func callTargets(p *ir.Program, most int64, stop func() error) (map[ir.EdgeID][]ir.FuncID, error) {
	if !slices.ContainsFunc(p.Funcs, func(f *ir.Func) bool {
		return slices.ContainsFunc(f.Edges, func(e ir.Edge) bool { return throughPointer(&e.Op) })
	}) {
		return nil, nil
	}
	flow := newAddressFlow(p)
	if err := flow.solve(most, stop); err != nil {
		return nil, err
	}
	return targetsBy(p, flow.targets), nil
}

// fittingTargets returns the same by the kinds of functions alone.
func fittingTargets(p *ir.Program) map[ir.EdgeID][]ir.FuncID {
	return targetsBy(p, func(_ site, op *ir.Op) []ir.FuncID {
		var out []ir.FuncID
		for id, f := range p.Funcs {
			if fits(f, op) {
				out = append(out, ir.FuncID(id))
			}
		}
		return out
	})
}

// targetsBy asks for the functions that each call or spawn through a pointer may reach.
func targetsBy(p *ir.Program, of func(site, *ir.Op) []ir.FuncID) map[ir.EdgeID][]ir.FuncID {
	out := map[ir.EdgeID][]ir.FuncID{}
	for id, f := range p.Funcs {
		for i := range f.Edges {
			if e := &f.Edges[i]; throughPointer(&e.Op) {
				out[e.ID] = of(site{ir.FuncID(id), e.From}, &e.Op)
			}
		}
	}
	return out
}

func throughPointer(op *ir.Op) bool {
	return (op.Kind == ir.Call || op.Kind == ir.Spawn) && op.Call.Func == ir.NoFunc && op.Val != nil
}

// targets returns the functions that a call or spawn may reach.
func (a *addressFlow) targets(from site, op *ir.Op) []ir.FuncID {
	if op.Call.Func != ir.NoFunc {
		return []ir.FuncID{op.Call.Func}
	}
	var out []ir.FuncID
	a.value(from, op.Val).each(func(i int) {
		if at := a.addresses[i]; at.base < len(a.p.Funcs) && fits(a.p.Funcs[at.base], op) && !slices.Contains(out, ir.FuncID(at.base)) {
			out = append(out, ir.FuncID(at.base))
		}
	})
	slices.Sort(out)
	return out
}

// fits reports whether a call through a pointer can call the function: the number of arguments and
// the type are right.
func fits(f *ir.Func, op *ir.Op) bool {
	return f.Pointer && f.Params == len(op.Call.Args) &&
		(op.Call.Type == "" || len(f.Types) == 0 || slices.Contains(f.Types, op.Call.Type) || slices.Contains(f.Types, ""))
}
