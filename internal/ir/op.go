package ir

import (
	"fmt"
	"slices"
)

// OpKind is the kind of an operation. The zero value is unset.
type OpKind uint8

// The operations, with the fields that they use. Their effect on store buffers is part of the
// memory models (docs/models.md).
const (
	OpUnset OpKind = iota
	Nop

	Load         // Dst = [Addr]
	AbstractLoad // Dst = any v with Cond(v as Dst, Seen = [Addr]); candidates as for Havoc
	Await        // blocks until Cond(Seen = [Addr]); Dst = Seen (Dst may be absent)
	Store        // [Addr] = Val
	RMW          // Dst = [Addr]; [Addr] = RMW(Dst, Val, Val2); Dst2 = wrote; blocks until Cond(Seen) if present
	Fence        // Fence

	Assign // Dst = Val
	Havoc  // Dst = any v with Cond(v as Dst), v in Range
	Assume // blocks unless Val
	Assert // fails with Report unless Val

	Call       // Dst = Func(Args) of Call, or through the pointer Val if Func is absent
	Return     // Val (may be absent)
	ThreadExit // ends the thread from any depth with result Val
	Exit       // ends the program

	Spawn // Dst = handle of a new thread running Func(Args) of Call, or the function Val points to; flat: the first unstarted of Threads
	Join  // waits for the thread with handle Val; Dst = its result

	Lock      // mutex word at Addr; Dst = 0 or an errno value
	TryLock   // Dst = 0, or 16 (EBUSY); flat: only inside a section, see MutexTest
	Unlock    // Dst = 0 or an errno value
	CondWait  // condition at Addr, mutex at Val2; Dst = 0
	Signal    // condition at Addr
	Broadcast // condition at Addr
	Barrier   // word at Addr holds the number of arrivals; Dst = 1 for the last arrival, else 0

	Alloc // Dst = address of Val bytes; Stack tells automatic storage from the heap
	Free  // block at Addr; Stack tells the end of automatic storage from the free of a block of the heap

	AtomicBegin // an indivisible section begins; Loads says that it only loads
	AtomicEnd

	Bound // a bound of a pass was hit here: the path is cut off; Report.Msg names the bound, Val is its value
	// Unsupported stands for a construct of the source text that has no translation. The path is cut
	// off: what the program does from here on is not known. Report is the diagnostic.
	Unsupported
)

var opNames = [...]string{
	Nop: "nop", Load: "load", AbstractLoad: "aload", Await: "await", Store: "store", RMW: "rmw", Fence: "fence",
	Assign: "assign", Havoc: "havoc", Assume: "assume", Assert: "assert",
	Call: "call", Return: "return", ThreadExit: "threadexit", Exit: "exit", Spawn: "spawn", Join: "join",
	Lock: "lock", TryLock: "trylock", Unlock: "unlock", CondWait: "condwait", Signal: "signal", Broadcast: "broadcast",
	Barrier: "barrier", Alloc: "alloc", Free: "free", AtomicBegin: "atomicbegin", AtomicEnd: "atomicend", Bound: "bound",
	Unsupported: "unsupported",
}

// ParseOp returns the kind with a name.
func ParseOp(name string) (OpKind, bool) { return named[OpKind](opNames[:], name) }

// named returns the value of an enumeration with a name; zero is unset and has none.
func named[K ~uint8](names []string, name string) (K, bool) {
	i := slices.Index(names, name)
	if i <= 0 || name == "" {
		return 0, false
	}
	return K(i), true
}

// IsMutex reports whether operations of the kind take or release a mutex.
func (k OpKind) IsMutex() bool { return k == Lock || k == TryLock || k == Unlock }

func (k OpKind) String() string {
	if int(k) >= len(opNames) || opNames[k] == "" {
		return fmt.Sprintf("op(%d)", k)
	}
	return opNames[k]
}

// RMWKind is the function of a read-modify-write.
type RMWKind uint8

// The functions: the value that is written, given the old value and the operands.
const (
	RMWUnset RMWKind = iota
	Xchg             // Val
	FetchAdd         // old + Val
	FetchAnd         // old & Val
	FetchOr          // old | Val
	FetchXor         // old ^ Val
	Cas              // Val2 if old == Val, else nothing
)

var rmwNames = [...]string{"", "xchg", "add", "and", "or", "xor", "cas"}

