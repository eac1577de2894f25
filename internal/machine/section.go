package machine

import (
	"errors"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
)

// Atomic sections. A section is one event: it drains the buffer, no other thread accesses memory
// while it lasts, and its accesses are the accesses of the event. The choices inside it are part of
// the label. A section that cannot be finished, because of an assumption, an await or a loop inside, is
// taken back: the event consists of the section's reads, and the thread stops after it. No
// execution is lost, since the other threads can still do everything they could do before the
// section began.

// A label has room for maxInner choices inside a section, of maxAlternatives alternatives each.
const (
	maxInner        = 8
	maxAlternatives = 15
)

// section performs a section from AtomicBegin to AtomicEnd.
func (m *Machine) section(t int, st memory.Step, e *Event) {
	e.Flags |= Varies
	if m.Sys.Model != memory.SC {
		e.Flags |= Drains
	}
	begin, steps := m.Mark(), len(m.Steps)
	takeBack := func(why Stop) {
		m.Undo(begin)
		if !m.Dry {
			m.Steps = m.Steps[:steps]
		}
		m.Issued = m.Issued[:0]
		m.Reached = m.Reached[:0]
		m.Threads.setStop(t, why)
		e.Flags |= Ends
		for i := range e.Size() {
			e.At(i).Mode &^= Writes
		}
	}
	if !m.apply(t, st) {
		panic("BUG: a section does not begin")
	}
	m.Choices, m.Inside = m.Choices[:0], m.Inside[:0]
	inner, digits := e.Label.Inner, uint32(0)
	for depth := 0; m.State.Holder() == t; {
		m.Enabled = m.Sys.EnabledEdges(m.State, t, m.Enabled[:0])
		if m.opt.Stores {
			m.takeBlock(t)
		}
		if len(m.Enabled) == 0 {
			m.refusals(t, e)
			takeBack(Stuck)
			e.Label.Inner = digits
			return
		}
		pick, ok := m.choose(inner, &digits, &depth, t, e)
		if !ok {
			takeBack(Stuck)
			return
		}
		st := m.Enabled[pick]
		op := m.Sys.Thread(m.State, t).Op(st.Edge)
		m.noteInside(t, st, op, e)
		m.describeInner(t, st, op, e)
		if m.Loops != nil && affects(op) && op.Kind != ir.AtomicEnd {
			m.Threads.addEffect(t)
		}
		if op.Kind == ir.Broadcast {
			m.waiters()
		}
		if !m.apply(t, st) {
			takeBack(m.Threads.Now[t].Stop)
			e.Label.Inner = digits
			return
		}
		if why := m.Threads.Now[t].Stop; why != Runs && m.State.Holder() == t { // a loop inside ends here
			takeBack(why)
			e.Label.Inner = digits
			return
		}
		if op.Kind == ir.Signal || op.Kind == ir.Broadcast || op.Kind == ir.Spawn {
			m.after(t, st, op, e)
			m.Inside[len(m.Inside)-1].Thread = e.Other - 1
		}
		if op.Kind == ir.Alloc && st.Choice == 0 {
			m.Inside[len(m.Inside)-1].Block = m.State.Event.Accesses[0].Addr
		}
		if op.Kind == ir.Store || op.Kind == ir.RMW {
			m.noteMark(e, m.State.Event.Addr, int(m.State.Event.Size))
		}
		if op.Kind == ir.RMW && !m.State.Event.Wrote {
			e.At(e.Size() - 1 - m.tokens(op, e)).Mode = Reads
		}
	}
	e.Label.Inner = digits
	m.RunLocal(t)
	for _, u := range m.Reached {
		m.RunLocal(int(u))
	}
}

// InnerOp is an operation inside a section that is more than an access to memory.
type InnerOp struct {
	Kind   ir.OpKind
	Access int   // the number of its first access
	Thread int32 // spawn: the thread that was started
	Block  uint64
	Shape  memory.Shape // alloc and free: of the block
}

// noteInside notes an operation inside a section that is about to be performed.
func (m *Machine) noteInside(t int, st memory.Step, op *ir.Op, e *Event) {
	in := InnerOp{Kind: op.Kind, Access: e.Size()}
	switch op.Kind {
	case ir.Signal, ir.Broadcast, ir.Spawn:
	case ir.Alloc:
		in.Block, in.Shape = uint64(st.Choice), m.Sys.Thread(m.State, t).Shape(st.Edge)
	case ir.Free:
		addr, _ := m.Sys.Thread(m.State, t).Address(st.Edge)
		if b, ok := m.State.BlockAt(addr, 1); ok {
			in.Block, in.Shape = b, m.State.ShapeAt(b)
		}
	default:
		return
	}
	m.Inside = append(m.Inside, in)
}

