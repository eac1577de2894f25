package memory

import "fencepost/internal/ir"

// Thread is a thread in a state, for questions about what it can do next and what keeps it
// from going on. An engine that schedules threads and buffers itself asks these questions.
type Thread struct {
	y *System
	s *State
	t int
}

// Thread returns thread t in state s.
func (y *System) Thread(s *State, t int) Thread { return Thread{y, s, t} }

// loc returns the location of the thread.
func (th Thread) loc() *locCode { return &th.y.threads[th.t].locs[th.s.pc[th.t]] }

// edge returns edge i of the location, and the registers of the thread.
func (th Thread) edge(i int32) (*edge, []int64) {
	return &th.loc().edges[i], th.y.regsOf(th.s, th.t)
}

// Ended reports whether the thread has run to an end location.
func (th Thread) Ended() bool {
	s := th.s.status[th.t]
	return (s == running || s == joined) && th.loc().ends
}

// Joined reports whether the thread has ended and was joined.
func (th Thread) Joined() bool { return th.s.status[th.t] == joined }

// WaitsAt reports whether the thread waits at the condition or barrier at an address.
func (th Thread) WaitsAt(addr uint64) bool {
	return th.y.waitsAt(th.s, th.t, condWaiting, addr) || th.y.waitsAt(th.s, th.t, barrierWaiting, addr)
}

// HoldsMutex reports whether the thread owns the mutex at an address.
func (th Thread) HoldsMutex(addr uint64) bool {
	off, fault := th.y.wordAt(th.s, addr)
	word := uint64(0)
	if fault == 0 {
		word = th.s.readAt(off, WordSize)
	}
	return word != destroyed && mutexOwner(word) == th.t
}

// EdgeCount returns how many edges leave the location of the thread.
func (th Thread) EdgeCount() int { return len(th.loc().edges) }

// Op returns the operation of edge i of the location.
func (th Thread) Op(i int32) *ir.Op { return &th.loc().edges[i].ir.Op }

// HasChoice reports whether the thread may have several steps: several edges leave its
// location, or one edge whose operation chooses. It is true for a thread that is not running.
func (th Thread) HasChoice() bool {
	loc := th.loc()
	if th.s.status[th.t] != running || len(loc.edges) != 1 {
		return true
	}
	switch loc.edges[0].kind {
	case ir.Havoc, ir.AbstractLoad, ir.Signal, ir.CondWait, ir.Alloc, ir.AtomicBegin:
		return true
	}
	return false
}

// EnabledEdge appends the steps of edge i to out, none if the thread is not running.
func (th Thread) EnabledEdge(i int32, out []Step) []Step {
	if th.s.status[th.t] != running {
		return out
	}
	e, regs := th.edge(i)
	return th.y.enabledEdge(th.s, th.t, i, e, regs, out)
}

// BlockedOn returns the operation that the thread is blocked on, if it cannot go on. It
// returns nil if the thread has not started, has finished, or is not at a blocking operation.
// A thread inside a wait has not left its location.
func (th Thread) BlockedOn() *ir.Edge {
	if s := th.s.status[th.t]; s == notStarted || s == stopped {
		return nil
	}
	loc := th.loc()
	for i := range loc.edges {
		if e := &loc.edges[i]; canBlock(e) {
			return e.ir
		}
	}
	return nil
}

// MainReturned reports whether the main thread has ended by a return, and not by ending only itself.
func MainReturned(y *System, s *State) bool {
	m := y.Prog.Main
	return m != ir.NoThread && y.Thread(s, int(m)).Ended() && y.Prog.ThreadFunc(m).Returns(ir.Loc(s.pc[m]))
}

// Waits reports whether the thread, which cannot move, waits for another thread.
func (th Thread) Waits() bool { return th.BlockedOn() != nil && !th.mayGoOn() }

// WaitsForever is like Waits, where the thread that is inside an atomic section now never leaves it.
func (th Thread) WaitsForever() bool {
	return (th.s.Holder() >= 0 || th.BlockedOn() != nil) && !th.mayGoOn()
}

// mayGoOn reports whether the thread, which cannot move, does not wait for ever: the time of its wait is
// limited, or an assumption has stopped it.
func (th Thread) mayGoOn() bool {
	switch th.s.status[th.t] {
	case condWaiting: // the time limit of the wait lets it go on
		return th.Op(th.s.wait[th.t]).Timed
	case assumed:
		return true
	case running:
		return th.s.assumedAway(th.t, th.loc())
	}
	return false
}

