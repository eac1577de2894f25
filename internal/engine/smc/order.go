package smc

import "fencepost/internal/memory"

// Happens-before of the execution being explored: the chronological trace of
// [AAAJLS15 §3], as a vector clock per event [AAAJLS15 App. B], and its races.
//
// The edges: program order within a process; a store to its update (su); updates of
// common bytes in their order (uu); an update to the load that sees it, unless it
// is the load's own thread's (src-ct); a load to the update that overwrites what it
// saw, unless that is its own thread's (cf-ct); the updates of a thread to its next
// fence (uf). Source and conflict are per byte: a load is attached, for each byte it forwarded,
// to the store it took this byte from, and the byte becomes visible with the update of that store.
//
// Differs from the paper: bytes instead of locations, and a load may have bytes of both kinds; what is not a load, store or fence
// is treated as package event says, with three more edges that no race comes from: spawn to the first event
// of the thread, the last event of a thread and of its buffers to the join, and,
// under PSO, updates before a store-store fence to updates behind it. The sets of last
// updates and loads per location are not kept as such: events that touch a word of memory form
// a chain, which is walked from its newest end until all bytes are accounted for.

// record is an access in the chain of its word.
type record struct {
	slot int32
	prev int32
	ev   int32
	mask uint8 // bytes of the word
	mode mode
}

// words maps words of 8 bytes to chains: open addressing, and entries stay.
type words struct {
	keys  []uint64 // 1 + word
	slots []int32
	used  int
}

func (w *words) slot(word uint64) int32 {
	if 2*w.used >= len(w.keys) {
		w.grow()
	}
	mask := uint64(len(w.keys) - 1)
	i := (word * 0x9e3779b97f4a7c15) >> 20 & mask
	for w.keys[i] != 0 {
		if w.keys[i] == word+1 {
			return w.slots[i]
		}
		i = (i + 1) & mask
	}
	w.keys[i], w.slots[i] = word+1, int32(w.used)
	w.used++
	return int32(w.used - 1)
}

func (w *words) grow() {
	old := *w
	n := max(64, 2*len(old.keys))
	w.keys, w.slots = make([]uint64, n), make([]int32, n)
	mask := uint64(n - 1)
	for i, k := range old.keys {
		if k == 0 {
			continue
		}
		j := ((k - 1) * 0x9e3779b97f4a7c15) >> 20 & mask
		for w.keys[j] != 0 {
			j = (j + 1) & mask
		}
		w.keys[j], w.slots[j] = k, old.slots[i]
	}
}

// slotOf is where the newest record of a word is in heads.
func (x *explorer) slotOf(word uint64) int32 {
	i := x.words.slot(word)
	for int(i) >= len(x.heads) {
		x.heads = append(x.heads, none)
	}
	return i
}

// addRecords puts the accesses of event number i into the chains.
func (x *explorer) addRecords(i int32) {
	e := &x.ev[i]
	for k := range e.size() {
		a := e.at(k)
		live := e.live(a)
		if live == 0 {
			continue
		}
		last := (a.addr + uint64(a.size) - 1) / 8
		for w := a.addr / 8; ; w++ {
			if m := shift(live, int64(a.addr-8*w)); m != 0 {
				slot := x.slotOf(w)
				x.records = append(x.records, record{slot: slot, prev: x.heads[slot], ev: i, mask: m, mode: a.mode})
				x.heads[slot] = int32(len(x.records) - 1)
			}
			if w == last {
				break
			}
		}
	}
}

func (x *explorer) dropRecords(n int) {
	for i := len(x.records) - 1; i >= n; i-- {
		x.heads[x.records[i].slot] = x.records[i].prev
	}
	x.records = x.records[:n]
}

// predecessors collects in x.found the events of other threads that event e, about
// to be added, directly depends on, and joins into its clock the updates of its own
// thread that it must come after.
func (x *explorer) predecessors(e *event, clock []int32) {
	x.found = x.found[:0]
	for k := range e.size() {
		a := e.at(k)
		live := e.live(a)
		if live == 0 {
			continue
		}
		last := (a.addr + uint64(a.size) - 1) / 8
		for w := a.addr / 8; ; w++ {
			x.walk(e, a, w, live, clock)
			if w == last {
				break
			}
		}
	}
}

// walk looks at a chain from its newest end until all live bytes of an access have a last
// writer. An update comes after the last updates of its own thread. A load could have forwarded
// what it sees of them, and is not ordered; that it sees it is noted.
func (x *explorer) walk(e *event, a *access, word uint64, live uint8, clock []int32) {
	at := int64(a.addr - 8*word)
	left := shift(live, at)
	for r := x.heads[x.slotOf(word)]; r != none && left != 0; r = x.records[r].prev {
		rec := &x.records[r]
		common := rec.mask & left
		if common == 0 {
			continue
		}
		o := &x.ev[rec.ev]
		if rec.mode&writes == 0 {
			if a.mode&writes != 0 && o.thread != e.thread {
				x.find1(rec.ev)
			}
			continue
		}
		left &^= common
		switch {
		case o.thread != e.thread || e.flags&allocates != 0:
			x.find1(rec.ev)
		case o.flags&isUpdate == 0:
		case e.flags&isUpdate != 0:
			join(clock, x.clock(rec.ev))
		case e.flags&drains == 0 && a.mode&writes == 0:
			x.sees(e, a, shift(common, -at), o.ord)
		}
		if a.mode&writes != 0 && o.flags&isUpdate != 0 && o.thread != e.thread {
			x.findAttached(o, a)
		}
	}
}