// takeBlock drops the enabled steps that allocate another block than Takes says.
func (m *Machine) takeBlock(t int) {
	block := int64(0)
	n := 0
	for _, in := range m.Inside {
		if in.Kind == ir.Alloc {
			n++
		}
	}
	if n < len(m.Takes) {
		block = int64(m.Takes[n])
	}
	before := len(m.Enabled)
	m.Enabled = slices.DeleteFunc(m.Enabled, func(st memory.Step) bool {
		return m.Sys.Thread(m.State, t).Op(st.Edge).Kind == ir.Alloc && st.Choice != block
	})
	m.Misfit = m.Misfit || before > 0 && len(m.Enabled) == 0
}

// InnerChoice is a choice inside a section.
type InnerChoice struct {
	Accesses int    // of the section before it, with the one whose value it depends on
	Inner    uint32 // the choices before it, as in Label
	Depth    int    // how many these are
	Count    int    // alternatives
}

// With returns the part of a label that takes alternative i.
func (c *InnerChoice) With(i int) uint32 { return c.Inner | uint32(i)<<(4*c.Depth) }

// choose returns the index of the step inside a section that the label asks for, and notes the
// alternatives. It returns false if the label has no room for the choice. Where an abstract load, or a signal, is one of
// several edges, the edge is chosen first, and then the value, or whom to signal, since only that choice depends on what
// is read.
func (m *Machine) choose(inner uint32, digits *uint32, depth *int, t int, e *Event) (int, bool) {
	n := len(m.Enabled)
	if n == 1 {
		return 0, true
	}
	th := m.Sys.Thread(m.State, t)
	loads := false
	for i := range int32(th.EdgeCount()) {
		switch th.Op(i).Kind {
		case ir.Signal:
			loads = true
		case ir.AbstractLoad:
			loads = true
			m.LoadWaits = m.LoadWaits || !slices.ContainsFunc(m.Enabled, func(st memory.Step) bool { return st.Edge == i })
		}
	}
	var first []int // the first step of each edge
	for i := range m.Enabled {
		if i == 0 || m.Enabled[i].Edge != m.Enabled[i-1].Edge {
			first = append(first, i)
		}
	}
	if !loads || len(first) == 1 {
		return m.digit(inner, n, e.Size()+int(bit(loads)), digits, depth)
	}
	k, ok := m.digit(inner, len(first), e.Size(), digits, depth)
	first = append(first, n)
	n = first[k+1] - first[k]
	if !ok || n == 1 {
		return first[k], ok
	}
	i, ok := m.digit(inner, n, e.Size()+1, digits, depth)
	return first[k] + i, ok
}

func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// digit returns which of n alternatives the next digit of a label asks for, and notes them. accesses says how many
// accesses of the section come before the choice.
func (m *Machine) digit(inner uint32, n, accesses int, digits *uint32, depth *int) (int, bool) {
	if *depth == maxInner || n > maxAlternatives {
		m.Err = errors.New("an atomic section has more choices than can be told apart")
		return 0, false
	}
	pick := min(int(inner>>(4**depth)&15), n-1)
	c := InnerChoice{Accesses: accesses, Inner: *digits, Depth: *depth, Count: n}
	m.Choices = append(m.Choices, c)
	for i := range n {
		if i != pick && !m.Dry {
			m.Inner = append(m.Inner, c.With(i))
		}
	}
	*digits |= uint32(pick) << (4 * *depth)
	*depth++
	return pick, true
}

// tokens returns how many accesses of an operation follow the one to its address: one if the
// address is in an allocated block, which is accessed as a whole, too.
func (m *Machine) tokens(op *ir.Op, e *Event) int {
	if _, block := Block(e.At(e.Size() - 1).Addr); op.Accesses() && block {
		return 1
	}
	return 0
}

// describeInner notes the accesses of an operation inside a section, where stores go to memory at
// once.
func (m *Machine) describeInner(t int, st memory.Step, op *ir.Op, e *Event) {
	addr, size := m.Sys.Thread(m.State, t).Address(st.Edge)
	switch {
	case op.Kind == ir.Store:
		m.addAccess(e, addr, size, Writes)
	case op.Kind == ir.Free:
		if b, ok := m.State.BlockAt(addr, 1); ok {
			e.Add(TokenBase+b, 8, Reads|Writes)
			e.Add(HeapToken, 8, Reads|Writes)
		}
	case op.Kind == ir.AtomicEnd:
	default:
		m.describe(t, st, op, e)
	}
}

// refusals notes what is read by the awaits that a section is stuck at.
func (m *Machine) refusals(t int, e *Event) {
	for i := range m.Sys.Thread(m.State, t).EdgeCount() {
		op := m.Sys.Thread(m.State, t).Op(int32(i))
		if op.Kind == ir.Await || op.Kind == ir.RMW || op.Kind == ir.AbstractLoad || op.Kind == ir.Lock {
			addr, size := m.Sys.Thread(m.State, t).Address(int32(i))
			m.addAccess(e, addr, size, Reads)
		}
	}
}
