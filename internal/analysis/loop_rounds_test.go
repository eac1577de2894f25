package analysis

import (
	"testing"

	"fencepost/internal/ir"
)

// TestLoopRounds: the head of the loop is location 0, and 0 arrivals stand for a number that is not known.
func TestLoopRounds(t *testing.T) {
	const objects = "program rounds flat\nobject n size 4 init 3\nobject k size 4 init 5 readonly\nfunc f(p) {\n reg i, j, t\n"
	for _, tt := range []struct {
		name, body string
		want       int
	}{
		{"counting up", "0 -> 1: assume i < 12\n 1 -> 0: i = i + 1\n 0 -> 3: assume i >= 12", 13},
		{"counting down by two", "s -> 0: i = 9\n 0 -> 1: assume i > 0\n 1 -> 0: i = i - 2\n 0 -> 3: assume i <= 0", 6},
		{"test after the body", "s -> 0: i = 0\n 0 -> 1: i = i + 1\n 1 -> 0: assume i < 5\n 1 -> 3: assume i >= 5", 5},
		{"through another register", "s -> 0: i = 0\n 0 -> 1: t = i < 4\n 1 -> 2: assume t\n 2 -> 0: i = i + 1\n 1 -> 3: assume !t", 5},
		{"a loop inside", "s -> 0: i = 0\n 0 -> 4: assume i < 3\n 4 -> 5: j = 0\n 5 -> 6: assume j < 4\n 6 -> 5: j = j + 1\n 5 -> 7: assume j >= 4\n 7 -> 0: i = i + 1\n 0 -> 3: assume i >= 3", 4},
		{"the inner one", "s -> r: i = 0\n r -> 4: assume i < 3\n 4 -> 0: j = 0\n 0 -> 6: assume j < 4\n 6 -> 0: j = j + 1\n 0 -> 7: assume j >= 4\n 7 -> r: i = i + 1\n r -> 3: assume i >= 3", 5},
		{"leaves early as well", "s -> 0: i = 0\n 0 -> 1: assume i < 6\n 1 -> 2: t = load.s32 [&n]\n 2 -> 3: assume t\n 2 -> 4: assume !t\n 4 -> 0: i = i + 1\n 0 -> 3: assume i >= 6", 7},
		{"two values before", "s -> 0: i = 3\n s -> 0: i = 6\n 0 -> 1: assume i\n 1 -> 0: i = i - 1\n 0 -> 3: assume !i", 0},
		{"a value from memory before", "s -> 0: i = load.s32 [&n]\n 0 -> 1: assume i < 12\n 1 -> 0: i = i + 1\n 0 -> 3: assume i >= 12", 0},
		{"a value from memory inside", "s -> 0: i = 0\n 0 -> 1: assume i < 12\n 1 -> 0: i = load.s32 [&n]\n 0 -> 3: assume i >= 12", 0},
		{"both registers of a choice", "s -> r: i = 0\n r -> 0: t = 1\n 0 -> 1: assume i < 12\n 1 -> 2: t = havoc range 0..1\n 2 -> 0: i = i + t\n 0 -> 3: assume i >= 12", 0},
		{"a limit from memory", "s -> 0: t = load.s32 [&n]\n 0 -> 1: assume i < t\n 1 -> 0: i = i + 1\n 0 -> 3: assume i >= t", 0},
		{"a parameter", "s -> 0: i = 0\n 0 -> 1: assume i < p\n 1 -> 0: i = i + 1\n 0 -> 3: assume i >= p", 0},
		{"an end that is never reached", "s -> 0: i = 0\n 0 -> 1: assume i >= 0\n 1 -> 0: j = j + 1\n 0 -> 3: assume i < 0", 0},
		{"far too often", "s -> 0: i = 0\n 0 -> 1: assume i < 5000\n 1 -> 0: i = i + 1\n 0 -> 3: assume i >= 5000", 0},
	} {
		p, _ := factsOf(t, objects+tt.body+"\n}\nthread f\n", nil)
		f := p.Funcs[0]
		head := ir.Loc(-1)
		for l := range f.Locs {
			if f.Locs[l].Name == "0" {
				head = ir.Loc(l)
			}
		}
		// The inner loop is in the component without the head of the outer one.
		outer := make([]bool, len(f.Locs))
		for l := range f.Locs {
			outer[l] = f.Locs[l].Name == "r"
		}
		comp := Components(f, outer)
		var members []ir.Loc
		for l := range f.Locs {
			if comp[l] == comp[head] {
				members = append(members, ir.Loc(l))
			}
		}
		got, known := LoopRounds(p, f)(head, members)
		if known != (tt.want > 0) || got != tt.want {
			t.Errorf("%s: got %d, %v, want %d", tt.name, got, known, tt.want)
		}
	}
}
