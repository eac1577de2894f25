package smc

import (
	"context"
	"fmt"
	"time"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/transform/waiting"
)

// supports returns why the engine does not take a task, or nil.
func (t *job) supports() error {
	if t.Traces {
		if err := engine.NoGlobalFence("a list of traces", t.Program); err != nil {
			return err
		}
	}
	if e := engine.GlobalFenceInside(t.Program); e != nil {
		return &engine.Unsupported{Pos: engine.Pos(e), What: "smc does not take membarrier inside an atomic section"}
	}
	if err := t.NoLoadSection("smc"); err != nil {
		return err
	}
	if err := t.TakesThreads("smc"); err != nil {
		return err
	}
	if t.Props.Fairness != 0 {
		if err := t.NoEndless("smc"); err != nil {
			return err
		}
	}
	if err := engine.TriesInputs("smc", t.Program); err != nil {
		return err
	}
	// A section is one event, and the order of lock and unlock events is defined only for events
	// that access a mutex once. An event that joins a thread does nothing else.
	if e := engine.InsideSection(t.Program, ir.Lock, ir.TryLock, ir.Unlock, ir.CondWait, ir.Barrier, ir.Join); e != nil {
		return &engine.Unsupported{Pos: engine.Pos(e), What: fmt.Sprintf("smc does not take a %s inside an atomic section", e.Op.Kind)}
	}
	// Where the other threads are while a section waits does not depend only on the events before
	// the section: a store that has reached memory by then is no longer forwarded
	// (section_deadlock.go).
	if t.Model != memory.SC && t.Props.Deadlock && engine.WaitsInside(t.Program) {
		return &engine.Unsupported{What: "smc looks for deadlocks of threads that wait inside an atomic section under SC only"}
	}
	return t.GoalsByLocation("smc")
}

// run explores the executions of the task and returns what it found.
func run(ctx context.Context, task *job) (*engine.Outcome, error) {
	if err := task.supports(); err != nil {
		return nil, err
	}
	start := time.Now()
	if out := task.SetUp(ctx, engine.Awaiting, engine.Compiling); out != nil {
		return out, nil
	}
	var loops *memory.System
	if task.AsksLoops() {
		loops = memory.New(task.Program, task.Model, memory.Options{})
	}
	if !task.Traces && task.IdleRounds == 0 {
		t := *task.Task
		t.Program = waiting.Await(task.Program, task.KeepOf())
		task = &job{Task: &t, Options: task.Options, loops: loops}
	}
	opt := task.MemoryOptions()
	y := memory.New(task.Program, task.Model, opt)
	stages := []engine.Stage{engine.Counting}
	if loops != nil {
		stages = append(stages, engine.Compiling, engine.Looping)
	}
	if out := task.SetUp(ctx, stages...); out != nil {
		return out, nil
	}
	task.groups = task.peers(y)
	x := explore(ctx, task, y)
	if x.out.err != nil {
		return nil, x.out.err
	}
	out := x.out.Result
	x.summarise(out)
	if x.tree.sourceDPOR && chooses(task.Program) && out.Unknown == "" {
		out.Unknown = "source-DPOR may miss executions of a program with choices; --algorithm optimal does not"
	}
	out.Stats.Seconds = time.Since(start).Seconds()
	return out, nil
}

// chooses reports whether a program has choices other than those of the scheduler. A reversal tells
// source-DPOR which process comes first, and not what it chooses.
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
