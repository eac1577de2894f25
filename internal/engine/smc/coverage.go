package smc

import (
	"fmt"
	"maps"
	"slices"
	"unsafe"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/verdict"
)

// What an exploration has covered.

// summarise writes the coverage, the bounds that were met, statistics and final states into out.
func (x *explorer) summarise(out *engine.Outcome) {
	finished := !x.out.stopped
	bounded := map[string]bool{}
	for i, e := range x.run.Sys.Edges() {
		out.ChecksReached = out.ChecksReached || e.Op.Kind == ir.Assert && !e.Op.Class.Beside() && x.run.State.Covered[i]
		if !x.run.State.Bounds[i] {
			continue
		}
		if b := engine.BoundAt(e); !bounded[b.Name] {
			bounded[b.Name] = true
			out.Coverage.Bounds = append(out.Coverage.Bounds, b)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(x.run.Cuts)) {
		c := x.run.Cuts[id]
		out.Coverage.Bounds = append(out.Coverage.Bounds, verdict.Bound{Name: c.Name, Value: c.Value, Hit: true, Pos: engine.Pos(c.Edge)})
	}
	out.Coverage.Exhaustive = finished && len(out.Coverage.Bounds) == 0
	out.Exits, out.Failed = x.out.counts.exits, x.out.counts.failed
	out.Stats.FinalStates = x.out.counts.complete
	out.Stats.Transitions = x.out.counts.events
	out.Stats.Depth = x.out.counts.depth
	out.Stats.Bytes = int64(x.tree.most)*int64(unsafe.Sizeof(tree{})) + x.bytes() + x.out.others
	out.Stats.Executions, out.Stats.Blocked, out.Stats.Redundant = x.out.counts.executions(), x.out.counts.blocked, x.out.counts.asleep
	for f := range x.out.finals {
		out.Finals = append(out.Finals, f)
	}
	slices.Sort(out.Finals)
	if finished && len(out.Violations) == 0 && x.out.counts.complete+x.out.counts.exits == 0 {
		out.Warnings = append(out.Warnings, verdict.Warning{
			Code: "FP0933", Message: fmt.Sprintf("all %d executions end at an assumption, an await, a wait or a bound", x.out.counts.executions()),
		})
	}
}
