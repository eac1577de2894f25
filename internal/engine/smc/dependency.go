package smc

import "fencepost/internal/machine"

// When two events depend on each other.

// conflict reports whether two accesses have a common byte and one of them writes.
func conflict(a, b *access) bool {
	return (a.Mode|b.Mode)&writes != 0 && (a.Addr-b.Addr < uint64(b.Size) || b.Addr-a.Addr < uint64(a.Size))
}

// dependent reports whether two events of different processes, both possible in some state,
// depend on each other there.
func dependent(d, e *event) bool {
	if d.N == 1 && e.N == 1 && d.Thread != e.Thread && d.From.Forwarded|e.From.Forwarded == 0 && len(d.More)+len(e.More) == 0 { // most often
		return conflict(&d.Acc[0], &e.Acc[0])
	}
	if d.Thread == e.Thread {
		return d.Cancel != none && d.Cancel == e.Ord || e.Cancel != none && e.Cancel == d.Ord
	}
	for i := range d.Size() {
		a := d.At(i)
		for j := range e.Size() {
			if b := e.At(j); conflict(a, b) && (d.From.Forwarded|e.From.Forwarded == 0 || d.Live(a)&machine.Shift(e.Live(b), int64(b.Addr-a.Addr)) != 0) {
				return true
			}
		}
	}
	return false
}

// sameAccesses reports whether two events have the same accesses.
func sameAccesses(d, e *event) bool {
	if d.Size() != e.Size() {
		return false
	}
	for i := range d.Size() {
		if *d.At(i) != *e.At(i) {
			return false
		}
	}
	return true
}

// subsetOf reports whether every access of d is also an access of e.
func subsetOf(d, e *event) bool {
next:
	for i := range d.Size() {
		a := d.At(i)
		for j := range e.Size() {
			if b := e.At(j); a.Addr == b.Addr && a.Size == b.Size && a.Mode&^b.Mode == 0 {
				continue next
			}
		}
		return false
	}
	return true
}

// passes reports whether d, which is possible in some state, stays possible and unchanged when e
// happens there. It updates d: if e is the update of a store that d forwards bytes from, d reads
// these bytes from memory afterwards.
func passes(d, e *event) bool {
	if d.Proc == e.Proc || dependent(d, e) {
		return false
	}
	if d.From.Forwarded != 0 && e.Flags&isUpdate != 0 && d.Thread == e.Thread {
		d.From.Reached(e.Ord)
	}
	return true
}
