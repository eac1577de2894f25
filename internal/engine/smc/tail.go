package smc

import (
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/machine"
	"fencepost/internal/memory"
)

// Tails: the end of an execution in which one thread is left and no race is possible any more, such as what main does
// when the threads that it joins have ended, or the updates after the last load.
//
// The events of a tail are performed one after the other and taken back at once, without clocks, nodes and sleep sets.
// They are not among the events in which races are found, and sequences v lack them. That changes nothing:
//   - No event of a tail is in a race. It accesses nothing; or only words that no other thread has accessed; or it
//     happens after all events of other threads; or it is an update of bytes that the same buffer has written after the
//     first event of every race. Nor is any other event possible while the tail is performed.
//   - Whether an event d is a weak initial of v does not depend on the tail. An event that happens after everything is
//     in no v. With an update of the last kind v has the one before it of the same bytes, and d depends on both or none.
//     An event of the tail by the process of d has the label of d, since there is no choice: d is then independent of
//     v, and in v if that has the tail, and leads to v in either case. This leaves the words that no other thread has
//     accessed in an execution of this worker. Before an event counts as independent of v, or is tried in another
//     context, it is compared with those (compare). If it accesses one of them, the execution is continued from the
//     beginning of its tail in the ordinary way, and its races are reversed then.
//
// Executions with choices, whose alternatives may have to wait for events of the tail, have no tail; nor have programs
// with blocks, global fences, or joins that depend on each other.
//
// Differs from the papers, which have no tails.

// tail is the end of an execution, if it is one of the above.
type tail struct {
	off     bool  // for tests: there are no tails
	length  int   // in events; 0: the execution has no tail
	skipped bool  // the machine did not perform it
	clash   bool  // an event that was compared accesses the words of the tail
	again   bool  // the execution goes on in the ordinary way, and has been judged
	urgent  int32 // a buffer whose next update may be in a race, so that there is no tail before it; or none

	accesses []privateAccess // to words that no other thread has accessed
	refused  map[point]bool
	joined   []int32 // per thread: the newest tail in which it was joined
	number   int32   // of tails so far
	known    knownTails
	reads    []tailRead // of the tail that is performed
	count    tailCounts
	event    event // scratch
}

// tailCounts counts executions with tails, tails that were not even performed, and executions that went on in the
// ordinary way after all.
type tailCounts struct{ All, Skipped, Again int }

// privateAccess is accesses to neighbouring bytes, in words that only one thread has accessed.
type privateAccess struct {
	thread   int32
	mode     machine.Mode
	from, to uint64
}

// point is where the thread that is left was. A tail is not tried again where there was none.
type point struct {
	thread int32
	loc    ir.Loc
}

// maxTail bounds the events of a tail: a thread that has more may be in a loop that never ends.
const maxTail = 1 << 14

// compare notes if event d accesses words of the tail.
func (tl *tail) compare(d *event) {
	if tl.length == 0 {
		return
	}
	for i := range tl.accesses {
		o := &tl.accesses[i]
		if o.thread == d.Thread {
			continue
		}
		for k := range d.Size() {
			a := d.At(k)
			tl.clash = tl.clash || (a.Mode|o.mode)&writes != 0 && a.Addr < o.to && o.from < a.Addr+uint64(a.Size)
		}
	}
}

// add notes an access to words that no other thread has accessed.
func (tl *tail) add(t int32, a access) {
	to := a.Addr + uint64(a.Size)
	if n := len(tl.accesses); n > 0 {
		if o := &tl.accesses[n-1]; o.thread == t && o.mode == a.Mode && o.from <= a.Addr && a.Addr <= o.to {
			o.to = max(o.to, to)
			return
		}
	}
	tl.accesses = append(tl.accesses, privateAccess{t, a.Mode, a.Addr, to})
}

// finish performs the tail that begins at the newest node. It returns false if there is none; then the machine is at the
// node.
func (x *explorer) finish() bool {
	tl := &x.tail
	tl.urgent = none
	if !x.mayFinish() {
		return false
	}
	thread, buffers, ok := x.alone()
	if !ok || thread == none && buffers == 0 {
		return false
	}
	at := x.point(thread)
	if tl.refused[at] || !x.updatesHarmless() {
		return false
	}
	var known *knownTail
	if x.stateUnused() && thread != none {
		known = x.knownNow(thread, buffers)
	}
	tl.skipped = known != nil || x.stateUnused() && thread == none
	if tl.skipped {
		tl.count.Skipped++
		if known != nil {
			tl.length += known.length
			tl.accesses = append(tl.accesses, known.accesses...)
		}
	} else if !x.drain() || !x.complete(thread) {
		x.rewindTail()
		tl.length = 0
		x.refuseTail(at)
		return false
	}
	tl.count.All++
	x.meter.work += tailCost
	if !tl.skipped {
		x.meter.work += updateCost * int64(tl.length)
	}
	x.out.counts.events += int64(tl.length)
	x.out.counts.depth = max(x.out.counts.depth, len(x.exec.events)+tl.length)
	return true
}

