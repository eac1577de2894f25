package litmus

import (
	"strconv"
	"strings"

	"fencepost/internal/frontend/litmus/dialect"
)

// initialState reads "{ item; item; ... }".
func (p *parser) initialState() bool {
	open := p.tok
	if !p.expect(codeInit, "{") {
		return false
	}
	for {
		switch {
		case p.tok.is("}"):
			if p.arch != archC { // what follows is not made of our tokens
				p.advance()
			}
			return true
		case p.accept(";"):
		case p.tok.kind == tEOF:
			p.errorf(codeInit, open.start, open.end, "the initial state has no '}'")
			return false
		default:
			it, ok := p.initialItem()
			if ok && !p.tok.is(";") && !p.tok.is("}") && p.tok.kind != tEOF {
				p.errorf(codeInit, p.tok.start, p.tok.end, "expected ';' or '}', found %s", p.tok.describe())
				ok = false
			}
			if !ok {
				p.skipItem()
				continue
			}
			p.tree.inits = append(p.tree.inits, it)
		}
	}
}

// skipItem goes on after a malformed item.
func (p *parser) skipItem() {
	depth := 0
	for p.tok.kind != tEOF {
		switch {
		case p.tok.is("{"):
			depth++
		case p.tok.is("}") && depth > 0:
			depth--
		case p.tok.is("}"), p.tok.is(";") && depth == 0:
			return
		}
		p.advance()
	}
}

// initialItem reads [type] ['*'] variable ['=' value].
func (p *parser) initialItem() (initial, bool) {
	it := initial{extent: extent{start: p.tok.start}}
	it.typ.start = p.tok.start
	// All names but the last are the type.
	var name token
	for p.tok.kind == tName && !p.isProc() {
		if name.kind == tName {
			it.typ.words = append(it.typ.words, name.text)
		}
		name = p.tok
		p.advance()
	}
	ok := true
	switch {
	case p.tok.is("*"):
		if name.kind == tName {
			it.typ.words = append(it.typ.words, name.text)
		}
		it.typ.pointer = true
		for p.accept("*") {
		}
		it.typ.end = p.last(it.start)
		it.at, ok = p.ref(codeInit)
	case name.kind == tName && p.tok.is("[") && p.bracketsLocation():
		it.typ.words = append(it.typ.words, name.text)
		it.typ.end = name.end
		it.at, ok = p.ref(codeInit)
	case name.kind == tName && p.tok.kind != tInt && !p.isProc():
		it.typ.end = name.start
		it.at, ok = p.namedRef(codeInit, name)
	default:
		if name.kind == tName {
			it.typ.words = append(it.typ.words, name.text)
		}
		it.typ.end = p.last(it.start)
		it.at, ok = p.ref(codeInit)
	}
	if !ok {
		return it, false
	}
	if p.tok.is("=") || p.tok.is("==") {
		p.advance()
		it.hasValue = true
		it.val, ok = p.value(codeInit)
	}
	it.end = p.last(it.start)
	return it, ok
}

// bracketsLocation reports whether '[' is followed by a name, as in "int [x]",
// rather than by the length of an array.
func (p *parser) bracketsLocation() bool {
	start := p.pos
	for start < len(p.text) && dialect.IsSpace(p.text[start]) {
		start++
	}
	return start < len(p.text) && dialect.IsLetter(p.text[start])
}

// isProc reports whether "P0:" or "0:" stands here.
func (p *parser) isProc() bool {
	if p.tok.kind == tName {
		if _, ok := procNumber(p.tok.text); !ok {
			return false
		}
	} else if p.tok.kind != tInt {
		return false
	}
	start := p.pos
	for start < len(p.text) && dialect.IsSpace(p.text[start]) {
		start++
	}
	return start < len(p.text) && p.text[start] == ':'
}

// procNumber is the number in P0, P1 and so on.
func procNumber(name string) (int64, bool) {
	digits, ok := strings.CutPrefix(name, "P")
	if !ok || len(digits) == 0 || len(digits) > 9 {
		return 0, false
	}
	for i := range len(digits) {
		if !dialect.IsDigit(digits[i]) {
			return 0, false
		}
	}
	n, err := strconv.Atoi(digits)
	return int64(n), err == nil
}

