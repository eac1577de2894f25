package lin

import (
	"context"
	"errors"
	"math/bits"
	"slices"
	"time"

	"fencepost/internal/memory"
	"fencepost/query"
)

// The search for results that no sequence of the calls explains.
//
// The results of a client without any order between its calls come first. Let L be the sequences that explain some
// results. If L is empty, the results are wrong. Otherwise real time may rule out every sequence of L: there may be an
// order E of calls, imposed from outside, with which the results are still possible, and which contradicts
// every sequence of L. E is built pair by pair: the first sequence that E does not contradict has to be contradicted by
// some pair. Whether the results are possible with an order is found by exploring the client that imposes
// it. So pairs are possible together, and not only each by itself, and what was found is a program.
//
// Results are possible with an order only if they are with every part of it, which saves most explorations.

// found is a client whose calls return what no sequence explains.
type found struct {
	client  *client
	order   order
	results []int64
	why     string     // one at a time, the code is not what it is to be; "": it is
	legal   []sequence // that explain the results and that the order contradicts
}

// search looks for such results under a model.
type search struct {
	writer     *writer
	explorer   *explorer
	spec       *specification
	model      memory.Model
	itself     bool        // the specification is the code itself
	kind       *conformity // what the code is to be, one call at a time; nil: anything
	waits      bool        // one at a time, some calls wait for ever
	begun      time.Time
	last       *client // that was looked at
	wrongOrder *order  // of its calls, if it goes wrong only with that
	clients    int
	programs   int
	states     int64
	bounds     *explored     // the first exploration that left something out; nil: none
	kept       []*keptClient // nil unless a proof is wanted
	calls      int           // concurrent calls of the clients that are looked at
	proofs     *proofs       // answers instead of engines; nil: engines do
}

// setHeap says whether blocks come from the heap.
func (s *search) setHeap(on bool) {
	if s.writer.heap != on {
		s.writer.heap, s.spec.writer.heap, s.spec.tables = on, on, map[string]*table{}
	}
}

// in returns the search in one client.
func (s *search) in(c *client) *clientSearch {
	x := &clientSearch{search: s, c: c, possible: map[order]map[string]bool{}}
	if s.kept != nil {
		x.values = map[order][][]int64{}
	}
	return x
}

// inClient looks at one client. failed is a client with an error, which needs no history.
func (s *search) inClient(ctx context.Context, c *client) (wrong *found, failed bool, err error) {
	s.last = c
	x := s.in(c)
	t, err := s.spec.table(ctx, c, 0)
	if open := (*openError)(nil); errors.As(err, &open) && open.frees && !s.writer.heap {
		s.setHeap(true)
		t, err = s.spec.table(ctx, c, 0)
	}
	if err != nil {
		return nil, false, err
	}
	ends, err := s.ends(ctx, c, t)
	if err != nil {
		return nil, false, err
	}
	s.waits = s.waits || !ends
	if s.kind != nil {
		if f, why := s.kind.table(c, t); f != nil {
			return &found{client: c, order: f.total(), results: f.results, why: why}, false, nil
		}
	}
	out, err := x.results(ctx, c.programOrder(), ends)
	if err != nil || out.fails != nil {
		return nil, out != nil && out.fails != nil, err
	}
	s.clients++
	if wrong, err := x.anyWrong(ctx, out); wrong != nil || err != nil {
		return wrong, false, err
	}
	s.keep(x, ends)
	if ends { // and a call that never returns was an error
		return nil, false, nil
	}
	return s.whilePending(ctx, c)
}

// anyWrong looks among the results of a client for some that an order makes wrong.
func (x *clientSearch) anyWrong(ctx context.Context, out *explored) (*found, error) {
	if x.proofs != nil {
		return nil, x.judged(ctx)
	}
	for _, results := range out.finals {
		wrong, err := x.wrong(ctx, results)
		if wrong != nil || err != nil {
			return wrong, err
		}
	}
	return nil, nil
}

// ends reports whether a call of a client that never returns is a mistake, given the table of the client.
func (s *search) ends(ctx context.Context, c *client, t *table) (bool, error) {
	if !t.waits || !s.itself {
		return !t.waits, nil
	}
	return s.spec.alwaysEnds(ctx, c)
}

