package rf

import (
	"context"

	"fencepost/internal/engine"
	"fencepost/internal/machine"
	"fencepost/internal/memory"
	"fencepost/internal/rc11"
)

// Explored has the counts of an exploration.
type Explored struct {
	Complete, Classes, Graphs, Checks int64
	Part                              float64 // of the exploration that is over, for estimates
}

// ExploreAll explores the classes of a task and passes the steps of an execution of each to each, which may be nil.
func ExploreAll(task *engine.Task, opt Options, each func(steps []memory.Step)) (Explored, error) {
	y := memory.New(task.Program, task.Model, task.MemoryOptions())
	cs := newCells()
	for {
		var all [][]memory.Step
		j := &job{Task: task, Options: opt}
		j.groups = j.peers(y)
		x := newExploration(context.Background(), j, y, cs)
		if each != nil {
			x.atEnd = func([]node) { all = append(all, append([]memory.Step{}, x.run.m.Steps...)) }
		}
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
		global: true, mutex: true, again: true, unlock: true, pick: 7, later: true, orders: orders{rc11.Acquire, rc11.Relaxed, rc11.Release, rc11.SeqCst, true, true, true}, signals: true, reads: []read{{1, 8, ref{2, 3}, true, 1 << 61}},
		choices: []choice{{9, true, machine.Label{Edge: 7, Inner: 8, Choice: 9}}}, unit: unit{is: true, section: true, all: []int32{1}, stalled: 10},
		effect: effect{known: true, buffered: true, ends: true, waits: true, blocks: []uint64{1 << 60}, frees: true, allocs: true, epoch: 10, ord: 11,
			writes: []int32{1}, words: []uint64{12}, masks: []uint64{255}, wakes: []int32{2}, ended: []ref{}}, done: 13, past: []int32{14, 15, 16},
	}
	d := &decoder{data: appendOp(nil, &o), cells: []int32{0, 1}, threads: 3}
	back := d.op()
	d.end()
	return o, back, d.err
}

// Doubted says how often the clocks refused a graph, and for how many of these a search that knows no clocks has found
// an execution.
type Doubted struct{ Refused, Wrong int64 }

// doubting asks a search that knows no clocks about every graph that is refused.
type doubting struct {
	*buffers
	Doubted
	again order
}

func (d *doubting) doubt(ok bool, c cut, is bool) bool {
	if ok {
		return true
	}
	d.Refused++
	d.again.model, d.again.cells, d.again.after, d.again.work = d.find.model, d.cells.count(), nil, new(int64)
	d.again.build(d.now.g, &c)
	if is && !d.again.bad {
		if _, ok := d.again.searchAll(); ok {
			d.Wrong++
		}
	}
	return false
}

func (d *doubting) enter(g *graph) bool { return d.doubt(d.buffers.enter(g), cut{}, true) }
func (d *doubting) read(t, i int) bool  { return d.doubt(d.buffers.read(t, i), cut{}, true) }
func (d *doubting) write(t, i int) bool { return d.doubt(d.buffers.write(t, i), cut{}, true) }

func (d *doubting) change(seq []node) ([]node, bool) {
	out, ok := d.buffers.change(seq)
	return out, d.doubt(ok, cut{}, true)
}

func (d *doubting) witness(c cut, dem *demand) ([]node, bool) {
	out, ok := d.buffers.witness(c, dem)
	return out, d.doubt(ok, c, dem == nil)
}

// Doubt explores a task and asks again about every graph that is refused.
func Doubt(task *engine.Task) (Doubted, error) {
	y := memory.New(task.Program, task.Model, task.MemoryOptions())
	cs := newCells()
	for {
		x := newExploration(context.Background(), &job{Task: task, Options: Options{Traces: true}}, y, cs)
		d := &doubting{buffers: x.model.(*buffers)}
		x.model = d
		x.runAll()
		if cs.split() {
			cs.again()
			continue
		}
		var err error
		if x.out.Result.Unknown != "" {
			err = &engine.Unsupported{What: x.out.Result.Unknown}
		}
		return d.Doubted, err
	}
}
