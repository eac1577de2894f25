package encode

import (
	"fencepost/internal/ir"
	"fencepost/internal/proof/program"
	"fencepost/internal/property"
	"fencepost/internal/solver/smt"
)

// FindPassingLocations finds the locations of each class that do not count.
func FindPassingLocations(pr *Problem, props *property.Set) {
	for _, c := range pr.Classes {
		c.Passing = make([]bool, len(c.Code.Locs))
		for l := range c.Code.Locs {
			c.Passing[l] = mayPass(pr, c, ir.Loc(l), props)
		}
		for l := range c.Code.Locs { // a thread must not loop in between
			c.Passing[l] = c.Passing[l] && !c.PassesBack(ir.Loc(l))
		}
		for l := range c.Code.Locs {
			c.Passing[l] = c.Passing[l] && !c.ManyThrough(ir.Loc(l))
		}
	}
}

// mayPass reports whether a thread leaves a location by a step of its own, whatever its registers are.
func mayPass(pr *Problem, c *program.Class, l ir.Loc, props *property.Set) bool {
	out := c.Code.Out(l)
	if l == c.Code.Entry || c.Inside[l] || len(out) == 0 || program.IsNamed(c, l, props) {
		return false
	}
	var tests []smt.Term
	for _, i := range out {
		op := &c.Code.Edges[i].Op
		switch {
		case op.Kind != ir.Assign && op.Kind != ir.Assume && op.Kind != ir.Nop || program.AsksSelf(op):
			return false
		case op.Kind == ir.Assume:
			tests = append(tests, pr.Env(pr.Registers(c, "a")).Truth(op.Val))
		case len(out) > 1:
			return false
		}
	}
	return len(tests) == 0 || pr.Implied(nil, smt.Or(tests...))
}
