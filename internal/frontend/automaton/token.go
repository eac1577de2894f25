package automaton

import "fmt"

// tokenKind is the class of a token. The zero value is unset.
type tokenKind uint8

const (
	_ tokenKind = iota
	tEOF
	tName
	tKeyword
	tInt
	tString
	tPunct
)

func (k tokenKind) String() string {
	switch k {
	case tEOF:
		return "end of file"
	case tName:
		return "name"
	case tKeyword:
		return "keyword"
	case tInt:
		return "number"
	case tString:
		return "string"
	case tPunct:
		return "sign"
	default:
		return fmt.Sprintf("token(%d)", k)
	}
}

// token is a piece of the input from byte start up to and not including end.
type token struct {
	kind       tokenKind
	text       string // of names, keywords, signs; the contents of strings
	val        int64  // of numbers
	start, end int
	macro      int // 1 + beginning of the macro's body that the text is part of, 0: of none
}

// is reports whether the token is the given sign or keyword.
func (t token) is(text string) bool {
	return (t.kind == tPunct || t.kind == tKeyword) && t.text == text
}

// String is how messages name the token.
func (t token) String() string {
	switch t.kind {
	case tEOF:
		return "the end of the file"
	case tString:
		return "a string"
	case tInt:
		return "a number"
	default:
		return "'" + clip(t.text) + "'"
	}
}

// clip shortens a name for a message.
func clip(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	return s[:most] + "..."
}

// Words that begin a declaration, a statement, or are reserved otherwise.
var (
	itemWords = words("program const var vars domain memory thread goal exists never forall")
	stmtWords = words("reg goto if while do loop either atomic break continue return release seqcst " +
		"fence mfence sfence skip assume assert await havoc cas xchg fetch_add fetch_sub fetch_and fetch_or fetch_xor mem")
	otherWords = words("byte half word long regs init begin end else or in with")
)

func words(list string) map[string]bool {
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
	for _, list := range []map[string]bool{itemWords, stmtWords, otherWords, words(signs)} {
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

func isKeyword(s string) bool { return itemWords[s] || stmtWords[s] || otherWords[s] }
