package smc

import "fencepost/internal/machine"

// Names of package machine that this package uses all the time.
type (
	event           = machine.Event
	access          = machine.Access
	label           = machine.Label
	readsFromTables = machine.ReadsFromTables
	processes       = machine.Processes
)

const (
	none = machine.None

	reads  = machine.Reads
	writes = machine.Writes
	always = machine.Always

	isUpdate  = machine.IsUpdate
	drains    = machine.Drains
	joins     = machine.Joins
	begins    = machine.Begins
	isMutex   = machine.IsMutex
	marks     = machine.Marks
	locks     = machine.Locks
	acquires  = machine.Acquires
	varies    = machine.Varies
	allocates = machine.Allocates
	ends      = machine.Ends
)
