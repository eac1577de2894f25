package rf

import (
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/machine"
	"fencepost/internal/memory"
)

// The runner brings package machine to the end of a witness, and finds out what operations do.
//
// Invariant: the machine's state is the one after the nodes of ran, in this order, and each of them
// has the label under which it is listed. Both determine the state.

// runner is a machine, with what it has run.
type runner struct {
	m      machine.Machine
	cells  *cells
	ran    []ran
	work   int64         // counted since the last check of the limits
	runs   int64         // nodes that were run so far
	origin machine.Mark  // before the first local steps
	words  bool          // the program has recursive mutexes, so it matters what they hold
	first  *memory.State // the initial one, with words
	shared []int         // per thread: the number of the threads that several threads can start, as Program.Starters returns it
	masked bool          // under c11: loads read which bits are undefined
	c11    bool          // the machine runs under SC, with the values that reads have under c11
	graph  *graph        // that the machine runs, under c11
	err    string        // what the engine does not take, "" if nothing was met
}

// ran is a node that was run.
type ran struct {
	node  node
	label machine.Label
	takes []uint64 // the freed blocks that a section uses
	mark  machine.Mark
	steps int
	run   int64  // the number of this run
	pokes []poke // under c11
	// Under c11, of an allocation: the block, and from which address on its contents are undefined.
	block, undefined uint64
}

func newRunner(y *memory.System, c11 bool, cs *cells, opt machine.Options) runner {
	opt.Stores = true
	rn := runner{m: machine.New(y, machine.NewProcesses(y), machine.ReadsFromTables{}, opt), cells: cs, shared: y.Prog.Starters()}
	rn.origin = rn.m.Mark()
	for _, f := range y.Prog.Funcs {
		for i := range f.Edges {
			rn.words = rn.words || f.Edges[i].Op.Mutex.Kind == ir.RecursiveMutex
			rn.masked = rn.masked || c11 && f.Edges[i].Op.Undef.Dst != ir.NoReg
		}
	}
	rn.c11, rn.words = c11, rn.words || c11
	if rn.words {
		rn.first = y.NewState()
	}
	return rn
}

// start runs the threads that exist from the beginning to their first operations.
func (rn *runner) start() {
	for t := range rn.m.Threads.Now {
		if rn.m.State.Started(ir.ThreadID(t)) {
			rn.m.Begin(t)
			rn.m.RunLocal(t)
		}
	}
}

// thread returns thread t in the present state.
func (rn *runner) thread(t int) memory.Thread { return rn.m.Sys.Thread(rn.m.State, t) }

// alternatives returns what thread t can do next, as far as that is known before it reads: none if
// the thread cannot go on. waits says that its last operation waits.
func (rn *runner) alternatives(t int, waits bool) []machine.Label {
	m := &rn.m
	if waits || !m.State.Started(ir.ThreadID(t)) || m.Threads.Now[t].Stop != machine.Runs {
		return nil
	}
	if !m.State.Running(ir.ThreadID(t)) {
		if edge, woken := m.State.Waiting(ir.ThreadID(t)); woken {
			return []machine.Label{{Edge: edge}}
		}
		return nil
	}
	th := rn.thread(t)
	var out []machine.Label
	for i := range int32(th.EdgeCount()) {
		switch op := th.Op(i); op.Kind {
		case ir.Load, ir.Await, ir.AbstractLoad, ir.RMW, ir.Lock, ir.TryLock, ir.Unlock, ir.Signal, ir.Broadcast, ir.Barrier, ir.Alloc, ir.Fence, ir.Store, ir.Free, ir.Join:
			out = append(out, machine.Label{Edge: i})
		case ir.CondWait:
			out = append(out, machine.Label{Edge: i}, machine.Label{Edge: i, Choice: 1})
		case ir.AtomicBegin:
			out = append(out, machine.Label{Edge: i})
		case ir.Spawn:
			if rn.shared[op.Call.Threads[0]] > 0 || len(th.EnabledEdge(i, m.Enabled[:0])) > 0 {
				out = append(out, machine.Label{Edge: i})
			}
		default:
			m.Enabled = th.EnabledEdge(i, m.Enabled[:0])
			for _, st := range m.Enabled {
				out = append(out, machine.Label{Edge: i, Choice: st.Choice})
			}
		}
	}
	return out
}

// refuse notes that the program has something that the engine does not take.
func (rn *runner) refuse(what string) {
	if rn.err == "" {
		rn.err = what
	}
}

