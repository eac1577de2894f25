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
	SY       // synchronisation that is not memory: spawn before the child, its end before the join, a signal before the woken
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
		started: map[int]int{}, orders: map[uint64][]int{}, behind: map[int][]int{}, gone: map[int]bool{},
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
		if st := &w.Steps[i]; st.Kind == verdict.StepStore && st.Buffered && !b.gone[i] {
			b.arrive(b.of[i], st)
		}
	}
	b.relate()
	b.t.index()
	return b.t
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
