package explore

import (
	"cmp"
	"fmt"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/replay"
	"fencepost/verdict"
)

// maxCompared is how many bytes of an object are compared.
const maxCompared = 4096

// agree replays the execution with the second implementation of the models, and compares the state after it: memory,
// buffers, registers and locations of threads, and the steps that are possible.
func (w *walk) agree() error {
	m, err := replay.ParseModel(w.model.String())
	if err != nil {
		return err
	}
	s := w.rec.State()
	if f, failed := s.Fault(); failed {
		want := replay.Expect{Target: replay.TargetCheck, Class: f.Class, Edge: ir.NoEdge}
		if f.Edge != nil {
			want.Edge = f.Edge.ID
		}
		return replay.Replay(w.flat, w.p.Props, m, w.rec.Witness(), want)
	}
	x, err := replay.After(w.flat, m, w.rec.Witness())
	if err != nil {
		return err
	}
	for t := range x.Threads {
		if err := w.sameThread(t, &x.Threads[t]); err != nil {
			return fmt.Errorf("thread %s: %w", w.flat.Threads[t].Name, err)
		}
	}
	for i := range w.flat.Objects {
		o := &w.flat.Objects[i]
		for off := range uint64(min(o.Size, maxCompared)) {
			if a, b := w.y.ReadRaw(s, o.Addr+off, 1), x.Memory(o.Addr+off, 1); a != b {
				return fmt.Errorf("byte %d of %s: %d, replay has %d", off, o.Name, a, b)
			}
		}
	}
	return w.sameSteps(x)
}

func (w *walk) sameThread(t int, x *replay.ThreadSnapshot) error {
	id, s := ir.ThreadID(t), w.rec.State()
	if s.Started(id) != x.Started {
		return fmt.Errorf("started: %v, replay has %v", s.Started(id), x.Started)
	}
	if s.PC(id) != x.Loc {
		return fmt.Errorf("location %d, replay has %d", s.PC(id), x.Loc)
	}
	for r, want := range x.Regs {
		if got := w.y.Reg(s, id, ir.Reg(r)); got != want {
			return fmt.Errorf("register %d: %d, replay has %d", r, got, want)
		}
	}
	var have []replay.EntrySnapshot
	for _, e := range s.Buffer(id) {
		switch e.Kind {
		case memory.StoreEntry:
			have = append(have, replay.EntrySnapshot{Addr: e.Addr, Size: int(e.Size), Value: w.rec.Witness().Steps[e.Tag].Value, Step: int(e.Tag)})
		case memory.FreeEntry:
			have = append(have, replay.EntrySnapshot{Addr: e.Addr, Step: int(e.Tag)})
		}
	}
	want := slices.Clone(x.Buffer)
	if w.model == memory.PSO { // where the order of entries for different cells means nothing
		byStep := func(a, b replay.EntrySnapshot) int { return cmp.Compare(a.Step, b.Step) }
		slices.SortFunc(have, byStep)
		slices.SortFunc(want, byStep)
	}
	if !slices.Equal(have, want) {
		return fmt.Errorf("store buffer %v, replay has %v", have, want)
	}
	return nil
}

// sameSteps compares the steps that are possible.
func (w *walk) sameSteps(x *replay.Snapshot) error {
	type key struct {
		thread int
		kind   verdict.StepKind
		edge   int
		choice int64
		of     int
	}
	keyOf := func(s *verdict.Step) key { return key{s.Thread, s.Kind, s.Edge, s.Choice, s.Of} }
	s := w.rec.State()
	have := map[key]bool{}
	s.Err = nil
	for _, st := range w.y.Enabled(s, nil) {
		one := w.rec.Preview(st)
		have[keyOf(&one)] = true
	}
	open := s.Err != nil
	s.Err = nil
	if open || x.Open {
		return nil
	}
	for i := range x.Next {
		k := keyOf(&x.Next[i])
		if !have[k] {
			return fmt.Errorf("replay has a step that is not possible here: %+v", k)
		}
		delete(have, k)
	}
	for k := range have {
		return fmt.Errorf("a step is possible that replay does not have: %+v", k)
	}
	return nil
}
