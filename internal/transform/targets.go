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
// An error is that of stop.
func callTargets(p *ir.Program, stop func() error) (map[ir.EdgeID][]ir.FuncID, error) {
	out := map[ir.EdgeID][]ir.FuncID{}
	for _, f := range p.Funcs {
		for i := range f.Edges {
			if e := &f.Edges[i]; throughPointer(&e.Op) {
				out[e.ID] = nil
			}
		}
	}
	if len(out) == 0 {
		return nil, nil
	}
	flow := newAddressFlow(p)
	if err := flow.solve(stop); err != nil {
		return nil, err
	}
	for id, f := range p.Funcs {
		for i := range f.Edges {
			if e := &f.Edges[i]; throughPointer(&e.Op) {
				out[e.ID] = flow.targets(site{ir.FuncID(id), e.From}, &e.Op)
			}
		}
	}
	return out, nil
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
