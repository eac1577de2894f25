package certificate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/replay"
)

// The kind "classes": a tree that has every way in which reads can read. A node is an execution that has not ended,
// with some reads that are put off: they will read a write that is not there yet. One thread goes on. A read reads each
// write that is there, or is put off. When a write is added, each read of the location that is put off takes it, or
// stays so. Where every thread that is left has put off a read, no execution goes on: program order and reads-from have
// no cycle, so one of these reads reads what was there when its thread came to it.
//
// The proof is only which thread goes on at each node: the checker makes all children itself, so that none can be
// forgotten. A node is left out if the axioms forbid its execution, since then they forbid all that go on from it.
//
// An allocation is put off like a read: it takes a block that will be given back.
//
// Loops that only read. If a thread comes back to where it was, and has only read since, an execution without these
// reads exists, too, and violates what the other one violates; a data race may need one such round, in one thread. So
// the tree has no round of this kind; where data races are asked about, as always under C11, at most one on each path. Two
// of the events of a data race cannot be in rounds of this kind, since one is a write; and without a round there is less
// that an event could happen before.

// node is a node of the tree.
type node struct {
	x *replay.Growing
	// off are the reads and allocations that are put off, by thread.
	off map[int]replay.Next
	// offers are writes and frees that threads which are put off may take, not yet decided.
	offers []offer
	// seen has, per thread, where it was since it last did more than reading.
	seen   [][]reached
	reads  []int // per thread: its reads that could have been put off
	rounds int   // in which a thread only read and came back
}

// reached is the state that a thread had come to, and after how many reads.
type reached struct {
	key   string
	reads int
}

type offer struct {
	thread, event int
}

// tree goes through the nodes. The checker and the search that makes certificates share it; they differ in choose.
type tree struct {
	ctx     context.Context
	props   *property.Set
	model   replay.Model
	threads int
	nodes   int // bound; 0: maxNodes
	covered Covered
	// choose returns which of the threads goes on.
	choose func(x *replay.Growing, threads []int, next []replay.Next) (int, error)
	// enter, if not nil, stands before visit, for trees that are made in parts.
	enter func(*node) error
	// leaf, for tests, gets the executions to which nothing can be added.
	leaf func(x *replay.Growing, ended bool)
	// fails, for tests, gets the executions that fail, which then refute nothing.
	fails func(*replay.Violation)
}

// maxNodes bounds a tree: programs with loops can have trees without an end.
const maxNodes = 2_000_000

// maxQuiet bounds the steps of one thread that concern it alone, in a row.
const maxQuiet = 1 << 16

func (t *tree) begin(p *ir.Program) error {
	if len(t.props.Goals) > 0 || t.props.Fairness != 0 || t.props.Leaks {
		return errors.New("there are no classes for goals, fair executions and memory leaks")
	}
	x, err := replay.NewGrowing(p, t.props, t.model)
	if err != nil {
		return err
	}
	t.threads = len(p.Threads)
	t.covered.Kind, t.covered.Cut = KindClasses, map[ir.EdgeID]bool{}
	return t.below(&node{x: x, seen: make([][]reached, t.threads), reads: make([]int, t.threads)})
}

func (t *tree) below(n *node) error {
	if t.enter != nil {
		return t.enter(n)
	}
	return t.visit(n)
}

// visit goes through the node and all below it.
func (t *tree) visit(n *node) error {
	if len(n.offers) > 0 {
		return t.decide(n)
	}
	if t.covered.Size++; t.covered.Size > cmp.Or(t.nodes, maxNodes) {
		return fmt.Errorf("%w: more than %d nodes", ErrTooLarge, cmp.Or(t.nodes, maxNodes))
	}
	if err := t.ctx.Err(); err != nil {
		return err
	}
	n, over, err := t.quiet(n)
	if err != nil || over {
		return err
	}
	var threads []int
	var next []replay.Next
	for u := range t.threads {
		if _, off := n.off[u]; off {
			continue
		}
		does, err := n.x.Next(u)
		if err != nil {
			return err
		}
		if does.Does != replay.Nothing {
			threads, next = append(threads, u), append(next, does)
		} else if e := n.x.CutOff(u); e != nil {
			t.covered.Cut[e.ID] = true
		}
	}
	if len(threads) == 0 {
		return t.end(n)
	}
	u, err := t.choose(n.x, threads, next)
	if err != nil {
		return err
	}
	k := slices.Index(threads, u)
	if k < 0 {
		return errors.New("the proof names a thread that cannot go on")
	}
	return t.advance(n, u, next[k])
}

// quiet takes the steps that concern one thread alone. over says that the node ends with them.
func (t *tree) quiet(n *node) (out *node, over bool, err error) {
	x := n.x
	for u := range t.threads {
		if _, off := n.off[u]; off {
			continue
		}
		if x, err = x.Quiet(u, maxQuiet); err != nil {
			return nil, false, err
		}
		if x.Failed() != nil {
			return nil, true, t.failed(x)
		}
	}
	m := *n
	m.x = x
	return &m, false, nil
}

