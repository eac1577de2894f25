package pipeline

import (
	"fmt"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/internal/render/relation"
	"fencepost/internal/trace"
	"fencepost/verdict"
)

// Why a violation is possible, from its witness. A witness in which every store
// goes to memory at once is an execution under SC. Otherwise the accesses of an
// execution that SC forbids form a cycle [BDM13 Lemma 1], and among the reordered
// pairs of accesses the one with the shortest cycle is shown; a fence between the
// two would have kept them in order.

// Cause says why the execution of a violation is possible.
func (p *Program) Cause(flat *ir.Program, model memory.Model, w *verdict.Witness) *verdict.Cause {
	if model == memory.SC || !delays(w) {
		return &verdict.Cause{Kind: verdict.CauseOrder, Words: []string{orderWords(model)}}
	}
	tr := trace.New(flat, w)
	pair, cycle := explainingPair(w, tr)
	if cycle == nil {
		return &verdict.Cause{Kind: verdict.CauseBuffered, Words: []string{
			"Stores were waiting in store buffers, but no pair of accesses of one thread was seen in the wrong order because of it; look at what the waiting stores let other threads miss.",
		}}
	}
	first, second := &w.Steps[pair.First], &w.Steps[pair.Second]
	c := &verdict.Cause{
		Kind: verdict.CauseDelay, Thread: w.Threads[first.Thread], First: pair.First, Second: pair.Second,
		Nodes: TraceNodes(flat, w, tr), Edges: TraceEdges(tr.Edges), Cycle: TraceEdges(cycle),
		Fence: &verdict.FenceHint{Kind: "full", After: first.Pos, Before: second.Pos},
	}
	if second.Kind == verdict.StepStore {
		c.Kind, c.Fence.Kind = verdict.CauseSwap, "store-store"
	}
	c.Words = append(c.Words, pairWords(w, c), matterWords(w, tr, c, cycle), fenceWords(c, first, second))
	c.Words = slices.DeleteFunc(c.Words, func(s string) bool { return s == "" })
	return c
}

// delays reports whether some store stayed in its buffer while something else happened.
func delays(w *verdict.Witness) bool {
	for i := range w.Steps {
		if st := &w.Steps[i]; st.Kind == verdict.StepStore && st.Buffered {
			if i+1 == len(w.Steps) {
				return false // nothing happened any more
			}
			if next := &w.Steps[i+1]; next.Of != i {
				return true
			}
		}
	}
	return false
}

// explainingPair is the reordered pair with the shortest cycle.
func explainingPair(w *verdict.Witness, tr *trace.Trace) (relation.Reorder, []trace.Edge) {
	var best relation.Reorder
	var cycle []trace.Edge
	for _, pair := range relation.Reorders(w) {
		a, b := tr.EventOf(pair.First), tr.EventOf(pair.Second)
		if a < 0 || b < 0 || a == b {
			continue
		}
		if c := tr.CycleThrough(a, b); c != nil && (cycle == nil || len(c) < len(cycle)) {
			best, cycle = pair, c
		}
	}
	return best, cycle
}

func orderWords(model memory.Model) string {
	if model == memory.SC {
		return "Under SC no store is ever delayed: the order of the threads' steps alone leads here."
	}
	return "No store waits in a buffer here: the same execution is possible under sequential consistency, and no fence prevents it."
}

