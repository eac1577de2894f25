package smc

import (
	"context"
	"fmt"

	"fencepost/internal/engine"
	"fencepost/internal/memory"
)

// Near is how many events before an event its set has; 0: as many as ever. Random programs have few events, and clocks
// would hardly be used.
var Near uint

// Explored has the counts of an exploration.
type Explored struct {
	Complete, Asleep int64
}

// ExploreAll explores the executions of a task and passes each to each when it ends: its steps, and
// a text that distinguishes it from executions with the same steps, such as the value that a
// refused await read.
func ExploreAll(task *engine.Task, opt Options, each func(steps []memory.Step, extra string)) (Explored, error) {
	y := memory.New(task.Program, task.Model, task.MemoryOptions())
	j := &job{Task: task, Options: opt}
	j.groups = j.peers(y)
	x := newExplorer(context.Background(), j, y, nil)
	if Near > 0 {
		x.exec.pasts.near = Near
	}
	x.atEnd = func() { each(x.run.Steps, x.extra()) }
	x.runAll()
	return Explored{x.out.counts.Complete, x.out.counts.asleep}, x.out.err
}

// ExploreOrdered is ExploreAll with two functions more: the event of a step, or none before the
// first event, and whether an event happens before another.
func ExploreOrdered(task *engine.Task, opt Options, each func(steps []memory.Step, extra string, event func(step int) int, before func(i, j int) bool)) (Explored, error) {
	x := newExplorer(context.Background(), &job{Task: task, Options: opt}, memory.New(task.Program, task.Model, task.MemoryOptions()), nil)
	x.tail.off = true // its events have no clocks
	event := func(step int) int {
		i := -1
		for i+1 < len(x.exec.events) && x.nodes[i+1].steps <= step {
			i++
		}
		return i
	}
	if Near > 0 {
		x.exec.pasts.near = Near
	}
	before := func(i, j int) bool {
		out := x.exec.before(int32(i), int32(j))
		if out != x.exec.precedes(int32(i), x.exec.clock(int32(j))) {
			panic("BUG: clocks and sets differ")
		}
		return out
	}
	x.atEnd = func() { each(x.run.Steps, x.extra(), event, before) }
	x.runAll()
	return Explored{x.out.counts.Complete, x.out.counts.asleep}, x.out.err
}

// extra says how threads stopped, and what refused awaits and stuck sections read.
func (x *explorer) extra() string {
	out := ""
	for t := range x.run.Threads.Now {
		out += fmt.Sprint(x.run.Threads.Now[t].Stop)
	}
	for i := range x.exec.events {
		e := &x.exec.events[i]
		if e.Flags&ends == 0 {
			continue
		}
		out += fmt.Sprintf("|%d %v", e.Proc, e.Label)
		for k := range e.Size() {
			for b := range e.At(k).Size {
				out += fmt.Sprint(" ", x.lastWriter(i, e, k, int(b)))
			}
		}
	}
	return out
}

// lastWriter names the update that byte b of access k of event i read from. A byte that is
// forwarded has the same name as one that is read after the update of the same store.
func (x *explorer) lastWriter(i int, e *event, k, b int) string {
	if a := e.At(k); a.Mode&always == 0 && (e.From.Forwarded|e.From.Seen)>>b&1 != 0 {
		return fmt.Sprint("own ", e.From.StoreOf(b))
	}
	addr, from := e.At(k).Addr+uint64(b), -1
	for j := range i {
		for l := range x.exec.events[j].Size() {
			if w := x.exec.events[j].At(l); w.Mode&writes != 0 && addr-w.Addr < uint64(w.Size) {
				from = int(x.exec.events[j].Proc)<<16 | int(x.exec.events[j].Idx)
			}
		}
	}
	return fmt.Sprint(from)
}

// ExploreTogether explores with several workers that share branches as soon as there are any, even
// in small programs.
func ExploreTogether(task *engine.Task, opt Options, workers int) (*engine.Outcome, error) {
	w := newWorld(workers)
	w.eager = true
	x := together(context.Background(), &job{Task: task, Options: opt}, memory.New(task.Program, task.Model, task.MemoryOptions()), w)
	if x.out.err == nil {
		x.summarise(x.out.Result)
	}
	return x.out.Result, x.out.err
}

