package relation

import (
	"slices"

	"fencepost/verdict"
)

// Entry is a store that waits in a store buffer.
type Entry struct {
	Step int // index of the store in the witness
	Text string
}

// Buffers returns the contents of every thread's store buffer after each step, oldest
// entry first: Buffers(w)[step][thread]. Steps that change no buffer share the row of the
// step before, so callers must not change the rows.
func Buffers(w *verdict.Witness) [][][]Entry {
	rows := make([][][]Entry, len(w.Steps))
	now := make([][]Entry, len(w.Threads))
	for i, s := range w.Steps {
		switch {
		case !hasThread(w, s):
		case s.Kind == verdict.StepStore && s.Buffered:
			now = replaceRow(now, s.Thread, append(now[s.Thread][:len(now[s.Thread]):len(now[s.Thread])],
				Entry{Step: i, Text: s.EntryText()}))
		case s.Kind == verdict.StepFlush:
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

// walkBuffers calls visit after each step with the steps whose stores wait, by thread, oldest first. The slices are
// valid until visit returns.
func walkBuffers(w *verdict.Witness, visit func(step int, waiting [][]int)) {
	waiting := make([][]int, len(w.Threads))
	for i, s := range w.Steps {
		switch {
		case !hasThread(w, s):
		case s.Kind == verdict.StepStore && s.Buffered:
			waiting[s.Thread] = append(waiting[s.Thread], i)
		case s.Kind == verdict.StepFlush:
			if k := slices.Index(waiting[s.Thread], s.Of); k == 0 {
				waiting[s.Thread] = waiting[s.Thread][1:]
			} else if k > 0 {
				waiting[s.Thread] = slices.Delete(waiting[s.Thread], k, k+1)
			}
		}
		visit(i, waiting)
	}
}

func hasThread(w *verdict.Witness, s verdict.Step) bool {
	return s.Thread >= 0 && s.Thread < len(w.Threads)
}

func replaceRow(rows [][]Entry, i int, row []Entry) [][]Entry {
	next := append([][]Entry(nil), rows...)
	next[i] = row
	return next
}