// clientSearch is the search in one client.
type clientSearch struct {
	*search
	c        *client
	possible map[order]map[string]bool // the results that are possible with an order
	values   map[order][][]int64       // the same, as numbers, where a proof is wanted
}

// results explores the client with an order. stuck says that threads that wait for ever are an error.
func (x *clientSearch) results(ctx context.Context, o order, stuck bool) (*explored, error) {
	if x.proofs != nil {
		return x.proved(ctx, stuck)
	}
	slots := x.c.slotOf()
	at := request{vars: []variable{{resultName, slots[len(slots)-1]}}, model: x.model, stuck: stuck, exits: x.c.checks}
	if x.c.checks {
		at.vars = append([]variable{{overName, 1}}, at.vars...)
	}
	out, err := x.explorer.explore(ctx, x.writer.program(x.c, o, nil, ""), &at)
	if err != nil {
		return nil, refusedBy(out, err)
	}
	x.programs++
	x.states += out.states
	if out.open != "" {
		return nil, &openError{why: out.open}
	}
	if !out.complete() && x.bounds == nil {
		x.bounds = out
	}
	if x.c.checks {
		var over [][]int64
		for _, r := range out.finals {
			if r[0] == 1 {
				over = append(over, r[1:])
			}
		}
		out.finals = over
	}
	set := map[string]bool{}
	for _, r := range out.finals {
		set[key(r)] = true
	}
	x.possible[o] = set
	if x.values != nil {
		x.values[o] = out.finals
	}
	return out, nil
}

// can reports whether results are possible with an order.
func (x *clientSearch) can(ctx context.Context, o order, results string) (bool, error) {
	if set, known := x.possible[o]; known {
		return set[results], nil
	}
	po := x.c.programOrder()
	if pairs := o.pairs(po); len(pairs) > 1 {
		for _, p := range pairs {
			if ok, err := x.can(ctx, po.with(p[0], p[1]), results); !ok || err != nil {
				return false, err
			}
		}
	}
	if _, err := x.results(ctx, o, false); err != nil {
		return false, err
	}
	return x.possible[o][results], nil
}

// wrong looks for an order with which results are possible and cannot be explained.
func (x *clientSearch) wrong(ctx context.Context, results []int64) (*found, error) {
	legal, err := x.spec.explanations(ctx, x.c, results)
	if err != nil {
		return nil, err
	}
	tried := map[order]bool{}
	var extend func(o order) (*order, error)
	extend = func(o order) (*order, error) {
		if tried[o] {
			return nil, nil
		}
		tried[o] = true
		alive := slices.IndexFunc(legal, func(q sequence) bool { return !o.contradicts(q) })
		if alive < 0 {
			return &o, nil
		}
		q := legal[alive]
		for j, a := range q {
			for _, b := range q[:j] { // b before a in the sequence: a must return before b begins
				if o.has(b, a) || x.c.pending>>a&1 == 1 {
					continue
				}
				next := o.with(a, b)
				if x.itself && x.writer.returns != query.ReturnOpen && next.total(len(x.c.concurrent())) {
					continue // one at a time, the code returns what the specification says
				}
				ok, err := x.can(ctx, next, key(results))
				if err != nil {
					return nil, err
				}
				if ok {
					if e, err := extend(next); e != nil || err != nil {
						return e, err
					}
				}
			}
		}
		return nil, nil
	}
	e, err := extend(x.c.programOrder())
	if e == nil || err != nil {
		return nil, err
	}
	least := x.least(*e, legal)
	x.wrongOrder = &least
	return &found{client: x.c, order: least, results: results, legal: legal}, nil
}

// least returns a part of an order that still contradicts every sequence: no pair can be left out.
func (x *clientSearch) least(o order, legal []sequence) order {
	contradicts := func(o order) bool {
		return !slices.ContainsFunc(legal, func(q sequence) bool { return !o.contradicts(q) })
	}
	for {
		smaller := false
		pairs := o.pairs(x.c.programOrder())
		for drop := range pairs {
			part := x.c.programOrder()
			for i, p := range pairs {
				if i != drop {
					part = part.with(p[0], p[1])
				}
			}
			if contradicts(part) {
				o, smaller = part, true
				break
			}
		}
		if !smaller {
			return o
		}
	}
}

// count returns the size of a set.
func count(set uint64) int { return bits.OnesCount64(set) }
