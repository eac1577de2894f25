package bmc

import "fencepost/internal/ir"

// abstraction is the shared memory abstraction [TNIFLP16 §II]: the operations on memory, with an
// implementation per model. All other parts of the encoding are the same under all models.
//
// A thread makes each access once. The parts of an access that concern only its thread are encoded
// once: the timestamp of a store, and which store of the thread a load would forward from (issue
// and forward).
type abstraction interface {
	// issue lets a thread append a store: it chooses the timestamp.
	issue(s *local, a *access, run gate)
	// storeStore is a store-store fence of a thread.
	storeStore(s *local)
	// forward notes what a load would forward from the thread's buffer.
	forward(s *local, a *access)
	// now returns the time at this point.
	now() word
	// final returns what a cell holds when all stores have reached memory.
	final(c *cell) word
}

// pointwise is a memory abstraction for rounds: the effect of an access is encoded at every point
// of the sequentialized program at which the access can happen.
type pointwise interface {
	abstraction
	// step begins a point of the sequentialized program at which a thread runs if run
	// holds: stores whose time has come reach memory first. It is not called inside an
	// atomic section, where no store reaches memory. sees says that the thread's step depends on
	// what has reached memory.
	step(run, sees gate)
	// drained demands that all stores of a thread have reached memory.
	drained(s *local, run gate)
	// read demands that an access reads what memory and the buffer have.
	read(a *access, run gate)
	// write performs a store.
	write(a *access, run gate)
}

// access is an instruction's access to memory.
type access struct {
	goals  []goal
	val    word // what it reads, an input
	out    word // what it writes
	direct bool // it writes memory at once
	silent bool // it is a store to thread-private memory
	ts     word // when its store reaches memory, if it is not direct
	// newest is, per goal and part of its view, the last store of the thread there.
	newest [][]newestStore
}

// goal is a view that an access can go to, and the condition under which it does.
type goal struct {
	*view
	is gate
}

// local is the thread-private part of a thread's state.
type local struct {
	// regs is the thread's registers, how many threads it has started by pool, and how much it has allocated. What a
	// dead register has does not matter.
	regs table[word]
	// cells is, by cell, what the thread wrote last to a cell that no other thread writes.
	cells table[word]
	// latest is the latest timestamp of the thread's stores [TNIFLP16 §IV: max_last_tstamp].
	latest word
	// floor is the least timestamp for later stores, after a store-store fence.
	floor word
	// newest is, by part, the thread's last store to it [TNIFLP16 §IV: last_tstamp, last_value].
	newest table[newestStore]
}

// newestStore is the last store of a thread to the bytes of a part. Without a store its time is 0,
// which is never in the future.
type newestStore struct {
	ts, val word
}

// set assigns a register, unless it is NoReg.
func (s *local) set(r ir.Reg, w word) {
	if r != ir.NoReg {
		s.regs = s.regs.set(int(r), w)
	}
}

// merge returns a where pick holds, and b otherwise, at a location where some registers are live.
func (c *circuit) merge(pick gate, a, b *local, live func(r int) bool) *local {
	return &local{
		latest: c.muxWord(pick, a.latest, b.latest), floor: c.muxWord(pick, a.floor, b.floor),
		cells:  mergeTables(a.cells, b.cells, func(_ int, a, b word) word { return c.muxWord(pick, a, b) }),
		newest: mergeTables(a.newest, b.newest, func(_ int, a, b newestStore) newestStore { return c.mergeNewest(pick, a, b) }),
		regs: mergeTables(a.regs, b.regs, func(r int, a, b word) word {
			if !live(r) {
				return a
			}
			return c.muxWord(pick, a, b)
		}),
	}
}

func (c *circuit) mergeNewest(pick gate, a, b newestStore) newestStore {
	return newestStore{ts: c.muxWord(pick, a.ts, b.ts), val: c.muxWord(pick, a.val, b.val)}
}

// scMemory is sequential consistency: one value per cell.
type scMemory struct {
	c   *circuit
	mem []word // by cell
}

func (m *scMemory) issue(*local, *access, gate) {}
func (m *scMemory) storeStore(*local)           {}
func (m *scMemory) forward(*local, *access)     {}
func (m *scMemory) step(gate, gate)             {}
func (m *scMemory) now() word                   { return constWord(0) }
func (m *scMemory) drained(*local, gate)        {}
func (m *scMemory) final(c *cell) word          { return m.mem[c.id] }

func (m *scMemory) read(a *access, run gate) {
	for _, g := range a.goals {
		m.c.demandEqual(a.val, m.c.read(g.view, m.mem[g.cell.id]), run, g.is)
	}
}

func (m *scMemory) write(a *access, run gate) {
	for _, g := range a.goals {
		old := m.mem[g.cell.id]
		m.mem[g.cell.id] = m.c.muxWord(m.c.and(run, g.is), m.c.overlay(old, m.c.expand(g.view, a.out), g.mask()), old)
	}
}
