package testkit

import (
	"fmt"
	"math/rand/v2"

	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/source"
	"fencepost/internal/transform"
)

// Program is a random program as a list of statements per thread. It stays a valid program
// if any statement is removed.
type Program struct {
	Seed    uint64
	Threads [][]Stmt
	Spawned bool // thread 0 starts the others and joins them
	// SpawnInside says that thread 0 starts the others, except for the first, in one atomic section, which reads and
	// writes the last variable, too.
	SpawnInside bool
	Goal        bool // the program has a goal: a control state that must not be reached
	Shared      bool // the last thread does not exist from the beginning: the others start it, at most twice together
	Quiet       bool // no registers are observed
	AnyGoal     bool // the goal is about the locations of one or two threads and registers of any

	Computed bool // addresses depend on registers, which may add one byte
}

// Kind is the kind of a statement. The zero value is unset.
type Kind uint8

// The statements.
const (
	_          Kind = iota
	Store           // var = Val
	StoreReg        // var = Reg
	Load            // Reg = var
	Rmw             // Reg = RMW(var, Val, Val2)
	Fence           // full
	SSFence         // store-store
	GFence          // global
	Incr            // Reg = Reg + Val
	Assume          // Reg == Val
	Assert          // Reg != Val
	Await           // var == Val
	Havoc           // Reg in 0..Val
	ALoad           // Reg = any value between 0 and var, or Val
	Spin            // while (var != Val) {}
	If              // if (Reg == Val) Body else Else
	Choose          // Body or Else
	Atomic          // Body
	Locked          // lock m; Body; unlock m
	TryLock         // Reg = trylock m; if (Reg == 0) { Body; unlock m }
	Refused         // Reg = unlock m, or Reg = lock m if Val2 is 1, where m checks for errors
	Wait            // lock m; condwait c; unlock m
	Signal          // signal c
	Bcast           // broadcast c
	Barrier         // of all threads
	Alloc           // Reg = alloc Val
	Deref           // [Reg] = Val
	LoadAt          // Reg = [Reg2]
	Free            // free Reg
	Exit            // ends the program
	Loop            // Body any number of times
	Times           // Body Val2+1 times, counted in a new register
	RmwWait         // Reg = RMW(var, Val, Val2) once var != Val
	SpinCas         // while (cas(var, Val, Val2) != Val) {}, with a new register
	SpinTwo         // do { s = var; t = s == Val ? next var : 0 } while (t != Val2)
	AwaitOr         // var == Val or the next var == Val2
	SpinTry         // while (trylock m != 0) {}; Body; unlock m
	StoreMutex      // m = Val
	StoreWord       // bytes of m, c or bar, which Var chooses, = Val
	RmwWord         // Reg = RMW on m, c or bar
	ALoadOr         // as ALoad, or Reg2 = the next var
	Start           // Reg = handle of the last thread, which starts
	JoinOne         // join the thread with number Val
	JoinOr          // join the thread with number Val, or that with number Val2 or, if Reg is 0, var = 1
	Scratch         // Reg = alloc 8; Body; free Reg
	Swap            // Reg = alloc 8; [Reg] = Val; Reg = xchg(var, Reg); if (Reg != 0) { Reg2 = [Reg]; free Reg }
)

// Stmt is a statement.
type Stmt struct {
	Kind Kind
	Var  int // shared variable
	Off  int // byte offset inside it
	Size int // bytes: 8, 4, 2, 1
	Reg  int
	Reg2 int
	Val  int64
	Val2 int64
	RMW  ir.RMWKind
	Body []Stmt
	Else []Stmt
}

// The sizes of random programs.
const (
	Vars    = 3 // shared variables
	Regs    = 3 // registers per thread
	varSize = 8 // bytes
)

var varNames = [Vars]string{"x", "y", "z"}

// Build returns the program as structured ir, with properties that observe everything.
func (p *Program) Build() (*ir.Program, *property.Set) {
	b := ir.NewBuilder(fmt.Sprintf("random%d", p.Seed), false)
	g := &build{b: b, prog: p, props: &property.Set{Checks: true, Deadlock: true}}
	for _, name := range varNames {
		g.vars = append(g.vars, b.Object(name, varSize, varSize, ir.S64, nil, source.Span{}))
	}
	g.mutex = b.Object("m", 8, 8, ir.S64, nil, source.Span{})
	g.cond = b.Object("c", 8, 8, ir.S64, nil, source.Span{})
	g.barrier = b.Object("bar", 8, 8, ir.S64, []byte{byte(len(p.Threads))}, source.Span{})
	for i := range p.Threads {
		g.thread(i)
	}
	g.functions()
	if p.Spawned {
		b.Main(0)
	}
	for v, o := range g.vars {
		g.props.Observe = append(g.props.Observe, property.Var{Name: varNames[v], Thread: ir.NoThread, Addr: b.Addr(o), Type: ir.S64})
	}
	p.ask(g.props, b.Addr(g.vars[0]), g.locs)
	return b.Finish(), g.props
}

