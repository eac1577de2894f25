package smc

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"
	"unsafe"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/transform"
	"fencepost/verdict"
)

func supports(t *engine.Task) error {
	if err := t.TakesThreads("smc"); err != nil {
		return err
	}
	if err := engine.TriesInputs("smc", t.Program); err != nil {
		return err
	}
	// A section is one event, and the order of the events of a mutex is not that of events
	// that do more than one thing to it.
	if e := engine.InsideSection(t.Program, ir.Lock, ir.TryLock, ir.Unlock, ir.CondWait, ir.Barrier); e != nil {
		return &engine.Unsupported{Pos: engine.Pos(e), What: fmt.Sprintf("smc does not take a %s inside an atomic section", e.Op.Kind)}
	}
	// Where the others stand while a section waits is not a matter of what comes before the
	// section alone: a store that has reached memory by then is no longer read from the buffer.
	if t.Model != memory.SC && t.Props.Deadlock && engine.WaitsInside(t.Program) {
		return &engine.Unsupported{What: "smc does not look for deadlocks of threads that wait inside an atomic section but under SC"}
	}
	return goalsByTrace(t)
}

// run answers the task.
func run(ctx context.Context, task *job) (*engine.Outcome, error) {
	if err := supports(task.Task); err != nil {
		return nil, err
	}
	start := time.Now()
	if !task.Traces && task.IdleRounds == 0 {
		t := *task.Task
		t.Program = transform.Await(task.Program, task.KeepOf())
		task = &job{&t, task.Options}
	}
	opt := task.MemoryOptions()
	y := memory.New(task.Program, task.Model, opt)
	x := explore(ctx, task, y)
	if x.err != nil {
		return nil, x.err
	}
	out := x.result
	x.summarise(out)
	if x.source && chooses(task.Program) && out.Unknown == "" {
		out.Unknown = "source-DPOR may miss executions of a program with choices; --algorithm optimal does not"
	}
	out.Stats.Seconds = time.Since(start).Seconds()
	return out, nil
}

// chooses reports whether a program has choices other than those of schedules. Source-DPOR is told
// where to begin after a reversal and not what to choose there.
func chooses(p *ir.Program) bool {
	for _, f := range p.Funcs {
		for l := range f.Locs {
			for _, i := range f.Out(ir.Loc(l)) {
				switch f.Edges[i].Op.Kind {
				case ir.Havoc, ir.AbstractLoad, ir.CondWait, ir.Signal, ir.Alloc:
					return true
				case ir.Assume:
				default:
					if len(f.Out(ir.Loc(l))) > 1 {
						return true
					}
				}
			}
		}
	}
	return false
}

// tick looks at the clock now and then.
func (x *explorer) tick() {
	x.ticks++
	if x.ticks&511 != 0 {
		return
	}
	if x.ticks&4095 == 0 {
		x.progress()
		x.measure()
	}
	if x.world != nil {
		x.world.counted[x.number].Store(x.out.executions())
		x.stopped = x.stopped || x.world.over.Load()
	}
	if x.ctx.Err() != nil {
		x.stopped = true
		x.result.Unknown = fmt.Sprintf("interrupted after %d executions", x.executions())
		if x.ctx.Err() == context.DeadlineExceeded {
			x.result.Unknown = fmt.Sprintf("time limit reached after %d executions", x.executions())
		}
	}
}

// measure stops the exploration if it takes more than its share of the memory.
func (x *explorer) measure() {
	limit := x.task.Limits.Memory
	if limit <= 0 {
		return
	}
	if x.world != nil {
		limit /= int64(x.world.workers)
	}
	if int64(x.trees)*int64(unsafe.Sizeof(tree{}))+x.bytes() > limit {
		x.stopped = true
		x.result.Unknown = fmt.Sprintf("memory limit of %d MiB reached after %d executions", x.task.Limits.Memory>>20, x.executions())
	}
}

// estimates is how many of the last estimates count.
const estimates = 16

