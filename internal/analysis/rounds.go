package analysis

import (
	"encoding/binary"

	"fencepost/internal/ir"
)

// Rounds: how often can one execution of an automaton take an edge? Constants usually decide
// it: for (i = 0; i < N; i++). The automaton is run on the registers and memory cells that
// the conditions of the loops around the edge depend on, each with a known value or none. A
// condition that has no known value goes both ways. A state is a location, these values and
// the number of times that the edge was taken, so the largest number in any state is an
// upper bound; without one the run ends at a limit.
//
// Cells are memory at addresses that are fixed in the automaton. The run sees only the
// stores of this automaton to exactly these cells. Other threads, and accesses through
// computed addresses, may change a cell as well; a result that depends on a cell is
// therefore a guess.

// maxRoundStates limits the states of one run.
const maxRoundStates = 1 << 16

// Rounds is the answer to how often an edge can be taken.
type Rounds struct {
	Most  int  // the largest number of times
	Known bool // false: no number up to the limit was found
	Guess bool // the number depends on memory that something else may change
}

// RoundsOf returns how often one execution of f takes the edge with index at. It gives up
// above limit.
func RoundsOf(p *ir.Program, f *ir.Func, at, limit int) Rounds {
	r := &rounds{p: p, f: f, at: at, vars: map[variable]int{}, allocs: soleAllocs(f)}
	r.relevant(Components(f, nil))
	most, known := r.run(limit)
	return Rounds{Most: most, Known: known, Guess: r.guess}
}

// variable is a register, or a cell of memory.
type variable struct {
	reg   ir.Reg // NoReg: a cell
	obj   ir.ObjectID
	alloc ir.EdgeID // of the block of a cell; NoEdge: the cell belongs to obj
	off   int64
	size  int
}

func register(r ir.Reg) variable {
	return variable{reg: r, obj: ir.NoObject, alloc: ir.NoEdge}
}

// rounds is one run.
type rounds struct {
	p      *ir.Program
	f      *ir.Func
	at     int
	allocs map[ir.Reg]ir.EdgeID // registers that only ever hold the address of one block
	vars   map[variable]int     // the variables that matter, with their positions in an environment
	order  []variable
	guess  bool
}

// soleAllocs returns the registers with a single definition that is an allocation.
func soleAllocs(f *ir.Func) map[ir.Reg]ir.EdgeID {
	defs := map[ir.Reg]int{}
	out := map[ir.Reg]ir.EdgeID{}
	for i := range f.Edges {
		e := &f.Edges[i]
		e.Op.Defs(func(r ir.Reg) { defs[r]++ })
		if e.Op.Kind == ir.Alloc {
			out[e.Op.Dst] = e.ID
		}
	}
	for r := range out {
		if defs[r] != 1 || int(r) < f.Params {
			delete(out, r)
		}
	}
	return out
}

// cell returns the cell that an access with a fixed address accesses.
func (r *rounds) cell(op *ir.Op) (variable, bool) {
	v := variable{reg: ir.NoReg, obj: ir.NoObject, alloc: ir.NoEdge, size: op.Type.Size()}
	addr := op.Addr
	if addr.Op == ir.Add {
		if k, ok := addr.Y.IsConst(); ok {
			v.off, addr = k, addr.X
		}
	}
	switch addr.Op {
	case ir.AddrOf:
		v.obj = addr.Obj
		v.off += addr.Value
		return v, true
	case ir.RegRef:
		id, ok := r.allocs[addr.Reg]
		v.alloc = id
		return v, ok
	}
	return v, false
}

// relevant collects the variables that the conditions in the loops around the edge depend on.
func (r *rounds) relevant(comp []int32) {
	loop := comp[r.f.Edges[r.at].From]
	for i := range r.f.Edges {
		e := &r.f.Edges[i]
		if comp[e.From] == loop && e.Op.Kind == ir.Assume {
			r.need(e.Op.Val)
		}
	}
	for known := -1; known != len(r.order); {
		known = len(r.order)
		for i := range r.f.Edges {
			if v, _, val := r.assigns(&r.f.Edges[i]); v >= 0 && val != nil {
				r.need(val)
			} else if v >= 0 {
				r.needCell(&r.f.Edges[i].Op)
			}
		}
	}
}

func (r *rounds) need(e *ir.Expr) {
	e.Walk(func(leaf *ir.Expr) {
		if leaf.Op == ir.RegRef {
			r.add(register(leaf.Reg))
		}
	})
}

func (r *rounds) needCell(op *ir.Op) {
	if op.Kind != ir.Load {
		return
	}
	if v, ok := r.cell(op); ok {
		r.add(v)
		r.guess = r.guess || v.obj == ir.NoObject || !r.p.Objects[v.obj].ReadOnly
	}
}

func (r *rounds) add(v variable) {
	if _, ok := r.vars[v]; !ok {
		r.vars[v] = len(r.order)
		r.order = append(r.order, v)
	}
}

// assigns returns the position of the relevant variable that an edge writes, -1 if it writes
// none, with the type and the expression that it writes; the expression is nil if the value
// is not computed from registers.
func (r *rounds) assigns(e *ir.Edge) (int, ir.Type, *ir.Expr) {
	if e.Op.Kind == ir.Store {
		if v, ok := r.cell(&e.Op); ok {
			if i, ok := r.vars[v]; ok {
				return i, e.Op.Type, e.Op.Val
			}
		}
		return -1, ir.S64, nil
	}
	at := -1
	e.Op.Defs(func(reg ir.Reg) {
		if i, ok := r.vars[register(reg)]; ok {
			at = i
		}
	})
	if e.Op.Kind == ir.Assign {
		return at, ir.S64, e.Op.Val
	}
	return at, ir.S64, nil
}

