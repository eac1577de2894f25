package herd

// A program whose main thread starts the others, joins them and then asserts, as a litmus test: what main stores before the
// first start is the initial state, and an assertion after the last join is a condition on final states. Main is run by
// hand: before the first start its values are known; after the last join what it loads stands for the final value of a
// variable, and it runs along every path.

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"fencepost/internal/export"
	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/source"
)

// mainRun runs the main thread.
type mainRun struct {
	export.Refuser
	p     *ir.Program
	f     *ir.Func
	used  map[ir.ObjectID]bool // objects that another thread accesses
	args  map[ir.ThreadID][]int64
	init  map[ir.ObjectID][]byte // initial values, where main changes them
	vars  []property.Var         // what loads after the last join stand for
	fails []*ir.Expr             // conditions under which an assertion fails
	texts []string               // of these assertions
	pos   source.Span            // of the first of them
	steps int
}

// mainState is a state of the main thread.
type mainState struct {
	regs    []*ir.Expr
	cells   map[cell]*ir.Expr // what main has stored, as far as it is not in init
	path    *ir.Expr          // under which it comes here
	started []ir.ThreadID
	joined  map[ir.ThreadID]bool
}

// maxMainSteps bounds the steps of the main thread, over all paths.
const maxMainSteps = 10_000

// withoutMain returns a program without the main thread that starts and joins the others, and its questions. A program
// without a main thread stays as it is.
func withoutMain(p *ir.Program, props *property.Set) (*ir.Program, *property.Set, []export.Refusal) {
	if p.Main == ir.NoThread || !slices.ContainsFunc(p.Threads, func(th ir.Thread) bool { return !th.Start }) {
		return p, props, nil
	}
	r := &mainRun{p: p, f: p.ThreadFunc(p.Main), used: map[ir.ObjectID]bool{}, args: map[ir.ThreadID][]int64{}, init: map[ir.ObjectID][]byte{}}
	r.findUsed()
	s := &mainState{cells: map[cell]*ir.Expr{}, path: ir.Int(1), joined: map[ir.ThreadID]bool{}}
	for i := range r.f.Regs {
		v := r.f.Regs[i].Init
		if args := p.Threads[p.Main].Args; i < len(args) {
			v = args[i]
		}
		s.regs = append(s.regs, ir.Int(v))
	}
	r.from(r.f.Entry, s)
	if props.Final != nil {
		r.Refuse(props.Final.Pos, "a final condition beside a main thread that starts others cannot be exported to a litmus test")
	}
	if len(r.Refusals) > 0 {
		return nil, nil, r.Refusals
	}
	return r.program(), r.questions(props), nil
}

// findUsed finds the objects of the other threads.
func (r *mainRun) findUsed() {
	for t := range r.p.Threads {
		f := r.p.ThreadFunc(ir.ThreadID(t))
		for i := range f.Edges {
			e := &f.Edges[i]
			if ir.ThreadID(t) == r.p.Main {
				continue
			}
			if e.Op.Kind == ir.Spawn || e.Op.Kind == ir.Join {
				r.Refuse(e.Pos, "threads that are started or joined by others than the main thread cannot be exported to a litmus test")
			}
			e.Op.Exprs(func(x *ir.Expr) *ir.Expr {
				x.Walk(func(x *ir.Expr) {
					if x.Op == ir.AddrOf {
						r.used[x.Obj] = true
					}
				})
				return x
			})
		}
	}
}

// eval returns an expression with the values of a state, as a number where it is one.
func (r *mainRun) eval(e *ir.Expr, regs []*ir.Expr) *ir.Expr {
	return e.Map(func(x *ir.Expr) *ir.Expr {
		switch x.Op {
		case ir.RegRef:
			return regs[x.Reg]
		case ir.AddrOf, ir.FuncAddr:
			return ir.Int(x.Eval(ir.Env{Prog: r.p}))
		}
		return r.simplify(x)
	})
}

