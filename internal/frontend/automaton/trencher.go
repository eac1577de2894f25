package automaton

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"fencepost/internal/diag"
	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// ParseTrencher translates a file in the language of Trencher, the robustness
// checker of [BDM13]: docs/languages/trencher.md. The unit is as Parse makes it.
func ParseTrencher(f *source.File, opt Options) (*Unit, *diag.List) {
	diags := &diag.List{}
	p := &trencherParser{lexer: newLexer(f, diags)}
	p.parseFile()
	u := &Unit{Expect: p.expect, ExpectPos: p.expectPos}
	if !p.failed {
		p.marked = opt.Places
		u.Program, u.Props = p.compile()
		u.showCells()
		p.setPlaces(u)
	}
	return u.finish(diags), diags
}

// word is a token: whatever stands between blanks.
type word struct {
	text       string // "" at the end of the file
	start, end int
	first      bool // of its line
}

// trencherWords begin an item where they are the first word of a line. Elsewhere
// they are names like any other.
var trencherWords = words("memory_size thread initial final transition end")

func (w word) item() bool { return w.first && trencherWords[w.text] }

// trencherParser reads the words of a file. It shares the lexer's diagnostics and
// comments, not its tokens.
type trencherParser struct {
	lexer
	tok     word
	depth   int
	nodes   int
	bad     bool // in the wake of an error
	threads []*trencherThread
	names   map[string]*trencherThread

	marked   bool  // asked where fences can be written
	size     int64 // memory_size, 0 if absent
	hasSize  bool
	consts   []int64 // numbers of the program
	computed bool    // some address is computed
}

// trencherThread is a thread as written.
type trencherThread struct {
	name    ident
	start   int
	states  []ident // where each is mentioned first
	index   map[string]int
	initial int // state, -1 if absent
	finals  []ident
	list    []transition
	regs    []regDecl
	regIDs  map[string]ir.Reg
	written map[string]bool
	marks   map[int][]ir.EdgeID // by state: where a fence can be written
}

type transition struct {
	from, to   int
	source     word // the first state as written
	op         string
	stmt       *stmt // nil: lock and unlock
	start, end int
}

// advance reads the next word.
func (p *trencherParser) advance() {
	p.tok.first = p.tok.end == 0 // nothing was read yet
	for p.pos < len(p.text) && isSpace(p.text[p.pos]) {
		p.tok.first = p.tok.first || p.text[p.pos] == '\n' || p.text[p.pos] == '\r'
		p.pos++
	}
	if p.stopped || p.diags.Full() {
		p.pos = len(p.text)
	}
	start := p.pos
	for p.pos < len(p.text) && !isSpace(p.text[p.pos]) {
		p.pos++
	}
	p.tok.text, p.tok.start, p.tok.end = string(p.text[start:p.pos]), start, p.pos
}

func (p *trencherParser) fail(code string, w word, format string, args ...any) *diag.Diagnostic {
	quiet := p.bad || p.diags.Full()
	p.bad, p.failed = true, true
	if quiet {
		return &diag.Diagnostic{}
	}
	return p.errorf(code, w.start, w.end, format, args...)
}

// expected reports that something else than the current word was needed.
func (p *trencherParser) expected(what string) *diag.Diagnostic {
	if p.tok.text == "" {
		return p.fail(codeTSyntax, p.tok, "the file ends where %s was expected", what)
	}
	return p.fail(codeTSyntax, p.tok, "expected %s, found '%s'", what, clip(p.tok.text))
}

// take is the next word where any word will do, except one that begins an item.
func (p *trencherParser) take(what string) (word, bool) {
	w := p.tok
	switch {
	case p.bad:
		return w, false
	case w.text == "" || w.item():
		p.expected(what)
		return w, false
	case !printable(w.text):
		p.fail(codeChar, w, "unexpected characters in %q", clip(w.text))
		return w, false
	}
	p.advance()
	return w, true
}

func printable(s string) bool {
	for _, r := range s {
		if r < ' ' || r == utf8.RuneError || r == 0x7f {
			return false
		}
	}
	return true
}