// value is a number that is known or not.
type value struct {
	n     int64
	known bool
}

// state is a location, the values of the relevant variables, and how often the edge was taken.
type state struct {
	at    ir.Loc
	taken int
	env   []value
}

func (s *state) key() string {
	b := binary.AppendUvarint(nil, uint64(s.at))
	b = binary.AppendUvarint(b, uint64(s.taken))
	for _, v := range s.env {
		if !v.known {
			b = append(b, 0)
			continue
		}
		b = append(b, 1)
		b = binary.AppendVarint(b, v.n)
	}
	return string(b)
}

// run explores the states. It returns false if the edge can be taken more often than limit,
// or if there are too many states to tell.
func (r *rounds) run(limit int) (int, bool) {
	first := state{at: r.f.Entry, env: make([]value, len(r.order))}
	for i, v := range r.order {
		first.env[i] = r.initial(v)
	}
	return explore(first, limit, maxRoundStates, func(s *state, reach func(state) bool) bool {
		for _, i := range r.f.Out(s.at) {
			if next, ok := r.step(s, int(i)); ok && !reach(next) {
				return false
			}
		}
		return true
	})
}

// explore visits the states from the first on, and returns how often a path takes the edge, at most. It returns false if that
// is more often than limit, if there are too many states, or if expand returns false. expand calls reach for the
// states that come next, and gives up where reach returns false.
func explore(first state, limit, states int, expand func(s *state, reach func(state) bool) bool) (most int, ok bool) {
	seen := map[string]bool{first.key(): true}
	work := []state{first}
	most = first.taken
	reach := func(next state) bool {
		if next.taken > limit || len(seen) > states {
			return false
		}
		most = max(most, next.taken)
		if k := next.key(); !seen[k] {
			seen[k] = true
			work = append(work, next)
		}
		return true
	}
	for len(work) > 0 {
		s := work[len(work)-1]
		work = work[:len(work)-1]
		if !expand(&s, reach) {
			return 0, false
		}
	}
	return most, true
}

// initial returns the value of a variable at the beginning. Blocks begin with anything.
func (r *rounds) initial(v variable) value {
	switch {
	case v.reg != ir.NoReg:
		return value{r.f.Regs[v.reg].Init, int(v.reg) >= r.f.Params}
	case v.obj == ir.NoObject:
		return value{}
	}
	o := &r.p.Objects[v.obj]
	if v.off < 0 || v.off+int64(v.size) > o.Size {
		return value{}
	}
	var n uint64
	for i := range v.size {
		if at := v.off + int64(i); at < int64(len(o.Init)) {
			n |= uint64(o.Init[at]) << (8 * i)
		}
	}
	return value{int64(n), true}
}

// step takes an edge, or returns false if it cannot be taken.
func (r *rounds) step(s *state, i int) (state, bool) {
	e := &r.f.Edges[i]
	if e.Op.Terminal() {
		return state{}, false
	}
	if e.Op.Kind == ir.Assume {
		if v := r.eval(e.Op.Val, s.env); v.known && v.n == 0 {
			return state{}, false
		}
	}
	next := state{at: e.To, taken: s.taken, env: s.env}
	if i == r.at {
		next.taken++
	}
	at, typ, val := r.assigns(e)
	if at < 0 {
		return next, true
	}
	next.env = append([]value(nil), s.env...)
	next.env[at] = value{}
	switch {
	case val != nil:
		if v := r.eval(val, s.env); v.known {
			next.env[at] = value{typ.Wrap(v.n), true}
		}
	case e.Op.Kind == ir.Load:
		c, ok := r.cell(&e.Op)
		k, matters := r.vars[c]
		if ok && matters {
			if v := s.env[k]; v.known {
				next.env[at] = value{e.Op.Type.Wrap(v.n), true}
			}
		}
	}
	return next, true
}

// eval evaluates an expression. A connective or a choice can be known although a part is not.
func (r *rounds) eval(e *ir.Expr, env []value) value {
	switch {
	case e.Op == ir.Const:
		return value{e.Value, true}
	case e.Op == ir.RegRef:
		if i, ok := r.vars[register(e.Reg)]; ok {
			return env[i]
		}
	case e.Op == ir.LAnd || e.Op == ir.LOr:
		x, y := r.eval(e.X, env), r.eval(e.Y, env)
		absorbs := func(v value) bool { return v.known && (v.n != 0) == (e.Op == ir.LOr) }
		if absorbs(x) || absorbs(y) || x.known && y.known {
			return value{ir.EvalBinary(e.Op, e.Type, x.n, y.n), true}
		}
	case e.Op == ir.Ite:
		if x := r.eval(e.X, env); x.known && x.n != 0 {
			return r.eval(e.Y, env)
		} else if x.known {
			return r.eval(e.Z, env)
		}
	case e.Op.IsUnary():
		if x := r.eval(e.X, env); x.known {
			return value{ir.EvalUnary(e.Op, e.Type, x.n), true}
		}
	case e.Op.IsBinary():
		x, y := r.eval(e.X, env), r.eval(e.Y, env)
		if x.known && y.known {
			return value{ir.EvalBinary(e.Op, e.Type, x.n, y.n), true}
		}
	}
	return value{}
}