func (x *explorer) point(thread int32) point {
	if thread == none {
		return point{none, none}
	}
	return point{thread, x.run.State.PC(ir.ThreadID(thread))}
}

// stateUnused reports whether the final state is not asked for or the steps of complete executions.
func (x *explorer) stateUnused() bool {
	return x.task.Props.Final == nil && !x.task.Finals && x.task.Visit == nil && x.check == nil && x.atEnd == nil
}

// mayFinish reports whether an execution may have a tail after its newest event, as far as that is known at once.
func (x *explorer) mayFinish() bool {
	last, uses := len(x.exec.events)-1, &x.run.Uses
	if last < 0 || x.goals.watch != nil || x.tail.off || uses.Heap || uses.Global || uses.Joins || uses.Shared || x.exec.reversibleSoFar().choices {
		return false
	}
	return x.run.Sys.Thread(x.run.State, int(x.exec.events[last].Thread)).Ended()
}

// refuseTail keeps tails from being tried again where one could not be performed.
func (x *explorer) refuseTail(at point) {
	if x.tail.refused == nil {
		x.tail.refused = map[point]bool{}
	}
	x.tail.refused[at] = true
}

// rewindTail takes the machine back to the newest node, where the tail began.
func (x *explorer) rewindTail() {
	n := &x.nodes[len(x.nodes)-1]
	x.run.Undo(machine.Mark{State: n.mark, Log: n.log})
	x.run.Steps = x.run.Steps[:n.steps]
	x.run.Issued = x.run.Issued[:0]
}

// leaveTail forgets the tail when the races of the execution have been reversed.
func (x *explorer) leaveTail() {
	if x.tail.clash {
		x.out.counts.events -= int64(x.tail.length)
		x.tail.clash, x.tail.again = false, true
		x.tail.count.Again++
		x.path.forward(len(x.exec.events)) // events may have been tried elsewhere
		thread, _, _ := x.alone()
		x.refuseTail(x.point(thread))
	}
	x.tail.length, x.tail.skipped = 0, false
}

// alone returns the only thread that has not ended, or none, and how many buffers are not empty. It returns false if
// there are several such threads, or if the thread can go on by something else than a join before the buffers are empty.
func (x *explorer) alone() (thread int32, buffers int, ok bool) {
	thread = none
	sleep := x.nodes[len(x.nodes)-1].sleep
	for t := x.alive.first(); t != x.alive.end(); t = x.alive.next[t] {
		id, now := ir.ThreadID(t), &x.run.Threads.Now[t]
		if !x.run.State.Started(id) {
			continue
		}
		ended := x.run.Sys.Thread(x.run.State, int(t)).Ended()
		if now.Stop != machine.Runs || now.BufferStuck || !ended && thread != none {
			return none, 0, false
		}
		if !ended {
			thread = t
		}
		if len(x.run.State.Buffer(id)) > 0 {
			buffers++
		}
	}
	for k := range sleep {
		if t := sleep[k].Thread; t == thread || len(x.run.State.Buffer(ir.ThreadID(t))) > 0 {
			return none, 0, false
		}
	}
	return thread, buffers, thread == none || buffers == 0 || joining(&x.run, int(thread))
}

// updatesHarmless reports whether no update that is left can be in a race. Otherwise the buffer whose next update can is
// urgent.
func (x *explorer) updatesHarmless() bool {
	tl, state := &x.tail, x.run.State
	tl.length, tl.accesses = 0, tl.accesses[:0]
	for t := x.alive.first(); t != x.alive.end(); t = x.alive.next[t] {
		buf := state.Buffer(ir.ThreadID(t))
		for i := range buf {
			en := &buf[i]
			if i > 0 && en.Addr == buf[i-1].Addr && en.Size == buf[i-1].Size && en.Kind == memory.StoreEntry {
				continue
			}
			if en.Kind != memory.StoreEntry || en.StaticOffset() < 0 || x.exec.reversibleSoFar().varying {
				return false
			}
			if p := x.run.BufferOf(int(t), en); !x.harmless(p, en.Addr, en.Size) {
				if i == 0 && x.run.CanUpdate(int(t), en.Addr, en.Size) {
					tl.urgent = p
				}
				return false
			}
		}
		tl.length += len(buf)
	}
	return tl.length <= maxTail
}

