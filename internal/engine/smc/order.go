package smc

import (
	"slices"

	"fencepost/internal/machine"
	"fencepost/internal/memory"
)

// Happens-before of an execution: the chronological trace of [AAAJLS15 §3], as a vector clock per
// event [AAAJLS15 App. B], and the reversible races.
//
// Happens-before is the transitive closure of these edges:
//   - program order between the events of a process;
//   - from a store to its update (su in the paper);
//   - between updates with a common byte, in the order in which they happen (uu);
//   - from an update to a load of another thread that reads from it (src-ct);
//   - from a load to the update of another thread that overwrites what it read (cf-ct);
//   - from the updates of a thread to its next fence (uf);
//   - from the beginning of a thread to that of the next one, of threads that can be exchanged. It is never reversible.
//
// Reads-from and conflicts are per byte. For every byte that a load forwards it is attached to the
// store in the buffer that has the byte. Other threads see this byte of the load change when that
// store's update happens.
//
// Differs from the paper: there are bytes instead of locations, and a load may read some bytes from
// memory while it forwards others. machine/event.go says what other operations access. Three more kinds of
// edges are never reversible: from a spawn to the first event of the thread; from the last event of
// a thread and of its buffers to a join of it; and, under PSO, from updates of stores before a
// store-store fence to updates of stores after it. The last accesses to a byte are found in the
// chain of its word (chains.go).

// predecessors collects in ex.found the events of other threads that the new event e, number i, directly
// depends on, and adds to its past the updates of its own thread that it comes after.
func (ex *execution) predecessors(e *event, i int32) {
	ex.found = ex.found[:0]
	for k := range e.Size() {
		a := e.At(k)
		live := e.Live(a)
		if live == 0 {
			continue
		}
		last := (a.Addr + uint64(a.Size) - 1) / 8
		if a.Addr == machine.HeapToken {
			ex.walkHeap(e, a)
			continue
		}
		for w := a.Addr / 8; ; w++ {
			ex.walk(e, a, w, live, i)
			if w == last {
				break
			}
		}
	}
}

// walk visits the records of a chain, from the newest on, until the last writer of every live byte
// of an access has been met. An update comes after the last updates of its own thread. A load is
// not ordered with updates of its own thread, since it could have forwarded the same bytes before
// them; walk notes which bytes it read from such an update.
func (ex *execution) walk(e *event, a *access, word uint64, live uint8, i int32) {
	at := int64(a.Addr - 8*word)
	left := machine.Shift(live, at)
	for r := ex.chains.head(word); r != none && left != 0; r = ex.chains.records[r].prev {
		rec := &ex.chains.records[r]
		common := rec.mask & left
		if common == 0 {
			continue
		}
		o := &ex.events[rec.ev]
		if rec.mode&writes == 0 {
			if a.Mode&writes != 0 && o.Thread != e.Thread {
				ex.addFound(rec.ev)
			}
			continue
		}
		left &^= common
		switch {
		case o.Thread != e.Thread || e.Flags&allocates != 0:
			ex.addFound(rec.ev)
		case o.Flags&isUpdate == 0:
		case e.Flags&isUpdate != 0:
			ex.joinPast(rec.ev, i)
		case e.Flags&drains == 0 && a.Mode&writes == 0:
			ex.sees(e, a, machine.Shift(common, -at), o.Ord)
		}
		if a.Mode&writes != 0 && o.Flags&isUpdate != 0 && o.Thread != e.Thread {
			ex.findAttached(o, a)
		}
	}
}

// walkHeap is walk for the set of free blocks. An alloc neither waits for the buffer of its thread nor forwards: it depends
// on what other threads add to the set and take from it, and on its own thread only by the block that it takes. So the
// newest write is not after all others: those of its own thread, before it, may be independent of it. But of two newest
// writes of different threads one or the other is after each access before both.
func (ex *execution) walkHeap(e *event, a *access) {
	newest := int32(noThread)
	for r := ex.chains.head(a.Addr / 8); r != none; r = ex.chains.records[r].prev {
		rec := &ex.chains.records[r]
		t := ex.events[rec.ev].Thread
		if t == e.Thread || (rec.mode|a.Mode)&writes == 0 {
			continue
		}
		ex.addFound(rec.ev)
		switch {
		case rec.mode&writes == 0:
		case newest == noThread:
			newest = t
		case newest != t:
			return
		}
	}
}

