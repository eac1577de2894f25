package litmus

import "strings"

// The instruction columns: a head row "P0 | P1 ;" and rows of cells. Rows end
// with ';', which is also what may stand after a lock prefix, so cells are read
// token by token rather than by splitting lines.

// head reads the row that names the threads.
func (p *parser) head() bool {
	p.accept(";")
	seen := map[int64]bool{}
	for {
		n, ok := int64(0), false
		if p.tok.kind == tName {
			n, ok = procNumber(p.tok.text)
		}
		switch {
		case !ok:
			p.errorf(codeColumns, p.tok.start, p.tok.end, "expected the name of a thread such as P0, found %s", p.tok.describe())
			return false
		case seen[n]:
			p.errorf(codeColumns, p.tok.start, p.tok.end, "a second column for thread P%d", n)
		case len(p.tree.procs) == maxThreads:
			p.errorf(codeTooLarge, p.tok.start, p.tok.end, "more than %d threads", maxThreads)
			return false
		}
		seen[n] = true
		p.tree.procs = append(p.tree.procs, proc{num: n, extent: extent{p.tok.start, p.tok.end}})
		p.advance()
		if p.accept("|") {
			continue
		}
		return p.expect(codeColumns, ";")
	}
}

// atTail reports whether the condition begins here.
func (p *parser) atTail() bool {
	if p.tok.kind == tName {
		switch p.tok.text {
		case "exists", "forall", "final", "locations", "filter", "observed", "Observed":
			return true
		}
	}
	return p.tok.kind == tEOF || p.tok.is("~")
}

func (p *parser) skipToTail() {
	for !p.atTail() {
		p.advance()
	}
}

// rows reads all rows.
func (p *parser) rows() {
	for !p.atTail() {
		start, col := p.tok.start, 0
		for {
			p.cell(col)
			if !p.tok.is("|") && !p.tok.is(";") {
				p.skipCell()
			}
			if !p.accept("|") {
				break
			}
			col++
		}
		if n := len(p.tree.procs); col+1 != n && !p.diags.Full() {
			p.errorf(codeColumns, start, max(start+1, p.last(start)), "a row of %d columns under a head of %d", col+1, n)
		}
		if !p.accept(";") && !p.diags.Full() {
			p.errorf(codeColumns, p.tok.start, p.tok.end, "expected ';' at the end of the row, found %s", p.tok.describe())
		}
	}
}

// skipCell goes to the end of a malformed cell; the error is reported already
// unless something follows a complete instruction.
func (p *parser) skipCell() {
	for !p.tok.is("|") && !p.tok.is(";") && !p.atTail() {
		p.advance()
	}
}

// cell reads labels and at most one instruction.
func (p *parser) cell(col int) {
	var labels []ident
	var in instruction
	full, ok := false, true
	for p.tok.kind == tName && !p.atTail() {
		name := ident{p.tok.text, extent{p.tok.start, p.tok.end}}
		p.advance()
		if p.accept(":") {
			labels = append(labels, name)
			continue
		}
		in, ok = p.instruction(name)
		full = true
		break
	}
	if ok && !p.tok.is("|") && !p.tok.is(";") && !p.atTail() {
		what := "expected an instruction, found %s"
		if full {
			what = "unexpected %s after the instruction"
		}
		p.errorf(codeCell, p.tok.start, p.tok.end, what, p.tok.describe())
	}
	if col >= len(p.tree.procs) {
		return
	}
	pr := &p.tree.procs[col]
	pr.ends = append(pr.ends, labels...)
	if !full || !ok {
		return
	}
	p.count++
	if p.count == maxInstructions {
		p.errorf(codeTooLarge, in.start, in.end, "more than %d instructions", maxInstructions)
		p.pos = len(p.text)
	}
	in.labels, pr.ends = pr.ends, nil
	pr.code = append(pr.code, in)
}

