package trace

import (
	"fencepost/internal/ir"
	"fencepost/verdict"
)

// Chronological traces [AAAJLS15 §3, App. A.4]: a partial order on the events of an
// execution in which a store and its update (flush) are two events. Two executions have
// the same chronological trace exactly if they have the same Shasha-Snir trace. Unlike
// Shasha-Snir traces, chronological traces are always acyclic.
//
// The edges are computed by their definitions, from the whole execution. Engine smc
// computes them during the execution [AAAJLS15 App. B], and tests compare the two.
// Clocks are vector clocks with one component per process.
//
// Differs from the paper: reads-from and conflict are per byte. An atomic section and a
// read-modify-write are one event. Two kinds of edges are added for operations that the
// paper does not have: ChronoSync and ChronoWait.

// ChronoKind is the kind of an edge of a chronological trace. The zero value is unset.
type ChronoKind uint8

// The kinds: the paper's six, and two more.
const (
	_          ChronoKind = iota
	ChronoPO              // program order: from an event to the next one of the same process
	ChronoSU              // from a store to its update
	ChronoUU              // from an update of a byte to the next update of that byte
	ChronoSRC             // reads-from: from an update to a load of another thread that reads it
	ChronoCF              // conflict: from a load to the update that overwrites the value it read
	ChronoUF              // from the updates of a thread to its next fence
	ChronoSync            // from a spawn to the thread, from the end of a thread to its join
	ChronoWait            // from the update of a store before a store-store fence to updates of stores after it
)

var chronoNames = [...]string{"", "po", "su", "uu", "src-ct", "cf-ct", "uf", "sy", "wait"}

func (k ChronoKind) String() string {
	if int(k) >= len(chronoNames) {
		panic("BUG: unknown edge of a chronological trace")
	}
	return chronoNames[k]
}

// ChronoEdge is an edge between events, given by their indices.
type ChronoEdge struct {
	From, To int
	Kind     ChronoKind
}

// ChronoEvent is an event: an instruction, a whole atomic section, or an update.
type ChronoEvent struct {
	Process int
	Thread  int
	Update  bool
	Steps   []int
}

// Chronological is the chronological trace of an execution.
type Chronological struct {
	Events []ChronoEvent
	Edges  []ChronoEdge
	// Clocks has, for every event, the number of events of each process that happen
	// before it. The event itself is included.
	Clocks [][]int

	index []int // number of each event in its process, from 1
	of    []int // per step: its event, or -1
}

// EventOf returns the event that a step belongs to, or -1.
func (c *Chronological) EventOf(step int) int { return c.of[step] }

// Before reports whether event i happens before event j, or is j.
func (c *Chronological) Before(i, j int) bool {
	return c.Clocks[j][c.Events[i].Process] >= c.index[i]
}

// chronoProcess is a thread or one of its buffers.
type chronoProcess struct {
	thread int
	update bool
	addr   uint64 // PSO: the bytes of the buffer
	size   int
}

// chronoBuilder builds the chronological trace of an execution step by step.
type chronoBuilder struct {
	c    *Chronological
	w    *verdict.Witness
	ops  map[ir.EdgeID]*ir.Op
	pso  bool
	ids  map[chronoProcess]int
	last map[int]int // per process: its newest event

	section []int            // per thread: the event of the atomic section it is in, or -1
	started map[int]int      // per thread: the event that spawned it
	epoch   []int            // per thread: the number of its store-store fences so far
	epochs  map[int]int      // per step of a buffered store: the epoch of its thread then
	updates [][]int          // per thread: its updates, in order
	writers map[uint64][]int // per byte: the events that wrote it, in order
	seen    map[ChronoEdge]bool
	loads   []chronoLoad
}

// chronoLoad is a byte that an event reads.
type chronoLoad struct {
	event int
	addr  uint64
	store int // step of the newest store of the same thread to the byte, or -1
}

