package parse

import (
	"fmt"

	"fencepost/internal/editdistance"
	"fencepost/internal/lang/c/lex"
	"fencepost/internal/lang/c/preprocess"
	"fencepost/internal/lang/c/types"
)

// parser reads the tokens of one file. Its methods are the rules of the grammar, a file per
// part of the grammar.
type parser struct {
	*Unit
	toks  []lex.Token
	at    int32
	last  int32 // the token that was read last
	tok   *lex.Token
	kind  lex.Kind
	key   keyword
	keys  []keyword // by name
	depth int
	packs []packed // of #pragma pack: the limits that were pushed
	pack  int64
	quiet int // above 0: no messages
	scopes
	prototypes prototypes
	function   *funcState
	limit      int32 // objects of the file count if they are declared before this token
	// afterUnknown is the token after the last name that was reported as not declared, 0 if there is none.
	afterUnknown int32
	dialect
}

// dialect says which C it is.
type dialect struct {
	c23       bool
	gnuInline bool
	unsigned  bool            // char
	short     bool            // enums
	further   map[string]byte // Options.Builtins
}

// bail ends the parsing of a declaration or statement whose mistake was reported.
type bail struct{}

// maxDepth bounds the nesting of expressions, declarators and statements.
const maxDepth = 100000

func (p *parser) enter() {
	if p.depth++; p.depth > maxDepth {
		p.fail(p.at, "this is nested too deeply")
	}
}

func (p *parser) leave() { p.depth-- }

// jump moves to a token.
func (p *parser) jump(at int32) {
	p.at = at
	p.tok = &p.toks[at]
	p.kind = p.tok.Kind
	p.key = 0
	switch p.kind {
	case lex.Identifier:
		if int(p.tok.Name) < len(p.keys) {
			p.key = p.keys[p.tok.Name]
		}
	case lex.Pragma:
		p.pragma(p.Source.Pragmas[p.tok.Name])
		p.jump(at + 1)
	}
}

func (p *parser) next() {
	if p.kind != lex.EOF {
		p.last = p.at
		p.jump(p.at + 1)
	}
}

// peek returns the kind and keyword of a token after the current one.
func (p *parser) peek(n int) (lex.Kind, keyword) {
	at := int(p.at)
	for n > 0 && at < len(p.toks)-1 {
		if at++; p.toks[at].Kind != lex.Pragma {
			n--
		}
	}
	t := &p.toks[at]
	if t.Kind == lex.Identifier && int(t.Name) < len(p.keys) {
		return t.Kind, p.keys[t.Name]
	}
	return t.Kind, 0
}

func (p *parser) accept(k lex.Kind) bool {
	if p.kind != k {
		return false
	}
	p.next()
	return true
}

func (p *parser) acceptKey(k keyword) bool {
	if p.key != k {
		return false
	}
	p.next()
	return true
}

// expect skips a token that must come.
func (p *parser) expect(k lex.Kind) {
	if p.kind != k {
		if p.at == p.afterUnknown && p.at > 0 {
			panic(bail{}) // a misspelt word, which has its message
		}
		p.fail(p.at, "%s is expected before %s", quoted(k), p.spelled(p.at))
	}
	p.next()
}

func quoted(k lex.Kind) string {
	if k.IsPunctuator() {
		return "'" + k.String() + "'"
	}
	return "an " + k.String()
}

// spelled returns a token for messages.
func (p *parser) spelled(at int32) string {
	t := &p.toks[at]
	switch t.Kind {
	case lex.EOF:
		return "the end of the file"
	case lex.String:
		return "a string"
	default:
		return "'" + string(p.Source.Space.Text(t)) + "'"
	}
}

func (p *parser) text(at int32) string { return string(p.Source.Space.Text(&p.toks[at])) }

func (p *parser) name(n lex.Name) string { return p.Source.Names.String(n) }

// report adds a problem about a token.
func (p *parser) report(at int32, kind lex.Trouble, note, format string, args ...any) {
	const most = 200
	if p.quiet > 0 || len(p.Problems) >= most || p.function != nil && p.function.refused {
		return
	}
	if p.function != nil && kind == lex.Unsupported {
		p.function.refused = true
	}
	t := &p.toks[at]
	p.Problems = append(p.Problems, lex.Problem{Pos: t.Pos, From: t.From, Kind: kind, Message: fmt.Sprintf(format, args...), Note: note})
}

