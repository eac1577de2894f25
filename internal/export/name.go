package export

import (
	"fmt"
	"strings"
)

// namer makes identifiers that are unique in the whole text, because macros have no
// scopes.
type namer struct{ used map[string]bool }

// promelaWords lists the keywords of Promela, names of the C preprocessor, and names that the
// exported text uses for its variables and macros.
const promelaWords = `active assert atomic bit bool break byte c_code c_decl c_expr c_state c_track chan d_step D_proctype
do else empty enabled eval false fi for full get_priority goto hidden if in init inline int len local ltl mtype
nempty never nfull notrace np_ od of pc_value pid printf printm priority proctype provided return run select
set_priority short show skip STDIN timeout trace true typedef unless unsigned xr xs linux unix i386
mem holder over assumed_away running outside_window old_value new_value wrote final goal valid_cell slot_of in_window s e`

// newNamer returns a namer that makes none of the reserved words.
func newNamer(reserved string) namer {
	n := namer{used: map[string]bool{}}
	for _, w := range strings.Fields(reserved) {
		n.used[w] = true
	}
	return n
}

// name returns a new identifier that resembles s.
func (n *namer) name(s string) string {
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
