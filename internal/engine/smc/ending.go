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

// What is said about an execution at its end, and about checks that fail on the way.

// ending looks at an execution that does not go on.
func (x *explorer) ending() {
	if x.anyAsleep() {
		x.out.asleep++
		if x.check != nil {
			x.check.asleep(x)
		}
	} else {
		before := x.out.complete
		x.judgeEnd()
		if x.task.Visit != nil && (x.task.Unfinished || x.out.complete > before) {
			x.visit()
		}
		if x.atEnd != nil {
			x.atEnd()
		}
	}
	if !x.stopped {
		x.reverseAll()
	}
}

// visit shows the execution to whoever asked.
func (x *explorer) visit() {
	w := x.witness()
	if x.world != nil {
		x.world.visitMu.Lock()
		defer x.world.visitMu.Unlock()
	}
	x.task.Visit(w)
}

// anyAsleep reports whether something could happen that sleeps.
func (x *explorer) anyAsleep() bool {
	_, _, ok := x.pick(&node{})
	return ok
}

// judgeEnd classifies the execution and tests what is tested at the end.
func (x *explorer) judgeEnd() {
	stops := [bounded + 1]bool{}
	jam := false
	for t := range x.threads {
		stops[x.threads[t].stop] = true
		jam = jam || x.threads[t].jam
	}
	x.goals()
	switch {
	case stops[failed] || jam:
		x.out.failed++
		return
	case stops[exited]:
		x.out.exits++
		return
	case stops[bounded]:
		x.out.bounded++
		return
	case x.y.Final(x.s):
		x.out.complete++
		x.final()
		if x.check != nil {
			x.check.complete(x)
		}
		return
	}
	x.s.Withheld = false
	x.local = x.y.Enabled(x.s, x.local[:0])
	moves := false
	for _, st := range x.local {
		moves = moves || st.Kind != memory.Wake
	}
	switch {
	case x.s.Withheld:
		x.out.bounded++
	case moves: // an await was refused that would not be now, or a section is stuck
		x.out.blocked++
	case x.y.Deadlocked(x.s):
		if x.task.Props.Deadlock {
			x.report("deadlock", engine.Violation{Kind: engine.Deadlock})
		}
		if stops[refused] || x.atAssumption() {
			x.out.blocked++
		} else {
			x.out.waits++
		}
	default:
		x.out.blocked++
	}
}

// atAssumption reports whether a thread stands where nothing that others do will let
// it go on.
func (x *explorer) atAssumption() bool {
	for t := range x.threads {
		if !x.s.Started(ir.ThreadID(t)) || !x.y.Running(x.s, t) || x.y.Ended(x.s, t) {
			continue
		}
		never := true
		for i := range int32(x.y.Edges(x.s, t)) {
			never = never && x.y.Hinders(x.s, t, i).Why == memory.Never
		}
		if never {
			return true
		}
	}
	return false
}

func goalKey(i int) string { return "goal:" + strconv.Itoa(i) }

// final tests the final condition and collects final states.
func (x *explorer) final() {
	if f := x.task.Props.Final; f != nil && x.judge.Holds(x.s, f.Cond) != (f.Quantifier == property.Forall) {
		x.report("final", engine.Violation{Kind: engine.FinalViolated})
	}
	if !x.task.Finals {
		return
	}
	text := x.show.Text(x.s)
	x.finals[text] = true
	if pick := x.task.WitnessFinal; pick != nil && pick(text) {
		x.report("state:"+text, engine.Violation{Kind: engine.FinalReached, Final: text})
	}
}

// checkFailed reports a check that the last step failed.
func (x *explorer) checkFailed(f memory.Fault) {
	v := engine.Violation{Kind: engine.CheckFailed, Class: f.Class, Edge: ir.NoEdge}
	if f.Edge != nil {
		v.Edge = f.Edge.ID
	}
	x.report(fmt.Sprintf("check:%d:%d", v.Class, v.Edge), v)
}

// report notes a violation the first time it is met, with the execution so far.
func (x *explorer) report(key string, v engine.Violation) {
	if x.met[key] {
		return
	}
	v.Witness = x.witness()
	x.violated(key, v)
}

// violated notes a violation.
func (x *explorer) violated(key string, v engine.Violation) {
	x.met[key] = true
	x.keys = append(x.keys, key)
	x.result.Violations = append(x.result.Violations, v)
	x.stopped = x.stopped || !x.task.KeepGoing
}

// witness is the execution so far.
func (x *explorer) witness() *verdict.Witness {
	rec := engine.NewRecorder(x.y)
	for _, st := range x.steps {
		rec.Step(st)
	}
	return rec.Witness()
}