// begin skips comments and what an error left, up to the next item.
func (p *trencherParser) begin() {
	for p.tok.text != "" && !p.tok.item() && (p.bad || p.tok.text[0] == '#') {
		if p.tok.text[0] == '#' {
			p.pos = p.tok.start
			p.lineComment(1)
		}
		p.advance()
	}
	p.bad = false
}

func (p *trencherParser) parseFile() {
	p.names = map[string]*trencherThread{}
	p.advance()
	for {
		p.begin()
		switch p.tok.text {
		case "":
			return
		case "memory_size":
			p.memorySize()
		case "thread":
			p.thread()
		default:
			p.expected("'memory_size' or 'thread'")
			p.advance()
		}
	}
}

func (p *trencherParser) memorySize() {
	p.advance()
	w, ok := p.take("the number of cells")
	if !ok {
		return
	}
	n, ok := p.number(w)
	switch {
	case !ok:
		p.fail(codeTSyntax, w, "expected the number of cells, found '%s'", clip(w.text))
	case n < 0:
		p.fail(codeTMemory, w, "the number of cells is %d", n)
	case p.hasSize:
		p.fail(codeTMemory, w, "'memory_size' is given twice")
	default:
		p.size, p.hasSize = n, true
	}
}

// number is the value of a word that is a number; ok is false if it is none. A
// word that begins like a number must be one.
func (p *trencherParser) number(w word) (v int64, ok bool) {
	digits := strings.TrimLeft(w.text, "+-")
	if len(w.text)-len(digits) > 1 || digits == "" || !isDigit(digits[0]) {
		return 0, false
	}
	v, err := strconv.ParseInt(w.text, 10, 64)
	if err != nil {
		what := "malformed number '%s'"
		if strings.Trim(digits, "0123456789") == "" {
			what = "number '%s' does not fit in 64 bits"
		}
		p.fail(codeTNumber, w, what, clip(w.text))
	}
	return v, true
}

func (p *trencherParser) thread() {
	t := &trencherThread{start: p.tok.start, index: map[string]int{}, initial: -1, regIDs: map[string]ir.Reg{}, written: map[string]bool{}}
	head := p.tok
	p.advance()
	if w, ok := p.take("the name of a thread"); ok {
		t.name = ident{w.text, w.start, w.end}
		if old := p.names[w.text]; old != nil {
			p.fail(codeTThread, w, "two threads are called '%s'", clip(w.text)).Note("the first is at %s", p.file.Pos(old.name.start))
			p.bad = false
		}
		p.names[w.text] = t
	}
	for {
		p.begin()
		switch p.tok.text {
		case "initial":
			p.initial(t)
		case "final":
			p.advance()
			if w, ok := p.take("a state"); ok {
				t.state(w)
				t.finals = append(t.finals, ident{w.text, w.start, w.end})
			}
		case "transition":
			p.transition(t)
		case "end":
			if t.initial < 0 && !p.failed {
				p.fail(codeTInitial, p.tok, "thread '%s' has no initial state", clip(t.name.text))
				p.bad = false
			}
			p.threads = append(p.threads, t)
			p.advance()
			return
		case "", "thread", "memory_size":
			found := "found '" + p.tok.text + "'"
			if p.tok.text == "" {
				found = "the file ends first"
			}
			p.fail(codeTUnclosed, p.tok, "missing 'end': %s", found).Note("the thread began at %s", p.file.Pos(head.start))
			p.bad = false
			return
		default:
			p.expected("'initial', 'final', 'transition' or 'end'")
			p.advance()
		}
	}
}

// state is the number of the state of that name.
func (t *trencherThread) state(w word) int {
	i, ok := t.index[w.text]
	if !ok {
		i = len(t.states)
		t.index[w.text] = i
		t.states = append(t.states, ident{w.text, w.start, w.end})
	}
	return i
}

func (p *trencherParser) initial(t *trencherThread) {
	p.advance()
	w, ok := p.take("a state")
	if !ok {
		return
	}
	if t.initial >= 0 {
		p.fail(codeTInitial, w, "thread '%s' has two initial states", clip(t.name.text))
		p.bad = false
	}
	t.initial = t.state(w)
}

