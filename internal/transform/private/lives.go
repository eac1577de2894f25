//go:build !fencepost_small

package private

import (
	"fmt"
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Lives of registers. Machine code has few registers and uses each for many things. What a register may hold is asked
// of it as a whole (analysis.PointsTo), so that a register that once has the address of a frame, and elsewhere takes part
// in a computation, seems to let the address out. So every life of a register becomes a register of its own.
//
// A life is a connected part of the locations at which the register is live: control can go from one to the next without
// a new value. All values that one use may find belong to one life, and nothing else does. Values that no use finds are
// written to a register that is never live.

// mostLives is how many pairs of a location and a live register are looked at. A program with more is beyond any search.
const mostLives = 1 << 24

// splitLives returns the function with a register for each life of a register, nil if there is nothing to split.
func splitLives(f *ir.Func) *ir.Func {
	s := lifeSplitter{f: f, live: analysis.Liveness(f), defs: make([]int, len(f.Regs)), first: make([]int32, len(f.Locs)+1)}
	for i := range f.Edges {
		f.Edges[i].Op.Defs(func(r ir.Reg) { s.defs[r]++ })
	}
	if !s.number() {
		return nil
	}
	s.connect()
	out := f.Copy()
	out.Regs = slices.Clone(f.Regs)
	s.out = out
	s.begin()
	for i := range out.Edges {
		s.rename(&out.Edges[i])
	}
	if len(out.Regs) == len(f.Regs) {
		return nil
	}
	return out
}

// lifeSplitter splits the registers of a function.
type lifeSplitter struct {
	f, out *ir.Func
	live   func(ir.Loc, ir.Reg) bool
	defs   []int    // by register: how many edges give it a value
	first  []int32  // by location: the number of its first pair
	regs   []ir.Reg // by pair: the register; those of a location are in order
	parent []int32  // by pair: another one of the same life, or itself
	taken  []bool   // by register: a life has its name
	name   map[int32]ir.Reg
	unused map[ir.Reg]ir.Reg // by register: the one for values that no use finds
	names  map[string]bool
}

// number gives numbers to the pairs of a location and a register that is live there and gets several values. It reports
// whether there are any, and not too many.
func (s *lifeSplitter) number() bool {
	var many []ir.Reg
	for r, n := range s.defs {
		if n > 1 || n == 1 && r < s.f.Params {
			many = append(many, ir.Reg(r))
		}
	}
	for l := range s.f.Locs {
		s.first[l] = int32(len(s.regs))
		for _, r := range many {
			if s.live(ir.Loc(l), r) {
				s.regs = append(s.regs, r)
			}
		}
		if len(s.regs) > mostLives {
			return false
		}
	}
	s.first[len(s.f.Locs)] = int32(len(s.regs))
	s.parent = make([]int32, len(s.regs))
	for i := range s.parent {
		s.parent[i] = int32(i)
	}
	return len(many) > 0
}

// pair returns the number of a pair, -1 if it has none.
func (s *lifeSplitter) pair(l ir.Loc, r ir.Reg) int32 {
	low, high := s.first[l], s.first[l+1]
	for low < high {
		if mid := (low + high) / 2; s.regs[mid] < r {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low < s.first[l+1] && s.regs[low] == r {
		return low
	}
	return -1
}

// life returns the pair that stands for the life of a pair.
func (s *lifeSplitter) life(i int32) int32 {
	for s.parent[i] != i {
		s.parent[i] = s.parent[s.parent[i]]
		i = s.parent[i]
	}
	return i
}

// connect joins the pairs between which control goes without giving the register a value.
func (s *lifeSplitter) connect() {
	for i := range s.f.Edges {
		e := &s.f.Edges[i]
		if e.Op.Terminal() {
			continue
		}
		from, to := s.first[e.From], s.first[e.To]
		for from < s.first[e.From+1] && to < s.first[e.To+1] {
			switch r := s.regs[from]; {
			case r < s.regs[to]:
				from++
			case r > s.regs[to]:
				to++
			default:
				if !e.Op.Sets(r) && e.Op.Undef.Dst != r {
					s.parent[s.life(from)] = s.life(to)
				}
				from, to = from+1, to+1
			}
		}
	}
}

// begin leaves the registers that are live at the entry as they are.
func (s *lifeSplitter) begin() {
	s.taken, s.name, s.unused = make([]bool, len(s.f.Regs)), map[int32]ir.Reg{}, map[ir.Reg]ir.Reg{}
	s.names = map[string]bool{}
	for i := range s.f.Regs {
		s.names[s.f.Regs[i].Name] = true
	}
	for i := s.first[s.f.Entry]; i < s.first[s.f.Entry+1]; i++ {
		s.name[s.life(i)], s.taken[s.regs[i]] = s.regs[i], true
	}
	for r := range s.f.Params {
		s.taken[r] = true
	}
}

// at returns the register for the life of a register at a location.
func (s *lifeSplitter) at(l ir.Loc, r ir.Reg) ir.Reg {
	if s.defs[r] == 0 || s.defs[r] == 1 && int(r) >= s.f.Params {
		return r
	}
	i := s.pair(l, r)
	if i < 0 {
		if _, ok := s.unused[r]; !ok {
			s.unused[r] = s.another(r)
		}
		return s.unused[r]
	}
	life := s.life(i)
	name, ok := s.name[life]
	if !ok {
		if name = r; s.taken[r] {
			name = s.another(r)
		}
		s.name[life], s.taken[r] = name, true
	}
	return name
}

// another returns a new register like an old one.
func (s *lifeSplitter) another(r ir.Reg) ir.Reg {
	reg := s.f.Regs[r]
	for n := 2; ; n++ {
		if name := fmt.Sprintf("%s.%d", s.f.Regs[r].Name, n); !s.names[name] {
			reg.Name, s.names[name] = name, true
			break
		}
	}
	s.out.Regs = append(s.out.Regs, reg)
	return ir.Reg(len(s.out.Regs) - 1)
}

// rename puts the registers of an edge's lives into it: those before the edge where it reads, those after it where it
// writes.
func (s *lifeSplitter) rename(e *ir.Edge) {
	op := &e.Op
	result := op.Dst
	old := func(r ir.Reg) ir.Reg { return s.at(e.From, r) }
	to := func(r ir.Reg) ir.Reg {
		if r == ir.NoReg {
			return r
		}
		if op.Terminal() {
			return s.at(e.From, r)
		}
		return s.at(e.To, r)
	}
	op.Dst, op.Dst2, op.Undef.Dst = to(op.Dst), to(op.Dst2), to(op.Undef.Dst)
	put := func(x *ir.Expr, r ir.Reg) *ir.Expr {
		y := *x
		y.Reg = r
		return &y
	}
	cond := op.Cond
	op.Exprs(func(x *ir.Expr) *ir.Expr {
		asks := x == cond && (op.Kind == ir.Havoc || op.Kind == ir.AbstractLoad) // about the new value
		return x.Map(func(y *ir.Expr) *ir.Expr {
			if y.Op != ir.RegRef {
				return y
			}
			if asks && y.Reg == result {
				return put(y, op.Dst)
			}
			return put(y, old(y.Reg))
		})
	})
}
