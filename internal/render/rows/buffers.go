package rows

import (
	"fmt"
	"strings"

	"fencepost/verdict"
)

// maxEntries is how many entries of a store buffer are shown. Of a longer buffer the oldest
// and the newest ones are shown.
const maxEntries = 4

// Buffer is a store buffer that is not empty, oldest entry first. Left entries between
// Oldest and Newest are not shown; if Left is 0, Newest is empty.
type Buffer struct {
	Thread int
	Oldest []string
	Left   int
	Newest []string
}

// String returns the entries: z=0 z=1 (+1,496) z=1498 z=1499.
func (b *Buffer) String() string {
	parts := b.Oldest
	if b.Left > 0 {
		parts = append(append(append([]string(nil), parts...), fmt.Sprintf("(+%s)", grouped(b.Left))), b.Newest...)
	}
	return strings.Join(parts, " ")
}

// buffers has the stores that wait, by thread, oldest first.
type buffers struct {
	w       *verdict.Witness
	waiting [][]int // steps
	now     []Buffer
}

func newBuffers(w *verdict.Witness) *buffers {
	return &buffers{w: w, waiting: make([][]int, len(w.Threads))}
}

// after takes a step into account and returns the buffers after it. Results share memory.
func (b *buffers) after(i int) []Buffer {
	s := &b.w.Steps[i]
	if s.Thread < 0 || s.Thread >= len(b.waiting) {
		return b.now
	}
	list := b.waiting[s.Thread]
	switch {
	case s.Kind == verdict.StepStore && s.Buffered:
		list = append(list, i)
	case s.Kind == verdict.StepFlush:
		for k, step := range list {
			if step == s.Of && k == 0 {
				list = list[1:]
				break
			} else if step == s.Of {
				list = append(list[:k:k], list[k+1:]...)
				break
			}
		}
	default:
		return b.now
	}
	b.waiting[s.Thread] = list
	b.now = nil
	for t, list := range b.waiting {
		if len(list) > 0 {
			b.now = append(b.now, b.shown(t, list))
		}
	}
	return b.now
}

func (b *buffers) shown(thread int, list []int) Buffer {
	texts := func(list []int) (out []string) {
		for _, i := range list {
			out = append(out, line(b.w.Steps[i].EntryText()))
		}
		return out
	}
	if len(list) <= maxEntries {
		return Buffer{Thread: thread, Oldest: texts(list)}
	}
	const half = maxEntries / 2
	return Buffer{Thread: thread, Oldest: texts(list[:half]), Left: len(list) - 2*half, Newest: texts(list[len(list)-half:])}
}
