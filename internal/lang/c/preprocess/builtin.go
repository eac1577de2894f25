package preprocess

import (
	"path"
	"strconv"
	"strings"

	"fencepost/internal/lang/c/lex"
)

// builtin is a macro of the compiler.
type builtin uint8

const (
	userMacro builtin = iota // it is none
	builtinLine
	builtinFile
	builtinFileName
	builtinBaseFile
	builtinDate
	builtinTime
	builtinTimestamp
	builtinCounter
	builtinIncludeLevel
	builtinPragma
	builtinHasAttribute
	builtinHasCAttribute
	builtinHasBuiltin
	builtinHasInclude
	builtinHasIncludeNext
)

var builtinNames = [...]string{
	userMacro: "", builtinLine: "__LINE__", builtinFile: "__FILE__", builtinFileName: "__FILE_NAME__", builtinBaseFile: "__BASE_FILE__",
	builtinDate: "__DATE__", builtinTime: "__TIME__", builtinTimestamp: "__TIMESTAMP__", builtinCounter: "__COUNTER__",
	builtinIncludeLevel: "__INCLUDE_LEVEL__", builtinPragma: "_Pragma", builtinHasAttribute: "__has_attribute",
	builtinHasCAttribute: "__has_c_attribute", builtinHasBuiltin: "__has_builtin", builtinHasInclude: "__has_include",
	builtinHasIncludeNext: "__has_include_next",
}

func (b builtin) String() string { return builtinNames[b] }

// builtins defines the macros of the compiler.
func (p *preprocessor) builtins() {
	for b := builtinLine; int(b) < len(builtinNames); b++ {
		name := p.Names.Of([]byte(b.String()))
		p.setMacro(name, &macro{name: name, builtin: b})
	}
	name := p.Names.Of([]byte("__has_cpp_attribute"))
	p.setMacro(name, &macro{name: name, builtin: builtinHasCAttribute})
}

func (p *preprocessor) isHasInclude(name lex.Name) bool {
	m := p.macro(name)
	return m != nil && (m.builtin == builtinHasInclude || m.builtin == builtinHasIncludeNext)
}

// The time at which every program is read: the same input has the same answer always. gcc
// says the same if SOURCE_DATE_EPOCH is 0.
const (
	date      = `"Jan  1 1970"`
	clock     = `"00:00:00"`
	timestamp = `"Thu Jan  1 00:00:00 1970"`
)

// expandBuiltin expands a macro of the compiler. It reports false if the name stays as it is.
func (p *preprocessor) expandBuiltin(m *macro, t *lex.Token) bool {
	text := ""
	f := p.files.top().lexer
	switch m.builtin {
	case builtinLine:
		text = strconv.Itoa(p.Space.Presumed(p.Outermost(t)).Line)
	case builtinFile:
		text = quote(p.Space.Presumed(f.At()).File)
	case builtinFileName:
		text = quote(path.Base(p.Space.Presumed(f.At()).File))
	case builtinBaseFile:
		text = quote(p.files.base)
	case builtinDate:
		text = date
	case builtinTime:
		text = clock
	case builtinTimestamp:
		text = timestamp
	case builtinCounter:
		text = strconv.Itoa(p.counter)
		p.counter++
	case builtinIncludeLevel:
		text = strconv.Itoa(len(p.files.open) - 1)
	case builtinPragma:
		if p.state.directive {
			return false
		}
		return p.operator(t)
	case builtinHasAttribute:
		text = p.question(t, func(name string) string { return p.hasAttribute(name, false) })
	case builtinHasCAttribute:
		text = p.question(t, func(name string) string { return p.hasAttribute(name, true) })
	case builtinHasBuiltin:
		text = p.question(t, func(name string) string { return number(p.opt.HasBuiltin != nil && p.opt.HasBuiltin(name)) })
	case builtinHasInclude, builtinHasIncludeNext:
		text = p.hasInclude(t, m.builtin == builtinHasIncludeNext)
	default:
		panic("BUG: unknown macro of the compiler")
	}
	made, ok := lex.One([]byte(text), p.Names, &p.dialect)
	at := p.Space.Keep([]byte(text))
	if !ok || at == 0 {
		p.spend(p.steps+1, t)
		return false
	}
	made.Pos, made.From, made.Flags = t.Pos, p.expansion(m, t), 0
	made = made.Spelled(at, len(text))
	p.push(level{tokens: []lex.Token{made}})
	return true
}

func number(yes bool) string {
	if yes {
		return "1"
	}
	return "0"
}

func (p *preprocessor) hasAttribute(name string, standard bool) string {
	if p.opt.HasAttribute != nil {
		if answer := p.opt.HasAttribute(name, standard); answer != "" {
			return answer
		}
	}
	return "0"
}

// quote returns a string literal.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c >= 0x7f:
			b.WriteByte('\\')
			b.WriteString(string([]byte{'0' + c>>6, '0' + c>>3&7, '0' + c&7}))
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// question reads (NAME) or (SCOPE::NAME), and returns the answer.
func (p *preprocessor) question(t *lex.Token, answer func(name string) string) string {
	var u lex.Token
	bad := func() string {
		p.errorAt(t, "%s needs a name in parentheses", p.text(t))
		if u.Kind == lex.EOF {
			p.unread(&u)
		}
		return "0"
	}
	if p.nextReal(&u); u.Kind != lex.LParen {
		return bad()
	}
	if p.nextReal(&u); u.Kind != lex.Identifier {
		return bad()
	}
	name := p.text(&u)
	p.nextReal(&u)
	if u.Kind == lex.Scope {
		if p.nextReal(&u); u.Kind != lex.Identifier {
			return bad()
		}
		name += "::" + p.text(&u)
		p.nextReal(&u)
	}
	if u.Kind != lex.RParen {
		return bad()
	}
	return answer(name)
}

// hasInclude answers __has_include.
func (p *preprocessor) hasInclude(t *lex.Token, next bool) string {
	if !p.state.directive {
		p.errorAt(t, "%s stands outside of a directive", p.text(t))
		return "0"
	}
	l := p.files.top().lexer
	var u lex.Token
	l.Angled = true
	p.nextReal(&u)
	open := u.Kind == lex.LParen
	if open {
		p.nextReal(&u)
	}
	l.Angled = false
	found := len(p.Problems)
	name, angled, ok := p.headerName(&u)
	if ok && open {
		p.nextReal(&u)
		ok = u.Kind == lex.RParen
	}
	if !ok || !open {
		if len(p.Problems) == found {
			p.errorAt(t, "%s needs the name of a file in parentheses", p.text(t))
		}
		if u.Kind == lex.EOF {
			p.unread(&u)
		}
		return "0"
	}
	_, _, exists := p.find(name, angled, next)
	return number(exists)
}
