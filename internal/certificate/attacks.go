package certificate

import (
	"errors"
	"fmt"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/replay"
)

// The kind "attacks": the program is robust, that is, happens-before has no cycle in any execution.
//
// If there is a cycle in some execution, there is one in an execution of a simple shape [BDM13 Thm 1]: all stores reach
// memory at once, but for those of one thread, the attacker, from one of its stores on, the delayed store. The attacker
// reads memory (or, under PSO, another one of its stores reaches memory), and stops there. Whatever the other threads
// do then comes after this in happens-before, and in the end one of them accesses a byte of the delayed store. The proof
// is a set of states of such executions that is closed under the rules, and in which none comes to that end.
//
// Every step that is looked at is one of the model, so a cycle that is found is one. That none is missed rests on the
// theorem, which holds for the operations that attackable lets through: an attacker passes only loads, on which no
// other thread depends.
//
// Beyond the theorem: until the attacker has read memory, or one of its stores has reached it, only the attacker moves.
// No other thread sees what it does until then, nor does it see what they do, so their steps can come before the
// delayed store.

// The phases of an execution.
const (
	before   = iota // all stores reach memory at once
	delaying        // the stores of the attacker wait
	closing         // the attacker has stopped
)

// attack is a state of such an execution.
type attack struct {
	s        replay.State
	phase    int
	attacker int
	noticed  bool // delaying: the attacker has read memory, or one of its stores has reached it
	// Closing: what comes after the end of the delay in happens-before: the threads that have done such a thing, and the
	// bytes that were read and written by it. A byte that was written is not listed as read.
	after         []bool
	read, written bytesSet
	// Closing: what the atomic section of a thread that has done no such thing has read and written. A section is one
	// thing: if some of it comes after, all of it does.
	sectionRead, sectionWritten bytesSet
}

// bytesSet is a sorted list of addresses.
type bytesSet []uint64

func (b bytesSet) meets(spans []replay.Span) bool {
	for _, s := range spans {
		for k := range s.Size {
			if _, found := slices.BinarySearch(b, s.Addr+uint64(k)); found {
				return true
			}
		}
	}
	return false
}