// describe fills in what is known of the next operation of thread t before it reads. The machine is
// where the thread stands before it.
func (rn *runner) describe(t int, o *op) {
	th := rn.thread(t)
	edge := o.label.Edge
	op := th.Op(edge)
	addr, size := th.Address(edge)
	o.drains = op.MustDrain() && rn.m.Sys.Model != memory.SC
	o.frees, o.allocs = op.Kind == ir.Free, op.Kind == ir.Alloc
	switch op.Kind {
	case ir.Load, ir.Await, ir.AbstractLoad:
		o.cells = rn.cells.of(addr, size)
	case ir.RMW:
		if op.Blind() {
			break
		}
		if cs := rn.cells.of(addr, size); len(cs) > 1 {
			o.unit.is, o.unit.all = true, cs
		} else {
			o.cells = cs
		}
	case ir.Lock, ir.TryLock, ir.Unlock:
		o.cells = rn.cells.of(addr, memory.WordSize)
		o.mutex, o.again, o.unlock = true, op.Mutex.Kind == ir.RecursiveMutex, op.Kind == ir.Unlock
	case ir.CondWait:
		mutex := rn.cells.of(th.Mutex(edge), memory.WordSize)
		o.cells, o.mutex = mutex, true
		if rn.m.State.Running(ir.ThreadID(t)) && o.label.Choice == 0 {
			o.cells = append(slices.Clone(rn.cells.of(machine.WaitBase+addr, memory.WordSize)), mutex...)
		}
	case ir.Signal, ir.Broadcast:
		o.cells = rn.cells.of(machine.WaitBase+addr, memory.WordSize)
	case ir.Barrier:
		o.cells = rn.cells.of(addr, memory.WordSize)
	case ir.AtomicBegin:
		o.unit.section, o.unit.is = true, true
	case ir.Fence:
		o.global = op.Fence == ir.GlobalFence && rn.m.Sys.Model != memory.SC
	case ir.Alloc:
		if rn.m.Uses.Frees {
			o.cells = rn.pool(th.Shape(edge))
		}
	case ir.Spawn:
		if n := rn.shared[op.Call.Threads[0]]; n > 0 {
			o.cells, o.mutex = rn.starts(n), true
		}
	case ir.Join:
		if u := th.JoinHandle(edge); u >= 0 {
			o.join, o.cells = int32(u)+1, rn.life(u)
		}
	}
	if memory.HasC11 && rn.c11 {
		o.orders = ordersOf(op, !rn.m.State.Running(ir.ThreadID(t)))
		o.signals = op.Kind == ir.Signal || op.Kind == ir.Broadcast
		rn.noMixedSizes(op, len(o.cells))
		rn.noMixedSizes(op, len(o.unit.all))
	}
	if o.mutex && len(o.cells) > 2 || o.mutex && op.Kind != ir.CondWait && len(o.cells) > 1 {
		rn.refuse("a mutex whose bytes are accessed one by one")
	}
}

// pool returns the cell that stands for the freed blocks of a shape.
func (rn *runner) pool(s memory.Shape) []int32 { return rn.cells.of(machine.PoolBase+uint64(s), 1) }

// token returns the cell that stands for whether a block was freed.
func (rn *runner) token(b uint64) []int32 { return rn.cells.of(machine.TokenBase+b, 8) }

// life returns the cell that stands for what has become of a thread: it has not started, has, or was joined.
func (rn *runner) life(t int) []int32 { return rn.cells.of(machine.SpawnBase+8*uint64(t), 8) }

// starts returns the cell that stands for which of some threads, which several threads can start, have started.
func (rn *runner) starts(n int) []int32 {
	return rn.cells.of(machine.SpawnBase+8*uint64(len(rn.shared)+n), 8)
}

// try returns what thread t would do in the present state. The choices inside a section are in m.Choices.
func (rn *runner) try(t int, o *op) machine.Event {
	mark := rn.m.Mark()
	rn.m.Dry = true
	var e machine.Event
	rn.m.Takes = o.takes()
	rn.m.Perform(int32(t), o.label, &e)
	rn.m.Dry = false
	if rn.m.LoadWaits {
		rn.refuse("an atomic section in which an abstract load may wait")
	}
	rn.m.TakeIssued()
	rn.m.Undo(mark)
	return e
}