// NewChronological returns the chronological trace of a complete execution under TSO or,
// if pso is set, PSO. Under SC stores have no updates. Mutexes, condition variables and
// blocks count only through their accesses to memory.
func NewChronological(p *ir.Program, w *verdict.Witness, pso bool) *Chronological {
	b := &chronoBuilder{
		c: &Chronological{of: make([]int, len(w.Steps))}, w: w, pso: pso, ops: map[ir.EdgeID]*ir.Op{}, ids: map[chronoProcess]int{},
		last: map[int]int{}, section: make([]int, len(w.Threads)), started: map[int]int{}, epoch: make([]int, len(w.Threads)), epochs: map[int]int{},
		updates: make([][]int, len(w.Threads)), writers: map[uint64][]int{}, seen: map[ChronoEdge]bool{},
	}
	for _, f := range p.Funcs {
		for i := range f.Edges {
			b.ops[f.Edges[i].ID] = &f.Edges[i].Op
		}
	}
	for t := range b.section {
		b.section[t] = -1
	}
	for i := range w.Steps {
		b.c.of[i] = -1
		b.step(i)
	}
	b.conflicts()
	b.clocks()
	return b.c
}

func (b *chronoBuilder) edge(from, to int, kind ChronoKind) {
	if e := (ChronoEdge{from, to, kind}); from != to && !b.seen[e] {
		b.seen[e] = true
		b.c.Edges = append(b.c.Edges, e)
	}
}

// event adds an event of process pr for step i and returns it.
func (b *chronoBuilder) event(i int, pr chronoProcess) int {
	id, ok := b.ids[pr]
	if !ok {
		id = len(b.ids)
		b.ids[pr] = id
	}
	e := len(b.c.Events)
	b.c.Events = append(b.c.Events, ChronoEvent{Process: id, Thread: pr.thread, Update: pr.update, Steps: []int{i}})
	n := 1
	if prev, ok := b.last[id]; ok {
		b.edge(prev, e, ChronoPO)
		n = b.c.index[prev] + 1
	} else if s, ok := b.started[pr.thread]; ok && !pr.update {
		b.edge(s, e, ChronoSync)
	}
	b.c.index = append(b.c.index, n)
	b.last[id] = e
	b.c.of[i] = e
	return e
}

// instruction returns the event of step i, which is no flush: that of the atomic section
// it is in, or a new one.
func (b *chronoBuilder) instruction(i int) int {
	t := b.w.Steps[i].Thread
	if e := b.section[t]; e >= 0 {
		b.c.of[i] = e
		b.c.Events[e].Steps = append(b.c.Events[e].Steps, i)
		return e
	}
	return b.event(i, chronoProcess{thread: t})
}

func (b *chronoBuilder) step(i int) {
	st := &b.w.Steps[i]
	if st.Kind == verdict.StepFlush {
		b.update(i, st)
		return
	}
	op := b.ops[ir.EdgeID(st.Edge)]
	switch {
	case st.Kind == verdict.StepStore && st.Buffered:
		b.instruction(i)
		b.epochs[i] = b.epoch[st.Thread]
		return
	case op.Kind == ir.Fence && op.Fence == ir.StoreStoreFence:
		b.epoch[st.Thread]++
		return
	case op.Kind == ir.AtomicEnd:
		b.c.of[i] = b.section[st.Thread]
		b.section[st.Thread] = -1
		return
	case op.Local():
		return
	}
	e := b.instruction(i)
	if op.MustDrain() && b.section[st.Thread] < 0 {
		for _, u := range b.updates[st.Thread] {
			b.edge(u, e, ChronoUF)
		}
	}
	switch op.Kind {
	case ir.AtomicBegin:
		b.section[st.Thread] = e
	case ir.Spawn:
		b.started[st.Other-1] = e
	case ir.Join:
		for pr, id := range b.ids {
			if last, ok := b.last[id]; ok && pr.thread == st.Other-1 {
				b.edge(last, e, ChronoSync)
			}
		}
	}
	if st.Kind == verdict.StepLoad || st.Kind == verdict.StepRMW {
		b.read(i, e, st)
	}
	if st.Kind == verdict.StepStore && !st.Free || st.Kind == verdict.StepRMW && st.Wrote {
		b.write(e, st.Addr, st.Size)
	}
}