// ask adds a goal and a final condition to the properties. They depend on the seed.
func (p *Program) ask(props *property.Set, x uint64, locs []int) {
	r := rand.New(rand.NewPCG(p.Seed, 0xa5c))
	isX := property.Var{Name: "x", Thread: ir.NoThread, Addr: x, Type: ir.S64}
	reg := property.Var{Name: "t0:r0", Thread: 0, Reg: 0}
	equal := func(v property.Var, k int64) *property.Cond {
		return &property.Cond{Vars: []property.Var{v}, Expr: ir.Binary(ir.Eq, ir.S64, ir.R(0), ir.Int(k)), Text: v.Name}
	}
	if p.AnyGoal {
		props.Goals = append(props.Goals, p.anyGoal(r, isX, locs))
	} else if p.Goal {
		goal := property.Goal{At: []property.At{{Thread: 0, Locs: []ir.Loc{ir.Loc(r.IntN(locs[0]))}}}}
		if !p.Spawned && len(locs) > 1 {
			goal.At = append(goal.At, property.At{Thread: 1, Locs: []ir.Loc{ir.Loc(r.IntN(locs[1]))}})
		}
		switch r.IntN(6) {
		case 0:
			goal.With = equal(isX, int64(r.IntN(3)))
		case 1:
			goal.With = equal(reg, int64(r.IntN(3)))
		}
		props.Goals = append(props.Goals, goal)
	}
	props.Final = &property.Final{Quantifier: property.Exists, Cond: equal([]property.Var{isX, reg}[r.IntN(2)], int64(r.IntN(3)))}
}

// anyGoal returns a goal about the locations of one or two threads, and sometimes about a
// register of any thread or about x.
func (p *Program) anyGoal(r *rand.Rand, x property.Var, locs []int) property.Goal {
	var goal property.Goal
	order := r.Perm(len(locs))
	for _, t := range order[:1+r.IntN(min(2, len(order)))] {
		goal.At = append(goal.At, property.At{Thread: ir.ThreadID(t), Locs: []ir.Loc{ir.Loc(r.IntN(locs[t]))}})
	}
	v := x
	switch r.IntN(5) {
	case 0, 1:
		return goal
	case 2, 3:
		t, reg := r.IntN(len(locs)), r.IntN(Regs)
		v = property.Var{Name: fmt.Sprintf("t%d:r%d", t, reg), Thread: ir.ThreadID(t), Reg: ir.Reg(reg)}
	}
	goal.With = &property.Cond{Vars: []property.Var{v}, Expr: ir.Binary(ir.Eq, ir.S64, ir.R(0), ir.Int(int64(r.IntN(3)))), Text: v.Name}
	return goal
}

// Flat returns the program as flat ir, with its properties.
func (p *Program) Flat() (*ir.Program, *property.Set) {
	prog, props := p.Build()
	if errs := ir.Verify(prog); len(errs) > 0 {
		panic(fmt.Sprintf("BUG: random program is not valid: %v", errs[0]))
	}
	flat, err := transform.Run(prog, transform.Options{Unroll: 2}, nil)
	if err != nil {
		panic(fmt.Sprintf("BUG: random program does not flatten: %v", err))
	}
	if p.Shared {
		shareStarts(flat)
	}
	return flat, props
}

// build is a program whose ir is being built.
type build struct {
	b       *ir.Builder
	prog    *Program
	props   *property.Set
	vars    []ir.ObjectID
	mutex   ir.ObjectID
	cond    ir.ObjectID
	barrier ir.ObjectID
	funcs   []ir.FuncID

	locs []int // per thread: the number of its locations

	f       *ir.FuncBuilder // of the current thread
	regs    [Regs]ir.Reg    // of the current thread
	handles []ir.Reg        // of the spawned threads
	calls   []called        // the functions that threads call
}

