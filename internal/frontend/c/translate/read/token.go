package read

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unsafe"

	"modernc.org/cc/v4"
)

// Tokens between cc's preprocessor and its parser. The preprocessor leaves some tokens with a kind
// that is not that of their text, and its parser goes by the kind:
//
//   - A token that ## makes keeps the kind of its left part: x op##= y would be x op y.
//   - A literal u8"text" keeps its prefix, of which cc then takes a part for text.
//   - typeof(const int) becomes typeof((const int){}): cc knows no qualifiers there.
//   - A call of a builtin that a _Generic names: see generic_builtin.go.
//   - Wide strings and characters: see wide_string.go.
//   - A constant of floating point that is too large becomes an infinity.
//   - A constant of several characters, 'ab', which cc does not know, becomes the number that gcc takes
//     it for.
//
// So the preprocessor runs to its end first, the tokens are mended, and the parser gets them then.

// maxBrackets is how deep brackets may be nested. cc's parser takes some kilobytes of the stack for each level, and
// Go ends a program whose stack has 1 GB.
const maxBrackets = 25_000

// operatorKinds are the kinds of the tokens that ## can make of signs.
var operatorKinds = map[string]rune{
	"+=": rune(cc.ADDASSIGN), "-=": rune(cc.SUBASSIGN), "*=": rune(cc.MULASSIGN), "/=": rune(cc.DIVASSIGN), "%=": rune(cc.MODASSIGN),
	"&=": rune(cc.ANDASSIGN), "|=": rune(cc.ORASSIGN), "^=": rune(cc.XORASSIGN), "<<=": rune(cc.LSHASSIGN), ">>=": rune(cc.RSHASSIGN),
	"++": rune(cc.INC), "--": rune(cc.DEC), "->": rune(cc.ARROW), "<<": rune(cc.LSH), ">>": rune(cc.RSH), "&&": rune(cc.ANDAND), "||": rune(cc.OROR),
	"==": rune(cc.EQ), "!=": rune(cc.NEQ), "<=": rune(cc.LEQ), ">=": rune(cc.GEQ), "...": rune(cc.DDD),
	"<:": '[', ":>": ']', "<%": '{', "%>": '}',
}

// The beginnings of cc's own structs, whose version is fixed; pasting.c of TestSequential fails if they change.
type (
	ccParser       struct{ preprocessor *ccPreprocessor }
	ccPreprocessor struct {
		_         *cc.Config
		report    func(message string, args ...any)
		_         cc.Token // the mark of the end, and what is between it and the tokenizer
		_, _, _   uintptr
		_         int
		_, _      uintptr
		_         []cc.Source
		_         []any
		_         cc.Token
		tokenizer *ccTokenizer
	}
	ccTokenizer struct {
		_   uintptr
		_   []ccToken
		out []ccToken
	}
	ccToken struct {
		cc.Token
		_ map[string]struct{}
	}
)

//go:linkname newFset modernc.org/cc/v4.newFset
func newFset() unsafe.Pointer

//go:linkname newParser modernc.org/cc/v4.newParser
func newParser(config *cc.Config, files unsafe.Pointer, sources []cc.Source) (*ccParser, error)

//go:linkname nextToken modernc.org/cc/v4.(*tokenizer).token
func nextToken(t *ccTokenizer) cc.Token

//go:linkname parseTokens modernc.org/cc/v4.(*parser).parse
func parseTokens(p *ccParser) (*cc.AST, error)

// parseMended is cc.Parse with mended tokens.
func parseMended(config *cc.Config, sources []cc.Source) (*cc.AST, error) {
	p, err := newParser(config, newFset(), sources)
	if err != nil {
		return nil, err
	}
	var problems []error
	p.preprocessor.report = func(message string, args ...any) { problems = append(problems, fmt.Errorf(message, args...)) }
	from := p.preprocessor.tokenizer
	var tokens []ccToken
	depth := 0
	for t := nextToken(from); ; t = nextToken(from) {
		switch t.Ch {
		case '(', '[', '{':
			if depth++; depth > maxBrackets {
				return nil, fmt.Errorf("%v: brackets are nested deeper than %d levels", t.Position(), maxBrackets)
			}
		case ')', ']', '}':
			depth--
		}
		mend(&t)
		if name := infinite(&t); name != "" {
			tokens = append(tokens, madeTokens(ccToken{Token: t}, name, "(", ")")...)
			continue
		}
		tokens = append(tokens, ccToken{Token: t})
		if t.Ch < 0 { // the end
			break
		}
	}
	from.out = wideStrings(typeofQualified(genericBuiltins(tokens)))
	ast, err := parseTokens(p)
	if len(problems) > 0 {
		return nil, errors.Join(append(problems, err)...)
	}
	return ast, err
}

// mend gives a token the kind and the text that cc's parser understands.
func mend(t *cc.Token) {
	text := t.Src()
	switch {
	case len(text) < 2:
	case t.Ch == rune(cc.STRINGLITERAL) && text[0] == 'u':
		t.Set(t.Sep(), text[2:])
	case t.Ch == rune(cc.CHARCONST):
		if n, ok := severalCharacters(string(text)); ok {
			t.Ch = rune(cc.INTCONST)
			t.Set(t.Sep(), []byte(strconv.Itoa(n)))
		}
	case strings.IndexByte("+-*/%&|^<>=!.:", text[0]) >= 0:
		if kind, ok := operatorKinds[string(text)]; ok {
			t.Ch = kind
		} else if text[0] == '.' && text[1] >= '0' && text[1] <= '9' {
			t.Ch = rune(cc.PPNUMBER)
		}
	}
}

// infinite returns the function that stands for a constant of floating point that is too large; "" for all
// other tokens.
func infinite(t *cc.Token) string {
	if t.Ch != rune(cc.PPNUMBER) {
		return ""
	}
	text := strings.ToLower(t.SrcStr())
	if strings.HasPrefix(text, "0x") || !strings.Contains(text, "e") {
		return ""
	}
	if v, _ := strconv.ParseFloat(text, 64); math.IsInf(v, 0) {
		return "__builtin_inf"
	}
	return ""
}

// severalCharacters returns the value of a character constant, if it has two to four bytes without
// escapes and is not negative.
func severalCharacters(text string) (n int, ok bool) {
	text = strings.Trim(text, "'")
	if len(text) < 2 || len(text) > 4 || strings.ContainsRune(text, '\\') {
		return 0, false
	}
	for i := range len(text) {
		n = n<<8 | int(text[i])
	}
	return n, n <= math.MaxInt32
}