// ParseRMW returns the function of a read-modify-write with a name.
func ParseRMW(name string) (RMWKind, bool) { return named[RMWKind](rmwNames[:], name) }

func (k RMWKind) String() string {
	if int(k) >= len(rmwNames) {
		panic(fmt.Sprintf("BUG: unknown RMW %d", k))
	}
	return rmwNames[k]
}

// FenceKind is the kind of a fence.
type FenceKind uint8

// The fences.
const (
	FenceUnset FenceKind = iota
	FullFence
	StoreStoreFence
	GlobalFence // waits until the store buffers of all threads are empty
)

var fenceNames = [...]string{"", "full", "ss", "global"}

// ParseFence returns the kind of fence with a name.
func ParseFence(name string) (FenceKind, bool) { return named[FenceKind](fenceNames[:], name) }

func (k FenceKind) String() string {
	if int(k) >= len(fenceNames) {
		panic(fmt.Sprintf("BUG: unknown fence %d", k))
	}
	return fenceNames[k]
}

// MutexKind is the POSIX type of a mutex.
type MutexKind uint8

// The mutex kinds.
const (
	MutexUnset MutexKind = iota
	NormalMutex
	RecursiveMutex
	ErrorCheckMutex
)

var mutexNames = [...]string{"", "normal", "recursive", "errorcheck"}

// ParseMutexKind returns the type of mutex with a name.
func ParseMutexKind(name string) (MutexKind, bool) { return named[MutexKind](mutexNames[:], name) }

func (k MutexKind) String() string {
	if int(k) >= len(mutexNames) {
		panic(fmt.Sprintf("BUG: unknown mutex kind %d", k))
	}
	return mutexNames[k]
}

// MutexTest is a question that an Await asks about the word of a mutex. It says in one word what the
// condition of the operation says, for the engines that know mutexes by more than their
// words. The zero value: the access asks nothing of the kind.
//
// A call that takes and releases nothing is such a load. In the flat form, a trylock is a
// Lock beside an Await of MutexBusy; the lock of an error-checking mutex is a Lock beside an
// Await of MutexMine; its unlock is an Await of MutexUnlocks before an Unlock, beside an Await of
// MutexNotMine.
type MutexTest uint8

// The tests. None of the conditions but MutexUnlocks holds for a destroyed mutex, whose use is an error that
// the operation after that test, or beside the others, reports.
const (
	MutexUntested MutexTest = iota
	MutexBusy               // a trylock fails: the mutex is held, and if it is recursive not by this thread
	MutexMine               // this thread holds the mutex
	MutexNotMine            // this thread does not hold the mutex
	MutexUnlocks            // this thread holds the mutex, or it was destroyed
)

var testNames = [...]string{"", "busy", "mine", "notmine", "unlocks"}

// ParseMutexTest returns the test of a mutex with a name.
func ParseMutexTest(name string) (MutexTest, bool) { return named[MutexTest](testNames[:], name) }

func (k MutexTest) String() string {
	if int(k) >= len(testNames) {
		panic(fmt.Sprintf("BUG: unknown test of a mutex %d", k))
	}
	return testNames[k]
}

// SyncKind is the effect of an access to a semaphore, a lock or a once control on
// happens-before. The zero value: the access does not belong to such an object.
type SyncKind uint8

// The kinds. A take happens after all earlier gives.
const (
	SyncUnset      SyncKind = iota
	SyncInspect             // synchronises with nothing: the object is only inspected, or a call fails
	SyncTake                // takes
	SyncGive                // gives
	SyncTakeShared          // a reader's lock: does not happen after the unlocks of other readers
	SyncGiveShared          // a reader's unlock: gives to writers only
)

var syncNames = [...]string{"", "look", "take", "give", "takeshared", "giveshared"}

// ParseSync returns the effect on synchronisation with a name.
func ParseSync(name string) (SyncKind, bool) { return named[SyncKind](syncNames[:], name) }

func (k SyncKind) String() string {
	if int(k) >= len(syncNames) {
		panic(fmt.Sprintf("BUG: unknown synchronisation %d", k))
	}
	return syncNames[k]
}

// Errno values that mutex operations return.
const (
	EPERM   = 1
	EBUSY   = 16
	EDEADLK = 35
)

// DestroyedMutex is the word of a mutex that was destroyed.
const DestroyedMutex = -1

