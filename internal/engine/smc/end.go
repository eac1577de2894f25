package smc

import (
	"fencepost/internal/engine"
	"fencepost/internal/machine"
	"fencepost/internal/memory"
	"fencepost/verdict"
)

// The end of an execution: its kind, the conditions that are checked there, and violations.

// endExecution handles an execution that cannot be extended.
func (x *explorer) endExecution() {
	if x.tail.again { // it has been judged
		x.tail.again = false
	} else if x.tail.skipped { // a complete execution, whose final state is not asked for
		x.out.counts.Complete++
	} else if x.anyAsleep() {
		x.out.counts.asleep++
		if x.check != nil {
			x.check.asleep(x)
		}
	} else {
		before, failed, blocked := x.out.counts.Complete, x.out.counts.Failed, x.out.counts.Blocked+x.out.counts.Waits
		x.judgeEnd()
		if x.task.Failed != nil && x.out.counts.Failed > failed {
			x.visitFailed()
		}
		if x.task.Visit != nil && (x.task.Unfinished || x.out.counts.Complete > before) {
			x.visit(x.task.Visit)
		}
		if x.task.Blocked != nil && x.out.counts.Blocked+x.out.counts.Waits > blocked {
			x.visit(x.task.Blocked)
		}
		if x.atEnd != nil {
			x.atEnd()
		}
	}
	if x.tail.length > 0 && !x.tail.skipped {
		x.rewindTail()
	}
	if !x.out.Stopped {
		x.reverser.reverseAll()
	}
	x.leaveTail()
}

// visit passes the execution to the task.
func (x *explorer) visit(pass func(*verdict.Witness)) {
	w := x.witness()
	if x.world != nil {
		x.world.visitMu.Lock()
		defer x.world.visitMu.Unlock()
	}
	pass(w)
}

// visitFailed passes the execution to the task's Failed.
func (x *explorer) visitFailed() {
	rec := engine.Record(x.run.Sys, x.run.Steps)
	var fails []string
	for _, f := range x.run.Faults() {
		fails = append(fails, rec.Fault(f))
	}
	if x.world != nil {
		x.world.visitMu.Lock()
		defer x.world.visitMu.Unlock()
	}
	x.task.Failed(rec.Witness(), fails)
}

// anyAsleep reports whether an event is enabled, given that all enabled events sleep.
func (x *explorer) anyAsleep() bool {
	_, _, ok := pick(&x.run, &x.alive, nil, x.exec.lastThread())
	return ok
}

// exited counts an execution that exit ends.
func (x *explorer) exited() {
	x.out.counts.Exits++
	if x.task.ExitFinals {
		x.final()
	}
}

// judgeEnd counts the execution by its kind, and checks goals, the final condition and deadlocks.
func (x *explorer) judgeEnd() {
	stops := [machine.Bounded + 1]bool{}
	bufferStuck := false
	for t := range x.run.Threads.Now {
		stops[x.run.Threads.Now[t].Stop] = true
		bufferStuck = bufferStuck || x.run.Threads.Now[t].BufferStuck
	}
	x.goals.find()
	if memory.MainReturned(x.run.Sys, x.run.State) {
		x.out.counts.Returned++
	}
	switch {
	case stops[machine.Failed] || bufferStuck:
		x.out.counts.Failed++
		return
	case stops[machine.Exited]:
		x.exited()
		return
	case stops[machine.Bounded]:
		x.out.counts.Bounded++
		return
	case x.run.Sys.Final(x.run.State):
		x.out.counts.Complete++
		x.final()
		if x.check != nil {
			x.check.complete(x)
		}
		return
	}
	x.endless()
	x.run.State.Withheld = false
	x.run.Enabled = x.run.Sys.Enabled(x.run.State, x.run.Enabled[:0])
	moves := false
	for _, st := range x.run.Enabled {
		moves = moves || st.Kind != memory.Wake
	}
	switch {
	case x.run.State.Withheld:
		x.out.counts.Bounded++
	case moves: // the condition of a refused await holds now, or a section is stuck
		x.out.counts.Blocked++
	case x.run.Sys.Deadlocked(x.run.State):
		if x.task.Props.Deadlock {
			x.report("deadlock", engine.Violation{Kind: engine.Deadlock})
		}
		if stops[machine.Refused] || x.run.AtAssumption() {
			x.out.counts.Blocked++
		} else {
			x.out.counts.Waits++
		}
	default:
		x.out.counts.Blocked++
	}
}

// final checks the final condition and collects the final state.
func (x *explorer) final() { x.out.Final(x.task.Task, x.judge, x.show, x.run.State, x.report) }

// checkFailed reports the check that the last step failed.
func (x *explorer) checkFailed(f memory.Fault) {
	key, v := engine.FailedCheck(f)
	x.report(key, v)
}

// report adds a violation with the execution so far as its witness, unless it has been met before.
func (x *explorer) report(key string, v engine.Violation) {
	if x.out.Met[key] {
		return
	}
	v.Witness = x.witness()
	x.out.Violated(key, v)
}

// witness returns the execution so far.
func (x *explorer) witness() *verdict.Witness { return engine.Record(x.run.Sys, x.run.Steps).Witness() }
