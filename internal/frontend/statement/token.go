package statement

import "fmt"

// tokenKind is the class of a token. The zero value is unset.
type tokenKind uint8

const (
	_ tokenKind = iota
	TokenEOF
	TokenName
	TokenKeyword
	TokenInt
	TokenString
	TokenPunct
)

func (k tokenKind) String() string {
	switch k {
	case TokenEOF:
		return "end of file"
	case TokenName:
		return "name"
	case TokenKeyword:
		return "keyword"
	case TokenInt:
		return "number"
	case TokenString:
		return "string"
	case TokenPunct:
		return "sign"
	default:
		return fmt.Sprintf("token(%d)", k)
	}
}

// Token is a piece of the input from byte start up to and not including end.
type Token struct {
	Kind       tokenKind
	Text       string // of names, keywords, signs; the contents of strings
	Val        int64  // of numbers
	Start, End int
	Macro      int // 1 + beginning of the macro's body that the text is part of, 0: of none
}

// Is reports whether the token is the given sign or keyword.
func (t Token) Is(text string) bool {
	return (t.Kind == TokenPunct || t.Kind == TokenKeyword) && t.Text == text
}

// String is how messages name the token.
func (t Token) String() string {
	switch t.Kind {
	case TokenEOF:
		return "the end of the file"
	case TokenString:
		return "a string"
	case TokenInt:
		return "a number"
	default:
		return "'" + Clip(t.Text) + "'"
	}
}

// Clip shortens a name for a message.
func Clip(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	return s[:most] + "..."
}

// Words that begin a declaration, a statement, or are reserved otherwise.
var (
	ItemWords = Words("program const var vars domain memory thread goal exists never forall")
	stmtWords = Words("reg goto if while do loop either atomic break continue return release seqcst " +
		"fence mfence sfence skip assume assert await havoc cas xchg fetch_add fetch_sub fetch_and fetch_or fetch_xor mem")
	otherWords = Words("byte half word long regs init begin end else or in with")
)

// Words returns the set of the words in a list with blanks between them.
func Words(list string) map[string]bool {
	m := map[string]bool{}
	for start, i := 0, 0; i <= len(list); i++ {
		if i == len(list) || list[i] == ' ' {
			m[list[start:i]] = true
			start = i + 1
		}
	}
	return m
}

// spelling is the reserved words and signs, so that tokens share their text.
var spelling = func() map[string]string {
	all := map[string]string{}
	for _, list := range []map[string]bool{ItemWords, stmtWords, otherWords, Words(signs)} {
		for w := range list {
			all[w] = w
		}
	}
	return all
}()

// signs are all signs.
const signs = ":= <- <= >= == != && || << >> .. + - * / % & | ^ ~ ! < > = ? : ; , . ( ) { } [ ]"

// shared is text as a string, without a copy where it is a reserved word or sign.
func shared(text []byte) string {
	if s, ok := spelling[string(text)]; ok {
		return s
	}
	return string(text)
}

func isKeyword(s string) bool { return ItemWords[s] || stmtWords[s] || otherWords[s] }
