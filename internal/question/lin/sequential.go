package lin

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"fencepost/internal/ir"
	"fencepost/internal/memory"
	"fencepost/verdict"
)

// The specification: what the calls of a client return if they are made one at a time.
//
// One program makes the calls in every order, so one exploration answers for all orders. The code may be that of the user,
// or another file with functions of the same names, which may make choices: then an order has several results.

// sequence is an order of concurrent calls. A call that is pending or has failed without need may be missing in it.
type sequence []int

// table has the orders that explain results, by the results.
type table struct {
	orders map[string][]sequence // by key
	finals []final
	waits  bool // in some order, a call waits for ever
}

// final is an order of all calls and what they return in it.
type final struct {
	order   sequence
	results []int64
}

// total returns the order as real time: every call returns before the next begins.
func (f *final) total() order {
	var out order
	for i := 1; i < len(f.order); i++ {
		out = out.with(f.order[i-1], f.order[i])
	}
	return out
}

// specification makes tables.
type specification struct {
	writer   *writer
	explorer *explorer
	tables   map[string]*table // by client
}

// table returns the table of a client without some of its calls.
func (s *specification) table(ctx context.Context, c *client, dropped uint64) (*table, error) {
	part := c
	if dropped != 0 {
		part = c.without(dropped)
	}
	name := fmt.Sprint(part, dropped)
	if t := s.tables[name]; t != nil {
		return t, nil
	}
	slots := part.slotOf()
	out, err := s.explorer.explore(ctx, s.writer.sequential(part), &request{vars: []variable{{orderName, 1}, {resultName, slots[len(slots)-1]}}, model: memory.SC})
	if err != nil {
		return nil, refusedBy(out, err)
	}
	switch {
	case out.fails != nil:
		return nil, &openError{why: fmt.Sprintf("%s fails one call at a time: %s", part, failure(&out.error)), frees: out.fails.Class == ir.InvalidFree}
	case !out.complete():
		return nil, &openError{why: "the calls could not be made one at a time: " + why(out)}
	}
	kept := part.kept(c, dropped)
	t := &table{orders: map[string][]sequence{}}
	seen := map[int64]bool{}
	for _, values := range out.finals {
		var digits sequence
		for n := values[0]; n > 0; n /= 10 {
			digits = append(digits, kept[n%10-1])
		}
		slices.Reverse(digits)
		k := key(values[1:])
		t.orders[k] = append(t.orders[k], digits)
		seen[values[0]] = true
		t.finals = append(t.finals, final{digits, values[1:]})
	}
	t.waits = len(seen) < linearExtensions(part.programOrder(), len(part.concurrent()))
	s.tables[name] = t
	return t, nil
}

// alwaysEnds reports whether all calls of a client come to their end one at a time, if a call that would wait lets others go first. Then a call
// that waits for ever in an execution is a mistake: nothing that the others do later is missing.
//
// A sequence of some of the calls is stuck if none of the others can come next. What comes to its end is known from the
// clients that have some of the calls only.
func (s *specification) alwaysEnds(ctx context.Context, c *client) (bool, error) {
	n, po := len(c.concurrent()), c.programOrder()
	all := uint64(1)<<n - 1
	ending := map[uint64]map[string]bool{} // by set of calls, the sequences that end
	for set := range all + 1 {
		closed := true
		for i := range n {
			closed = closed && (set>>i&1 == 0 || po.before(i)&^set == 0)
		}
		if !closed {
			continue
		}
		t, err := s.table(ctx, c, all&^set)
		if err != nil {
			return false, err
		}
		ending[set] = map[string]bool{}
		for i := range t.finals {
			ending[set][fmt.Sprint(t.finals[i].order)] = true
		}
	}
	var from func(set uint64, done sequence) bool
	from = func(set uint64, done sequence) bool {
		if set == all {
			return true
		}
		next := false
		for i := range n {
			with := set | 1<<i
			longer := append(slices.Clone(done), i)
			if with == set || ending[with] == nil || !ending[with][fmt.Sprint(longer)] {
				continue
			}
			if next = true; !from(with, longer) {
				return false
			}
		}
		return next
	}
	return from(0, sequence{}), nil
}

