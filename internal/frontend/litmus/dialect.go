package litmus

import (
	"bytes"

	"fencepost/internal/frontend/litmus/dialect"
)

// The dialect of C. Between the initial state and the condition stands C: the
// functions P0, P1 and so on are the threads, and whatever else is there (types,
// functions that threads call) is C as well. Where that text ends is found by
// counting braces; what it means is package translate's business, to which the file goes
// with everything else blanked out.

const (
	c11Prelude    = "#include <stdatomic.h>\n#include <fencepost/linux_barriers.h>\n"
	kernelPrelude = "#include <fencepost/linux_atomic.h>\n"
	// Where no thread waits for readers of RCU: a reader orders nothing on x86.
	rcuPrelude = "#define rcu_read_lock() barrier()\n#define rcu_read_unlock() barrier()\nvoid call_rcu(void *, void (*)(void *));\n"
)

// cCode is the C of a test.
type cCode struct {
	extent
	text   []byte // of the whole file, with everything else blank
	kernel bool
	// declared has where the text has declarations of registers, and macros around them, that the file does not have.
	declared []dialect.Inserted
}

// cSection finds the C, which begins at the current position, and its threads. It
// leaves off at the condition.
func (p *parser) cSection() bool {
	start := p.pos
	p.code.text = bytes.Repeat([]byte{' '}, len(p.text))
	for i, b := range p.text {
		if b == '\n' {
			p.code.text[i] = '\n'
		}
	}
	end, ok := p.scanC(start)
	copyCode(p.code.text, p.text, start, end, p.hidden)
	p.code.extent = extent{start, end}
	p.pos = end
	if !ok {
		return false
	}
	if len(p.tree.procs) == 0 {
		p.errorf(codeColumns, start, start, "the test has no thread: a function called P0")
		return false
	}
	code := p.code.text[start:end]
	kernel, c11 := dialect.AtomicWords(code)
	if kernel != nil && c11 != nil {
		p.errorf(codeFeature, start+c11[0], start+c11[1], "'%s' is a C11 operation and '%s' is a Linux kernel operation: a test can use only one kind",
			code[c11[0]:c11[1]], code[kernel[0]:kernel[1]])
		return false
	}
	p.code.kernel = kernel != nil
	p.code.text, p.code.declared = dialect.DeclareRegisters(p.code.text, start, end)
	return true
}

// copyCode copies the C, but for what is hidden.
func copyCode(to, from []byte, start, end int, hidden []extent) {
	copy(to[start:end], from[start:end])
	for _, h := range hidden {
		for i := h.start; i < h.end; i++ {
			if from[i] != '\n' {
				to[i] = ' '
			}
		}
	}
}

// scanC goes over C up to the condition or the end of the file, and notes the threads
// and the test's own comments.
func (p *parser) scanC(from int) (end int, ok bool) {
	depth, parens := 0, 0
	seen := map[int64]bool{}
	open := from
	for i := from; i < len(p.text); {
		c := p.text[i]
		top := depth == 0 && parens == 0
		next := i + 1
		switch {
		case c == '/' && i+1 < len(p.text) && (p.text[i+1] == '*' || p.text[i+1] == '/'):
			next = p.cComment(i)
		case c == '"' || c == '\'':
			next = dialect.EndOfQuoted(p.text, i)
		case top && bytes.HasPrefix(p.text[i:], []byte("(*")):
			p.pos = i
			p.comment()
			next = p.pos
			p.hidden = append(p.hidden, extent{i, next})
		case c == '{':
			if depth == 0 {
				open = i
			}
			depth++
		case c == '}':
			depth--
		case c == '(':
			parens++
		case c == ')':
			parens--
		case dialect.IsDigit(c) || dialect.IsLetter(c):
			for next < len(p.text) && dialect.IsNamePart(p.text[next]) {
				next++
			}
			if !top {
				break
			}
			word := string(p.text[i:next])
			if isTailWord(word) {
				return i, true
			}
			if n, is := procNumber(word); is && !p.addProc(n, extent{i, next}, seen) {
				return i, false
			}
		case top && (c == '~' || bytes.HasPrefix(p.text[i:], []byte("<<"))):
			return i, true
		}
		if depth < 0 || parens < 0 {
			p.errorf(codeCell, i, i+1, "'%c' closes nothing", c)
			return i, false
		}
		i = next
	}
	if depth > 0 {
		p.errorf(codeCell, open, open+1, "'{' has no '}'")
		return len(p.text), false
	}
	return len(p.text), true
}

func isTailWord(word string) bool {
	switch word {
	case "exists", "forall", "final", "locations", "filter", "observed", "Observed", "not", "with":
		return true
	}
	return false
}

// addProc notes the function of a thread.
func (p *parser) addProc(n int64, at extent, seen map[int64]bool) bool {
	switch {
	case seen[n]:
		p.errorf(codeColumns, at.start, at.end, "a second function for thread P%d", n)
		return false
	case len(p.tree.procs) == maxThreads:
		p.errorf(codeTooLarge, at.start, at.end, "more than %d threads", maxThreads)
		return false
	}
	seen[n] = true
	p.tree.procs = append(p.tree.procs, proc{num: n, extent: at})
	return true
}

// cComment is where a comment of C ends.
func (p *parser) cComment(i int) int {
	if p.text[i+1] == '/' {
		if n := bytes.IndexByte(p.text[i:], '\n'); n >= 0 {
			return i + n
		}
		return len(p.text)
	}
	if n := bytes.Index(p.text[i+2:], []byte("*/")); n >= 0 {
		return i + 2 + n + 2
	}
	p.errorf(codeComment, i, i+2, "comment without '*/'")
	return len(p.text)
}

// InC reports whether the test is written in C.
func (u *Unit) InC() bool { return u.Arch == archC.String() }
