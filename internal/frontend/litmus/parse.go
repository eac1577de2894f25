package litmus

import (
	"bytes"
	"strings"

	"fencepost/internal/frontend/litmus/dialect"
)

// parser reads a test. One token of lookahead.
type parser struct {
	lexer
	tok  token
	arch arch
	unit *Unit
	tree tree

	depth, atoms int
	count        int // instructions

	code   cCode    // of a test in C
	hidden []extent // comments of the test among the C
}

func (p *parser) advance() { p.tok = p.next() }

// accept takes the given sign if it is there.
func (p *parser) accept(sign string) bool {
	if !p.tok.is(sign) {
		return false
	}
	p.advance()
	return true
}

// expect takes the given sign or reports what stands there instead.
func (p *parser) expect(code, sign string) bool {
	if p.accept(sign) {
		return true
	}
	p.errorf(code, p.tok.start, p.tok.end, "expected '%s', found %s", sign, p.tok.describe())
	return false
}

// last is the end of what was read before the current token.
func (p *parser) last(start int) int {
	end := p.tok.start
	for end > start && dialect.IsSpace(p.text[end-1]) {
		end--
	}
	return end
}

// parseFile reads the whole test; false if there is no use in going on.
func (p *parser) parseFile() bool {
	if !p.header() || !p.meta() {
		return false
	}
	p.advance()
	if !p.initialState() {
		return false
	}
	switch {
	case p.arch == archC:
		if !p.cSection() {
			return false
		}
		p.advance()
	case p.head():
		p.rows()
	default:
		p.skipToTail()
	}
	p.tail()
	return !p.diags.HasErrors()
}

// line is the rest of the current line.
func (p *parser) line() []byte {
	rest := p.text[p.pos:]
	if n := bytes.IndexByte(rest, '\n'); n >= 0 {
		rest = rest[:n]
	}
	return bytes.TrimRight(rest, " \t\r")
}

// header reads "ARCH NAME", an optional name in parentheses, and an optional
// string.
func (p *parser) header() bool {
	p.space()
	line := p.line()
	start := p.pos
	fields := bytes.Fields(line)
	if len(fields) == 0 {
		p.errorf(codeHeader, start, start, "expected the name of an architecture and of the test")
		return false
	}
	word := string(fields[0])
	p.unit.Arch = strings.ToValidUTF8(word, ".")
	switch word {
	case "X86":
		p.arch = arch32
	case "X86_64":
		p.arch = arch64
	case "C":
		p.arch, p.slashes = archC, true
	default:
		p.badArch(word, start)
		return false
	}
	if len(fields) < 2 || fields[1][0] == '"' {
		p.errorf(codeHeader, start, start+len(line), "the test has no name")
		return false
	}
	p.pos += len(word)
	for isBlank(p.text[p.pos]) {
		p.pos++
	}
	name := p.pos
	for p.pos < len(p.text) && isTestName(p.text[p.pos]) {
		p.pos++
	}
	if p.pos == name {
		p.errorf(codeHeader, name, name+1, "the name of a test is made of letters, digits and _ / . - + [ ]")
		return false
	}
	p.unit.Name = string(p.text[name:p.pos])
	rest := p.line()
	if i := bytes.IndexByte(rest, '"'); i >= 0 {
		rest = rest[:i]
	}
	p.pos += len(rest)
	extra := bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimSpace(rest), []byte(";")))
	if len(extra) > 0 && !(extra[0] == '(' && extra[len(extra)-1] == ')') {
		p.errorf(codeHeader, p.pos-len(rest), p.pos, "unexpected text after the name of the test")
	}
	return true
}

// badArch reports a first word that is no architecture of ours.
func (p *parser) badArch(word string, start int) {
	end := start + len(word)
	switch word {
	case "AArch64", "ARM", "PPC", "MIPS", "RISCV", "CPP", "LISA", "Bell", "JAVA", "ASL", "BPF", "GPU_PTX":
		p.errorf(codeArch, start, end, "architecture '%s' is not supported", word).Note("X86, X86_64 and C are supported")
	default:
		p.errorf(codeArch, start, end, "a test begins with its architecture, and '%s' is not a known one", clip(word)).
			Note("X86, X86_64 and C are supported")
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func isTestName(c byte) bool {
	return dialect.IsNamePart(c) || strings.IndexByte("/-+[]", c) >= 0
}

// meta reads the string and the lines Key=value up to and with '{'.
func (p *parser) meta() bool {
	for {
		p.space()
		if p.pos >= len(p.text) {
			p.errorf(codeMeta, p.pos, p.pos, "the test has no initial state '{ ... }'")
			return false
		}
		if p.diags.Full() {
			return false
		}
		switch p.text[p.pos] {
		case '{':
			return true
		case '"':
			p.doc()
			continue
		case ';': // may follow the string
			p.pos++
			continue
		}
		line := p.line()
		key, val, ok := strings.Cut(string(line), "=")
		key = strings.TrimSpace(key)
		if !ok || key == "" || strings.Trim(key, keyLetters) != "" {
			p.errorf(codeMeta, p.pos, p.pos+len(line), "expected Key=value or the initial state '{ ... }'")
		} else {
			p.unit.Meta = append(p.unit.Meta, KeyValue{key, strings.TrimSpace(val)})
		}
		p.pos += len(line)
	}
}

const keyLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/.-"

func (p *parser) doc() {
	start := p.pos
	n := bytes.IndexByte(p.text[start+1:], '"')
	if n < 0 {
		p.errorf(codeComment, start, start+1, "string without closing '\"'")
		p.pos = len(p.text)
		return
	}
	p.pos = start + n + 2
	p.unit.Doc = strings.Join(strings.Fields(string(p.text[start+1:p.pos-1])), " ")
}
