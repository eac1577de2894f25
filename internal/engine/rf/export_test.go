package rf

import (
	"context"

	"fencepost/internal/engine"
	"fencepost/internal/machine"
	"fencepost/internal/memory"
)

// Explored has the counts of an exploration.
type Explored struct {
	Complete, Classes, Graphs, Checks int64
	Part                              float64 // of the exploration that is over, for estimates
}

// ExploreAll explores the classes of a task and passes the steps of an execution of each to each.
func ExploreAll(task *engine.Task, opt Options, each func(steps []memory.Step)) (Explored, error) {
	y := memory.New(task.Program, task.Model, task.MemoryOptions())
	cs := newCells()
	for {
		var all [][]memory.Step
		x := newExploration(context.Background(), &job{Task: task, Options: opt}, y, cs)
		x.atEnd = func([]node) { all = append(all, append([]memory.Step{}, x.run.m.Steps...)) }
		x.runAll()
		if cs.split() {
			cs.again()
			continue
		}
		for _, s := range all {
			each(s)
		}
		c := &x.out.counts
		var err error
		if x.out.Result.Unknown != "" {
			err = &engine.Unsupported{What: x.out.Result.Unknown}
		}
		return Explored{c.Complete, c.All(), c.graphs, c.checks, x.explored}, err
	}
}

// RoundTrip writes a graph with one operation, all of whose fields are set, as a task, and reads it again. It returns
// both operations.
func RoundTrip() (want, got any, err error) {
	o := op{
		label: machine.Label{Edge: 1, Inner: 2, Choice: -3}, picked: machine.Label{Edge: 4, Inner: 5, Choice: 6}, cells: []int32{0, 1}, causes: []ref{{1, 2}}, join: 3, drains: true,
		global: true, mutex: true, again: true, unlock: true, pick: 7, later: true, reads: []read{{1, 8, ref{2, 3}, true, 1 << 61}},
		choices: []choice{{9, true, machine.Label{Edge: 7, Inner: 8, Choice: 9}}}, unit: unit{is: true, section: true, all: []int32{1}, stalled: 10},
		known: true, buffered: true, ends: true, waits: true, blocks: []uint64{1 << 60}, frees: true, allocs: true, epoch: 10, ord: 11,
		writes: []int32{1}, words: []uint64{12}, wakes: []int32{2}, ended: []ref{}, done: 13, past: []int32{14, 15, 16},
	}
	d := &decoder{data: appendOp(nil, &o), cells: []int32{0, 1}, threads: 3}
	back := d.op()
	d.end()
	return o, back, d.err
}
