package smc

import (
	"fmt"
	"strconv"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/verdict"
)

// The end of an execution: its kind, the conditions that are checked there, and violations.

// endExecution handles an execution that cannot be extended.
func (x *explorer) endExecution() {
	if x.anyAsleep() {
		x.out.counts.asleep++
		if x.check != nil {
			x.check.asleep(x)
		}
	} else {
		before := x.out.counts.complete
		x.judgeEnd()
		if x.task.Visit != nil && (x.task.Unfinished || x.out.counts.complete > before) {
			x.visit()
		}
		if x.atEnd != nil {
			x.atEnd()
		}
	}
	if !x.out.stopped {
		x.reverser.reverseAll()
	}
}

// visit passes the execution to the task's Visit.
func (x *explorer) visit() {
	w := x.witness()
	if x.world != nil {
		x.world.visitMu.Lock()
		defer x.world.visitMu.Unlock()
	}
	x.task.Visit(w)
}

// anyAsleep reports whether an event is enabled, given that all enabled events sleep.
func (x *explorer) anyAsleep() bool {
	_, _, ok := x.run.pick(nil, x.exec.lastThread())
	return ok
}

// judgeEnd counts the execution by its kind, and checks goals, the final condition and deadlocks.
func (x *explorer) judgeEnd() {
	stops := [bounded + 1]bool{}
	bufferStuck := false
	for t := range x.run.threads.now {
		stops[x.run.threads.now[t].stop] = true
		bufferStuck = bufferStuck || x.run.threads.now[t].bufferStuck
	}
	x.goals.find()
	switch {
	case stops[failed] || bufferStuck:
		x.out.counts.failed++
		return
	case stops[exited]:
		x.out.counts.exits++
		return
	case stops[bounded]:
		x.out.counts.bounded++
		return
	case x.run.sys.Final(x.run.state):
		x.out.counts.complete++
		x.final()
		if x.check != nil {
			x.check.complete(x)
		}
		return
	}
	x.run.state.Withheld = false
	x.run.enabled = x.run.sys.Enabled(x.run.state, x.run.enabled[:0])
	moves := false
	for _, st := range x.run.enabled {
		moves = moves || st.Kind != memory.Wake
	}
	switch {
	case x.run.state.Withheld:
		x.out.counts.bounded++
	case moves: // the condition of a refused await holds now, or a section is stuck
		x.out.counts.blocked++
	case x.run.sys.Deadlocked(x.run.state):
		if x.task.Props.Deadlock {
			x.report("deadlock", engine.Violation{Kind: engine.Deadlock})
		}
		if stops[refused] || x.atAssumption() {
			x.out.counts.blocked++
		} else {
			x.out.counts.waits++
		}
	default:
		x.out.counts.blocked++
	}
}

// atAssumption reports whether a thread is blocked whatever the other threads do.
func (x *explorer) atAssumption() bool {
	for t := range x.run.threads.now {
		if !x.run.state.Started(ir.ThreadID(t)) || !x.run.state.Running(ir.ThreadID(t)) || x.run.sys.Thread(x.run.state, t).Ended() {
			continue
		}
		never := true
		for i := range int32(x.run.sys.Thread(x.run.state, t).EdgeCount()) {
			never = never && x.run.sys.Thread(x.run.state, t).Hindrance(i).Why == memory.Never
		}
		if never {
			return true
		}
	}
	return false
}

func goalKey(i int) string { return "goal:" + strconv.Itoa(i) }

// final checks the final condition and collects the final state.
func (x *explorer) final() {
	if f := x.task.Props.Final; f != nil && x.judge.Holds(x.run.state, f.Cond) != (f.Quantifier == property.Forall) {
		x.report("final", engine.Violation{Kind: engine.FinalViolated})
	}
	if !x.task.Finals {
		return
	}
	text := x.show.Text(x.run.state)
	x.out.finals[text] = true
	if pick := x.task.WitnessFinal; pick != nil && pick(text) {
		x.report("state:"+text, engine.Violation{Kind: engine.FinalReached, Final: text})
	}
}

// checkFailed reports the check that the last step failed.
func (x *explorer) checkFailed(f memory.Fault) {
	v := engine.Violation{Kind: engine.CheckFailed, Class: f.Class, Edge: ir.NoEdge}
	if f.Edge != nil {
		v.Edge = f.Edge.ID
	}
	x.report(fmt.Sprintf("check:%d:%d", v.Class, v.Edge), v)
}

// report adds a violation with the execution so far as its witness, unless it has been met before.
func (x *explorer) report(key string, v engine.Violation) {
	if x.out.met[key] {
		return
	}
	v.Witness = x.witness()
	x.out.violated(key, v)
}

// witness returns the execution so far.
func (x *explorer) witness() *verdict.Witness {
	rec := engine.NewRecorder(x.run.sys)
	for _, st := range x.run.steps {
		rec.Step(st)
	}
	return rec.Witness()
}
