package fp_test

import (
	"fmt"
	"strings"
)

// The programs of the differential test of the lowering: a syntax tree of their own,
// and how it is written as source text. Nothing here comes from the front end.

type srcKind uint8

const (
	_       srcKind = iota
	xNum            // val
	xReg            // name
	xIndex          // the index of the template
	xLoad           // cell
	xUnary          // op a
	xBinary         // a op b, lazy if op is && or ||
	xCond           // a ? b : c
	xCas            // cas(cell, a, b)
	xRMW            // name(cell, a)
)

type srcExpr struct {
	kind    srcKind
	op      string
	name    string
	val     int64
	cell    *srcCell
	a, b, c *srcExpr
}

// srcCell is name, name[index] or name.view[index].
type srcCell struct {
	v     *srcVar
	view  string
	index *srcExpr
}

type srcVar struct {
	name  string
	typ   string
	count int // 0: no array
	init  []int64
	off   int // in the interpreter's memory
}

var srcSizes = map[string]int{"byte": 1, "half": 2, "word": 4, "long": 8}

func (v *srcVar) elements() int { return max(1, v.count) }
func (v *srcVar) size() int     { return v.elements() * srcSizes[v.typ] }

func (p *srcCell) typ() string {
	if p.view != "" {
		return p.view
	}
	return p.v.typ
}

type stKind uint8

const (
	_ stKind = iota
	tEmpty
	tSkip
	tFence    // word
	tSet      // register word = e
	tStore    // [order] cell = e
	tRMW      // e
	tIf       // if (e) list[0] [else list[1]]
	tWhile    // while (e) list[0]
	tDo       // do list[0] while (e)
	tLoop     // loop list[0]
	tEither   // either list...
	tAtomic   // atomic list[0]
	tGoto     // word
	tBreak    //
	tContinue //
	tReturn   //
	tAssume   // e
	tAssert   // e
	tAwait    // e
	tHavocIn  // havoc word in lo..hi
	tHavocOf  // havoc(word, word >= lo && word <= hi && e); e may mention word
)

type srcStmt struct {
	kind   stKind
	labels []string
	word   string
	order  string
	cell   *srcCell
	e      *srcExpr
	lo, hi *srcExpr
	list   [][]*srcStmt
	bare   bool // a body of one statement without braces

	// Set by link.
	id     int
	parent *srcStmt
	next   *srcStmt
}

type srcThread struct {
	name  string
	count int // 0: no template
	regs  []string
	init  []int64
	body  []*srcStmt

	labels map[string][]*srcStmt
	stmts  []*srcStmt
}

type srcProgram struct {
	vars    []*srcVar
	threads []*srcThread
}

// link numbers the statements and finds what follows each.
func (p *srcProgram) link() {
	off := 0
	for _, v := range p.vars {
		v.off = off
		off += v.size()
	}
	for _, t := range p.threads {
		t.labels, t.stmts = map[string][]*srcStmt{}, nil
		t.link(t.body, nil)
	}
}

func (t *srcThread) link(list []*srcStmt, parent *srcStmt) {
	for i, s := range list {
		s.id, s.parent, s.next = len(t.stmts), parent, nil
		if i+1 < len(list) {
			s.next = list[i+1]
		}
		t.stmts = append(t.stmts, s)
		for _, l := range s.labels {
			t.labels[l] = append(t.labels[l], s)
		}
		for _, b := range s.list {
			t.link(b, s)
		}
	}
}

var precedence = map[string]int{
	"||": 2, "&&": 3, "|": 4, "^": 5, "&": 6, "==": 7, "!=": 7, "<": 8, "<=": 8, ">": 8, ">=": 8,
	"<<": 9, ">>": 9, "+": 10, "-": 10, "*": 11, "/": 11, "%": 11,
}

// text writes e where an operand of at least the given precedence must stand.
func (e *srcExpr) text(least int) string {
	s, level := e.bareText()
	if level < least {
		return "(" + s + ")"
	}
	return s
}

func (e *srcExpr) bareText() (string, int) {
	switch e.kind {
	case xNum:
		if e.val < 0 {
			return fmt.Sprint(e.val), 12
		}
		return fmt.Sprint(e.val), 13
	case xReg:
		return e.name, 13
	case xIndex:
		return "i", 13
	case xLoad:
		return e.cell.text(), 13
	case xUnary:
		return e.op + e.a.text(13), 12
	case xBinary:
		p := precedence[e.op]
		return e.a.text(p) + " " + e.op + " " + e.b.text(p+1), p
	case xCond:
		return e.a.text(2) + " ? " + e.b.text(1) + " : " + e.c.text(1), 1
	case xCas:
		return fmt.Sprintf("cas(%s, %s, %s)", e.cell.text(), e.a.text(1), e.b.text(1)), 13
	case xRMW:
		return fmt.Sprintf("%s(%s, %s)", e.name, e.cell.text(), e.a.text(1)), 13
	}
	panic("BUG: unknown expression")
}

