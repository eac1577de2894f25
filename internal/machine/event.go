package machine

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

// Mode says what an access does. The zero value is unset.
type Mode uint8

const (
	Reads Mode = 1 << iota
	Writes
	// Always marks an access that a load makes even if its value is forwarded: it needs its block.
	Always
)

// Access is a range of bytes that an event reads or writes.
type Access struct {
	Addr uint64
	Size uint8
	Mode Mode
}

// Addresses that stand for something other than memory. Those of objects and of cells with positive numbers
// are smaller, those of cells with negative numbers are larger.
const (
	TokenBase = 0xb000_0000_0000_0000 // + address of a block: the block as a whole
	HeapToken = 0xa000_0000_0000_0000 // the set of freed blocks that allocations may use again
	// BufferToken stands for whether all buffers are empty. Global fences write it, so that they are
	// ordered with all stores, and stores read it, so that they are not ordered with each other.
	BufferToken = 0xa800_0000_0000_0000
	PoolBase    = 0x9800_0000_0000_0000 // + shape of a block: the freed blocks of this shape
	SpawnBase   = 0x9000_0000_0000_0000 // + 8 * thread: whether the thread has been started, or joined
	WaitBase    = 0x8000_0000_0000_0000 // + address of a condition: which threads wait for it
)

// IsMemory reports whether an address is one of memory.
func IsMemory(addr uint64) bool { return addr>>62 != 2 }

// IsPool reports whether an address stands for freed blocks of a shape.
func IsPool(addr uint64) bool { return addr>>59 == PoolBase>>59 }

// Block returns the block that an address stands for, if it stands for one.
func Block(addr uint64) (uint64, bool) { return addr - TokenBase, addr>>60 == TokenBase>>60 }

// Label distinguishes the events that are possible for a process where there is a choice: by the
// edge, by the choice of the step, and by the choices inside a section, four bits each.
type Label struct {
	Edge   int32
	Inner  uint32
	Choice int64
}

// Flags of events.
type Flags uint16

const (
	IsUpdate  Flags = 1 << iota
	Drains          // comes after all updates of its thread
	IsMutex         // lock, trylock, unlock, or the mutex of a condition
	Locks           // waits for the mutex to be free
	Acquires        // takes a free mutex
	Compares        // a compare-exchange without a condition, outside sections
	Varies          // may access other bytes if what it reads changes
	Allocates       // uses a block again; may depend on a free in its own buffer
	Ends            // the thread stops here: a failed check, a refused await, exit
	Joins           // waits for the end of a thread
	Begins          // the beginning of a thread that is ordered with those of others (beginning.go)
	Marks           // is no operation on a mutex, and leaves bytes other than 0 where it stores: a mutex there looks held
)

// None marks absent ordinals and events.
const None = -1

// Event is something that a process did, or would do in some state.
type Event struct {
	Proc   int32
	Idx    int32 // its number among the events of the process, from 1
	Thread int32 // the thread, or the thread of the buffer
	Ord    int32 // update: ordinal of the store
	Other  int32 // 1 + the thread spawned or joined
	Cancel int32 // alloc: ordinal of the free, still in the buffer, whose block it takes back
	From   ReadsFrom
	Flags  Flags
	N      uint8 // accesses in acc
	Label  Label
	Acc    [3]Access
	More   []Access // the rest
	// Prev is the bytes that acc[0] overwrites, if the program has compare-exchange. A
	// compare-exchange read old and compared it with want.
	Prev, Old, Want uint64
}

// Add adds an access.
func (e *Event) Add(addr uint64, size int, m Mode) {
	a := Access{addr, uint8(size), m}
	if int(e.N) < len(e.Acc) {
		e.Acc[e.N] = a
		e.N++
		return
	}
	e.More = append(e.More, a)
}

// At returns access i.
func (e *Event) At(i int) *Access {
	if i < int(e.N) {
		return &e.Acc[i]
	}
	return &e.More[i-int(e.N)]
}

// Accesses reports whether an access of the event begins at addr.
func (e *Event) Accesses(addr uint64) bool {
	for k := range e.Size() {
		if e.At(k).Addr == addr {
			return true
		}
	}
	return false
}

func (e *Event) Size() int { return int(e.N) + len(e.More) }

// Live returns the bytes of an access of the event that are not forwarded, a bit each.
func (e *Event) Live(a *Access) uint8 {
	if a.Mode&Always != 0 {
		return a.Bytes()
	}
	return a.Bytes() &^ e.From.Forwarded
}
