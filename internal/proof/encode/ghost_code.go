package encode

import (
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/proof/program"
	"fencepost/internal/solver/smt"
)

// GhostCodeEnds refuses ghost code whose tests do not cover all cases, so that a thread would wait in it. It has no loops, since the ways
// through it are finite.
func GhostCodeEnds(pr *Problem, c *program.Class, cl *program.Annotation) error {
	tests, other := map[ir.Loc][]smt.Term{}, map[ir.Loc]bool{}
	v := pr.Env(pr.Registers(c, "a"))
	for _, way := range cl.Ways {
		for _, e := range way {
			if e.Op.Kind != ir.Assume {
				other[e.From] = true
			} else if t := v.Truth(e.Op.Val); !slices.ContainsFunc(tests[e.From], t.Equal) {
				tests[e.From] = append(tests[e.From], t)
			}
		}
	}
	if len(cl.Ways) == 0 {
		return cl.Refuse("ghost code does not come to its end")
	}
	for l, list := range tests {
		if !other[l] && !pr.Implied(nil, smt.Or(list...)) {
			return cl.Refuse("ghost code must not wait: its tests do not cover all cases")
		}
	}
	return nil
}

// GhostMemoryApart refuses ghost code that writes memory which the program accesses.
func GhostMemoryApart(pr *Problem) error {
	pr.Ghosts = map[int]*program.Annotation{}
	for _, c := range pr.Classes {
		v := pr.Env(pr.Registers(c, "a"))
		for _, cl := range c.Ghosts {
			for _, way := range cl.Ways {
				for _, e := range way {
					if e.Op.Kind == ir.Store {
						pr.Ghosts[pr.Locate(&e.Op, v).Region] = cl
					}
				}
			}
		}
	}
	for _, c := range pr.Classes {
		v := pr.Env(pr.Registers(c, "a"))
		for i := range c.Code.Edges {
			e := &c.Code.Edges[i]
			if !program.AccessesMemory(&e.Op) {
				continue
			}
			if cl := pr.Ghosts[pr.Locate(&e.Op, v).Region]; cl != nil {
				return program.Refuse(e, "the program accesses what ghost code writes (line %d): a ghost variable is one that only annotations access", cl.Pos.Line)
			}
		}
	}
	return nil
}
