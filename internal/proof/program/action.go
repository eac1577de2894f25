package program

import (
	"fmt"
	"strconv"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/source"
	"fencepost/verdict"
)

// Action is one step of a thread: one instruction, or one path through an atomic section. Local
// instructions matter for invariants, and not for movers, since they commute with all steps of
// other threads.
type Action struct {
	Thread  ir.ThreadID
	Edges   []*ir.Edge
	Section bool
	Fails   *Action // how it may fail instead, or nil
}

// From returns the location where the action begins.
func (a *Action) From() ir.Loc { return a.Edges[0].From }

// To returns the location where the action ends.
func (a *Action) To() ir.Loc { return a.Edges[len(a.Edges)-1].To }

// First returns the first instruction of the action.
func (a *Action) First() *ir.Edge { return a.Edges[0] }

// Writes reports whether the action may write memory.
func (a *Action) Writes() bool {
	return a.Any(func(op *ir.Op) bool { return op.Writes() || UsesMutex(op) || op.Kind == ir.Alloc || op.Kind == ir.Free })
}

// Reads reports whether the action may read memory.
func (a *Action) Reads() bool { return a.Any((*ir.Op).Reads) }

// Any reports whether f holds for an operation of the action.
func (a *Action) Any(f func(*ir.Op) bool) bool {
	for _, e := range a.Edges {
		if f(&e.Op) {
			return true
		}
	}
	return false
}

// Shared reports whether the action accesses memory.
func (a *Action) Shared() bool { return a.Writes() || a.Reads() }

// maxWays bounds the paths through one atomic section.
const maxWays = 64

// ActionsOf returns the actions of thread t. Sections with loops inside are refused.
func ActionsOf(p *ir.Program, t ir.ThreadID) ([]*Action, error) {
	f := p.ThreadFunc(t)
	inside, err := ir.SectionLocs(f)
	if err != nil {
		return nil, err
	}
	var list []*Action
	for i := range f.Edges {
		e := &f.Edges[i]
		switch {
		case inside[e.From]:
		case e.Op.Kind == ir.AtomicBegin:
			ways, err := waysThrough(f, e)
			if err != nil {
				return nil, err
			}
			for _, w := range ways {
				list = append(list, &Action{Thread: t, Edges: w, Section: true})
			}
		default:
			list = append(list, &Action{Thread: t, Edges: []*ir.Edge{e}})
		}
	}
	return list, nil
}

func waysThrough(f *ir.Func, begin *ir.Edge) ([][]*ir.Edge, error) {
	var ways [][]*ir.Edge
	on := map[ir.Loc]bool{}
	var walk func(way []*ir.Edge) error
	walk = func(way []*ir.Edge) error {
		last := way[len(way)-1]
		if last.Op.Kind == ir.AtomicEnd {
			ways = append(ways, append([]*ir.Edge(nil), way...))
			if len(ways) > maxWays {
				return &engine.Unsupported{Pos: engine.Pos(begin), What: fmt.Sprintf("prove: more than %d ways through an atomic section", maxWays)}
			}
			return nil
		}
		if on[last.To] {
			return &engine.Unsupported{Pos: engine.Pos(begin), What: "prove: a loop inside an atomic section"}
		}
		on[last.To] = true
		defer delete(on, last.To)
		switch last.Op.Kind {
		case ir.Spawn, ir.Join:
			return Refuse(last, "%s inside an atomic section is not covered", last.Op.Kind)
		}
		for _, i := range f.Out(last.To) {
			if err := walk(append(way, &f.Edges[i])); err != nil {
				return err
			}
		}
		return nil
	}
	err := walk([]*ir.Edge{begin})
	return ways, err
}

// Defines reports whether an action sets a register.
func (a *Action) Defines(r ir.Reg) bool {
	found := false
	for _, e := range a.Edges {
		e.Op.Defs(func(x ir.Reg) { found = found || x == r })
	}
	return found
}

// DescribeAction returns an action as plain data.
func DescribeAction(c *Class, a *Action) verdict.ProofInstruction {
	p := verdict.ProofInstruction{Thread: c.Name, Pos: engine.Pos(a.First())}
	if a.Section {
		p.Text = "atomic section"
	}
	return p
}

// LineOf returns the line of an action.
func LineOf(a *Action) string { return strconv.Itoa(a.First().Pos.Line) }

// PositionName says in which line an action is, or what it does if it has no line.
func PositionName(a *Action) string {
	if pos := a.First().Pos; pos.IsValid() {
		return "line " + LineOf(a)
	}
	return a.First().Op.Kind.String()
}

// SamePos reports whether two positions are equal; nil is no position.
func SamePos(x, y *verdict.Pos) bool { return x == y || x != nil && y != nil && *x == *y }

// SpanPos returns a span as plain data.
func SpanPos(s source.Span) *verdict.Pos {
	return &verdict.Pos{File: s.File, Line: s.Line, Col: s.Col, EndLine: s.EndLine, EndCol: s.EndCol}
}