// at returns an invented position, so that every edge has one.
func at(thread, line int) source.Span {
	return source.At(source.Pos{File: fmt.Sprintf("t%d", thread), Line: line, Col: 1})
}

func (g *build) thread(i int) {
	name := fmt.Sprintf("t%d", i)
	g.f = g.b.Func(name, source.Span{})
	here := g.f.Loc("", source.Span{})
	for r := range Regs {
		g.regs[r] = g.f.Reg(fmt.Sprintf("r%d", r), 0, source.Span{})
	}
	g.funcs = append(g.funcs, g.f.ID)
	spawner := g.prog.Spawned && i == 0
	if spawner {
		here = g.spawnOthers(here)
	}
	here = g.stmts(i, here, g.prog.Threads[i])
	if spawner {
		for _, h := range g.handles {
			op := ir.NewOp(ir.Join)
			op.Val = ir.R(h)
			here = g.edge(i, here, op)
		}
	}
	g.locs = append(g.locs, len(g.f.F.Locs))
	exists := !g.prog.Spawned && !(g.prog.Shared && i == len(g.prog.Threads)-1) || i == 0
	if exists {
		g.b.Thread(ir.Thread{Name: name, Func: g.f.ID, Start: true})
	}
	if !g.prog.Quiet && exists {
		for r := range Regs {
			g.props.Observe = append(g.props.Observe, property.Var{Name: fmt.Sprintf("t%d:r%d", i, r), Thread: ir.ThreadID(i), Reg: g.regs[r]})
		}
	}
}

func (g *build) edge(t int, from ir.Loc, op ir.Op) ir.Loc {
	to := g.f.Loc("", source.Span{})
	g.link(t, from, op, to)
	return to
}

func (g *build) link(t int, from ir.Loc, op ir.Op, to ir.Loc) {
	g.f.Edge(from, op, to, at(t, len(g.f.F.Edges)+1))
}

func (g *build) stmts(t int, here ir.Loc, list []Stmt) ir.Loc {
	for i := range list {
		here = g.stmt(t, here, &list[i])
	}
	return here
}

func (g *build) access(kind ir.OpKind, s *Stmt) ir.Op {
	op := ir.NewOp(kind)
	op.Type = ir.Type{Bits: uint8(8 * s.Size), Signed: s.Size == varSize}
	op.Sync.Order = ir.Plain
	op.Addr = ir.Addr(g.vars[s.Var], int64(s.Off))
	if g.prog.Computed && s.Off+s.Size < varSize {
		op.Addr = ir.Binary(ir.Add, ir.U64, op.Addr, ir.Binary(ir.And, ir.S64, ir.R(g.regs[s.Reg2]), ir.Int(1)))
	}
	op.Obj = g.vars[s.Var]
	return op
}

