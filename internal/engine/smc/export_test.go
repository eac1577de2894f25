package smc

import (
	"context"
	"fmt"

	"fencepost/internal/engine"
	"fencepost/internal/memory"
)

// Explored is what an exploration that tests watch has counted.
type Explored struct {
	Complete, Asleep int64
}

// ExploreAll explores the executions of a task and shows each at its end: its steps,
// and what tells it from others with the same steps, such as what a refused await read.
func ExploreAll(task *engine.Task, each func(steps []memory.Step, extra string)) (Explored, error) {
	x := newExplorer(context.Background(), task, memory.New(task.Program, task.Model, task.MemoryOptions()))
	x.atEnd = func() { each(x.steps, x.extra()) }
	x.run()
	return Explored{x.out.complete, x.out.asleep}, x.err
}

// extra is how threads stopped, and what refused awaits and stuck sections saw.
func (x *explorer) extra() string {
	out := ""
	for t := range x.threads {
		out += fmt.Sprint(x.threads[t].stop)
	}
	for i := range x.ev {
		e := &x.ev[i]
		if e.flags&ends == 0 {
			continue
		}
		out += fmt.Sprintf("|%d %v", e.proc, e.label)
		for k := range e.size() {
			for b := range uint64(e.at(k).size) {
				out += fmt.Sprint(" ", x.lastWriter(i, e, e.at(k).addr+b))
			}
		}
	}
	return out
}

func (x *explorer) lastWriter(i int, e *event, addr uint64) int {
	if e.fwd != none {
		return -2 - int(e.fwd)
	}
	from := -1
	for j := range i {
		for l := range x.ev[j].size() {
			if w := x.ev[j].at(l); w.mode&writes != 0 && addr-w.addr < uint64(w.size) {
				from = int(x.ev[j].proc)<<16 | int(x.ev[j].idx)
			}
		}
	}
	return from
}
