package smc

import (
	"context"

	"fencepost/internal/budget"
	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/memory/endless"
)

// The exploration: a depth-first search along wakeup trees, with one execution per trace.
//
// A node on the path has a sleep set: the events that need no exploration from there. The set
// consists of the parent's sleeping events that are independent of the event that leads to the
// node, and of the events that have been explored from the node. A node that is reached for the
// first time either has a wakeup tree, which says where to go, or takes any enabled event that does
// not sleep. At the end of an execution every reversible race is reversed into the wakeup tree of
// the node before its first event. Backtracking undoes events; executions are never run again from
// the beginning. There is one local exception: what an event would do in another context, if its
// description in this one does not tell (reverse.go), is found by performing it there.

// explorer explores the executions of one task. It never moves in memory: parts of it have
// pointers to each other.
type explorer struct {
	path
	task   *job
	ctx    context.Context
	budget *budget.Budget
	meter  meter

	tree     inserter
	reverser reverser
	goals    goalWatch
	tail     tail
	out      outcome
	judge    *engine.Judge
	show     *engine.Finals

	world  *world // nil: one worker
	number int    // of the worker

	bounded bool // a bound was met, and the task was asked

	loops *endless.Executions // nil: endless loops are not asked about
	check *checker            // nil: no checking
	atEnd func()              // for tests: called at the end of every execution
}

// newExplorer returns the explorer of one worker, with an empty execution. w is nil if there
// is only one.
func newExplorer(ctx context.Context, task *job, y *memory.System, w *world) *explorer {
	x := &explorer{task: task, ctx: ctx, budget: budget.Of(ctx), world: w, judge: engine.NewJudge(y), show: engine.NewFinals(y, task.Props)}
	x.meter = newMeter(x.budget)
	x.out = newOutcome(task)
	x.path = newPath(task, y, w)
	x.goals = goalWatch{path: &x.path, run: &x.run, exec: &x.exec, out: &x.out, judge: x.judge, goals: task.Props.Goals, watch: engine.WatchGoals(y.Prog, task.Props.Goals)}
	x.tree = inserter{sourceDPOR: task.SourceDPOR, world: w, tail: &x.tail}
	x.reverser = reverser{path: &x.path, run: &x.run, exec: &x.exec, tree: &x.tree, tail: &x.tail, seq: sequence{exec: &x.exec}}
	x.run.CheckFailed = x.checkFailed
	if x.goals.watch != nil {
		x.run.Arrived = x.goals.arrive
	}
	for t := range y.Threads() {
		x.run.StopsAt = append(x.run.StopsAt, x.localStops(t))
	}
	if task.loops != nil {
		x.loops = endless.NewExecutions(task.loops)
	}
	if task.CheckTraces {
		x.check = newChecker()
	}
	return x
}

// localStops returns which local steps of thread t have to be taken one by one: steps that
// enter or repeat a loop, and steps from locations of goals. It returns nil if there are none.
func (x *explorer) localStops(t int) func(ir.Loc, int32) bool {
	loops := x.run.Loops
	counted, watched := loops != nil && loops[t].Edges != nil, x.goals.watch != nil && x.goals.watch[t] != nil
	switch {
	case watched:
		return func(l ir.Loc, edge int32) bool {
			return counted && loops[t].Matters(l, edge) || x.goals.watch[t][l] != nil
		}
	case counted:
		return loops[t].Matters
	default:
		return nil
	}
}

// runAll explores everything with one worker.
func (x *explorer) runAll() {
	x.start()
	x.explore()
}

// explore explores what is left to explore from the nodes of the path.
func (x *explorer) explore() {
	for !x.out.Stopped {
		if err := x.run.Failure(); err != nil {
			x.out.Unknown(err.Error())
			return
		}
		x.tick()
		d := len(x.nodes) - 1
		n := &x.nodes[d]
		switch {
		case n.shared:
			if x.take(d) {
				continue
			}
		case n.wut.n > 0:
			b := x.tree.pop(&n.wut)
			p, lb := b.ev.Proc, b.ev.Label
			n.fresh = false
			x.forward(d)
			x.extend(p, lb, x.tree.takeBelow(b))
			continue
		case n.fresh:
			n.fresh = false
			if !x.finish() {
				p, lb, ok := x.tail.urgent, label{}, x.tail.urgent != none
				if w := &n.woken; !ok && w.any && x.run.Open(w.proc, w.label) && !asleep(n.sleep, w.proc, w.label) {
					p, lb, ok = w.proc, w.label, true
				}
				if !ok {
					p, lb, ok = pick(&x.run, &x.alive, n.sleep, x.exec.lastThread())
				}
				if ok {
					x.extend(p, lb, branches{})
					continue
				}
			}
			if x.atBound() {
				return
			}
			if x.endExecution(); x.tail.again {
				n.fresh = true
				continue
			}
			if x.world != nil && !x.out.Stopped && (x.world.eager || x.world.hungry.Load()) {
				x.share()
			}
		}
		if d == 0 {
			return
		}
		x.backtrack()
	}
}

// atBound ends the exploration at the end of the first execution that met a bound, if the task says so. Its races are not
// reversed, which takes long for long executions.
func (x *explorer) atBound() bool {
	if x.bounded || len(x.run.Cuts) == 0 || x.out.Stopped {
		return false
	}
	x.bounded = true
	if x.task.AtBound == nil || !x.task.AtBound() {
		return false
	}
	x.out.Unknown("a bound was met")
	return true
}

// extend performs an event from the newest node. below is the wakeup tree after the event.
func (x *explorer) extend(p int32, lb label, below branches) {
	visited := len(x.goals.visited)
	i := x.path.extend(p, lb, node{wut: below, visited: visited})
	e := &x.exec.events[i]
	x.goals.noteMoved(e, x.run.Reached)
	if e.Flags&ends != 0 {
		x.findSectionDeadlock(i)
	}
	x.out.counts.events++
	x.out.counts.depth = max(x.out.counts.depth, len(x.exec.events))
}

// backtrack takes back the newest event and puts it to sleep.
func (x *explorer) backtrack() {
	d := len(x.nodes) - 1
	n, e := &x.nodes[d], &x.exec.events[d-1]
	x.path.retract()
	x.tail.known.forget(int32(d - 1))
	x.goals.backtrack(n.visited, d-1)
	parent := &x.nodes[d-1]
	if parent.shared {
		if !n.shared {
			x.world.complete(n.sh)
		}
	} else {
		parent.sleep = append(parent.sleep, *e)
	}
	parent.done++
	x.exec.events = x.exec.events[:d-1]
	x.nodes = x.nodes[:d]
}
