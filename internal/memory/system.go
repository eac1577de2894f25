package memory

import (
	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Options say how a program is compiled. The zero value gives the memory model as it is
// written.
type Options struct {
	// Buffer bounds the entries of a thread's store buffer, for threads that can
	// store in a loop; 0: no bound.
	Buffer int
	// Keep reports the registers that a property reads: they are never dead. It may be nil.
	Keep func(ir.ThreadID, ir.Reg) bool
	// Private lets accesses to thread-private memory bypass the buffer (thread_private.go).
	// It must not be set with Attacks, or if a property reads memory in states that are not
	// final.
	Private bool
	// Runs, if not nil, reports the edges that are expected to run: with Private, what others access does not count.
	Runs func(ir.EdgeID) bool
	// Attacks is for robustness [BDM13 §5]: under TSO and PSO a single thread, the attacker of
	// the state, buffers its stores, under PSO only the ones that have to wait, and they never
	// reach memory; all other threads are sequentially consistent (attack.go).
	Attacks bool
	// Ends keeps what only final states show: the results of threads, and where and in
	// which order the blocks of the heap were allocated.
	Ends bool
	// Fences makes fences steps that an engine looks at also under SC, where they do nothing: for graphs of C11's model.
	Fences bool
}

// System is a compiled program under one model. It is immutable and shared by workers.
//
// shape: none of the fields changes after New
type System struct {
	Prog    *ir.Program
	Model   Model
	Facts   *analysis.Facts // of Prog
	Attacks bool            // compiled with Options.Attacks

	threads  []threadCode
	regCount int
	regOwner []int32 // by register: its thread
	static   layout
	codec    Codec
	edges    []*ir.Edge // compiled edges over all threads
	fences   bool       // compiled with Options.Fences

	lead        uint64                  // the bytes in front of what a program asked for, in all blocks of the heap
	private     *analysis.PrivateMemory // nil: all memory is buffered
	masked      bool                    // some edge asks which bits are undefined (undefined.go)
	allocates   bool                    // some edge of the program allocates
	hasStatus   bool                    // some thread starts later, or waits inside an operation
	hasResults  bool                    // some join reads a result
	hasSections bool
	hasGlobal   bool // some fence waits for the buffers of all threads
	hasBlocks   bool // allocation, or cells outside the window
	hasSites    bool // states know where their blocks were allocated
}

type threadCode struct {
	locs    []locCode
	live    liveRegs
	kept    []int32 // registers that a property reads
	regBase int
	regs    []ir.Register
	args    []int64
	entry   int32
	bound   int // entries, 0: none
	start   bool
}

type locCode struct {
	edges []edge
	ends  bool
	// invisible says that the steps from here concern the thread and its buffer alone
	// (advance.go).
	invisible bool
	// assumes says that all edges are assumptions (assumed.go).
	assumes bool
}

// edge is a compiled edge.
//
// shape: none of the fields changes after New, and the inner loop reads them from one piece of memory
type edge struct {
	ir      *ir.Edge
	kind    ir.OpKind
	index   int32 // in System.Edges
	to      int32
	dst     int32
	dst2    int32
	dstMask int32
	addr    code
	val     code
	val2    code
	cond    code
	mask    code
	args    []code
	off     int32 // offset in State.mem if the address is constant and valid, else -1
	size    uint8
	signed  bool
	obj     int32
	private bool    // accesses thread-private memory
	header  bool    // may access the bytes in front of what a program asked for
	undef   bool    // makes a block or an object undefined
	bounds  *bounds // havoc and abstract load
}

// Step is one transition.
type Step struct {
	Thread int32
	Kind   StepKind
	Edge   int32 // Exec, Wake, Relock: index into the edges of the thread's location
	Index  int32 // Flush: position in the buffer
	Choice int64
}

// StepKind is the kind of a step. The zero value is unset.
type StepKind uint8

// The kinds of steps.
const (
	StepUnset StepKind = iota
	Exec               // an edge
	Flush              // a buffer entry reaches memory
	Wake               // a thread wakes from a condition without a signal
	Relock             // a woken thread takes its mutex again
)

// New compiles a flat program. The program must have passed ir.Verify.
func New(p *ir.Program, m Model, opt Options) *System {
	if p.Form != ir.Flat {
		panic("BUG: memory.New wants the flat form")
	}
	if m == C11 {
		panic("BUG: c11 has no states")
	}
	y := &System{Prog: p, Model: m, static: newLayout(p), Attacks: opt.Attacks, fences: opt.Fences, hasBlocks: p.Cells, hasResults: opt.Ends, hasSites: opt.Ends}
	y.codec, y.masked = Codec{y, partUnits, nil}, p.AsksForMasks()
	if opt.Private {
		y.private = analysis.NewPrivateMemory(p, opt.Runs)
	}
	y.Facts = analysis.NewFacts(p, func(f ir.FuncID, r ir.Reg) bool { return opt.keeps(p, f, r) })
	for _, f := range p.Funcs {
		for i := range f.Edges {
			op := &f.Edges[i].Op
			y.allocates = y.allocates || op.Kind == ir.Alloc
			y.hasGlobal = y.hasGlobal || op.Kind == ir.Fence && op.Fence == ir.GlobalFence
		}
	}
	for i := range y.static.units {
		y.static.units[i].masked = y.static.units[i].masked && y.masked
	}
	c := compiler{y, opt}
	for t := range p.Threads {
		c.thread(ir.ThreadID(t))
	}
	return y
}

// keeps reports whether a property reads a register of a thread that runs a function.
func (opt *Options) keeps(p *ir.Program, f ir.FuncID, r ir.Reg) bool {
	for t := range p.Threads {
		if p.Threads[t].Func == f && opt.Keep != nil && opt.Keep(ir.ThreadID(t), r) {
			return true
		}
	}
	return false
}

// compiler translates the threads of a program.
type compiler struct {
	y   *System
	opt Options
}

func (c *compiler) thread(t ir.ThreadID) {
	y, p, facts := c.y, c.y.Prog, c.y.Facts
	th := &p.Threads[t]
	f := p.Funcs[th.Func]
	tc := threadCode{
		regBase: y.regCount, regs: f.Regs, args: th.Args, entry: int32(f.Entry), start: th.Start,
	}
	if facts.CyclicStoresBut(th.Func, y.PrivateAccess) {
		tc.bound = c.opt.Buffer
	}
	tc.live = newLiveRegs(facts, th.Func, len(f.Locs))
	for r := range f.Regs {
		if c.opt.keeps(p, th.Func, ir.Reg(r)) {
			tc.kept = append(tc.kept, int32(r))
		}
	}
	y.hasStatus = y.hasStatus || !th.Start
	y.regCount += len(f.Regs)
	for range f.Regs {
		y.regOwner = append(y.regOwner, int32(t))
	}
	for l := range f.Locs {
		loc := ir.Loc(l)
		lc := locCode{ends: f.Ends(loc), invisible: c.invisible(f, loc)}
		for _, i := range f.Out(loc) {
			lc.edges = append(lc.edges, c.edge(&f.Edges[i]))
		}
		lc.assumes = assumesOnly(lc.edges)
		tc.locs = append(tc.locs, lc)
	}
	y.threads = append(y.threads, tc)
	for l := range tc.locs {
		for i := range tc.locs[l].edges {
			e := &tc.locs[l].edges[i]
			e.index = int32(len(y.edges))
			y.edges = append(y.edges, e.ir)
		}
	}
}

func (c *compiler) edge(e *ir.Edge) edge {
	y, p, op := c.y, c.y.Prog, &e.Op
	ce := edge{
		ir: e, kind: op.Kind, to: int32(e.To), dst: int32(op.Dst), dst2: int32(op.Dst2), dstMask: int32(op.Undef.Dst), mask: compile(p, op.Undef.Val),
		addr: compile(p, op.Addr), val: compile(p, op.Val), val2: compile(p, op.Val2), cond: compile(p, op.Cond),
		header: op.Sync.Marks.Has(ir.Header), off: -1, size: uint8(op.Type.Size()), signed: op.Type.Signed, obj: int32(op.Obj), private: y.PrivateAccess(e),
	}
	for _, a := range op.Call.Args {
		ce.args = append(ce.args, compile(p, a))
	}
	switch op.Kind {
	case ir.Lock, ir.TryLock, ir.Unlock, ir.Barrier, ir.CondWait, ir.Signal, ir.Broadcast:
		ce.size = WordSize
	case ir.AtomicBegin:
		y.hasSections = true
	case ir.Alloc:
		y.hasBlocks = true
		y.lead = max(y.lead, uint64(op.Block.Lead))
		ce.undef = op.Block.Undef && y.masked
	case ir.Nop, ir.Assign:
		ce.undef = op.Block.Undef && y.masked && p.Objects[op.Obj].Masked
	case ir.Join:
		y.hasStatus, y.hasResults = true, y.hasResults || op.Dst != ir.NoReg
	case ir.Havoc, ir.AbstractLoad:
		ce.bounds = newBounds(p, op)
	}
	if op.Kind == ir.CondWait || op.Kind == ir.Barrier {
		y.hasStatus = true
	}
	if ce.addr.kind == codeConst && ce.size > 0 {
		off, fault := y.static.find(uint64(ce.addr.k), int(ce.size), ce.obj)
		if fault == 0 && off >= 0 && !y.static.forbidden(&ce, off) && (y.private == nil || !y.stray(&ce, off, uint64(ce.addr.k))) {
			ce.off = int32(off)
		}
	}
	return ce
}

// EdgeOf returns the ir edge of a step other than a flush. The step must not have been applied
// yet.
func (y *System) EdgeOf(s *State, st Step) *ir.Edge {
	return y.threads[st.Thread].locs[s.pc[st.Thread]].edges[st.Edge].ir
}

// Edges returns the edges of all threads; an edge of a function that several threads run
// occurs once for each. State.Covered, Blocked and Bounds have the same order.
func (y *System) Edges() []*ir.Edge { return y.edges }

// Threads returns how many threads the program has.
func (y *System) Threads() int { return len(y.threads) }

// EachUnit calls f on the elements of static memory with their offset, which Entry.StaticOffset
// refers to, their size, and the object they belong to.
func (y *System) EachUnit(f func(off, size int, object ir.ObjectID)) {
	for _, u := range y.static.units {
		f(int(u.off), int(u.size), y.static.object(int(u.off)))
	}
}

// StaticAccess reports whether an access cannot reach an allocated block.
func (y *System) StaticAccess(e *ir.Edge) bool {
	return e.Op.Obj != ir.NoObject || !y.Facts.Footprint(e).Anything || y.Prog.Cells && !y.allocates
}
