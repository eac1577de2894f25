package preprocess

import (
	"fmt"

	"fencepost/internal/lang/c/lex"
)

// preprocessor is the state of one run. Directives, macro calls and conditions read from one
// stream of tokens and change its state, so they are methods of one type, a file per technique.
type preprocessor struct {
	Result
	opt     *Options
	dialect lex.Dialect
	files   fileStack
	macros  []*macro // by name, nil: none
	stack   []level  // macros being expanded, the innermost last
	spare   [][]lex.Token
	state   state
	steps   int
	gaveUp  bool
	hidden  bool // the macros that are defined now
	counter int  // of __COUNTER__
	pushed  map[lex.Name][]*macro
}

// state is the part of the state that directives and arguments change for a while.
type state struct {
	directive bool // the tokens of a directive are read
	padding   bool // also then, padding is wanted
	prevent   int  // macros are not expanded
	args      argState
	depth     int // of arguments being expanded
}

// argState says what is read of a macro call.
type argState uint8

const (
	noArgs    argState = iota
	wantParen          // a parenthesis may follow
	inArgs
)

func (a argState) String() string { return [...]string{"none", "want (", "in arguments"}[a] }

// Run preprocesses a file.
func Run(name string, text []byte, opt *Options) *Result {
	p := &preprocessor{opt: opt, dialect: opt.Standard.dialect(), pushed: map[lex.Name][]*macro{}}
	base := basis()
	p.Space, p.Names = lex.NewSpace(), base.Clone()
	p.Expansions = make([]Expansion, 1, 64)
	p.Pragmas = make([][]lex.Token, 1)
	p.steps = opt.MaxTokens
	if p.steps == 0 {
		p.steps = 1 << 27
	}
	p.macros = make([]*macro, 1<<11)
	p.builtins()
	if p.Space.Full(len(text)) {
		p.problem(0, lex.Unsupported, "the file is too large")
		p.Tokens = []lex.Token{{Kind: lex.EOF}}
		return &p.Result
	}
	main := p.Space.Add(name, text, p.dialect.Trigraphs)
	p.Files = append(p.Files, main)
	p.predefine(builtIn, opt.Predefined)
	p.predefine("<command-line>", opt.Commands)
	p.Tokens = make([]lex.Token, 0, len(text)/4+1<<12)
	p.files.base = name
	p.texts(opt.Before)
	for _, name := range opt.Include {
		p.enter(main, -1)
		p.include(lex.Token{Pos: main.Base}, name, false, false, false)
		p.files.open = append(p.files.open[:0], p.files.open[1:]...)
		if len(p.files.open) > 0 {
			p.readAll()
		}
	}
	p.enter(main, -1)
	p.readAll()
	p.texts(opt.After)
	return &p.Result
}

// texts reads texts that are parts of the file.
func (p *preprocessor) texts(texts []Text) {
	for _, t := range texts {
		p.hidden, p.files.trusted = t.Hidden, t.Hidden
		p.enter(p.Space.Add(t.Name, t.Text, p.dialect.Trigraphs), -1)
		p.readAll()
		p.hidden, p.files.trusted = false, false
	}
}

// builtIn is the name of the text with the macros of the compiler.
const builtIn = "<built-in>"

// predefine reads definitions.
func (p *preprocessor) predefine(name, text string) {
	if text == "" {
		return
	}
	p.files.trusted = name == builtIn
	p.enter(p.Space.Add(name, []byte(text), p.dialect.Trigraphs), -1)
	p.readAll()
	p.files.trusted = false
	p.Tokens = p.Tokens[:0]
}

// readAll reads the open files to their end.
func (p *preprocessor) readAll() {
	if n := len(p.Tokens); n > 0 && p.Tokens[n-1].Kind == lex.EOF {
		p.Tokens = p.Tokens[:n-1]
	}
	var t lex.Token
	for {
		p.next(&t)
		if t.Kind == lex.Padding {
			continue
		}
		p.Tokens = append(p.Tokens, t)
		if t.Kind == lex.EOF {
			p.files.open = p.files.open[:0]
			return
		}
	}
}

func (p *preprocessor) report(pr lex.Problem) {
	const most = 1000
	if len(p.Problems) < most {
		p.Problems = append(p.Problems, pr)
	}
}

func (p *preprocessor) problem(at lex.Pos, kind lex.Trouble, format string, args ...any) {
	p.report(lex.Problem{Pos: at, Kind: kind, Message: fmt.Sprintf(format, args...)})
}

func (p *preprocessor) errorAt(t *lex.Token, format string, args ...any) {
	p.report(lex.Problem{Pos: t.Pos, From: t.From, Kind: lex.Syntax, Message: fmt.Sprintf(format, args...)})
}

func (p *preprocessor) warnAt(t *lex.Token, format string, args ...any) {
	p.report(lex.Problem{Pos: t.Pos, From: t.From, Kind: lex.Doubtful, Message: fmt.Sprintf(format, args...)})
}

func (p *preprocessor) text(t *lex.Token) string { return string(p.Space.Text(t)) }

// spend counts work. It reports false, once, if there was too much of it; then all files
// and macros end.
func (p *preprocessor) spend(n int, at *lex.Token) bool {
	if p.steps -= n; p.steps >= 0 {
		return true
	}
	if !p.gaveUp {
		p.gaveUp = true
		p.report(lex.Problem{Pos: at.Pos, From: at.From, Kind: lex.Unsupported, Message: "the program becomes too large when its macros are expanded"})
	}
	return false
}