// ExploreBytes explores and returns the number of executions, and the bytes that were used besides
// the wakeup trees.
func ExploreBytes(task *engine.Task) (executions, bytes int64) {
	x := newExplorer(context.Background(), &job{Task: task}, memory.New(task.Program, task.Model, task.MemoryOptions()), nil)
	x.runAll()
	return x.out.counts.All(), x.bytes()
}

// ExploreTrees explores, with equal hashes of all branches if coarse, calls check at the end of every execution with what is wrong with the wakeup trees, "" if
// nothing is, and returns the number of executions and the most nodes that the trees had.
func ExploreTrees(task *engine.Task, coarse bool, check func(problem string)) (executions int64, most int) {
	x := newExplorer(context.Background(), &job{Task: task}, memory.New(task.Program, task.Model, task.MemoryOptions()), nil)
	x.tree.equal.coarse = coarse
	x.atEnd = func() { check(x.treeProblem()) }
	x.runAll()
	return x.out.counts.All(), x.tree.most
}

// treeProblem says what is wrong with the wakeup trees: a node that is counted wrongly, shared though it can change, equal
// to another one, or lost.
func (x *explorer) treeProblem() string {
	in := &x.tree
	refs := map[*tree]int32{}
	problem := ""
	var visit func(l *branches, frozen bool)
	visit = func(l *branches, frozen bool) {
		n := 0
		for b := l.first; b != nil; b = b.next {
			n++
			if refs[b.tree]++; refs[b.tree] > 1 && !b.frozen {
				problem = "a node in several lists can change"
			}
			if frozen && !b.frozen {
				problem = "a node below a frozen one can change"
			}
			if refs[b.tree] == 1 {
				visit(&b.below, b.frozen)
			}
		}
		if n != l.n {
			problem = "a list has another length"
		}
	}
	for d := range x.nodes {
		visit(&x.nodes[d].wut, false)
	}
	frozen := 0
	for t, n := range refs {
		if !t.frozen {
			continue
		}
		if frozen++; t.refs != n {
			problem = fmt.Sprintf("a node is in %d lists and counts %d", n, t.refs)
		}
		for u := range refs {
			if u != t && u.frozen && u.ev.Proc == t.ev.Proc && sameEvent(&u.ev, &t.ev) && sameBranches(&u.below, &t.below) {
				problem = "two frozen nodes are equal"
			}
		}
	}
	if len(refs) != in.size || frozen != in.equal.count {
		problem = fmt.Sprintf("%d nodes, %d of them frozen; counted %d and %d", len(refs), frozen, in.size, in.equal.count)
	}
	return problem
}

// Tails counts tails.
type Tails = tailCounts

// ExploreTails is like the engine with one worker, with or without tails.
func ExploreTails(task *engine.Task, opt Options, off bool) (*engine.Outcome, Tails) {
	x := newExplorer(context.Background(), &job{Task: task, Options: opt}, memory.New(task.Program, task.Model, task.MemoryOptions()), nil)
	x.tail.off = off
	x.runAll()
	x.summarise(x.out.Result)
	return x.out.Result, x.tail.count
}

// Again is an explorer that has explored everything, and can do so again.
type Again struct{ x *explorer }

// NewAgain explores a task.
func NewAgain(task *engine.Task) Again {
	x := newExplorer(context.Background(), &job{Task: task}, memory.New(task.Program, task.Model, task.MemoryOptions()), nil)
	x.runAll()
	return Again{x}
}

// Explore explores everything again and returns the number of executions.
func (a Again) Explore() int64 {
	x, root := a.x, &a.x.nodes[0]
	before := x.out.counts.All()
	x.forward(0)
	root.sleep, root.wut, root.fresh, root.done = root.sleep[:0], branches{}, true, 0
	x.explore()
	return x.out.counts.All() - before
}