// Address evaluates the address of edge i, and returns how many bytes the operation accesses
// there: 0 if the operation has no address.
func (th Thread) Address(i int32) (uint64, int) {
	e, regs := th.edge(i)
	if e.addr.kind == codeNone {
		return 0, 0
	}
	return uint64(e.addr.eval(regs, 0)), int(e.size)
}

// Mutex returns the address of the mutex of edge i, a condition wait.
func (th Thread) Mutex(i int32) uint64 {
	e, regs := th.edge(i)
	return uint64(e.val2.eval(regs, 0))
}

// JoinTarget returns the thread that edge i, a join, waits for, or -1 if the handle is not
// that of a thread that has started.
func (th Thread) JoinTarget(i int32) int {
	e, regs := th.edge(i)
	h := e.val.eval(regs, 0)
	if !th.s.validHandle(h) {
		return -1
	}
	return int(h)
}

// JoinHandle returns the thread whose handle edge i, a join, has, whether it has started or not, or -1.
func (th Thread) JoinHandle(i int32) int {
	e, regs := th.edge(i)
	if h := e.val.eval(regs, 0); h >= 0 && h < int64(len(th.s.status)) {
		return int(h)
	}
	return -1
}

// Expected returns the value that edge i, a compare-exchange, expects, as bytes.
func (th Thread) Expected(i int32) uint64 {
	e, regs := th.edge(i)
	return truncate(e.ir.Op.Type.Wrap(e.val.eval(regs, 0)), int(e.size))
}

// FindFlush returns the step by which the oldest entry for exactly these bytes reaches
// memory. It returns false if the entry cannot leave the buffer yet, or does not exist. Under
// TSO it is the oldest entry of the buffer, whatever its bytes.
func (th Thread) FindFlush(addr uint64, size uint32) (Step, bool) {
	b := th.s.bufs[th.t]
	if len(b) == 0 || th.s.holder >= 0 {
		return Step{}, false
	}
	if th.y.Model == TSO {
		return Step{Thread: int32(th.t), Kind: Flush}, true
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
			if !th.s.sizes.mixed {
				break // the first entry of its bytes depends on no other
			}
			if dependent(&b[j], &b[i]) {
				continue next
			}
		}
		return Step{Thread: int32(th.t), Kind: Flush, Index: int32(i)}, true
	}
	return Step{}, false
}

// Hindrance is the reason why an edge is not enabled. The zero value is unset.
type Hindrance uint8

// The hindrances.
const (
	_        Hindrance = iota
	Never              // the thread itself: an assumption that does not hold, a bound
	NoThread           // a spawn finds no thread that has not started
	Buffer             // the thread's buffer must drain
	Refusal            // an await or conditional read-modify-write reads a value that its condition refuses; a global fence finds a store in a buffer
	Held               // a mutex is held
	Others             // another thread must end, or leave its atomic section
)

// Hindered describes why an edge is not enabled.
type Hindered struct {
	Why  Hindrance
	Addr uint64 // Refusal: the bytes read; Held: the mutex
	Size int
	// Refusal: the bytes that were forwarded from the thread's buffer, a bit each, and the
	// tags of the entries they came from.
	Forwarded     uint8
	ForwardedFrom [8]int32
}

// Hindrance returns why there is no step for edge i. No thread may hold an atomic section.
func (th Thread) Hindrance(i int32) Hindered {
	e, regs := th.edge(i)
	addr, _ := th.Address(i)
	switch e.kind {
	case ir.Assume, ir.Bound, ir.Unsupported, ir.Havoc:
		return Hindered{Why: Never}
	case ir.Load, ir.Await, ir.AbstractLoad:
		_, forwarded := th.s.forward(th.t, addr, int(e.size))
		return Hindered{Why: Refusal, Addr: addr, Size: int(e.size), Forwarded: forwarded, ForwardedFrom: th.s.forwardedFrom(th.t, addr, int(e.size))}
	case ir.CondWait: // woken, and must take its mutex again
		return Hindered{Why: Held, Addr: uint64(e.val2.eval(regs, 0)), Size: WordSize}
	case ir.Spawn:
		if th.s.spawnTarget(e) < 0 {
			return Hindered{Why: NoThread}
		}
	}
	if !th.s.drained(th.t) {
		return Hindered{Why: Buffer}
	}
	switch e.kind {
	case ir.RMW:
		return Hindered{Why: Refusal, Addr: addr, Size: int(e.size)}
	case ir.Lock:
		return Hindered{Why: Held, Addr: addr, Size: WordSize}
	case ir.Fence:
		return Hindered{Why: Refusal}
	}
	return Hindered{Why: Others}
}
