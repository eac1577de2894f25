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
			p.errorf(codeColumns, start, max(start+1, p.last(start)), "this row has %d columns, but there are %d threads", col+1, n)
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