// update adds the event of a flush.
func (b *chronoBuilder) update(i int, st *verdict.Step) {
	pr := chronoProcess{thread: st.Thread, update: true}
	if b.pso {
		pr.addr, pr.size = st.Addr, st.Size
	}
	e := b.event(i, pr)
	b.edge(b.c.of[st.Of], e, ChronoSU)
	for _, u := range b.updates[st.Thread] {
		if b.epochs[b.w.Steps[b.c.Events[u].Steps[0]].Of] < b.epochs[st.Of] {
			b.edge(u, e, ChronoWait)
		}
	}
	b.updates[st.Thread] = append(b.updates[st.Thread], e)
	b.write(e, st.Addr, st.Size)
}

func (b *chronoBuilder) write(e int, addr uint64, size int) {
	for k := range uint64(size) {
		if list := b.writers[addr+k]; len(list) > 0 {
			b.edge(list[len(list)-1], e, ChronoUU)
		}
		b.writers[addr+k] = append(b.writers[addr+k], e)
	}
}

// read adds the reads-from edges of a load, and stores the load for conflicts.
func (b *chronoBuilder) read(i, e int, st *verdict.Step) {
	for k := range st.Size {
		a := st.Addr + uint64(k)
		b.loads = append(b.loads, chronoLoad{event: e, addr: a, store: b.newestStore(i, a)})
		list := b.writers[a]
		if st.ReadsFrom(k) > 0 || len(list) == 0 {
			continue
		}
		// An update of the same thread gives no edge: the store could have been forwarded
		// with the same value.
		if wr := list[len(list)-1]; !b.c.Events[wr].Update || b.c.Events[wr].Thread != st.Thread {
			b.edge(wr, e, ChronoSRC)
		}
	}
}

// newestStore returns the step of the newest buffered store to a byte before step i, by
// the thread of step i, or -1.
func (b *chronoBuilder) newestStore(i int, addr uint64) int {
	for j := i - 1; j >= 0; j-- {
		st := &b.w.Steps[j]
		if st.Thread == b.w.Steps[i].Thread && st.Kind == verdict.StepStore && st.Buffered && !st.Free && addr-st.Addr < uint64(st.Size) {
			return j
		}
	}
	return -1
}

// conflicts adds, for every byte read, an edge to the write that overwrites the value
// read: the first write after both the load and the update of the newest store to the
// byte by the same thread.
func (b *chronoBuilder) conflicts() {
	flushed := map[int]int{}
	for i := range b.w.Steps {
		if st := &b.w.Steps[i]; st.Kind == verdict.StepFlush {
			flushed[st.Of] = b.c.of[i]
		}
	}
	for _, l := range b.loads {
		after := l.event
		if l.store >= 0 {
			u, ok := flushed[l.store]
			if !ok {
				continue
			}
			after = max(after, u)
		}
		for _, wr := range b.writers[l.addr] {
			if wr > after {
				b.edge(l.event, wr, ChronoCF)
				break
			}
		}
	}
}

// clocks computes the vector clocks. It relies on edges from earlier to later events.
func (b *chronoBuilder) clocks() {
	into := make([][]int, len(b.c.Events))
	for _, e := range b.c.Edges {
		into[e.To] = append(into[e.To], e.From)
	}
	for i := range b.c.Events {
		clock := make([]int, len(b.ids))
		for _, from := range into[i] {
			for p, n := range b.c.Clocks[from] {
				clock[p] = max(clock[p], n)
			}
		}
		clock[b.c.Events[i].Process] = b.c.index[i]
		b.c.Clocks = append(b.c.Clocks, clock)
	}
}
