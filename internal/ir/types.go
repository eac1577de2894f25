package ir

import "fmt"

// Ids are small integers that index slices. They are stable: passes append, and never renumber
// things that a property or a result may refer to.
type (
	// Reg is a register of a function.
	Reg int32
	// Loc is a location of a function's automaton.
	Loc int32
	// EdgeID identifies an edge in the whole program.
	EdgeID int32
	// FuncID is a function.
	FuncID int32
	// ThreadID is a thread; its value is also the handle spawn returns.
	ThreadID int32
	// ObjectID is a static memory object.
	ObjectID int32
)

// Absent ids.
const (
	NoReg    Reg      = -1
	NoFunc   FuncID   = -1
	NoObject ObjectID = -1
	NoThread ThreadID = -1
	NoEdge   EdgeID   = -1
)

// Type is the width an operation works at, and what it takes the bits for.
type Type struct {
	Bits   uint8 // 8, 16, 32 or 64
	Signed bool
	Float  bool // a number of floating point, of 32 or 64 bits; not signed, as its bits are not extended
}

// The types.
var (
	S8  = Type{Bits: 8, Signed: true}
	S16 = Type{Bits: 16, Signed: true}
	S32 = Type{Bits: 32, Signed: true}
	S64 = Type{Bits: 64, Signed: true}
	U8  = Type{Bits: 8}
	U16 = Type{Bits: 16}
	U32 = Type{Bits: 32}
	U64 = Type{Bits: 64}
	F32 = Type{Bits: 32, Float: true}
	F64 = Type{Bits: 64, Float: true}
)

// Size returns the width in bytes.
func (t Type) Size() int { return int(t.Bits) / 8 }

// Valid reports whether there is such a type.
func (t Type) Valid() bool {
	if t.Float {
		return t == F32 || t == F64
	}
	return t.Bits == 8 || t.Bits == 16 || t.Bits == 32 || t.Bits == 64
}

func (t Type) String() string {
	kind := 'u'
	switch {
	case t.Float:
		kind = 'f'
	case t.Signed:
		kind = 's'
	}
	return fmt.Sprintf("%c%d", kind, t.Bits)
}

// Wrap cuts v to the width and extends it back to 64 bits.
func (t Type) Wrap(v int64) int64 {
	shift := 64 - uint(t.Bits)
	if t.Signed {
		return v << shift >> shift
	}
	return int64(uint64(v) << shift >> shift)
}

// Order is a C11 memory order. Only the data race property and the model c11 read it: front ends express the
// effect of an order on store buffers by fences and RMWs.
type Order uint8

// The orders. The zero value is unset and not valid on an access.
const (
	OrderUnset Order = iota
	Plain
	Relaxed
	Consume
	Acquire
	Release
	AcqRel
	SeqCst
)

var orderNames = [...]string{"", "plain", "relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"}

// ParseOrder returns the memory order with a name.
func ParseOrder(name string) (Order, bool) { return named[Order](orderNames[:], name) }

func (o Order) String() string {
	if int(o) >= len(orderNames) {
		panic(fmt.Sprintf("BUG: unknown order %d", o))
	}
	return orderNames[o]
}
