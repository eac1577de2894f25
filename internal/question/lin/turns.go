package lin

import (
	"fmt"
	"slices"
	"strings"
)

// The specification as a program: the calls of a client, one at a time, in every order.

const turnName = "lin_turn" // the call whose turn it is, from 1

// sequential returns a program that makes the concurrent calls one at a time, in every order that program order
// allows. lin_order has the order: a digit for each call, from 1.
//
// One thread makes all calls, unless they depend on the thread that makes them. Calls that are pending elsewhere return here, too.
func (w *writer) sequential(whole *client) string {
	var b strings.Builder
	one := *whole
	c := &one
	c.checks = false
	calls := c.concurrent()
	turns := c.threadState()
	b.WriteString("_Bool __VERIFIER_nondet_bool(void);\nvoid __VERIFIER_assume(int);\n")
	if turns {
		b.WriteString("#include <stdatomic.h>\n")
	}
	w.head(&b, c)
	fmt.Fprintf(&b, "static long %s;\n", orderName)
	if turns {
		w.turns(&b, c)
	}
	b.WriteString("\nint main(void) {\n")
	w.begin(&b, c)
	if turns {
		for t := range c.threads {
			fmt.Fprintf(&b, "  pthread_t t%d;\n  pthread_create(&t%d, 0, thread_%d, 0);\n", t+1, t+1, t+1)
		}
	}
	po := c.programOrder()
	fmt.Fprintf(&b, "  int lin_made = 0;\n  for (int lin_i = 0; lin_i < %d; lin_i++) {\n    int lin_next = 0;\n", len(calls))
	fmt.Fprintf(&b, "    while (lin_next < %d && __VERIFIER_nondet_bool())\n      lin_next++;\n", len(calls)-1)
	b.WriteString("    __VERIFIER_assume(!(lin_made >> lin_next & 1));\n    switch (lin_next) {\n")
	for i := range calls {
		fmt.Fprintf(&b, "    case %d:\n", i)
		if need := po.before(i); need != 0 {
			fmt.Fprintf(&b, "      __VERIFIER_assume((lin_made & %d) == %d);\n", need, need)
		}
		if !turns {
			b.WriteString(w.call(c, len(c.prefix)+i, "      "))
		}
		b.WriteString("      break;\n")
	}
	b.WriteString("    }\n")
	if turns {
		fmt.Fprintf(&b, "    atomic_store(&%s, lin_next + 1);\n    while (atomic_load(&%s))\n      ;\n", turnName, turnName)
	}
	fmt.Fprintf(&b, "    lin_made |= 1 << lin_next;\n    %s = %s * 10 + lin_next + 1;\n  }\n", orderName, orderName)
	if turns {
		for t := range c.threads {
			fmt.Fprintf(&b, "  pthread_join(t%d, 0);\n", t+1)
		}
	}
	w.end(&b, c)
	b.WriteString("  return 0;\n}\n")
	return b.String()
}

// threadState reports whether concurrent calls depend on the thread that makes them.
func (c *client) threadState() bool {
	return slices.ContainsFunc(c.concurrent(), func(one call) bool { return one.op.state })
}

// turns writes threads that make their calls when it is their turn.
func (w *writer) turns(b *strings.Builder, c *client) {
	fmt.Fprintf(b, "static atomic_int %s;\n", turnName)
	n := 0
	for t, calls := range c.threads {
		fmt.Fprintf(b, "\nstatic void *thread_%d(void *unused) {\n", t+1)
		for range calls {
			fmt.Fprintf(b, "  while (atomic_load(&%s) != %d)\n    ;\n", turnName, n+1)
			b.WriteString(w.call(c, len(c.prefix)+n, "  "))
			fmt.Fprintf(b, "  atomic_store(&%s, 0);\n", turnName)
			n++
		}
		b.WriteString("  return 0;\n}\n")
	}
}
