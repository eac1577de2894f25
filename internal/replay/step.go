package replay

import (
	"fmt"

	"fencepost/internal/ir"
	"fencepost/verdict"
)

// The list of transitions: everything that can happen next in a state, one
// element per thread, edge, choice and buffer entry.

// machine is a program under a model.
type machine struct {
	p     *ir.Program
	model Model
	// chosen is the value the step that is followed has picked, if one is: of a havoc
	// with too many values to list it is the only one looked at.
	chosen *int64
}

func newMachine(p *ir.Program, model Model) (*machine, error) {
	if p.Form != ir.Flat {
		return nil, fmt.Errorf("program %s is in %s form, replay needs flat", p.Name, p.Form)
	}
	for _, t := range p.Threads {
		if t.Unbounded {
			return nil, fmt.Errorf("thread %s stands for any number of threads, replay needs a fixed number", t.Name)
		}
	}
	switch model {
	case SC, TSO, PSO:
		return &machine{p: p, model: model}, nil
	default:
		return nil, fmt.Errorf("memory model %d is unknown", model)
	}
}

// label identifies a transition among those enabled in a state.
type label struct {
	thread int
	kind   verdict.StepKind
	edge   ir.EdgeID
	choice int64
	of     int // flush: the step that made the entry; else -1
}

// record is what happened, in the terms of verdict.Step.
type record struct {
	addr     uint64
	size     int
	value    int64
	written  int64
	wrote    bool
	buffered bool
	from     []int // load: per byte, 0 memory, else 1 + the step of the own buffered store
	free     bool
	touches  []verdict.Access
	wakes    []int
}

// transition is a step that is enabled. A step at which a check fails has no next
// state: the program is over.
type transition struct {
	label
	record
	fail *violation
	next *state
}

