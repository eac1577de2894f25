package verdict

import (
	"fmt"
	"strconv"
)

// Entry is a store that waits in a store buffer.
type Entry struct {
	Step int // index of the step that made it
	Text string
}

// Buffers says what every thread's store buffer holds after each step, oldest
// entry first: Buffers()[step][thread]. Steps that change no buffer share the
// row of the step before: the rows are to be read only.
func (w *Witness) Buffers() [][][]Entry {
	rows := make([][][]Entry, len(w.Steps))
	now := make([][]Entry, len(w.Threads))
	for i, s := range w.Steps {
		switch {
		case !w.hasThread(s):
		case s.Kind == StepStore && s.Buffered:
			now = replaceRow(now, s.Thread, append(now[s.Thread][:len(now[s.Thread]):len(now[s.Thread])],
				Entry{Step: i, Text: s.EntryText()}))
		case s.Kind == StepFlush:
			var left []Entry
			for _, e := range now[s.Thread] {
				if e.Step != s.Of {
					left = append(left, e)
				}
			}
			now = replaceRow(now, s.Thread, left)
		}
		rows[i] = now
	}
	return rows
}

func (w *Witness) hasThread(s Step) bool { return s.Thread >= 0 && s.Thread < len(w.Threads) }

func replaceRow(rows [][]Entry, i int, row []Entry) [][]Entry {
	next := append([][]Entry(nil), rows...)
	next[i] = row
	return next
}

// Cell is the name of the memory a step touched.
func (s Step) Cell() string {
	if s.Location != "" {
		return s.Location
	}
	return fmt.Sprintf("[0x%x]", s.Addr)
}

// ValueText is Value as people write it: what it points to, or a number.
func (s Step) ValueText() string { return wordText(s.Value, s.Points) }

// WrittenText is Written as people write it.
func (s Step) WrittenText() string { return wordText(s.Written, s.WrittenPoints) }

func wordText(v int64, points string) string {
	if points != "" {
		return points
	}
	return strconv.FormatInt(v, 10)
}

// EntryText is the buffer entry a store makes, such as x=1.
func (s Step) EntryText() string {
	if s.Free {
		return "free " + s.Cell()
	}
	return fmt.Sprintf("%s=%s", s.Cell(), s.ValueText())
}

func overlap(a, b Step) bool {
	return a.Addr < b.Addr+uint64(max(1, b.Size)) && b.Addr < a.Addr+uint64(max(1, a.Size))
}

// Reorder is a pair of accesses of one thread that the rest of the machine saw
// in the opposite of program order. The first is always a store. If the second
// is a load, the store was still buffered when the load got its value; if it is a
// store, it reached memory first (PSO).
type Reorder struct {
	First, Second int // indices of steps
}

// reached gives for each step the index of the step by which its store was in
// memory, or len(Steps) if it never got there. Zero for steps that store nothing.
func (w *Witness) reached() []int {
	at := make([]int, len(w.Steps))
	for i, s := range w.Steps {
		switch {
		case s.Kind == StepStore && s.Buffered:
			at[i] = len(w.Steps)
		case s.Kind == StepStore, s.Kind == StepRMW && s.Wrote:
			at[i] = i
		case s.Kind == StepFlush && s.Of >= 0 && s.Of < i:
			at[s.Of] = i
		}
	}
	return at
}

// Delays lists every pair of a store and a later load of its thread that read
// memory, if only one byte of it, while the store was in the buffer, in the order of the
// loads.
func (w *Witness) Delays() []Reorder {
	return w.pendingAt(func(s Step) bool { return s.ReadsMemory() })
}

// Reorders lists every pair of accesses of one thread that were seen out of order:
// delays of stores past loads, forwarded ones included, and swaps of stores.
func (w *Witness) Reorders() []Reorder {
	return append(w.pendingAt(func(Step) bool { return true }), w.Swaps()...)
}

// pendingAt pairs the loads chosen with the stores that were in the thread's buffer. A
// load that read no memory is not paired with stores that it overlaps.
func (w *Witness) pendingAt(chosen func(Step) bool) []Reorder {
	var all []Reorder
	pending := w.Buffers()
	for i, s := range w.Steps {
		if s.Kind != StepLoad || !w.hasThread(s) || !chosen(s) {
			continue
		}
		for _, e := range pending[i][s.Thread] {
			if s.ReadsMemory() || !overlap(w.Steps[e.Step], s) {
				all = append(all, Reorder{First: e.Step, Second: i})
			}
		}
	}
	return all
}

// Swaps lists every pair of stores of one thread that reached memory in the
// opposite order, in the order in which the later ones did.
func (w *Witness) Swaps() []Reorder {
	var all []Reorder
	pending := w.Buffers()
	for i, s := range w.Steps {
		if s.Kind != StepFlush || !w.hasThread(s) {
			continue
		}
		for _, e := range pending[i][s.Thread] {
			if e.Step < s.Of {
				all = append(all, Reorder{First: e.Step, Second: s.Of})
			}
		}
	}
	return all
}
