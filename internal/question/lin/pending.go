package lin

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Calls that have not returned. A history can end while some calls are pending: each of them has taken effect, and would return
// whatever the specification says, or it has not [HW90].
//
// Where all calls of a client come to their end, such a history explains nothing new: it goes on to one in which all calls
// have returned, and the sequence for that one, up to the last call of the shorter history, is one for the shorter
// history. So only clients whose calls can wait for ever are looked at with pending calls, in every choice of them: at most one
// in each thread, which is the last one that the thread makes.
//
// The client is a program whose main ends it as soon as the other calls have returned. So no execution has to be one in which a call
// waits for ever: what goes wrong is a finite execution that ends with an assertion, as elsewhere.

// whilePending looks for results of some calls of a client that cannot be explained while others are pending.
func (s *search) whilePending(ctx context.Context, c *client) (wrong *found, failed bool, err error) {
	if s.itself {
		t, err := s.spec.table(ctx, &client{prefix: c.prefix}, 0)
		if err != nil || len(t.finals) == 0 { // no concurrent call begins
			return nil, false, err
		}
	}
	for _, p := range c.withPending() {
		s.last = p
		x := s.in(p)
		out, err := x.results(ctx, p.programOrder(), false)
		if err != nil || out.fails != nil {
			return nil, out != nil && out.fails != nil, err
		}
		if wrong, err := x.anyWrong(ctx, out); wrong != nil || err != nil {
			return wrong, false, err
		}
		s.keep(x, false)
	}
	return nil, false, nil
}

// withPending lists the clients whose threads make the same calls up to one that is pending, in some threads. Those with
// fewer pending calls come first. Threads that make the same call with other values can be exchanged, so the last ones of
// them have the pending calls.
func (c *client) withPending() []*client {
	var out []*client
	made := make([]int, len(c.threads)) // by thread: calls that return
	var choose func(t int)
	choose = func(t int) {
		if t == len(c.threads) {
			if p := c.upTo(made); p.pending != 0 && count(p.pending) < len(p.concurrent()) {
				out = append(out, p)
			}
			return
		}
		for made[t] = len(c.threads[t]); made[t] >= 0; made[t]-- {
			if t > 0 && alike(c.threads[t-1], c.threads[t]) && made[t-1] < made[t] {
				continue
			}
			choose(t + 1)
		}
	}
	choose(0)
	slices.SortStableFunc(out, func(x, y *client) int { return count(x.pending) - count(y.pending) })
	return out
}

// upTo returns the client whose threads make some calls that return, and one that is pending if there are more.
func (c *client) upTo(made []int) *client {
	out := &client{prefix: c.prefix, checks: true}
	n := 0
	for t, calls := range c.threads {
		if made[t] < len(calls) {
			calls = calls[:made[t]+1]
			out.pending |= 1 << (n + made[t])
		}
		n += len(calls)
		out.threads = append(out.threads, calls)
	}
	return out
}

// alike reports whether two threads make the same calls with the same keys.
func alike(a, b []call) bool {
	return slices.EqualFunc(a, b, func(x, y call) bool { return x.op == y.op && slices.Equal(keysOf(&x), keysOf(&y)) })
}

// isShown reports whether a call returns before another one of its thread is pending, by its number among all calls. Main sees
// its results in atomic variables, whose stores order nothing else.
func (c *client) isShown(n int) bool {
	last := c.lastOf(n)
	return c.checks && n < last && c.isPending(last)
}

// lastOf returns the last call of the thread of a call, -1 for a call before or after the threads.
func (c *client) lastOf(n int) int {
	last := len(c.prefix) - 1
	if n <= last {
		return -1
	}
	for _, calls := range c.threads {
		if last += len(calls); n <= last {
			return last
		}
	}
	return -1
}

// declareShown writes the variables of a client whose main does not join threads.
func declareShown(b *strings.Builder, c *client, over bool) {
	slots := c.slotOf()
	if total := slots[len(slots)-1]; slices.ContainsFunc(c.numbers(), c.isShown) && total > 0 {
		fmt.Fprintf(b, "#define LIN_NONE %dL // no result\nstatic atomic_long %s[%d] = {%s};\n", int64(unlikely), shownName, total, strings.TrimSuffix(strings.Repeat("LIN_NONE, ", total), ", "))
	}
	if over {
		fmt.Fprintf(b, "static atomic_long %s;\n", overName)
	}
}

// numbers returns the numbers of all calls.
func (c *client) numbers() []int {
	var out []int
	for n := range c.all() {
		out = append(out, n)
	}
	return out
}

// shows writes how a thread says that a concurrent call has returned, unless its results do.
func (m *imposed) shows(b *strings.Builder, c *client, n int) {
	all := len(c.prefix) + n
	switch {
	case m.says(n) || c.isPending(all) || c.isShown(all) && !m.flagged(c, n):
	case c.isShown(all):
		fmt.Fprintf(b, "  atomic_store_explicit(&%s[%d], 1, memory_order_relaxed);\n", doneName, n)
	case all == c.lastOf(all):
		fmt.Fprintf(b, "  atomic_store_explicit(&%s[%d], 1, memory_order_release);\n", doneName, n)
	}
}

// says reports whether a thread says to others that a call has returned.
func (m *imposed) says(n int) bool { return m.flags && !m.open && m.first(n) }

// first reports whether a call has to return before others begin.
func (m *imposed) first(n int) bool {
	return slices.ContainsFunc(m.added, func(p [2]int) bool { return p[0] == n })
}

// flagged reports whether main checks a flag for a call that is shown: it has no results, or they can be seen before the
// thread has found that it was in time.
func (m *imposed) flagged(c *client, n int) bool {
	slots := c.slotOf()
	all := len(c.prefix) + n
	return slots[all] == slots[all+1] || m.open && m.first(n)
}

// checksThread writes how main finds out whether the calls of a thread have returned.
func (m *imposed) checksThread(b *strings.Builder, c *client, t int) {
	n := 0
	for _, calls := range c.threads[:t] {
		n += len(calls)
	}
	slots := c.slotOf()
	for i := range c.threads[t] {
		all, last := len(c.prefix)+n+i, i == len(c.threads[t])-1
		shown := c.isShown(all)
		if c.isPending(all) || !last && !shown {
			continue
		}
		for k := slots[all]; k < slots[all+1] && shown; k++ {
			fmt.Fprintf(b, "  if ((%s[%d] = atomic_load_explicit(&%s[%d], memory_order_relaxed)) == LIN_NONE)\n    exit(0); // too early\n", resultName, k, shownName, k)
		}
		if !shown || m.flagged(c, n+i) {
			fmt.Fprintf(b, "  if (!atomic_load_explicit(&%s[%d], memory_order_acquire))\n    exit(0); // too early\n", doneName, n+i)
		}
	}
}
