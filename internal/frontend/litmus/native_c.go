//go:build !fencepost_small

package litmus

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"fencepost/internal/frontend/c/translate/read"
	"fencepost/internal/lazyregexp"
	"fencepost/internal/stress"
)

// A test in C is given to the compiler as it is written, with three changes: functions
// of threads without a type return nothing, a variable that is observed has an attribute
// that keeps its value when its scope ends, and such a variable is 0 at first.

// inC makes the threads of a test in C.
func (n *native) inC() {
	c := n.c
	n.locals = map[localKey]int{}
	var edits []insertion
	for i := range c.tree.procs {
		edits = append(edits, n.cThread(i)...)
	}
	if n.reason != "" {
		return
	}
	slices.SortStableFunc(edits, func(a, b insertion) int { return a.at - b.at })
	var code strings.Builder
	prelude, headers := c11Prelude, []string{"fencepost/linux_barriers.h"}
	if c.code.kernel {
		prelude, headers = kernelPrelude, append(headers, "fencepost/linux.h")
	}
	code.WriteString(prelude + rcuPrelude)
	last := 0
	for _, e := range edits {
		code.Write(c.code.text[last:e.at])
		code.WriteString(e.text)
		last = e.at
	}
	code.Write(c.code.text[last:])
	n.test.Code = code.String()
	for _, name := range headers {
		text, ok := read.Header(name)
		if !ok {
			panic("BUG: no header " + name)
		}
		n.test.Headers = append(n.test.Headers, stress.Header{Name: name, Text: text})
	}
}

// insertion is text to put into the test's.
type insertion struct {
	at   int
	text string
}

var (
	parameterName = lazyregexp.New(`([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)*$`)
	typeBefore    = lazyregexp.New(`[\w*]\s*$`)
)

// cThread finds the function of a thread, its parameters, and the variables to keep.
func (n *native) cThread(i int) []insertion {
	pr := &n.c.tree.procs[i]
	text := n.c.code.text
	var edits []insertion
	if !typeBefore.Match(text[:pr.start]) {
		edits = append(edits, insertion{pr.start, "void "})
	}
	name := procName(pr.num)
	th := stress.Thread{Function: name}
	open := pr.end + bytes.IndexByte(text[pr.end:], '(')
	close := matching(text, open)
	body := close + bytes.IndexByte(text[close:], '{')
	end := matching(text, body)
	if open < pr.end || close <= open || body < close || end <= body {
		n.refuse("the function of thread P%d is not understood", pr.num)
		return nil
	}
	for _, p := range strings.Split(string(text[open+1:close]), ",") {
		p = strings.TrimSpace(p)
		if p == "" || p == "void" {
			continue
		}
		m := parameterName.FindStringSubmatch(p)
		if m == nil || n.symbol(m[1]) < 0 {
			n.refuse("parameter '%s' of thread P%d is no location", p, pr.num)
			return nil
		}
		th.Params = append(th.Params, n.symbol(m[1]))
	}
	kept := 0
	for _, at := range n.c.localAt {
		if n.c.threadOf[at.proc] != i {
			continue
		}
		edits = append(edits, n.keep(i, kept, at.name, body, end)...)
		n.locals[localKey{i, at.name}] = kept
		kept++
	}
	n.test.Threads = append(n.test.Threads, th)
	return edits
}

// keep returns what keeps a variable: an attribute at its declaration, which is where its
// name stands first, and a first value if it has none.
func (n *native) keep(thread, out int, name string, body, end int) []insertion {
	text := n.c.code.text
	for i := body; i < end; {
		switch b := text[i]; {
		case b == '/' && (text[i+1] == '*' || text[i+1] == '/'):
			i = n.skipComment(i)
		case b == '"' || b == '\'':
			i = cQuoted(text, i)
		case isLetter(b):
			start := i
			for i < end && isNamePart(text[i]) {
				i++
			}
			if string(text[start:i]) != name {
				continue
			}
			attribute := fmt.Sprintf(" __attribute__((cleanup(%s)))", stress.KeepFunction(thread, out))
			if next := bytes.TrimLeft(text[i:end], " \t\r\n"); len(next) == 0 || next[0] != '=' {
				attribute += " = 0"
			}
			return []insertion{{i, attribute}}
		default:
			i++
		}
	}
	n.refuse("the declaration of '%s' is not found", name)
	return nil
}

// skipComment is where a comment of C ends.
func (n *native) skipComment(i int) int {
	text := n.c.code.text
	if text[i+1] == '/' {
		if k := bytes.IndexByte(text[i:], '\n'); k >= 0 {
			return i + k
		}
		return len(text)
	}
	if k := bytes.Index(text[i+2:], []byte("*/")); k >= 0 {
		return i + 2 + k + 2
	}
	return len(text)
}

// matching is where the bracket at a position is closed.
func matching(text []byte, at int) int {
	depth := 0
	for i := at; i < len(text) && i >= 0; {
		switch b := text[i]; {
		case b == '"' || b == '\'':
			i = cQuoted(text, i)
			continue
		case b == '/' && i+1 < len(text) && text[i+1] == '*':
			k := bytes.Index(text[i+2:], []byte("*/"))
			if k < 0 {
				return -1
			}
			i += k + 4
			continue
		case b == '/' && i+1 < len(text) && text[i+1] == '/':
			k := bytes.IndexByte(text[i:], '\n')
			if k < 0 {
				return -1
			}
			i += k
			continue
		case b == '(' || b == '{':
			depth++
		case b == ')' || b == '}':
			if depth--; depth == 0 {
				return i
			}
		}
		i++
	}
	return -1
}