// ref reads 0:reg, x, [x] or x[1].
func (p *parser) ref(code string) (ref, bool) {
	start := p.tok
	switch {
	case p.isProc():
		at := ref{isReg: true, proc: start.val, extent: extent{start: start.start}}
		if start.kind == tName {
			at.proc, _ = procNumber(start.text)
		}
		p.advance()
		p.advance()
		p.accept("%")
		if p.tok.kind != tName {
			p.errorf(code, p.tok.start, p.tok.end, "expected the name of a register, found %s", p.tok.describe())
			return at, false
		}
		at.name, at.end = p.tok.text, p.tok.end
		p.advance()
		return at, true
	case p.tok.is("["):
		p.advance()
		name := p.tok
		if name.kind != tName {
			p.errorf(code, p.tok.start, p.tok.end, "expected the name of a location, found %s", p.tok.describe())
			return ref{}, false
		}
		p.advance()
		at := ref{name: name.text, extent: extent{start.start, p.tok.end}}
		return at, p.expect(code, "]")
	case p.tok.kind == tName:
		p.advance()
		return p.namedRef(code, start)
	}
	p.errorf(code, start.start, start.end, "expected a register such as 0:rax or a location, found %s", start.describe())
	return ref{}, false
}

// namedRef reads what may follow the name of a location.
func (p *parser) namedRef(code string, name token) (ref, bool) {
	at := ref{name: name.text, extent: extent{name.start, name.end}}
	if !p.accept("[") {
		return at, true
	}
	if p.tok.kind != tInt {
		p.errorf(code, p.tok.start, p.tok.end, "expected a number, found %s", p.tok.describe())
		return at, false
	}
	at.hasIdx, at.index = true, p.tok.val
	p.advance()
	at.end = p.tok.end
	return at, p.expect(code, "]")
}

// value reads a number, an address or a list in braces.
func (p *parser) value(code string) (value, bool) {
	v := value{extent: extent{start: p.tok.start}}
	if !p.accept("{") {
		return p.scalar(code)
	}
	v.braces = true
	ok := true
	for ok && !p.tok.is("}") {
		var e value
		e, ok = p.scalar(code)
		v.list = append(v.list, e)
		if !p.accept(",") {
			break
		}
	}
	v.end = p.tok.end
	if ok && p.expect(code, "}") {
		return v, true
	}
	// The brace of a malformed list must not be taken for another one.
	for !p.tok.is("}") && !p.tok.is(";") && p.tok.kind != tEOF {
		p.advance()
	}
	p.accept("}")
	return v, false
}

func (p *parser) scalar(code string) (value, bool) {
	v := value{extent: extent{start: p.tok.start}}
	switch {
	case p.tok.kind == tInt || p.tok.is("-"):
		n, ok := p.integer(code)
		v.num, v.end = n, p.last(v.start)
		return v, ok
	case p.tok.is("&") || p.tok.kind == tName:
		p.accept("&")
		if p.tok.kind != tName {
			break
		}
		v.sym, v.end = p.tok.text, p.tok.end
		p.advance()
		switch {
		case p.arch == archC && p.tok.is("(") && isInitMacro(v.sym):
			p.advance()
			n, ok := p.integer(code)
			v.sym, v.num, v.end = "", n, p.tok.end
			return v, ok && p.expect(code, ")")
		case p.tok.is("["):
			at, ok := p.namedRef(code, token{kind: tName, text: v.sym, start: v.start, end: v.end})
			v.hasIdx, v.num, v.end = true, at.index, at.end
			return v, ok
		case p.tok.is("+") || p.tok.is("-"):
			p.accept("+")
			n, ok := p.integer(code)
			v.num, v.end = n, p.last(v.start)
			return v, ok
		}
		return v, true
	}
	p.errorf(code, p.tok.start, p.tok.end, "expected a number or the name of a location, found %s", p.tok.describe())
	return v, false
}

// isInitMacro reports whether a name is one of the kernel's macros for first values.
func isInitMacro(name string) bool {
	return name == "ATOMIC_INIT" || name == "ATOMIC64_INIT" || name == "ATOMIC_LONG_INIT"
}

// integer reads a number with an optional sign.
func (p *parser) integer(code string) (int64, bool) {
	neg := p.accept("-")
	if p.tok.kind != tInt {
		p.errorf(code, p.tok.start, p.tok.end, "expected a number, found %s", p.tok.describe())
		return 0, false
	}
	n := p.tok.val
	p.advance()
	if neg {
		n = -n
	}
	return n, true
}
