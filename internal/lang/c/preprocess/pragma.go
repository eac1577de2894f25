package preprocess

import (
	"path"

	"fencepost/internal/lang/c/lex"
)

// Pragmas. Some are for the preprocessor: once, GCC poison, GCC system_header, GCC
// push_macro and GCC pop_macro. All others, and those about macros too, become tokens for
// the parser. Macros are expanded in pragma pack, message and redefine_extname, as in gcc.

// pragmaDirective obeys #pragma.
func (p *preprocessor) pragmaDirective(t *lex.Token) (after func()) {
	l := p.files.top().lexer
	pragma := []lex.Token{}
	var word lex.Token
	l.Next(&word)
	switch word.Name {
	case namePack, nameMessage, nameRedefineExtname:
		for ; word.Kind != lex.EOF; p.nextReal(&word) {
			pragma = append(pragma, word)
		}
	default:
		for ; word.Kind != lex.EOF; l.Next(&word) {
			pragma = append(pragma, word)
		}
	}
	made, ok := p.pragma(t, pragma)
	if !ok {
		return nil
	}
	return func() { p.files.ahead, p.files.hasAhead = made, true }
}

// pragma obeys a pragma, and makes a token of it. It reports false if none is needed.
func (p *preprocessor) pragma(at *lex.Token, tokens []lex.Token) (lex.Token, bool) {
	switch {
	case len(tokens) == 0:
	case tokens[0].Name == nameOnce:
		if len(p.files.open) > 1 {
			p.readOnce(path.Clean(p.files.top().lexer.File.Name))
		}
		return lex.Token{}, false
	case tokens[0].Name == nameGCC && len(tokens) > 1:
		p.pragmaGCC(tokens[1:])
	case len(tokens) >= 4 && (tokens[0].Name == namePushMacro || tokens[0].Name == namePopMacro):
		p.pushMacro(tokens)
		return lex.Token{}, false
	}
	p.Pragmas = append(p.Pragmas, tokens)
	return lex.Token{Kind: lex.Pragma, Name: lex.Name(len(p.Pragmas) - 1), Pos: at.Pos, From: at.From}, true
}

// pragmaGCC obeys the pragmas of GCC that are for the preprocessor.
func (p *preprocessor) pragmaGCC(tokens []lex.Token) {
	switch tokens[0].Name {
	case nameSystemHeader:
		p.files.top().system = true
	case namePoison:
		for i := 1; i < len(tokens); i++ {
			if t := &tokens[i]; t.Kind == lex.Identifier {
				p.setMacro(t.Name, &macro{name: t.Name, poisoned: true})
			} else {
				p.errorAt(t, "a name is expected after #pragma GCC poison")
				return
			}
		}
	case nameError:
		p.errorAt(&tokens[0], "#pragma GCC error %s", p.textOf(tokens[1:]))
	case nameWarning:
		p.warnAt(&tokens[0], "#pragma GCC warning %s", p.textOf(tokens[1:]))
	}
}

func (p *preprocessor) textOf(tokens []lex.Token) string {
	if len(tokens) == 0 {
		return ""
	}
	return p.text(&tokens[0])
}

// pushMacro obeys #pragma push_macro("NAME") and pop_macro("NAME").
func (p *preprocessor) pushMacro(tokens []lex.Token) {
	if tokens[1].Kind != lex.LParen || tokens[2].Kind != lex.String || tokens[3].Kind != lex.RParen {
		return
	}
	text, ok := lex.Unquote(p.Space.Text(&tokens[2]))
	if !ok || len(text) == 0 {
		return
	}
	name := p.Names.Of(text)
	if tokens[0].Name == namePushMacro {
		p.pushed[name] = append(p.pushed[name], p.macro(name))
		return
	}
	if saved := p.pushed[name]; len(saved) > 0 {
		p.setMacro(name, saved[len(saved)-1])
		p.pushed[name] = saved[:len(saved)-1]
	}
}

// operator obeys _Pragma("..."). t is the name.
func (p *preprocessor) operator(t *lex.Token) bool {
	var u [3]lex.Token
	p.state.prevent++
	for i := range u {
		p.nextReal(&u[i])
		if want := [...]lex.Kind{lex.LParen, lex.String, lex.RParen}[i]; u[i].Kind != want {
			p.state.prevent--
			p.errorAt(t, "_Pragma needs a string in parentheses")
			if u[i].Kind == lex.EOF {
				p.unread(&u[i])
			}
			return true
		}
	}
	p.state.prevent--
	text, _ := lex.Unescape(p.Space.Text(&u[1]))
	if made, ok := p.pragma(t, p.scan(text, &u[1])); ok {
		p.push(level{tokens: []lex.Token{made}})
	}
	return true
}

// scan splits a text into tokens, which stand where the token at stands.
func (p *preprocessor) scan(text []byte, at *lex.Token) []lex.Token {
	if p.Space.Full(len(text)) {
		p.spend(p.steps+1, at)
		return nil
	}
	l := lex.NewLexer(p.Space, p.Space.Add("_Pragma", text, false), p.Names, &p.dialect, p.report)
	l.Directive = true
	var out []lex.Token
	for {
		var t lex.Token
		if l.Next(&t); t.Kind == lex.EOF {
			return out
		}
		t.Pos, t.From = at.Pos, at.From
		out = append(out, t)
	}
}
