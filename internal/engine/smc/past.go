package smc

// The pasts of events: the events that happen before them.
//
// Differs from [AAAJLS15 App. B], where an event has a vector clock: most questions are about events that are near each
// other, and a set of the 64 events before an event answers these. Clocks are computed when a question is about others.

// pasts has the past of every event of an execution.
type pasts struct {
	near   uint     // how many events before an event its set has, 64 at most; fewer in tests
	recent []uint64 // per event: which of the last events before it are in its past, the newest in the lowest bit
	direct []int32  // events whose pasts, with themselves, make up the past of an event; of one event after the other
	from   []int32  // per event: where its part of direct begins

	clocks  []tick  // the vector clocks of the first events, one after the other
	starts  []int32 // per event with a clock: where it begins; and where that of the next one will
	clocked int32   // how many events have clocks
	sum     clockSum
}

// beginPast begins with the past of event i, the newest.
func (ex *execution) beginPast(i int32) {
	ps := &ex.pasts
	n := int32(len(ps.direct))
	if int(i) < len(ps.from) {
		n = ps.from[i]
	}
	ps.direct, ps.from, ps.recent = ps.direct[:n], append(ps.from[:i], n), append(ps.recent[:i], 0)
	ps.clocked = min(ps.clocked, i)
}

// joinPast adds event j and its past to the past of event i, the newest.
func (ex *execution) joinPast(j, i int32) {
	if ex.inPast(j, i) {
		return
	}
	ps := &ex.pasts
	ps.direct = append(ps.direct, j)
	if by := uint(i - j); by <= ps.near {
		ps.recent[i] |= 1<<(by-1) | ps.recent[j]<<by
	}
}

// inPast reports whether event j is in the past of event i, the newest, as far as that is known.
func (ex *execution) inPast(j, i int32) bool {
	if by := uint(i - j); by <= ex.pasts.near {
		return ex.pasts.recent[i]>>(by-1)&1 != 0
	}
	for _, k := range ex.pasts.direct[ex.pasts.from[i]:] {
		if ex.before(j, k) {
			return true
		}
	}
	return false
}

// before reports whether event i is event j or happens before it.
func (ex *execution) before(i, j int32) bool {
	switch by := uint(j - i); {
	case i >= j:
		return i == j
	case by <= ex.pasts.near:
		return ex.pasts.recent[j]>>(by-1)&1 != 0
	default:
		return ex.precedes(i, ex.clock(j))
	}
}

// clock returns the vector clock of event i.
func (ex *execution) clock(i int32) clock {
	ps := &ex.pasts
	for ps.clocked <= i {
		k := ps.clocked
		to := int32(len(ps.direct))
		if int(k)+1 < len(ps.from) {
			to = ps.from[k+1]
		}
		ps.sum.reset()
		for _, j := range ps.direct[ps.from[k]:to] {
			ps.sum.join(ps.clocks[ps.starts[j]:ps.starts[j+1]])
		}
		ps.sum.join(clock{{ex.events[k].Proc, ex.events[k].Idx}})
		ps.clocks = append(ps.clocks[:ps.starts[k]], ps.sum.sum...)
		ps.starts = append(ps.starts[:k+1], int32(len(ps.clocks)))
		ps.clocked++
	}
	return ps.clocks[ps.starts[i]:ps.starts[i+1]]
}

// precedes reports whether event i is in the past that a clock describes.
func (ex *execution) precedes(i int32, c clock) bool {
	e := &ex.events[i]
	return c.at(e.Proc) >= e.Idx
}