// simplify returns an expression, whose operands are simple, in the form that conditions of litmus tests have.
func (r *mainRun) simplify(x *ir.Expr) *ir.Expr {
	symbols := false
	x.Walk(func(e *ir.Expr) { symbols = symbols || e.Op == ir.RegRef })
	if !symbols {
		return ir.Int(x.Eval(ir.Env{Prog: r.p}))
	}
	fits := func(e *ir.Expr, t ir.Type) bool {
		return e.Op.IsTruth() || e.Op == ir.RegRef && (r.vars[e.Reg].Type == t || t.Bits > r.vars[e.Reg].Type.Bits && (t.Signed || !r.vars[e.Reg].Type.Signed))
	}
	switch x.Op {
	case ir.Cast:
		if fits(x.X, x.Type) {
			return x.X
		}
	case ir.Eq, ir.Ne:
		if v, ok := x.Y.IsConst(); ok && x.X.Op.IsTruth() && (v == 0 || v == 1) {
			if (v == 0) == (x.Op == ir.Eq) {
				return &ir.Expr{Op: ir.Not, Type: ir.S64, X: x.X}
			}
			return x.X
		}
	case ir.LAnd, ir.LOr:
		for _, pair := range [][2]*ir.Expr{{x.X, x.Y}, {x.Y, x.X}} {
			if v, ok := pair[0].IsConst(); ok {
				if (v != 0) == (x.Op == ir.LAnd) {
					return pair[1]
				}
				return pair[0]
			}
		}
	}
	return x
}

// from runs main from a location to its ends.
func (r *mainRun) from(l ir.Loc, s *mainState) {
	for !r.f.Ends(l) && len(r.Refusals) == 0 {
		if r.steps++; r.steps > maxMainSteps {
			r.Refuse(r.f.Pos, "the main thread takes too many steps to be exported to a litmus test")
			return
		}
		out := r.f.Out(l)
		for _, i := range out[1:] {
			if r.f.Edges[i].Op.Kind != ir.Assume || r.f.Edges[out[0]].Op.Kind != ir.Assume {
				r.Refuse(r.f.Edges[i].Pos, "a choice of the main thread cannot be exported to a litmus test")
				return
			}
		}
		for _, i := range out[1:] {
			e := &r.f.Edges[i]
			other := &mainState{regs: slices.Clone(s.regs), cells: maps.Clone(s.cells), path: s.path, started: slices.Clone(s.started), joined: maps.Clone(s.joined)}
			if r.assume(e, other) {
				r.from(e.To, other)
			}
		}
		e := &r.f.Edges[out[0]]
		if !r.step(e, s) {
			return
		}
		l = e.To
	}
}

// assume restricts the path. It reports whether there is one.
func (r *mainRun) assume(e *ir.Edge, s *mainState) bool {
	s.path = r.and(s.path, r.eval(e.Op.Val, s.regs))
	v, ok := s.path.IsConst()
	return !ok || v != 0
}

func (r *mainRun) and(a, b *ir.Expr) *ir.Expr { return r.simplify(ir.Binary(ir.LAnd, ir.S64, a, b)) }

// step runs an operation. It reports whether main goes on.
func (r *mainRun) step(e *ir.Edge, s *mainState) bool {
	op := &e.Op
	set := func(reg ir.Reg, v *ir.Expr) {
		if reg != ir.NoReg {
			s.regs[reg] = v
		}
	}
	switch op.Kind {
	case ir.Nop, ir.Fence, ir.Return, ir.ThreadExit:
	case ir.Assign:
		set(op.Dst, r.eval(op.Val, s.regs))
	case ir.Assume:
		return r.assume(e, s)
	case ir.Assert:
		holds := r.eval(op.Val, s.regs)
		if v, ok := holds.IsConst(); ok && v != 0 {
			return true
		}
		if len(s.joined) < len(s.started) {
			r.Refuse(e.Pos, "an assertion of the main thread before all threads are joined cannot be exported to a litmus test")
			return false
		}
		if len(r.fails) == 0 {
			r.pos = e.Pos
		}
		r.fails = append(r.fails, r.and(s.path, r.simplify(&ir.Expr{Op: ir.Not, Type: ir.S64, X: holds})))
		r.texts = append(r.texts, op.Report.Msg)
		s.path = r.and(s.path, holds)
		v, ok := s.path.IsConst()
		return !ok || v != 0
	case ir.Load:
		return r.load(e, s, set)
	case ir.Store:
		return r.store(e, s)
	case ir.Spawn:
		return r.spawn(e, s, set)
	case ir.Join:
		return r.join(e, s, set)
	case ir.Exit, ir.Bound:
		return false
	default:
		r.Refuse(e.Pos, "%s of the main thread cannot be exported to a litmus test", op.Kind)
		return false
	}
	return true
}