func (g *build) stmt(t int, here ir.Loc, s *Stmt) ir.Loc {
	reg := ir.R(g.regs[s.Reg])
	switch s.Kind {
	case Store, StoreReg:
		op := g.access(ir.Store, s)
		op.Val = ir.Int(s.Val)
		if s.Kind == StoreReg {
			op.Val = reg
		}
		return g.edge(t, here, op)
	case Load:
		op := g.access(ir.Load, s)
		op.Dst = g.regs[s.Reg]
		return g.edge(t, here, op)
	case Rmw, RmwWait:
		op := g.access(ir.RMW, s)
		op.RMW, op.Val, op.Dst, op.Sync.Order = s.RMW, ir.Int(s.Val), g.regs[s.Reg], ir.SeqCst
		if s.RMW == ir.Cas {
			op.Val2, op.Sync.Fail = ir.Int(s.Val2), ir.SeqCst
		}
		if s.Kind == RmwWait {
			op.Cond = ir.Binary(ir.Ne, ir.S64, ir.SeenValue(), ir.Int(s.Val))
		}
		return g.edge(t, here, op)
	case Fence, SSFence, GFence:
		op := ir.NewOp(ir.Fence)
		op.Fence = ir.FullFence
		if s.Kind == GFence {
			op.Fence = ir.GlobalFence
		}
		if s.Kind == SSFence {
			op.Fence = ir.StoreStoreFence
		}
		return g.edge(t, here, op)
	case Incr:
		op := ir.NewOp(ir.Assign)
		op.Dst, op.Val = g.regs[s.Reg], ir.Binary(ir.Add, ir.S64, reg, ir.Int(s.Val))
		return g.edge(t, here, op)
	case Assume, Assert:
		op := ir.NewOp(ir.Assume)
		op.Val = ir.Binary(ir.Eq, ir.S64, reg, ir.Int(s.Val))
		if s.Kind == Assert {
			op = ir.NewOp(ir.Assert)
			op.Val = ir.Binary(ir.Ne, ir.S64, reg, ir.Int(s.Val))
			op.Report = ir.Report{Class: ir.Assertion, Msg: "random"}
		}
		return g.edge(t, here, op)
	case Await:
		op := g.access(ir.Await, s)
		op.Cond = ir.Binary(ir.Eq, ir.S64, ir.SeenValue(), ir.Int(s.Val))
		op.Dst = g.regs[s.Reg]
		return g.edge(t, here, op)
	case AwaitOr:
		op, other := g.access(ir.Await, s), g.access(ir.Await, &Stmt{Var: (s.Var + 1) % Vars, Size: varSize})
		op.Cond = ir.Binary(ir.Eq, ir.S64, ir.SeenValue(), ir.Int(s.Val))
		other.Cond = ir.Binary(ir.Eq, ir.S64, ir.SeenValue(), ir.Int(s.Val2))
		op.Dst, other.Dst = g.regs[s.Reg], g.regs[s.Reg]
		to := g.edge(t, here, op)
		g.link(t, here, other, to)
		return to
	case Havoc:
		op := ir.NewOp(ir.Havoc)
		op.Dst, op.Range = g.regs[s.Reg], ir.Range{Bounded: true, Lo: 0, Hi: s.Val}
		return g.edge(t, here, op)
	case ALoad, ALoadOr:
		return g.abstractLoad(t, here, s)
	default:
		return g.compound(t, here, s)
	}
}

// onMutex is an operation on the mutex, which is of one of three kinds.
func (g *build) onMutex(kind ir.OpKind, s *Stmt) ir.Op {
	op := ir.NewOp(kind)
	op.Addr, op.Mutex.Kind = ir.Addr(g.mutex, 0), ir.NormalMutex
	switch s.Val {
	case 1:
		op.Mutex.Kind = ir.RecursiveMutex
	case 2:
		op.Mutex.Kind = ir.ErrorCheckMutex
	}
	return op
}

func (g *build) compound(t int, here ir.Loc, s *Stmt) ir.Loc {
	reg := ir.R(g.regs[s.Reg])
	simple := func(kind ir.OpKind) ir.Op { return ir.NewOp(kind) }
	onMutex := func(kind ir.OpKind) ir.Op { return g.onMutex(kind, s) }
	switch s.Kind {
	case SpinCas, SpinTwo, SpinTry:
		return g.spin(t, here, s)
	case Spin:
		tmp := g.access(ir.Load, s)
		tmp.Dst = g.regs[s.Reg]
		mid := g.edge(t, here, tmp)
		again, done := simple(ir.Assume), simple(ir.Assume)
		again.Val = ir.Binary(ir.Ne, ir.S64, reg, ir.Int(s.Val))
		done.Val = ir.Binary(ir.Eq, ir.S64, reg, ir.Int(s.Val))
		g.link(t, mid, again, here)
		return g.edge(t, mid, done)
	case If, Choose:
		then, other := simple(ir.Nop), simple(ir.Nop)
		if s.Kind == If {
			then, other = simple(ir.Assume), simple(ir.Assume)
			then.Val = ir.Binary(ir.Eq, ir.S64, reg, ir.Int(s.Val))
			other.Val = ir.Binary(ir.Ne, ir.S64, reg, ir.Int(s.Val))
		}
		a := g.stmts(t, g.edge(t, here, then), s.Body)
		b := g.stmts(t, g.edge(t, here, other), s.Else)
		g.link(t, b, simple(ir.Nop), a)
		return a
	case Atomic:
		in := g.edge(t, here, simple(ir.AtomicBegin))
		return g.edge(t, g.stmts(t, in, s.Body), simple(ir.AtomicEnd))
	case Locked:
		in := g.edge(t, here, onMutex(ir.Lock))
		return g.edge(t, g.stmts(t, in, s.Body), onMutex(ir.Unlock))
	case TryLock, Refused:
		return g.tried(t, here, s, onMutex)
	case Wait:
		in := g.edge(t, here, onMutex(ir.Lock))
		op := simple(ir.CondWait)
		op.Addr, op.Val2 = ir.Addr(g.cond, 0), ir.Addr(g.mutex, 0)
		return g.edge(t, g.edge(t, in, op), onMutex(ir.Unlock))
	case Signal, Bcast:
		op := simple(ir.Signal)
		if s.Kind == Bcast {
			op = simple(ir.Broadcast)
		}
		op.Addr = ir.Addr(g.cond, 0)
		return g.edge(t, here, op)
	case Barrier:
		op := simple(ir.Barrier)
		op.Addr, op.Dst = ir.Addr(g.barrier, 0), g.regs[s.Reg]
		return g.edge(t, here, op)
	case StoreMutex:
		op := simple(ir.Store)
		op.Type, op.Sync.Order, op.Addr, op.Val = ir.S64, ir.Plain, ir.Addr(g.mutex, 0), ir.Int(s.Val)
		return g.edge(t, here, op)
	case StoreWord, RmwWord:
		return g.edge(t, here, g.word(s))
	case Start, JoinOne, JoinOr:
		return g.join(t, here, s)
	case Alloc, Deref, LoadAt, Free, Scratch, Swap:
		return g.block(t, here, s)
	case Exit:
		return g.edge(t, here, simple(ir.Exit))
	case Loop:
		g.link(t, g.stmts(t, g.edge(t, here, simple(ir.Nop)), s.Body), simple(ir.Nop), here)
		return g.edge(t, here, simple(ir.Nop))
	case Times:
		return g.times(t, here, s)
	default:
		return g.round(t, here, s)
	}
}

