//go:build !fencepost_small

package replay

import (
	"fmt"
	"slices"

	"fencepost/internal/ir"
	"fencepost/verdict"
)

// Does SC have an execution with the reads of a graph, and with the last writes of some locations? Every order of the steps that
// respects program order and synchronisation is tried, with a memo of what was tried before.

// mostOrders bounds the search.
const mostOrders = 1 << 20

// interleaver tries orders of steps.
type interleaver struct {
	threads [][]int          // per thread: its steps
	events  map[int][]*event // per step
	all     []event          // of the graph
	before  map[int][]int    // per step: steps of other threads that come before it
	last    map[part]int     // the last writes that are wanted, with step 0 in the part
	seen    map[string]bool
}

// noSC returns nil if SC has no execution with the reads of the graph and the last writes of the locations that it names.
func (g *grapher) noSC(orders [][]int) error {
	in := &interleaver{
		threads: make([][]int, len(g.last)), events: map[int][]*event{}, all: g.events, before: map[int][]int{},
		last: map[part]int{}, seen: map[string]bool{},
	}
	for i := range g.events {
		e := &g.events[i]
		if in.events[e.step] == nil {
			in.threads[e.thread] = append(in.threads[e.thread], e.step)
		}
		in.events[e.step] = append(in.events[e.step], e)
		for _, by := range e.after {
			in.before[e.step] = append(in.before[e.step], g.events[by].step)
		}
	}
	for i := range g.w.Steps { // what the library keeps about conditions, barriers and blocks has the order of the steps
		for k := range i {
			if sameObject(&g.w.Steps[i], &g.w.Steps[k]) {
				in.before[i] = append(in.before[i], k)
			}
		}
	}
	for _, l := range g.w.Graph.Last {
		at := slices.IndexFunc(orders, func(o []int) bool { return g.events[o[0]].addr == l.Addr && g.events[o[0]].size == l.Size })
		if at < 0 {
			return fmt.Errorf("graph: the last write of bytes that are not written")
		}
		list := orders[at]
		in.last[part{0, l.Addr, l.Size}] = g.events[list[len(list)-1]].step
	}
	found, err := in.search(make([]int, len(in.threads)), map[part]int{})
	if err == nil && found {
		err = fmt.Errorf("end: expected that SC has no execution with these reads, computed one")
	}
	return err
}

// sameObject reports whether two steps of different threads have an object of the library in common.
func sameObject(a, b *verdict.Step) bool {
	if a.Thread == b.Thread {
		return false
	}
	for _, x := range a.Accesses {
		for _, y := range b.Accesses {
			if x.Addr < y.Addr+uint64(y.Size) && y.Addr < x.Addr+uint64(x.Size) && (x.Wrote || y.Wrote) {
				return true
			}
		}
	}
	return false
}

// search reports whether the rest of an execution exists: at has how far each thread is, memory the steps that wrote last.
func (in *interleaver) search(at []int, memory map[part]int) (bool, error) {
	key := fmt.Sprint(at, memory) // maps are printed in the order of their keys
	if in.seen[key] {
		return false, nil
	}
	if in.seen[key] = true; len(in.seen) > mostOrders {
		return false, fmt.Errorf("end: there are too many orders of the steps")
	}
	ended := true
	for t, n := range at {
		if n == len(in.threads[t]) {
			continue
		}
		ended = false
		step := in.threads[t][n]
		if !in.possible(at, memory, step) {
			continue
		}
		next := map[part]int{}
		for l, w := range memory {
			next[l] = w
		}
		for _, e := range in.events[step] {
			if e.kind == 'W' {
				next[part{0, e.addr, e.size}] = step
			}
		}
		at[t]++
		found, err := in.search(at, next)
		at[t]--
		if found || err != nil {
			return found, err
		}
	}
	if !ended {
		return false, nil
	}
	for l, step := range in.last {
		if w, wrote := memory[l]; !wrote || w != step {
			return false, nil
		}
	}
	return true, nil
}

// possible reports whether a step can come next.
func (in *interleaver) possible(at []int, memory map[part]int, step int) bool {
	for _, b := range in.before[step] {
		for t, list := range in.threads {
			if slices.Contains(list[at[t]:], b) {
				return false
			}
		}
	}
	for _, e := range in.events[step] {
		if e.kind != 'R' {
			continue
		}
		w, wrote := memory[part{0, e.addr, e.size}]
		if e.from < 0 && wrote || e.from >= 0 && (!wrote || w != in.all[e.from].step) {
			return false
		}
	}
	return true
}

// Synchronised returns the pairs of steps of a graph of which the first synchronises with the second, in different threads.
func Synchronised(p *ir.Program, w *verdict.Witness) ([][2]int, error) {
	g, err := runGraph(p, w)
	if err != nil {
		return nil, err
	}
	a := &axioms{events: g.events}
	a.synchronisesWith()
	var out [][2]int
	for x := range a.hb {
		for y := range a.hb {
			if pair := [2]int{g.events[x].step, g.events[y].step}; a.hb[x][y] && g.events[x].thread != g.events[y].thread && !slices.Contains(out, pair) {
				out = append(out, pair)
			}
		}
	}
	return out, nil
}
