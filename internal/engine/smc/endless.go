package smc

import (
	"fencepost/internal/engine"
	"fencepost/internal/machine"
)

// endless reports that the execution ends in loops that no thread can end, if it does. The exploration
// stops a thread after a round that changes nothing, so an execution that goes on with such rounds for
// ever ends there.
func (x *explorer) endless() {
	const key = "non-termination"
	if x.loops == nil || x.out.Met[key] {
		return
	}
	spins := x.run.AtAssumption()
	for t := range x.run.Threads.Now {
		spins = spins || x.run.Threads.Now[t].Stop == machine.Refused
	}
	if spins && x.loops.Endless(x.run.Steps) {
		x.report(key, engine.Violation{Kind: engine.NonTermination})
	}
}
