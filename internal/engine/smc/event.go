package smc

// What is an event, and when two events depend on each other.
//
// A process is a thread, or a buffer: under TSO one per thread, under PSO one per
// thread and location, as the auxiliary threads of [AAAJLS15 App. B, C]. An event of
// a thread is one operation that others can notice together with the steps behind
// it that they cannot: local ones, and, under TSO and PSO, stores that enter the
// buffer. An event of a buffer is an update. A read-modify-write is one event of its thread
// (fence, load and update in one), an atomic section is one, and so are lock,
// trylock, unlock, wait, signal, barrier, spawn and join. An await is a load and an
// assumption: if the condition does not hold for what it reads, the event is the
// read, and the thread stops there.
//
// Two events of different threads depend on each other if they touch a common byte
// and one of them writes it. Three exceptions make that exact for stores that are
// read while they are still buffered [AAAJLS15 §3]:
//   - a load does not touch the bytes that it forwards from the own buffer. When the
//     entry of a byte has reached memory, the load counts as a load of this byte;
//   - a load does not depend on updates of its own thread;
//   - neither does an update depend on loads of its own thread.
// So whether a load and another thread's update depend on each other is a matter of
// what lies between them; docs/engines/smc.md has the argument.

// mode says what an access does. The zero value is unset.
type mode uint8

const (
	reads mode = 1 << iota
	writes
	// always marks what holds for a load even if its value is forwarded: that its
	// block is still there.
	always
)

// access is some bytes an event touches.
type access struct {
	addr uint64
	size uint8
	mode mode
}

// Addresses that stand for something else than memory lie beyond all objects.
const (
	tokenBase = 0xf000_0000_0000_0000 // a block as a whole: freed and used again, or accessed
	heapToken = 0xe000_0000_0000_0000 // which freed blocks there are to be used again
	spawnBase = 0xd000_0000_0000_0000 // which threads have not been started
)

// label tells apart what a process can do next where there is a choice: the edge,
// the choice of the step, and the choices inside a section, four bits each.
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
	varies          // may touch something else if what it reads changes
	allocates       // and may depend on what its own buffer frees
	ends            // the thread stops here: a check failed, an await was refused, exit
)

// none marks absent ordinals and events.
const none = -1

// event is something a process did, or would do in some state.
type event struct {
	proc   int32
	idx    int32 // its number among the events of the process, from 1
	thread int32 // whose event, or whose buffer's
	ord    int32 // update: ordinal of the store
	other  int32 // 1 + the thread spawned or joined
	cancel int32 // alloc: ordinal of the own free it takes back, which has not reached memory
	src    sources
	flags  flags
	n      uint8 // accesses in acc
	label  label
	acc    [3]access
	more   []access // the rest
	// Of what acc[0] writes, the bytes before, if the program has compare-exchange;
	// of a compare-exchange what it read and what it compared that with.
	prev, old, want uint64
}

func (e *event) touch(addr uint64, size int, m mode) {
	a := access{addr, uint8(size), m}
	if int(e.n) < len(e.acc) {
		e.acc[e.n] = a
		e.n++
		return
	}
	e.more = append(e.more, a)
}

func (e *event) at(i int) *access {
	if i < int(e.n) {
		return &e.acc[i]
	}
	return &e.more[i-int(e.n)]
}

// touches reports whether an access of the event begins at addr.
func (e *event) touches(addr uint64) bool {
	for k := range e.size() {
		if e.at(k).addr == addr {
			return true
		}
	}
	return false
}

func (e *event) size() int { return int(e.n) + len(e.more) }

// live is the bytes of an access of the event that count at present, a bit each.
func (e *event) live(a *access) uint8 {
	if a.mode&always != 0 {
		return a.bytes()
	}
	return a.bytes() &^ e.src.pend
}

func conflict(a, b *access) bool {
	return (a.mode|b.mode)&writes != 0 && (a.addr-b.addr < uint64(b.size) || b.addr-a.addr < uint64(a.size))
}

// dependent reports whether two events of different processes that are both
// possible in a state depend on each other there.
func dependent(d, e *event) bool {
	if d.thread == e.thread {
		return d.cancel != none && d.cancel == e.ord || e.cancel != none && e.cancel == d.ord
	}
	for i := range d.size() {
		a := d.at(i)
		for j := range e.size() {
			if b := e.at(j); conflict(a, b) && (d.src.pend|e.src.pend == 0 || d.live(a)&shift(e.live(b), int64(b.addr-a.addr)) != 0) {
				return true
			}
		}
	}
	return false
}

// sameAccesses reports whether two events touch the same things.
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

// within reports whether d touches nothing that e does not touch in the same way.
func within(d, e *event) bool {
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

// passes reports whether d, which a process could do in a state, stays possible and
// unchanged when e happens there, and notes what becomes of it: bytes that a load
// forwards from an entry that reaches memory are bytes of memory from then on.
func (d *event) passes(e *event) bool {
	if d.proc == e.proc || dependent(d, e) {
		return false
	}
	if d.src.pend != 0 && e.flags&isUpdate != 0 && d.thread == e.thread {
		d.src.reached(e.ord)
	}
	return true
}
