package replay

import (
	"errors"

	"fencepost/internal/ir"
	"fencepost/verdict"
)

// Snapshot is the state after a witness, for comparisons with the states of package memory.
type Snapshot struct {
	Threads []ThreadSnapshot
	// Next lists the transitions that are enabled, by what identifies them. Open says that they cannot be listed,
	// because a choice has too many values.
	Next []verdict.Step
	Open bool
	s    *state
}

// ThreadSnapshot is a thread in a snapshot.
type ThreadSnapshot struct {
	Started bool
	Loc     ir.Loc
	Regs    []int64
	Buffer  []EntrySnapshot
}

// EntrySnapshot is an entry of a store buffer: a store, or a free if Size is 0. Markers are not listed.
type EntrySnapshot struct {
	Addr  uint64
	Size  int
	Value int64
	Step  int // of the witness, which made the entry
}

// Memory returns bytes of memory as a little-endian number.
func (x *Snapshot) Memory(addr uint64, size int) uint64 { return x.s.read(addr, size) }

// After replays a witness in which no check fails and returns the state after it.
func After(p *ir.Program, model Model, w *verdict.Witness) (*Snapshot, error) {
	m, err := newMachine(p, model)
	if err != nil {
		return nil, err
	}
	s := initial(p)
	for i := range w.Steps {
		tr, err := m.replayStep(s, i, &w.Steps[i])
		if err != nil {
			return nil, err
		}
		if tr.fail != nil {
			return nil, errors.New("end: expected a state, computed a failed check: " + tr.fail.class.String())
		}
		s = tr.next
	}
	out := &Snapshot{s: s}
	for i := range s.threads {
		th := &s.threads[i]
		one := ThreadSnapshot{Started: th.phase != unstarted, Loc: th.loc, Regs: th.regs}
		for _, e := range th.buf {
			switch e.kind {
			case storeEntry:
				one.Buffer = append(one.Buffer, EntrySnapshot{Addr: e.addr, Size: e.size, Value: e.value, Step: e.step})
			case freeEntry:
				one.Buffer = append(one.Buffer, EntrySnapshot{Addr: e.addr, Step: e.step})
			}
		}
		out.Threads = append(out.Threads, one)
	}
	next, err := m.successors(s, len(w.Steps))
	if errors.Is(err, ErrUnbounded) {
		out.Open = true
		return out, nil
	}
	for _, tr := range next {
		if tr.fail != nil && tr.fail.class == ir.NotSupported {
			continue // an operation that package memory does not enable
		}
		out.Next = append(out.Next, verdict.Step{Thread: tr.thread, Kind: tr.kind, Edge: int(tr.edge), Choice: tr.choice, Of: tr.of})
	}
	return out, err
}
