package memory

import (
	"fencepost/internal/analysis"
	"fencepost/internal/ir"
)

// What an engine needs that schedules threads and buffers itself, as stateless
// model checking does: which locations are of no interest to anybody else, what
// hinders an edge that is not enabled, and which block an address lies in.

// privateLoc reports whether all steps from a location concern the thread and its
// buffer alone: nobody else can notice them, and they notice nobody. A store that
// enters the buffer is one if its address cannot be in a block, whose validity
// depends on others; a full fence is none, since it comes after what leaves the
// buffer.
func (y *System) privateLoc(f *ir.Func, l ir.Loc, facts *analysis.Facts) bool {
	out := f.Out(l)
	for _, i := range out {
		e := &f.Edges[i]
		op := &e.Op
		switch {
		case op.Local():
		case op.Kind == ir.Fence && (op.Fence == ir.StoreStoreFence || y.Model == SC):
		case op.Kind == ir.Store && y.Model != SC && len(out) == 1 && y.staticPlace(op, facts.Footprint(e)):
		default:
			return false
		}
	}
	return len(out) > 0
}

// Private reports whether thread t runs and its next steps concern nobody else.
func (y *System) Private(s *State, t int) bool {
	return s.status[t] == running && y.threads[t].locs[s.pc[t]].private
}

// Hindrance is why an edge is not enabled. The zero value is unset.
type Hindrance uint8

// The hindrances.
const (
	_       Hindrance = iota
	Never             // nothing that happens elsewhere will change it: an assumption that does not hold, a bound
	Buffer            // the own buffer must empty
	Refusal           // what an await or a conditional read-modify-write reads does not satisfy its condition
	Held              // a mutex is held
	Others            // another thread must end, or a section must
)

// Hindered is what stands in the way of an edge.
type Hindered struct {
	Why  Hindrance
	Addr uint64 // Refusal: what is read; Held: the mutex
	Size int
	// Refusal: the bytes that were read from the own buffer, a bit each, and the tags of
	// the entries they were read from.
	Own     uint8
	Sources [8]int32
}

// Edges is how many edges leave the location of thread t.
func (y *System) Edges(s *State, t int) int { return len(y.threads[t].locs[s.pc[t]].edges) }

// Op is the operation of an edge of the location of thread t.
func (y *System) Op(s *State, t int, i int32) *ir.Op {
	return &y.threads[t].locs[s.pc[t]].edges[i].ir.Op
}

// Chooses reports whether thread t may have a choice at its location: of an edge, or
// of what the edge does.
func (y *System) Chooses(s *State, t int) bool {
	loc := &y.threads[t].locs[s.pc[t]]
	if s.status[t] != running || len(loc.edges) != 1 {
		return true
	}
	switch loc.edges[0].kind {
	case ir.Havoc, ir.AbstractLoad, ir.Signal, ir.CondWait, ir.Alloc, ir.AtomicBegin:
		return true
	}
	return false
}

// Running reports whether thread t is at an edge, and not inside a wait.
func (y *System) Running(s *State, t int) bool { return s.status[t] == running }

// WaitingEdge is the edge inside which thread t waits, and whether it only waits
// for its mutex.
func (y *System) WaitingEdge(s *State, t int) (edge int32, woken bool) {
	return s.wait[t], s.status[t] == condWoken
}

// EnabledEdge appends the steps of one edge of a running thread.
func (y *System) EnabledEdge(s *State, t int, i int32, out []Step) []Step {
	if s.status[t] != running {
		return out
	}
	return y.enabledEdge(s, t, i, &y.threads[t].locs[s.pc[t]].edges[i], y.regsOf(s, t), out)
}

// Hinders says what stands in the way of an edge of thread t for which there is
// no step, where no section is held.
func (y *System) Hinders(s *State, t int, i int32) Hindered {
	e := &y.threads[t].locs[s.pc[t]].edges[i]
	regs := y.regsOf(s, t)
	addr, _ := y.Address(s, t, i)
	switch e.kind {
	case ir.Assume, ir.Bound, ir.Havoc, ir.Spawn:
		return Hindered{Why: Never}
	case ir.Load, ir.Await, ir.AbstractLoad:
		_, own := s.forward(t, addr, int(e.size))
		return Hindered{Why: Refusal, Addr: addr, Size: int(e.size), Own: own, Sources: s.sources(t, addr, int(e.size))}
	case ir.CondWait: // woken, and wants its mutex back
		return Hindered{Why: Held, Addr: uint64(e.val2.eval(regs, 0)), Size: wordSize}
	}
	if !s.drained(t) {
		return Hindered{Why: Buffer}
	}
	switch e.kind {
	case ir.RMW:
		return Hindered{Why: Refusal, Addr: addr, Size: int(e.size)}
	case ir.Lock:
		return Hindered{Why: Held, Addr: addr, Size: wordSize}
	}
	return Hindered{Why: Others}
}

