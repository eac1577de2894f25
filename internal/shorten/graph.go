package shorten

import (
	"fmt"
	"slices"

	"fencepost/internal/memory"
	"fencepost/verdict"
)

// Executions under C11's own model are graphs. Their steps run as under SC, with the values in memory that the reads of the
// graph read; in the end memory holds the last writes.

// graph is a graph with what its steps have written. A nil graph changes nothing.
type graph struct {
	reads  map[int][]verdict.GraphRead
	orders []verdict.GraphOrder
	values map[cellWrite]memory.Content
}

// cellWrite is a write of a location by a step, -1 for the initial value.
type cellWrite struct {
	step int
	addr uint64
}

func newGraph(w *verdict.Witness) *graph {
	g := &graph{reads: map[int][]verdict.GraphRead{}, values: map[cellWrite]memory.Content{}}
	if w.Graph != nil {
		for _, r := range w.Graph.Reads {
			g.reads[r.Step] = append(g.reads[r.Step], r)
		}
		g.orders = w.Graph.Orders
	}
	return g
}

// before lets memory hold what step i reads.
func (g *graph) before(y *memory.System, s *memory.State, i int) {
	if g == nil {
		return
	}
	// Before the first write of a location runs, memory holds its initial value.
	for _, o := range g.orders {
		if first := (cellWrite{-1, o.Addr}); slices.Contains(o.Writes, i) {
			if _, known := g.values[first]; !known {
				g.values[first] = memory.ReadContent(y, s, o.Addr, o.Size)
			}
		}
	}
	for _, r := range g.reads[i] {
		if v, known := g.values[cellWrite{r.From, r.Addr}]; known {
			memory.WriteContent(y, s, r.Addr, r.Size, v)
		}
	}
}

// after notes what step i has written.
func (g *graph) after(y *memory.System, s *memory.State, i int) {
	if g == nil {
		return
	}
	for _, o := range g.orders {
		if slices.Contains(o.Writes, i) {
			g.values[cellWrite{i, o.Addr}] = memory.ReadContent(y, s, o.Addr, o.Size)
		}
	}
}

// end lets memory hold the last writes.
func (g *graph) end(y *memory.System, s *memory.State) {
	if g == nil {
		return
	}
	for _, o := range g.orders {
		memory.WriteContent(y, s, o.Addr, o.Size, g.values[cellWrite{o.Writes[len(o.Writes)-1], o.Addr}])
	}
}

// extend returns the graph of a witness to which steps were added after the first n: each reads the last writes, and what
// it writes comes last.
func extend(old *verdict.Graph, w *verdict.Witness, n int) (*verdict.Graph, error) {
	out := &verdict.Graph{Reads: slices.Clone(old.Reads)}
	for _, o := range old.Orders {
		o.Writes = slices.Clone(o.Writes)
		out.Orders = append(out.Orders, o)
	}
	for i := n; i < len(w.Steps); i++ {
		st := &w.Steps[i]
		if !st.IsAccess() {
			if len(st.Accesses) > 0 {
				return nil, fmt.Errorf("a round under c11 with the operation %s", st.Kind)
			}
			continue
		}
		at := slices.IndexFunc(out.Orders, func(o verdict.GraphOrder) bool { return o.Addr == st.Addr && o.Size == st.Size })
		if st.Kind != verdict.StepStore {
			from := -1
			if at >= 0 {
				from = out.Orders[at].Writes[len(out.Orders[at].Writes)-1]
			}
			out.Reads = append(out.Reads, verdict.GraphRead{Step: i, Addr: st.Addr, Size: st.Size, From: from})
		}
		if st.Kind == verdict.StepStore || st.Wrote {
			if at < 0 {
				at = len(out.Orders)
				out.Orders = append(out.Orders, verdict.GraphOrder{Addr: st.Addr, Size: st.Size})
			}
			out.Orders[at].Writes = append(out.Orders[at].Writes, i)
		}
	}
	return out, nil
}