// cellsOf returns the cells of access k of the event that was just performed, none if it is not one of memory. For a
// condition that is signalled inside a section they stand for the threads that wait for it.
func (rn *runner) cellsOf(a *machine.Access, k int) []int32 {
	if _, block := machine.Block(a.Addr); block && rn.m.Uses.Frees {
		return rn.cells.of(a.Addr, 8)
	}
	if !machine.IsMemory(a.Addr) {
		return nil
	}
	for _, in := range rn.m.Inside {
		if in.Access == k && (in.Kind == ir.Signal || in.Kind == ir.Broadcast) {
			return rn.cells.of(a.Addr+machine.WaitBase, int(a.Size))
		}
	}
	return rn.cells.of(a.Addr, int(a.Size))
}

// next returns the next part of a unit that has some reads and choices: a cell that it reads next, or none and the
// labels with each alternative of its next choice, or neither. The machine is right before the section, in a state where
// all its reads so far have their sources; what it does up to the next part does not depend on anything else.
func (rn *runner) next(t int, o *op) (int32, []machine.Label) {
	rn.m.Misfit = false
	if !o.unit.section {
		for _, c := range o.unit.all {
			if !slices.Contains(o.cells, c) {
				return c, nil
			}
		}
		return none, nil
	}
	e := rn.try(t, o)
	var open *machine.InnerChoice // the next choice
	if len(rn.m.Choices) > len(o.choices) {
		open = &rn.m.Choices[len(o.choices)]
	}
	inside, takes := rn.m.Inside, len(o.takes())
	known := slices.Clone(o.cells)
	for k := range e.Size() {
		if open != nil && open.Accesses <= k {
			break
		}
		a, allocates := e.At(k), false
		for len(inside) > 0 && inside[0].Access <= k {
			if in := &inside[0]; in.Kind == ir.Alloc && rn.m.Uses.Frees {
				if takes--; takes < 0 {
					return rn.pool(in.Shape)[0], nil
				}
				known, allocates = append(known, rn.token(in.Block)...), in.Access == k
			}
			inside = inside[1:]
		}
		for _, c := range rn.cellsOf(a, k) {
			if a.Mode&machine.Reads != 0 && !allocates && !slices.Contains(known, c) {
				return c, nil
			}
			if a.Mode&machine.Writes != 0 {
				known = append(known, c)
			}
		}
	}
	var out []machine.Label
	if open != nil {
		for n := range open.Count {
			lb := o.label
			lb.Inner = open.With(n)
			out = append(out, lb)
		}
	}
	return none, out
}

// choices returns the labels that operation o of thread t can have where the machine is, which is
// right before the operation, with all values that it reads. block is the freed block that an allocation
// uses, or 0.
func (rn *runner) choices(t int, o *op) []machine.Label {
	th := rn.thread(t)
	if !rn.m.State.Running(ir.ThreadID(t)) {
		return nil
	}
	switch th.Op(o.label.Edge).Kind {
	case ir.AbstractLoad, ir.Signal:
		rn.m.Enabled = th.EnabledEdge(o.label.Edge, rn.m.Enabled[:0])
		var out []machine.Label
		for _, st := range rn.m.Enabled {
			out = append(out, machine.Label{Edge: o.label.Edge, Choice: st.Choice})
		}
		return out
	case ir.Alloc:
		rn.m.Enabled = th.EnabledEdge(o.label.Edge, rn.m.Enabled[:0]) // notes blocks that are too large
		lb := machine.Label{Edge: o.label.Edge, Choice: int64(o.block())}
		if lb.Choice != 0 && !slices.ContainsFunc(rn.m.Enabled, func(st memory.Step) bool { return st.Choice == lb.Choice }) {
			return []machine.Label{} // the block does not have the alignment that is asked for
		}
		return []machine.Label{lb}
	}
	return nil
}

// held reports whether operation o of thread t cannot happen here because a mutex is held.
func (rn *runner) held(t int, o *op) bool {
	if !o.mutex {
		return false
	}
	if !rn.m.State.Running(ir.ThreadID(t)) {
		rn.m.Enabled = rn.m.Sys.EnabledEdges(rn.m.State, t, rn.m.Enabled[:0])
		return !slices.ContainsFunc(rn.m.Enabled, func(st memory.Step) bool { return st.Kind == memory.Relock })
	}
	rn.m.Enabled = rn.thread(t).EnabledEdge(o.label.Edge, rn.m.Enabled[:0])
	return len(rn.m.Enabled) == 0
}