// at returns the cell that an access of main goes to, and whether another thread may access it now.
func (r *mainRun) at(e *ir.Edge, s *mainState) (c cell, obj ir.ObjectID, shared, ok bool) {
	v, ok := r.eval(e.Op.Addr, s.regs).IsConst()
	c = cell{uint64(v), e.Op.Type.Size()}
	obj = r.p.FindObject(c.addr, c.size)
	if !ok || obj == ir.NoObject || e.Op.Obj != ir.NoObject && obj != e.Op.Obj {
		r.Refuse(e.Pos, "an access of the main thread outside all variables cannot be exported to a litmus test")
		return c, obj, false, false
	}
	return c, obj, r.used[obj] && len(s.joined) < len(s.started), true
}

// load runs a load. After the last join what the others may have written is a variable.
func (r *mainRun) load(e *ir.Edge, s *mainState, set func(ir.Reg, *ir.Expr)) bool {
	c, obj, shared, ok := r.at(e, s)
	if !ok {
		return false
	}
	if shared {
		r.Refuse(e.Pos, "a load of the main thread beside other threads cannot be exported to a litmus test")
		return false
	}
	if v := s.cells[c]; v != nil {
		set(e.Op.Dst, r.simplify(&ir.Expr{Op: ir.Cast, Type: e.Op.Type, X: v}))
		return true
	}
	for known := range s.cells {
		if known.addr < c.addr+uint64(c.size) && c.addr < known.addr+uint64(known.size) {
			r.Refuse(e.Pos, "a load of a part of what the main thread has stored cannot be exported to a litmus test")
			return false
		}
	}
	if !r.used[obj] || len(s.started) == 0 {
		set(e.Op.Dst, ir.Int(r.initial(obj, c, e.Op.Type)))
		return true
	}
	v := property.Var{Name: r.p.LocationName(c.addr, c.size), Thread: ir.NoThread, Addr: c.addr, Type: e.Op.Type}
	i := slices.Index(r.vars, v)
	if i < 0 {
		i, r.vars = len(r.vars), append(r.vars, v)
	}
	set(e.Op.Dst, ir.R(ir.Reg(i)))
	return true
}

// initial returns the value of a cell in the initial state.
func (r *mainRun) initial(obj ir.ObjectID, c cell, t ir.Type) int64 {
	bytes := r.bytes(obj)
	v := int64(0)
	for k := range c.size {
		v |= int64(bytes[c.addr-r.p.Objects[obj].Addr+uint64(k)]) << (8 * k)
	}
	return t.Wrap(v)
}

// bytes returns the initial bytes of an object.
func (r *mainRun) bytes(obj ir.ObjectID) []byte {
	if b := r.init[obj]; b != nil {
		return b
	}
	b := make([]byte, r.p.Objects[obj].Size)
	copy(b, r.p.Objects[obj].Init)
	return b
}

// store runs a store: before the first start it is part of the initial state.
func (r *mainRun) store(e *ir.Edge, s *mainState) bool {
	c, obj, shared, ok := r.at(e, s)
	if !ok {
		return false
	}
	v := r.eval(e.Op.Val, s.regs)
	n, known := v.IsConst()
	if shared || r.p.Objects[obj].ReadOnly {
		r.Refuse(e.Pos, "a store of the main thread beside other threads cannot be exported to a litmus test")
		return false
	}
	if len(s.started) == 0 && known { // no path depends on anything yet
		b := r.bytes(obj)
		for k := range c.size {
			b[c.addr-r.p.Objects[obj].Addr+uint64(k)] = byte(n >> (8 * k))
		}
		r.init[obj] = b
		return true
	}
	for other := range s.cells {
		if other != c && other.addr < c.addr+uint64(c.size) && c.addr < other.addr+uint64(other.size) {
			r.Refuse(e.Pos, "stores of the main thread that overlap in part cannot be exported to a litmus test")
			return false
		}
	}
	s.cells[c] = r.simplify(&ir.Expr{Op: ir.Cast, Type: e.Op.Type, X: v})
	return true
}

