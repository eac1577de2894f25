package testkit

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// ChoiceProgram returns a random program, as ir, of threads that choose among operations, some of which are possible only before what
// other threads do: locks, joins, and spawns of threads that others can start. Threads a and b exist from the beginning.
func ChoiceProgram(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 2))
	operation := func() string {
		switch k := r.IntN(24); {
		case k < 6:
			return "h = spawn {" + []string{"c", "d", "c, d", "d, c"}[r.IntN(4)] + "}()"
		case k < 9:
			return fmt.Sprintf("join %d", r.IntN(4))
		case k < 12:
			return "lock [&m]"
		case k < 14:
			return "unlock.errorcheck [&m]"
		case k < 15:
			return "h = trylock [&m]"
		case k < 18:
			return fmt.Sprintf("store [&x] = %d", 1+r.IntN(2))
		case k < 20:
			return "h = load [&x]"
		case k < 21:
			return "h = await [&x] when (seen != 0)"
		case k < 22:
			return "fence"
		default:
			return "nop"
		}
	}
	var text strings.Builder
	text.WriteString("program choices flat\nobject x size 8\nobject m size 8\n")
	for _, name := range []string{"a", "b", "c", "d"} {
		fmt.Fprintf(&text, "func %s() {\n  reg h\n", name)
		n := 1 + r.IntN(2)
		if name < "c" {
			n += r.IntN(2)
		}
		for i := range n {
			for k := range 1 + r.IntN(3) {
				op := operation()
				if r.IntN(6) > 0 {
					fmt.Fprintf(&text, "  L%d -> L%d: %s\n", i, i+1, op)
					continue
				}
				fmt.Fprintf(&text, "  L%d -> A%d%d: %s\n  A%d%d -> L%d: assert (h == %d)\n", i, i, k, op, i, k, i+1, r.IntN(4))
			}
		}
		text.WriteString("}\n")
	}
	text.WriteString("thread a = a()\nthread b = b()\nthread c = c() spawned\nthread d = d() spawned\n")
	return text.String()
}
