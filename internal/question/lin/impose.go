package lin

import (
	"fmt"
	"slices"
	"strings"

	"fencepost/query"
)

// How a client imposes an order of its calls.

// imposed is how a client imposes an order: main starts and joins threads, or it has flags.
type imposed struct {
	order order
	added [][2]int // pairs beside those of threads
	flags bool
	open  bool // the flags say that a call may begin: one that returned before has seen that it had not been set
}

func (w *writer) impose(c *client, o order) *imposed {
	m := &imposed{order: o, added: o.pairs(c.programOrder()), open: w.returns == query.ReturnOpen}
	m.flags = m.open && len(m.added) > 0 || !c.single() || !o.interval(len(c.concurrent()))
	return m
}

// before writes what a thread does before a call.
func (m *imposed) before(b *strings.Builder, n int) {
	flag, late := fmt.Sprintf("%s[%d]", goName, n), false
	for _, p := range m.added {
		if p[1] != n || late {
			continue
		}
		if late = m.open; !late {
			flag = fmt.Sprintf("%s[%d]", doneName, p[0])
		}
		fmt.Fprintf(b, "  if (!atomic_load_explicit(&%s, memory_order_acquire))\n    exit(0); // too early\n", flag)
	}
}

// after writes what a thread does after a call.
func (m *imposed) after(b *strings.Builder, n int) {
	for _, p := range m.added {
		switch {
		case p[0] != n:
		case m.open:
			fmt.Fprintf(b, "  if (atomic_load_explicit(&%s[%d], memory_order_relaxed))\n    exit(0); // too late\n", goName, p[1])
		default:
			fmt.Fprintf(b, "  atomic_store_explicit(&%s[%d], 1, memory_order_release);\n", doneName, n)
			return
		}
	}
}

// later returns the calls that a flag lets begin.
func (m *imposed) later() []int {
	var out []int
	for _, p := range m.added {
		if m.open && !slices.Contains(out, p[1]) {
			out = append(out, p[1])
		}
	}
	return out
}

// threads writes how main starts and joins the threads. In an interval order that one thread imposes, a call that
// comes after others begins when they have been joined.
func threads(b *strings.Builder, c *client, m *imposed) {
	n, o, flags := len(c.threads), m.order, m.flags
	var names []string
	for t := range n {
		names = append(names, fmt.Sprintf("t%d", t+1))
	}
	clocks := m.later()
	for _, n := range clocks {
		names = append(names, fmt.Sprintf("c%d", n+1))
	}
	fmt.Fprintf(b, "  pthread_t %s;\n", strings.Join(names, ", "))
	var starts []int
	for t := range n {
		if len(c.threads[t]) > 0 {
			starts = append(starts, t)
		}
	}
	joined := map[int]bool{}
	join := func(t int) {
		switch {
		case joined[t]:
		case c.checks:
			m.checksThread(b, c, t)
		default:
			fmt.Fprintf(b, "  pthread_join(t%d, 0);\n", t+1)
		}
		joined[t] = true
	}
	if !flags {
		slices.SortStableFunc(starts, func(x, y int) int { return count(o.before(x)) - count(o.before(y)) })
	}
	for _, t := range starts {
		for u := range n {
			if !flags && o.has(u, t) {
				join(u)
			}
		}
		fmt.Fprintf(b, "  pthread_create(&t%d, 0, thread_%d, 0);\n", t+1, t+1)
	}
	for _, n := range clocks {
		fmt.Fprintf(b, "  pthread_create(&c%d, 0, clock_%d, 0);\n", n+1, n+1)
	}
	for _, t := range starts {
		join(t)
	}
	for _, n := range clocks {
		if !c.checks {
			fmt.Fprintf(b, "  pthread_join(c%d, 0);\n", n+1)
		}
	}
}