func (x *explorer) find1(i int32) {
	for _, f := range x.found {
		if f == i {
			return
		}
	}
	x.found = append(x.found, i)
}

// clock is the vector clock of an event of the execution.
func (x *explorer) clock(i int32) []int32 {
	return x.clocks[int(i)*x.stride : (int(i)+1)*x.stride]
}

func join(a, b []int32) {
	b = b[:len(a)]
	for i, v := range b {
		if v > a[i] {
			a[i] = v
		}
	}
}

// precedes reports whether event i is in the past that a clock describes.
func (x *explorer) precedes(i int32, clock []int32) bool {
	e := &x.ev[i]
	return clock[e.proc] >= e.idx
}

// race is a pair of events of which the second depends on the first directly and
// could come first, or a choice the first event had.
type race struct {
	first  int32
	second int32 // none: what did not happen, label of proc
	proc   int32
	label  label
	lock   bool // a lock that waits for the mutex the first event took
	done   bool // whatever follows, the reversal has been explored
}

// orderEvent computes the clock of the newest event and its races.
func (x *explorer) orderEvent(i int32) {
	e := &x.ev[i]
	c := x.clock(i)
	clear(c)
	t := e.thread
	if e.flags&isUpdate == 0 {
		if b := x.base[t]; b != none {
			join(c, x.clock(b))
		}
	} else {
		if l := x.last[e.proc]; l != none {
			join(c, x.clock(l))
		}
		if st := x.stores[t][e.ord].ev; st != none {
			join(c, x.clock(st))
		}
		x.epochs(e, c)
	}
	if e.flags&drains != 0 {
		x.joinBuffers(t, c)
	}
	if e.other > 0 && x.joins(e) {
		u := e.other - 1
		if b := x.base[u]; b != none {
			join(c, x.clock(b))
		}
		x.joinBuffers(u, c)
	}
	x.predecessors(e, c)
	if e.flags&locks != 0 {
		x.lockRace(i, c)
	}
	// From the latest on: what a later one comes after is no race.
	for len(x.found) > 0 {
		n := 0
		for k := range x.found {
			if x.found[k] > x.found[n] {
				n = k
			}
		}
		f := x.found[n]
		x.found[n] = x.found[len(x.found)-1]
		x.found = x.found[:len(x.found)-1]
		if x.precedes(f, c) {
			continue
		}
		join(c, x.clock(f))
		// A lock comes after whoever let the mutex go; lockRace has what came before that. Who
		// only looked at a mutex that was free, as an unlock that is an error does, let nothing go.
		if e.flags&locks == 0 || x.ev[f].flags&isMutex == 0 || x.ev[f].acc[0].mode&writes == 0 {
			x.races = append(x.races, race{first: f, second: i})
		}
	}
	c[e.proc] = e.idx
}

// joins reports whether an event that names another thread is a join.
func (x *explorer) joins(e *event) bool { return e.size() == 0 }

// joinBuffers adds what the buffers of thread t have done.
func (x *explorer) joinBuffers(t int32, c []int32) {
	for _, p := range x.auxOf[t] {
		if l := x.last[p]; l != none {
			join(c, x.clock(l))
		}
	}
}

// epochs adds the updates of stores before the last store-store fence before the
// store of update e, and the allocs that took back frees which e would have come after.
func (x *explorer) epochs(e *event, c []int32) {
	epoch := x.stores[e.thread][e.ord].epoch
	if x.frees {
		for k := range e.ord {
			if o := &x.stores[e.thread][k]; o.taken != none && (x.y.Model == memory.TSO || o.epoch < epoch) {
				join(c, x.clock(o.taken))
			}
		}
	}
	if epoch == 0 {
		return
	}
	for k := range e.ord {
		if o := &x.stores[e.thread][k]; o.epoch < epoch && o.upd != none {
			join(c, x.clock(o.upd))
		}
	}
}

// lockRace finds the event that took the mutex before the lock e does: without it e
// could have come first, unless it happens before the attempt.
func (x *explorer) lockRace(i int32, c []int32) {
	e := &x.ev[i]
	if f := x.acquirer(e.acc[0].addr); f != none && x.ev[f].thread != e.thread && !x.precedes(f, c) {
		x.races = append(x.races, race{first: f, second: i, lock: true})
	}
}

// acquirer is the last event that took the mutex at addr when it was free.
func (x *explorer) acquirer(addr uint64) int32 {
	for r := x.heads[x.slotOf(addr/8)]; r != none; r = x.records[r].prev {
		if i := x.records[r].ev; x.ev[i].flags&acquires != 0 && x.ev[i].touches(addr) {
			return i
		}
	}
	return none
}