func (p *trencherParser) transition(t *trencherThread) {
	tr := transition{start: p.tok.start}
	p.advance()
	from, _ := p.take("a state")
	to, _ := p.take("a state")
	op, ok := p.take("an instruction")
	if !ok {
		return
	}
	s := &stmt{start: tr.start}
	switch op.text {
	case "read":
		s.kind, s.order, s.x = sAssign, ir.Plain, p.register(t, true)
		s.y = p.address(t)
	case "write":
		s.kind, s.order, s.y = sAssign, ir.Plain, p.expr(t)
		s.x = p.address(t)
	case "local":
		s.kind, s.order, s.x = sAssign, ir.Plain, p.register(t, true)
		s.y = p.expr(t)
	case "check":
		s.kind, s.x = sAssume, p.expr(t)
	case "mfence":
		s.kind, s.fence = sFence, ir.FullFence
	case "noop":
		s.kind = sSkip
	case "lock", "unlock":
		s = nil
	default:
		p.fail(codeTSyntax, op, "there is no instruction '%s'", clip(op.text)).
			Note("the instructions are read, write, mfence, local, check, noop, lock and unlock")
	}
	if p.bad {
		return
	}
	tr.source = from
	tr.from, tr.to, tr.op, tr.stmt = t.state(from), t.state(to), op.text, s
	tr.end = p.lastEnd()
	if s != nil {
		s.end = tr.end
	}
	t.list = append(t.list, tr)
}

// lastEnd is the end of the word before the current one.
func (p *trencherParser) lastEnd() int {
	end := p.tok.start
	for end > 0 && isSpace(p.text[end-1]) {
		end--
	}
	return end
}

var trencherOps = map[string]ir.ExprOp{
	"==": ir.Eq, "!=": ir.Ne, "<": ir.Lt, "<=": ir.Le, ">": ir.Gt, ">=": ir.Ge, "&&": ir.LAnd, "||": ir.LOr,
	"+": ir.Add, "-": ir.Sub, "*": ir.Mul, "&": ir.And, "/": ir.Div, "%": ir.Rem,
}

// register takes the name of a register.
func (p *trencherParser) register(t *trencherThread, written bool) *expr {
	w, ok := p.take("a register")
	if !ok {
		return &expr{kind: eInt}
	}
	_, number := p.number(w)
	if _, op := trencherOps[w.text]; op || number || w.text == "!" {
		p.fail(codeTRegister, w, "'%s' cannot be the name of a register", clip(w.text))
	}
	return t.register(w, written)
}

func (t *trencherThread) register(w word, written bool) *expr {
	if _, ok := t.regIDs[w.text]; !ok {
		t.regIDs[w.text] = ir.Reg(len(t.regs))
		t.regs = append(t.regs, regDecl{name: ident{w.text, w.start, w.end}})
	}
	t.written[w.text] = t.written[w.text] || written
	return &expr{kind: eName, name: w.text, start: w.start, end: w.end}
}

// address takes an address: the place it names.
func (p *trencherParser) address(t *trencherThread) *expr {
	x := p.expr(t)
	p.computed = p.computed || x.kind != eInt
	return &expr{kind: eMem, x: x, start: x.start, end: x.end}
}

// expr takes an expression in prefix form.
func (p *trencherParser) expr(t *trencherThread) *expr {
	p.depth++
	defer func() { p.depth-- }()
	p.nodes++
	switch {
	case p.depth > maxDepth:
		p.fail(codeDepth, p.tok, "expression nested deeper than %d levels", maxDepth)
		p.stopped = true
	case p.nodes == maxNodes:
		p.fail(codeTooLarge, p.tok, "the program is too large")
		p.stopped = true
	}
	w, ok := p.take("an expression")
	if !ok {
		return &expr{kind: eInt}
	}
	if v, ok := p.number(w); ok {
		p.consts = append(p.consts, v)
		return &expr{kind: eInt, val: v, start: w.start, end: w.end}
	}
	op, binary := trencherOps[w.text]
	if !binary && w.text != "!" {
		return t.register(w, false)
	}
	e := &expr{kind: eUnary, op: ir.Not, start: w.start}
	e.x = p.expr(t)
	if binary {
		e.kind, e.op, e.y = eBinary, op, p.expr(t)
	}
	e.end = p.lastEnd()
	return e
}
