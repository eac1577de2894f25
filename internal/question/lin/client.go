package lin

import (
	"cmp"
	"fmt"
	"strings"
)

// call is a call of an operation.
type call struct {
	op   *Operation
	args []int // per parameter: the number or the number of the block; 0 for others
}

// String returns the call as people write it: push(1).
func (c *call) String() string {
	var args []string
	for i, p := range c.op.Params {
		if h, is := c.op.handed[i]; is && (h.result || c.op.begin.Params[h.param].Kind == OutArg) {
			args = append(args, cmp.Or(p.Name, "the same"))
			continue
		}
		switch p.Kind {
		case ValueArg, KeyArg, FixedArg:
			args = append(args, fmt.Sprint(c.args[i]))
		case BlockArg:
			args = append(args, fmt.Sprintf("&%s%d", blockName, c.args[i]))
		}
	}
	return c.op.Name + "(" + strings.Join(args, ", ") + ")"
}

// slots returns how many numbers the call returns: its result and its out-parameters.
func (c *call) slots() int { return c.op.slots() }

// client is a program that calls the operations: some calls one after the other, then threads at the same time, then
// some calls one after the other.
type client struct {
	prefix  []call
	threads [][]call
	suffix  []call
	// pending has the concurrent calls that need not return, as bits: each is the last one of its thread, and has no results.
	pending uint64
	checks  bool // main checks whether calls have returned, and ends the program if not; otherwise it joins threads
}

// concurrent returns the calls of the threads, thread by thread.
func (c *client) concurrent() []call {
	var out []call
	for _, t := range c.threads {
		out = append(out, t...)
	}
	return out
}

// all returns all calls in the order in which their results are numbered: prefix, threads, suffix.
func (c *client) all() []call {
	out := append([]call{}, c.prefix...)
	out = append(out, c.concurrent()...)
	return append(out, c.suffix...)
}

// without returns the client without some of its concurrent calls.
func (c *client) without(dropped uint64) *client {
	out := &client{prefix: c.prefix, suffix: c.suffix, checks: c.checks}
	n, m := 0, 0
	for _, t := range c.threads {
		var kept []call
		for _, one := range t {
			if dropped>>n&1 == 0 {
				out.pending |= c.pending >> n & 1 << m
				kept = append(kept, one)
				m++
			}
			n++
		}
		out.threads = append(out.threads, kept)
	}
	return out
}

// slotOf returns the number of the first result of each call, and after these the number of all results.
func (c *client) slotOf() []int {
	out := []int{0}
	for n, one := range c.all() {
		slots := one.slots()
		if c.isPending(n) {
			slots = 0
		}
		out = append(out, out[len(out)-1]+slots)
	}
	return out
}

// isPending reports whether a call need not return, by its number among all calls.
func (c *client) isPending(n int) bool {
	return n >= len(c.prefix) && c.pending>>(n-len(c.prefix))&1 == 1
}

// programOrder returns the pairs of concurrent calls of one thread.
func (c *client) programOrder() order {
	var out order
	n := 0
	for _, t := range c.threads {
		for i := range t {
			for j := range i {
				out = out.with(n+j, n+i)
			}
		}
		n += len(t)
	}
	return out
}

// single reports whether every thread makes one call.
func (c *client) single() bool {
	for _, t := range c.threads {
		if len(t) != 1 {
			return false
		}
	}
	return true
}

// String returns the client in one line: push(1); push(2) || pop().
func (c *client) String() string {
	n := 0
	list := func(calls []call) string {
		var out []string
		for i := range calls {
			text := calls[i].String()
			if c.isPending(n) {
				text += " (pending)"
			}
			out = append(out, text)
			n++
		}
		return strings.Join(out, "; ")
	}
	text := ""
	if len(c.prefix) > 0 {
		text = list(c.prefix) + "; then "
	}
	var columns []string
	for _, t := range c.threads {
		if len(t) > 0 {
			columns = append(columns, list(t))
		}
	}
	text += strings.Join(columns, " || ")
	if len(c.suffix) > 0 {
		text += "; then " + list(c.suffix)
	}
	return text
}
