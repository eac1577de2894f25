package relation

import "fencepost/verdict"

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

func hasThread(w *verdict.Witness, s verdict.Step) bool {
	return s.Thread >= 0 && s.Thread < len(w.Threads)
}

func replaceRow(rows [][]Entry, i int, row []Entry) [][]Entry {
	next := append([][]Entry(nil), rows...)
	next[i] = row
	return next
}