// progress tells how far the exploration has come. The total is estimated from the
// tree so far, as if the branches still to come from a node were as large as those
// that are done (after Knuth); branches yet to be found make it an underestimate.
func (x *explorer) progress() {
	if x.task.Progress == nil || x.number != 0 {
		return
	}
	part, width := 0.0, 1.0
	for i := range x.nodes {
		n := &x.nodes[i]
		left := len(n.wut)
		if n.shared {
			left = n.sh.left()
		}
		width /= float64(n.done + 1 + left)
		part += width * float64(n.done)
	}
	so := x.executions()
	total := so
	if part > 0 {
		total = max(so, int64(float64(so)/part))
	}
	if len(x.totals) == estimates {
		x.totals = append(x.totals[:0], x.totals[1:]...)
	}
	x.totals = append(x.totals, total)
	x.task.Progress(engine.Progress{
		Executions: so, Low: max(so, slices.Min(x.totals)), High: max(so, slices.Max(x.totals)), Depth: x.out.depth, Elapsed: time.Since(x.begun),
	})
}

// bytes is the memory an exploration has at its end besides the wakeup trees: that
// of the longest execution.
func (x *explorer) bytes() int64 {
	n := int64(cap(x.ev))*int64(unsafe.Sizeof(event{})) + int64(cap(x.clocks))*4 + int64(cap(x.records))*int64(unsafe.Sizeof(record{})) +
		int64(cap(x.attached))*int64(unsafe.Sizeof(attachment{})) + int64(cap(x.races))*int64(unsafe.Sizeof(race{})) + int64(cap(x.steps))*int64(unsafe.Sizeof(memory.Step{}))
	for _, nd := range x.nodes[:cap(x.nodes)] {
		n += int64(cap(nd.sleep)) * int64(unsafe.Sizeof(event{}))
	}
	return n
}

// executions is how many there have been, of all workers.
func (x *explorer) executions() int64 {
	if x.world == nil {
		return x.out.executions()
	}
	x.world.counted[x.number].Store(x.out.executions())
	n := int64(0)
	for i := range x.world.counted {
		n += x.world.counted[i].Load()
	}
	return n
}

// executions is how many came to an end of whatever kind.
func (c *counts) executions() int64 {
	return c.complete + c.blocked + c.bounded + c.waits + c.failed + c.exits
}

// summarise says what was covered.
func (x *explorer) summarise(out *engine.Outcome) {
	finished := !x.stopped
	bounded := map[string]bool{}
	for i := range x.y.EdgeCount() {
		e := x.y.EdgeAt(i)
		out.ChecksReached = out.ChecksReached || e.Op.Kind == ir.Assert && !e.Op.Class.Beside() && x.s.Covered[i]
		if name := boundName(e); x.s.Bounds[i] && !bounded[name] {
			bounded[name] = true
			out.Coverage.Bounds = append(out.Coverage.Bounds, verdict.Bound{Name: name, Value: boundValue(e), Hit: true, Pos: engine.Pos(e)})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(x.cuts)) {
		c := x.cuts[id]
		out.Coverage.Bounds = append(out.Coverage.Bounds, verdict.Bound{Name: c.name, Value: c.value, Hit: true, Pos: engine.Pos(c.edge)})
	}
	out.Coverage.Exhaustive = finished && len(out.Coverage.Bounds) == 0
	out.Exits = x.out.exits
	out.Stats.FinalStates = x.out.complete
	out.Stats.Transitions = x.out.events
	out.Stats.Depth = x.out.depth
	out.Stats.Bytes = int64(x.mostTrees)*int64(unsafe.Sizeof(tree{})) + x.bytes() + x.others
	out.Stats.Executions, out.Stats.Blocked, out.Stats.Redundant = x.out.executions(), x.out.blocked, x.out.asleep
	for f := range x.finals {
		out.Finals = append(out.Finals, f)
	}
	slices.Sort(out.Finals)
	if finished && len(out.Violations) == 0 && x.out.complete+x.out.exits == 0 {
		out.Warnings = append(out.Warnings, verdict.Warning{
			Code: "FP0933", Message: fmt.Sprintf("all %d executions end at an assumption, an await, a wait or a bound", x.out.executions()),
		})
	}
}

func boundName(e *ir.Edge) string {
	if e.Op.Kind == ir.Spawn {
		return "threads"
	}
	return e.Op.Msg
}

func boundValue(e *ir.Edge) int {
	if e.Op.Kind == ir.Spawn {
		return len(e.Op.Threads)
	}
	v, _ := e.Op.Val.IsConst()
	return int(v)
}