func (p *parser) errorf(at int32, format string, args ...any) {
	p.report(at, lex.Syntax, "", format, args...)
}

// fail reports a mistake, and ends the declaration or statement.
func (p *parser) fail(at int32, format string, args ...any) {
	if p.quiet == 0 && p.toks[at].Kind == lex.Other && p.Source.Space.Text(&p.toks[at])[0] != '\\' {
		if c := p.text(at)[0]; c == '"' || c == '\'' {
			format, args = "this quote has no end on its line", nil
		}
	}
	p.errorf(at, format, args...)
	panic(bail{})
}

// refuse reports C that is not supported, and ends the declaration or statement.
func (p *parser) refuse(at int32, format string, args ...any) {
	p.report(at, lex.Unsupported, "", format, args...)
	panic(bail{})
}

// try runs f, and reports false if it bailed out.
func (p *parser) try(f func()) (ok bool) {
	depth := p.depth
	defer func() {
		if r := recover(); r != nil {
			if _, is := r.(bail); !is {
				panic(r)
			}
			p.depth = depth
		}
	}()
	f()
	return true
}

// skipBalanced moves past a group that begins with an opening bracket.
func (p *parser) skipBalanced() {
	open := p.at
	for depth := 0; ; p.next() {
		switch p.kind {
		case lex.LParen, lex.LBracket, lex.LBrace:
			depth++
		case lex.RParen, lex.RBracket, lex.RBrace:
			if depth--; depth == 0 {
				p.next()
				return
			}
		case lex.EOF:
			p.fail(open, "%s has no end", p.spelled(open))
		}
	}
}

// suggest returns a note with a known name that is close to a word, "" if none is.
func (p *parser) suggest(word string, known func(yield func(string))) string {
	best, distance := "", 1+len(word)/4
	if len(word) < 3 {
		return ""
	}
	known(func(name string) {
		if len(name) > len(word)+distance || len(word) > len(name)+distance {
			return
		}
		if d := editdistance.Between(word, name); d <= distance && d > 0 {
			best, distance = name, d-1
		}
	})
	if best == "" {
		return ""
	}
	return "did you mean " + best + "?"
}

// pragma obeys a pragma that is about layout.
func (p *parser) pragma(tokens []lex.Token) {
	if len(tokens) < 3 || p.Source.Names.String(tokens[0].Name) != "pack" || tokens[1].Kind != lex.LParen {
		return
	}
	pushes, pops, name := false, false, lex.Name(0)
	for i := 2; i < len(tokens); i++ {
		t := &tokens[i]
		switch t.Kind {
		case lex.Identifier:
			switch word := p.name(t.Name); {
			case i == 2 && word == "push":
				pushes = true
				p.packs = append(p.packs, packed{limit: p.pack})
			case i == 2 && word == "pop":
				pops = true
			case i == 4 && pops:
				name = t.Name
			case i == 4 && pushes:
				p.packs[len(p.packs)-1].name = t.Name
			}
		case lex.Number:
			if n, ok := lex.ParseInteger(p.Source.Space.Text(t)); ok && n.Value <= 16 && n.Value&(n.Value-1) == 0 {
				p.pack = int64(n.Value)
			}
		case lex.RParen:
			if i == 2 {
				p.pack = 0
			}
			if pops {
				p.popPack(name)
			}
			return
		}
	}
}

// packed is a limit that #pragma pack(push) keeps, perhaps with a name.
type packed struct {
	limit int64
	name  lex.Name
}

// popPack obeys #pragma pack(pop): it goes back to the push of a name, or to the last one if none has the name.
func (p *parser) popPack(name lex.Name) {
	last := len(p.packs) - 1
	if last < 0 {
		return
	}
	for i := last; i >= 0 && name != 0; i-- {
		if p.packs[i].name == name {
			last = i
			break
		}
	}
	p.pack, p.packs = p.packs[last].limit, p.packs[:last]
}

// Options say how a file is parsed.
type Options struct {
	Standard     preprocess.Standard
	UnsignedChar bool
	ShortEnums   bool
	GNUInline    bool // extern inline means what it meant before C99
	// Builtins are further functions whose types depend on their arguments, by name, with the letters
	// of typedBuiltins.
	Builtins map[string]byte
}

// errorType is the type of everything with a mistake.
var errorType = types.Of(types.Error)