// Op is the label of an edge. It is one struct for all kinds, so that passes rename registers
// and rebuild expressions without knowing each kind. What passes go over, registers and expressions, stands here; what only some
// kinds have stands in groups, whose zero value says that there is nothing (docs/adr/0033).
//
// shape: one struct for all operations (docs/adr/0001)
type Op struct {
	Kind OpKind
	Type Type // width of a memory access and extension of what it reads
	Sync Sync

	Dst  Reg
	Dst2 Reg
	Addr *Expr
	Val  *Expr
	Val2 *Expr
	Cond *Expr
	Obj  ObjectID // the object an access must stay inside; NoObject: any
	// Undef has the undefined bits of what is read and written. Package transform adds both (transform/undefined.go).
	Undef UndefinedBits
	Call  Callee

	RMW   RMWKind
	Fence FenceKind
	Mutex Mutex
	Loads bool // AtomicBegin, AtomicEnd: the section only loads, and drains at neither end
	// Timed says of a CondWait that a thread that is never woken is not deadlocked, as if an assumption had stopped it, and of a
	// Havoc that it picks the time that a clock shows.
	Timed  bool
	Block  Block
	Range  Range
	Report Report
}

// Sync says how an operation synchronises. The model c11, data races and notes about the use of synchronisation objects ask.
type Sync struct {
	Order Order // of a memory access or fence
	Fail  Order // of a failed compare-exchange
	// Kind marks an access that is part of a library call: it synchronises as the library
	// specifies, not as a C11 atomic of its order does.
	Kind  SyncKind
	Marks Mark // of an access or fence; Detaches: of an assignment or spawn
}

// UndefinedBits says where the undefined bits of values are, for values in memory. Without any it is that of NewOp.
type UndefinedBits struct {
	Dst Reg   // gets the undefined bits of what a load, an RMW or an operation on a mutex reads; NoReg: none
	Val *Expr // the undefined bits of what a store, an exchange or a compare-exchange writes; nil: none
}

// Mutex says which mutex an operation works on.
type Mutex struct {
	Kind MutexKind
	Test MutexTest // of an Await on the word of a mutex
}

// Block describes the block that an Alloc makes. A Free and a Nop or Assign that ends or begins the life of storage have a part of it.
type Block struct {
	Stack bool // automatic storage, for Alloc and Free
	// Undef says of an Alloc that the bytes of its block are undefined, and of a Nop or Assign that those of Obj are from now
	// on, before package transform has decided where that matters.
	Undef bool
	Align int64 // a power of two that divides the address plus Lead; 0 stands for 16
	// Lead is the number of bytes in front of what the program asked for, a multiple of 16: Align is about what comes after
	// them, and they are zero if the rest is undefined.
	Lead int64
	Name string // for people, such as malloc
	// Layout names the parts of an element of the block, or of that whose address a Havoc picks; nil: not known.
	Layout *Layout
}

// Range bounds the values that a Havoc or AbstractLoad picks.
type Range struct {
	Bounded bool
	Lo, Hi  int64
}

// Callee says what a Call or Spawn runs. NewOp has one without a function.
type Callee struct {
	Func    FuncID // NoFunc: through the pointer Val, or any of Threads
	Args    []*Expr
	Threads []ThreadID // Spawn in flat form
	Type    string     // of the function that Val points to; "": not known
}

// Report has the words of an Assert, Bound or Unsupported.
type Report struct {
	Class CheckClass // Assert
	Code  string     // Unsupported: the code of the diagnostic
	Msg   string
}

// NewOp returns an operation with all ids absent.
func NewOp(kind OpKind) Op {
	return Op{Kind: kind, Dst: NoReg, Dst2: NoReg, Obj: NoObject, Undef: UndefinedBits{Dst: NoReg}, Call: Callee{Func: NoFunc}}
}

// NewAssign returns dst = v.
func NewAssign(dst Reg, v *Expr) Op {
	op := NewOp(Assign)
	op.Dst, op.Val = dst, v
	return op
}

// NewAssume returns the operation that stops an execution in which cond does not hold.
func NewAssume(cond *Expr) Op {
	op := NewOp(Assume)
	op.Val = cond
	return op
}

// Aligned returns the lowest address that an allocation can return and that is not below addr.
func (op *Op) Aligned(addr uint64) uint64 {
	return alignedUp(addr+uint64(op.Block.Lead), op.Block.Align) - uint64(op.Block.Lead)
}

