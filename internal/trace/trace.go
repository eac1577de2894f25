package trace

import (
	"fmt"
	"sort"
	"strings"

	"fencepost/internal/ir"
	"fencepost/verdict"
)

// Kind of an edge. The zero value is unset.
type Kind uint8

// The relations, with the papers' names.
const (
	_   Kind = iota
	PO       // program order, from one node of a thread to its next
	ST       // store order: from a store to the next one of the same bytes to reach memory
	SRC      // source: from a store to a load that got its value from it
	CF       // conflict: from a load to the store that overwrites what it read
	SY       // synchronisation that is not memory: spawn before the child, its end before the join
)

func (k Kind) String() string {
	switch k {
	case PO:
		return "po"
	case ST:
		return "st"
	case SRC:
		return "src"
	case CF:
		return "cf"
	case SY:
		return "sy"
	default:
		panic(fmt.Sprintf("BUG: unknown relation %d", k))
	}
}

// Event is a node.
type Event struct {
	Thread int
	Steps  []int // of the witness: the issue first, the flush last; all of a section
	Reads  []Access
	Writes []Access
}

// Access is the bytes an event reads or writes.
type Access struct {
	Step  int // of the witness; a buffered store's issue
	Addr  uint64
	Size  int
	Value int64
	Name  string
}

// Edge is an arc between events.
type Edge struct {
	From, To int
	Kind     Kind
}

// Trace is the graph of an execution.
type Trace struct {
	Events []Event
	Edges  []Edge

	out [][]int32
}

// New builds the trace of an execution of a flat program. Stores still buffered at
// the end count as reaching memory then, in order of issue.
func New(p *ir.Program, w *verdict.Witness) *Trace {
	b := &builder{
		p: p, w: w, t: &Trace{}, ops: map[ir.EdgeID]*ir.Op{},
		of: make([]int, len(w.Steps)), last: make([]int, len(w.Threads)), section: make([]int, len(w.Threads)),
		started: map[int]int{}, orders: map[uint64][]int{},
	}
	for _, f := range p.Funcs {
		for i := range f.Edges {
			b.ops[f.Edges[i].ID] = &f.Edges[i].Op
		}
	}
	for i := range b.of {
		b.of[i] = -1
	}
	for t := range b.last {
		b.last[t], b.section[t] = -1, -1
	}
	for i := range w.Steps {
		b.step(i)
	}
	for i := range w.Steps { // what never reached memory
		if st := &w.Steps[i]; st.Kind == verdict.StepStore && st.Buffered && !st.Free && !b.flushed(i) {
			b.reach(b.of[i], st.Addr, st.Size)
		}
	}
	b.relate()
	b.t.index()
	return b.t
}

// builder walks an execution.
type builder struct {
	p   *ir.Program
	w   *verdict.Witness
	t   *Trace
	ops map[ir.EdgeID]*ir.Op

	of      []int // event of each step, -1: none
	last    []int // newest event of each thread
	section []int // event of the section each thread is in, -1: none
	started map[int]int
	orders  map[uint64][]int // per byte: events in the order in which they wrote it
	reads   []read
}

// read is a byte of a load: by whom, and the event whose write it saw.
type read struct {
	event int
	addr  uint64
	from  int // -1: the initial value
}

func (b *builder) op(st *verdict.Step) *ir.Op {
	if st.Edge < 0 {
		return nil
	}
	return b.ops[ir.EdgeID(st.Edge)]
}

