package preprocess

import (
	"strings"

	"fencepost/internal/editdistance"
	"fencepost/internal/lang/c/lex"
)

// openFile is a file being read.
type openFile struct {
	lexer  *lex.Lexer
	conds  []condition
	dir    int // the number of the directory in which it was found, -1: that of the file around it
	guard  guard
	system bool
}

// fileStack holds the files being read, the innermost last.
type fileStack struct {
	open     []*openFile
	ahead    lex.Token // a token that was given back
	hasAhead bool
	trusted  bool                   // definitions in the file have no mistakes
	base     string                 // name of the file that was given
	known    map[string]*lex.File   // files that were read, by name
	once     map[string]bool        // files to be read once, by their clean names
	guards   map[*lex.File]lex.Name // the macro that keeps a file from being read again
	present  map[string]presentFile // files that were asked for
}

type presentFile struct {
	text []byte
	ok   bool
}

func (s *fileStack) top() *openFile { return s.open[len(s.open)-1] }

// enter begins to read a file.
func (p *preprocessor) enter(f *lex.File, dir int) {
	f.Unmark()
	p.spend(1+int(f.Length())/16, &lex.Token{Pos: f.Base})
	p.files.open = append(p.files.open, &openFile{lexer: lex.NewLexer(p.Space, f, p.Names, &p.dialect, p.report), dir: dir, system: f.System})
}

func (p *preprocessor) inSystem() bool { return p.files.top().system }

// read reads a token from the files, and obeys directives.
func (p *preprocessor) read(t *lex.Token) {
	for {
		f := p.files.top()
		switch {
		case p.gaveUp:
			*t = lex.Token{Kind: lex.EOF, Pos: f.lexer.At()}
			return
		case p.files.hasAhead:
			*t, p.files.hasAhead = p.files.ahead, false
		default:
			f.lexer.Next(t)
		}
		if p.state.directive {
			return
		}
		if t.Flags&lex.LineStart != 0 {
			if t.Kind == lex.Hash && p.state.args != wantParen {
				p.directive(t)
				continue
			}
			if p.state.args == inArgs {
				t.Flags |= lex.Spaced
			}
		}
		if t.Kind == lex.EOF {
			if p.state.args != noArgs {
				return
			}
			if p.close(); len(p.files.open) == 1 {
				return
			}
			p.files.open = p.files.open[:len(p.files.open)-1]
			continue
		}
		f.guard.token()
		p.steps--
		return
	}
}

// close does what is to be done at the end of a file.
func (p *preprocessor) close() {
	f := p.files.top()
	for _, c := range f.conds {
		p.errorAt(&c.at, "this #%s has no #endif", p.text(&c.at))
	}
	if f.guard.state == guardEnded {
		if p.files.guards == nil {
			p.files.guards = map[*lex.File]lex.Name{}
		}
		p.files.guards[f.lexer.File] = f.guard.name
	}
	f.conds = nil
}

// directive obeys the directive after #.
func (p *preprocessor) directive(hash *lex.Token) {
	saved := p.state
	p.state = state{directive: true, depth: saved.depth}
	f := p.files.top()
	f.lexer.Directive = true
	var t lex.Token
	f.lexer.Next(&t)
	p.spend(1, hash)
	var after func() // runs when the line has been read
	switch t.Kind {
	case lex.EOF:
	case lex.Number:
		p.lineDirective(&t, true)
	case lex.Identifier:
		if t.Name != nameIfndef && t.Name != nameIf {
			f.guard.directive(t.Name, len(f.conds))
		}
		after = p.named(&t, saved.args == inArgs)
	default:
		p.errorAt(&t, "the name of a directive is expected after #")
	}
	p.endDirective(f)
	p.state = saved
	if after != nil {
		after()
	}
}

// endDirective skips the rest of the line.
func (p *preprocessor) endDirective(f *openFile) {
	p.files.hasAhead = false
	p.stack = p.stack[:p.endStack()]
	f.lexer.Angled = false
	f.lexer.EndLine()
}

// endStack pops what a directive left on the stack of macros. Directives are met only when
// tokens come from the file, so the stack was empty before.
func (p *preprocessor) endStack() int {
	for len(p.stack) > 0 {
		p.pop()
	}
	return 0
}

// named obeys the directive of a name. It returns what is to be done after the line.
func (p *preprocessor) named(t *lex.Token, inArgs bool) (after func()) {
	switch t.Name {
	case nameDefine:
		p.define()
	case nameUndef:
		p.undefine()
		p.expectEnd("undef")
	case nameIf, nameIfdef, nameIfndef:
		return p.openCondition(t)
	case nameElif, nameElifdef, nameElifndef, nameElse:
		return p.nextCondition(t)
	case nameEndif:
		p.endCondition(t)
	case nameInclude, nameIncludeNext, nameImport:
		if inArgs {
			p.errorAt(t, "#%s stands in the arguments of a macro", p.text(t))
			return nil
		}
		return p.includeDirective(t)
	case nameLine:
		p.lineDirective(t, false)
	case nameError:
		p.errorAt(t, "#error %s", p.restOfLine())
	case nameWarning:
		p.warnAt(t, "#warning %s", p.restOfLine())
	case namePragma:
		return p.pragmaDirective(t)
	case nameIdent, nameSccs:
	case nameAssert, nameUnassert:
		p.report(lex.Problem{Pos: t.Pos, Kind: lex.Unsupported, Message: "the directive #" + p.text(t) + " is not supported"})
	case nameEmbed:
		p.report(lex.Problem{Pos: t.Pos, Kind: lex.Unsupported, Message: "the directive #embed is not supported"})
	default:
		p.report(lex.Problem{Pos: t.Pos, Kind: lex.Syntax, Message: "there is no directive #" + p.text(t), Note: didYouMean(p.text(t), fixed[:nameElse+2])})
	}
	return nil
}

// didYouMean returns a note with the closest of some names, "" if none is close.
func didYouMean(word string, names []string) string {
	best, distance := "", 1+len(word)/4
	for _, name := range names {
		if d := editdistance.Between(word, name); d <= distance && d > 0 {
			best, distance = name, d-1
		}
	}
	if best == "" {
		return ""
	}
	return "did you mean #" + best + "?"
}

// restOfLine returns the rest of a directive as it is written, with single blanks.
func (p *preprocessor) restOfLine() string {
	var b strings.Builder
	var t lex.Token
	for l := p.files.top().lexer; ; {
		if l.Next(&t); t.Kind == lex.EOF {
			return b.String()
		}
		if b.Len() > 0 && t.Flags&lex.Spaced != 0 {
			b.WriteByte(' ')
		}
		b.Write(p.Space.Text(&t))
	}
}

// expectEnd warns if something stands after a directive.
func (p *preprocessor) expectEnd(directive string) {
	var t lex.Token
	if p.files.top().lexer.Next(&t); t.Kind != lex.EOF && !p.inSystem() {
		p.warnAt(&t, "there is text after #%s", directive)
	}
}
