package robust

import (
	"bytes"
	"fmt"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/search"
	"fencepost/internal/trace"
)

// From a path of the search to an execution of the model [BDM13 Thm 2]: all stores
// reach memory at once, except the attacker's from the delayed one on, which do so
// at the end, in order. Under PSO those of the latter that do not wait reach memory
// at once, too.

// violation rebuilds the execution of an attack. Its happens-before relation
// must have a cycle.
func violation(p *ir.Program, x *explorer, res *search.Result, f search.Finding) (engine.Violation, error) {
	b := &rebuilder{x: x, real: memory.New(p, x.y.Model, memory.Options{})}
	b.w = engine.NewRecorder(b.real)
	x.recording = true
	x.s = x.y.NewState()
	x.s.Record = true
	for i, state := range res.Path(f) {
		if err := b.reach(state, i == 0); err != nil {
			return engine.Violation{}, err
		}
	}
	if err := b.finish(f.Key); err != nil {
		return engine.Violation{}, err
	}
	w := b.w.Witness()
	if trace.New(p, w).Cycle() == nil {
		return engine.Violation{}, fmt.Errorf("the execution of an attack has no cycle in its happens-before relation")
	}
	v := engine.Violation{Kind: engine.Attack, StoreStep: b.store, LoadStep: b.load, Witness: w, Open: !b.w.State().Drained()}
	v.Edge, v.Load = ir.EdgeID(w.Steps[b.store].Edge), ir.EdgeID(w.Steps[b.load].Edge)
	if fault, failed := b.w.State().Fault(); failed {
		v.Class = fault.Class
	}
	return v, nil
}

// rebuilder finds the steps between stored states and runs them under the model.
type rebuilder struct {
	x        *explorer
	real     *memory.System
	w        *engine.Recorder
	attacker int // thread whose stores are delayed, 1 + index; 0: none yet
	store    int // step of the witness that is delayed
	load     int // and the one it is delayed past
}

// reach finds the successor with a key, and takes its steps.
func (b *rebuilder) reach(state []byte, first bool) error {
	var way *successor
	var at []byte // the state with the threads as they are
	b.x.found = func(*attack, successor) {}
	b.x.emit = func(a *attack, s successor) {
		if way == nil && bytes.Equal(b.x.encode(b.x.s, a, nil), state) {
			c := s
			c.steps = append([]memory.Step(nil), s.steps...)
			way = &c
			b.x.exact = true
			at = b.x.encode(b.x.s, a, nil)
			b.x.exact = false
		}
	}
	if first {
		b.x.initial()
	} else {
		b.x.expand()
	}
	if way == nil {
		return fmt.Errorf("no step leads on in the path to an attack")
	}
	b.take(*way)
	b.x.decode(b.x.s, &b.x.a, at)
	return nil
}

// finish takes the step that closes the cycle, then lets the delayed stores go.
func (b *rebuilder) finish(key string) error {
	var way *successor
	b.x.emit = func(*attack, successor) {}
	b.x.found = func(a *attack, s successor) {
		if way == nil && b.x.attackKey(a) == key {
			way = &s
		}
	}
	b.x.expand()
	if way == nil {
		return fmt.Errorf("no step closes the cycle of an attack")
	}
	b.take(*way)
	if holder := b.w.State().Holder(); holder >= 0 {
		for _, st := range b.leave(holder) {
			b.w.Step(st)
		}
	}
	if b.w.State().Holder() < 0 {
		b.flush(b.attacker - 1)
	}
	return nil
}

// flush lets all stores of a thread reach memory, the oldest first, up to one that fails because
// its block is gone.
func (b *rebuilder) flush(t int) {
	for {
		buffer, oldest := b.w.State().Buffer(ir.ThreadID(t)), -1
		for i := range buffer {
			if buffer[i].Kind != memory.Marker && (oldest < 0 || buffer[i].Tag < buffer[oldest].Tag) {
				oldest = i
			}
		}
		if _, failed := b.w.State().Fault(); failed || oldest < 0 {
			return
		}
		b.w.Step(memory.Step{Thread: int32(t), Kind: memory.Flush, Index: int32(oldest)})
	}
}

// flushNewest lets the store of the attacker's last step reach memory, if older ones do not hold it
// back.
func (b *rebuilder) flushNewest() {
	s, t := b.w.State(), b.attacker-1
	newest := int32(len(b.w.Witness().Steps) - 1)
	for _, st := range b.real.EnabledThread(s, t, nil) {
		if st.Kind == memory.Flush && s.Buffer(ir.ThreadID(t))[st.Index].Tag == newest {
			b.w.Step(st)
			return
		}
	}
}

// maxLeave bounds the steps looked at for the end of a section.
const maxLeave = 10000

// leave is the steps by which a thread comes to the end of its section, or nil if
// none were found: then the execution ends inside, with stores pending.
func (b *rebuilder) leave(holder int) []memory.Step {
	s, left := b.w.State(), maxLeave
	var path []memory.Step
	var walk func() bool
	walk = func() bool {
		if s.Holder() < 0 {
			return true
		}
		for _, st := range b.real.EnabledEdges(s, holder, nil) {
			if left--; left < 0 {
				return false
			}
			mark := s.Mark()
			b.real.Apply(s, st)
			path = append(path, st)
			_, failed := s.Fault()
			ok := !failed && !s.Over() && walk()
			s.Undo(mark)
			if ok {
				return true
			}
			path = path[:len(path)-1]
		}
		return false
	}
	if !walk() {
		return nil
	}
	return path
}

func (b *rebuilder) take(s successor) {
	for i, st := range s.steps {
		if i == 0 && s.delay {
			b.attacker, b.store = int(st.Thread)+1, len(b.w.Witness().Steps)
		}
		if i == 0 && s.stop {
			b.load = len(b.w.Witness().Steps)
		}
		b.w.Step(st)
		switch {
		case int(st.Thread)+1 != b.attacker:
			b.flush(int(st.Thread))
		case b.real.Model == memory.PSO && !(i == 0 && (s.delay || s.hold)):
			b.flushNewest()
		}
	}
}