// instruction reads [lock [;]] mnemonic operands.
func (p *parser) instruction(name ident) (instruction, bool) {
	in := instruction{name: name, extent: name.extent}
	if strings.EqualFold(name.text, "lock") {
		in.lock = true
		p.accept(";")
		if p.tok.kind != tName || p.atTail() {
			p.errorf(codeCell, p.tok.start, p.tok.end, "expected an instruction after 'lock', found %s", p.tok.describe())
			return in, false
		}
		in.name = ident{p.tok.text, extent{p.tok.start, p.tok.end}}
		p.advance()
	}
	in.end = in.name.end
	for !p.tok.is("|") && !p.tok.is(";") && !p.atTail() {
		if len(in.ops) > 0 && !p.expect(codeCell, ",") {
			return in, false
		}
		op, ok := p.operand()
		if !ok {
			return in, false
		}
		in.ops = append(in.ops, op)
		in.end = op.end
	}
	return in, true
}

// operand reads one operand in either notation.
func (p *parser) operand() (operand, bool) {
	op := operand{scale: 1, extent: extent{start: p.tok.start}}
	ok := p.operandBody(&op)
	op.end = p.last(op.start)
	return op, ok
}

func (p *parser) operandBody(op *operand) bool {
	switch {
	case p.accept("$"):
		op.kind = isImmediate
		return p.constant(op)
	case p.tok.is("%"):
		op.kind = isRegister
		var ok bool
		op.reg, ok = p.register()
		return ok
	case p.tok.is("["):
		op.kind = isMemory
		return p.brackets(op)
	case p.tok.is("("):
		op.kind = isMemory
		return p.parentheses(op)
	case p.tok.kind == tInt || p.tok.is("-"):
		op.kind = isImmediate
		if !p.constant(op) {
			return false
		}
		return p.afterConstant(op)
	case p.tok.kind == tName:
		return p.nameOperand(op)
	}
	p.errorf(codeCell, p.tok.start, p.tok.end, "expected an operand, found %s", p.tok.describe())
	return false
}

// nameOperand reads an operand that begins with a name: a register, a size such
// as "dword ptr", a location or a label.
func (p *parser) nameOperand(op *operand) bool {
	if r, ok := p.arch.register(p.tok.text); ok {
		op.kind, op.reg = isRegister, r
		p.advance()
		return true
	}
	sizes := map[string]int{"byte": 1, "word": 2, "dword": 4, "qword": 8}
	if n := sizes[strings.ToLower(p.tok.text)]; n > 0 {
		size := p.tok
		p.advance()
		if p.tok.kind == tName && strings.EqualFold(p.tok.text, "ptr") {
			p.advance()
		} else if !p.tok.is("[") {
			op.kind, op.sym = isTarget, size.text
			return p.afterConstant(op)
		}
		if p.arch == x86_64 {
			p.errorf(codeOperands, size.start, size.end, "'%s ptr' belongs to Intel's notation, and X86_64 tests write the destination last", size.text).
				Note("give the size by a suffix, as in movl")
			return false
		}
		inner := *op
		if !p.operandBody(&inner) {
			return false
		}
		inner.size = n
		*op = inner
		return true
	}
	if !p.constant(op) {
		return false
	}
	op.kind = isTarget
	if op.num != 0 {
		op.kind = isMemory
	}
	return p.afterConstant(op)
}

// afterConstant reads the registers behind a displacement, as in 4(%rdi).
func (p *parser) afterConstant(op *operand) bool {
	switch {
	case p.tok.is("("):
		op.kind = isMemory
		return p.parentheses(op)
	case p.tok.is("["):
		op.kind = isMemory
		return p.brackets(op)
	}
	return true
}

// constant reads [-] number, or a name with an optional offset.
func (p *parser) constant(op *operand) bool {
	if p.tok.kind != tName {
		n, ok := p.integer(codeCell)
		op.num = n
		return ok
	}
	op.sym = p.tok.text
	p.advance()
	if p.tok.is("+") || p.tok.is("-") {
		p.accept("+")
		n, ok := p.integer(codeCell)
		op.num = n
		return ok
	}
	return true
}

// register reads a register with or without '%'.
func (p *parser) register() (register, bool) {
	start := p.tok.start
	if p.accept("%") {
		p.tree.percent = true
	}
	if p.tok.kind != tName {
		p.errorf(codeCell, p.tok.start, p.tok.end, "expected the name of a register, found %s", p.tok.describe())
		return register{}, false
	}
	r, ok := p.arch.register(p.tok.text)
	if !ok {
		p.errorf(codeRegister, start, p.tok.end, "%s has no register '%s'", p.arch, clip(p.tok.text))
	}
	p.advance()
	return r, ok
}

