package invariant

import (
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/proof/encode"
	"fencepost/internal/proof/program"
)

// Sorts of numbers. A program has sequence numbers, indices, flags and data, and compares numbers of one sort only. Which
// registers and variables are of one sort follows from the program: what is copied, stored, loaded or compared
// is of one sort, whatever constant is added on the way. Candidates relate words of one sort, and to the constants of their
// sort, so that there are few of them.

// sorts has the sorts of the regions and of the registers of all classes.
type sorts struct {
	pr     *encode.Problem
	parent []int
	first  map[*program.Class]int // number of the first register of a class
	consts map[int][]int64        // by sort
	moduli map[int][]int64        // by sort: what numbers of it are divided by
	deltas map[int][]int64        // by sort: what is added to numbers of it
	gaps   map[int][]int64        // by sort: what differences of numbers of it are compared with
}

func newSorts(pr *encode.Problem) *sorts {
	s := &sorts{pr: pr, first: map[*program.Class]int{}, consts: map[int][]int64{}, moduli: map[int][]int64{}, deltas: map[int][]int64{}, gaps: map[int][]int64{}}
	n := len(pr.Regions)
	for _, c := range pr.Classes {
		s.first[c] = n
		n += len(c.Code.Regs)
	}
	s.parent = make([]int, n)
	for i := range s.parent {
		s.parent[i] = i
	}
	for range 2 { // constants belong to the sorts of the end
		clear(s.consts)
		clear(s.moduli)
		clear(s.deltas)
		clear(s.gaps)
		for _, c := range pr.Classes {
			for i := range c.Code.Edges {
				s.edge(c, &c.Code.Edges[i].Op)
			}
		}
	}
	for r := range pr.Regions {
		if g := &pr.Regions[r]; g.Shape == encode.Single {
			s.constant(r, g.Type.Wrap(pr.First(uint64(g.Base), g.Size)))
		}
	}
	for _, list := range s.consts {
		slices.Sort(list)
	}
	return s
}

func (s *sorts) find(x int) int {
	for s.parent[x] != x {
		s.parent[x] = s.parent[s.parent[x]]
		x = s.parent[x]
	}
	return x
}

// join makes two numbers one sort; -1 stands for no sort.
func (s *sorts) join(x, y int) {
	if x >= 0 && y >= 0 {
		s.parent[s.find(x)] = s.find(y)
	}
}

// register returns the sort of a register.
func (s *sorts) register(c *program.Class, r ir.Reg) int { return s.find(s.first[c] + int(r)) }

// variable returns the sort of a region.
func (s *sorts) variable(x int) int { return s.find(x) }

func (s *sorts) constant(x int, v int64) { s.note(s.consts, x, v) }

// note adds a number to those of a sort.
func (s *sorts) note(of map[int][]int64, x int, v int64) {
	if x < 0 {
		return
	}
	if x = s.find(x); !slices.Contains(of[x], v) {
		of[x] = append(of[x], v)
	}
}

func (s *sorts) edge(c *program.Class, op *ir.Op) {
	for _, e := range append([]*ir.Expr{op.Val, op.Val2, op.Cond, op.Addr}, op.Call.Args...) {
		e.Walk(func(x *ir.Expr) {
			if x.Op.IsCompare() {
				if n, ok := x.Y.IsConst(); ok && x.X.Op == ir.Sub {
					s.join(s.expr(c, x.X.X), s.expr(c, x.X.Y))
					s.note(s.gaps, s.expr(c, x.X.X), n)
				}
				s.same(s.expr(c, x.X), x.X, s.expr(c, x.Y), x.Y)
			}
			if n, ok := x.Y.IsConst(); ok && x.Op == ir.Add {
				s.note(s.deltas, s.expr(c, x.X), n)
			}
			if n, ok := x.Y.IsConst(); ok && n > 1 && n <= maxModulus && (x.Op == ir.Rem || x.Op == ir.And) {
				if x.Op == ir.And {
					n++
				}
				s.note(s.moduli, s.expr(c, x.X), n)
			}
		})
	}
	to := func(r ir.Reg) int {
		if r == ir.NoReg {
			return -1
		}
		return s.first[c] + int(r)
	}
	switch {
	case op.Kind == ir.Assign:
		s.flows(to(op.Dst), c, op.Val)
	case op.Kind == ir.Spawn:
		d := s.pr.ClassOf[op.Call.Threads[0]]
		for i, x := range op.Call.Args {
			s.flows(s.first[d]+i, c, x)
		}
	case op.Accesses():
		cell := s.pr.Locate(op, s.pr.Env(s.pr.Registers(c, "a"))).Region
		s.join(to(op.Dst), cell)
		if op.Kind == ir.Store || op.RMW == ir.Xchg || op.RMW == ir.Cas {
			s.flows(cell, c, op.Val)
			s.flows(cell, c, op.Val2)
		}
	}
}

// maxModulus bounds the divisors of candidates.
const maxModulus = 4

// flows makes a number and an expression one sort.
func (s *sorts) flows(to int, c *program.Class, e *ir.Expr) {
	if e == nil {
		return
	}
	s.same(to, nil, s.expr(c, e), e)
}

func (s *sorts) same(x int, ex *ir.Expr, y int, ey *ir.Expr) {
	s.join(x, y)
	if v, ok := ex.IsConst(); ok {
		s.constant(y, v)
	}
	if v, ok := ey.IsConst(); ok {
		s.constant(x, v)
	}
}

// expr returns a number of the sort of an expression; -1: it has none.
func (s *sorts) expr(c *program.Class, e *ir.Expr) int {
	if e == nil {
		return -1
	}
	switch e.Op {
	case ir.RegRef:
		return s.first[c] + int(e.Reg)
	case ir.Cast, ir.Neg:
		return s.expr(c, e.X)
	case ir.Add, ir.Sub:
		if _, ok := e.Y.IsConst(); ok {
			return s.expr(c, e.X)
		}
		if _, ok := e.X.IsConst(); ok {
			return s.expr(c, e.Y)
		}
	case ir.Ite:
		x, y := s.expr(c, e.Y), s.expr(c, e.Z)
		s.same(x, e.Y, y, e.Z)
		return max(x, y)
	}
	return -1
}
