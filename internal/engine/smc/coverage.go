package smc

import (
	"maps"
	"slices"
	"unsafe"

	"fencepost/internal/engine"
	"fencepost/verdict"
)

// What an exploration has covered.

// summarise writes the coverage, the bounds that were met, statistics and final states into out.
func (x *explorer) summarise(out *engine.Outcome) {
	x.task.groups.Exchange(x.run.Sys, x.run.State)
	out.AddReached(x.run.Sys, x.run.State)
	for _, id := range slices.Sorted(maps.Keys(x.run.Cuts)) {
		c := x.run.Cuts[id]
		out.Coverage.Bounds = append(out.Coverage.Bounds, verdict.Bound{Name: c.Name, Value: c.Value, Hit: true, Pos: engine.Pos(c.Edge)})
	}
	out.AddEnds(&x.out.counts.Ends, &x.out.Findings)
	out.Stats.Transitions = x.out.counts.events
	out.Stats.Depth = x.out.counts.depth
	out.Stats.Bytes = int64(x.tree.most)*int64(unsafe.Sizeof(tree{})) + x.bytes() + x.out.others
	out.Stats.Redundant = x.out.counts.asleep
}