func (b bytesSet) with(spans []replay.Span) bytesSet {
	out := slices.Clone(b)
	for _, s := range spans {
		for k := range s.Size {
			out = append(out, s.Addr+uint64(k))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (b bytesSet) without(c bytesSet) bytesSet {
	return slices.DeleteFunc(slices.Clone(b), func(a uint64) bool {
		_, found := slices.BinarySearch(c, a)
		return found
	})
}

func (b bytesSet) spans() []replay.Span {
	out := make([]replay.Span, len(b))
	for i, a := range b {
		out[i] = replay.Span{Addr: a, Size: 1}
	}
	return out
}

// attacks goes through the states. The checker and the search that makes certificates share it; they differ in reach.
type attacks struct {
	x     *replay.Delaying
	local *localRunner
	p     *ir.Program
	reach func(key string) error
	Covered
}

func newAttacks(p *ir.Program, model replay.Model) (*attacks, error) {
	props := &property.Set{}
	x, err := replay.NewDelaying(p, props, model)
	if err != nil {
		return nil, err
	}
	if err := attackable(x, p, model); err != nil {
		return nil, err
	}
	out := &attacks{x: x, p: p, local: newLocalRunner(x.Stepper, p, props, x.WatchesLoops()), Covered: Covered{Kind: KindAttacks, Cut: map[ir.EdgeID]bool{}}}
	out.local.stops = true
	return out, nil
}

// attackable returns an error if the theorem may not hold for a program.
func attackable(x *replay.Delaying, p *ir.Program, model replay.Model) error {
	no := func(e *ir.Edge, what string) error {
		return fmt.Errorf("there are no certificates of robustness of programs with %s (%s:%d)", what, e.Pos.File, e.Pos.Line)
	}
	if model != replay.TSO && model != replay.PSO {
		return fmt.Errorf("there are no certificates of robustness against %s", model)
	}
	if slices.ContainsFunc(p.Starters(), func(n int) bool { return n > 0 }) {
		return errors.New("there are no certificates of robustness of programs in which two threads can start the same third one")
	}
	for t := range p.Threads {
		f := p.ThreadFunc(ir.ThreadID(t))
		for i := range f.Edges {
			e := &f.Edges[i]
			switch op := &e.Op; op.Kind {
			case ir.Nop, ir.Assign, ir.Havoc, ir.Assume, ir.Assert, ir.Return, ir.ThreadExit, ir.Exit, ir.Bound, ir.Unsupported,
				ir.Load, ir.AbstractLoad, ir.Store, ir.Fence, ir.Spawn, ir.Join:
			case ir.Barrier, ir.Await, ir.RMW, ir.TryLock, ir.AtomicBegin, ir.AtomicEnd, ir.Lock, ir.Unlock:
				if model == replay.PSO && (op.Kind != ir.RMW || op.Cond != nil || op.RMW == ir.Cas) && dependsOnTwo(p, ir.ThreadID(t), op) {
					return no(e, "an operation that depends on stores of two threads under PSO")
				}
				if op.Loads {
					return no(e, "a load of 16 bytes")
				}
				if op.Mutex.Kind == ir.RecursiveMutex {
					return no(e, "a recursive mutex")
				}
			case ir.Alloc: // without a free, no other thread can tell when a block was allocated
			case ir.Free:
				if !op.Block.Stack || !x.Keeps() {
					return no(e, "memory that is given back")
				}
			default:
				return no(e, "the operation "+op.Kind.String())
			}
		}
	}
	return nil
}

// dependsOnTwo reports whether what an operation of a thread does may depend on values that two other threads store. Under PSO
// an attacker passes stores, so that its other steps may be needed for this operation, and those of a second attacker, too.
func dependsOnTwo(p *ir.Program, t ir.ThreadID, op *ir.Op) bool {
	if op.Kind == ir.AtomicBegin || op.Kind == ir.AtomicEnd { // whatever the section accesses
		return true
	}
	n := 0
	for u := range p.Threads {
		stores := func(e ir.Edge) bool { return e.Op.Kind == ir.Store && mayMeet(p, &e.Op, op) }
		if ir.ThreadID(u) != t && slices.ContainsFunc(p.ThreadFunc(ir.ThreadID(u)).Edges, stores) {
			n++
		}
	}
	return n > 1
}

// mayMeet reports whether a store and an operation may access the same byte.
func mayMeet(p *ir.Program, store, op *ir.Op) bool {
	if store.Obj != ir.NoObject && op.Obj != ir.NoObject && store.Obj != op.Obj {
		return false // an access to another object fails
	}
	a, fixed := constant(p, store.Addr)
	b, too := constant(p, op.Addr)
	const widest = 16 // bytes of an access, and of a mutex, condition or barrier
	return !fixed || !too || a < b+widest && b < a+widest
}

// constant returns the value of an expression that no thread can change.
func constant(p *ir.Program, e *ir.Expr) (uint64, bool) {
	fixed := true
	e.Walk(func(e *ir.Expr) { fixed = fixed && e.Op != ir.RegRef && e.Op != ir.Seen })
	if !fixed {
		return 0, false
	}
	return uint64(e.Eval(ir.Env{Prog: p})), true
}

// arrive reaches a state after local steps.
func (c *attacks) arrive(a attack) error {
	if a.phase == closing {
		c.local.fixed[a.attacker] = true
		defer func() { c.local.fixed[a.attacker] = false }()
	}
	s, err := c.local.runLocal(a.s)
	if err != nil {
		return err
	}
	if a.phase == delaying {
		s = c.x.Compressed(s, a.attacker)
	}
	a.s = s
	return c.reach(c.encode(&a))
}

func (c *attacks) begin() error { return c.arrive(attack{s: c.x.Initial(), attacker: -1}) }

// expand looks at what can come next.
func (c *attacks) expand(a attack) error {
	if e := c.x.CutOff(a.s); e != nil {
		c.Cut[e.ID] = true
	}
	for t := range c.p.Threads {
		if a.phase == delaying && !a.noticed && t != a.attacker || a.phase == closing && t == a.attacker {
			continue
		}
		next, err := c.x.Of(a.s, t, a.attacker)
		if err != nil {
			return err
		}
		for i := range next {
			h := &next[i]
			if h.Failed != nil && h.Failed.Class == ir.NotSupported {
				return refute(h.Failed)
			}
			if h.Failed != nil || h.Op.Kind == ir.Exit {
				continue // stops its thread; the others go on
			}
			switch {
			case a.phase == closing:
				err = c.close(&a, t, h)
			case a.phase == delaying && t == a.attacker:
				err = c.delay(&a, h)
			default:
				n := a
				n.s = h.To
				err = c.arrive(n)
			}
			if err != nil {
				return err
			}
		}
		if a.phase == before {
			if err := c.attack(&a, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// attack lets thread t delay a store.
func (c *attacks) attack(a *attack, t int) error {
	next, err := c.x.Of(a.s, t, t)
	if err != nil {
		return err
	}
	for i := range next {
		if h := &next[i]; h.Failed == nil && h.Waits {
			if err := c.arrive(attack{s: h.To, phase: delaying, attacker: t}); err != nil {
				return err
			}
		}
	}
	return nil
}

// delay lets the attacker go on while its stores wait.
func (c *attacks) delay(a *attack, h *replay.Happening) error {
	t := a.attacker
	n := *a
	n.s = h.To
	switch {
	case len(h.Writes) > 0 || h.Op.Kind == ir.Spawn || h.Op.Kind == ir.Join || h.Op.Kind == ir.AtomicBegin:
		return errors.New("an operation that waits for the stores of its thread did not")
	case len(h.Reads) > 0:
		n.noticed = true
		if err := c.stop(a, h.To, h.Reads, nil); err != nil {
			return err
		}
	case h.May:
		m := n
		m.s, m.noticed = c.x.Through(h.To, t), true
		if err := c.stop(a, m.s, nil, []replay.Span{h.Stored}); err != nil {
			return err
		}
		if err := c.arrive(m); err != nil {
			return err
		}
	}
	return c.arrive(n)
}

// stop ends the delay: the last step of the attacker reads or writes these bytes.
func (c *attacks) stop(a *attack, s replay.State, read, written []replay.Span) error {
	return c.arrive(attack{
		s: c.x.Stopped(s, a.attacker), phase: closing, attacker: a.attacker, after: make([]bool, len(c.p.Threads)),
		read: bytesSet{}.with(read), written: bytesSet{}.with(written),
	})
}

// close lets thread t go on after the attacker has stopped. What does not come after the end of the delay could have
// come before it, and is left out.
func (c *attacks) close(a *attack, t int, h *replay.Happening) error {
	n := *a
	n.s = h.To
	section := c.x.Holder(a.s) == t
	after := a.after[t] || a.written.meets(h.Reads) || a.written.meets(h.Writes) || a.read.meets(h.Writes) || h.Op.Kind == ir.Join && a.after[h.Other]
	read, written := h.Reads, h.Writes
	switch {
	case !after && section:
		if h.Op.Kind == ir.Spawn || h.Op.Kind == ir.Join || h.Op.Kind == ir.Barrier {
			return fmt.Errorf("there are no certificates of robustness of programs with the operation %s in an atomic section", h.Op.Kind)
		}
		if h.Op.Kind == ir.AtomicEnd {
			return nil
		}
		n.sectionRead, n.sectionWritten = a.sectionRead.with(read), a.sectionWritten.with(written)
		return c.arrive(n)
	case !after && (len(read) > 0 || len(written) > 0 || h.Op.Kind == ir.Spawn || h.Op.Kind == ir.Join):
		return nil
	case !after:
		return c.arrive(n)
	}
	n.after = slices.Clone(a.after)
	n.after[t] = true
	if h.Op.Kind == ir.Spawn {
		n.after[h.Other] = true
	}
	for _, u := range h.Wakes {
		n.after[u] = true
	}
	if section {
		read, written = append(a.sectionRead.spans(), read...), append(a.sectionWritten.spans(), written...)
		n.sectionRead, n.sectionWritten = nil, nil
	}
	delayed, ok := c.x.Delayed(a.s, a.attacker)
	if !ok {
		return errNoAttack
	}
	if e := (bytesSet{}).with([]replay.Span{delayed}); e.meets(read) || e.meets(written) {
		return &Refuted{What: fmt.Sprintf("happens-before has a cycle: thread %s delays a store, and thread %s accesses it", c.p.Threads[a.attacker].Name, c.p.Threads[t].Name), Edge: h.Edge}
	}
	n.written = a.written.with(written)
	n.read = a.read.with(read).without(n.written)
	return c.arrive(n)
}

var errNoAttack = errors.New("a state of the proof is not one of an attack")
