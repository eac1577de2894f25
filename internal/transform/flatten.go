package transform

import (
	"errors"
	"fmt"
	"slices"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// Flattening. The idea: a thread's function is copied, and every call in it is
// replaced by a copy of the callee with new registers and locations, and so on for the
// calls in the copy. Recursion deeper than the bound ends in a Bound edge, which engines
// report as a bound that was hit (call_graph.go). The size is estimated first. A spawn that runs at most once gets one thread. A spawn
// in a loop gets a pool of as many threads as the bound allows (spawn.go).
//
// Thread-local objects become one object per thread; the first thread that mentions
// an object keeps the original. Copies that other threads may reach become blocks
// (threadlocal.go).
//
// The registers and locations of the thread's function keep their ids: the copies of
// callees are appended. The first copy of an edge keeps the id of the edge.

// maxThreads is the largest number of threads that flattening makes.
const maxThreads = 256

// maxEdges is the largest number of edges of a flat program, and wholeEdges that of one from which no calls are left out
// though they could be. fewEdges is the number that a program should not exceed whose recursion has a default bound, and
// fewestEdges the same where recursion is by calls through pointers only.
const (
	maxEdges    = 4 << 20
	wholeEdges  = 1 << 19
	fewEdges    = 1 << 18
	fewestEdges = 1 << 14
)

// flatten is the pass.
func flatten(p *ir.Program, opt Options) (*ir.Program, error) {
	f := &flattener{
		src:  p,
		opt:  opt,
		used: map[ir.EdgeID]bool{},
		out: &ir.Program{
			Name: p.Name, Form: ir.Flat, Objects: append([]ir.Object(nil), p.Objects...), Main: p.Main, Cells: p.Cells, NextEdge: p.NextEdge,
			Threads: append([]ir.Thread(nil), p.Threads...),
		},
		names: map[string]bool{},
		taken: map[ir.ObjectID]bool{},
		early: map[*ir.Func][]ir.Reg{}, nextCheck: checkInterval, results: analysis.TakesResults(p),
	}
	if err := f.plan(); err != nil {
		return nil, err
	}
	for _, t := range p.Threads {
		f.names[t.Name] = true
		f.chains = append(f.chains, map[ir.FuncID]int{t.Func: 1})
	}
	// The list grows while spawns are resolved.
	for t := 0; t < len(f.out.Threads); t++ {
		err := f.thread(ir.ThreadID(t))
		if errors.Is(err, errManyEdges) && opt.Calls != nil && !opt.Calls.partial {
			opt.Calls.leaveOut(f) // more than the estimate
			return flatten(p, opt)
		}
		if err != nil {
			return nil, err
		}
	}
	for o := range f.out.Objects { // also the objects that no thread mentions
		f.out.Objects[o].PerThread = false
	}
	f.out.Seal()
	return f.out, nil
}

// plan finds out which calls there are, and how deep recursion goes.
func (f *flattener) plan() (err error) {
	if f.opt.Calls != nil {
		return f.opt.Calls.plan(f)
	}
	if f.targets, err = callTargets(f.src, 0, f.opt.Stop); err != nil {
		return err
	}
	f.graph = newCallGraph(f.src, f.targets)
	f.depth, err = f.graph.recursionBound(threadFuncs(f.src, f.targets), max(1, f.opt.Unroll), f.opt.Default)
	return err
}

// threadFuncs returns the functions that threads begin with.
func threadFuncs(p *ir.Program, through map[ir.EdgeID][]ir.FuncID) []ir.FuncID {
	var out []ir.FuncID
	for _, t := range p.Threads {
		out = append(out, t.Func)
	}
	for _, f := range p.Funcs {
		for i := range f.Edges {
			switch e := &f.Edges[i]; {
			case e.Op.Kind != ir.Spawn:
			case e.Op.Call.Func != ir.NoFunc:
				out = append(out, e.Op.Call.Func)
			default:
				out = append(out, through[e.ID]...)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

type flattener struct {
	src   *ir.Program
	out   *ir.Program
	opt   Options
	used  map[ir.EdgeID]bool // ids of edges of src that an edge of out has
	names map[string]bool    // names of threads
	// chains counts, for every thread, the functions of the thread and of the threads that
	// led to it by spawns, so that flattening ends if threads spawn themselves.
	chains    []map[ir.FuncID]int
	targets   map[ir.EdgeID][]ir.FuncID // of calls and spawns through pointers
	results   bool                      // a join takes the result of a thread
	graph     *callGraph
	depth     int // of recursion
	edges     int
	nextCheck int                   // the number of edges at which Stop is called next
	taken     map[ir.ObjectID]bool  // thread-local objects whose original belongs to a thread
	early     map[*ir.Func][]ir.Reg // results of readBeforeWritten
}

// body is the function of one thread under construction.
type body struct {
	*flattener
	f     *ir.Func
	chain map[ir.FuncID]int // the thread's entry in chains
	names map[string]int    // by name of a register (r:) or location (l:): the number of copies
	main  bool              // the thread is main
	end   ir.Loc            // the location at which the thread ends inside a call; -1: not made yet
	// copies maps thread-local objects to the thread's copies.
	copies map[ir.ObjectID]ir.ObjectID
	// ending has the copies of functions that end the program, by function and state of recursion.
	ending map[string]*endingCopies
}

// activation is one copy of a function in a body.
type activation struct {
	fn    *ir.Func
	body  *body
	regs  ir.Reg // first register of the copy
	locs  ir.Loc // first location of the copy
	self  ir.ThreadID
	stack []ir.Frame
	id    ir.FuncID
	depth recursion
	up    *activation // the caller's, nil for the thread's function
	path  string      // the calls that led to it, if Options.Calls leaves some out
	// section says that it was called inside an atomic section.
	section bool
	// ret adds the way back to the caller from a location. e is the Return edge, nil at the
	// end of a function without one. ret is nil for the thread's function.
	ret func(from ir.Loc, e *ir.Edge)
}

// thread makes the function of one thread.
func (f *flattener) thread(t ir.ThreadID) error {
	th := &f.out.Threads[t]
	root := f.src.Funcs[th.Func]
	b := &body{
		flattener: f, chain: f.chains[t], names: map[string]int{}, main: t == f.src.Main, end: -1, copies: map[ir.ObjectID]ir.ObjectID{}, ending: map[string]*endingCopies{},
		f: &ir.Func{Name: th.Name, Params: root.Params, Entry: root.Entry, Pos: root.Pos},
	}
	act := &activation{fn: root, body: b, id: th.Func, depth: f.graph.first(th.Func), path: fmt.Sprint(th.Func)}
	b.open(act, "")
	act.self = t
	if err := b.copyEdges(act); err != nil {
		return err
	}
	b.endThreadLocals(t)
	th.Func = ir.FuncID(len(f.out.Funcs))
	f.out.Funcs = append(f.out.Funcs, b.f)
	return b.resolveSpawns()
}

// open adds the registers and locations of a copy.
func (b *body) open(a *activation, prefix string) {
	a.regs, a.locs = ir.Reg(len(b.f.Regs)), ir.Loc(len(b.f.Locs))
	for _, r := range a.fn.Regs {
		r.Name = b.unique("r:", prefix+r.Name)
		if prefix != "" { // assigned where the function is entered
			r.Undef = ir.Type{}
		}
		b.f.Regs = append(b.f.Regs, r)
	}
	for _, l := range a.fn.Locs {
		l.Name = b.unique("l:", prefix+l.Name)
		b.f.Locs = append(b.f.Locs, l)
	}
}

// unique returns a name that is not in use among registers (r:) or locations (l:).
func (b *body) unique(space, name string) string {
	for try := name; ; {
		if b.names[space+try] == 0 {
			b.names[space+try] = 1
			return try
		}
		try = fmt.Sprintf("%s#%d", name, b.names[space+name])
		b.names[space+name]++
	}
}

func (b *body) loc(name string, pos source.Span) ir.Loc {
	b.f.Locs = append(b.f.Locs, ir.Location{Name: b.unique("l:", name), Pos: pos})
	return ir.Loc(len(b.f.Locs) - 1)
}

// emit adds an edge for edge e of the structured program. made says that the new edge is
// an addition of this pass, not a copy of e.
func (b *body) emit(a *activation, e *ir.Edge, from ir.Loc, op ir.Op, to ir.Loc, made bool) {
	n := ir.Edge{ID: e.ID, Origin: e.Origin, From: from, To: to, Op: op, Pos: e.Pos, Pass: e.Pass, Stack: a.stack}
	if made || b.used[e.ID] {
		n.ID = b.out.NextEdge
		b.out.NextEdge++
	} else {
		b.used[e.ID] = true
	}
	if made {
		n.Pass = "flatten"
	}
	b.f.Edges = append(b.f.Edges, n)
	b.edges++
}

// rename returns an expression of the copied function with the registers and objects of
// the copy.
func (a *activation) rename(e *ir.Expr) *ir.Expr {
	return e.Map(func(leaf *ir.Expr) *ir.Expr {
		switch leaf.Op {
		case ir.Self:
			return ir.Int(int64(a.self))
		case ir.RegRef:
			return ir.R(leaf.Reg + a.regs)
		case ir.FuncAddr:
			return ir.Int(ir.FuncAddress(leaf.Func))
		case ir.AddrOf:
			if o := a.body.object(leaf.Obj); o != leaf.Obj {
				return ir.Addr(o, leaf.Value)
			}
		}
		return leaf
	})
}

// op returns an operation of the copied function with the registers and objects of the copy.
func (a *activation) op(op ir.Op) ir.Op {
	op.Exprs(a.rename)
	if op.Obj != ir.NoObject {
		op.Obj = a.body.object(op.Obj)
	}
	if op.Dst != ir.NoReg {
		op.Dst += a.regs
	}
	if op.Dst2 != ir.NoReg {
		op.Dst2 += a.regs
	}
	return op
}

// object returns the thread's copy of a thread-local object. It returns every other
// object unchanged.
func (b *body) object(o ir.ObjectID) ir.ObjectID {
	if !b.src.Objects[o].PerThread {
		return o
	}
	c, ok := b.copies[o]
	switch {
	case ok:
	case !b.taken[o]:
		b.taken[o] = true
		c = o
		b.out.Objects[o].PerThread = false
	default:
		clone := b.out.Objects[o]
		clone.Name += "@" + b.f.Name
		c = b.out.AddObject(clone)
	}
	b.out.Objects[c].Ends = !b.main
	b.copies[o] = c
	return c
}

// checkInterval is the number of edges between two calls of Options.Stop.
const checkInterval = 1 << 10

var errManyEdges = fmt.Errorf("the program has more than %d instructions after inlining", maxEdges)

// limits returns an error if the program is too large or Options.Stop returns one.
func (f *flattener) limits() error {
	if f.edges > maxEdges || f.edges > wholeEdges && f.opt.Calls != nil && !f.opt.Calls.partial {
		return errManyEdges
	}
	if f.opt.Stop != nil && f.edges >= f.nextCheck {
		f.nextCheck = f.edges + checkInterval
		return f.opt.Stop()
	}
	return nil
}

// copyEdges adds the edges of an activation, with calls inlined.
func (b *body) copyEdges(a *activation) error {
	for i := range a.fn.Edges {
		e := &a.fn.Edges[i]
		from, to := e.From+a.locs, e.To+a.locs
		op := a.op(e.Op)
		if err := b.limits(); err != nil {
			return err
		}
		switch {
		case op.Kind == ir.Call:
			if err := b.call(a, e, op, from, to); err != nil {
				return err
			}
		case op.Kind == ir.Spawn && op.Call.Func == ir.NoFunc:
			err := b.dispatch(a, e, op, from, func(at ir.Loc, target ir.FuncID) error {
				direct := op
				direct.Call.Func, direct.Val = target, nil
				b.emit(a, e, at, direct, to, true)
				return nil
			})
			if err != nil {
				return err
			}
		case op.Kind == ir.Return && a.ret != nil:
			a.ret(from, e)
		case op.Kind == ir.ThreadExit:
			b.threadExit(a, e, op, from)
		case op.Kind == ir.Return && op.Val != nil && op.Val.Undef && !b.results:
			op.Val = nil
			b.emit(a, e, from, op, to, false)
		case op.Kind == ir.Exit && a.ret != nil:
			b.emit(a, e, from, op, b.threadEnd(), false)
		default:
			b.emit(a, e, from, op, to, false)
		}
	}
	if a.ret != nil {
		for l := range a.fn.Locs {
			if a.fn.Ends(ir.Loc(l)) && !onlyAfterReturn(a.fn, ir.Loc(l)) {
				a.ret(ir.Loc(l)+a.locs, nil)
			}
		}
	}
	return nil
}

// threadEnd returns a location that no edge leaves.
func (b *body) threadEnd() ir.Loc {
	if b.end < 0 {
		b.end = b.loc("end", source.Span{})
	}
	return b.end
}

// call adds the callee of a call edge, or all possible callees of a call through a
// pointer.
func (b *body) call(a *activation, e *ir.Edge, op ir.Op, from, to ir.Loc) error {
	if op.Call.Func != ir.NoFunc {
		return b.inline(a, e, op, op.Call.Func, from, to)
	}
	return b.dispatch(a, e, op, from, func(at ir.Loc, target ir.FuncID) error {
		return b.inline(a, e, op, target, at, to)
	})
}

// dispatch adds a branch for each function that the pointer of a call or spawn may name,
// and calls then at the beginning of each branch. A check before the branches fails if the
// pointer names none of them.
func (b *body) dispatch(a *activation, e *ir.Edge, op ir.Op, from ir.Loc, then func(ir.Loc, ir.FuncID) error) error {
	var known *ir.Expr
	targets := b.targets[e.ID]
	for _, target := range targets {
		is := ir.Binary(ir.Eq, ir.U64, op.Val, ir.Int(ir.FuncAddress(target)))
		if known == nil {
			known = is
		} else {
			known = ir.Binary(ir.LOr, ir.S64, known, is)
		}
	}
	if known == nil {
		known = ir.Int(0)
	}
	check := ir.NewOp(ir.Assert)
	check.Val, check.Report = known, ir.Report{Class: ir.BadAddress, Msg: "call through a pointer that is no function of this kind"}
	checked := b.loc("called", e.Pos)
	b.emit(a, e, from, check, checked, true)
	for _, target := range targets {
		is := ir.NewOp(ir.Assume)
		is.Val = ir.Binary(ir.Eq, ir.U64, op.Val, ir.Int(ir.FuncAddress(target)))
		at := b.loc("called", e.Pos)
		b.emit(a, e, checked, is, at, true)
		if err := then(at, target); err != nil {
			return err
		}
	}
	return nil
}

// inline adds a copy of the callee for a call, or a Bound edge if the recursion is too
// deep.
func (b *body) inline(a *activation, e *ir.Edge, op ir.Op, callee ir.FuncID, from, to ir.Loc) error {
	depth := b.graph.enter(a.depth, a.id, callee)
	if depth.repeated > b.depth {
		cut := ir.NewOp(ir.Bound)
		cut.Report.Msg, cut.Val = "recursion", ir.Int(int64(b.depth))
		b.emit(a, e, from, cut, b.threadEnd(), true)
		return nil
	}
	path, left := b.leavesOut(a, e, callee, from)
	if left { // before it counts as a copy
		return nil
	}
	fn := b.src.Funcs[callee]
	in, known := b.copyFor(a, e, callee, depth)
	if !known {
		in.path = path
		b.open(in, fn.Name+".")
	}
	in.ret = func(at ir.Loc, ret *ir.Edge) {
		back := ir.NewOp(ir.Nop)
		if op.Dst != ir.NoReg {
			back = ir.NewOp(ir.Assign)
			back.Dst, back.Val = op.Dst, ir.Int(0)
			if ret != nil && ret.Op.Val != nil {
				back.Val = in.rename(ret.Op.Val)
			}
		}
		if ret != nil {
			b.emit(in, ret, at, back, to, false)
		} else {
			b.emit(in, e, at, back, to, true)
		}
	}
	at := from
	set := func(r ir.Reg, v *ir.Expr) {
		op := ir.NewOp(ir.Assign)
		op.Dst, op.Val = r+in.regs, v
		next := b.loc(fn.Name+".enter", e.Pos)
		b.emit(a, e, at, op, next, true)
		at = next
	}
	for i := range fn.Params {
		set(ir.Reg(i), op.Call.Args[i])
	}
	for _, r := range b.readBeforeWritten(fn) {
		if int(r) >= fn.Params {
			v := ir.Int(fn.Regs[r].Init)
			if t := fn.Regs[r].Undef; t != (ir.Type{}) {
				v = ir.Undefined(t)
			}
			set(r, v)
		}
	}
	b.emit(a, e, at, ir.NewOp(ir.Nop), fn.Entry+in.locs, true)
	if known {
		return nil
	}
	return b.copyEdges(in)
}
