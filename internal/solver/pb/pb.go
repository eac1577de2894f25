package pb

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// Branch and bound. The idea: take the open clause with the fewest items left and try each of them.
// Later items are tried with the earlier ones forbidden, so no set is found twice. Clauses without
// a common item need one item each, so the sum of their cheapest items is a lower bound.
//
// The problem is reduced first. A clause that contains another is dropped. An item is dropped if
// another one hits at least the same clauses and is cheaper, or costs the same and is earlier. The
// second rule keeps the first of the cheapest sets: replacing the item by the earlier one makes a
// set lexicographically smaller, and not more expensive.
//
// The first cheapest set is found item by item: an item belongs to it if some cheapest set contains
// the item and all items taken before, and no item refused before.

// Problem has the items 0..len(Costs)-1 and the clauses that must be hit.
type Problem struct {
	Costs   []int64 // strictly positive
	Clauses [][]int
}

// Minimum returns the first cheapest set that hits every clause, and its cost. ok is false if some
// clause is empty: then there is no such set. The error is that of the context.
func (p *Problem) Minimum(ctx context.Context) (set []int, cost int64, ok bool, err error) {
	s, ok := newSearch(ctx, p, true)
	if !ok {
		return nil, 0, false, ctx.Err()
	}
	cost, ok = s.minimum(math.MaxInt64)
	if !ok {
		return nil, 0, false, s.err
	}
	for _, item := range s.items {
		s.state[item] = taken
		s.spent += p.Costs[item]
		if c, ok := s.minimum(cost); ok && c == cost {
			set = append(set, item)
			continue
		}
		s.spent -= p.Costs[item]
		s.state[item] = forbidden
	}
	return set, cost, true, s.err
}

// All returns the cheapest sets in lexicographic order, at most limit of them; more says that there
// are others. The error is that of the context.
func (p *Problem) All(ctx context.Context, limit int) (sets [][]int, more bool, err error) {
	s, ok := newSearch(ctx, p, false)
	if !ok {
		return nil, false, ctx.Err()
	}
	best, ok := s.minimum(math.MaxInt64)
	if !ok {
		return nil, false, s.err
	}
	s.best = best
	s.found = func() bool {
		if len(sets) == limit {
			more = true
			return false
		}
		var set []int
		for item, st := range s.state {
			if st == taken {
				set = append(set, item)
			}
		}
		sets = append(sets, set)
		return true
	}
	s.branch()
	slices.SortFunc(sets, slices.Compare[[]int])
	return sets, more, s.err
}

// itemState says whether an item is taken, forbidden or open.
type itemState uint8

const (
	open itemState = iota
	taken
	forbidden
)

// search is the state of branch and bound.
type search struct {
	costs   []int64
	clauses [][]int
	items   []int // the items that occur, sorted
	state   []itemState
	spent   int64
	best    int64       // cost of the best set known, or the cost wanted
	found   func() bool // called for every set of cost best; nil: search for cheaper ones
	used    []int       // scratch of bound: number of the call in which an item was used
	calls   int
	stop    bool
	ctx     context.Context // looked at now and then
	err     error           // of ctx; ends the search
}

func newSearch(ctx context.Context, p *Problem, first bool) (*search, bool) {
	for item, c := range p.Costs {
		if c <= 0 {
			panic(fmt.Sprintf("BUG: item %d costs %d", item, c))
		}
	}
	s := &search{ctx: ctx, costs: p.Costs, state: make([]itemState, len(p.Costs)), used: make([]int, len(p.Costs))}
	for _, c := range p.Clauses {
		if len(c) == 0 {
			return nil, false
		}
		s.clauses = append(s.clauses, c)
	}
	s.clauses = minimal(s.clauses)
	if first {
		s.dropItems()
		s.clauses = minimal(s.clauses)
	}
	for _, c := range s.clauses {
		s.items = append(s.items, c...)
	}
	slices.Sort(s.items)
	s.items = slices.Compact(s.items)
	return s, true
}