// addFound adds event i to ex.found, which has the latest event first. Chains are walked from the latest on, so that most
// often it is the last one.
func (ex *execution) addFound(i int32) {
	k := len(ex.found)
	if k == 0 || ex.found[k-1] > i {
		ex.found = append(ex.found, i)
		return
	}
	for k > 0 && ex.found[k-1] < i {
		k--
	}
	if k == 0 || ex.found[k-1] != i {
		ex.found = slices.Insert(ex.found, k, i)
	}
}

// reversible is a reversible race: a pair of events of which the second directly depends on the
// first and could come before it. It also stands for something that could have happened instead of
// the first event: another choice, or a lock of a thread that waits for the mutex.
type reversible struct {
	first  int32
	second int32 // none: the second event did not happen; it is that of proc with label
	proc   int32
	label  label
	lock   bool // the second is a lock, and the first took the mutex that it waits for
	// without is 0, or one more than an event that is not in the sequence either: proc does the second event instead of
	// that event or of the first, and before the other one.
	without int32
	done    bool // the reversal is covered in every execution with this prefix
	// until is how many events, from the first one of the execution on, the reversal was decided by: while they stay,
	// nothing has to be done again. 0: the reversal is to be decided.
	until int32
	sofar reversibleSoFar
}

// reversibleSoFar describes a race and the races before it in the execution, for tails.
type reversibleSoFar struct {
	newest  int32 // their newest first event
	choices bool  // some are alternatives
	varying bool  // the second event of some may access other bytes if it comes first
}

// addReversible adds a race to those of the execution.
func (ex *execution) addReversible(r reversible) {
	r.sofar = ex.reversibleSoFar()
	r.sofar.newest = max(r.first, r.sofar.newest)
	r.sofar.choices = r.sofar.choices || r.second == none
	r.sofar.varying = r.sofar.varying || r.second != none && ex.events[r.second].Flags&varies != 0
	ex.reversible = append(ex.reversible, r)
}

func (ex *execution) reversibleSoFar() reversibleSoFar {
	if n := len(ex.reversible); n > 0 {
		return ex.reversible[n-1].sofar
	}
	return reversibleSoFar{newest: none}
}

// order computes the past of the newest event and its reversible races.
func (ex *execution) order(i int32) {
	e := &ex.events[i]
	ex.beginPast(i)
	t := e.Thread
	if e.Flags&begins != 0 {
		if b := ex.waitsFor(t); b != none {
			ex.joinPast(b, i)
		}
	}
	if e.Flags&isUpdate == 0 {
		if b := ex.base[t]; b != none {
			ex.joinPast(b, i)
		}
	} else {
		if l := ex.procs.Last[e.Proc]; l != none {
			ex.joinPast(l, i)
		}
		if st := ex.stores[t][e.Ord].ev; st != none {
			ex.joinPast(st, i)
		}
		ex.epochs(e, i)
	}
	if e.Flags&drains != 0 {
		ex.joinBuffers(t, i)
	}
	if e.Flags&joins != 0 && e.Other > 0 {
		u := e.Other - 1
		if ex.uses.Joins {
			ex.reversibleJoin(i)
		}
		if b := ex.base[u]; b != none {
			ex.joinPast(b, i)
		}
		ex.joinBuffers(u, i)
	}
	ex.predecessors(e, i)
	if e.Flags&locks != 0 {
		ex.reversibleLock(i)
	}
	// From the latest on: an event that happens before another one of them is no reversible race.
	for _, f := range ex.found {
		if ex.inPast(f, i) {
			continue
		}
		ex.joinPast(f, i)
		// A lock cannot come before the unlock that it waits for; reversibleLock has the pair with
		// the lock before. An event that only reads a free mutex, such as an unlock that is an
		// error or fails, is no such unlock.
		if o := &ex.events[f]; e.Flags&locks == 0 || o.Flags&isMutex == 0 || o.Flags&ends != 0 || o.Acc[0].Mode&writes == 0 {
			ex.addReversible(reversible{first: f, second: i})
		}
	}
}

