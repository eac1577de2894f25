package trencher

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"fencepost/internal/diag"
	"fencepost/internal/frontend/statement"
	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// ParseTrencher translates a file in the language of Trencher, the robustness
// checker of [BDM13]: docs/languages/trencher.md. The unit is as Parse makes it.
func Parse(f *source.File, opt statement.Options) (*statement.Unit, *diag.List) {
	diags := &diag.List{}
	p := &parser{Lexer: statement.NewLexer(f, diags)}
	p.parseFile()
	u := &statement.Unit{Expect: p.Expect, ExpectPos: p.ExpectPos}
	if !p.Failed {
		p.marked = opt.Sites
		u.Program, u.Props = p.compile()
		u.ShowCells()
		p.setSites(u)
	}
	return u.Finish(diags), diags
}

// word is a token: whatever stands between blanks.
type word struct {
	text       string // "" at the end of the file
	start, end int
	first      bool // of its line
}

// itemWords begin an item where they are the first word of a line. Elsewhere
// they are names like any other.
var itemWords = statement.Words("memory_size thread initial final transition end")

func (w word) item() bool { return w.first && itemWords[w.text] }

// parser reads the words of a file. It shares the lexer's diagnostics and
// comments, not its tokens.
type parser struct {
	statement.Lexer
	tok     word
	depth   int
	nodes   int
	bad     bool // in the wake of an error
	threads []*thread
	names   map[string]*thread

	marked   bool  // asked where fences can be written
	size     int64 // memory_size, 0 if absent
	hasSize  bool
	consts   []int64 // numbers of the program
	computed bool    // some address is computed
}

// thread is a thread as written.
type thread struct {
	name    statement.Ident
	start   int
	states  []statement.Ident // where each is mentioned first
	index   map[string]int
	initial int // state, -1 if absent
	finals  []statement.Ident
	list    []transition
	regs    []statement.RegDecl
	regIDs  map[string]ir.Reg
	written map[string]bool
	marks   map[int][]ir.EdgeID // by state: where a fence can be written
}

type transition struct {
	from, to   int
	source     word // the first state as written
	op         string
	stmt       *statement.Stmt // nil: lock and unlock
	start, end int
}

// advance reads the next word.
func (p *parser) advance() {
	p.tok.first = p.tok.end == 0 // nothing was read yet
	for p.Pos < len(p.Text) && statement.IsSpace(p.Text[p.Pos]) {
		p.tok.first = p.tok.first || p.Text[p.Pos] == '\n' || p.Text[p.Pos] == '\r'
		p.Pos++
	}
	if p.Stopped || p.Diags.Full() {
		p.Pos = len(p.Text)
	}
	start := p.Pos
	for p.Pos < len(p.Text) && !statement.IsSpace(p.Text[p.Pos]) {
		p.Pos++
	}
	p.tok.text, p.tok.start, p.tok.end = string(p.Text[start:p.Pos]), start, p.Pos
}

func (p *parser) fail(code string, w word, format string, args ...any) *diag.Diagnostic {
	quiet := p.bad || p.Diags.Full()
	p.bad, p.Failed = true, true
	if quiet {
		return &diag.Diagnostic{}
	}
	return p.Errorf(code, w.start, w.end, format, args...)
}

// expected reports that something else than the current word was needed.
func (p *parser) expected(what string) *diag.Diagnostic {
	if p.tok.text == "" {
		return p.fail(codeTSyntax, p.tok, "the file ends where %s was expected", what)
	}
	return p.fail(codeTSyntax, p.tok, "expected %s, found '%s'", what, statement.Clip(p.tok.text))
}

