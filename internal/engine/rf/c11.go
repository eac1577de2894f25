package rf

import (
	"slices"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/machine"
	"fencepost/internal/memory"
	"fencepost/internal/rc11"
)

// The question of C11's own model: is there a modification order that satisfies the axioms of RC11 [LVKHD17]?
// Package rc11 answers it; here graphs become graphs of events, and witnesses become orders in which the machine
// can run the operations.
//
// A witness is an order of the operations that porf respects, and modification orders beside it. No memory holds what
// a read reads in such an order. So the machine runs under SC, and before it runs an operation it writes to memory what
// the sources of its reads have written (runner.poke). In the end memory gets the last writes of the modification orders.
//
// The last write of a cell is the last one in modification order. A further read that reads from there is consistent:
// no rb leaves the read, and nothing else leaves the last event of a thread. So is a further write that comes last in
// modification order. What TruSt and canonical sources need of a model follows (docs/engines/c11.md).

// orders has the memory orders of an operation under c11.
type orders struct {
	read   rc11.Mode
	fail   rc11.Mode // of the read of one that does not write
	write  rc11.Mode
	fence  rc11.Mode // ModeUnset: it is no fence
	update bool      // what it reads and writes is one read-modify-write
	shared bool      // the lock or unlock of a reader
	held   bool      // reads and writes what threads of the machine hold, not memory
}

// modes are the modes of orders.
var modes = map[ir.Order]rc11.Mode{
	ir.Plain: rc11.Plain, ir.Relaxed: rc11.Relaxed, ir.Consume: rc11.Acquire, ir.Acquire: rc11.Acquire,
	ir.Release: rc11.Release, ir.AcqRel: rc11.AcqRel, ir.SeqCst: rc11.SeqCst,
}

// librarySync are the modes of accesses that belong to calls of the library: locks are acquire and release, and not
// more; a call that fails is a relaxed read.
var librarySync = map[ir.SyncKind]rc11.Mode{
	ir.SyncInspect: rc11.Relaxed, ir.SyncTake: rc11.Acquire, ir.SyncGive: rc11.Release,
	ir.SyncTakeShared: rc11.Acquire, ir.SyncGiveShared: rc11.Release,
}

// ordersOf returns the orders of an operation. relock says that it is the lock at the end of a condition wait.
func ordersOf(op *ir.Op, relock bool) orders {
	out := orders{read: rc11.Relaxed, fail: rc11.Relaxed, write: rc11.Relaxed}
	switch op.Kind {
	case ir.Load, ir.Await, ir.Store, ir.RMW:
		m := modes[op.Sync.Order]
		out.read, out.fail, out.write = m, m, m
		out.update = op.Kind == ir.RMW
		if op.Sync.Fail != ir.OrderUnset {
			out.fail = modes[op.Sync.Fail]
		}
		if op.Sync.Kind != ir.SyncUnset {
			m = librarySync[op.Sync.Kind]
			out.read, out.fail, out.write = m, m, m
			out.shared = op.Sync.Kind == ir.SyncTakeShared || op.Sync.Kind == ir.SyncGiveShared
		}
	case ir.Lock:
		out.read, out.update = rc11.Acquire, true
	case ir.Unlock:
		out.write, out.update = rc11.Release, true
	case ir.Barrier:
		out.read, out.write, out.update, out.held = rc11.Acquire, rc11.Release, true, true
	case ir.CondWait: // an unlock, and a lock when the thread was woken
		out.update = true
		if relock {
			out.read = rc11.Acquire
		} else {
			out.write, out.held = rc11.Release, true
		}
	case ir.Spawn, ir.Signal, ir.Broadcast:
		out.update, out.held = true, true
	case ir.Join:
		out.update = true
	case ir.Fence:
		out.fence = modes[op.Sync.Order]
	}
	return out
}

// unknown returns the mode of a read of which it is not known yet whether the operation writes: the weaker one.
func (o *orders) unknown() rc11.Mode { return min(o.read.AsRead(), o.fail.AsRead()) }

// known returns the mode of a read of a complete operation.
func (o *op) readMode() rc11.Mode {
	if o.orders.update && (len(o.writes) == 0 || o.waits) {
		return o.orders.fail.AsRead()
	}
	return o.orders.read.AsRead()
}

// graphs answers the question of c11.
type graphs struct {
	cells  *cells
	g      *graph
	outer  []*graph
	solver rc11.Solver

	in     rc11.Graph
	ops    []ref     // per event: its operation
	first  [][]int32 // per thread and operation: its first event
	ends   [][]int32 // the same: its last event
	main   [][]int32 // the same: its first access, which stands for it in a witness
	joined []ref     // the last operations of threads that were joined
}

func newGraphs(cs *cells) *graphs { return &graphs{cells: cs} }