// successors lists every transition enabled in s. now is the index the next
// step has in a witness.
func (m *machine) successors(s *state, now int) ([]transition, error) {
	var out []transition
	for t := range s.threads {
		more, err := m.successorsOf(s, t, now)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

// successorsOf lists the transitions of one thread and of its buffer.
func (m *machine) successorsOf(s *state, t, now int) ([]transition, error) {
	if s.over {
		return nil, nil
	}
	out := m.flushes(s, t)
	th := &s.threads[t]
	f := m.p.ThreadFunc(ir.ThreadID(t))
	switch th.phase {
	case unstarted, atBarrier, joined:
	case waiting:
		c := m.turn(s, t, &f.Edges[th.edge], now)
		c.wake()
		out = append(out, c.out...)
	case woken:
		c := m.turn(s, t, &f.Edges[th.edge], now)
		c.relock()
		out = append(out, c.out...)
	case running:
		for _, i := range f.Out(th.loc) {
			c := m.turn(s, t, &f.Edges[i], now)
			c.index = i
			c.run()
			if c.err != nil {
				return nil, c.err
			}
			out = append(out, c.out...)
		}
	default:
		panic(fmt.Sprintf("BUG: unknown phase %d", th.phase))
	}
	return out, nil
}

// turn is a thread about to take an edge.
type turn struct {
	*machine
	s     *state
	t     int
	th    *thread // of s: never changed
	edge  *ir.Edge
	index int32 // of edge
	op    *ir.Op
	now   int
	out   []transition
	err   error
}

func (m *machine) turn(s *state, t int, e *ir.Edge, now int) *turn {
	return &turn{machine: m, s: s, t: t, th: &s.threads[t], edge: e, op: &e.Op, now: now}
}

// run lists what the edge can do.
func (c *turn) run() {
	switch c.op.Kind {
	case ir.Nop:
		c.exec(0, record{}, nil)
	case ir.Assign:
		c.execDst(0, c.eval(c.op.Val))
	case ir.Havoc:
		c.havoc()
	case ir.Assume:
		if c.eval(c.op.Val) != 0 {
			c.exec(0, record{}, nil)
		}
	case ir.Assert:
		if c.eval(c.op.Val) != 0 {
			c.exec(0, record{}, nil)
		} else {
			c.fail(record{}, &violation{c.op.Class, c.op.Msg})
		}
	case ir.Return, ir.ThreadExit:
		c.finish()
	case ir.Exit:
		c.exec(0, record{}, func(n *state, _ *thread) { n.over = true })
	case ir.Bound:
	case ir.Load, ir.Await, ir.AbstractLoad:
		c.load()
	case ir.Store:
		c.store()
	case ir.Fence:
		c.fence()
	default:
		// None of the others can run while another thread is inside a section.
		if c.s.holder < 0 || c.s.holder == c.t {
			c.runShared()
		}
	}
}

// runShared lists what an operation can do that a section of another thread
// keeps out.
func (c *turn) runShared() {
	switch c.op.Kind {
	case ir.RMW:
		c.rmw()
	case ir.Lock, ir.TryLock:
		c.lock()
	case ir.Unlock:
		c.unlock()
	case ir.CondWait:
		c.condWait()
	case ir.Signal, ir.Broadcast:
		c.signal()
	case ir.Barrier:
		c.barrier()
	case ir.Spawn:
		c.spawn()
	case ir.Join:
		c.join()
	case ir.Alloc:
		c.alloc()
	case ir.Free:
		c.free()
	case ir.AtomicBegin:
		if c.drained() && c.s.holder < 0 {
			c.exec(0, record{}, func(n *state, _ *thread) { n.holder = c.t })
		}
	case ir.AtomicEnd:
		if c.drained() && c.s.holder == c.t {
			c.exec(0, record{}, func(n *state, _ *thread) { n.holder = -1 })
		}
	default:
		panic(fmt.Sprintf("BUG: %s in a flat program", c.op.Kind))
	}
}

// finish records the result of a thread. That the location it goes to has no
// way out is what ends it.
func (c *turn) finish() {
	var v int64
	if c.op.Val != nil {
		v = c.eval(c.op.Val)
	}
	c.exec(0, record{value: v}, func(_ *state, th *thread) { th.result = v })
}

func (c *turn) env() ir.Env { return ir.Env{Regs: c.th.regs, Prog: c.p} }

func (c *turn) eval(e *ir.Expr) int64 { return e.Eval(c.env()) }

func (c *turn) evalSeen(e *ir.Expr, seen int64) int64 {
	env := c.env()
	env.Seen = seen
	return e.Eval(env)
}

// drained reports whether all own stores have reached memory.
func (c *turn) drained() bool { return len(c.th.buf) == 0 }

// direct reports whether stores of this thread go straight to memory: always
// under SC, and inside an own section, where nobody could tell.
func (c *turn) direct() bool { return c.model == SC || c.s.holder == c.t }

// stay adds a step that changes the state as effect says and does not move the
// thread.
func (c *turn) stay(kind verdict.StepKind, choice int64, r record, effect func(n *state, th *thread)) {
	n := c.s.clone()
	if effect != nil {
		effect(n, &n.threads[c.t])
	}
	c.out = append(c.out, transition{
		label:  label{thread: c.t, kind: kind, edge: c.edge.ID, choice: choice, of: -1},
		record: r,
		next:   n,
	})
}

// step is stay and moves the thread along the edge.
func (c *turn) step(kind verdict.StepKind, choice int64, r record, effect func(n *state, th *thread)) {
	c.stay(kind, choice, r, func(n *state, th *thread) {
		th.loc = c.edge.To
		if effect != nil {
			effect(n, th)
		}
	})
}

// exec is a step that touches no memory, or whose effect needs no more words.
func (c *turn) exec(choice int64, r record, effect func(n *state, th *thread)) {
	c.step(verdict.StepExec, choice, r, effect)
}

// execDst is exec that puts v into Dst.
func (c *turn) execDst(choice, v int64) {
	c.exec(choice, record{value: v}, func(_ *state, th *thread) { th.set(c.op.Dst, v) })
}

// fail adds a step at which a check fails.
func (c *turn) fail(r record, v *violation) {
	c.out = append(c.out, transition{
		label:  label{thread: c.t, kind: verdict.StepFail, edge: c.edge.ID, of: -1},
		record: r,
		fail:   v,
	})
}

// valid checks an access of the operation and adds the failing step if it is not
// allowed.
func (c *turn) valid(obj ir.ObjectID, addr uint64, size int) bool {
	v := c.check(c.s, c.th.buf, obj, addr, size)
	if v != nil {
		c.fail(record{addr: addr, size: size}, v)
	}
	return v == nil
}

// writable checks that a store or read-modify-write goes to no read-only object, and
// adds the failing step if it does.
func (c *turn) writable(addr uint64, size int) bool {
	o := c.p.FindObject(addr, size)
	if o == ir.NoObject || !c.p.Objects[o].ReadOnly {
		return true
	}
	c.fail(record{addr: addr, size: size}, &violation{ir.ReadOnly, fmt.Sprintf("%s is read-only", c.p.Objects[o].Name)})
	return false
}

// set assigns a register; an absent one takes nothing.
func (th *thread) set(r ir.Reg, v int64) {
	if r != ir.NoReg {
		th.regs[r] = v
	}
}
