package smc

import "math/bits"

// Wakeup sequences.

// sequence is a wakeup sequence v: events that are possible one after the other from the node
// before the first event of a reversible race.
type sequence struct {
	exec   *execution
	items  []item
	second int32 // the second event of the race, or none if it did not happen
	turn   int   // index of the reversed event in items
	last   event // the reversed event: the second event, as it is when it comes before the first

	same  bool  // the reversed event is known to have the accesses of the second one
	first int32 // of the race, if some events are still to be added
	next  int32 // the next event of the execution that may have to be added

	changed event   // scratch of get
	dropped []int32 // scratch of appendRest
}

// item is an event of a sequence: number i of the execution, or the reversed event if i is none.
type item struct {
	i         int32
	forwarded uint8 // the bytes that the event forwards in the sequence
	gone      bool  // the sequence was led along a branch with this event
}

// reset makes v empty.
func (v *sequence) reset(second int32) {
	v.items, v.second, v.next, v.same = v.items[:0], second, int32(len(v.exec.events)), false
}

// events returns how many events of the execution the first n of v are among, at least those up to the second event of
// the race. It returns 0 if n is all.
func (v *sequence) events(n int) int32 {
	switch {
	case n == all:
		return 0
	case n <= v.turn+1:
		return v.second + 1
	default:
		return max(v.second, v.items[n-1].i) + 1
	}
}

// get returns event k of the sequence as it is in the sequence. The result is valid until the next
// call.
func (v *sequence) get(k int) *event {
	it := &v.items[k]
	if it.i == none {
		return &v.last
	}
	e := &v.exec.events[it.i]
	if e.From.Forwarded == it.forwarded {
		return e
	}
	v.changed = *e
	v.changed.From.Forwarded = it.forwarded
	return &v.changed
}

// appendEvent appends event i of the execution unless it happens after event first.
func (v *sequence) appendEvent(first int32, i int) {
	if v.exec.before(first, int32(i)) {
		return
	}
	e := &v.exec.events[i]
	it := item{i: int32(i), forwarded: e.From.Forwarded}
	if e.From.Seen != 0 {
		it.forwarded = v.exec.forwardedIn(first, v.second, e)
	}
	v.items = append(v.items, it)
}

// early makes v the events that do not happen after event first, with the second event of the race, which has the same
// accesses when it comes first, after those only that happen before it. What comes after the second event in v is added
// when it is asked for (has): most often it is not.
func (v *sequence) early(first int32) {
	ex := v.exec
	for i := first + 1; i < v.second; i++ {
		if ex.before(i, v.second) && !ex.before(first, i) {
			v.items = append(v.items, item{i: i, forwarded: v.forwardedEarly(first, i, true)})
		}
	}
	v.turn = len(v.items)
	v.last = ex.events[v.second]
	v.last.From.Forwarded = v.forwardedEarly(first, v.second, true)
	v.appendReversed()
	v.first, v.next, v.same = first, first+1, true
}

// has reports whether v has an event k. It has all events before that.
func (v *sequence) has(k int) bool { return k < len(v.items) || v.grow() }

// grow adds an event to v. It returns false if there is none.
func (v *sequence) grow() bool {
	ex := v.exec
	for int(v.next) < len(ex.events) {
		i := v.next
		v.next++
		if !ex.before(v.first, i) && (i > v.second || !ex.before(i, v.second)) {
			v.items = append(v.items, item{i: i, forwarded: v.forwardedEarly(v.first, i, false)})
			return true
		}
	}
	return false
}

// forwardedEarly returns the bytes that event i forwards in the sequence that early makes, where it comes before the late
// events or not. A byte is read from memory if the update of its store is before the race, or before event i in v.
func (v *sequence) forwardedEarly(first, i int32, early bool) uint8 {
	ex := v.exec
	e := &ex.events[i]
	forwarded := e.From.Forwarded
	if ex.forwards == 0 {
		return forwarded
	}
	for left := forwarded | e.From.Seen; left != 0; {
		ord := e.From.StoreOf(bits.TrailingZeros8(left))
		part := e.From.BytesOf(ord, left)
		left &^= part
		u := ex.stores[e.Thread][ord].upd
		var memory bool
		switch {
		case u == none:
		case u < first:
			memory = true
		case u == v.second:
			memory = !early
		case u == first || ex.before(first, u): // not in v
		case ex.before(u, v.second):
			memory = !early || u < i
		default:
			memory = !early && u < i
		}
		if memory {
			forwarded &^= part
		} else {
			forwarded |= part
		}
	}
	return forwarded
}

// appendReversed appends the reversed event.
func (v *sequence) appendReversed() { v.items = append(v.items, item{i: none}) }

// appendRest appends the events of the execution from number i on that do not happen after event
// first. It leaves out events that depend on the reversed event, and all that happen after such an
// event, or after event without if that is not none.
func (v *sequence) appendRest(first, without int32, i int) {
	v.dropped = v.dropped[:0]
	if without != none {
		v.dropped = append(v.dropped, without)
	}
next:
	for ; i < len(v.exec.events); i++ {
		n := len(v.items)
		v.appendEvent(first, i)
		if len(v.items) == n {
			continue
		}
		for _, l := range v.dropped {
			if v.exec.before(l, int32(i)) {
				v.items = v.items[:n]
				continue next
			}
		}
		if e := v.get(n); e.Proc == v.last.Proc || dependent(e, &v.last) {
			v.dropped = append(v.dropped, int32(i))
			v.items = v.items[:n]
		}
	}
}

// moveToFront notes that v is led along a branch that begins with event e. If e is the update of a
// store that loads of v forward bytes from, these bytes are read from memory instead.
func (v *sequence) moveToFront(e *event) {
	if e.Flags&isUpdate == 0 || v.exec.forwards == 0 {
		return
	}
	for v.grow() {
	}
	for k := range v.items {
		if it := &v.items[k]; it.forwarded != 0 && !it.gone && v.exec.events[it.i].Thread == e.Thread {
			it.forwarded &^= v.exec.events[it.i].From.BytesOf(e.Ord, it.forwarded)
		}
	}
	if v.last.From.Forwarded != 0 && v.last.Thread == e.Thread {
		v.last.From.Reached(e.Ord)
	}
}