func (m *graphs) enter(g *graph) bool {
	m.outer, m.g = append(m.outer, m.g), g
	return true
}

func (m *graphs) leave() {
	n := len(m.outer) - 1
	m.g, m.outer = m.outer[n], m.outer[:n]
}

func (m *graphs) begin(int, int) bool { return true }
func (m *graphs) read(int, int) bool  { return true }
func (m *graphs) join(int, int) bool  { return true }
func (m *graphs) write(int, int) bool { return true }
func (m *graphs) mark() moment        { return moment{} }
func (m *graphs) undo(moment)         {}

func (m *graphs) change([]node) ([]node, bool) { return m.witness(cut{}, nil) }

func (m *graphs) witness(c cut, d *demand) ([]node, bool) {
	m.build(&c)
	var last []rc11.Last
	if d != nil {
		for _, r := range d.last {
			for _, rd := range m.g.op(r).reads {
				if !rd.pool {
					last = append(last, rc11.Last{Cell: rd.cell, By: m.event(rd.from, rd.cell)})
				}
			}
		}
		for _, f := range d.finals {
			last = append(last, rc11.Last{Cell: f.cell, By: m.event(f.by, f.cell)})
		}
	}
	if !m.solver.Consistent(&m.in, last) {
		return nil, false
	}
	var seq []node
	for _, e := range m.solver.Linear() {
		if r := m.ops[e]; m.main[r.t()][r.index] == e {
			seq = append(seq, node{thread: r.thread - 1, index: r.index})
		}
	}
	return seq, true
}

func (m *graphs) last(c int32) ref {
	if e := m.solver.LastWrite(c); e != rc11.None {
		return m.ops[e]
	}
	return initial
}

// holds returns no operation: where the read of an operation that is not the last one of a witness is added, all sources
// are asked about.
func (m *graphs) holds([]node, node, int32) ref { return ref{thread: -1} }

// event returns the event of an operation that writes a cell, or None.
func (m *graphs) event(r ref, cell int32) int32 {
	if r == initial {
		return rc11.None
	}
	for e := m.first[r.t()][r.index]; e <= m.ends[r.t()][r.index]; e++ {
		if ev := &m.in.Events[e]; ev.Kind == rc11.Write && ev.Cells[0] == cell {
			return e
		}
	}
	panic("BUG: a read of what was not written")
}

// build makes the events of a part of the graph.
func (m *graphs) build(c *cut) {
	m.in.Events, m.ops = m.in.Events[:0], m.ops[:0]
	m.in.Threads, m.in.Cells = len(m.g.threads), m.cells.count()
	n := len(m.g.threads)
	m.ends, m.first, m.main = make([][]int32, n), make([][]int32, n), make([][]int32, n)
	m.joined = m.joined[:0]
	for t := range m.g.threads {
		for i := range m.g.threads[t] {
			if o := &m.g.threads[t][i]; len(o.ended) > 0 && c.whole(t, i, o) {
				m.joined = append(m.joined, o.ended...)
			}
		}
	}
	for t := range m.g.threads {
		for i := range m.g.threads[t] {
			o := &m.g.threads[t][i]
			if !c.some(t, i, o) {
				break
			}
			m.addOp(c, t, i, o)
		}
	}
	for e := range m.in.Events {
		ev := &m.in.Events[e]
		r := m.ops[e]
		o := m.g.op(r)
		if ev.Kind == rc11.Read {
			at := slices.IndexFunc(o.reads, func(rd read) bool { return rd.cell == ev.Cells[0] })
			ev.From[0] = m.event(o.reads[at].from, ev.Cells[0])
		}
		if m.first[r.t()][r.index] == int32(e) {
			m.addAfter(c, ev, r, o)
		}
	}
	for e := range m.in.Events {
		if ev := &m.in.Events[e]; ev.Kind == rc11.Read && ev.From[0] == rc11.None && m.g.op(m.ops[e]).join > 0 {
			m.beforeStart(int32(e))
		}
		if r := m.ops[e]; m.in.Events[e].Kind == rc11.Read && m.g.op(r).orders.held && !c.whole(r.t(), int(r.index), m.g.op(r)) {
			m.comesFirst(int32(e))
		}
	}
}

// addAfter notes operations of other threads that come before the first event of an operation. A signal does not
// synchronise with the thread that it wakes; the free of a block does with the allocation that uses it again.
func (m *graphs) addAfter(c *cut, ev *rc11.Event, r ref, o *op) {
	add := func(to *[]int32, b ref) {
		if b.t() != r.t() {
			*to = append(*to, m.ends[b.t()][b.index])
		}
	}
	for _, b := range o.causes {
		if m.g.op(b).signals {
			add(&ev.Woken, b)
		} else {
			add(&ev.After, b)
		}
	}
	if c.whole(r.t(), int(r.index), o) { // otherwise the thread that it joins need not have ended
		for _, b := range o.ended {
			add(&ev.After, b)
		}
	}
	for k := range o.reads {
		if rd := &o.reads[k]; rd.pool && rd.from != initial && c.has(r.t(), int(r.index), rd.stamp) {
			add(&ev.After, rd.from)
		}
	}
}

