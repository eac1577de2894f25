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
	if memory.HasC11 && model == memory.C11 {
		return causeC11(flat, w)
	}
	c := causeOfOrder(flat, model, w)
	if words := uninitialisedWords(flat, model, w); words != "" {
		c.Words = append([]string{words}, c.Words...)
	}
	return c
}

// causeOfOrder says which order of accesses makes the execution of a violation possible.
func causeOfOrder(flat *ir.Program, model memory.Model, w *verdict.Witness) *verdict.Cause {
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
	n := newNarrator(w)
	c.Fence.After, c.Fence.Before = n.pos(pair.First), n.pos(pair.Second)
	c.Words = append(c.Words, n.pairWords(c), n.matterWords(tr, c, cycle), n.fenceWords(c))
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

// explainingPair returns the reordered pair with the shortest cycle, and the cycle. It prefers pairs at
// which the cycle leaves the thread and comes back to it, so that the words name the accesses of the
// cycle, and then pairs of stores, which a weaker fence keeps in order.
func explainingPair(w *verdict.Witness, tr *trace.Trace) (relation.Reorder, []trace.Edge) {
	var best relation.Reorder
	var cycle []trace.Edge
	rank := func(pair relation.Reorder, c []trace.Edge, second int) int {
		r := 4 * len(c)
		if c[0].To != second {
			r += 2
		}
		if w.Steps[pair.Second].Kind != verdict.StepStore {
			r++
		}
		return r
	}
	least := 0
	try := func(pairs []relation.Reorder, event map[int]int) {
		for _, pair := range pairs {
			a, b := event[pair.First]-1, event[pair.Second]-1
			if a < 0 || b < 0 || a == b {
				continue
			}
			if c := tr.CycleThrough(a, b); c != nil {
				if r := rank(pair, c, b); cycle == nil || r < least {
					best, cycle, least = pair, c, r
				}
			}
		}
	}
	event := map[int]int{} // 1 + the event of a step
	for i := range tr.Events {
		for _, s := range tr.Events[i].Steps {
			event[s] = i + 1
		}
	}
	first, rest := likelyPairs(relation.Reorders(w), tr, event)
	if try(first, event); cycle == nil {
		try(rest[:min(len(rest), maxPairs)], event)
	}
	return best, cycle
}

// maxPairs bounds the pairs that are tried. Every one costs a search through the relation.
const maxPairs = 2_000

// likelyPairs splits pairs into those whose first access has an edge from another thread and whose
// second has one to another thread, which a shortest cycle has, and the others.
func likelyPairs(pairs []relation.Reorder, tr *trace.Trace, event map[int]int) (likely, others []relation.Reorder) {
	leaves, arrives := map[int]bool{}, map[int]bool{}
	for _, e := range tr.Edges {
		if e.Kind != trace.PO {
			leaves[e.From], arrives[e.To] = true, true
		}
	}
	for _, p := range pairs {
		if len(likely) < maxPairs && arrives[event[p.First]-1] && leaves[event[p.Second]-1] {
			likely = append(likely, p)
		} else {
			others = append(others, p)
		}
	}
	return likely, others
}

func orderWords(model memory.Model) string {
	if model == memory.SC {
		return "Under SC no store is ever delayed: the order of the threads' steps alone leads here."
	}
	return "No store waits in a buffer here: the same execution is possible under sequential consistency, and no fence prevents it."
}

// narrator writes sentences about the steps of a witness. A step in an accessor is at the call of the
// accessor, and files of the same name are told apart.
type narrator struct {
	w       *verdict.Witness
	callers []int
	short   func(file string) string
}

func newNarrator(w *verdict.Witness) *narrator {
	return &narrator{w: w, callers: relation.Callers(w), short: w.ShortFiles()}
}

// pos returns the position of the statement that a step belongs to, or nil.
func (n *narrator) pos(step int) *verdict.Pos {
	if c := n.callers[step]; c >= 0 {
		step = c
	}
	return n.w.Steps[step].Pos
}

// at returns the position of a step in parentheses, "" if it has none.
func (n *narrator) at(step int) string {
	p := n.pos(step)
	if p == nil || p.Line == 0 {
		return ""
	}
	return " (" + n.lineOf(p) + ")"
}

// lineOf returns file and line.
func (n *narrator) lineOf(p *verdict.Pos) string {
	if p.Source != "" {
		return p.Brief()
	}
	return fmt.Sprintf("%s:%d", n.short(p.File), p.Line)
}

func (n *narrator) pairWords(c *verdict.Cause) string {
	w := n.w
	first, second := &w.Steps[c.First], &w.Steps[c.Second]
	store := fmt.Sprintf("%s's store %s%s", c.Thread, storeText(first), n.at(c.First))
	switch {
	case c.Kind == verdict.CauseSwap && !slices.ContainsFunc(w.Steps, func(st verdict.Step) bool { return st.Kind == verdict.StepFlush && st.Of == c.First }):
		return fmt.Sprintf("%s was still in its store buffer when its later store %s%s reached memory.", store, storeText(second), n.at(c.Second))
	case c.Kind == verdict.CauseSwap:
		return fmt.Sprintf("%s reached memory only after its later store %s%s.", store, storeText(second), n.at(c.Second))
	case second.ReadsMemory() && len(second.FromBytes) > 0:
		return fmt.Sprintf("%s was still in its store buffer when it read %s = %s, in part from memory%s.", store, second.Cell(), second.ValueText(), n.at(c.Second))
	case len(second.FromBytes) > 0:
		return fmt.Sprintf("%s was still in its store buffer when it read %s = %s from stores of its own that were still there, too%s.",
			store, second.Cell(), second.ValueText(), n.at(c.Second))
	case second.From > 0:
		return fmt.Sprintf("%s was still in its store buffer when it read %s = %s from a store of its own that was still there, too%s.",
			store, second.Cell(), second.ValueText(), n.at(c.Second))
	default:
		return fmt.Sprintf("%s was still in its store buffer when it read %s = %s from memory%s.", store, second.Cell(), second.ValueText(), n.at(c.Second))
	}
}

// matterWords says which thread sees the reordering: the one at which the cycle returns to
// the store.
func (n *narrator) matterWords(tr *trace.Trace, c *verdict.Cause, cycle []trace.Edge) string {
	w := n.w
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
		return fmt.Sprintf("%s read %s = %s%s, the value from before that store, %s", who, first.Cell(), step.ValueText(), n.at(noticed.Steps[0]), tail)
	case last.Kind == trace.ST:
		return fmt.Sprintf("%s's store to %s%s reached memory before it, %s", who, first.Cell(), n.at(noticed.Steps[0]), tail)
	default:
		return fmt.Sprintf("%s%s came before it in memory, %s", who, n.at(noticed.Steps[0]), tail)
	}
}

func (n *narrator) fenceWords(c *verdict.Cause) string {
	first, second := c.Fence.After, c.Fence.Before
	if first == nil || second == nil {
		return ""
	}
	from, to := n.lineOf(first), n.lineOf(second)
	if from == to {
		from, to = fmt.Sprintf("%s:%d", from, first.Col), fmt.Sprintf("%s:%d", to, second.Col)
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
