package dual

import (
	"encoding/binary"
	"slices"
)

// Bursts. A thread that lags stands before its oldest store that has not reached memory. When the store
// reaches memory, the thread catches up at once: it runs on to its next store, and reads what its
// buffer holds. No other thread acts in between. So a burst is one step of the search: it is undone
// from its end to its store.
//
// What a burst does to a thread and its buffer depends on these two alone, so it is computed once for
// each state and buffer at its end.

// undone is one way to undo a burst.
type undone struct {
	trans int32 // the store
	buf   []message
	steps []small // of the burst, in their order
}

// small is a step of a thread inside a burst, or alone.
type small struct {
	trans int32 // anything: the oldest messages of the buffer leave it, up to and with the first own one
}

const leave = int32(anything)

// undo is a burst that is being undone.
type undo struct {
	th    *thread
	cells int
	found []undone
	seen  map[string][][]message // by state, own messages and whether messages may leave
	steps []small                // in reverse
	known map[string]bool
	work  func() bool // counts work; false: stop
}

// burstsTo returns the ways to undo a burst that ends in a state with a buffer. complete is false if
// the work ended early.
func (m *model) burstsTo(th *thread, s int32, b []message, work func() bool) (found []undone, complete bool) {
	key := burstKey(s, b)
	if found, ok := th.bursts[key]; ok {
		return found, true
	}
	u := &undo{th: th, cells: m.cells(), seen: map[string][][]message{}, known: map[string]bool{}, work: work}
	if !u.from(s, b, true) {
		return nil, false
	}
	th.bursts[key] = u.found
	return u.found, true
}

func burstKey(s int32, b []message) string {
	key := binary.LittleEndian.AppendUint32(nil, uint32(s))
	for _, o := range b {
		key = binary.LittleEndian.AppendUint32(key, uint32(o))
	}
	return string(key)
}

// from undoes all steps that lead to a state with a buffer. leaves says that messages may have left
// the buffer just before: at the end of a burst, and before a read from memory.
func (u *undo) from(s int32, b []message, leaves bool) bool {
	if u.covered(s, b, leaves) {
		return true
	}
	if !u.work() {
		return false
	}
	if leaves {
		for _, c := range u.th.waits[s].before(b, u.cells) {
			if !u.take(small{leave}, s, prepend(fromSelf(c, anything), b), true) {
				return false
			}
		}
	}
	for _, i := range u.th.in[s] {
		tr := &u.th.trans[i]
		ok := true
		switch tr.kind {
		case local:
			ok = u.take(small{i}, tr.from, b, false)
		case read:
			prev, forwarded, possible := undoRead(b, tr.cell, tr.value)
			if possible {
				ok = u.take(small{i}, tr.from, prev, !forwarded)
			}
		case write:
			u.ends(i, tr, b)
		}
		if !ok {
			return false
		}
	}
	return true
}

func (u *undo) take(step small, s int32, b []message, leaves bool) bool {
	if !u.th.waits[s].allows(b) {
		return true
	}
	u.steps = append(u.steps, step)
	ok := u.from(s, b, leaves)
	u.steps = u.steps[:len(u.steps)-1]
	return ok
}

// covered reports whether a smaller buffer was undone already from a state, and notes this one.
func (u *undo) covered(s int32, b []message, leaves bool) bool {
	key := burstKey(s, nil) + selfWord(b)
	if leaves {
		key += "\x00"
	}
	for _, a := range u.seen[key] {
		if embeds(a, b) {
			return true
		}
	}
	u.seen[key] = append(u.seen[key], b)
	return false
}

// ends undoes the store that a burst begins with.
func (u *undo) ends(i int32, tr *trans, b []message) {
	for _, prev := range undoWrite(b, tr.cell, tr.value) {
		// A thread that lags has read something from memory since its store.
		if len(prev) == 0 || prev[0].self() || !u.th.waits[tr.from].allows(prev) {
			continue
		}
		if key := burstKey(i, prev); !u.known[key] {
			u.known[key] = true
			steps := append(slices.Clone(u.steps), small{i})
			slices.Reverse(steps)
			u.found = append(u.found, undone{trans: i, buf: prev, steps: steps})
		}
	}
}

func prepend(o message, b []message) []message {
	return append(append(make([]message, 0, len(b)+1), o), b...)
}

// undoRead returns the smallest buffer before a read, given the one after. forwarded says that
// the value is the thread's own.
func undoRead(b []message, cell, value int32) (prev []message, forwarded, possible bool) {
	for i, o := range b {
		if !o.self() || o.cell() != cell {
			continue
		}
		if o.value() != anything && o.value() != value {
			return nil, true, false
		}
		prev = slices.Clone(b)
		prev[i] = fromSelf(cell, value)
		return prev, true, true
	}
	if m := fromMemory(cell, value); len(b) == 0 || b[0] != m {
		return prepend(m, b), false, true
	}
	return b, false, true
}

// undoWrite returns the smallest buffers before a store, given the one after: there may have been an
// older own message, which the store has replaced. Whether memory has the value is for the caller.
func undoWrite(b []message, cell, value int32) [][]message {
	if len(b) == 0 {
		return nil
	}
	last := b[len(b)-1]
	if !last.self() || last.cell() != cell || last.value() != anything && last.value() != value {
		return nil
	}
	rest := slices.Clip(b[:len(b)-1])
	out := [][]message{rest}
	for i := range len(rest) + 1 {
		out = append(out, slices.Insert(slices.Clone(rest), i, fromSelf(cell, anything)))
	}
	return out
}
