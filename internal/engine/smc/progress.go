package smc

import (
	"context"
	"fmt"
	"slices"
	"time"
	"unsafe"

	"fencepost/internal/budget"
	"fencepost/internal/memory"
	"fencepost/query"
)

// Progress of an exploration, and its limits of time and memory.

// meter counts the rounds of an exploration, and keeps the last estimates of its length.
type meter struct {
	begun    time.Time
	ticks    int64
	reported int64 // ticks at the last report
	work     int64 // since it was last counted
	before   int64 // what the budget had counted before the exploration
	steps    int   // of the execution at the last tick
	totals   []int64
}

func newMeter(b *budget.Budget) meter { return meter{begun: time.Now(), before: b.Spent()} }

// What an event and a local step after it cost, as work, and a tail and each update in it that is performed.
const (
	eventCost  = 450
	localCost  = 200
	tailCost   = 500
	updateCost = 90
)

// leastWork is how much work is counted at a time, if events have many local steps.
const leastWork = 1 * budget.Millisecond

// tick checks the limits in every 512th call, or more often.
func (x *explorer) tick() {
	x.meter.ticks++
	x.meter.work += eventCost
	if n := len(x.run.Steps); n != x.meter.steps {
		x.meter.work += localCost * int64(max(0, n-x.meter.steps-1))
		x.meter.steps = n
	}
	if x.meter.ticks&511 != 0 && x.meter.work < leastWork {
		return
	}
	if x.meter.ticks >= x.meter.reported+4096 {
		x.meter.reported = x.meter.ticks
		x.progress()
		x.measure()
	}
	if x.world != nil {
		x.world.counted[x.number].Store(x.out.counts.All())
		x.out.Stopped = x.out.Stopped || x.world.over.Load()
	}
	work := x.meter.work
	x.meter.work = 0
	x.expect()
	if err := x.budget.Spend(x.ctx, work); err != nil {
		why := "interrupted"
		if err == context.DeadlineExceeded {
			why = "time limit reached"
		}
		x.out.Unknown(fmt.Sprintf("%s after %d executions", why, x.executions()))
	}
}

// measure stops the exploration if the worker uses more than its share of the memory limit.
func (x *explorer) measure() {
	limit := x.task.Limits.MemoryLimit()
	if limit <= 0 {
		return
	}
	if x.world != nil {
		limit /= int64(x.world.workers)
	}
	if int64(x.tree.size)*int64(unsafe.Sizeof(tree{}))+x.bytes() > limit {
		x.out.Unknown(fmt.Sprintf("memory limit of %s reached after %d executions", x.task.Limits.MemoryText(), x.executions()))
	}
}

// estimates is how many of the last estimates are reported.
const estimates = 16

// part estimates which part of the exploration is done, as if the branches left at a node were as large as the branches
// that are done (after Knuth). It is an overestimate, since more branches may be found.
func (x *explorer) part() float64 {
	part, width := 0.0, 1.0
	for i := range x.nodes {
		n := &x.nodes[i]
		left := n.wut.n
		if n.shared {
			left = n.sh.left()
		}
		width /= float64(n.done + 1 + left)
		part += width * float64(n.done)
	}
	return part
}

// expect tells the budget how much work is left. It cannot tell if a bound was met: the end of the exploration is no answer then.
func (x *explorer) expect() {
	if x.budget == nil || x.number != 0 {
		return
	}
	left := int64(0)
	if part := x.part(); part > 0 && len(x.run.Cuts) == 0 {
		left = 1 + int64(float64(x.budget.Spent()-x.meter.before)*(1-part)/part)
	}
	x.budget.Expect(left)
}

// progress reports how far the exploration is, and an estimate of the total.
func (x *explorer) progress() {
	if x.task.Progress == nil || x.number != 0 {
		return
	}
	so := x.executions()
	total := so
	if part := x.part(); part > 0 {
		total = max(so, int64(float64(so)/part))
	}
	if len(x.meter.totals) == estimates {
		x.meter.totals = append(x.meter.totals[:0], x.meter.totals[1:]...)
	}
	x.meter.totals = append(x.meter.totals, total)
	x.task.Progress(query.Progress{
		Executions: so, Low: max(so, slices.Min(x.meter.totals)), High: max(so, slices.Max(x.meter.totals)), Depth: x.out.counts.depth, Elapsed: time.Since(x.meter.begun),
	})
}

// bytes returns the memory of the longest execution. The exploration uses no other memory but that
// of the wakeup trees.
func (x *explorer) bytes() int64 {
	n := int64(cap(x.exec.events))*int64(unsafe.Sizeof(event{})) + int64(cap(x.exec.pasts.clocks))*int64(unsafe.Sizeof(tick{})) + int64(12*cap(x.exec.pasts.recent)+4*cap(x.exec.pasts.direct)) + int64(cap(x.exec.chains.records))*int64(unsafe.Sizeof(record{})) +
		int64(cap(x.exec.attached))*int64(unsafe.Sizeof(attachment{})) + int64(cap(x.exec.reversible))*int64(unsafe.Sizeof(reversible{})) + int64(cap(x.run.Steps))*int64(unsafe.Sizeof(memory.Step{}))
	for _, nd := range x.nodes[:cap(x.nodes)] {
		n += int64(cap(nd.sleep)) * int64(unsafe.Sizeof(event{}))
	}
	return n
}

// executions returns the number of executions so far, of all workers.
func (x *explorer) executions() int64 {
	if x.world == nil {
		return x.out.counts.All()
	}
	x.world.counted[x.number].Store(x.out.counts.All())
	n := int64(0)
	for i := range x.world.counted {
		n += x.world.counted[i].Load()
	}
	return n
}
