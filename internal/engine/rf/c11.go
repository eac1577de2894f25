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

// ordersOf returns the orders of an operation.
func ordersOf(op *ir.Op) orders {
	out := orders{read: rc11.Relaxed, fail: rc11.Relaxed, write: rc11.Relaxed}
	switch op.Kind {
	case ir.Load, ir.Await, ir.Store, ir.RMW:
		m := modes[op.Order]
		out.read, out.fail, out.write = m, m, m
		out.update = op.Kind == ir.RMW
		if op.Fail != ir.OrderUnset {
			out.fail = modes[op.Fail]
		}
		if op.Sync != ir.SyncUnset {
			m = librarySync[op.Sync]
			out.read, out.fail, out.write = m, m, m
			out.shared = op.Sync == ir.SyncTakeShared || op.Sync == ir.SyncGiveShared
		}
	case ir.Lock:
		out.read, out.update = rc11.Acquire, true
	case ir.Unlock:
		out.write, out.update = rc11.Release, true
	case ir.Barrier:
		out.read, out.write, out.update = rc11.Acquire, rc11.Release, true
	case ir.Join:
		out.update = true
	case ir.Fence:
		out.fence = modes[op.Order]
	}
	return out
}

// asRead returns the part of a mode that a read has.
func asRead(m rc11.Mode) rc11.Mode {
	switch m {
	case rc11.Release:
		return rc11.Relaxed
	case rc11.AcqRel:
		return rc11.Acquire
	}
	return m
}

// unknown returns the mode of a read of which it is not known yet whether the operation writes: the weaker one.
func (o *orders) unknown() rc11.Mode { return min(asRead(o.read), asRead(o.fail)) }

// known returns the mode of a read of a complete operation.
func (o *op) readMode() rc11.Mode {
	if o.orders.update && (len(o.writes) == 0 || o.waits) {
		return asRead(o.orders.fail)
	}
	return asRead(o.orders.read)
}

// graphs answers the question of c11.
type graphs struct {
	cells  *cells
	g      *graph
	outer  []*graph
	solver rc11.Solver

	in     rc11.Graph
	ops    []ref     // per event: its operation
	writes [][]int32 // per thread and operation: the event of its write, or None
	ends   [][]int32 // the same: its last event
	first  [][]int32 // the same: its first event
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
					last = append(last, rc11.Last{Cell: rd.cell, By: m.event(rd.from)})
				}
			}
		}
		for _, f := range d.finals {
			last = append(last, rc11.Last{Cell: f.cell, By: m.event(f.by)})
		}
	}
	if !m.solver.Consistent(&m.in, last) {
		return nil, false
	}
	var seq []node
	for _, e := range m.solver.Linear() {
		if r := m.ops[e]; m.first[r.t()][r.index] == e {
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

// event returns the event of a write, or None.
func (m *graphs) event(r ref) int32 {
	if r == initial {
		return rc11.None
	}
	return m.writes[r.t()][r.index]
}

// build makes the events of a part of the graph.
func (m *graphs) build(c *cut) {
	m.in.Events, m.ops = m.in.Events[:0], m.ops[:0]
	m.in.Threads, m.in.Cells = len(m.g.threads), m.cells.count()
	n := len(m.g.threads)
	m.writes, m.ends, m.first = make([][]int32, n), make([][]int32, n), make([][]int32, n)
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
			for k, cell := range ev.Cells {
				at := slices.IndexFunc(o.reads, func(rd read) bool { return rd.cell == cell })
				ev.From[k] = m.event(o.reads[at].from)
			}
		}
		if m.first[r.t()][r.index] == int32(e) {
			m.addAfter(ev, r, o.causes)
			if c.whole(r.t(), int(r.index), o) { // otherwise the thread that it joins need not have ended
				m.addAfter(ev, r, o.ended)
			}
		}
	}
}

// addAfter notes operations of other threads that synchronise with the first event of an operation.
func (m *graphs) addAfter(ev *rc11.Event, r ref, by []ref) {
	for _, b := range by {
		if b.t() != r.t() {
			ev.After = append(ev.After, m.ends[b.t()][b.index])
		}
	}
}

// addOp adds the events of an operation.
func (m *graphs) addOp(c *cut, t, i int, o *op) {
	start := int32(len(m.in.Events))
	add := func(k rc11.Kind, mode rc11.Mode, cells []int32) {
		ev := rc11.Event{Thread: int32(t), Kind: k, Mode: mode, Cells: cells, Shared: o.orders.shared}
		if k == rc11.Read {
			ev.From = make([]int32, len(cells))
		}
		m.in.Events, m.ops = append(m.in.Events, ev), append(m.ops, refOf(t, i))
	}
	whole, write := c.whole(t, i, o), rc11.None
	var cells []int32
	for k := range o.reads {
		if r := &o.reads[k]; !r.pool && (whole || c.has(t, i, r.stamp)) {
			cells = append(cells, r.cell)
		}
	}
	if o.orders.fence != rc11.ModeUnset {
		add(rc11.Fence, o.orders.fence, nil)
	}
	if len(cells) > 0 {
		mode := o.orders.unknown()
		if whole {
			mode = o.readMode()
		}
		add(rc11.Read, mode, cells)
	}
	if whole && len(o.writes) > 0 {
		write = int32(len(m.in.Events))
		add(rc11.Write, o.orders.write, o.writes)
		m.in.Events[write].Update = o.orders.update && len(cells) > 0
	}
	if int32(len(m.in.Events)) == start {
		add(rc11.Other, rc11.ModeUnset, nil)
	}
	m.first[t] = append(m.first[t], start)
	m.writes[t] = append(m.writes[t], write)
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

// poke is a value that is written to memory before an operation runs.
type poke struct {
	addr uint64
	size int
	val  uint64
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
		if r.from == initial {
			p.val = rn.m.Sys.ReadRaw(rn.first, at.addr, at.size)
		} else {
			w := rn.graph.op(r.from)
			p.val = w.words[w.at(r.cell)]
		}
		out = append(out, p)
	}
	return out
}

// poke writes what the reads of an operation read to memory.
func (rn *runner) poke(o *op) {
	if rn.c11 {
		for _, p := range rn.pokes(o) {
			memory.WriteRaw(rn.m.Sys, rn.m.State, p.addr, p.size, p.val)
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

// noMixedSizes refuses accesses of different sizes to the same bytes, which RC11 does not have.
func (rn *runner) noMixedSizes(cells int) {
	if rn.c11 && cells > 1 {
		rn.refuse("accesses of different sizes to the same bytes under c11")
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
	if err := t.NoEndless("rf under c11"); err != nil {
		return err
	}
	if len(t.Props.Goals) > 0 {
		return &engine.Unsupported{What: "rf does not take goals under c11"}
	}
	for _, f := range t.Program.Funcs {
		for i := range f.Edges {
			e := &f.Edges[i]
			switch op := &e.Op; {
			case op.DstMask != ir.NoReg || op.Mask != nil:
				return &engine.Unsupported{Pos: engine.Pos(e), What: "rf does not take memory without a value under c11", Advice: "give --uninitialised zero: memory that was never written is zero then"}
			case op.Kind == ir.Free || op.Kind == ir.CondWait || op.Kind == ir.AtomicBegin || op.Kind == ir.AbstractLoad || op.Marks != 0:
				if op.Marks&^ir.NonAtomic == 0 && op.Accesses() && op.Kind != ir.AbstractLoad {
					continue
				}
				panic("BUG: a program that was not made for c11")
			}
		}
	}
	return nil
}
