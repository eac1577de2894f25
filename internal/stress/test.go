package stress

import "fencepost/internal/ir"

// Test is a litmus test as a program can run it.
type Test struct {
	Name      string
	Locations []Location
	Threads   []Thread
	Observe   []Var
	// Base is an address that the numbers of the test do not lead to.
	Base uint64
	// Program is the test as the front end accepted it, in structured form, if it is
	// written in C. It is nil if the threads are instructions.
	Program *ir.Program
	// ObjectAt has the location of each object of Program.
	ObjectAt []int
}

// Location is a piece of memory that every round has a copy of.
type Location struct {
	Name  string
	Size  int64
	Align int // a power of two
	Init  []byte
	// Pointers are the offsets in Init where an address stands.
	Pointers []Pointer
}

// Pointer is an address in a location's first value.
type Pointer struct {
	At     int // where it stands, in bytes
	Width  int // 4 or 8 bytes
	Target Address
}

// Address is an offset in a location.
type Address struct {
	Location int // index
	Offset   int64
}

// Thread is one thread of a test.
type Thread struct {
	// Asm has one instruction or label per line.
	Asm []string
	// In are the registers that hold something when the thread begins.
	In []Input
	// Out are the registers whose values are kept at the end, by their 64-bit names.
	Out []string
	// Func is the thread's function in Program, Keep has the registers whose values are
	// kept at the end, and Stack is the location for automatic variables, or -1.
	Func  ir.FuncID
	Keep  []ir.Reg
	Stack int
}

// Input is the first value of a register: a number, or an address.
type Input struct {
	Register  string // the 64-bit name
	IsAddress bool
	Address   Address
	Number    int64
}

// Var is something observed when a round has ended, as an integer type.
type Var struct {
	Thread int // index, or -1: memory
	Out    int // index into the thread's outputs
	Shift  int // bits of the output to drop first

	Address Address // of memory

	// Held is how many bits there are, as a signed number; they are shown as an
	// integer of Bits bits. Both are 8, 16, 32 or 64.
	Held   int
	Bits   int
	Signed bool
}

// Program is the text for a compiler.
type Program struct{ Text string }