// Accesses reports whether the operation reads or writes a memory cell at Addr of type Type, as
// opposed to a mutex, condition or block.
func (op *Op) Accesses() bool {
	switch op.Kind {
	case Load, AbstractLoad, Await, Store, RMW:
		return true
	}
	return false
}

// Blind reports whether what an RMW reads is not used: it is an exchange without a result, such as a seq_cst store. Under
// SC, TSO and PSO that is a store with fences before and after it.
func (op *Op) Blind() bool {
	return op.Kind == RMW && op.RMW == Xchg && op.Dst == NoReg && op.Dst2 == NoReg && op.Undef.Dst == NoReg && op.Cond == nil
}

// Reads reports whether the access reads memory; an RMW reads and writes.
func (op *Op) Reads() bool { return op.Accesses() && op.Kind != Store }

// ReadsOnly reports whether the operation is a load of some kind.
func (op *Op) ReadsOnly() bool { return op.Reads() && op.Kind != RMW }

// AccessSize returns how many bytes the operation accesses: those of its memory cell or of its mutex. It returns 0 for
// other operations.
func (op *Op) AccessSize() int {
	switch {
	case op.Accesses():
		return op.Type.Size()
	case op.Kind.IsMutex():
		return 8
	}
	return 0
}

// Writes reports whether the access may write.
func (op *Op) Writes() bool { return op.Kind == Store || op.Kind == RMW }

// Local reports whether the operation neither affects other threads nor depends on them: it
// reads and writes registers only, and the same registers always lead to the same successors.
func (op *Op) Local() bool {
	switch op.Kind {
	case Nop, Assign, Havoc, Assume, Assert, Return, ThreadExit, Bound, Unsupported:
		return true
	}
	return false
}

// CutsOff reports whether the operation ends its path although the program goes on: a bound was
// hit, or the construct is not supported.
func (op *Op) CutsOff() bool { return op.Kind == Bound || op.Kind == Unsupported }

// MustDrain reports whether the operation is enabled only when the buffer of its thread is
// empty, under TSO and PSO. Locking an owned recursive mutex again and its inner unlock are
// exceptions that depend on the state; so are a trylock, and operations on an error-checking mutex,
// that fail, which are other operations in the flat form.
func (op *Op) MustDrain() bool {
	switch op.Kind {
	case RMW, Spawn, Join, Lock, TryLock, Unlock, CondWait, Barrier:
		return true
	case AtomicBegin, AtomicEnd:
		return !op.Loads
	case Fence:
		return op.Fence != StoreStoreFence
	}
	return false
}

// Exprs calls f on every expression of the operation and stores the result.
func (op *Op) Exprs(f func(*Expr) *Expr) {
	for _, e := range []**Expr{&op.Addr, &op.Val, &op.Val2, &op.Cond, &op.Undef.Val} {
		if *e != nil {
			*e = f(*e)
		}
	}
	if len(op.Call.Args) > 0 {
		args := make([]*Expr, len(op.Call.Args))
		for i, a := range op.Call.Args {
			args[i] = f(a)
		}
		op.Call.Args = args
	}
}

// Uses calls f on every register the operation reads. The new value of Dst in
// the constraint of a havoc or abstract load is not a use.
func (op *Op) Uses(f func(Reg)) {
	visit := func(e *Expr, skip Reg) {
		e.Walk(func(e *Expr) {
			if e.Op == RegRef && e.Reg != skip {
				f(e.Reg)
			}
		})
	}
	visit(op.Addr, NoReg)
	visit(op.Val, NoReg)
	visit(op.Val2, NoReg)
	visit(op.Undef.Val, NoReg)
	if op.Kind == Havoc || op.Kind == AbstractLoad {
		visit(op.Cond, op.Dst)
	} else {
		visit(op.Cond, NoReg)
	}
	for _, a := range op.Call.Args {
		visit(a, NoReg)
	}
}

// Defs calls f on every register the operation writes.
func (op *Op) Defs(f func(Reg)) {
	if op.Dst != NoReg {
		f(op.Dst)
	}
	if op.Dst2 != NoReg {
		f(op.Dst2)
	}
	if op.Undef.Dst != NoReg {
		f(op.Undef.Dst)
	}
}

// Sets reports whether a register is one of the two destinations of the operation.
func (op *Op) Sets(r Reg) bool { return op.Dst == r || op.Dst2 == r }