// kept returns the numbers that the concurrent calls have in the client without any of them dropped.
func (c *client) kept(whole *client, dropped uint64) []int {
	var out []int
	for i := range whole.concurrent() {
		if dropped>>i&1 == 0 {
			out = append(out, i)
		}
	}
	return out
}

// linearExtensions counts the sequences of n calls that respect an order.
func linearExtensions(o order, n int) int {
	ways := make([]int, 1<<n)
	ways[0] = 1
	for set := range ways {
		for i := range n {
			if set>>i&1 == 0 && o.before(i)&^uint64(set) == 0 {
				ways[set|1<<i] += ways[set]
			}
		}
	}
	return ways[len(ways)-1]
}

// explanations returns the sequences that explain results of a client. A call that is pending may be missing in them, as one that
// has failed without need; where it is not, it may return anything.
func (s *specification) explanations(ctx context.Context, c *client, results []int64) ([]sequence, error) {
	all, err := s.table(ctx, c, 0)
	if err != nil {
		return nil, err
	}
	out := slices.Clone(all.orders[key(results)])
	missing := c.pending
	slots, calls := c.slotOf(), c.all()
	for i := range c.concurrent() {
		n := len(c.prefix) + i
		if v := calls[n].op.MayFail; v != nil && !c.isPending(n) && results[slots[n]] == *v {
			missing |= 1 << i
		}
	}
	for part := missing; part != 0; part = (part - 1) & missing {
		t, err := s.table(ctx, c, part)
		if err != nil {
			return nil, err
		}
		out = append(out, t.orders[key(c.resultsWithout(results, part))]...)
	}
	return out, nil
}

// allowed returns the condition that some sequence which an order allows explains the results of a client.
func (s *search) allowed(ctx context.Context, c *client, o order) (string, error) {
	may := c.pending
	slots, calls := c.slotOf(), c.all()
	for i := range c.concurrent() {
		if calls[len(c.prefix)+i].op.MayFail != nil {
			may |= 1 << i
		}
	}
	var ways []string
	for part := may; ; part = (part - 1) & may {
		t, err := s.spec.table(ctx, c, part)
		if err != nil {
			return "", err
		}
		for i := range t.finals {
			f := &t.finals[i]
			if o.contradicts(f.order) {
				continue
			}
			results, left := make([]*int64, slots[len(slots)-1]), f.results
			for n := range calls {
				if i := n - len(c.prefix); i >= 0 && i < len(c.concurrent()) && part>>i&1 == 1 {
					if !c.isPending(n) {
						results[slots[n]] = calls[n].op.MayFail
					}
					continue
				}
				for k := slots[n]; k < slots[n+1]; k++ {
					results[k], left = &left[0], left[1:]
				}
			}
			if way := "(" + are(results) + ")"; !slices.Contains(ways, way) {
				ways = append(ways, way)
			}
		}
		if part == 0 {
			break
		}
	}
	if len(ways) == 0 { // no sequence comes to its end, and so must no execution
		return "0", nil
	}
	return strings.Join(ways, " ||\n         "), nil
}

// resultsWithout returns results without those of some concurrent calls.
func (c *client) resultsWithout(results []int64, dropped uint64) []int64 {
	var out []int64
	slots := c.slotOf()
	for n := range c.all() {
		if i := n - len(c.prefix); i >= 0 && i < len(c.concurrent()) && dropped>>i&1 == 1 {
			continue
		}
		out = append(out, results[slots[n]:slots[n+1]]...)
	}
	return out
}

// openError is why the question cannot be answered.
type openError struct {
	why   string
	frees bool // a call frees what is no block of the heap
}

func (e *openError) Error() string { return e.why }

// failure says what fails, and where.
func failure(v *verdict.Violation) string {
	if v.Pos == nil {
		return cmp.Or(v.Reason, "an error")
	}
	return fmt.Sprintf("%s at %s", v.Reason, v.Pos)
}

// why says what an exploration left out.
func why(e *explored) string {
	if e.open != "" {
		return e.open
	}
	return e.cover.BoundText()
}