// parentheses reads (x), (%rdi), (%rdi,%rcx,4), (%rip).
func (p *parser) parentheses(op *operand) bool {
	p.advance()
	if p.tok.kind == tName && op.sym == "" {
		if _, isReg := p.arch.register(p.tok.text); !isReg && !strings.EqualFold(p.tok.text, "rip") {
			disp := op.num
			if !p.constant(op) {
				return false
			}
			op.num += disp
			return p.expect(codeCell, ")")
		}
	}
	if !p.tok.is(",") {
		if !p.base(op) {
			return false
		}
	}
	if p.accept(",") {
		var ok bool
		if op.index, ok = p.register(); !ok {
			return false
		}
		op.hasIndex = true
		if p.accept(",") {
			at := p.tok
			n, ok := p.integer(codeCell)
			if !ok || !p.scaleOK(n, at) {
				return false
			}
			op.scale = n
		}
	}
	return p.expect(codeCell, ")")
}

// base reads the base register; relative to the instruction pointer, the symbol
// alone is the address.
func (p *parser) base(op *operand) bool {
	start := p.tok
	look := p.lexer.pos
	if start.is("%") {
		p.advance()
	}
	if p.tok.kind == tName && strings.EqualFold(p.tok.text, "rip") {
		if op.sym == "" {
			p.errorf(codeScale, start.start, p.tok.end, "an address relative to rip needs a location")
			return false
		}
		p.advance()
		return true
	}
	if start.is("%") {
		p.tok, p.lexer.pos = start, look
	}
	var ok bool
	op.base, ok = p.register()
	op.hasBase = ok
	return ok
}

func (p *parser) scaleOK(n int64, at token) bool {
	if n == 1 || n == 2 || n == 4 || n == 8 {
		return true
	}
	p.errorf(codeScale, at.start, max(at.end, at.start+1), "an index is scaled by 1, 2, 4 or 8, not by %d", n)
	return false
}

// brackets reads [x], [EDI], [x+4], [EDI+ECX*4-8].
func (p *parser) brackets(op *operand) bool {
	p.advance()
	neg := false
	for {
		if p.tok.is("-") {
			neg = !neg
			p.advance()
		}
		if !p.term(op, neg) {
			return false
		}
		switch {
		case p.accept("+"):
			neg = false
		case p.tok.is("-"):
			neg = false // the sign is read with the term
		default:
			return p.expect(codeCell, "]")
		}
	}
}

// term adds one summand of an address in brackets.
func (p *parser) term(op *operand, neg bool) bool {
	at := p.tok
	if p.tok.kind == tInt {
		n := p.tok.val
		p.advance()
		if p.accept("*") {
			return p.indexTerm(op, n, at)
		}
		if neg {
			n = -n
		}
		op.num += n
		return true
	}
	if neg || p.tok.kind != tName && !p.tok.is("%") {
		p.errorf(codeScale, at.start, at.end, "expected a number, found %s", at.describe())
		return false
	}
	if _, isReg := p.arch.register(p.tok.text); !isReg && p.tok.kind == tName {
		if op.sym != "" {
			p.errorf(codeScale, at.start, at.end, "an address with two locations")
			return false
		}
		op.sym = p.tok.text
		p.advance()
		return true
	}
	r, ok := p.register()
	if !ok {
		return false
	}
	if p.accept("*") {
		n, ok := p.integer(codeCell)
		return ok && p.addIndex(op, r, n, at)
	}
	if !op.hasBase {
		op.hasBase, op.base = true, r
		return true
	}
	return p.addIndex(op, r, 1, at)
}

func (p *parser) indexTerm(op *operand, scale int64, at token) bool {
	r, ok := p.register()
	return ok && p.addIndex(op, r, scale, at)
}

func (p *parser) addIndex(op *operand, r register, scale int64, at token) bool {
	if op.hasIndex {
		p.errorf(codeScale, at.start, at.end, "an address with two indices")
		return false
	}
	op.hasIndex, op.index, op.scale = true, r, scale
	return p.scaleOK(scale, at)
}