// failed is nil if the axioms forbid an execution whose last step fails.
func (t *tree) failed(x *replay.Growing) error {
	allowed, err := x.Allowed()
	if err == nil && allowed && t.fails != nil {
		t.fails(x.Failed())
		return nil
	}
	if err == nil && allowed {
		err = refute(x.Failed())
	}
	return err
}

// advance lets a thread go on.
func (t *tree) advance(n *node, u int, next replay.Next) error {
	sources := []int{replay.Initially}
	if next.Does == replay.Reads {
		var err error
		if sources, err = n.x.Sources(u, next); err != nil {
			return err
		}
	}
	for _, from := range sources {
		if err := t.step(n, u, next, from); err != nil {
			return err
		}
	}
	if next.Does == replay.Steps || next.Private {
		return nil
	}
	m := n.clone()
	m.off[u] = next
	return t.below(m)
}

// step lets a thread take its next step, and looks at what comes of it.
func (t *tree) step(n *node, u int, next replay.Next, from int) error {
	all, err := n.x.Step(u, next, from)
	if err != nil {
		return err
	}
	for _, x := range all {
		if possible, err := x.Coherent(); err != nil {
			return err
		} else if !possible {
			continue
		}
		if x.Failed() != nil {
			if err := t.failed(x); err != nil {
				return err
			}
			continue
		}
		if x.HasDataRace() {
			allowed, err := x.Allowed()
			if err != nil {
				return err
			}
			if allowed {
				return &Refuted{What: "a data race is reached", Edge: ir.NoEdge, Beyond: t.model != replay.C11}
			}
			continue
		}
		m := n.clone()
		m.x = x
		if next.Does == replay.Reads && !next.Private {
			m.reads[u]++
		}
		if goesOn, stuck := m.newRound(u, t.model == replay.C11 || t.props.DataRaces); stuck && t.props.Endless {
			return replay.ErrLoop
		} else if !goesOn {
			continue
		}
		m.offer(u)
		if err := t.below(m); err != nil {
			return err
		}
	}
	return nil
}

// newRound notes where a thread has come to. goesOn is false if it has come back once too often, and stuck is true if it
// has come back without a read that another write could change.
func (n *node) newRound(u int, dataRaces bool) (goesOn, stuck bool) {
	if n.x.Effect(u) {
		n.seen[u] = nil
		return true, false
	}
	here := reached{n.x.Key(u), n.reads[u]}
	if k := slices.IndexFunc(n.seen[u], func(p reached) bool { return p.key == here.key }); k >= 0 {
		stuck = n.seen[u][k].reads == here.reads
		n.seen[u] = nil
		n.rounds++
	}
	n.seen[u] = append(slices.Clip(n.seen[u]), here)
	if !dataRaces {
		return n.rounds == 0, stuck
	}
	return n.rounds <= 1, stuck
}

// offer offers what the last step, of thread u, wrote or gave back to the threads that are put off.
func (n *node) offer(u int) {
	event, at, ok := n.x.Wrote()
	if !ok {
		event, at, ok = n.x.Freed()
	}
	if !ok {
		return
	}
	for v, next := range n.off {
		if v != u && next == at {
			n.offers = append(n.offers, offer{v, event})
		}
	}
	slices.SortFunc(n.offers, func(a, b offer) int { return a.thread - b.thread })
}

// decide takes the first offer, and declines it.
func (t *tree) decide(n *node) error {
	o := n.offers[0]
	m := n.clone()
	m.offers = m.offers[1:]
	if err := t.below(m); err != nil {
		return err
	}
	m = n.clone()
	next := m.off[o.thread]
	delete(m.off, o.thread)
	m.offers = slices.DeleteFunc(m.offers, func(p offer) bool { return p.thread == o.thread })
	return t.step(m, o.thread, next, o.event)
}

func (n *node) clone() *node {
	m := *n
	m.off = make(map[int]replay.Next, len(n.off)+1)
	for u, next := range n.off {
		m.off[u] = next
	}
	m.offers, m.seen, m.reads = slices.Clone(n.offers), slices.Clone(n.seen), slices.Clone(n.reads)
	return &m
}

// end looks at an execution in which nothing goes on.
func (t *tree) end(n *node) error {
	if t.leaf != nil {
		t.leaf(n.x, len(n.off) == 0)
	}
	wrong, err := n.x.End()
	if err == nil && wrong != "" {
		err = &Refuted{What: wrong, Edge: ir.NoEdge}
	}
	return err
}

// checkClasses goes through the tree that a certificate describes.
func checkClasses(ctx context.Context, r *Reader, p *ir.Program, props *property.Set, model replay.Model) (*Covered, error) {
	t := &tree{ctx: ctx, props: props, model: model, choose: func(*replay.Growing, []int, []replay.Next) (int, error) {
		b, err := r.ReadByte()
		return int(b), err
	}}
	if err := t.begin(p); err != nil {
		return nil, err
	}
	if t.covered.Size != r.Size {
		return nil, ErrDamaged
	}
	return &t.covered, r.end()
}