// drain performs the updates that are left.
func (x *explorer) drain() bool {
	for t := x.alive.first(); t != x.alive.end(); t = x.alive.next[t] {
		for len(x.run.State.Buffer(ir.ThreadID(t))) > 0 {
			if !x.run.Update(int(t)) {
				return false
			}
		}
	}
	return true
}

// harmless reports whether an update by buffer p is in no race: no other thread has accessed the words, or the buffer has
// written the same bytes after the first event of every race.
func (x *explorer) harmless(p int32, addr uint64, size uint32) bool {
	ex := &x.exec
	a := access{Addr: addr, Size: uint8(size), Mode: writes}
	t := ex.procs.List[p].Thread
	last := (addr + uint64(size) - 1) / 8
	for w := addr / 8; ; w++ {
		slot := ex.chains.slotOf(w)
		if ex.chains.privateTo(slot, t) {
			x.tail.add(t, a)
		} else if r := ex.chains.heads[slot]; r == none {
			return false
		} else if rec := &ex.chains.records[r]; ex.events[rec.ev].Proc != p || rec.mode != writes ||
			rec.mask != machine.Shift(a.Bytes(), int64(addr-8*w)) || rec.ev <= ex.reversibleSoFar().newest {
			return false
		}
		if w == last {
			return true
		}
	}
}

// complete performs what is left of thread t. It returns false if a race may be possible, or a choice, or the thread does
// not run to its end.
func (x *explorer) complete(t int32) bool {
	if t == none {
		return true
	}
	tl := &x.tail
	tl.number++
	tl.reads = tl.reads[:0]
	updates := tl.length
	tl.accesses = append(tl.accesses, privateAccess{thread: none}) // no access of an update grows
	first := len(tl.accesses)
	th := x.run.Sys.Thread(x.run.State, int(t))
	known, stores := true, false // it depends on the thread alone, and on what it reads; it stores
	after := false               // the thread is after all events of the others
	for !th.Ended() {
		if th.HasChoice() || tl.length >= maxTail {
			return false
		}
		op := th.Op(0)
		switch op.Kind {
		case ir.Load:
		case ir.Store:
			stores = true
		case ir.Join:
			known = known && op.Dst == ir.NoReg
			if !x.joins(th.JoinTarget(0)) {
				return false
			}
		default:
			return false
		}
		e := &tl.event
		x.run.Perform(t, label{}, e)
		tl.length++
		if e.Flags&ends != 0 || len(x.run.Issued) > 0 || x.run.Threads.Now[t].Stop != machine.Runs {
			return false
		}
		if !after && !x.exec.chains.private(e) {
			if after = x.afterAll(t, x.tail.joined, x.tail.number); !after {
				return false
			}
		}
		for k := range e.Size() {
			if a := e.At(k); !after {
				tl.add(t, *a)
			} else if r := (tailRead{a.Addr, a.Size, x.run.Sys.ReadRaw(x.run.State, a.Addr, int(a.Size))}); op.Kind == ir.Load && !slices.Contains(tl.reads, r) {
				tl.reads = append(tl.reads, r)
			}
		}
	}
	if known && !(after && (stores || updates > 0)) {
		x.rememberTail(t, tl.length-updates, after, tl.accesses[first:])
	}
	return true
}

// joins notes that the tail joins thread u. It reports false if the join waits: a thread that joins itself waits for ever.
func (x *explorer) joins(u int) bool {
	if u < 0 || !x.run.Sys.Thread(x.run.State, u).Ended() || len(x.run.State.Buffer(ir.ThreadID(u))) > 0 {
		return false
	}
	for len(x.tail.joined) < len(x.run.Threads.Now) {
		x.tail.joined = append(x.tail.joined, none)
	}
	x.tail.joined[u] = x.tail.number
	return true
}

// afterAll reports whether what thread t does now happens after all events of other threads. joined has number for the
// threads that it has joined since its last event.
func (x *explorer) afterAll(t int32, joined []int32, number int32) bool {
	b := x.exec.base[t]
	for p := range x.run.Procs.List {
		u, l := x.run.Procs.List[p].Thread, x.run.Procs.Last[p]
		if u == t || l == none || joined != nil && joined[u] == number {
			continue
		}
		if b == none || !x.exec.before(l, b) {
			return false
		}
	}
	return true
}
