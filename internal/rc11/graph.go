package rc11

// Mode is the memory order of an event. The zero value is unset.
type Mode uint8

// The modes.
const (
	ModeUnset Mode = iota
	Plain          // not atomic
	Relaxed
	Acquire
	Release
	AcqRel
	SeqCst
)

// AsRead returns the part of a mode that a read has.
func (m Mode) AsRead() Mode {
	switch m {
	case Release:
		return Relaxed
	case AcqRel:
		return Acquire
	}
	return m
}

func (m Mode) acquires() bool { return m == Acquire || m == AcqRel || m == SeqCst }

func (m Mode) releases() bool { return m == Release || m == AcqRel || m == SeqCst }

// Kind says what an event is. The zero value is unset.
type Kind uint8

// The kinds.
const (
	KindUnset Kind = iota
	Read
	Write
	Fence
	Other // orders nothing by itself: a spawn, a join, the beginning of a thread
)

// None stands for the initial value of a cell, and for no event.
const None int32 = -1

// Event is an event of a thread.
type Event struct {
	Thread int32
	Kind   Kind
	Mode   Mode
	Cells  []int32 // that it reads or writes
	From   []int32 // of a read: the source for each of Cells, an event or None
	Update bool    // of a write: the event before it in its thread is a read, and both are one read-modify-write
	After  []int32 // events of other threads that synchronise with this one
	Woken  []int32 // events of other threads that come before this one, and do not synchronise with it
	// Shared says that the event belongs to the lock or unlock of a reader: the unlock of a reader does not synchronise
	// with the lock of a reader.
	Shared bool
}

// Graph is an execution without modification order. The events of a thread are in program order.
type Graph struct {
	Events  []Event
	Threads int
	Cells   int
}

// Last demands that a write is the last one of its cell in modification order. By may be None.
type Last struct {
	Cell int32
	By   int32
}
