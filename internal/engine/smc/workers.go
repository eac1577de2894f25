package smc

import (
	"context"
	"maps"
	"sync"

	"fencepost/internal/memory"
)

// explore explores with as many workers as the task allows, and gives an explorer
// that has what all of them found. Source-DPOR, whose executions may be cut
// off by sleep sets, has one worker.
func explore(ctx context.Context, task *job, y *memory.System) *explorer {
	if task.Limits.Workers <= 1 || task.SourceDPOR {
		x := newExplorer(ctx, task, y, nil)
		x.run()
		return x
	}
	return together(ctx, task, y, newWorld(task.Limits.Workers))
}

func together(ctx context.Context, task *job, y *memory.System, w *world) *explorer {
	all := make([]*explorer, w.workers)
	for i := range all {
		all[i] = newExplorer(ctx, task, y, w)
		all[i].number = i
		all[i].check = all[0].check
	}
	var wg sync.WaitGroup
	broken := make([]any, len(all)) // a broken invariant is reported where it can be caught
	for i, x := range all {
		wg.Go(func() {
			defer func() {
				if broken[i] = recover(); broken[i] != nil {
					w.stop()
				}
			}()
			x.work(i == 0)
		})
	}
	wg.Wait()
	for _, b := range broken {
		if b != nil {
			panic(b)
		}
	}
	for _, o := range all[1:] {
		all[0].add(o)
	}
	return all[0]
}

// add adds what another worker found.
func (x *explorer) add(o *explorer) {
	c, d := &x.out, &o.out
	c.complete += d.complete
	c.blocked += d.blocked
	c.bounded += d.bounded
	c.waits += d.waits
	c.failed += d.failed
	c.exits += d.exits
	c.asleep += d.asleep
	c.events += d.events
	c.depth = max(c.depth, d.depth)
	x.stopped = x.stopped || o.stopped
	x.mostTrees += o.mostTrees
	x.others += o.bytes()
	if x.err == nil {
		x.err = o.err
	}
	if x.result.Unknown == "" {
		x.result.Unknown = o.result.Unknown
	}
	for i := range o.result.Violations {
		if !x.met[o.keys[i]] {
			x.violated(o.keys[i], o.result.Violations[i])
		}
	}
	if !x.task.KeepGoing && len(x.result.Violations) > 1 {
		x.result.Violations = x.result.Violations[:1]
	}
	maps.Copy(x.finals, o.finals)
	maps.Copy(x.cuts, o.cuts)
	for i := range o.s.Covered {
		x.s.Covered[i] = x.s.Covered[i] || o.s.Covered[i]
		x.s.Bounds[i] = x.s.Bounds[i] || o.s.Bounds[i]
	}
}