// addOp adds the events of an operation: a read for each cell, followed by the write of the same cell if both are one
// read-modify-write, and the other writes. Cells that stand for blocks order nothing here.
func (m *graphs) addOp(c *cut, t, i int, o *op) {
	start := int32(len(m.in.Events))
	add := func(k rc11.Kind, mode rc11.Mode, cell int32, update bool) {
		ev := rc11.Event{Thread: int32(t), Kind: k, Mode: mode, Update: update, Shared: o.orders.shared}
		if cell >= 0 {
			ev.Cells = []int32{cell}
			if !machine.IsMemory(m.cells.address(cell)) {
				ev.Mode = rc11.Relaxed
			}
		}
		if k == rc11.Read {
			ev.From = make([]int32, 1)
		}
		m.in.Events, m.ops = append(m.in.Events, ev), append(m.ops, refOf(t, i))
	}
	whole := c.whole(t, i, o)
	if len(o.causes) > 0 { // an event of its own begins the thread, or lets it go on: what synchronises has another location than all accesses
		add(rc11.Other, rc11.ModeUnset, rc11.None, false)
	}
	main := int32(len(m.in.Events))
	if o.orders.fence != rc11.ModeUnset {
		add(rc11.Fence, o.orders.fence, rc11.None, false)
	}
	mode := o.orders.unknown()
	if whole {
		mode = o.readMode()
	}
	updated := func(cell int32) bool {
		return o.orders.update && slices.ContainsFunc(o.reads, func(r read) bool { return !r.pool && r.cell == cell })
	}
	for k := range o.reads {
		r := &o.reads[k]
		if r.pool || !whole && !c.has(t, i, r.stamp) {
			continue
		}
		add(rc11.Read, mode, r.cell, false)
		if whole && o.orders.update && o.at(r.cell) >= 0 {
			add(rc11.Write, o.orders.write, r.cell, true)
		}
	}
	if whole && !o.frees {
		for _, cell := range o.writes {
			if !updated(cell) {
				add(rc11.Write, o.orders.write, cell, false)
			}
		}
	}
	if int32(len(m.in.Events)) == start || slices.Contains(m.joined, refOf(t, i)) { // the end of the thread is such an event, too
		add(rc11.Other, rc11.ModeUnset, rc11.None, false)
	}
	if main == int32(len(m.in.Events)) { // it has no access
		main = start
	}
	m.first[t], m.main[t] = append(m.first[t], start), append(m.main[t], main)
	m.ends[t] = append(m.ends[t], int32(len(m.in.Events))-1)
}

// comesLast reports whether the write of operation i of thread t can follow all others in the present witness.
func comesLast(x *explorer, t, i int, seq []node) bool {
	if len(seq) == 0 || !seq[len(seq)-1].is(node{thread: int32(t), index: int32(i)}) {
		return false
	}
	// Under c11, the last operation of a witness need not read the last write.
	return !x.run.c11 || !slices.ContainsFunc(x.g.threads[t][i].reads, func(r read) bool { return !r.pool && lastOf(x, r.cell) != r.from })
}

// complete visits the graph in which operation i of thread t, which writes nothing, is complete. Under c11 its order can
// be another one than before, if a compare-exchange has failed.
func complete(x *explorer, t, i int, seq []node) {
	if o := &x.g.threads[t][i]; !x.run.c11 || o.orders.unknown() == o.readMode() {
		x.visit(seq)
	} else if next, ok := x.change(seq); ok {
		mem := x.mem
		x.visit(x.adopt(next))
		x.mem = mem
	} else {
		x.skip()
	}
}

// dropUnwritten forgets the writes of an operation on a mutex that has failed: one that was never initialised, or that the
// thread does not hold. before has the contents of the mutex before it.
func (rn *runner) dropUnwritten(what *ir.Op, o *op, before []poke) {
	switch what.Kind {
	case ir.Lock, ir.TryLock, ir.Unlock, ir.CondWait:
		changed := func(p poke) bool {
			return memory.ReadContent(rn.m.Sys, rn.m.State, p.addr, p.size).Val != p.val.Val
		}
		if rn.c11 && !slices.ContainsFunc(before, changed) {
			o.writes = nil
		}
	}
}

// poke is a value that memory gets before an operation runs.
type poke struct {
	addr uint64
	size int
	val  memory.Content
	from ref
}