func (b *builder) step(i int) {
	st := &b.w.Steps[i]
	op := b.op(st)
	switch st.Kind {
	case verdict.StepFlush:
		if e := b.of[st.Of]; e >= 0 {
			b.of[i] = e
			b.t.Events[e].Steps = append(b.t.Events[e].Steps, i)
			if !st.Free {
				b.reach(e, st.Addr, st.Size)
			}
		}
		return
	case verdict.StepLoad:
		e := b.event(i)
		b.load(e, i, st)
	case verdict.StepStore:
		if st.Free {
			return
		}
		e := b.event(i)
		b.t.Events[e].Writes = append(b.t.Events[e].Writes, b.access(i, st, st.Value))
		if !st.Buffered {
			b.reach(e, st.Addr, st.Size)
		}
	case verdict.StepRMW:
		e := b.event(i)
		b.load(e, i, st)
		if st.Wrote {
			b.t.Events[e].Writes = append(b.t.Events[e].Writes, b.access(i, st, st.Written))
			b.reach(e, st.Addr, st.Size)
		}
	}
	if op != nil {
		b.control(i, st, op)
	}
}

// control notes sections, and what is not memory.
func (b *builder) control(i int, st *verdict.Step, op *ir.Op) {
	switch op.Kind {
	case ir.AtomicBegin:
		b.section[st.Thread] = b.event(i)
	case ir.AtomicEnd:
		b.of[i] = b.section[st.Thread]
		b.section[st.Thread] = -1
	case ir.Spawn:
		e := b.event(i)
		if st.Other > 0 {
			b.started[st.Other-1] = e
		}
	case ir.Join:
		e := b.event(i)
		if u := st.Other - 1; u >= 0 && b.last[u] >= 0 {
			b.t.Edges = append(b.t.Edges, Edge{From: b.last[u], To: e, Kind: SY})
		}
	}
}

// event is the node a step belongs to: its section's, or a new one.
func (b *builder) event(i int) int {
	st := &b.w.Steps[i]
	if e := b.section[st.Thread]; e >= 0 {
		b.of[i] = e
		b.t.Events[e].Steps = append(b.t.Events[e].Steps, i)
		return e
	}
	e := len(b.t.Events)
	b.t.Events = append(b.t.Events, Event{Thread: st.Thread, Steps: []int{i}})
	if prev := b.last[st.Thread]; prev >= 0 {
		b.t.Edges = append(b.t.Edges, Edge{From: prev, To: e, Kind: PO})
	} else if parent, ok := b.started[st.Thread]; ok {
		b.t.Edges = append(b.t.Edges, Edge{From: parent, To: e, Kind: SY})
	}
	b.last[st.Thread] = e
	b.of[i] = e
	return e
}

func (b *builder) access(i int, st *verdict.Step, v int64) Access {
	return Access{Step: i, Addr: st.Addr, Size: st.Size, Value: v, Name: st.Location}
}

func (b *builder) load(e, i int, st *verdict.Step) {
	b.t.Events[e].Reads = append(b.t.Events[e].Reads, b.access(i, st, st.Value))
	for k := range uint64(st.Size) {
		r := read{event: e, addr: st.Addr + k, from: -1}
		if st.From > 0 {
			r.from = b.of[st.From-1]
		} else if order := b.orders[r.addr]; len(order) > 0 {
			r.from = order[len(order)-1]
		}
		b.reads = append(b.reads, r)
	}
}

// reach lets a write reach memory.
func (b *builder) reach(e int, addr uint64, size int) {
	for k := range uint64(size) {
		b.orders[addr+k] = append(b.orders[addr+k], e)
	}
}

func (b *builder) flushed(store int) bool {
	for i := store + 1; i < len(b.w.Steps); i++ {
		if st := &b.w.Steps[i]; st.Kind == verdict.StepFlush && st.Of == store {
			return true
		}
	}
	return false
}

