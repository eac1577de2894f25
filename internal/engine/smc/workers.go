package smc

import (
	"context"

	"fencepost/internal/engine"
	"fencepost/internal/memory"
)

// explore explores with as many workers as the task allows, and returns an explorer that has what
// all of them found. Source-DPOR, whose executions may be cut off by sleep sets, has one worker.
func explore(ctx context.Context, task *job, y *memory.System) *explorer {
	if task.Limits.Workers <= 1 || task.SourceDPOR {
		x := newExplorer(ctx, task, y, nil)
		x.runAll()
		return x
	}
	return together(ctx, task, y, newWorld(task.Limits.Workers))
}

// together explores with the workers of w.
func together(ctx context.Context, task *job, y *memory.System, w *world) *explorer {
	all := make([]*explorer, w.workers)
	for i := range all {
		all[i] = newExplorer(ctx, task, y, w)
		all[i].number = i
		all[i].check = all[0].check
	}
	engine.Together(len(all), func(i int) { all[i].work(i == 0) }, w.stop)
	for _, o := range all[1:] {
		all[0].add(o)
	}
	return all[0]
}

// add adds what another worker found.
func (x *explorer) add(o *explorer) {
	x.out.add(&o.out)
	x.tree.most += o.tree.most
	x.out.others += o.bytes()
	x.run.Merge(&o.run)
}