// Address evaluates the address of an edge of thread t, and how many bytes it
// names; 0 if the operation has none.
func (y *System) Address(s *State, t int, i int32) (uint64, int) {
	e := &y.threads[t].locs[s.pc[t]].edges[i]
	if e.addr.kind == codeNone {
		return 0, 0
	}
	return uint64(e.addr.eval(y.regsOf(s, t), 0)), int(e.size)
}

// MutexOf is the mutex of a condition wait.
func (y *System) MutexOf(s *State, t int, i int32) uint64 {
	e := &y.threads[t].locs[s.pc[t]].edges[i]
	return uint64(e.val2.eval(y.regsOf(s, t), 0))
}

// MutexWord is the contents of a mutex, 0 if it is free.
func (y *System) MutexWord(s *State, addr uint64) uint64 {
	off, fault := y.resolve(s, addr, wordSize, int32(ir.NoObject))
	if fault != 0 {
		return 0
	}
	return s.readAt(off, wordSize)
}

// JoinTarget is the thread a join of thread t waits for, or -1.
func (y *System) JoinTarget(s *State, t int, i int32) int {
	e := &y.threads[t].locs[s.pc[t]].edges[i]
	h := e.val.eval(y.regsOf(s, t), 0)
	if !y.validHandle(s, h) {
		return -1
	}
	return int(h)
}

// Block is the start of the allocated block that holds addr, whether it is in use
// or freed.
func (y *System) Block(s *State, addr uint64) (uint64, bool) {
	if i := s.findBlock(addr, 1); i >= 0 && s.blocks[i].kind != cellBlock {
		return s.blocks[i].addr, true
	}
	return 0, false
}

// Raw is the bytes memory holds at addr as a little-endian number.
func (y *System) Raw(s *State, addr uint64, size int) uint64 {
	off, fault := y.resolve(s, addr, size, int32(ir.NoObject))
	if fault != 0 {
		return 0
	}
	return s.readAt(off, size)
}

// Compared is the value that a compare-exchange of thread t expects, as bytes.
func (y *System) Compared(s *State, t int, i int32) uint64 {
	e := &y.threads[t].locs[s.pc[t]].edges[i]
	return truncate(e.ir.Op.Type.Wrap(e.val.eval(y.regsOf(s, t), 0)), int(e.size))
}

// FindFlush is the step by which the oldest entry of thread t for just these bytes
// reaches memory, if it may.
func (y *System) FindFlush(s *State, t int, addr uint64, size uint32) (Step, bool) {
	b := s.bufs[t]
	if len(b) == 0 || s.holder >= 0 {
		return Step{}, false
	}
	if y.Model == TSO {
		return Step{Thread: int32(t), Kind: Flush}, true
	}
next:
	for i := range b {
		if b[i].Kind == Marker {
			break
		}
		if b[i].Addr != addr || b[i].Size != size {
			continue
		}
		for j := range i {
			if dependent(&b[j], &b[i]) {
				continue next
			}
		}
		return Step{Thread: int32(t), Kind: Flush, Index: int32(i)}, true
	}
	return Step{}, false
}

// Advance runs thread t on through local operations as long as there is exactly one
// it can take and it is an assignment, an assumption, an assertion that holds or
// nothing at all, and not held back by stop, if that is not nil; at most limit steps. It appends the
// steps it took. It does what Apply does, without an Event.
func (y *System) Advance(s *State, t int, stop func(loc ir.Loc, edge int32) bool, limit int, out []Step) []Step {
	tc := &y.threads[t]
	regs := s.regs[tc.regBase : tc.regBase+len(tc.regs)]
	pc := s.pc[t]
	first := true
	for limit += len(out); len(out) < limit && s.status[t] == running && tc.locs[pc].private; {
		loc := &tc.locs[pc]
		i := onlyLocal(loc, regs)
		if i < 0 || stop != nil && stop(ir.Loc(pc), i) {
			break
		}
		e := &loc.edges[i]
		s.Covered[e.index] = true
		if e.kind == ir.Assign && e.dst >= 0 {
			s.setReg(tc.regBase+int(e.dst), e.val.eval(regs, 0))
		}
		if first {
			s.setPC(t, e.to) // one record takes back the whole way
			first = false
		}
		pc = e.to
		s.pc[t] = pc
		out = append(out, Step{Thread: int32(t), Kind: Exec, Edge: i})
	}
	return out
}

// onlyLocal is the one edge of a location that can be taken, if it is simple, or -1.
func onlyLocal(loc *locCode, regs []int64) int32 {
	only := int32(-1)
	for i := range loc.edges {
		e := &loc.edges[i]
		switch e.kind {
		case ir.Nop, ir.Assign:
		case ir.Assume:
			if e.val.eval(regs, 0) == 0 {
				continue
			}
		case ir.Assert:
			if e.val.eval(regs, 0) == 0 {
				return -1
			}
		default:
			return -1
		}
		if only >= 0 {
			return -1
		}
		only = int32(i)
	}
	return only
}
