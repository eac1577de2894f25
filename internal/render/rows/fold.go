package rows

import (
	"fmt"
	"slices"
	"strings"

	"fencepost/verdict"
)

const (
	minFold   = 3 // fewer rows are not worth a fold
	maxValues = 6 // values that the row of a set-up shows
)

// foldOf makes a fold of rows that come one after the other.
func foldOf(kind Fold, list []Row, text string) Row {
	first, last := &list[0], &list[len(list)-1]
	f := Row{First: first.First, Last: last.Last, Thread: first.Thread, Fold: kind, Pos: first.Pos, Text: text, Buffers: last.Buffers, Rows: list}
	for i := range list {
		if list[i].Thread != f.Thread {
			f.Thread = -1
		}
		f.edges = append(f.edges, list[i].edges...)
	}
	return f
}

// foldSetUp folds what the first thread does before another thread takes a step, if it
// starts the others: initial values, and starting threads. Key rows stay.
func foldSetUp(w *verdict.Witness, list []Row, shared map[uint64]bool) []Row {
	end := 0
	starts := false
	for end < len(list) && list[end].Thread == list[0].Thread {
		for i := list[end].First; i <= list[end].Last; i++ {
			starts = starts || w.Steps[i].Other > 0
		}
		end++
	}
	if !starts || end == len(list) {
		return list
	}
	return slices.Concat(foldRuns(list[:end], func(r *Row) bool { return !r.Key && !r.Fails }, func(run []Row) Row {
		f := foldOf(SetUp, run, setUpText(w, run))
		f.Effects = setUpValues(w, run, shared)
		return f
	}), list[end:])
}

// foldRuns replaces runs of rows that may be folded.
func foldRuns(list []Row, may func(*Row) bool, fold func([]Row) Row) []Row {
	var out []Row
	for i := 0; i < len(list); {
		end := i
		for end < len(list) && may(&list[end]) && list[end].Thread == list[i].Thread {
			end++
		}
		switch {
		case end-i >= minFold:
			out = append(out, fold(slices.Clone(list[i:end])))
		case end == i:
			end++
			fallthrough
		default:
			out = append(out, list[i:end]...)
		}
		i = end
	}
	return out
}

// setUpText says which threads the set-up starts.
func setUpText(w *verdict.Witness, run []Row) string {
	var names []string
	for i := run[0].First; i <= run[len(run)-1].Last; i++ {
		if t := w.Steps[i].Other; t > 0 && t <= len(w.Threads) {
			names = append(names, line(w.Threads[t-1]))
		}
	}
	if len(names) == 0 {
		return "set-up"
	}
	return "set-up; starts " + strings.Join(names, ", ")
}

// setUpValues returns the last value of each cell that the set-up writes and that another
// thread accesses later.
func setUpValues(w *verdict.Witness, run []Row, shared map[uint64]bool) []Effect {
	index := map[string]int{}
	var out []Effect
	for i := run[0].First; i <= run[len(run)-1].Last; i++ {
		s := &w.Steps[i]
		writes := s.Kind == verdict.StepStore || s.Kind == verdict.StepRMW && s.Wrote
		if !writes || !shared[s.Addr] || strings.HasSuffix(s.Location, "._vptr") {
			continue
		}
		cell, text := s.Cell(), Assignment(s)
		if s.Kind == verdict.StepRMW {
			text = fmt.Sprintf("%s = %s", line(cell), line(s.WrittenText()))
		}
		if k, ok := index[cell]; ok {
			out[k] = Effect{Step: i, Text: text}
			continue
		}
		index[cell] = len(out)
		out = append(out, Effect{Step: i, Text: text})
	}
	if more := len(out) - maxValues; more > 1 {
		out = append(out[:maxValues], Effect{Step: out[maxValues].Step, Text: fmt.Sprintf("and %s", counted(more, "other value", "other values"))})
	}
	return out
}

// foldPrivate folds runs of rows of one thread that access only memory that no other thread
// accesses in this execution. Where only one thread runs, nothing is folded: all its memory is
// private.
func foldPrivate(w *verdict.Witness, list []Row, shared map[uint64]bool) []Row {
	if !slices.ContainsFunc(list, func(r Row) bool { return r.Thread != list[0].Thread }) {
		return list
	}
	private := func(r *Row) bool {
		if r.Key || r.Fails || r.Fold != Statement {
			return false
		}
		for i := r.First; i <= r.Last; i++ {
			if !isPrivate(&w.Steps[i], shared) {
				return false
			}
		}
		return true
	}
	return foldRuns(list, private, func(run []Row) Row {
		return foldOf(Private, run, counted(len(run), "statement", "statements")+" on thread-private memory")
	})
}

// isPrivate reports whether a step accesses no byte that another thread accesses, and has no
// other effect on another thread.
func isPrivate(s *verdict.Step, shared map[uint64]bool) bool {
	hits := func(addr uint64, size int) bool {
		for b := addr; b < addr+uint64(max(1, size)); b++ {
			if shared[b] {
				return true
			}
		}
		return false
	}
	switch s.Kind {
	case verdict.StepExec:
		for _, a := range s.Accesses {
			if hits(a.Addr, a.Size) {
				return false
			}
		}
		return s.Other == 0 && !s.Signals && s.Note == ""
	case verdict.StepLoad, verdict.StepStore, verdict.StepRMW, verdict.StepFlush:
		return !s.Free && !hits(s.Addr, s.Size)
	default:
		return false
	}
}
