package transform

import (
	"fencepost/internal/ir"
)

// Programs with constructs that are not supported (ir.Unsupported). Engines cut executions off at
// them. The functions here make the two programs that say whether an execution gets that far, and
// what is left of the program if none does.

// FirstUnsupported returns the first operation of a program that is not supported, or nil.
func FirstUnsupported(p *ir.Program) *ir.Edge {
	for _, f := range p.Funcs {
		for i := range f.Edges {
			if f.Edges[i].Op.Kind == ir.Unsupported {
				return &f.Edges[i]
			}
		}
	}
	return nil
}

// UnsupportedAsChecks returns a flat program in which the operations that are not supported are
// checks of class ir.NotSupported that fail, at the same edges. So the execution that violates such
// a check reaches the operation. With only set, the other checks stop their thread and do not fail.
func UnsupportedAsChecks(p *ir.Program, only bool) *ir.Program {
	inside := sections{}
	return weakened(p, func(out *ir.Program, f *ir.Func, i int) {
		switch op := &f.Edges[i].Op; {
		case op.Kind == ir.Unsupported:
			fails := ir.NewOp(ir.Assert)
			fails.Val, fails.Report = ir.Int(0), ir.Report{Class: ir.NotSupported, Msg: op.Report.Msg}
			inside.stopBy(out, f, i, fails)
		case op.Kind == ir.Assert && only:
			stops := ir.NewOp(ir.Assume)
			stops.Val = op.Val
			*op = stops
		}
	})
}

// WithoutUnsupported returns a flat program in which the operations that are not supported stop
// their thread. It has the executions of p if no execution of p reaches such an operation.
func WithoutUnsupported(p *ir.Program) *ir.Program {
	inside := sections{}
	return weakened(p, func(out *ir.Program, f *ir.Func, i int) {
		if f.Edges[i].Op.Kind == ir.Unsupported {
			stops := ir.NewOp(ir.Assume)
			stops.Val = ir.Int(0)
			inside.stopBy(out, f, i, stops)
		}
	})
}

// WithoutFloatingPoint returns a flat program in which a bound of the given name cuts executions off
// where p computes with floating point.
func WithoutFloatingPoint(p *ir.Program, bound string) *ir.Program {
	return weakened(p, func(_ *ir.Program, f *ir.Func, i int) {
		if f.Edges[i].Op.Floats() {
			cut := ir.NewOp(ir.Bound)
			cut.Report.Msg, cut.Val = bound, ir.Int(0)
			f.Edges[i].Op = cut
		}
	})
}

// sections has the locations inside atomic sections, by function, from before its operations were replaced; nil: the
// sections are not well formed.
type sections map[*ir.Func][]bool

// stopBy replaces the operation of edge i by one after which the thread does not go on. Inside an atomic
// section no thread may end, so the new end of the edge is cut off there.
func (s sections) stopBy(p *ir.Program, f *ir.Func, i int, op ir.Op) {
	inside, known := s[f]
	if !known {
		if locs, err := ir.SectionLocs(f); err == nil {
			inside = locs
		}
		s[f] = inside
	}
	e := f.Edges[i]
	end := newLoc(f, e.Pos)
	f.Edges[i].Op, f.Edges[i].To = op, end
	if inside == nil || !inside[e.From] {
		return
	}
	cut := ir.NewOp(ir.Bound)
	cut.Report.Msg, cut.Val = "unsupported", ir.Int(0)
	f.Edges = append(f.Edges, ir.Edge{ID: p.NextEdge, Origin: e.Origin, From: end, To: end, Op: cut, Pos: e.Pos, Pass: "unsupported", Stack: e.Stack})
	p.NextEdge++
}
