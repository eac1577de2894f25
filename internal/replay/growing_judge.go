//go:build !fencepost_small

package replay

import (
	"encoding/binary"
	"errors"

	"fencepost/internal/ir"
	"fencepost/verdict"
)

// Coherent reports whether each location that the last step accesses has a modification order that is coherent and
// atomic; under SC, TSO and PSO, whether the model has an execution with these reads. If it is false, no execution that
// goes on from here is allowed.
func (x *Growing) Coherent() (bool, error) {
	if x.model != C11 {
		return x.consistent()
	}
	return x.coherent(), nil
}

// Allowed reports whether the axioms allow the execution.
func (x *Growing) Allowed() (bool, error) {
	if x.model != C11 {
		return true, nil // Coherent has seen to it
	}
	found := false
	err := x.Orders(func([][]int) bool {
		found = true
		return false
	})
	return found, err
}

// ErrLoop says that a loop may wait for ever.
var ErrLoop = errors.New("a loop may wait for ever")

// End returns what is wrong with an execution to which nothing can be added, "" if nothing is: a deadlock, a final
// state that decides the final condition, or a loop that waits. The error says what cannot be decided.
func (x *Growing) End() (string, error) {
	var open bool // something has not ended
	for t := range x.s.threads {
		open = open || x.s.threads[t].phase != unstarted && x.s.threads[t].phase != joined && !x.m.ended(x.s, t)
	}
	final := x.props.Final != nil && x.m.final(x.s)
	if !final && !(open && (x.props.Deadlock || x.props.Endless)) || x.s.over {
		return "", nil
	}
	wrong, failed := "", error(nil)
	visit := func(lasts []int) bool {
		wrong, failed = x.wrongEnd(x.with(lasts), final)
		return wrong == "" && failed == nil
	}
	var err error
	if x.model != C11 {
		err = x.lastWrites(x.matters(final), visit)
	} else {
		err = x.Orders(func(orders [][]int) bool {
			var lasts []int
			for _, o := range orders {
				lasts = append(lasts, o[len(o)-1])
			}
			return visit(lasts)
		})
	}
	return wrong, errors.Join(failed, err)
}

// wrongEnd says what is wrong with a last state.
func (x *Growing) wrongEnd(s *state, final bool) (string, error) {
	if final && s.decides(x.props.Final) {
		return "a final state decides the final condition " + x.props.Final.Cond.Text, nil
	}
	next, err := x.m.successors(s, 0)
	if err != nil {
		return "", err
	}
	if x.props.Deadlock && x.m.deadlocked(s, next) {
		return "a deadlock is reached", nil
	}
	if x.props.Endless && len(next) > 0 && !x.leaves(s) {
		return "", ErrLoop
	}
	return "", nil
}

// maxRound is the number of steps within which a thread comes back to where it was, or does something that others see.
const maxRound = 10_000

// leaves reports whether some thread, if it reads the last writes, does more than reading for ever. What it does to
// blocks that it alone can reach is not more.
func (x *Growing) leaves(s *state) bool {
	for t := range s.threads {
		now, seen := s, map[string]bool{}
		for range maxRound {
			next, err := x.m.successorsOf(now, t, 0)
			if err != nil || len(next) != 1 {
				if len(next) > 1 {
					return true // it may choose
				}
				break
			}
			tr := &next[0]
			stores := tr.kind == verdict.StepStore && !x.m.alone(now, t, tr.addr)
			if tr.fail != nil || tr.wrote || stores || othersSee(now, tr.next, t) {
				return true
			}
			now = tr.next
			key := now.key(false)
			if seen[key] {
				break
			}
			seen[key] = true
		}
	}
	return false
}

// othersSee reports whether a step of thread t changed anything but the state of the thread, and blocks that it alone can
// reach. Fences do not: a loop with one waits as one without does.
func othersSee(before, after *state, t int) bool {
	n, m := after.clone(), before.clone()
	n.threads[t] = before.threads[t]
	for _, s := range []*state{n, m} {
		shared := s.shared()
		s.words, s.blocks, s.undefined = shared.words, shared.blocks, nil
	}
	return n.key(false) != m.key(false)
}

// Key identifies what thread t has come to: two executions in which it is equal go on alike if the thread reads alike.
func (x *Growing) Key(t int) string {
	b := x.s.threads[t].appendKey(nil)
	for _, k := range x.s.blocks {
		if !x.private(t, k.addr) {
			continue
		}
		b = binary.AppendUvarint(b, k.addr)
		for i := range uint64(k.size) {
			mask, _ := x.s.undefinedAt(k.addr + i)
			b = append(b, x.s.byteAt(k.addr+i), mask)
		}
	}
	return string(b)
}

// Effect reports whether the last step, of thread t, did something that other threads may see.
func (x *Growing) Effect(t int) bool {
	for i := x.fresh; i < len(x.g.events); i++ {
		switch e := &x.g.events[i]; {
		case e.kind == 'R' || e.kind == 'F':
		case e.kind == 'W' && x.private(t, e.addr):
		default:
			return true
		}
	}
	return len(x.g.events) == x.fresh
}

// Wrote returns the location that the last step wrote.
func (x *Growing) Wrote() (event int, at Next, ok bool) {
	for i := x.fresh; i < len(x.g.events); i++ {
		if e := &x.g.events[i]; e.kind == 'W' {
			return i, Next{Does: Reads, Addr: e.addr, Size: int64(e.size)}, true
		}
	}
	return 0, Next{}, false
}

// CutOff returns the edge at which a bound of the program stops a thread, nil if there is none.
func (x *Growing) CutOff(t int) *ir.Edge {
	if x.s.over || !x.m.cutOff(x.s, t) {
		return nil
	}
	f := x.m.p.ThreadFunc(ir.ThreadID(t))
	return &f.Edges[f.Out(x.s.threads[t].loc)[0]]
}

// with returns the last state, in which memory holds what some writes have written.
func (x *Growing) with(lasts []int) *state {
	s := x.s.clone()
	for _, w := range lasts {
		last := &x.g.events[w]
		setContents(s, last.addr, x.g.values[part{last.step, last.addr, last.size}])
	}
	return s
}
