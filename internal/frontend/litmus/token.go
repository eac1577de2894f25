package litmus

import "fmt"

// tokenKind is the class of a token. The zero value is unset.
type tokenKind uint8

const (
	_ tokenKind = iota
	tEOF
	tName
	tInt
	tPunct
)

func (k tokenKind) String() string {
	switch k {
	case tEOF:
		return "end of file"
	case tName:
		return "name"
	case tInt:
		return "number"
	case tPunct:
		return "sign"
	default:
		return fmt.Sprintf("token(%d)", k)
	}
}

// token is a piece of the input from byte start up to and not including end.
type token struct {
	kind       tokenKind
	text       string // of names and signs
	val        int64  // of numbers
	start, end int
}

// is reports whether the token is the given sign.
func (t token) is(sign string) bool { return t.kind == tPunct && t.text == sign }

// word reports whether the token is the given name.
func (t token) word(name string) bool { return t.kind == tName && t.text == name }

// describe is how messages call the token.
func (t token) describe() string {
	switch t.kind {
	case tEOF:
		return "the end of the file"
	case tInt:
		return fmt.Sprintf("number %d", t.val)
	default:
		return "'" + clip(t.text) + "'"
	}
}

// clip shortens names for messages.
func clip(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	return s[:most] + "..."
}