// relate adds store order, source and conflict, each edge once.
func (b *builder) relate() {
	seen := map[Edge]bool{}
	add := func(from, to int, kind Kind) {
		if e := (Edge{from, to, kind}); from != to && !seen[e] {
			seen[e] = true
			b.t.Edges = append(b.t.Edges, e)
		}
	}
	addrs := make([]uint64, 0, len(b.orders))
	for a := range b.orders {
		addrs = append(addrs, a)
	}
	sort.Slice(addrs, func(i, j int) bool { return addrs[i] < addrs[j] })
	for _, a := range addrs {
		order := b.orders[a]
		for i := 1; i < len(order); i++ {
			add(order[i-1], order[i], ST)
		}
	}
	for _, r := range b.reads {
		order := b.orders[r.addr]
		next := 0 // position of the write that overwrites what was read
		if r.from >= 0 {
			add(r.from, r.event, SRC)
			// A section may write a byte several times: the last one counts.
			for next = len(order); next > 0 && order[next-1] != r.from; next-- {
			}
		}
		for next < len(order) && order[next] == r.event {
			next++ // its own write
		}
		if next < len(order) {
			add(r.event, order[next], CF)
		}
	}
	sort.SliceStable(b.t.Edges, func(i, j int) bool {
		x, y := b.t.Edges[i], b.t.Edges[j]
		if x.From != y.From {
			return x.From < y.From
		}
		if x.To != y.To {
			return x.To < y.To
		}
		return x.Kind < y.Kind
	})
}

func (t *Trace) index() {
	t.out = make([][]int32, len(t.Events))
	for i, e := range t.Edges {
		t.out[e.From] = append(t.out[e.From], int32(i))
	}
}

// Cycle is a shortest cycle of happens-before as edges in order, the first from
// the earliest event on it, or nil if the relation is acyclic.
func (t *Trace) Cycle() []Edge {
	var best []Edge
	for start := range t.Events {
		if c := t.cycleThrough(start, len(best)); c != nil {
			best = c
		}
	}
	return best
}

// cycleThrough is a shortest cycle through an event that is shorter than limit
// (0: any), found breadth first.
func (t *Trace) cycleThrough(start, limit int) []Edge {
	via := make([]int32, len(t.Events))
	dist := make([]int, len(t.Events))
	for i := range via {
		via[i] = -1
	}
	queue := []int{start}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if limit > 0 && dist[at]+1 >= limit {
			return nil
		}
		for _, i := range t.out[at] {
			e := t.Edges[i]
			if e.To == start {
				cycle := []Edge{e}
				for at := e.From; at != start; at = t.Edges[via[at]].From {
					cycle = append(cycle, t.Edges[via[at]])
				}
				for i, j := 0, len(cycle)-1; i < j; i, j = i+1, j-1 {
					cycle[i], cycle[j] = cycle[j], cycle[i]
				}
				return cycle
			}
			if via[e.To] < 0 {
				via[e.To], dist[e.To] = i, dist[at]+1
				queue = append(queue, e.To)
			}
		}
	}
	return nil
}

// Canonical is a text that two executions of one program have in common exactly
// if their traces are equal: for every thread its events in program order with
// what they read and from whom, and for every byte the order of its stores.
func (t *Trace) Canonical() string {
	name := make([]string, len(t.Events)) // thread and position in it
	count := map[int]int{}
	perThread := map[int][]int{}
	for i, e := range t.Events {
		name[i] = fmt.Sprintf("%d.%d", e.Thread, count[e.Thread])
		count[e.Thread]++
		perThread[e.Thread] = append(perThread[e.Thread], i)
	}
	threads := make([]int, 0, len(perThread))
	for th := range perThread {
		threads = append(threads, th)
	}
	sort.Ints(threads)
	var out strings.Builder
	for _, th := range threads {
		for _, i := range perThread[th] {
			fmt.Fprintf(&out, "%s:", name[i])
			for _, a := range t.Events[i].Reads {
				fmt.Fprintf(&out, " r%x/%d", a.Addr, a.Size)
			}
			for _, a := range t.Events[i].Writes {
				fmt.Fprintf(&out, " w%x/%d=%d", a.Addr, a.Size, a.Value)
			}
			var arcs []string
			for _, k := range t.out[i] {
				if e := t.Edges[k]; e.Kind != PO {
					arcs = append(arcs, fmt.Sprintf("%s>%s", e.Kind, name[e.To]))
				}
			}
			sort.Strings(arcs)
			fmt.Fprintf(&out, " %s\n", strings.Join(arcs, " "))
		}
	}
	return out.String()
}
