package program

import (
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Constant propagation. C programs test constants, such as the kind of a mutex, and pass known
// addresses to threads. Registers with known values are replaced by these, and so is memory that
// never changes; edges that are never taken are dropped. Handles of threads become constants in
// this way, too.

// simplifier propagates constants through all threads.
type simplifier struct {
	p     *ir.Program
	keep  func(*ir.Edge) bool    // edges that are not dropped, whatever their condition
	open  map[ir.ThreadID]ir.Reg // registers with any initial value
	args  map[ir.ThreadID][]*ir.Expr
	bits  bool                // an operator on bits was removed
	fixed map[span]*fixedCell // cells that never change, or only before threads are started, as far as was asked
}

// fixedCell has the values of a cell that no thread writes after the first one was started.
type fixedCell struct {
	main   ir.ThreadID // the thread that initialises it; NoThread: it never changes
	by     []*ir.Expr  // by location of that thread; nil: not reached
	others *ir.Expr    // for the other threads
}

type span struct {
	addr int64
	size int
}

// PropagateConstants propagates constants in p, and changes its functions. It reports whether it removed operators on bits.
func PropagateConstants(p *ir.Program, keep func(*ir.Edge) bool, open map[ir.ThreadID]ir.Reg) (bits bool) {
	defer keepSectionsClosed(p)()
	for range 3 { // known addresses tell more about memory
		s := &simplifier{p: p, keep: keep, open: open, args: map[ir.ThreadID][]*ir.Expr{}, fixed: map[span]*fixedCell{}}
		at := map[ir.ThreadID][][]*ir.Expr{}
		for changed := true; changed; {
			changed = false
			for t := range p.Threads {
				id := ir.ThreadID(t)
				if p.Threads[t].Start || s.args[id] != nil {
					var more bool
					at[id], more = s.propagate(id)
					changed = changed || more
				}
			}
		}
		again := false
		for t := range p.Threads {
			if s.rewrite(ir.ThreadID(t), at[ir.ThreadID(t)]) {
				again = true
			}
		}
		p.Seal()
		if bits = bits || s.bits; !again {
			return bits
		}
	}
	return bits
}

// keepSectionsClosed returns what is called after edges were dropped. Where no way is left to the end of an atomic section, it
// adds one that is never taken: what is checked before that location is still checked.
func keepSectionsClosed(p *ir.Program) func() {
	inside := make([][]bool, len(p.Funcs))
	for i, f := range p.Funcs {
		inside[i], _ = ir.SectionLocs(f) // an error is found again when the actions are made
	}
	return func() {
		for i, f := range p.Funcs {
			if inside[i] == nil {
				continue
			}
			reached := Reachable(f, f.Entry)
			for l, in := range inside[i] {
				if in && reached[l] && len(f.Out(ir.Loc(l))) == 0 {
					closeSection(p, f, ir.Loc(l))
				}
			}
		}
		p.Seal()
	}
}

// closeSection adds the end of an atomic section that is never reached.
func closeSection(p *ir.Program, f *ir.Func, l ir.Loc) {
	never := ir.NewOp(ir.Assume)
	never.Val = ir.Int(0)
	for _, op := range []ir.Op{never, ir.NewOp(ir.AtomicEnd)} {
		next := ir.Loc(len(f.Locs))
		f.Locs = append(f.Locs, ir.Location{Name: f.Locs[l].Name + "'", Pos: f.Locs[l].Pos})
		f.Edges = append(f.Edges, ir.Edge{ID: p.NextEdge, Origin: p.NextEdge, From: l, To: next, Op: op, Pos: f.Locs[l].Pos, Pass: passName})
		p.NextEdge++
		l = next
	}
}

// unknown stands for a register with more than one value.
var unknown = &ir.Expr{}

// propagate returns the registers at each location of a thread; nil: not reached. It reports
// whether another thread's arguments changed.
func (s *simplifier) propagate(t ir.ThreadID) (at [][]*ir.Expr, changed bool) {
	f := s.p.ThreadFunc(t)
	at = make([][]*ir.Expr, len(f.Locs))
	at[f.Entry] = s.entry(t, f)
	for work := []ir.Loc{f.Entry}; len(work) > 0; {
		l := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range f.Out(l) {
			e := &f.Edges[i]
			after, possible := s.after(t, e, at[l])
			if !possible {
				continue
			}
			if e.Op.Kind == ir.Spawn {
				changed = s.spawn(&e.Op, at[l]) || changed
			}
			if merge(&at[e.To], after) {
				work = append(work, e.To)
			}
		}
	}
	return at, changed
}

func (s *simplifier) entry(t ir.ThreadID, f *ir.Func) []*ir.Expr {
	th := &s.p.Threads[t]
	regs := make([]*ir.Expr, len(f.Regs))
	for r := range regs {
		switch {
		case !th.Start && r < len(s.args[t]):
			regs[r] = s.args[t][r]
		case r < len(th.Args):
			regs[r] = ir.Int(th.Args[r])
		default:
			regs[r] = ir.Int(f.Regs[r].Init)
		}
	}
	if r, ok := s.open[t]; ok {
		regs[r] = unknown
	}
	return regs
}

// merge joins the registers of two paths, and reports a change.
func merge(at *[]*ir.Expr, regs []*ir.Expr) bool {
	if *at == nil {
		*at = slices.Clone(regs)
		return true
	}
	changed := false
	for r, x := range *at {
		if x != unknown && (regs[r] == unknown || !x.Equal(regs[r])) {
			(*at)[r], changed = unknown, true
		}
	}
	return changed
}

// spawn notes the arguments of started threads.
func (s *simplifier) spawn(op *ir.Op, regs []*ir.Expr) (changed bool) {
	args := make([]*ir.Expr, len(op.Call.Args))
	for i, a := range op.Call.Args {
		args[i] = known(s.value(a, regs, ir.NoReg))
	}
	for _, t := range op.Call.Threads {
		if s.args[t] == nil {
			s.args[t] = slices.Clone(args)
			if s.args[t] == nil {
				s.args[t] = []*ir.Expr{}
			}
			changed = true
		} else if list := s.args[t]; merge(&list, args) {
			changed = true
		}
	}
	return changed
}

// after returns the registers after an edge, and whether it can be taken.
func (s *simplifier) after(t ir.ThreadID, e *ir.Edge, regs []*ir.Expr) ([]*ir.Expr, bool) {
	op := &e.Op
	out := slices.Clone(regs)
	op.Defs(func(r ir.Reg) { out[r] = unknown })
	switch {
	case op.Kind == ir.Assume:
		if v, ok := s.value(op.Val, regs, ir.NoReg).IsConst(); ok && v == 0 && !s.keep(e) {
			return nil, false
		}
	case op.Kind == ir.Assign:
		out[op.Dst] = known(s.value(op.Val, regs, ir.NoReg))
	case op.Kind == ir.Spawn && len(op.Call.Threads) == 1 && op.Dst != ir.NoReg:
		out[op.Dst] = ir.Int(int64(op.Call.Threads[0]))
	case op.Kind == ir.Load:
		if v, ok := s.fixedValue(t, e, regs); ok {
			out[op.Dst] = ir.Int(v)
		}
	case op.Kind == ir.Lock && op.Mutex.Kind != ir.ErrorCheckMutex && op.Dst != ir.NoReg:
		out[op.Dst] = ir.Int(0)
	}
	return out, true
}

func known(e *ir.Expr) *ir.Expr {
	if e.Op == ir.Const || e.Op == ir.AddrOf {
		return e
	}
	return unknown
}

// value returns e with known values inserted. new is a register that stands for a later value.
func (s *simplifier) value(e *ir.Expr, regs []*ir.Expr, new ir.Reg) *ir.Expr {
	return s.fold(e.Map(func(x *ir.Expr) *ir.Expr {
		if x.Op == ir.RegRef && x.Reg != new && regs[x.Reg] != unknown {
			return regs[x.Reg]
		}
		return x
	}))
}

// fold evaluates sums and comparisons of addresses.
func (s *simplifier) fold(e *ir.Expr) *ir.Expr {
	if e == nil || e.X == nil {
		return e
	}
	c := *e
	c.X, c.Y, c.Z = s.fold(e.X), s.fold(e.Y), s.fold(e.Z)
	fixed := true
	for _, x := range []*ir.Expr{c.X, c.Y, c.Z} {
		fixed = fixed && (x == nil || known(x) != unknown)
	}
	if c.Op == ir.Add && c.Type.Bits == 64 && fixed {
		x, y := c.X, c.Y
		if x.Op == ir.Const {
			x, y = y, x
		}
		if n, ok := y.IsConst(); ok && x.Op == ir.AddrOf {
			return ir.Addr(x.Obj, x.Value+n)
		}
	}
	if fixed && (c.Op.IsCompare() || c.Op == ir.Not || c.Op == ir.LAnd || c.Op == ir.LOr) {
		return ir.Int(c.Eval(ir.Env{Prog: s.p}))
	}
	if c.Op == ir.Cast && c.Type.Bits == 64 && c.X.Op == ir.AddrOf {
		return c.X
	}
	if x := identity(&c); x != nil {
		s.bits = true
		return x
	}
	if c.X == e.X && c.Y == e.Y && c.Z == e.Z {
		return e
	}
	return &c
}

// identity returns the operand of an operator on bits that leaves a word as it is, or nil. A front end makes words out
// of parts, and parts out of words, also where a part is a word.
func identity(e *ir.Expr) *ir.Expr {
	zero := func(x *ir.Expr) bool { v, ok := x.IsConst(); return ok && v == 0 }
	switch {
	case e.Type.Bits != 64:
	case (e.Op == ir.Shl || e.Op == ir.Shr) && zero(e.Y), e.Op == ir.Or && zero(e.Y):
		return e.X
	case e.Op == ir.Or && zero(e.X):
		return e.Y
	}
	return nil
}

// fixedValue returns what a load reads, or false if that is not known.
func (s *simplifier) fixedValue(t ir.ThreadID, e *ir.Edge, regs []*ir.Expr) (int64, bool) {
	op := &e.Op
	addr, ok := s.constant(s.value(op.Addr, regs, ir.NoReg))
	if !ok {
		return 0, false
	}
	at := span{addr, op.Type.Size()}
	c, asked := s.fixed[at]
	if !asked {
		c = s.fixCell(at)
		s.fixed[at] = c
	}
	switch {
	case c == nil:
		return 0, false
	case c.main == ir.NoThread:
		return InitialValue(s.p, uint64(addr), op.Type), true
	}
	v := c.others
	if t == c.main {
		v = c.by[e.From]
	}
	if v == nil || v == unknown {
		return 0, false
	}
	return op.Type.Wrap(v.Value), true
}

func (s *simplifier) constant(addr *ir.Expr) (int64, bool) {
	return ConstantAddress(s.p, addr)
}

// fixCell returns the values of a cell that is written before threads are started at most, with constants or what is
// there already; nil if other stores may write it.
func (s *simplifier) fixCell(at span) *fixedCell {
	home := s.p.FindObject(uint64(at.addr), at.size)
	if home == ir.NoObject && !s.p.Cells {
		return nil
	}
	early, out := beforeSpawns(s.p), &fixedCell{main: ir.NoThread}
	for t := range s.p.Threads {
		f := s.p.ThreadFunc(ir.ThreadID(t))
		for i := range f.Edges {
			op := &f.Edges[i].Op
			if !op.Writes() && !UsesMutex(op) && op.Kind != ir.CondWait && op.Kind != ir.Barrier && op.Kind != ir.Free {
				continue
			}
			to, fixed := s.constant(op.Addr)
			switch {
			case !fixed && op.Obj != ir.NoObject && op.Obj != home:
			case !fixed:
				return nil
			case to+int64(AccessSize(op)) <= at.addr || at.addr+int64(at.size) <= to:
			case op.Kind != ir.Store || to != at.addr || op.Type.Size() != at.size:
				return nil
			default:
				v, ok := op.Val.IsConst()
				if ok && op.Type.Wrap(v) == InitialValue(s.p, uint64(to), op.Type) {
					continue
				}
				if !early(f, f.Edges[i].From) {
					return nil
				}
				out.main = ir.ThreadID(t)
			}
		}
	}
	if out.main != ir.NoThread {
		if !s.initialised(at, out) {
			return nil
		}
	}
	return out
}

// initialised finds the values of a cell that only the main thread writes. It returns false if another thread may
// write it after all.
func (s *simplifier) initialised(at span, c *fixedCell) bool {
	for t := range s.p.Threads {
		f := s.p.ThreadFunc(ir.ThreadID(t))
		for i := range f.Edges {
			if ir.ThreadID(t) != c.main && s.storesTo(&f.Edges[i].Op, at) {
				return false // of the initial value, which is not the value any more
			}
		}
	}
	f := s.p.ThreadFunc(c.main)
	values := make([][]*ir.Expr, len(f.Locs))
	t := ir.Type{Bits: uint8(8 * at.size), Signed: true}
	values[f.Entry] = []*ir.Expr{ir.Int(InitialValue(s.p, uint64(at.addr), t))}
	var others []*ir.Expr
	early := beforeSpawns(s.p)
	for work := []ir.Loc{f.Entry}; len(work) > 0; {
		l := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range f.Out(l) {
			e := &f.Edges[i]
			after := values[l]
			if s.storesTo(&e.Op, at) {
				if !early(f, l) {
					return false
				}
				if after = []*ir.Expr{unknown}; e.Op.Val.Op == ir.Const {
					after = []*ir.Expr{ir.Int(t.Wrap(e.Op.Val.Value))}
				}
			}
			if merge(&values[e.To], after) {
				work = append(work, e.To)
			}
		}
	}
	c.by = make([]*ir.Expr, len(f.Locs))
	for l, v := range values {
		if v != nil {
			c.by[l] = v[0]
		}
	}
	for i := range f.Edges {
		if e := &f.Edges[i]; e.Op.Kind == ir.Spawn && c.by[e.From] != nil {
			merge(&others, []*ir.Expr{c.by[e.From]})
		}
	}
	if others != nil {
		c.others = others[0]
	}
	return true
}

// readsInitialised reports whether a load at a constant address reads a cell that the main thread initialises for others.
func (s *simplifier) readsInitialised(op *ir.Op) bool {
	addr, fixed := s.constant(op.Addr)
	c := s.fixed[span{addr, op.Type.Size()}]
	return fixed && c != nil && c.others != nil
}

// storesTo reports whether an operation is a store to exactly this cell.
func (s *simplifier) storesTo(op *ir.Op, at span) bool {
	if op.Kind != ir.Store {
		return false
	}
	to, fixed := s.constant(op.Addr)
	return fixed && to == at.addr && op.Type.Size() == at.size
}

// rewrite inserts known values into a thread, and reports whether anything changed.
func (s *simplifier) rewrite(t ir.ThreadID, at [][]*ir.Expr) (changed bool) {
	f := s.p.ThreadFunc(t)
	if at == nil {
		at = make([][]*ir.Expr, len(f.Locs))
	}
	var edges []ir.Edge
	for i := range f.Edges {
		e := f.Edges[i]
		regs := at[e.From]
		if regs == nil {
			changed = true
			continue
		}
		if _, possible := s.after(t, &e, regs); !possible {
			changed = true
			continue
		}
		if e.Op.Kind == ir.Load {
			if v, ok := s.fixedValue(t, &e, regs); ok && s.readsInitialised(&e.Op) {
				set := ir.NewOp(ir.Assign)
				set.Dst, set.Val = e.Op.Dst, ir.Int(v)
				e.Op, e.Pass, changed = set, passName, true
			}
		}
		new := ir.NoReg
		if e.Op.Kind == ir.AbstractLoad || e.Op.Kind == ir.Havoc {
			new = e.Op.Dst
		}
		e.Op.Exprs(func(x *ir.Expr) *ir.Expr {
			y := s.value(x, regs, new)
			changed = changed || !x.Equal(y)
			return y
		})
		edges = append(edges, e)
	}
	f.Edges = edges
	return changed
}

// DropDeadAddresses removes assignments and arguments of addresses that are never read: if all uses of an
// address are constants, the program does not use it as a value.
func DropDeadAddresses(p *ir.Program) {
	holds := func(e *ir.Expr) bool {
		found := false
		e.Walk(func(x *ir.Expr) { found = found || x.Op == ir.AddrOf })
		return found
	}
	live := make([]func(ir.Loc, ir.Reg) bool, len(p.Funcs))
	for changed := true; changed; {
		changed = false
		for i, f := range p.Funcs {
			live[i] = analysis.Liveness(f)
		}
		for i, f := range p.Funcs {
			for k := range f.Edges {
				e := &f.Edges[k]
				if e.Op.Kind == ir.Assign && holds(e.Op.Val) && !live[i](e.To, e.Op.Dst) {
					e.Op, e.Pass, changed = ir.NewOp(ir.Nop), passName, true
				}
				if e.Op.Kind != ir.Spawn {
					continue
				}
				args := slices.Clone(e.Op.Call.Args)
				for n, a := range args {
					used := slices.ContainsFunc(e.Op.Call.Threads, func(t ir.ThreadID) bool {
						return live[p.Threads[t].Func](p.ThreadFunc(t).Entry, ir.Reg(n))
					})
					if holds(a) && !used {
						args[n], changed = ir.Int(0), true
					}
				}
				e.Op.Call.Args = args
			}
		}
	}
}
