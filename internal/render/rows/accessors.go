package rows

import "fencepost/verdict"

// An accessor is a call in which the program does one thing that other threads can notice:
// a function of a library that loads one variable, an unlock that is one store. Its row is
// that of the call, as the caller wrote it: `n = load_acquire(&q->head)` says more than the
// body of load_acquire, which may come from a macro.

// invocation is a call and what happens in it.
type invocation struct {
	caller int // row before the call, -1 if there is none
	count  int // rows that are not local
	row    int // the last one of them
}

// nameAccessors gives the only row of a call that is not local the text and the position of
// the call.
func nameAccessors(w *verdict.Witness, list []Row) {
	for t := range w.Threads {
		var open []invocation // by depth
		last := -1
		closeTo := func(depth int) {
			for len(open) > depth {
				call := open[len(open)-1]
				open = open[:len(open)-1]
				if call.count == 1 && call.caller >= 0 && list[call.caller].Pos != nil {
					r, from := &list[call.row], &list[call.caller]
					if r.Fold == Statement && !r.Fails {
						r.Text, r.Pos, r.depth = from.Text, from.Pos, from.depth
					}
				}
			}
		}
		for i := range list {
			r := &list[i]
			if r.Thread != t || isFlush(w, r) {
				continue
			}
			depth := max(0, r.depth-1)
			closeTo(depth)
			for len(open) < depth {
				open = append(open, invocation{caller: last})
			}
			if !r.quiet {
				for k := range open {
					open[k].count++
					open[k].row = i
				}
			}
			last = i
		}
		closeTo(0)
	}
}

// joinAgain joins neighbours that belong to one statement, now that accessors have the
// position of their call.
func joinAgain(list []Row) []Row {
	var out []Row
	for i := range list {
		if n := len(out); n > 0 && samePos(out[n-1].Pos, list[i].Pos) && out[n-1].join(&list[i]) {
			continue
		}
		out = append(out, list[i])
	}
	return out
}

func samePos(a, b *verdict.Pos) bool { return a != nil && b != nil && *a == *b }

// isFlush reports whether a row is a flush alone, which is no statement.
func isFlush(w *verdict.Witness, r *Row) bool {
	return r.First == r.Last && w.Steps[r.First].Kind == verdict.StepFlush
}
