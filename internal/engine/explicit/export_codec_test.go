package explicit

import (
	"bytes"
	"fmt"

	"fencepost/internal/engine"
	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/memory/reduce"
	"fencepost/internal/search"
)

// CheckKeys searches a task without checking anything, and compares each key that is made from the key before with that
// of a codec that encodes the state as a whole: after a step, after the eager steps, and after the undo of both. It
// compares each state that was unpacked over another one with the same state unpacked anew. It returns how many states
// there were, at most about most.
func CheckKeys(task *engine.Task, most int) (int, error) {
	x := &keyChecker{y: compile(task, !task.NoReduction, nil), seen: map[string]bool{}}
	x.in = internerFor(x.y)
	x.s, x.c, x.whole = x.y.mem.NewState(), newCodec(x.y, x.in), newCodec(x.y, x.in)
	eager := reduce.NewRunner(x.y.plan)
	eager.RunAll(x.s, x.visit)
	for n := 0; n < len(x.queue) && n < most && x.err == nil; n++ {
		x.unpack(x.queue[n])
		for _, st := range x.y.mem.Enabled(x.s, nil) {
			mark := x.s.Mark()
			x.y.mem.Apply(x.s, st)
			x.pack()
			eager.Run(x.s, int(st.Thread), x.visit)
			x.s.Undo(mark)
			if key := x.pack(); !bytes.Equal(key, x.queue[n]) {
				x.failf("after the undo of %+v the key is %v instead of %v", st, key, x.queue[n])
			}
		}
	}
	return len(x.queue), x.err
}

type keyChecker struct {
	y        *system
	in       *search.Interner
	s        *memory.State
	c, whole *codec
	seen     map[string]bool
	queue    [][]byte
	err      error
}

func (x *keyChecker) failf(format string, args ...any) {
	if x.err == nil {
		x.err = fmt.Errorf(format, args...)
	}
}

// pack makes the key of the state, unless it has failed or exited.
func (x *keyChecker) pack() []byte {
	if x.s.Faulted() || x.s.Over() || x.err != nil || x.s.Err != nil {
		return nil
	}
	key := x.c.pack(x.s, nil)
	if whole := x.whole.packWhole(x.s, nil); !bytes.Equal(key, whole) {
		x.failf("the key is %v instead of %v", key, whole)
	}
	return key
}

func (x *keyChecker) visit() {
	if key := x.pack(); key != nil && !x.seen[string(key)] {
		x.seen[string(key)] = true
		x.queue = append(x.queue, key)
	}
}

// unpack unpacks over the last state, and anew into another.
func (x *keyChecker) unpack(key []byte) {
	x.c.unpack(x.s, key)
	anew, s := newCodec(x.y, x.in), x.y.mem.NewState()
	anew.unpack(s, key)
	if got := x.pack(); !bytes.Equal(got, key) {
		x.failf("the key of an unpacked state is %v instead of %v", got, key)
	}
	if s.Holder() != x.s.Holder() {
		x.failf("thread %d holds the section instead of %d", x.s.Holder(), s.Holder())
	}
	for t := range x.y.mem.Threads() {
		th := ir.ThreadID(t)
		if x.s.PC(th) != s.PC(th) || x.s.Running(th) != s.Running(th) || fmt.Sprint(x.s.Buffer(th)) != fmt.Sprint(s.Buffer(th)) {
			x.failf("thread %d is at %d instead of %d, or its buffer differs", t, x.s.PC(th), s.PC(th))
		}
		for r := range x.y.mem.Prog.ThreadFunc(th).Regs {
			if got, want := x.y.mem.Reg(x.s, th, ir.Reg(r)), x.y.mem.Reg(s, th, ir.Reg(r)); got != want {
				x.failf("register %d of thread %d is %d instead of %d", r, t, got, want)
			}
		}
	}
	for _, b := range x.y.mem.Blocks(s) {
		for at := range uint64(b.Size) {
			if got, want := x.y.mem.ReadRaw(x.s, b.Addr+at, 1), x.y.mem.ReadRaw(s, b.Addr+at, 1); got != want {
				x.failf("byte %d of a block is %d instead of %d", at, got, want)
			}
		}
	}
	if got, want := fmt.Sprint(x.y.mem.Enabled(x.s, nil)), fmt.Sprint(x.y.mem.Enabled(s, nil)); got != want {
		x.failf("enabled are %s instead of %s", got, want)
	}
}

// Groups counts the groups of symmetric threads of a task.
func Groups(task *engine.Task) int { return len(symmetric(task)) }
