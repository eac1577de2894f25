package bmc

import (
	"fencepost/internal/ir"
	"fencepost/internal/property"
)

// Plan is the sequentialized program with rounds, as far as other writers of it need it: the unrolled program, where its
// threads can stop, and its cells.
type Plan struct {
	Program *ir.Program
	Props   *property.Set
	Rounds  int // the main thread has one turn more
	Clock   int // times, from 0
	Queue   int // writes of a cell that are kept
	Cells   []PlanCell
	Order   [][]ir.Loc        // by thread: the locations that it can reach, in topological order
	Stops   []map[ir.Loc]bool // by thread: where it can be stopped
}

// PlanCell is a piece of memory that is kept as one word.
type PlanCell struct {
	Addr uint64
	Size int
	User ir.ThreadID // the only thread that accesses the cell, or NoThread
}
