package explicit

import (
	"context"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/search"
)

// States for others. Engine mover proposes invariants that hold in all states of small instances.
// It needs the states themselves, at every location and with every register, so nothing is
// reduced here: local steps are steps, and no register is ever dead.

// View is a state that Visit shows. It is valid until the function that it was given to returns.
type View struct {
	y *memory.System
	s *memory.State
}

// At returns the location of a thread, or false if the thread has not been started.
func (v View) At(t ir.ThreadID) (ir.Loc, bool) { return v.s.PC(t), v.s.Started(t) }

// Reg returns the value of a register.
func (v View) Reg(t ir.ThreadID, r ir.Reg) int64 { return v.y.Reg(v.s, t, r) }

// Read returns the value that memory holds at an address.
func (v View) Read(addr uint64, typ ir.Type) int64 { return v.y.Read(v.s, addr, typ) }

// Lives reports whether a block that was allocated and is not freed begins at an address.
func (v View) Lives(addr uint64) bool { return v.s.Lives(addr) }

// Visit calls show with reachable states of a flat program under SC: with all of them if there are
// at most limit, and otherwise with the states that the fewest steps reach. It leaves out states in which
// a thread is inside an atomic section. It reports whether these were all states. Executions end
// where a check fails.
func Visit(ctx context.Context, p *ir.Program, limit int64, show func(View)) (all bool) {
	y := memory.New(p, memory.SC, memory.Options{Keep: func(ir.ThreadID, ir.Reg) bool { return true }})
	w := &visitor{y: y, s: y.NewState(), c: y.Codec(), show: show}
	res := search.Run(ctx, search.Problem{Worker: func() search.Worker { return w }, Workers: 1, States: limit})
	return res.Stop == search.Complete
}

// visitor expands states without reductions.
type visitor struct {
	y     *memory.System
	s     *memory.State
	c     *memory.Codec
	show  func(View)
	steps []memory.Step
	code  []byte
}

// Start adds the initial state.
func (w *visitor) Start(out *search.Sink) { w.add(out) }

// Expand shows a state and adds its successors.
func (w *visitor) Expand(state []byte, out *search.Sink) {
	w.c.Decode(w.s, state)
	if w.s.Holder() < 0 {
		w.show(View{w.y, w.s})
	}
	w.steps = w.y.Enabled(w.s, w.steps[:0])
	for _, st := range w.steps {
		mark := w.s.Mark()
		w.y.Apply(w.s, st)
		w.add(out)
		w.s.Undo(mark)
	}
	if w.s.Err != nil {
		out.Fail(w.s.Err)
	}
}

func (w *visitor) add(out *search.Sink) {
	if w.s.Err == nil && !w.s.Faulted() && !w.s.Over() {
		w.code = w.c.Encode(w.s, w.code[:0])
		out.Add(w.code)
	}
}
