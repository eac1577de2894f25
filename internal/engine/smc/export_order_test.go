package smc

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"fencepost/internal/engine"
	"fencepost/internal/memory"
)

// ExploreOrders explores a task with one worker and returns how often there was an execution with each order of events.
func ExploreOrders(task *engine.Task, opt Options) (map[string]int, error) {
	x := newExplorer(context.Background(), &job{Task: task, Options: opt}, memory.New(task.Program, task.Model, task.MemoryOptions()), nil)
	x.tail.off = true // its events have no clocks
	keys := map[string]int{}
	x.atEnd = func() { keys[x.orderKey()]++ }
	x.runAll()
	return keys, x.out.err
}

// AllOrders returns the orders of all executions of a task, by performing all events that are possible in every state. It
// returns false if there are more than limit prefixes of executions.
func AllOrders(task *engine.Task, opt Options, limit int) (map[string]int, bool) {
	x := newExplorer(context.Background(), &job{Task: task, Options: opt}, memory.New(task.Program, task.Model, task.MemoryOptions()), nil)
	x.start()
	keys, seen := map[string]int{}, map[string]bool{}
	ok := x.allOrders(keys, seen, limit)
	return keys, ok && x.run.Failure() == nil
}

// allOrders adds the orders of the executions that continue the present one.
func (x *explorer) allOrders(keys map[string]int, seen map[string]bool, limit int) bool {
	key := x.orderKey()
	if seen[key] {
		return true
	}
	if seen[key] = true; len(seen) > limit {
		return false
	}
	next := x.possible()
	if len(next) == 0 {
		keys[key]++
		return true
	}
	for i := 0; i < len(next); i++ {
		p, lb := next[i].Proc, next[i].Label
		x.extend(p, lb, branches{})
		for _, in := range x.run.Inner {
			if lb.Inner = in; !asleep(next, p, lb) {
				next = append(next, event{Proc: p, Label: lb})
			}
		}
		ok := x.allOrders(keys, seen, limit)
		x.backtrack()
		n := &x.nodes[len(x.nodes)-1]
		n.sleep = n.sleep[:0]
		if !ok {
			return false
		}
	}
	return true
}

// possible returns a process and a label for everything that can happen next, but for choices inside sections.
func (x *explorer) possible() []event {
	var next []event
	for t := range x.run.Threads.Now {
		for {
			p, ok := pickBuffer(&x.run, next, t)
			if !ok {
				break
			}
			next = append(next, event{Proc: p})
		}
		x.run.List(t)
		for _, lb := range x.run.Options {
			next = append(next, event{Proc: int32(t), Label: lb})
		}
	}
	return next
}

// orderKey returns the events of the execution with their clocks.
func (x *explorer) orderKey() string {
	names := make([]string, 0, len(x.exec.events))
	for i := range x.exec.events {
		e := &x.exec.events[i]
		var past []string
		for _, tk := range x.exec.clock(int32(i)) {
			past = append(past, fmt.Sprintf("%v:%d", x.exec.procs.List[tk.proc], tk.idx))
		}
		slices.Sort(past)
		names = append(names, fmt.Sprintf("%v %d %v %t %d %s", x.exec.procs.List[e.Proc], e.Idx, e.Label, e.Flags&ends != 0, e.Cancel, strings.Join(past, " ")))
	}
	slices.Sort(names)
	return strings.Join(names, "\n")
}
