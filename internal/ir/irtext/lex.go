package irtext

import (
	"strconv"
	"strings"

	"fencepost/internal/diag"
	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// Codes of the diagnostics of Parse.
const (
	codeLex       = "IR0001" // a character that begins no token
	codeSyntax    = "IR0002" // a token where another is needed
	codeUnknown   = "IR0003" // a name that is not declared
	codeDuplicate = "IR0004" // a name that is declared twice
	codeNumber    = "IR0005" // a number that does not fit in 64 bits
	codeDepth     = "IR0006" // an expression that is nested too deeply
	codeOperation = "IR0007" // an operation with missing or superfluous parts
)

type tokenKind uint8

const (
	_ tokenKind = iota
	tokEOF
	tokNewline
	tokName   // an identifier, which may be a keyword
	tokString // quoted: a message, or a name that is never a keyword
	tokNumber
	tokPunct
	tokPos // @file:line:col-line:col
)

type token struct {
	kind       tokenKind
	text       string // unquoted for strings
	start, end int
	span       source.Span // of a tokPos
}

// punctuation, longest first.
var punctuation = []string{
	"->", "..", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
	"(", ")", "[", "]", "{", "}", ",", ":", ";", "=", "+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "<", ">", "?",
}

// lexer splits the text form into tokens. Lines end statements, so line ends are tokens too.
type lexer struct {
	file  *source.File
	diags *diag.List
	text  string
	at    int
	toks  []token
}

func lex(file *source.File, diags *diag.List) []token {
	lx := &lexer{file: file, diags: diags, text: string(file.Text)}
	for lx.at < len(lx.text) {
		lx.next()
	}
	lx.add(tokNewline, "", lx.at)
	lx.add(tokEOF, "", lx.at)
	return lx.toks
}

func (lx *lexer) add(kind tokenKind, text string, start int) {
	lx.toks = append(lx.toks, token{kind: kind, text: text, start: start, end: lx.at})
}

func (lx *lexer) next() {
	start, c := lx.at, lx.text[lx.at]
	switch {
	case c == '\n':
		lx.at++
		lx.add(tokNewline, "", start)
	case c == ' ' || c == '\t' || c == '\r':
		lx.at++
	case c == '#':
		if n := strings.IndexByte(lx.text[lx.at:], '\n'); n >= 0 {
			lx.at += n
		} else {
			lx.at = len(lx.text)
		}
	case c == '"':
		if text, ok := lx.quoted(); ok {
			lx.add(tokString, text, start)
		}
	case c == '@':
		lx.position()
	case isDigit(c):
		lx.digits()
		lx.add(tokNumber, lx.text[start:lx.at], start)
	case isLetter(c):
		lx.at += nameLength(lx.text[start:])
		lx.add(tokName, lx.text[start:lx.at], start)
	default:
		lx.punct()
	}
}

// digits reads a number: an integer, or one of floating point such as 1.5 and 1.0e-07.
func (lx *lexer) digits() {
	dot := false
	for ; lx.at < len(lx.text); lx.at++ {
		c, after := lx.text[lx.at], byte(0)
		if lx.at+1 < len(lx.text) {
			after = lx.text[lx.at+1]
		}
		switch {
		case isDigit(c) || isLetter(c):
		case c == '.' && !dot && isDigit(after):
			dot = true
		case (c == '-' || c == '+') && dot && lx.text[lx.at-1] == 'e' && isDigit(after):
		default:
			return
		}
	}
}

func (lx *lexer) punct() {
	start := lx.at
	for _, p := range punctuation {
		if strings.HasPrefix(lx.text[start:], p) {
			lx.at += len(p)
			lx.add(tokPunct, p, start)
			return
		}
	}
	for lx.at < len(lx.text) && !strings.ContainsRune(" \t\r\n", rune(lx.text[lx.at])) {
		lx.at++
	}
	lx.diags.Errorf(codeLex, lx.file.Span(start, lx.at), "unexpected character %q", lx.text[start])
}

// quoted reads a string in Go's syntax.
func (lx *lexer) quoted() (string, bool) {
	start := lx.at
	for lx.at++; lx.at < len(lx.text) && lx.text[lx.at] != '\n'; lx.at++ {
		switch lx.text[lx.at] {
		case '\\':
			if lx.at+1 < len(lx.text) && lx.text[lx.at+1] != '\n' {
				lx.at++
			}
		case '"':
			lx.at++
			text, err := strconv.Unquote(lx.text[start:lx.at])
			if err != nil {
				lx.diags.Errorf(codeLex, lx.file.Span(start, lx.at), "malformed string")
			}
			return text, err == nil
		}
	}
	lx.diags.Errorf(codeLex, lx.file.Span(start, lx.at), "string is not closed")
	return "", false
}

// position reads @file:line:col, with -line:col for an end.
func (lx *lexer) position() {
	start := lx.at
	lx.at++
	var s source.Span
	ok := true
	if lx.at < len(lx.text) && lx.text[lx.at] == '"' {
		s.File, ok = lx.quoted()
	} else {
		from := lx.at
		for lx.at < len(lx.text) && isFileChar(lx.text[lx.at]) {
			lx.at++
		}
		s.File = lx.text[from:lx.at]
	}
	ok = ok && lx.number(':', &s.Line) && lx.number(':', &s.Col)
	if ok && lx.at < len(lx.text) && lx.text[lx.at] == '-' {
		ok = lx.number('-', &s.EndLine) && lx.number(':', &s.EndCol)
	}
	if !ok {
		lx.diags.Errorf(codeLex, lx.file.Span(start, lx.at), "malformed position, want @file:line:column")
		return
	}
	lx.add(tokPos, "position", start)
	lx.toks[len(lx.toks)-1].span = s
}

// number reads a separator and a number.
func (lx *lexer) number(sep byte, to *int) bool {
	if lx.at >= len(lx.text) || lx.text[lx.at] != sep {
		return false
	}
	lx.at++
	start := lx.at
	if lx.at < len(lx.text) && lx.text[lx.at] == '-' {
		lx.at++
	}
	for lx.at < len(lx.text) && isDigit(lx.text[lx.at]) {
		lx.at++
	}
	n, err := strconv.Atoi(lx.text[start:lx.at])
	*to = n
	return err == nil
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }

func isFileChar(c byte) bool { return isLetter(c) || isDigit(c) || strings.IndexByte("./+-", c) >= 0 }

// nameLength returns the length of the identifier at the start of text. Dots and hashes belong
// to it where they join parts, as in f.x and x#1, which passes make.
func nameLength(text string) int {
	if text == "" || !isLetter(text[0]) {
		return 0
	}
	for i := 1; i < len(text); i++ {
		c := text[i]
		joins := i+1 < len(text) && (c == '.' && (isLetter(text[i+1]) || isDigit(text[i+1])) || c == '#' && isDigit(text[i+1]))
		if !isLetter(c) && !isDigit(c) && c != '$' && c != '\'' && !joins {
			return i
		}
	}
	return len(text)
}

// opOf returns the operation that a word names; assignments have none.
func opOf(word string) (ir.OpKind, bool) {
	k, ok := ir.ParseOp(word)
	return k, ok && k != ir.Assign
}

// typeWords are the names of types; u0 is the unset type.
var typeWords = map[string]ir.Type{
	"s8": ir.S8, "s16": ir.S16, "s32": ir.S32, "s64": ir.S64, "u8": ir.U8, "u16": ir.U16, "u32": ir.U32, "u64": ir.U64, "f32": ir.F32, "f64": ir.F64, "u0": {},
}

const (
	seenWord = "seen"
	selfWord = "self"
	// undefWord is a value that was never written.
	undefWord = "undef"
	unsetWord = "unset" // the order of an operation that has none
	ofWord    = "of"    // between the types of a conversion
	noDst     = "_"     // stands for an absent first destination
)

// reserved reports whether a bare word cannot name a register.
func reserved(word string) bool {
	base, _, _ := strings.Cut(word, ".")
	_, op := opOf(base)
	_, typ := typeWords[word]
	return op || typ || word == seenWord || word == selfWord || word == undefWord || word == noDst
}
