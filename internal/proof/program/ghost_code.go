package program

import (
	"slices"

	"fencepost/internal/ir"
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
func pastOf(f *ir.Func, cl *Annotation) ir.EdgeID {
	for _, i := range f.Out(cl.At) {
		if f.Edges[i].Origin == cl.Past {
			return f.Edges[i].ID
		}
	}
	panic("BUG: ghost code without the edge it runs with")
}

// TakeGhosts takes the ghost code out of the annotations of a class and checks that the program does not depend on it; ends
// reports ghost code that may wait.
func (c *Class) TakeGhosts(ends func(*Annotation) error) error {
	c.Ghosts = map[ir.EdgeID]*Annotation{}
	for _, cl := range c.Annotations {
		if !cl.Ghost {
			continue
		}
		c.Ghosts[cl.past] = cl
		if err := c.staysLocal(cl); err != nil {
			return err
		}
		if err := ends(cl); err != nil {
			return err
		}
	}
	c.Annotations = slices.DeleteFunc(slices.Clone(c.Annotations), func(cl *Annotation) bool { return cl.Ghost })
	return nil
}

// staysLocal refuses ghost code that sets a register which is read elsewhere, or before it is set.
func (c *Class) staysLocal(cl *Annotation) error {
	sets := map[ir.Reg]bool{}
	for _, way := range cl.Ways {
		for _, e := range way {
			e.Op.Defs(func(r ir.Reg) { sets[r] = true })
		}
	}
	outside := func(e *ir.Edge) error {
		var err error
		e.Op.Uses(func(r ir.Reg) {
			if sets[r] {
				err = cl.Refuse("ghost code cannot assign to a local variable: use a variable of the program that nothing else accesses")
			}
		})
		return err
	}
	for i := range c.Code.Edges {
		if err := outside(&c.Code.Edges[i]); err != nil {
			return err
		}
	}
	for _, other := range c.Annotations {
		for _, way := range other.Ways {
			set := map[ir.Reg]bool{}
			for _, e := range way {
				if other == cl && !slices.ContainsFunc(UsesOf(&e.Op), func(r ir.Reg) bool { return sets[r] && !set[r] }) {
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

// withGhosts returns the ways in which edges run with their ghost code.
func (c *Class) withGhosts(edges []*ir.Edge) [][]*ir.Edge {
	out := [][]*ir.Edge{nil}
	for _, e := range edges {
		for i := range out {
			out[i] = append(out[i], e)
		}
		cl := c.Ghosts[e.ID]
		if cl == nil {
			continue
		}
		var more [][]*ir.Edge
		for _, way := range out {
			for _, code := range cl.Ways {
				more = append(more, append(slices.Clone(way), code...))
			}
		}
		out = more
	}
	return out
}