// pokes returns what the reads of an operation read.
func (rn *runner) pokes(o *op) []poke {
	var out []poke
	for k := range o.reads {
		r := &o.reads[k]
		at := rn.cells.span(r.cell)
		if r.pool || !machine.IsMemory(at.addr) {
			continue
		}
		p := poke{addr: at.addr, size: at.size, from: r.from}
		if rn.masked && rn.ofOneThread(at.addr) {
			// Its scope may have begun since the source, and made it undefined.
			p.val = memory.ReadContent(rn.m.Sys, rn.m.State, at.addr, at.size)
		} else if r.from == initial {
			p.val = memory.ReadContent(rn.m.Sys, rn.first, at.addr, at.size)
		} else {
			w := rn.graph.op(r.from)
			p.val = w.content(r.cell)
		}
		if rn.masked && rn.undefined(&p) {
			p.val = memory.Content{Mask: 1<<(8*at.size) - 1}
		}
		out = append(out, p)
	}
	return out
}

// ofOneThread reports whether memory has what a thread last did to a variable that may be undefined, and that no other
// thread can reach.
func (rn *runner) ofOneThread(addr uint64) bool {
	p := rn.m.Sys.Prog
	o := p.FindObject(addr, 1)
	return o != ir.NoObject && p.Objects[o].Masked && p.Objects[o].Ends
}

// content returns what the operation has written to a cell.
func (o *op) content(c int32) memory.Content {
	k := o.at(c)
	out := memory.Content{Val: o.words[k]}
	if o.masks != nil {
		out.Mask = o.masks[k]
	}
	return out
}

// undefined reports whether a read gets the contents that its block had when it was allocated: an allocation of the block
// has run after the source.
func (rn *runner) undefined(p *poke) bool {
	block, ok := rn.m.State.BlockAt(p.addr, p.size)
	if !ok {
		return false
	}
	for k := len(rn.ran) - 1; k >= 0; k-- {
		switch r := &rn.ran[k]; {
		case p.from != initial && r.node.thread == p.from.thread-1 && r.node.index == p.from.index:
			return false
		case r.block == block:
			return p.addr >= r.undefined
		}
	}
	return false
}

// begins notes that the node that is about to run allocates a block, if it does.
func (rn *runner) begins(n node, lb machine.Label) {
	th := rn.thread(int(n.thread))
	if !rn.masked || !rn.m.State.Running(ir.ThreadID(n.thread)) || th.Op(lb.Edge).Kind != ir.Alloc {
		return
	}
	r := &rn.ran[len(rn.ran)-1]
	r.block, r.undefined = th.AllocatedBy(lb.Edge, lb.Choice), ^uint64(0)
	if op := th.Op(lb.Edge); op.Block.Undef {
		r.undefined = r.block + uint64(op.Block.Lead)
	}
}

// poke writes what the reads of an operation read to memory.
func (rn *runner) poke(o *op) {
	if rn.c11 {
		for _, p := range rn.pokes(o) {
			memory.WriteContent(rn.m.Sys, rn.m.State, p.addr, p.size, p.val)
		}
	}
}

// sameSources reports whether an operation that was run has the sources that it has now.
func sameSources(ran []poke, now *op) bool {
	k := 0
	for i := range now.reads {
		if r := &now.reads[i]; !r.pool {
			if k < len(ran) && ran[k].from != r.from {
				return false
			}
			k++
		}
	}
	return true
}

// noMixedSizes refuses atomic accesses to bytes that others access one by one, which RC11 does not have. A plain access is
// one of each cell: nothing tells whether they happen together, since a data race is an error.
func (rn *runner) noMixedSizes(op *ir.Op, cells int) {
	if rn.c11 && cells > 1 && op.Accesses() && op.Sync.Order != ir.Plain {
		rn.refuse("atomic accesses under c11 to bytes that are also accessed with another size")
	}
}

// newSystem returns the system that the machine runs: under c11, SC with fences as operations.
func newSystem(t *engine.Task) *memory.System {
	if t.Model != memory.C11 {
		return memory.New(t.Program, t.Model, t.MemoryOptions())
	}
	opt := t.MemoryOptions()
	opt.Fences = true
	return memory.New(t.Program, memory.SC, opt)
}

// supportsC11 returns why the engine does not take a task under c11, or nil.
func supportsC11(t *engine.Task) error {
	for _, f := range t.Program.Funcs {
		for i := range f.Edges {
			switch op := &f.Edges[i].Op; {
			case op.Kind == ir.AtomicBegin || op.Kind == ir.AbstractLoad || op.Accesses() && op.Sync.Marks.Has(ir.Weak|ir.AsStore|ir.Machine):
				panic("BUG: a program that was not made for c11")
			}
		}
	}
	return nil
}
