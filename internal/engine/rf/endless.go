package rf

import (
	"slices"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/machine"
	"fencepost/internal/memory"
)

// endless reports that an execution of the class ends in loops that no thread can end, if there is one.
//
// In such an execution every thread that spins can do a round at the end, so there is one whose last reads,
// those after which the threads were stopped, have the values that memory holds in the end. The class
// says what wrote them. A thread with a loop that reads nothing may be in that loop: nothing is demanded of its
// last reads, which came before. Nor is it of a thread that a bound stopped, at the beginning of a round.
// The class does not say which of several writes is the last one to the other cells that loops read: all are tried.
func (x *exploration) endless() {
	const key = "non-termination"
	if x.loops == nil || x.out.Met[key] {
		return
	}
	d, ok := lastReads(x)
	if !ok {
		return
	}
	if len(d.finals) > 0 {
		seq, ok := x.witness(cut{}, d)
		if !ok {
			return
		}
		toEnd(x, seq)
	}
	x.lastWriters(readByLoops(x, d), d, func(d *demand) bool {
		if !leadsToLoops(x) {
			return false
		}
		if memory.HasC11 {
			askSC(x, lastOfBlocked(x, d))
		}
		x.report(key, engine.Violation{Kind: engine.NonTermination})
		return true
	})
}

// lastReads demands that the last reads of threads that were stopped after a round have the values of the
// end. It returns false if no thread was stopped, or that is not possible.
func lastReads(x *exploration) (*demand, bool) {
	m := &x.run.m
	d, spins := &demand{}, false
	for t := range x.g.threads {
		o := x.g.last(t)
		bounded := m.Threads.Now[t].Stop == machine.Bounded
		if m.Threads.Now[t].Stop != machine.Refused && !m.Stopped(t) && !bounded {
			continue
		}
		if spins = true; bounded {
			continue
		}
		if o == nil || x.task.readless[t] {
			continue
		}
		for _, r := range o.reads {
			switch all := x.sources(r.cell); {
			case r.pool || o.join > 0: // no memory
			case slices.Contains(o.writes, r.cell): // a read-modify-write that wrote what it read: its write may be the last
			case r.from == initial && len(all) > 1:
				return nil, false
			case len(all) > 2:
				d.finals = append(d.finals, final{r.cell, r.from})
			}
		}
	}
	return d, spins
}

// readByLoops returns the cells with several writes that loops may read, and for which nothing is demanded.
func readByLoops(x *exploration, d *demand) []int32 {
	var out []int32
	for t := range x.g.threads {
		reads := x.loops.Reads(ir.ThreadID(t))
		if x.run.thread(t).Ended() {
			continue
		}
		if reads.Anything {
			out = severalWrites(x)
			break
		}
		for _, r := range reads.Ranges {
			out = x.several(uint64(r.Lo), int(r.Hi-r.Lo), out)
		}
	}
	return slices.DeleteFunc(out, func(c int32) bool {
		return slices.ContainsFunc(d.finals, func(f final) bool { return f.cell == c })
	})
}
