package bmc

import (
	"slices"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/transform"
)

// Complete returns the bounds that exclude no execution of the program unrolled k times: as many
// rounds as any schedule needs, a time for every store, and a slot for every store in a list.
func Complete(task *engine.Task, k int) (Options, error) {
	p, props, err := transform.Unroll(task.Program, task.Props, k, nil)
	if err != nil {
		return Options{}, err
	}
	out := Options{Unroll: k, Clock: 1, Queue: 2}
	var positions []int
	for t := range p.Threads {
		positions = append(positions, mostStops(p, props, t))
		f := p.ThreadFunc(ir.ThreadID(t))
		for _, l := range topological(f) {
			for _, i := range f.Out(l) {
				switch f.Edges[i].Op.Kind {
				case ir.Store:
					out.Clock++
					out.Queue++
				case ir.Free:
					out.Clock++
				}
			}
		}
	}
	out.Rounds = roundsNeeded(positions)
	return out, nil
}

// mostStops returns at how many locations a thread can be stopped on one path, at most.
func mostStops(p *ir.Program, props *property.Set, t int) int {
	f := p.ThreadFunc(ir.ThreadID(t))
	most := make([]int, len(f.Locs)) // on a path to a location
	out := 0
	for _, l := range topological(f) {
		stops, inside := l == f.Entry || f.Ends(l), 0
		for _, i := range f.Out(l) {
			stops = stops || !f.Edges[i].Op.Local()
			if waitsInside(&f.Edges[i]) {
				inside = 1
			}
		}
		for _, g := range props.Goals {
			for _, at := range g.At {
				stops = stops || int(at.Thread) == t && slices.Contains(at.Locs, l)
			}
		}
		if stops {
			most[l] += 1 + inside
		}
		for _, i := range f.Out(l) {
			to := f.Edges[i].To
			most[to] = max(most[to], most[l])
		}
		out = max(out, most[l])
	}
	return out
}

// roundsNeeded returns how many rounds are enough for every schedule of threads that can be stopped
// at so many positions each.
//
// A schedule is a sequence of stretches. A stretch is a part of one thread that goes beyond at
// least one position. A descent is a stretch right after one of a thread that comes later in the
// order. A schedule needs one round more than it has descents. A run of descents has at most one
// stretch of each thread; that is the first bound. At least one of the two stretches at a descent
// is not of the thread with the most positions. Such a stretch is part of at most two descents, and
// with two threads of one only. That is the second bound.
func roundsNeeded(positions []int) int {
	all, most, threads := 0, 0, 0
	for _, n := range positions {
		if n > 0 {
			threads++
		}
		all, most = all+n, max(most, n)
	}
	if threads < 2 {
		return 1
	}
	beside := 2
	if threads == 2 {
		beside = 1
	}
	return 1 + min(all-(all+threads-1)/threads, beside*(all-most))
}