// outcome runs operation o of thread t, which has all its reads and choices, and notes what it does.
// The machine is right before it.
func (rn *runner) outcome(t, i int, o *op) {
	o.known = true
	rn.poke(o)
	if rn.held(t, o) {
		o.waits, o.ends = true, true
		if b, ok := rn.m.State.BlockAt(rn.cells.address(o.cells[len(o.cells)-1]), 1); ok {
			o.blocks = []uint64{b}
		}
		return
	}
	addr, size := rn.thread(t).Address(o.label.Edge)
	what := rn.thread(t).Op(o.label.Edge)
	kind := what.Kind
	running := rn.m.State.Running(ir.ThreadID(t))
	var e machine.Event
	rn.perform(node{thread: int32(t), index: int32(i)}, o, &e)
	o.label.Inner = e.Label.Inner
	rn.ran[len(rn.ran)-1].label = o.label
	o.ends = e.Flags&machine.Ends != 0
	o.wakes = slices.Clone(rn.m.Reached)
	issued := rn.m.TakeIssued()
	if o.unit.section {
		rn.noteFreed(o)
	} else {
		rn.noteBlocks(&e, o)
	}
	for _, b := range o.freed() {
		o.writes = append(append(o.writes, rn.pool(rn.m.State.ShapeAt(b))...), rn.token(b)...)
	}
	if len(issued) > 0 {
		o.buffered, o.ord, o.epoch = true, issued[0].Ord, issued[0].Epoch
		if o.frees {
			return
		} else if !running || kind != ir.Store {
			panic("BUG: an operation other than a store enters the buffer")
		}
		o.writes = rn.cells.of(addr, size)
		if rn.words {
			buf := rn.m.State.Buffer(ir.ThreadID(t))
			o.words = slices.Repeat([]uint64{buf[len(buf)-1].Val}, len(o.writes))
		}
		return
	}
	if !o.ends && kind == ir.Join && running {
		o.writes = o.cells
	}
	if !o.ends && kind == ir.Spawn && running {
		o.writes = slices.Concat(rn.life(int(o.wakes[0])), o.cells)
	}
	for _, in := range rn.m.Inside {
		if in.Kind == ir.Spawn && !o.ends {
			o.writes = append(o.writes, rn.life(int(in.Thread))...)
		}
	}
	for k := range e.Size() {
		a := e.At(k)
		cs := rn.cellsOf(a, k)
		if a.Addr == addr && (kind == ir.CondWait || kind == ir.Signal || kind == ir.Broadcast) {
			cs = rn.cells.of(addr+machine.WaitBase, int(a.Size))
		}
		if a.Mode&machine.Reads != 0 && machine.IsMemory(a.Addr) && slices.ContainsFunc(cs, func(c int32) bool { return !slices.Contains(o.cells, c) && !slices.Contains(o.writes, c) }) && !rn.cells.split() {
			panic("BUG: a section reads more than was found")
		}
		if a.Mode&machine.Writes != 0 && machine.IsMemory(a.Addr) && (!o.ends || rn.c11) {
			for _, c := range cs {
				if !slices.Contains(o.writes, c) {
					o.writes = append(o.writes, c)
				}
			}
		}
	}
	rn.noMixedSizes(what, len(o.writes))
	rn.dropUnwritten(what, o, rn.ran[len(rn.ran)-1].pokes)
	rn.noteWords(o)
}

// noteWords notes what the cells hold that an operation has just written.
func (rn *runner) noteWords(o *op) {
	if !rn.words {
		return
	}
	for _, c := range o.writes {
		at := rn.cells.span(c)
		now := memory.ReadContent(rn.m.Sys, rn.m.State, at.addr, at.size)
		o.words = append(o.words, now.Val)
		if rn.masked {
			o.masks = append(o.masks, now.Mask)
		}
	}
}

// noteFreed notes the blocks that a section has freed, and has not used again itself.
func (rn *runner) noteFreed(o *op) {
	o.blocks = nil
	if !o.ends {
		o.blocks = freedAfter(rn.m.Inside)
	}
	o.frees = len(o.blocks) > 0
}

// noteBlocks notes the blocks that an operation needs.
func (rn *runner) noteBlocks(e *machine.Event, o *op) {
	for k := range e.Size() {
		if b, ok := machine.Block(e.At(k).Addr); ok && !slices.Contains(o.blocks, b) {
			o.blocks = append(o.blocks, b)
		}
	}
}
