package export

// Words of an exported text: names, types of C, comments.

import (
	"fmt"
	"strings"

	"fencepost/internal/ir"
)

// Namer makes identifiers that are unique in the whole text, because macros have no
// scopes.
type Namer struct{ used map[string]bool }

// NewNamer returns a namer that makes none of the reserved words.
func NewNamer(reserved string) Namer {
	n := Namer{used: map[string]bool{}}
	for _, w := range strings.Fields(reserved) {
		n.used[w] = true
	}
	return n
}

// Name returns a new identifier that resembles s.
func (n *Namer) Name(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' && b.Len() > 0:
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}
	base := strings.Trim(b.String(), "_")
	if base == "" {
		base = "v"
	}
	for i, try := 2, base; ; i++ {
		if !n.used[try] {
			n.used[try] = true
			return try
		}
		try = fmt.Sprintf("%s_%d", base, i)
	}
}

// IntType is the type of C with the values of t.
func IntType(t ir.Type) string {
	if t.Signed {
		return fmt.Sprintf("int%d_t", t.Bits)
	}
	return fmt.Sprintf("uint%d_t", t.Bits)
}

// Comment returns s as one line that cannot end a comment.
func Comment(s string) string {
	s = strings.ReplaceAll(s, "*/", "* /")
	return strings.ReplaceAll(strings.ReplaceAll(s, "\n", " "), "\\", "/")
}
