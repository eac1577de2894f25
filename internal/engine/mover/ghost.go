package mover

import (
	"cmp"
	"slices"

	"fencepost/internal/ir"
	"fencepost/verdict"
)

// Ghost code. A condition about one thread and memory cannot say which thread comes next in a queue, or whose turn it
// is. Ghost variables say it: the user adds assignments to them, which run in one step with the access before them, and
// states conditions about them [OG76 §3 calls them auxiliary variables].
//
// The program that runs has no ghost code, so nothing may depend on it. Ghost code writes only memory that the program does not
// access, sets no register that the program or another annotation reads, and always comes to its end: it has no loops, and the
// tests in it cover all cases. Then every SC execution of the program is one with ghost code, whose states are the same
// but for the ghost variables. The conditions are proved for executions with ghost code; so in every state that the program
// reaches there are values of the ghost variables with which they hold.
//
// Movers are asked about the program without ghost code, from states that satisfy the conditions for some values of the ghost
// variables. Which values these are does not matter: an execution with two steps swapped is an SC execution of the program
// again, and has ghost values of its own.

// pastOf returns the edge that ghost code runs with. It leaves the location where the code begins and does nothing.
func pastOf(f *ir.Func, cl *annotation) ir.EdgeID {
	for _, i := range f.Out(cl.at) {
		if f.Edges[i].Origin == cl.Past {
			return f.Edges[i].ID
		}
	}
	panic("BUG: ghost code without the edge it runs with")
}

// takeGhosts takes the ghost code out of the annotations of a class and checks that the program does not depend on it; ends
// reports ghost code that may wait.
func (c *class) takeGhosts(ends func(*annotation) error) error {
	c.ghosts = map[ir.EdgeID]*annotation{}
	for _, cl := range c.annotations {
		if !cl.Ghost {
			continue
		}
		c.ghosts[cl.past] = cl
		if err := c.staysLocal(cl); err != nil {
			return err
		}
		if err := ends(cl); err != nil {
			return err
		}
	}
	c.annotations = slices.DeleteFunc(slices.Clone(c.annotations), func(cl *annotation) bool { return cl.Ghost })
	return nil
}

// staysLocal refuses ghost code that sets a register which is read elsewhere, or before it is set.
func (c *class) staysLocal(cl *annotation) error {
	sets := map[ir.Reg]bool{}
	for _, way := range cl.ways {
		for _, e := range way {
			e.Op.Defs(func(r ir.Reg) { sets[r] = true })
		}
	}
	outside := func(e *ir.Edge) error {
		var err error
		e.Op.Uses(func(r ir.Reg) {
			if sets[r] {
				err = cl.refuse("ghost code cannot assign to a local variable: use a variable of the program that nothing else accesses")
			}
		})
		return err
	}
	for i := range c.f.Edges {
		if err := outside(&c.f.Edges[i]); err != nil {
			return err
		}
	}
	for _, other := range c.annotations {
		for _, way := range other.ways {
			set := map[ir.Reg]bool{}
			for _, e := range way {
				if other == cl && !slices.ContainsFunc(usesOf(&e.Op), func(r ir.Reg) bool { return sets[r] && !set[r] }) {
					e.Op.Defs(func(r ir.Reg) { set[r] = true })
					continue
				}
				if err := outside(e); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func usesOf(op *ir.Op) []ir.Reg {
	var list []ir.Reg
	op.Uses(func(r ir.Reg) { list = append(list, r) })
	return list
}

// ends refuses ghost code whose tests do not cover all cases, so that a thread would wait in it. It has no loops, since the ways
// through it are finite.
func ends(pr *problem, c *class, cl *annotation) error {
	tests, other := map[ir.Loc][]string{}, map[ir.Loc]bool{}
	v := pr.env(pr.registers(c, "a"))
	for _, way := range cl.ways {
		for _, e := range way {
			if e.Op.Kind != ir.Assume {
				other[e.From] = true
			} else if t := v.truth(e.Op.Val); !slices.Contains(tests[e.From], t) {
				tests[e.From] = append(tests[e.From], t)
			}
		}
	}
	if len(cl.ways) == 0 {
		return cl.refuse("ghost code does not come to its end")
	}
	for l, list := range tests {
		if !other[l] && !pr.implied(nil, or(list)) {
			return cl.refuse("ghost code must not wait: its tests do not cover all cases")
		}
	}
	return nil
}

// ghostsApart refuses ghost code that writes memory which the program accesses.
func ghostsApart(pr *problem) error {
	pr.ghosts = map[int]*annotation{}
	for _, c := range pr.classes {
		v := pr.env(pr.registers(c, "a"))
		for _, cl := range c.ghosts {
			for _, way := range cl.ways {
				for _, e := range way {
					if e.Op.Kind == ir.Store {
						pr.ghosts[pr.locate(&e.Op, v).region] = cl
					}
				}
			}
		}
	}
	for _, c := range pr.classes {
		v := pr.env(pr.registers(c, "a"))
		for i := range c.f.Edges {
			e := &c.f.Edges[i]
			if !accesses(&e.Op) {
				continue
			}
			if cl := pr.ghosts[pr.locate(&e.Op, v).region]; cl != nil {
				return refuse(e, "the program accesses what ghost code writes (line %d): a ghost variable is one that only annotations access", cl.Pos.Line)
			}
		}
	}
	return nil
}

// withGhosts returns the ways in which edges run with their ghost code.
func (c *class) withGhosts(edges []*ir.Edge) [][]*ir.Edge {
	out := [][]*ir.Edge{nil}
	for _, e := range edges {
		for i := range out {
			out[i] = append(out[i], e)
		}
		cl := c.ghosts[e.ID]
		if cl == nil {
			continue
		}
		var more [][]*ir.Edge
		for _, way := range out {
			for _, code := range cl.ways {
				more = append(more, append(slices.Clone(way), code...))
			}
		}
		out = more
	}
	return out
}

// ghostCode returns the ghost code of the program.
func ghostCode(pr *problem) []verdict.ProofInstruction {
	var out []verdict.ProofInstruction
	for _, c := range pr.classes {
		for _, cl := range c.ghosts {
			out = append(out, verdict.ProofInstruction{Thread: c.name, Pos: spanPos(cl.Pos), Text: cl.Text})
		}
	}
	slices.SortFunc(out, func(a, b verdict.ProofInstruction) int {
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), a.Pos.Line-b.Pos.Line, cmp.Compare(a.Thread, b.Thread))
	})
	return out
}
