package replay

import (
	"fmt"
	"slices"

	"fencepost/internal/ir"
	"fencepost/verdict"
)

// The list of transitions has everything that can happen next in a state: one
// transition per thread, edge, choice and buffer entry.

// machine is a program under a model.
type machine struct {
	p     *ir.Program
	model Model
	lead  int64 // bytes in front of what the program asked for, in all blocks of the heap
	// chosen is the choice of the witness step that is replayed, or nil. If a havoc has
	// too many values to list, only this one is tried.
	chosen *int64
	// kept are allocations of blocks that one thread alone can reach. It is set where accesses to these need not wait:
	// neither in the buffer nor for the end of an atomic section.
	kept map[ir.EdgeID]bool
	// recycles says that such a block may lie where one has ended.
	recycles bool
	// delays is 1 plus the only thread whose stores may wait, 0 if all may. See delaying.go.
	delays int
}

// atOnce reports whether all stores of a thread go to memory at once.
func (m *machine) atOnce(t int) bool { return m.model == SC || m.delays > 0 && m.delays != 1+t }

// alone reports whether an address is in a block that thread t alone can reach.
func (m *machine) alone(s *state, t int, addr uint64) bool {
	if len(m.kept) == 0 || !wasNewTo(addr, t) {
		return false // another thread's, or no block that was new to this one
	}
	for _, b := range s.blocks {
		if !b.freed && b.kept && addr-b.addr < uint64(max(b.size, 1)) {
			return true
		}
	}
	return false
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
		m := &machine{p: p, model: model}
		for _, f := range p.Funcs {
			for i := range f.Edges {
				if op := &f.Edges[i].Op; op.Kind == ir.Alloc && !op.Block.Stack {
					m.lead = op.Block.Lead // the same in all allocations of the heap
				}
			}
		}
		return m, nil
	default:
		return nil, fmt.Errorf("memory model %d is unknown", model)
	}
}

// label identifies a transition among all that are enabled in a state.
type label struct {
	thread int
	kind   verdict.StepKind
	edge   ir.EdgeID
	choice int64
	of     int // flush: the step that added the entry to the buffer; else -1
}

// record has what happened in a step, as the fields of verdict.Step.
type record struct {
	addr     uint64
	size     int
	value    int64
	written  int64
	wrote    bool
	buffered bool
	from     []int // load: per byte, 0 for memory, else 1 + the step of the forwarded store
	free     bool
	accesses []verdict.Access
	wakes    []int
}

// transition is an enabled step. A step at which a check fails has no next state,
// because it ends the program.
type transition struct {
	label
	record
	fail *violation
	next *state
}

// successors returns every transition that is enabled in s. now is the index that the
// next step has in a witness.
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

// successorsOf returns the transitions of one thread and of its buffer.
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
			if len(m.kept) > 0 {
				c.runApart()
			} else {
				c.run()
			}
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

// set assigns v to register r, unless r is NoReg.
func (th *thread) set(r ir.Reg, v int64) {
	if r == ir.NoReg {
		return
	}
	if th.regs[r] != v {
		th.regs = slices.Clone(th.regs)
		th.regs[r] = v
	}
	th.setUndefined(r, undefined{})
}

// setUndefined sets the undefined bits of a register.
func (th *thread) setUndefined(r ir.Reg, u undefined) {
	if th.undefined != nil && th.undefined[r] != u {
		th.undefined = slices.Clone(th.undefined)
		th.undefined[r] = u
	}
}
