package rows

import (
	"fmt"

	"fencepost/internal/render/relation"
	"fencepost/verdict"
)

// Threads that begin in a header of ours, as those of kthread_run: a reader wants the function that they were started for, and
// not how the header gets there.

// headerThreads names the threads that begin in a header by the first function of the program that they call; nil if there are
// none.
func headerThreads(w *verdict.Witness) []string {
	if w.Names != nil {
		return w.Names
	}
	begins := make([]bool, len(w.Threads))
	seen := make([]bool, len(w.Threads))
	out := make([]string, len(w.Threads))
	count := map[string]int{}
	for i := range w.Steps {
		s := &w.Steps[i]
		if s.Kind == verdict.StepFlush || s.Pos == nil || s.Thread <= 0 || s.Thread >= len(out) || out[s.Thread] != "" {
			continue
		}
		if !seen[s.Thread] {
			seen[s.Thread], begins[s.Thread] = true, relation.InHeader(s.Pos) && len(s.Stack) <= 1
		}
		if begins[s.Thread] && !relation.InHeader(s.Pos) && len(s.Stack) > 1 {
			out[s.Thread] = s.Stack[1]
			count[out[s.Thread]]++
		}
	}
	if len(count) == 0 {
		return nil
	}
	number := map[string]int{}
	for t, name := range out {
		if count[name] > 1 {
			number[name]++
			out[t] = fmt.Sprintf("%s#%d", name, number[name])
		}
	}
	return out
}

// foldHeaders folds rows in headers that nothing of the program has called: how a thread of the kernel begins and ends.
func foldHeaders(list []Row) []Row {
	for i := range list {
		if r := &list[i]; r.Fold == Statement && !r.Key && !r.Fails && relation.InHeader(r.Pos) && r.depth == 0 {
			list[i] = foldOf(Library, []Row{*r}, "beginning or end of a thread")
		}
	}
	return list
}
