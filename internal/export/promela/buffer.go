package promela

// Store buffers. A buffer is a list of slots and values, oldest first. A flush
// moves the other entries up and clears the last one, so that equal buffers are equal
// arrays. A load searches the buffer from the newest entry to the oldest, in one
// expression, which can be used in a guard. If objects are kept byte by byte, an entry
// also has a number of bytes, 0 for a whole element, and a load searches for each of its
// bytes.
//
// The buffer of a thread that can store in a loop has the room that --buffer gives. Any
// other buffer has as much room as its thread can need. A buffer never has more room than
// its thread can fill between two operations that drain.

import (
	"fmt"
	"strings"

	"fencepost/internal/ir"
)

// sizeBuffer computes the room of a thread's buffer.
func (w *promela) sizeBuffer(t *thread) {
	if w.opt.Model != TSO {
		return
	}
	stores := 0
	for i := range t.f.Edges {
		if e := &t.f.Edges[i]; e.Op.Kind == ir.Store && !t.inside[e.From] {
			stores++
		}
	}
	limit := stores
	if w.facts.CyclicStores(t.fn) {
		limit = w.opt.Buffer
	}
	t.room, t.bounded = pending(t, limit)
	if t.room > maxPending {
		w.Refuse(w.p.Threads[t.id].Pos, "thread %s can have %d stores pending, more than the %d that SPIN should keep in every state; lower --buffer",
			w.p.Threads[t.id].Name, t.room, maxPending)
	}
}

// pending returns the largest number of stores that can be pending at once, at most
// limit, and whether more stores than limit could be pending.
func pending(t *thread, limit int) (most int, cut bool) {
	at := make([]int, len(t.f.Locs))
	seen := make([]bool, len(t.f.Locs))
	seen[t.f.Entry] = true
	for work := []ir.Loc{t.f.Entry}; len(work) > 0; {
		l := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range t.f.Out(l) {
			e := &t.f.Edges[i]
			n := at[l]
			switch {
			case e.Op.Kind == ir.Store && !t.inside[l]:
				if n++; n > limit {
					n, cut = limit, true
				}
			case e.Op.MustDrain() && e.Op.Mutex.Kind != ir.RecursiveMutex:
				n = 0
			}
			most = max(most, n)
			if !seen[e.To] || n > at[e.To] {
				seen[e.To], at[e.To] = true, max(n, at[e.To])
				work = append(work, e.To)
			}
		}
	}
	return most, cut
}

// declareBuffer declares a buffer and the macros that read it.
func (w *promela) declareBuffer(out *strings.Builder, t *thread) {
	if t.room == 0 {
		return
	}
	slotType := "byte"
	if w.layout.slots > 256 {
		slotType = "short"
	}
	fmt.Fprintf(out, "byte %s;\n%s %s[%d];\nint %s[%d];\n", t.pending, slotType, t.slots, t.room, t.values, t.room)
	load, hits := "mem[s]", make([]string, t.room)
	for i := range t.room {
		hit := fmt.Sprintf("%s > %d && %s[%d] == (s)", t.pending, i, t.slots, i)
		load = fmt.Sprintf("(%s -> %s[%d] : %s)", hit, t.values, i, load)
		hits[i] = hit
	}
	fmt.Fprintf(out, "#define %s(s) %s\n", t.load, load)
	if w.sections {
		fmt.Fprintf(out, "#define %s(s) (%s)\n", t.forwards, strings.Join(hits, " || "))
	}
	if w.layout.pieces {
		w.declareBytes(out, t)
	}
}

// flusher writes the process that flushes a thread's buffer.
func (w *promela) flusher(out *strings.Builder, t *thread) {
	if t.room == 0 {
		return
	}
	guard := []string{t.pending + " > 0"}
	if w.sections {
		guard = append(guard, "holder == 0")
	}
	if w.exits {
		guard = append(guard, "!over")
	}
	slots, values := t.slots, t.values
	fmt.Fprintf(out, "active proctype %s() {\nend_flush:\n\tdo\n\t:: d_step {\n", w.names.Name("flush_"+t.name))
	lists := []string{slots, values}
	if w.layout.pieces {
		lists = append(lists, t.sizes)
		fmt.Fprintf(out, "\t\t(%s) ->\n%s\t\t%s--;\n", strings.Join(guard, " && "), flushBytes(t), t.pending)
	} else {
		fmt.Fprintf(out, "\t\t(%s) -> mem[%s[0]] = %s[0]; %s--;\n", strings.Join(guard, " && "), slots, values, t.pending)
	}
	for i := 1; i < t.room; i++ {
		var moves []string
		for _, list := range lists {
			moves = append(moves, fmt.Sprintf("%s[%d] = %s[%d];", list, i-1, list, i))
		}
		fmt.Fprintf(out, "\t\t%s\n", strings.Join(moves, " "))
	}
	var clears []string
	for _, list := range lists {
		clears = append(clears, fmt.Sprintf("%s[%d] = 0", list, t.room-1))
	}
	fmt.Fprintf(out, "\t\t%s\n\t}\n\tod\n}\n\n", strings.Join(clears, "; "))
}
