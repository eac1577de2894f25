package rows

import (
	"slices"
	"strings"
	"unicode/utf8"

	"fencepost/internal/render/relation"
	"fencepost/verdict"
)

// statements makes a row of the steps of one source statement that come one after the other.
// A flush that comes directly after its store belongs to the store. Hidden steps have no effect that is worth words.
func statements(w *verdict.Witness, key, hidden []bool) []Row {
	buffers := newBuffers(w)
	allocated := map[int]string{}
	for _, b := range w.Blocks {
		allocated[b.Step] = b.Name
	}
	var list []Row
	for i := range w.Steps {
		s := &w.Steps[i]
		r := Row{
			First: i, Last: i, Thread: s.Thread, Pos: s.Pos, Text: StepText(s), Buffers: buffers.after(i),
			Fails: s.Kind == verdict.StepFail, Key: key[i], edges: []int{s.Edge}, depth: len(s.Stack),
		}
		hides := hidden != nil && hidden[i]
		if text := EffectOf(s); text != "" && !hides {
			r.Effects = []Effect{{Step: i, Text: text}}
		}
		if name, ok := allocated[i]; ok {
			r.Effects = append(r.Effects, Effect{Step: i, Text: line(name) + " allocated"})
		}
		r.quiet = (relation.IsLocal(s) || hides) && len(r.Effects) == 0
		if s.Kind == verdict.StepFlush {
			r.Pos, r.cell = nil, s.Location
		}
		if n := len(list); n > 0 {
			prev := &list[n-1]
			if s.Kind == verdict.StepFlush && s.Of == i-1 && prev.Last == i-1 {
				prev.atOnce(&w.Steps[i-1], &r)
				continue
			}
			if prev.join(&r) {
				continue
			}
		}
		list = append(list, r)
	}
	return list
}

// atOnce takes the flush of the store that ends r into the row: nothing happened while the
// store was in the buffer.
func (r *Row) atOnce(store *verdict.Step, flush *Row) {
	for i := range r.Effects {
		if e := &r.Effects[i]; e.Step == flush.First-1 {
			e.Text = strings.Replace(e.Text, onMemory(store), Assignment(store)+" in memory", 1)
		}
	}
	r.Last, r.Buffers, r.Key = flush.Last, flush.Buffers, r.Key || flush.Key
}

// join takes the next row into r if both belong to one statement.
func (r *Row) join(next *Row) bool {
	// An edge taken twice is the statement run again.
	if r.Thread != next.Thread || r.Fails || r.depth != next.depth || slices.Contains(r.edges, next.edges[0]) {
		return false
	}
	switch {
	case contains(r.Pos, next.Pos):
		r.Text, r.Pos = next.Text, next.Pos
	case !contains(next.Pos, r.Pos):
		return false
	}
	r.take(next)
	return true
}

// take appends the steps of the next row to r.
func (r *Row) take(next *Row) {
	r.edges = append(r.edges, next.edges...)
	r.Effects = append(r.Effects, next.Effects...)
	r.Last, r.Buffers = next.Last, next.Buffers
	r.quiet, r.Fails, r.Key = r.quiet && next.quiet, r.Fails || next.Fails, r.Key || next.Key
}

// contains reports whether the stretch b contains a.
func contains(a, b *verdict.Pos) bool {
	if a == nil || b == nil || a.File != b.File {
		return false
	}
	before := func(line1, col1, line2, col2 int) bool { return line1 < line2 || line1 == line2 && col1 <= col2 }
	return before(b.Line, b.Col, a.Line, a.Col) && before(a.EndLine, a.EndCol, b.EndLine, b.EndCol) &&
		(a.EndLine != 0 || a.Line == b.Line && a.Col == b.Col)
}

// joinedWidth is how long the text of several local statements in one row may get.
const joinedWidth = 20

// absorbLocal takes local statements into the row of their thread that comes next, or before
// if another thread comes next. A thread that does nothing else between two steps of others
// gets one row for all its local statements.
func absorbLocal(list []Row) []Row {
	var out []Row
	for i := 0; i < len(list); {
		end := i
		for end < len(list) && list[end].Thread == list[i].Thread {
			end++
		}
		out = absorbRun(out, list[i:end])
		i = end
	}
	return out
}

// absorbRun does so for the rows of one thread.
func absorbRun(out, run []Row) []Row {
	begin := len(out)
	var waiting *Row // local statements that found no row yet
	for i := range run {
		r := run[i]
		switch {
		case r.quiet && waiting == nil:
			waiting = &r
		case r.quiet:
			if utf8.RuneCountInString(waiting.Text+r.Text)+2 <= joinedWidth {
				waiting.Text = strings.TrimSuffix(waiting.Text, ";") + "; " + r.Text
			}
			waiting.take(&r)
		default:
			if waiting != nil {
				r.First, r.edges = waiting.First, append(waiting.edges, r.edges...)
				waiting = nil
			}
			out = append(out, r)
		}
	}
	switch {
	case waiting == nil:
	case len(out) > begin && !out[len(out)-1].Fails:
		last := &out[len(out)-1]
		last.Last, last.edges = waiting.Last, append(last.edges, waiting.edges...)
	default:
		out = append(out, *waiting)
	}
	return out
}
