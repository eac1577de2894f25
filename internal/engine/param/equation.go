package param

import (
	"context"
	"fmt"
	"time"

	"fencepost/internal/solver/smt"
)

// The marking equation over the rationals: a run that reaches a marking above m fires every
// transition some number of times, and the tokens add up. If no rational numbers of firings add up
// to m or more, m is not coverable, and the backward search leaves it out. An SMT solver decides
// the equation; if none is installed, nothing is left out. Each query takes time, so the equation
// is used only when the search has become large.

const (
	equationFrom    = 48     // elements before the equation is used
	equationQueries = 2_000  // at most
	equationSize    = 20_000 // transitions
)

// equationLimit bounds one query.
var equationLimit = smt.Limit{Work: 4_000_000, Time: 10 * time.Second}

// equation is a running solver that knows a net.
type equation struct {
	s      *smt.Solver
	net    *Net
	asked  int
	pruned int
}

// newEquation returns a solver with the equation of a net, or nil if there is no solver or the net
// is large.
func newEquation(ctx context.Context, n *Net) *equation {
	if len(n.Trans) > equationSize {
		return nil
	}
	s, err := smt.Start(ctx, equationLimit)
	if err != nil {
		return nil
	}
	zero := smt.Number(0, smt.Real)
	sums := make([][]smt.Term, len(n.Places))
	for i, t := range n.Trans {
		times := smt.Constant(fmt.Sprintf("x%d", i), smt.Real)
		s.Send(smt.Declare(times))
		s.Send(smt.Assert(smt.Apply(smt.GreaterOrEqual, times, zero)))
		change := map[int32]int32{}
		for _, a := range t.Pre {
			change[a.Place] -= a.N
		}
		for _, a := range t.Post {
			change[a.Place] += a.N
		}
		for _, list := range [][]Arc{t.Pre, t.Post} {
			for _, a := range list {
				if c := change[a.Place]; c != 0 {
					sums[a.Place] = append(sums[a.Place], smt.Apply(smt.Multiply, smt.Number(int64(c), smt.Real), times))
					delete(change, a.Place)
				}
			}
		}
	}
	for p := range n.Places {
		if n.Places[p].Init == Omega {
			continue
		}
		sum := append([]smt.Term{zero, smt.Number(int64(n.Places[p].Init), smt.Real)}, sums[p]...)
		s.Send(smt.Define(tokens(p), smt.Apply(smt.Add, sum...)))
		s.Send(smt.Assert(smt.Apply(smt.GreaterOrEqual, tokens(p), zero)))
	}
	return &equation{s: s, net: n}
}

// tokens returns the number of tokens in a place.
func tokens(place int) smt.Term { return smt.Constant(fmt.Sprintf("p%d", place), smt.Real) }

// mayCover reports whether the equation has a solution, or the solver cannot tell.
func (e *equation) mayCover(m marking) bool {
	if e == nil || e.asked >= equationQueries {
		return true
	}
	e.asked++
	var need []smt.Term
	for _, a := range m {
		if e.net.Places[a.Place].Init != Omega {
			need = append(need, smt.Apply(smt.GreaterOrEqual, tokens(int(a.Place)), smt.Number(int64(a.N), smt.Real)))
		}
	}
	status, _, err := e.s.Check(need, nil)
	if err != nil {
		e.asked = equationQueries // the solver has ended
		return true
	}
	if status == smt.Unsat {
		e.pruned++
		return false
	}
	return true
}

func (e *equation) close() {
	if e != nil {
		e.s.Close()
	}
}
