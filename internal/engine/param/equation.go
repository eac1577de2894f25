package param

import (
	"context"
	"fmt"
	"strings"
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
	sums := make([][]string, len(n.Places))
	for i, t := range n.Trans {
		s.Declare(fmt.Sprintf("(declare-const x%d Real)", i))
		s.Declare(fmt.Sprintf("(assert (>= x%d 0))", i))
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
					sums[a.Place] = append(sums[a.Place], fmt.Sprintf("(* %s x%d)", number(c), i))
					delete(change, a.Place)
				}
			}
		}
	}
	for p := range n.Places {
		if n.Places[p].Init == Omega {
			continue
		}
		sum := strings.Join(append([]string{fmt.Sprint(n.Places[p].Init)}, sums[p]...), " ")
		s.Declare(fmt.Sprintf("(define-fun p%d () Real (+ 0 %s))", p, sum))
		s.Declare(fmt.Sprintf("(assert (>= p%d 0))", p))
	}
	return &equation{s: s, net: n}
}

func number(c int32) string {
	if c < 0 {
		return fmt.Sprintf("(- %d)", -c)
	}
	return fmt.Sprint(c)
}

// mayCover reports whether the equation has a solution, or the solver cannot tell.
func (e *equation) mayCover(m marking) bool {
	if e == nil || e.asked >= equationQueries {
		return true
	}
	e.asked++
	var need []string
	for _, a := range m {
		if e.net.Places[a.Place].Init != Omega {
			need = append(need, fmt.Sprintf("(>= p%d %d)", a.Place, a.N))
		}
	}
	status, _, err := e.s.Check(nil, need, nil)
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
