package testkit

import "fencepost/internal/ir"

// Sections of profile Inside: they never wait, and have everything else that is allowed inside a section.

// mixture returns n statements for an atomic section of profile Inside.
func (g *generator) mixture(n, depth int) []Stmt {
	var out []Stmt
	for range n {
		s := g.statement()
		k := g.r.IntN(100)
		switch {
		case g.pr.Sync && k < 35:
			s.Val = int64(g.r.IntN(2))
			s.Kind = []Kind{Signal, Signal, Bcast, TryLock}[g.r.IntN(4)]
			if s.Kind == TryLock && depth == 0 {
				s.Body = g.mixture(g.r.IntN(2), 1)
			}
		case g.pr.Heap && k < 50:
			s = g.heap()
		case g.pr.Reuse && k < 40 && depth == 0:
			s, _ = g.reuse(2)
		case k < 85:
			s.Kind = []Kind{Store, Load, Load, StoreReg, Load, Rmw}[g.r.IntN(6)]
			s.RMW = []ir.RMWKind{ir.Xchg, ir.FetchAdd, ir.Cas}[g.r.IntN(3)]
		case k < 94 && depth == 0:
			s.Kind = []Kind{If, Choose}[g.r.IntN(2)]
			s.Body, s.Else = g.mixture(1, 1), g.mixture(g.r.IntN(2), 1)
		default:
			s.Kind = []Kind{Incr, Assert, Havoc, ALoad, Assume, Fence}[g.r.IntN(6)]
			if s.Kind == Havoc {
				s.Val = 1
			}
		}
		out = append(out, s)
	}
	return out
}