// joinBuffers adds the newest updates of thread t to the past of event i.
func (ex *execution) joinBuffers(t, i int32) {
	for _, p := range ex.procs.Buffers[t] {
		if l := ex.procs.Last[p]; l != none {
			ex.joinPast(l, i)
		}
	}
}

// epochs adds to the past of update e, number i, the updates of stores that a store-store fence separates
// from the store of e, and the allocs that took back a block whose free e would have come after.
func (ex *execution) epochs(e *event, i int32) {
	epoch := ex.stores[e.Thread][e.Ord].epoch
	if ex.uses.Frees {
		for k := range e.Ord {
			if o := &ex.stores[e.Thread][k]; o.taken != none && (ex.model == memory.TSO || o.epoch < epoch) {
				ex.joinPast(o.taken, i)
			}
		}
	}
	if epoch == 0 {
		return
	}
	for k := range e.Ord {
		if o := &ex.stores[e.Thread][k]; o.epoch < epoch && o.upd != none {
			ex.joinPast(o.upd, i)
		}
	}
}

// reversibleLock adds the reversible race of lock i with the event that took the mutex before it,
// unless that event happens before the thread comes to the lock.
func (ex *execution) reversibleLock(i int32) {
	e := &ex.events[i]
	if f := ex.acquirer(e.Acc[0].Addr); f != none && ex.events[f].Thread != e.Thread && !ex.inPast(f, i) {
		ex.addReversible(reversible{first: f, second: i, lock: true})
	}
	ex.overwritten = ex.overwritten || ex.marked(e.Acc[0].Addr, e.Thread, func(f int32) bool { return ex.inPast(f, i) })
}

// marked reports whether something that is no operation on a mutex made the mutex at addr look held, and could as well
// have come after an operation of thread t on the mutex: past reports what happens before that operation. An operation
// that waits could then have come first, and no lock is there to reverse it with.
func (ex *execution) marked(addr uint64, t int32, past func(int32) bool) bool {
	for w := addr / 8; w <= (addr+memory.WordSize-1)/8; w++ {
		for r := ex.chains.head(w); r != none; r = ex.chains.records[r].prev {
			rec := &ex.chains.records[r]
			e := &ex.events[rec.ev]
			switch before := past(rec.ev); {
			case e.Flags&marks != 0 && e.Thread != t && rec.mode&writes != 0 && !before:
				return true
			case before && rec.mode&writes != 0 && rec.mask == 0xff:
				return false // and so does all that comes before it
			}
		}
	}
	return false
}

// reversibleJoin adds the reversible race of join i with the start of its thread, unless that happens before the
// joining thread comes to the join. The join fails if it comes first.
func (ex *execution) reversibleJoin(i int32) {
	if f := ex.starter(int(ex.events[i].Other) - 1); f != none && ex.events[f].Thread != ex.events[i].Thread && !ex.inPast(f, i) {
		ex.addReversible(reversible{first: f, second: i})
	}
}

// starter returns the event that started thread t, or none.
func (ex *execution) starter(t int) int32 {
	for r := ex.chains.head((machine.SpawnBase + 8*uint64(t)) / 8); r != none; r = ex.chains.records[r].prev {
		if f := ex.chains.records[r].ev; ex.events[f].Flags&joins == 0 && int(ex.events[f].Other) == t+1 {
			return f
		}
	}
	return none
}

// acquirer returns the last event that took the mutex at addr when it was free, or none.
func (ex *execution) acquirer(addr uint64) int32 {
	return ex.newest(addr, func(i int32) bool { return ex.events[i].Flags&acquires != 0 && ex.events[i].Accesses(addr) })
}

// newest returns the newest event that accesses the word of an address and is wanted, or none.
func (ex *execution) newest(addr uint64, wanted func(int32) bool) int32 {
	for r := ex.chains.head(addr / 8); r != none; r = ex.chains.records[r].prev {
		if i := ex.chains.records[r].ev; wanted(i) {
			return i
		}
	}
	return none
}
