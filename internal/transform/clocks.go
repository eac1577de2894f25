//go:build !fencepost_small

package transform

import (
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Clocks. A clock can show any time, and engines try few of them. Many programs read a clock only to
// print how long they took, or to seed a generator that is ignored: whatever the clock shows, the
// program does the same. For such a clock one time is enough.
//
// The times that a clock shows spread from registers to registers, and by stores and loads from
// objects to registers. They matter as soon as an operation other than a copy or a computation uses
// one: a condition, an address, an argument of a thread, a compare-exchange. The spread is followed
// along the edges for registers, since temporaries are used again and again; an object that ever
// holds a time counts as holding one always. A store to memory that is not known makes the time
// matter.
//
// A Havoc that is Timed picks the time. The branch that follows it, which asks for a time that is not
// tried, does not count as a use.

const clocksPass = "clocks"

// clocks is the pass.
func clocks(p *ir.Program, opt Options) (*ir.Program, error) {
	if opt.Observed || !readsClock(p) {
		return p, nil
	}
	out := *p
	out.Funcs = slices.Clone(p.Funcs)
	s := newSpread(p, opt.Objects)
	for id, f := range p.Funcs {
		for i := range f.Edges {
			if op := &f.Edges[i].Op; op.Kind != ir.Havoc || !op.Timed {
				continue
			}
			if opt.Stop != nil {
				if err := opt.Stop(); err != nil {
					return nil, err
				}
			}
			if s.matters(id, i) {
				continue
			}
			if out.Funcs[id] == f {
				out.Funcs[id] = f.Copy()
			}
			e := &out.Funcs[id].Edges[i]
			e.Op.Range, e.Pass = ir.Range{Bounded: true}, clocksPass
		}
	}
	out.Seal()
	return &out, nil
}

func readsClock(p *ir.Program) bool {
	for _, f := range p.Funcs {
		for i := range f.Edges {
			if op := &f.Edges[i].Op; op.Kind == ir.Havoc && op.Timed {
				return true
			}
		}
	}
	return false
}

// timedAt is a register that holds a time at a location.
type timedAt struct {
	f   int
	at  ir.Loc
	reg ir.Reg
}

// spread follows the time that one clock shows through a program.
type spread struct {
	p        *ir.Program
	flows    []*analysis.PointsTo // by function
	observed []ir.ObjectID        // by properties
	escaped  map[analysis.Pointee]bool
	holds    map[timedAt]bool
	memory   map[analysis.Pointee]bool // that holds a time
	work     []timedAt
}

func newSpread(p *ir.Program, observed []ir.ObjectID) *spread {
	s := &spread{p: p, observed: observed, escaped: map[analysis.Pointee]bool{}}
	for o := range p.Objects {
		if p.Objects[o].Cells || analysis.AddressedInMemory(p, &p.Objects[o]) {
			s.escaped[analysis.Pointee{Object: ir.ObjectID(o), Alloc: ir.NoEdge}] = true
		}
	}
	for _, f := range p.Funcs {
		flow := analysis.NewPointsTo(f)
		flow.Pointees(func(to analysis.Pointee, confined bool) {
			if !confined {
				s.escaped[to] = true
			}
		})
		s.flows = append(s.flows, flow)
	}
	return s
}

// matters reports whether what the program does may depend on the time that an edge picks.
func (s *spread) matters(id, edge int) bool {
	s.holds, s.memory, s.work = map[timedAt]bool{}, map[analysis.Pointee]bool{}, nil
	pick := &s.p.Funcs[id].Edges[edge]
	s.reach(timedAt{id, pick.To, pick.Op.Dst})
	for {
		for len(s.work) > 0 {
			x := s.work[len(s.work)-1]
			s.work = s.work[:len(s.work)-1]
			f := s.p.Funcs[x.f]
			for _, i := range f.Out(x.at) {
				e := &f.Edges[i]
				asks := x.f == id && e.From == pick.To && x.reg == pick.Op.Dst && e.Op.Kind == ir.Assume
				if usesRegister(&e.Op, x.reg) && !asks && !s.takes(x.f, e) {
					return true
				}
				if e.Op.Dst != x.reg && e.Op.Dst2 != x.reg {
					s.reach(timedAt{x.f, e.To, x.reg})
				}
			}
		}
		switch grew, matters := s.read(); {
		case matters:
			return true
		case !grew:
			return slices.ContainsFunc(s.observed, func(o ir.ObjectID) bool {
				return s.memory[analysis.Pointee{Object: o, Alloc: ir.NoEdge}]
			})
		}
	}
}

func (s *spread) reach(x timedAt) {
	if !s.holds[x] {
		s.holds[x] = true
		s.work = append(s.work, x)
	}
}

func usesRegister(op *ir.Op, r ir.Reg) bool {
	found := false
	op.Uses(func(u ir.Reg) { found = found || u == r })
	return found
}

// takes handles an operation that uses a time. It reports false if the time matters there.
func (s *spread) takes(id int, e *ir.Edge) bool {
	switch op := &e.Op; op.Kind {
	case ir.Assign:
		s.reach(timedAt{id, e.To, op.Dst})
		return true
	case ir.Store:
		to := s.reached(id, e)
		if len(to) == 0 || s.mentionsTime(id, e, op.Addr) {
			return false
		}
		for _, m := range to {
			s.memory[m] = true
		}
		return true
	case ir.Assert: // whether a value is defined does not depend on the time that it holds
		return op.Report.Class == ir.Uninitialised && !s.mentionsTime(id, e, op.Val)
	}
	return false
}

// mentionsTime reports whether a register of an expression holds a time before an edge.
func (s *spread) mentionsTime(id int, e *ir.Edge, x *ir.Expr) bool {
	found := false
	x.Walk(func(x *ir.Expr) {
		found = found || x.Op == ir.RegRef && s.holds[timedAt{id, e.From, x.Reg}]
	})
	return found
}

// reached returns the memory that an access may reach, nil if that is not known.
func (s *spread) reached(id int, e *ir.Edge) []analysis.Pointee {
	if e.Op.Addr.Op == ir.AddrOf {
		return []analysis.Pointee{{Object: e.Op.Addr.Obj, Alloc: ir.NoEdge}}
	}
	return s.flows[id].Reaches(e)
}

// read follows times from memory to the registers that loads write. It reports whether a register is
// new, and whether another operation than a load reads a time.
func (s *spread) read() (grew, matters bool) {
	if len(s.memory) == 0 {
		return false, false
	}
	before := len(s.holds)
	for id, f := range s.p.Funcs {
		for i := range f.Edges {
			e := &f.Edges[i]
			if e.Op.Addr == nil || e.Op.Kind == ir.Store || e.Op.Kind == ir.Free || !s.mayHold(id, e) {
				continue
			}
			if e.Op.Kind != ir.Load {
				return false, true
			}
			s.reach(timedAt{id, e.To, e.Op.Dst})
		}
	}
	return len(s.holds) > before, false
}

// mayHold reports whether the memory that an operation reads may hold a time.
func (s *spread) mayHold(id int, e *ir.Edge) bool {
	if from := s.reached(id, e); len(from) > 0 {
		return slices.ContainsFunc(from, func(m analysis.Pointee) bool { return s.memory[m] })
	}
	for m := range s.memory {
		if s.escaped[m] {
			return true
		}
	}
	return false
}
