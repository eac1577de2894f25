package rf

import (
	"iter"
	"slices"
	"sort"
)

// What a graph has of each cell, and what starts or wakes each thread, so that no step looks through the whole graph.

// readAt is read k of an operation.
type readAt struct{ thread, index, k int32 }

// cellIndex has the complete operations that write a cell, per thread in program order, and the reads of it.
type cellIndex struct {
	by    [][]int32
	reads []readAt
}

// cell returns the index of a cell.
func (g *graph) cell(c int32) *cellIndex {
	for int(c) >= len(g.cells) {
		g.cells = append(g.cells, cellIndex{})
	}
	at := &g.cells[c]
	if at.by == nil {
		at.by = make([][]int32, len(g.threads))
	}
	return at
}

// noteRead notes the last read of operation i of thread t.
func (g *graph) noteRead(t, i int) {
	reads := g.threads[t][i].reads
	k := len(reads) - 1
	at := g.cell(reads[k].cell)
	at.reads = append(at.reads, readAt{int32(t), int32(i), int32(k)})
}

// dropRead takes the newest read of a cell away.
func (g *graph) dropRead(c int32) {
	at := g.cell(c)
	at.reads = at.reads[:len(at.reads)-1]
}

// noteDone notes that operation i of thread t is complete.
func (g *graph) noteDone(t, i int) {
	o := &g.threads[t][i]
	for c := range o.written() {
		at := g.cell(c)
		at.by[t] = append(at.by[t], int32(i))
	}
	for _, u := range o.wakes {
		g.woken[u] = append(g.woken[u], refOf(t, i))
	}
}

// dropDone takes back what noteDone noted, which nothing was noted after.
func (g *graph) dropDone(t, i int) {
	o := &g.threads[t][i]
	for c := range o.written() {
		at := g.cell(c)
		at.by[t] = at.by[t][:len(at.by[t])-1]
	}
	for _, u := range o.wakes {
		g.woken[u] = g.woken[u][:len(g.woken[u])-1]
	}
}

// reindex makes the index of a graph that was copied or read.
func (g *graph) reindex() {
	for c := range g.cells {
		at := &g.cells[c]
		at.reads = at.reads[:0]
		for t := range at.by {
			at.by[t] = at.by[t][:0]
		}
	}
	g.woken = slices.Grow(g.woken[:0], len(g.threads))[:len(g.threads)]
	for t := range g.woken {
		g.woken[t] = g.woken[t][:0]
	}
	for t := range g.threads {
		for i := range g.threads[t] {
			o := &g.threads[t][i]
			for k := range o.reads {
				at := g.cell(o.reads[k].cell)
				at.reads = append(at.reads, readAt{int32(t), int32(i), int32(k)})
			}
			if o.complete() {
				g.noteDone(t, i)
			}
		}
	}
}

// after returns the position of the first write of a cell by thread t that has at least an index.
func (at *cellIndex) after(t int, index int32) int {
	list := at.by[t]
	return sort.Search(len(list), func(k int) bool { return list[k] >= index })
}

// written lists the cells that the operation writes, each once: a section that frees several blocks of a pool has the
// pool several times among its writes.
func (o *op) written() iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for k, c := range o.writes {
			if o.at(c) == k && !yield(c) {
				return
			}
		}
	}
}