func (p *srcCell) text() string {
	switch {
	case p.view != "":
		return fmt.Sprintf("%s.%s[%s]", p.v.name, p.view, p.index.text(1))
	case p.index != nil:
		return fmt.Sprintf("%s[%s]", p.v.name, p.index.text(1))
	}
	return p.v.name
}

func (p *srcProgram) text() string {
	var b strings.Builder
	for _, v := range p.vars {
		fmt.Fprintf(&b, "var %s %s", v.typ, v.name)
		if v.count == 0 {
			fmt.Fprintf(&b, " = %d;\n", v.init[0])
			continue
		}
		fmt.Fprintf(&b, "[%d] = { %s };\n", v.count, strings.Trim(strings.Join(strings.Fields(fmt.Sprint(v.init)), ", "), "[]"))
	}
	for _, t := range p.threads {
		fmt.Fprintf(&b, "thread %s", t.name)
		if t.count > 0 {
			fmt.Fprintf(&b, "[i] * %d", t.count)
		}
		b.WriteString(" {\n")
		for i, r := range t.regs {
			fmt.Fprintf(&b, "  reg %s = %d;\n", r, t.init[i])
		}
		writeList(&b, t.body, 1)
		b.WriteString("}\n")
	}
	return b.String()
}

func writeList(b *strings.Builder, list []*srcStmt, depth int) {
	for _, s := range list {
		b.WriteString(strings.Repeat("  ", depth))
		for _, l := range s.labels {
			b.WriteString(l + ": ")
		}
		s.write(b, depth)
		b.WriteString("\n")
	}
}

func (s *srcStmt) write(b *strings.Builder, depth int) {
	block := func(i int) {
		if s.bare {
			writeList(b, s.list[i], 0)
			return
		}
		b.WriteString("{\n")
		writeList(b, s.list[i], depth+1)
		b.WriteString(strings.Repeat("  ", depth) + "}")
	}
	switch s.kind {
	case tEmpty:
	case tSkip, tBreak, tContinue, tReturn:
		b.WriteString(map[stKind]string{tSkip: "skip;", tBreak: "break;", tContinue: "continue;", tReturn: "return;"}[s.kind])
	case tFence:
		b.WriteString(s.word + ";")
	case tSet:
		fmt.Fprintf(b, "%s = %s;", s.word, s.e.text(1))
	case tStore:
		fmt.Fprintf(b, "%s%s = %s;", s.order, s.cell.text(), s.e.text(1))
	case tRMW:
		fmt.Fprintf(b, "%s;", s.e.text(1))
	case tGoto:
		fmt.Fprintf(b, "goto %s;", s.word)
	case tAssume, tAssert, tAwait:
		fmt.Fprintf(b, "%s %s;", map[stKind]string{tAssume: "assume", tAssert: "assert", tAwait: "await"}[s.kind], s.e.text(1))
	case tHavocIn:
		fmt.Fprintf(b, "havoc %s in %s..%s;", s.word, s.lo.text(1), s.hi.text(1))
	case tHavocOf:
		fmt.Fprintf(b, "havoc(%s, %s >= %s && %s <= %s && %s);", s.word, s.word, s.lo.text(9), s.word, s.hi.text(9), s.e.text(4))
	case tIf:
		fmt.Fprintf(b, "if (%s) ", s.e.text(1))
		block(0)
		if len(s.list) > 1 {
			b.WriteString(" else ")
			block(1)
		}
	case tWhile:
		fmt.Fprintf(b, "while (%s) ", s.e.text(1))
		block(0)
	case tDo:
		b.WriteString("do ")
		block(0)
		fmt.Fprintf(b, " while (%s);", s.e.text(1))
	case tLoop:
		b.WriteString("loop ")
		block(0)
	case tEither:
		for i := range s.list {
			b.WriteString([]string{"either ", " or "}[min(i, 1)])
			block(i)
		}
	case tAtomic:
		b.WriteString("atomic ")
		block(0)
	default:
		panic("BUG: unknown statement")
	}
}
