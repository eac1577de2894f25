package bmc

// The shared memory abstraction [TNIFLP16 §II]: what a program does to memory, as
// an interface with an implementation per model. Everything else of the encoding
// is the same under all models.
//
// A thread does each access once, in one of the rounds. What belongs to the thread
// alone, such as the timestamp it gives to a store and which of its stores it would
// read itself, is encoded once per access (issue and forward); what happens to
// memory is encoded at every point of the sequentialized program where the access
// can take place (step, read, write).
type abstraction interface {
	// issue lets a thread append a store: it chooses the timestamp.
	issue(s *local, a *access, run gate)
	// storeStore is a store-store fence of a thread.
	storeStore(s *local)
	// forward notes what a load would read from the thread's own buffer.
	forward(s *local, a *access)
	// step begins a point of the sequentialized program at which a thread does
	// something if run holds: stores whose time has come reach memory first. In the
	// middle of an atomic section it is not called, and none do. looks says that what
	// the thread does depends on what has reached memory.
	step(run, looks gate)
	// now is the time at this point.
	now() word
	// drained demands that a thread's stores have all reached memory.
	drained(s *local, run gate)
	// read demands that an access sees what is there.
	read(a *access, run gate)
	// write lets a store take place.
	write(a *access, run gate)
	// final is what a cell holds when everything has reached memory.
	final(c *cell) word
}

// access is an instruction's access to memory.
type access struct {
	goals  []goal
	val    word // what it reads, an input
	out    word // what it writes
	direct bool // it writes memory at once
	silent bool // it is a store that concerns nobody else
	ts     word // when its store reaches memory, if it is not direct
	// own is, per goal and part of its view, the last store of the own thread there.
	own [][]ownStore
}

// goal is a view an access can go to, and when it does.
type goal struct {
	*view
	is gate
}

// local is the part of a thread's state that no other thread sees.
type local struct {
	regs []word
	// latest is the latest timestamp the thread has given [TNIFLP16 §IV: max_last_tstamp].
	latest word
	// floor is what later timestamps must not be below, after a store-store fence.
	floor word
	// own is, by part, the last store to it [TNIFLP16 §IV: last_tstamp, last_value].
	own []ownStore
}

// ownStore is the last store of a thread to the bytes of a part. Without a store its
// time is 0, which has always come.
type ownStore struct {
	ts, val word
}

// merge is a where pick holds, else b.
func (c *circuit) merge(pick gate, a, b *local) *local {
	out := &local{
		regs: make([]word, len(a.regs)), latest: c.muxWord(pick, a.latest, b.latest), floor: c.muxWord(pick, a.floor, b.floor),
		own: make([]ownStore, len(a.own)),
	}
	for i := range a.regs {
		out.regs[i] = c.muxWord(pick, a.regs[i], b.regs[i])
	}
	for i := range a.own {
		out.own[i] = c.mergeOwn(pick, a.own[i], b.own[i])
	}
	return out
}

func (c *circuit) mergeOwn(pick gate, a, b ownStore) ownStore {
	return ownStore{ts: c.muxWord(pick, a.ts, b.ts), val: c.muxWord(pick, a.val, b.val)}
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
		m.mem[g.cell.id] = m.c.muxWord(m.c.and(run, g.is), m.c.overlay(old, m.c.placed(g.view, a.out), g.mask()), old)
	}
}
