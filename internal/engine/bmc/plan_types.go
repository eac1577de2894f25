package bmc

import (
	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// Plan is the sequentialized program with rounds, as far as other writers of it need it: the unrolled program, where its
// threads can stop, its cells and its blocks.
type Plan struct {
	Program *ir.Program
	Props   *property.Set
	Rounds  int // the main thread has one turn more
	Clock   int // times, from 0
	Queue   int // writes of a cell that are kept
	Cells   []PlanCell
	Blocks  []PlanBlock
	Heap    []uint64          // by thread: where its blocks begin
	Unit    int               // the distances of blocks are multiples of it
	Order   [][]ir.Loc        // by thread: the locations that it can reach, in topological order
	Stops   []map[ir.Loc]bool // by thread: where it can be stopped
	run     *run
}

// PlanCell is a piece of memory that is kept as one word.
type PlanCell struct {
	Addr  uint64
	Size  int
	User  ir.ThreadID // the only thread that accesses the cell, or NoThread
	Tight bool        // more stores to it than are kept can wait
}

// PlanBlock is a block that can be allocated.
type PlanBlock struct {
	Addr  uint64
	Size  int
	Stack bool
}

// ChoiceKind says what is chosen.
type ChoiceKind uint8

// The kinds of choices, with what the value is.
const (
	ChoiceUnset ChoiceKind = iota
	ChoiceStop             // the round in which the thread goes on
	ChoiceClock            // the time of the clock
	ChoiceTime             // the time at which a store or a free reaches memory
	ChoiceWay              // the number of the edge
	ChoiceValue            // a value that is picked
	ChoiceBlock            // 0, or the number of a block that is used again, from 1
	ChoiceHalt             // 1: the thread stops for ever inside an atomic section
	ChoiceWake             // the number of the thread that a signal wakes, from 1
)

// Choice is something that is free in a plan.
type Choice struct {
	Thread ir.ThreadID
	Loc    ir.Loc
	Edge   int  // among the edges of the location, or -1: of the location itself
	Wait   bool // in the second step of an operation that waits
	Kind   ChoiceKind
}
