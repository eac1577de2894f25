package smc

// Events, and when two events depend on each other.
//
// A process is a thread or a buffer: under TSO one buffer per thread, under PSO one per thread and
// location, as the auxiliary threads of [AAAJLS15 App. B, C]. An event of a thread is one operation
// that other threads can notice, together with the steps after it that they cannot notice: local
// steps and, under TSO and PSO, stores that enter the buffer. An event of a buffer is an update. A
// read-modify-write is one event of its thread (fence, load and update in one). So are an atomic
// section, and each lock, trylock, unlock, wait, signal, barrier, spawn and join. An await is a
// load and an assumption: if the condition does not hold for the value that it reads, the event is
// the read, and the thread stops there.
//
// Two events of different threads depend on each other if they access a common byte and one of them
// writes it. Three exceptions make that exact for stores that are read while they are still in the
// buffer [AAAJLS15 §3]:
//   - a load does not access the bytes that it forwards from its thread's buffer. When the
//     update of the store happens, the load counts as a load of these bytes;
//   - a load does not depend on updates of its own thread;
//   - an update does not depend on loads of its own thread.
//
// So whether a load and an update of another thread depend on each other is decided by the events
// between them; docs/engines/smc.md has the argument.

// mode says what an access does. The zero value is unset.
type mode uint8

const (
	reads mode = 1 << iota
	writes
	// always marks an access that a load makes even if its value is forwarded: it needs its block.
	always
)

// access is a range of bytes that an event reads or writes.
type access struct {
	addr uint64
	size uint8
	mode mode
}

// Addresses that stand for something other than memory are larger than those of all objects.
const (
	tokenBase = 0xf000_0000_0000_0000 // + address of a block: the block as a whole
	heapToken = 0xe000_0000_0000_0000 // the set of freed blocks that allocations may use again
	spawnBase = 0xd000_0000_0000_0000 // + 8 * thread: whether the thread has been started
)

// label distinguishes the events that are possible for a process where there is a choice: by the
// edge, by the choice of the step, and by the choices inside a section, four bits each.
type label struct {
	edge   int32
	inner  uint32
	choice int64
}

// flags of events.
type flags uint16

const (
	isUpdate  flags = 1 << iota
	drains          // comes after all updates of its thread
	isMutex         // lock, trylock, unlock, or the mutex of a condition
	locks           // waits for the mutex to be free
	acquires        // takes a free mutex
	compares        // a compare-exchange without a condition, outside sections
	varies          // may access other bytes if what it reads changes
	allocates       // uses a block again; may depend on a free in its own buffer
	ends            // the thread stops here: a failed check, a refused await, exit
)

// none marks absent ordinals and events.
const none = -1

// event is something that a process did, or would do in some state.
type event struct {
	proc   int32
	idx    int32 // its number among the events of the process, from 1
	thread int32 // the thread, or the thread of the buffer
	ord    int32 // update: ordinal of the store
	other  int32 // 1 + the thread spawned or joined
	cancel int32 // alloc: ordinal of the free, still in the buffer, whose block it takes back
	from   readsFrom
	flags  flags
	n      uint8 // accesses in acc
	label  label
	acc    [3]access
	more   []access // the rest
	// prev is the bytes that acc[0] overwrites, if the program has compare-exchange. A
	// compare-exchange read old and compared it with want.
	prev, old, want uint64
}

// add adds an access.
func (e *event) add(addr uint64, size int, m mode) {
	a := access{addr, uint8(size), m}
	if int(e.n) < len(e.acc) {
		e.acc[e.n] = a
		e.n++
		return
	}
	e.more = append(e.more, a)
}

// at returns access i.
func (e *event) at(i int) *access {
	if i < int(e.n) {
		return &e.acc[i]
	}
	return &e.more[i-int(e.n)]
}

// accesses reports whether an access of the event begins at addr.
func (e *event) accesses(addr uint64) bool {
	for k := range e.size() {
		if e.at(k).addr == addr {
			return true
		}
	}
	return false
}

func (e *event) size() int { return int(e.n) + len(e.more) }

// joins reports whether the event is a join. A spawn names another thread, too, but has accesses.
func (e *event) joins() bool { return e.other > 0 && e.size() == 0 }

// live returns the bytes of an access of the event that are not forwarded, a bit each.
func (e *event) live(a *access) uint8 {
	if a.mode&always != 0 {
		return a.bytes()
	}
	return a.bytes() &^ e.from.forwarded
}

// conflict reports whether two accesses have a common byte and one of them writes.
func conflict(a, b *access) bool {
	return (a.mode|b.mode)&writes != 0 && (a.addr-b.addr < uint64(b.size) || b.addr-a.addr < uint64(a.size))
}

// dependent reports whether two events of different processes, both possible in some state,
// depend on each other there.
func dependent(d, e *event) bool {
	if d.thread == e.thread {
		return d.cancel != none && d.cancel == e.ord || e.cancel != none && e.cancel == d.ord
	}
	for i := range d.size() {
		a := d.at(i)
		for j := range e.size() {
			if b := e.at(j); conflict(a, b) && (d.from.forwarded|e.from.forwarded == 0 || d.live(a)&shift(e.live(b), int64(b.addr-a.addr)) != 0) {
				return true
			}
		}
	}
	return false
}

// sameAccesses reports whether two events have the same accesses.
func sameAccesses(d, e *event) bool {
	if d.size() != e.size() {
		return false
	}
	for i := range d.size() {
		if *d.at(i) != *e.at(i) {
			return false
		}
	}
	return true
}

// subsetOf reports whether every access of d is also an access of e.
func subsetOf(d, e *event) bool {
next:
	for i := range d.size() {
		a := d.at(i)
		for j := range e.size() {
			if b := e.at(j); a.addr == b.addr && a.size == b.size && a.mode&^b.mode == 0 {
				continue next
			}
		}
		return false
	}
	return true
}

// passes reports whether d, which is possible in some state, stays possible and unchanged when e
// happens there. It updates d: if e is the update of a store that d forwards bytes from, d reads
// these bytes from memory afterwards.
func (d *event) passes(e *event) bool {
	if d.proc == e.proc || dependent(d, e) {
		return false
	}
	if d.from.forwarded != 0 && e.flags&isUpdate != 0 && d.thread == e.thread {
		d.from.reached(e.ord)
	}
	return true
}
