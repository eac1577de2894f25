package memory

import (
	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Options say how a program is compiled.
type Options struct {
	// Buffer bounds the entries of a thread's store buffer, for threads that can
	// store in a loop; 0: no bound.
	Buffer int
	// Keep marks registers that a property reads: they are never taken as dead.
	Keep func(ir.ThreadID, ir.Reg) bool
	// Watch marks registers that a property reads in states other than final
	// ones: threads do not run on past a change of them.
	Watch func(ir.ThreadID, ir.Reg) bool
	// Visible marks locations that a property names: threads stop there.
	Visible func(ir.ThreadID, ir.Loc) bool
	// Reduce prepares for partial-order reduction: more steps run eagerly, and
	// footprints are computed.
	Reduce bool
	// MemoryVisible says that a property reads memory in states other than final
	// ones, so that stores must not be hurried.
	MemoryVisible bool
	// Own lets what a thread keeps to itself bypass its buffer (own.go). Not with
	// MemoryVisible or Attacks.
	Own bool
	// Attacks is for robustness [BDM13 §5]: under TSO only one thread, the attacker
	// of the state, buffers its stores, and they never reach memory; everybody else
	// is sequentially consistent. Of its buffer only the newest entry per place counts.
	Attacks bool
	// Symmetric are groups of threads with the same code that nothing tells apart:
	// states that differ only in which of them is which encode the same.
	Symmetric [][]ir.ThreadID
	// Ends keeps what only final states show: the results of threads, and where and in
	// which order the blocks of the heap were allocated.
	Ends bool
}

// System is a compiled program under one model.
type System struct {
	Prog  *ir.Program
	Model Model

	threads  []threadCode
	regCount int

	segments []segment
	objectAt []uint32 // per static byte: 1 + object, 0 in the gaps
	units    []unit   // how static memory is encoded
	memInit  []byte

	edges []*edge // compiled edges over all threads

	atomOf      []uint8 // per static byte, for footprints
	atomPerUnit bool

	own         *analysis.PrivateMemory // nil: all memory is buffered
	attacks     bool
	group       []int // per thread: its symmetric group, -1: none
	groups      [][]ir.ThreadID
	hasStatus   bool // some thread starts later, or waits inside an operation
	hasResults  bool // some join reads a result
	hasSections bool
	hasBlocks   bool // allocation, or cells outside the window
	hasSites    bool // states know where their blocks were allocated
}

// segment is a stretch of address space kept flat at offset off of State.mem.
type segment struct {
	base uint64
	size uint64
	off  int
}

// unit is a piece of static memory that encodes as one number.
type unit struct {
	off    int32
	size   uint8
	signed bool
}

type threadCode struct {
	thread  ir.ThreadID
	locs    []locCode
	live    liveRegs
	regBase int
	locBase int
	regs    []ir.Register
	args    []int64
	entry   int32
	bound   int // entries, 0: none
	start   bool
}

type locCode struct {
	edges []edge
	ends  bool
	eager bool // nobody else can notice the steps from here (see eager.go)
	// private is eager without regard to properties and cycles (see schedule.go).
	private bool
	// For reduction: what the edges touch, what they and all that may follow them
	// touch, and whether a step from here must be interleaved with everything.
	next   Footprint
	future Footprint
	open   bool
	waits  bool // an edge waits for another thread's end
}

// edge is a compiled edge.
type edge struct {
	ir     *ir.Edge
	kind   ir.OpKind
	index  int32 // in System.edges
	to     int32
	dst    int32
	dst2   int32
	addr   code
	val    code
	val2   code
	cond   code
	args   []code
	off    int32 // offset in State.mem if the address is constant and valid, else -1
	size   uint8
	signed bool
	obj    int32
	own    bool    // in memory no other thread reaches
	bounds *bounds // havoc and abstract load
}

// Step is one transition.
type Step struct {
	Thread int32
	Kind   StepKind
	Edge   int32 // Exec, Wake, Relock: index into the edges of the thread's location
	Index  int32 // Flush: position in the buffer
	Choice int64
}

// StepKind tells transitions apart. The zero value is unset.
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
	y := &System{Prog: p, Model: m, attacks: opt.Attacks, hasBlocks: p.Cells, hasResults: opt.Ends, hasSites: opt.Ends, groups: opt.Symmetric, group: make([]int, len(p.Threads))}
	for t := range y.group {
		y.group[t] = -1
	}
	for g, threads := range opt.Symmetric {
		for _, t := range threads {
			y.group[t] = g
		}
	}
	y.layOut()
	if opt.Own && !opt.MemoryVisible && !opt.Attacks {
		y.own = analysis.NewPrivateMemory(p)
	}
	facts := analysis.NewFacts(p, func(f ir.FuncID, r ir.Reg) bool {
		for t := range p.Threads {
			if p.Threads[t].Func == f && opt.Keep != nil && opt.Keep(ir.ThreadID(t), r) {
				return true
			}
		}
		return false
	})
	for t := range p.Threads {
		y.addThread(ir.ThreadID(t), opt, facts)
	}
	if opt.Reduce {
		y.addFootprints(facts)
	}
	return y
}