// take is the next word where any word will do, except one that begins an item.
func (p *parser) take(what string) (word, bool) {
	w := p.tok
	switch {
	case p.bad:
		return w, false
	case w.text == "" || w.item():
		p.expected(what)
		return w, false
	case !printable(w.text):
		p.fail(statement.CodeChar, w, "unexpected characters in %q", statement.Clip(w.text))
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
func (p *parser) begin() {
	for p.tok.text != "" && !p.tok.item() && (p.bad || p.tok.text[0] == '#') {
		if p.tok.text[0] == '#' {
			p.Pos = p.tok.start
			p.LineComment(1)
		}
		p.advance()
	}
	p.bad = false
}

func (p *parser) parseFile() {
	p.names = map[string]*thread{}
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

func (p *parser) memorySize() {
	p.advance()
	w, ok := p.take("the number of cells")
	if !ok {
		return
	}
	n, ok := p.number(w)
	switch {
	case !ok:
		p.fail(codeTSyntax, w, "expected the number of cells, found '%s'", statement.Clip(w.text))
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
func (p *parser) number(w word) (v int64, ok bool) {
	digits := strings.TrimLeft(w.text, "+-")
	if len(w.text)-len(digits) > 1 || digits == "" || !statement.IsDigit(digits[0]) {
		return 0, false
	}
	v, err := strconv.ParseInt(w.text, 10, 64)
	if err != nil {
		what := "malformed number '%s'"
		if strings.Trim(digits, "0123456789") == "" {
			what = "number '%s' does not fit in 64 bits"
		}
		p.fail(codeTNumber, w, what, statement.Clip(w.text))
	}
	return v, true
}

func (p *parser) thread() {
	t := &thread{start: p.tok.start, index: map[string]int{}, initial: -1, regIDs: map[string]ir.Reg{}, written: map[string]bool{}}
	head := p.tok
	p.advance()
	if w, ok := p.take("the name of a thread"); ok {
		t.name = statement.Ident{Text: w.text, Start: w.start, End: w.end}
		if old := p.names[w.text]; old != nil {
			p.fail(codeTThread, w, "two threads are called '%s'", statement.Clip(w.text)).Note("the first is at %s", p.File.Pos(old.name.Start))
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
				t.finals = append(t.finals, statement.Ident{Text: w.text, Start: w.start, End: w.end})
			}
		case "transition":
			p.transition(t)
		case "end":
			if t.initial < 0 && !p.Failed {
				p.fail(codeTInitial, p.tok, "thread '%s' has no initial state", statement.Clip(t.name.Text))
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
			p.fail(codeTUnclosed, p.tok, "missing 'end': %s", found).Note("the thread began at %s", p.File.Pos(head.start))
			p.bad = false
			return
		default:
			p.expected("'initial', 'final', 'transition' or 'end'")
			p.advance()
		}
	}
}

// state is the number of the state of that name.
func (t *thread) state(w word) int {
	i, ok := t.index[w.text]
	if !ok {
		i = len(t.states)
		t.index[w.text] = i
		t.states = append(t.states, statement.Ident{Text: w.text, Start: w.start, End: w.end})
	}
	return i
}

func (p *parser) initial(t *thread) {
	p.advance()
	w, ok := p.take("a state")
	if !ok {
		return
	}
	if t.initial >= 0 {
		p.fail(codeTInitial, w, "thread '%s' has two initial states", statement.Clip(t.name.Text))
		p.bad = false
	}
	t.initial = t.state(w)
}

func (p *parser) transition(t *thread) {
	tr := transition{start: p.tok.start}
	p.advance()
	from, _ := p.take("a state")
	to, _ := p.take("a state")
	op, ok := p.take("an instruction")
	if !ok {
		return
	}
	s := &statement.Stmt{Start: tr.start}
	switch op.text {
	case "read":
		s.Kind, s.Order, s.X = statement.StmtAssign, ir.Plain, p.register(t, true)
		s.Y = p.address(t)
	case "write":
		s.Kind, s.Order, s.Y = statement.StmtAssign, ir.Plain, p.expr(t)
		s.X = p.address(t)
	case "local":
		s.Kind, s.Order, s.X = statement.StmtAssign, ir.Plain, p.register(t, true)
		s.Y = p.expr(t)
	case "check":
		s.Kind, s.X = statement.StmtAssume, p.expr(t)
	case "mfence":
		s.Kind, s.Fence = statement.StmtFence, ir.FullFence
	case "noop":
		s.Kind = statement.StmtSkip
	case "lock", "unlock":
		s = nil
	default:
		p.fail(codeTSyntax, op, "there is no instruction '%s'", statement.Clip(op.text)).
			Note("the instructions are read, write, mfence, local, check, noop, lock and unlock")
	}
	if p.bad {
		return
	}
	tr.source = from
	tr.from, tr.to, tr.op, tr.stmt = t.state(from), t.state(to), op.text, s
	tr.end = p.lastEnd()
	if s != nil {
		s.End = tr.end
	}
	t.list = append(t.list, tr)
}

// lastEnd is the end of the word before the current one.
func (p *parser) lastEnd() int {
	end := p.tok.start
	for end > 0 && statement.IsSpace(p.Text[end-1]) {
		end--
	}
	return end
}

var operators = map[string]ir.ExprOp{
	"==": ir.Eq, "!=": ir.Ne, "<": ir.Lt, "<=": ir.Le, ">": ir.Gt, ">=": ir.Ge, "&&": ir.LAnd, "||": ir.LOr,
	"+": ir.Add, "-": ir.Sub, "*": ir.Mul, "&": ir.And, "/": ir.Div, "%": ir.Rem,
}

// register takes the name of a register.
func (p *parser) register(t *thread, written bool) *statement.Expr {
	w, ok := p.take("a register")
	if !ok {
		return &statement.Expr{Kind: statement.ExprInt}
	}
	_, number := p.number(w)
	if _, op := operators[w.text]; op || number || w.text == "!" {
		p.fail(codeTRegister, w, "'%s' cannot be the name of a register", statement.Clip(w.text))
	}
	return t.register(w, written)
}

func (t *thread) register(w word, written bool) *statement.Expr {
	if _, ok := t.regIDs[w.text]; !ok {
		t.regIDs[w.text] = ir.Reg(len(t.regs))
		t.regs = append(t.regs, statement.RegDecl{Name: statement.Ident{Text: w.text, Start: w.start, End: w.end}})
	}
	t.written[w.text] = t.written[w.text] || written
	return &statement.Expr{Kind: statement.ExprName, Name: w.text, Start: w.start, End: w.end}
}

// address takes an address: the variable it names.
func (p *parser) address(t *thread) *statement.Expr {
	x := p.expr(t)
	p.computed = p.computed || x.Kind != statement.ExprInt
	return &statement.Expr{Kind: statement.ExprMem, X: x, Start: x.Start, End: x.End}
}

// expr takes an expression in prefix form.
func (p *parser) expr(t *thread) *statement.Expr {
	p.depth++
	defer func() { p.depth-- }()
	p.nodes++
	switch {
	case p.depth > statement.MaxDepth:
		p.fail(statement.CodeDepth, p.tok, "expression nested deeper than %d levels", statement.MaxDepth)
		p.Stopped = true
	case p.nodes == statement.MaxNodes:
		p.fail(statement.CodeTooLarge, p.tok, "the program is too large")
		p.Stopped = true
	}
	w, ok := p.take("an expression")
	if !ok {
		return &statement.Expr{Kind: statement.ExprInt}
	}
	if v, ok := p.number(w); ok {
		p.consts = append(p.consts, v)
		return &statement.Expr{Kind: statement.ExprInt, Val: v, Start: w.start, End: w.end}
	}
	op, binary := operators[w.text]
	if !binary && w.text != "!" {
		return t.register(w, false)
	}
	e := &statement.Expr{Kind: statement.ExprUnary, Op: ir.Not, Start: w.start}
	e.X = p.expr(t)
	if binary {
		e.Kind, e.Op, e.Y = statement.ExprBinary, op, p.expr(t)
	}
	e.End = p.lastEnd()
	return e
}
