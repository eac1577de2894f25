package translate

import (
	"sort"

	"fencepost/internal/ir"
)

// Atomic sections. Whether they match is a matter of all functions together: a
// section must begin and end in one function, on every way, and nothing that is
// called inside it may have sections of its own or end the thread.

// checkSections refuses programs whose sections do not match.
func (c *Symbols) checkSections() {
	symbols := c.functions()
	sections := reaching(symbols, func(op *ir.Op) bool { return op.Kind == ir.AtomicBegin || op.Kind == ir.AtomicEnd })
	if len(sections) == 0 {
		return
	}
	ends := reaching(symbols, func(op *ir.Op) bool { return op.Kind == ir.ThreadExit })
	for _, s := range symbols {
		if !sections[s] {
			continue
		}
		inside, err := ir.SectionLocs(s.Fb.F)
		if err != nil {
			c.In.Errorf(codeSection, s.span(), "atomic sections must not nest, and must end on every path in the function that begins them: %s", err)
			continue
		}
		for i := range s.Fb.F.Edges {
			e := &s.Fb.F.Edges[i]
			if !inside[e.From] || e.Op.Kind != ir.Call {
				continue
			}
			for _, callee := range symbols {
				if (sections[callee] || ends[callee]) && mayCall(&e.Op, callee) {
					c.In.Errorf(codeSection, e.Pos, "%s is called inside an atomic section and begins one or ends the thread", callee.Name)
				}
			}
		}
	}
}

// functions are the functions that were lowered, in order of their ids.
func (c *Symbols) functions() []*symbol {
	var out []*symbol
	collect := func(table map[string]*symbol) {
		for _, s := range table {
			if s.Fb != nil {
				out = append(out, s)
			}
		}
	}
	collect(c.Names.Linked)
	for _, u := range c.units {
		collect(u.static)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Fb.ID < out[j].Fb.ID })
	return out
}

// mayCall reports whether a call may run a function.
func mayCall(op *ir.Op, callee *symbol) bool {
	if op.Call.Func != ir.NoFunc {
		return op.Call.Func == callee.Fb.ID
	}
	return callee.Fb.F.Pointer
}

// reaching is the functions that do something, or call one that does.
func reaching(symbols []*symbol, does func(*ir.Op) bool) map[*symbol]bool {
	out := map[*symbol]bool{}
	for _, s := range symbols {
		for i := range s.Fb.F.Edges {
			if does(&s.Fb.F.Edges[i].Op) {
				out[s] = true
			}
		}
	}
	for changed := len(out) > 0; changed; {
		changed = false
		for _, s := range symbols {
			if out[s] {
				continue
			}
			for i := range s.Fb.F.Edges {
				op := &s.Fb.F.Edges[i].Op
				if op.Kind != ir.Call {
					continue
				}
				for callee := range out {
					if mayCall(op, callee) {
						out[s], changed = true, true
						break
					}
				}
			}
		}
	}
	return out
}