// layOut places the objects. Neighbouring objects share a segment.
func (y *System) layOut() {
	order := objectsByAddress(y.Prog)
	for _, id := range order {
		o := &y.Prog.Objects[id]
		if o.Size == 0 {
			continue
		}
		const near = 4096
		n := len(y.segments)
		if n == 0 || o.Addr-(y.segments[n-1].base+y.segments[n-1].size) > near {
			y.segments = append(y.segments, segment{base: o.Addr, off: len(y.memInit)})
			n++
		}
		seg := &y.segments[n-1]
		seg.size = o.Addr + uint64(o.Size) - seg.base
		end := seg.off + int(seg.size)
		for len(y.memInit) < end {
			y.memInit = append(y.memInit, 0)
			y.objectAt = append(y.objectAt, 0)
		}
		start := seg.off + int(o.Addr-seg.base)
		copy(y.memInit[start:], o.Init)
		for i := start; i < end; i++ {
			y.objectAt[i] = 1 + uint32(id)
		}
		y.addUnits(o, start)
	}
}

func (y *System) addUnits(o *ir.Object, start int) {
	size := o.Unit
	if size != 1 && size != 2 && size != 4 && size != 8 {
		size = 8
	}
	for off := 0; off < int(o.Size); off += size {
		for off+size > int(o.Size) {
			size /= 2
		}
		y.units = append(y.units, unit{off: int32(start + off), size: uint8(size), signed: o.Type.Signed})
	}
}

func objectsByAddress(p *ir.Program) []ir.ObjectID {
	ids := make([]ir.ObjectID, len(p.Objects))
	for i := range ids {
		ids[i] = ir.ObjectID(i)
	}
	// Objects come almost sorted: insertion sort.
	for i := 1; i < len(ids); i++ {
		for j := i; j > 0 && p.Objects[ids[j]].Addr < p.Objects[ids[j-1]].Addr; j-- {
			ids[j], ids[j-1] = ids[j-1], ids[j]
		}
	}
	return ids
}

func (y *System) addThread(t ir.ThreadID, opt Options, facts *analysis.Facts) {
	p := y.Prog
	th := &p.Threads[t]
	f := p.Funcs[th.Func]
	tc := threadCode{
		thread: t, regBase: y.regCount, locBase: y.Locs(), regs: f.Regs, args: th.Args, entry: int32(f.Entry), start: th.Start,
	}
	if facts.CyclicStoresBut(th.Func, y.owned) {
		tc.bound = opt.Buffer
	}
	tc.live = newLiveRegs(facts, th.Func, len(f.Locs))
	y.hasStatus = y.hasStatus || !th.Start
	y.regCount += len(f.Regs)
	hurry := eagerLocs(y, t, f, opt, facts)
	for l := range f.Locs {
		loc := ir.Loc(l)
		lc := locCode{ends: f.Ends(loc), eager: hurry.eager[l], open: hurry.open[l], private: y.privateLoc(f, loc, facts)}
		for _, i := range f.Out(loc) {
			lc.edges = append(lc.edges, y.compileEdge(&f.Edges[i]))
		}
		tc.locs = append(tc.locs, lc)
	}
	y.threads = append(y.threads, tc)
	for l := range tc.locs {
		for i := range tc.locs[l].edges {
			e := &tc.locs[l].edges[i]
			e.index = int32(len(y.edges))
			y.edges = append(y.edges, e)
		}
	}
}

func (y *System) compileEdge(e *ir.Edge) edge {
	p, op := y.Prog, &e.Op
	ce := edge{
		ir: e, kind: op.Kind, to: int32(e.To), dst: int32(op.Dst), dst2: int32(op.Dst2),
		addr: compile(p, op.Addr), val: compile(p, op.Val), val2: compile(p, op.Val2), cond: compile(p, op.Cond),
		off: -1, size: uint8(op.Type.Size()), signed: op.Type.Signed, obj: int32(op.Obj),
	}
	if y.owned(e) {
		ce.own = true
	}
	for _, a := range op.Args {
		ce.args = append(ce.args, compile(p, a))
	}
	switch op.Kind {
	case ir.Lock, ir.TryLock, ir.Unlock, ir.Barrier, ir.CondWait, ir.Signal, ir.Broadcast:
		ce.size = wordSize
	case ir.AtomicBegin:
		y.hasSections = true
	case ir.Alloc:
		y.hasBlocks = true
	case ir.Join:
		y.hasStatus, y.hasResults = true, y.hasResults || op.Dst != ir.NoReg
	case ir.Havoc, ir.AbstractLoad:
		ce.bounds = newBounds(p, op)
	}
	if op.Kind == ir.CondWait || op.Kind == ir.Barrier {
		y.hasStatus = true
	}
	if ce.addr.kind == codeConst && ce.size > 0 {
		if off, fault := y.resolveStatic(uint64(ce.addr.k), int(ce.size), ce.obj); fault == 0 && off >= 0 && !y.forbidden(&ce, off) && (y.own == nil || !y.stray(&ce, off)) {
			ce.off = int32(off)
		}
	}
	return ce
}

// Edge is the ir edge of a step other than a flush.
func (y *System) Edge(s *State, st Step) *ir.Edge {
	return y.threads[st.Thread].locs[s.pc[st.Thread]].edges[st.Edge].ir
}

// EdgeCount is how many compiled edges there are; State.Covered is indexed by
// them, and EdgeAt gives the ir edge.
func (y *System) EdgeCount() int { return len(y.edges) }

// EdgeAt is the ir edge behind a compiled one, and its thread.
func (y *System) EdgeAt(i int) *ir.Edge { return y.edges[i].ir }
