package trace

import (
	"fmt"
	"sort"
	"strings"

	"fencepost/internal/ir"
	"fencepost/verdict"
)

// Kind is the kind of an edge. The zero value is unset.
type Kind uint8

// The relations, with the papers' names.
const (
	_   Kind = iota
	PO       // program order: from an event to the next one of its thread
	ST       // store order: from a store to the next store of the same bytes that reaches memory
	SRC      // reads-from: from a store to a load that reads its value
	CF       // conflict: from a load to the store that overwrites the value it read
	SY       // synchronisation outside memory: from a spawn to the child, from a thread's end to its join, from a signal to the woken thread
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

// Event is a node of the graph.
type Event struct {
	Thread int
	Steps  []int // steps of the witness: the store first, its flush last; all steps of an atomic section
	Reads  []Access
	Writes []Access
}

// Access says which bytes an event reads or writes.
type Access struct {
	Step  int // step of the witness; for a buffered store the step that adds it to the buffer
	Addr  uint64
	Size  int
	Value int64
	Name  string
}

// Edge is an edge from one event to another. Both are indices into Trace.Events.
type Edge struct {
	From, To int
	Kind     Kind
}

// Trace is the graph of an execution.
type Trace struct {
	Events []Event
	Edges  []Edge

	reads  []read
	starts []start
	out    [][]int32 // per event: indices of the edges that start there
}

// New returns the trace of an execution of a flat program. Stores that are still buffered
// at the end reach memory then, in program order.
func New(p *ir.Program, w *verdict.Witness) *Trace {
	b := &builder{
		p: p, w: w, t: &Trace{}, ops: map[ir.EdgeID]*ir.Op{},
		of: make([]int, len(w.Steps)), last: make([]int, len(w.Threads)), section: make([]int, len(w.Threads)),
		started: map[int]int{}, orders: map[uint64][]int{}, next: map[int][]int{}, unbuffered: map[int]bool{},
		several: p.Starters(),
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
	for i := range w.Steps { // stores that are still buffered
		if st := &w.Steps[i]; st.Kind == verdict.StepStore && st.Buffered && !b.unbuffered[i] {
			b.takeEffect(b.of[i], st)
		}
	}
	b.relate()
	b.t.reads = b.reads
	b.t.index()
	return b.t
}

// relate adds the edges of store order, reads-from and conflict, each once.
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
		next := 0 // index in order of the write that overwrites the value read
		if r.from >= 0 {
			add(r.from, r.event, SRC)
			// An atomic section may write a byte several times: the last write counts.
			for next = len(order); next > 0 && order[next-1] != r.from; next-- {
			}
		}
		for next < len(order) && order[next] == r.event {
			next++ // the write of the same event
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

// Cycle returns a shortest cycle of happens-before, or nil if the relation is acyclic.
// The edges are in order; the first one starts at the earliest event of the cycle.
func (t *Trace) Cycle() []Edge {
	var best []Edge
	for start := range t.Events {
		if c := t.shortestCycle(start, len(best)); c != nil {
			best = c
		}
	}
	return best
}

// shortestCycle returns a shortest cycle through an event, found breadth first, or nil. If
// limit is not 0, the cycle must have fewer edges than limit.
func (t *Trace) shortestCycle(start, limit int) []Edge {
	via, dist := t.noEdges(), make([]int, len(t.Events))
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

// Canonical returns a text that is equal for two executions of one program exactly if
// their traces are equal. For every thread it has the events in program order, with
// their accesses and their outgoing edges other than program order.
func (t *Trace) Canonical() string {
	name := make([]string, len(t.Events)) // thread, and index of the event in it
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