// minimal returns the clauses that contain no other, each sorted.
func minimal(clauses [][]int) [][]int {
	sorted := make([][]int, len(clauses))
	for i, c := range clauses {
		sorted[i] = slices.Clone(c)
		slices.Sort(sorted[i])
		sorted[i] = slices.Compact(sorted[i])
	}
	slices.SortStableFunc(sorted, func(a, b []int) int { return len(a) - len(b) })
	var out [][]int
	for _, c := range sorted {
		if !slices.ContainsFunc(out, func(d []int) bool { return subset(d, c) }) {
			out = append(out, c)
		}
	}
	return out
}

// subset reports whether all of a, which is sorted, is in b, which is sorted.
func subset(a, b []int) bool {
	for _, x := range a {
		i, ok := slices.BinarySearch(b, x)
		if !ok {
			return false
		}
		b = b[i+1:]
	}
	return true
}

// dropItems removes items that another one makes superfluous.
func (s *search) dropItems() {
	in := make([][]int, len(s.costs)) // the clauses of each item
	for i, c := range s.clauses {
		for _, item := range c {
			in[item] = append(in[item], i)
		}
	}
	gone := make([]bool, len(s.costs))
	for j := range s.costs {
		if len(in[j]) == 0 {
			continue
		}
		for _, i := range s.clauses[in[j][0]] { // an item that hits all of them hits this one
			better := s.costs[i] < s.costs[j] || s.costs[i] == s.costs[j] && i < j
			if i != j && !gone[i] && better && subset(in[j], in[i]) {
				gone[j] = true
				break
			}
		}
	}
	for i, c := range s.clauses {
		s.clauses[i] = slices.DeleteFunc(slices.Clone(c), func(item int) bool { return gone[item] })
	}
}

// minimum returns the least cost of a set with the taken items and without the forbidden ones, or
// false if that is more than the limit.
func (s *search) minimum(limit int64) (int64, bool) {
	s.best, s.found, s.stop = limit, nil, false
	if limit < math.MaxInt64 {
		s.best++ // sets that cost exactly the limit count
	}
	was := s.best
	s.branch()
	return s.best, s.best < was
}

// branch searches for sets with the taken items and without the forbidden ones.
func (s *search) branch() {
	if s.calls%256 == 0 && s.err == nil {
		s.err = s.ctx.Err()
	}
	if s.err != nil {
		return
	}
	clause, rest, possible := s.bound()
	if !possible || s.stop || s.spent+rest > s.best || s.found == nil && s.spent+rest >= s.best {
		return
	}
	if clause < 0 {
		switch {
		case s.found == nil:
			s.best = s.spent
		case s.spent == s.best:
			s.stop = !s.found()
		}
		return
	}
	var closed []int
	for _, item := range s.clauses[clause] {
		if s.state[item] != open {
			continue
		}
		s.state[item] = taken
		s.spent += s.costs[item]
		s.branch()
		s.spent -= s.costs[item]
		s.state[item] = forbidden
		closed = append(closed, item)
	}
	for _, item := range closed {
		s.state[item] = open
	}
}

// bound returns the clause to branch on, -1 if all are hit, and a lower bound of the cost of the
// rest; possible is false if some clause can no longer be hit.
func (s *search) bound() (clause int, rest int64, possible bool) {
	s.calls++
	clause = -1
	fewest := math.MaxInt
	for i, c := range s.clauses {
		left, cheapest, apart := 0, int64(math.MaxInt64), true
		hit := false
		for _, item := range c {
			switch s.state[item] {
			case taken:
				hit = true
			case open:
				left++
				cheapest = min(cheapest, s.costs[item])
				apart = apart && s.used[item] != s.calls
			}
		}
		switch {
		case hit:
			continue
		case left == 0:
			return 0, 0, false
		case left < fewest:
			clause, fewest = i, left
		}
		if apart {
			rest += cheapest
			for _, item := range c {
				s.used[item] = s.calls
			}
		}
	}
	return clause, rest, true
}
