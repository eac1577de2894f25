package smc

import (
	"fencepost/internal/engine"
	"fencepost/internal/machine"
	"fencepost/internal/memory"
	"fencepost/internal/memory/endless"
)

// Loops that no thread can end. The exploration stops a thread after a round that changes nothing, so an
// execution that goes on with such rounds for ever ends there. Its steps are steps of the program as it
// was given as well, and lead there to a state in which the thread is at the head of its loop. The whole
// round is run from that state on: what the thread reads now may be newer than what it read in the round
// after which it was stopped.

// loopTest judges ends of executions in the program as it was given.
type loopTest struct {
	y    *memory.System
	s    *memory.State
	test *endless.Test
}

// newLoopTest returns nil if there is nothing to test.
func newLoopTest(y *memory.System) *loopTest {
	if y == nil {
		return nil
	}
	l := &loopTest{y: y, s: y.NewState(), test: endless.New(y)}
	if !l.test.Possible() {
		return nil
	}
	return l
}

// holds reports whether an execution leads to a state whose loops no thread can end.
func (l *loopTest) holds(steps []memory.Step) bool {
	mark := l.s.Mark()
	defer l.s.Undo(mark)
	for _, st := range steps {
		l.y.Apply(l.s, st)
	}
	return l.test.Holds(l.s)
}

// endless reports that the execution ends in loops that no thread can end, if it does.
func (x *explorer) endless() {
	const key = "non-termination"
	if x.loops == nil || x.out.Met[key] {
		return
	}
	spins := x.run.AtAssumption()
	for t := range x.run.Threads.Now {
		spins = spins || x.run.Threads.Now[t].Stop == machine.Refused
	}
	if spins && x.loops.holds(x.run.Steps) {
		x.report(key, engine.Violation{Kind: engine.NonTermination})
	}
}
