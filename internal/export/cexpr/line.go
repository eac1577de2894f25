package cexpr

// Lines, strings and reserved words of C.

import (
	"fmt"
	"strings"

	"fencepost/internal/ir"
)

// Words lists names that mean something else in the text.
const Words = `auto break case char const continue default do double else enum extern float for goto if inline int long register
restrict return short signed sizeof static struct switch typedef union unsigned void volatile while main assert exit divide
remainder_of choice threads mem seen wanted linux unix i386 asm typeof errno stdin stdout stderr pthread_t int64_t uint64_t
div abs y0 y1 yn j0 j1 jn index read write open close link time clock signal remove rename rand wait pause sleep log exp pow sin cos tan`

// Line is a line of a function, or the label of a location.
type Line struct {
	Text  string
	Label bool
	Loc   ir.Loc
}

// Quote returns a string literal.
func Quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range []byte(s) {
		switch {
		case r == '"' || r == '\\' || r == '?' || r < ' ' || r > '~':
			fmt.Fprintf(&b, "\\%03o", r)
		default:
			b.WriteByte(r)
		}
	}
	return b.String() + `"`
}
