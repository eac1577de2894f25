package ir

// The orders of the accesses of an operation under c11, as the checker of executions and the search for memory orders have
// them. Locks are acquire and release, and not more; a call of the library that fails is a relaxed read. The engine rf has a
// table of its own.

// ReadOrder returns the order of the read of an operation. relock is for a condition wait: the mutex is locked again.
func (op *Op) ReadOrder(wrote, relock bool) Order {
	switch {
	case op.Kind == CondWait && relock:
		return Acquire
	case op.Kind == CondWait:
		return Relaxed
	case op.Sync.Kind == SyncTake, op.Sync.Kind == SyncTakeShared:
		return Acquire
	case op.Sync.Kind != SyncUnset:
		return Relaxed
	case op.Kind == Lock || op.Kind == Barrier || op.Kind == TryLock && wrote:
		return Acquire
	case op.Kind == Unlock || op.Kind == TryLock:
		return Relaxed
	case op.Kind == RMW && !wrote && op.Sync.Fail != OrderUnset:
		return op.Sync.Fail
	}
	return op.Sync.Order
}

// WriteOrder returns the order of the write of an operation. unlock is for a condition wait: the mutex is unlocked.
func (op *Op) WriteOrder(unlock bool) Order {
	switch {
	case op.Kind == CondWait && !unlock:
		return Relaxed
	case op.Kind == CondWait:
		return Release
	case op.Sync.Kind == SyncGive, op.Sync.Kind == SyncGiveShared:
		return Release
	case op.Sync.Kind != SyncUnset, op.Kind == Lock || op.Kind == TryLock:
		return Relaxed
	case op.Kind == Unlock || op.Kind == Barrier:
		return Release
	}
	return op.Sync.Order
}