func pairWords(w *verdict.Witness, c *verdict.Cause) string {
	first, second := &w.Steps[c.First], &w.Steps[c.Second]
	store := fmt.Sprintf("%s's store %s%s", c.Thread, storeText(first), atLine(first))
	switch {
	case c.Kind == verdict.CauseSwap && !slices.ContainsFunc(w.Steps, func(st verdict.Step) bool { return st.Kind == verdict.StepFlush && st.Of == c.First }):
		return fmt.Sprintf("%s was still in its store buffer when its later store %s%s reached memory.", store, storeText(second), atLine(second))
	case c.Kind == verdict.CauseSwap:
		return fmt.Sprintf("%s reached memory only after its later store %s%s.", store, storeText(second), atLine(second))
	case second.ReadsMemory() && len(second.FromBytes) > 0:
		return fmt.Sprintf("%s was still in its store buffer when it read %s = %s, in part from memory%s.", store, second.Cell(), second.ValueText(), atLine(second))
	case len(second.FromBytes) > 0:
		return fmt.Sprintf("%s was still in its store buffer when it read %s = %s from stores of its own that were still there, too%s.",
			store, second.Cell(), second.ValueText(), atLine(second))
	case second.From > 0:
		return fmt.Sprintf("%s was still in its store buffer when it read %s = %s from a store of its own that was still there, too%s.",
			store, second.Cell(), second.ValueText(), atLine(second))
	default:
		return fmt.Sprintf("%s was still in its store buffer when it read %s = %s from memory%s.", store, second.Cell(), second.ValueText(), atLine(second))
	}
}

// matterWords says which thread sees the reordering: the one at which the cycle returns to
// the store.
func matterWords(w *verdict.Witness, tr *trace.Trace, c *verdict.Cause, cycle []trace.Edge) string {
	last := cycle[len(cycle)-1]
	noticed := tr.Events[last.From]
	step := &w.Steps[noticed.Steps[0]]
	first := &w.Steps[c.First]
	who := w.Threads[noticed.Thread]
	wrong := "the load seems to happen before the store"
	if c.Kind == verdict.CauseSwap {
		wrong = "the later store seems to happen first"
	}
	tail := fmt.Sprintf("so to every other thread %s, against program order; without store buffers that is impossible.", wrong)
	switch {
	case last.Kind == trace.CF && step.Kind == verdict.StepLoad && step.From == 0 && len(step.FromBytes) == 0:
		return fmt.Sprintf("%s read %s = %s%s, the value from before that store, %s", who, first.Cell(), step.ValueText(), atLine(step), tail)
	case last.Kind == trace.ST:
		return fmt.Sprintf("%s's store to %s%s reached memory before it, %s", who, first.Cell(), atLine(step), tail)
	default:
		return fmt.Sprintf("%s%s came before it in memory, %s", who, atLine(step), tail)
	}
}

func fenceWords(c *verdict.Cause, first, second *verdict.Step) string {
	if first.Pos == nil || second.Pos == nil {
		return ""
	}
	from, to := shortPos(first.Pos), shortPos(second.Pos)
	if from == to {
		from, to = fmt.Sprintf("%s:%d", from, first.Pos.Col), fmt.Sprintf("%s:%d", to, second.Pos.Col)
	}
	return fmt.Sprintf("A %s fence between %s and %s prevents this execution.", c.Fence.Kind, from, to)
}

// Group marks violations that have the same root cause as an earlier one: the same
// two instructions of the source, reordered. Violations without a reordering have
// it if the same check fails.
func Group(flat *ir.Program, res *verdict.Result) {
	if res.Witness == nil || len(res.Others) == 0 {
		return
	}
	origin := map[int]ir.EdgeID{}
	for _, f := range flat.Funcs {
		for i := range f.Edges {
			origin[int(f.Edges[i].ID)] = f.Edges[i].Origin
		}
	}
	key := func(c *verdict.Cause, w *verdict.Witness, question verdict.Question, pos *verdict.Pos) string {
		if c.Kind == verdict.CauseDelay || c.Kind == verdict.CauseSwap {
			return fmt.Sprint(c.Kind, origin[w.Steps[c.First].Edge], origin[w.Steps[c.Second].Edge])
		}
		if pos == nil {
			return fmt.Sprint(c.Kind, question)
		}
		return fmt.Sprint(c.Kind, question, *pos)
	}
	first := map[string]int{key(res.Cause, res.Witness, res.Question, res.Pos): 1}
	for i := range res.Others {
		v := &res.Others[i]
		k := key(v.Cause, v.Witness, v.Question, v.Pos)
		if v.Like = first[k]; v.Like == 0 {
			first[k] = i + 2
		}
	}
}
