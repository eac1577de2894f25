package clauses

import (
	"errors"
	"slices"
)

// Lit is a literal: a variable from 1 on, negative if it is negated.
type Lit = int32

// Variable 1 is true.
const (
	yes Lit = 1
	no  Lit = -1
)

// ErrTooLarge says that there would be too many clauses.
var ErrTooLarge = errors.New("there would be too many clauses")

// maxClauses bounds the clauses of a program.
const maxClauses = 4_000_000

// refusal is the panic of the encoder at a program that it cannot encode; Encode returns the error.
type refusal struct{ err error }

func refuse(text string) { panic(refusal{errors.New("there are no clauses for " + text)}) }

// circuit makes gates and collects clauses. A gate is defined in both directions.
type circuit struct {
	all  [][]Lit
	vars Lit
	ands map[[2]Lit]Lit
	xors map[[2]Lit]Lit
	of   map[Lit][2]Lit // the operands of a gate and
	// stop is asked now and then whether to go on; calls counts until then.
	stop  func() error
	calls int
}

func newCircuit(stop func() error) *circuit {
	return &circuit{stop: stop, all: [][]Lit{{yes}}, vars: 1, ands: map[[2]Lit]Lit{}, xors: map[[2]Lit]Lit{}, of: map[Lit][2]Lit{}}
}

// fresh returns a literal about which nothing is said.
func (c *circuit) fresh() Lit {
	c.vars++
	return c.vars
}

// clause says that one of the literals is true.
func (c *circuit) clause(ls ...Lit) {
	if c.calls++; c.calls%(1<<14) == 0 {
		if err := c.stop(); err != nil {
			panic(refusal{err})
		}
	}
	kept := make([]Lit, 0, len(ls))
	for _, l := range ls {
		if l == 0 {
			panic("BUG: no literal")
		}
		if l == yes || slices.Contains(kept, -l) {
			return
		}
		if l != no && !slices.Contains(kept, l) {
			kept = append(kept, l)
		}
	}
	if len(c.all) >= maxClauses {
		panic(refusal{ErrTooLarge})
	}
	c.all = append(c.all, kept)
}

// and returns a gate that is true if both are.
func (c *circuit) and(a, b Lit) Lit {
	if a > b {
		a, b = b, a
	}
	switch {
	case a == no || b == no || a == -b:
		return no
	case a == yes || a == b:
		return b
	case b == yes:
		return a
	}
	if g, ok := c.ands[[2]Lit{a, b}]; ok {
		return g
	}
	// Not x and y, and x and not y: neither of two that have one operand in common and the other one negated.
	if x, ok := c.of[-a]; ok {
		if y, ok := c.of[-b]; ok {
			for i := range 2 {
				for j := range 2 {
					if x[i] == y[j] && x[1-i] == -y[1-j] {
						return -x[i]
					}
				}
			}
		}
	}
	g := c.fresh()
	c.clause(-g, a)
	c.clause(-g, b)
	c.clause(g, -a, -b)
	c.ands[[2]Lit{a, b}], c.of[g] = g, [2]Lit{a, b}
	return g
}

func (c *circuit) or(a, b Lit) Lit { return -c.and(-a, -b) }

// every returns a gate that is true if all are.
func (c *circuit) every(ls ...Lit) Lit {
	out := yes
	for _, l := range ls {
		out = c.and(out, l)
	}
	return out
}

// some returns a gate that is true if one is.
func (c *circuit) some(ls ...Lit) Lit {
	out := no
	for _, l := range ls {
		out = c.or(out, l)
	}
	return out
}

func (c *circuit) xor(a, b Lit) Lit {
	switch {
	case a < 0:
		return -c.xor(-a, b)
	case b < 0:
		return -c.xor(a, -b)
	case a > b:
		return c.xor(b, a)
	case a == yes:
		return -b
	case a == b:
		return no
	}
	if g, ok := c.xors[[2]Lit{a, b}]; ok {
		return g
	}
	g := c.fresh()
	c.clause(-g, a, b)
	c.clause(-g, -a, -b)
	c.clause(g, -a, b)
	c.clause(g, a, -b)
	c.xors[[2]Lit{a, b}] = g
	return g
}

// choose returns a gate that is a if s is true, and b otherwise.
func (c *circuit) choose(s, a, b Lit) Lit {
	switch {
	case a == b || s == yes:
		return a
	case s == no:
		return b
	}
	return c.or(c.and(s, a), c.and(-s, b))
}