// spin adds a spin loop that uses new registers, and returns the location after it.
func (g *build) spin(t int, here ir.Loc, s *Stmt) ir.Loc {
	newReg := func() ir.Reg { return g.f.Reg(fmt.Sprintf("s%d", len(g.f.F.Regs)), 0, source.Span{}) }
	test := func(from ir.Loc, r ir.Reg, op ir.ExprOp, v int64, to ir.Loc) {
		a := ir.NewOp(ir.Assume)
		a.Val = ir.Binary(op, ir.S64, ir.R(r), ir.Int(v))
		g.link(t, from, a, to)
	}
	end := g.f.Loc("", source.Span{})
	seen := newReg()
	switch s.Kind {
	case SpinCas:
		op := g.access(ir.RMW, s)
		op.RMW, op.Val, op.Val2, op.Dst, op.Sync.Order, op.Sync.Fail = ir.Cas, ir.Int(s.Val), ir.Int(s.Val2), seen, ir.SeqCst, ir.SeqCst
		mid := g.edge(t, here, op)
		test(mid, seen, ir.Ne, s.Val, here)
		test(mid, seen, ir.Eq, s.Val, end)
	case SpinTwo:
		// The value of the second load goes through a register, like the result of an
		// inlined call.
		result := newReg()
		first := g.access(ir.Load, s)
		first.Dst = seen
		mid := g.edge(t, here, first)
		then, after := g.f.Loc("", source.Span{}), g.f.Loc("", source.Span{})
		test(mid, seen, ir.Eq, s.Val, then)
		other := *s
		other.Var, other.Off, other.Size = (s.Var+1)%Vars, 0, varSize
		second := g.access(ir.Load, &other)
		second.Dst = result
		g.link(t, then, second, after)
		none := g.f.Loc("", source.Span{})
		test(mid, seen, ir.Ne, s.Val, none)
		zero := ir.NewOp(ir.Assign)
		zero.Dst, zero.Val = result, ir.Int(s.Val2+1)
		g.link(t, none, zero, after)
		test(after, result, ir.Ne, s.Val2, here)
		test(after, result, ir.Eq, s.Val2, end)
	case SpinTry:
		op := ir.NewOp(ir.TryLock)
		op.Addr, op.Mutex.Kind, op.Dst = ir.Addr(g.mutex, 0), ir.NormalMutex, seen
		mid := g.edge(t, here, op)
		test(mid, seen, ir.Ne, 0, here)
		in := g.f.Loc("", source.Span{})
		test(mid, seen, ir.Eq, 0, in)
		unlock := ir.NewOp(ir.Unlock)
		unlock.Addr, unlock.Mutex.Kind = ir.Addr(g.mutex, 0), ir.NormalMutex
		g.link(t, g.stmts(t, in, s.Body), unlock, end)
	default:
		panic("BUG: not a spin loop")
	}
	return end
}
