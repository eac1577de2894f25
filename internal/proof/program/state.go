package program

import (
	"context"

	"fencepost/internal/ir"
)

// State is a reachable state of an instance.
type State interface {
	// At returns the location of a thread, or false if the thread has not been started.
	At(ir.ThreadID) (ir.Loc, bool)
	Reg(ir.ThreadID, ir.Reg) int64
	Read(addr uint64, typ ir.Type) int64
	// Lives reports whether a block that was allocated and is not freed begins at an address.
	Lives(addr uint64) bool
}

// Reach calls show with reachable states of a flat program under SC, outside of atomic sections.
// It may leave states out. engine/explicit has one.
type Reach func(ctx context.Context, p *ir.Program, show func(State))