// spawn starts the next thread of a list.
func (r *mainRun) spawn(e *ir.Edge, s *mainState, set func(ir.Reg, *ir.Expr)) bool {
	if always, ok := s.path.IsConst(); !ok || always == 0 || len(s.joined) > 0 {
		r.Refuse(e.Pos, "a thread that is started after another one was joined, or only sometimes, cannot be exported to a litmus test")
		return false
	}
	for _, t := range e.Op.Call.Threads {
		if slices.Contains(s.started, t) {
			continue
		}
		var args []int64
		for _, a := range e.Op.Call.Args {
			v, ok := r.eval(a, s.regs).IsConst()
			if !ok {
				r.Refuse(e.Pos, "the arguments of this thread cannot be exported to a litmus test")
				return false
			}
			args = append(args, v)
		}
		r.args[t], s.started = args, append(s.started, t)
		set(e.Op.Dst, ir.Int(int64(t)))
		return true
	}
	return false // a bound
}

// join joins a thread whose result is known.
func (r *mainRun) join(e *ir.Edge, s *mainState, set func(ir.Reg, *ir.Expr)) bool {
	v, ok := r.eval(e.Op.Val, s.regs).IsConst()
	t := ir.ThreadID(v)
	if !ok || !slices.Contains(s.started, t) || s.joined[t] {
		r.Refuse(e.Pos, "a join of something else than a thread that runs cannot be exported to a litmus test")
		return false
	}
	s.joined[t] = true
	if e.Op.Dst == ir.NoReg {
		return true
	}
	result := r.result(t)
	if result == nil {
		r.Refuse(e.Pos, "the result of a thread cannot be exported to a litmus test")
		return false
	}
	set(e.Op.Dst, result)
	return true
}

// result returns what a thread returns if that is always the same number, or nil.
func (r *mainRun) result(t ir.ThreadID) *ir.Expr {
	var out *ir.Expr
	f := r.p.ThreadFunc(t)
	for i := range f.Edges {
		op := &f.Edges[i].Op
		if op.Kind != ir.Return && op.Kind != ir.ThreadExit {
			continue
		}
		v := ir.Int(0)
		if op.Val != nil {
			v = op.Val
		}
		if _, ok := v.IsConst(); !ok || out != nil && !out.Equal(v) {
			return nil
		}
		out = v
	}
	if out == nil {
		return ir.Int(0)
	}
	return out
}

// program returns the program without main, whose threads run from the beginning.
func (r *mainRun) program() *ir.Program {
	out := *r.p
	out.Main, out.Threads, out.Objects = ir.NoThread, nil, slices.Clone(r.p.Objects)
	for t, th := range r.p.Threads {
		if args, ok := r.args[ir.ThreadID(t)]; ok {
			th.Start, th.Args = true, args
			out.Threads = append(out.Threads, th)
		}
	}
	for obj, b := range r.init {
		out.Objects[obj].Init = b
	}
	return &out
}

// questions returns the questions, with the assertions of main as a final condition.
func (r *mainRun) questions(props *property.Set) *property.Set {
	out := *props
	out.Observe = nil
	for _, v := range props.Observe {
		if !v.IsMemory() {
			n := 0
			for t := range v.Thread {
				if _, ok := r.args[t]; ok {
					n++
				}
			}
			if _, ok := r.args[v.Thread]; !ok {
				continue
			}
			v.Thread = ir.ThreadID(n)
		}
		out.Observe = append(out.Observe, v)
	}
	if len(r.fails) > 0 && props.Checks {
		any := r.fails[0]
		for _, f := range r.fails[1:] {
			any = r.simplify(ir.Binary(ir.LOr, ir.S64, any, f))
		}
		out.Final = &property.Final{Quantifier: property.Never, Pos: r.pos, Cond: &property.Cond{Vars: r.vars, Expr: any, Text: fmt.Sprintf("not (%s)", strings.Join(r.texts, ") or not ("))}}
	}
	return &out
}
