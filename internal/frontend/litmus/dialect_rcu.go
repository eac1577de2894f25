//go:build !fencepost_small

package litmus

import (
	"fmt"
	"strings"

	"fencepost/internal/lazyregexp"
)

// RCU is written in C (<fencepost/linux_rcu_litmus.h>): a grace period looks at the threads that have read-side sections.
// Which threads these are is found in the text, so that a grace period does not look at the others.

var (
	gracePeriods = lazyregexp.New(`\b(synchronize_rcu|srcu_)|_srcu\b`)
	rcuSections  = lazyregexp.New(`\brcu_read_lock\b`)
	srcuSections = lazyregexp.New(`\bsrcu_(read_lock|down_read)\b`)
)

// rcu returns the C before a test that gives RCU its meaning.
func (c *compiler) rcu() string {
	if !gracePeriods.Match(c.code.text) {
		return rcuPrelude // no thread waits for readers
	}
	threads, sections := len(c.tree.procs), 1
	outside := c.outside()
	count := func(words *lazyregexp.Regexp, thread int) int {
		return len(words.FindAllIndex(c.body(thread), -1)) + len(words.FindAllIndex(outside, -1))
	}
	for i := range threads {
		sections = max(sections, count(srcuSections, i))
	}
	var rcu, srcu strings.Builder
	for i := range threads {
		if count(rcuSections, i) > 0 {
			fmt.Fprintf(&rcu, " f(%d)", i)
		}
		for k := range count(srcuSections, i) {
			fmt.Fprintf(&srcu, " f(%d)", i*sections+k)
		}
	}
	return fmt.Sprintf("#define __FP_RCU_THREADS %d\n#define __FP_RCU_EACH(f)%s\n#define __FP_SRCU_SECTIONS %d\n#define __FP_SRCU_EACH(f)%s\n"+
		"#include <fencepost/linux_rcu_litmus.h>\nvoid call_rcu(void *, void (*)(void *));\n", threads, rcu.String(), sections, srcu.String())
}

// body returns the text from the name of a thread's function to the end of its body.
func (c *compiler) body(thread int) []byte {
	text := c.code.text[c.bodyStart(thread):]
	depth := 0
	for i, b := range text {
		switch b {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return text[:i+1]
			}
		}
	}
	return text
}

// bodyStart returns where the name of a thread's function stands in the text with declarations.
func (c *compiler) bodyStart(thread int) int {
	at := c.tree.procs[thread].start
	for _, i := range c.code.declared {
		if i.Start < at {
			at += i.End - i.Start
		}
	}
	return at
}

// outside returns the C of a test that is no thread.
func (c *compiler) outside() []byte {
	var out []byte
	from := 0
	for i := range c.tree.procs {
		at := c.bodyStart(i)
		out = append(out, c.code.text[from:at]...)
		from = at + len(c.body(i))
	}
	return append(out, c.code.text[from:]...)
}
