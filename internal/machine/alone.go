package machine

import (
	"math/bits"

	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// Set-up before any other thread starts: constructors, memory that is filled, tables that are built. A thread that is
// alone reads what it wrote, so a loop without choices goes round as often in every execution, and that many rounds
// cost what they take and nothing more. They do not count against the bound of loops.

// mostAlone bounds the rounds of a loop that are not counted: a loop need not end.
const mostAlone = 1 << 12

// alone reports whether no other thread has started.
func (m *Machine) alone(t int) bool {
	for u := range m.Threads.Now {
		if u != t && m.State.Started(ir.ThreadID(u)) {
			return false
		}
	}
	return true
}

// wasHere reports whether the program is in the state of one or two rounds ago: a thread that is alone and has no choice never
// leaves such a loop. States after 1, 2, 4, 8 rounds and so on are kept for that, since they can be large.
func (m *Machine) wasHere(now *loopState) bool {
	last := int32(1) << (bits.Len32(uint32(now.free)) - 1)
	switch now.free - last {
	case 0:
		now.whole = string(m.Sys.Codec().Encode(m.State, nil))
	case 1, 2:
		return now.whole == string(m.Sys.Codec().Encode(m.State, nil))
	}
	return false
}

// choosing returns, by loop, whether something in it is chosen.
func choosing(f *ir.Func, l *analysis.Loops) []bool {
	out := make([]bool, len(l.Heads))
	for at := range f.Locs {
		if len(l.Around[at]) == 0 || !chooses(f, ir.Loc(at)) {
			continue
		}
		for _, loop := range l.Around[at] {
			out[loop] = true
		}
	}
	return out
}

// chooses reports whether a thread that is alone may have several ways to go on from a location.
func chooses(f *ir.Func, at ir.Loc) bool {
	for _, i := range f.Out(at) {
		switch f.Edges[i].Op.Kind {
		case ir.Havoc, ir.AbstractLoad, ir.CondWait:
			return true
		case ir.Assume:
		default:
			if len(f.Out(at)) > 1 {
				return true
			}
		}
	}
	return false
}
