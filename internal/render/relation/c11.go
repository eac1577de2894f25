//go:build !fencepost_small

package relation

import (
	"fmt"
	"slices"

	"fencepost/verdict"
)

// The relation of an execution under c11, which its graph gives: rf, mo, rb and sw, as papers on RC11 write reads-from,
// modification order, reads-before and what synchronises. The steps are in an order that says nothing about the order of writes.

// drawn has the edges that are drawn, and in all the edges of which a cycle may consist.
type drawn struct {
	HappensBefore
	node []int // per step: 1 + its node
	all  [][]verdict.TraceEdge
}

// FromGraph returns the relation of a graph. sync are pairs of steps that synchronise. The cycle is a shortest one of all
// these edges, if there is one: sequential consistency forbids it.
func FromGraph(w *verdict.Witness, sync [][2]int) HappensBefore {
	d := &drawn{node: make([]int, len(w.Steps))}
	threads := make([][]int, len(w.Threads))
	for i, s := range w.Steps {
		if !hasThread(w, s) || !s.IsAccess() && s.Kind != verdict.StepFence && !slices.ContainsFunc(sync, func(p [2]int) bool { return p[0] == i || p[1] == i }) {
			continue
		}
		d.Nodes = append(d.Nodes, verdict.TraceNode{Thread: s.Thread, Text: w.Threads[s.Thread] + " " + nodeText(s), Step: i})
		d.node[i] = len(d.Nodes)
		threads[s.Thread] = append(threads[s.Thread], i)
	}
	d.all = make([][]verdict.TraceEdge, len(d.Nodes))
	for _, list := range threads {
		for i, a := range list {
			for k, b := range list[i+1:] {
				d.add(a, b, "po", k == 0)
			}
		}
	}
	for _, p := range sync {
		d.add(p[0], p[1], "sw", w.Steps[p[0]].Thread != w.Steps[p[1]].Thread)
	}
	d.memory(w)
	d.cycle()
	return d.HappensBefore
}

// add adds an edge between two steps.
func (d *drawn) add(a, b int, kind string, shown bool) {
	if a == b || d.node[a] == 0 || d.node[b] == 0 {
		return
	}
	e := verdict.TraceEdge{From: d.node[a] - 1, To: d.node[b] - 1, Kind: kind}
	d.all[e.From] = append(d.all[e.From], e)
	if shown && !slices.Contains(d.Edges, e) {
		d.Edges = append(d.Edges, e)
	}
}

// memory adds reads-from, modification order and reads-before.
func (d *drawn) memory(w *verdict.Witness) {
	for _, o := range w.Graph.Orders {
		for i, a := range o.Writes {
			for k, b := range o.Writes[i+1:] {
				d.add(a, b, "mo", k == 0)
			}
		}
	}
	for _, r := range w.Graph.Reads {
		if r.From >= 0 {
			d.add(r.From, r.Step, "rf", true)
		}
		for _, o := range w.Graph.Orders {
			if o.Addr == r.Addr && o.Size == r.Size {
				for k, b := range o.Writes[slices.Index(o.Writes, r.From)+1:] {
					d.add(r.Step, b, "rb", k == 0)
				}
			}
		}
	}
}

// cycle looks for a shortest cycle, from every node.
func (d *drawn) cycle() {
	for start := range d.Nodes {
		by := make([]*verdict.TraceEdge, len(d.Nodes))
		queue := []int{start}
		for len(queue) > 0 && by[start] == nil {
			n := queue[0]
			queue = queue[1:]
			for i := range d.all[n] {
				if e := &d.all[n][i]; by[e.To] == nil {
					by[e.To] = e
					queue = append(queue, e.To)
				}
			}
		}
		if by[start] == nil {
			continue
		}
		found := []verdict.TraceEdge{*by[start]}
		for at := by[start].From; at != start; at = by[at].From {
			found = append(found, *by[at])
		}
		if slices.Reverse(found); d.Cycle == nil || len(found) < len(d.Cycle) {
			d.Cycle = found
		}
	}
}

// nodeText returns the step's part of a node's name.
func nodeText(s verdict.Step) string {
	switch {
	case s.IsAccess():
		return accessText(s)
	case s.Kind == verdict.StepFence:
		return "fence"
	case s.Other > 0:
		return fmt.Sprintf("thread %d", s.Other-1)
	case len(s.Text) > 0 && len(s.Text) < 30:
		return s.Text
	}
	return s.Kind.String()
}
