package analysis

import (
	"testing"

	"fencepost/internal/ir"
)

func TestRounds(t *testing.T) {
	const objects = "program rounds flat\nobject n size 4 init 3\nobject k size 4 init 5 readonly\nobject m size 4\nfunc f(p) {\n reg i, j, t\n"
	tests := []struct {
		name, body string
		limit      int
		want       Rounds
	}{
		{"counting up", "0 -> 1: assume i < 12\n 1 -> 2: fence\n 2 -> 0: i = i + 1\n 0 -> 3: assume i >= 12", 256, Rounds{12, true, false}},
		{"counting down by two", "s -> 0: i = 9\n 0 -> 1: assume i > 0\n 1 -> 2: fence\n 2 -> 0: i = i - 2\n 0 -> 3: assume i <= 0", 256, Rounds{5, true, false}},
		{"nested", "0 -> 4: assume i < 3\n 4 -> 1: assume j < 4\n 1 -> 2: fence\n 2 -> 4: j = j + 1\n 4 -> 5: assume j >= 4\n 5 -> 6: j = 0\n 6 -> 0: i = i + 1\n 0 -> 3: assume i >= 3", 256, Rounds{12, true, false}},
		{"a loop before it", "0 -> 0: j = havoc range 0..9\n 0 -> 4: nop\n 4 -> 1: assume i < 2\n 1 -> 2: fence\n 2 -> 4: i = i + 1", 256, Rounds{2, true, false}},
		{"two ways", "0 -> 5: i = 3\n 0 -> 5: i = 6\n 5 -> 1: assume i\n 1 -> 2: fence\n 2 -> 5: i = i - 1", 256, Rounds{6, true, false}},
		{"a condition that is known in part", "0 -> 1: assume (i < 7) && (p == 0)\n 1 -> 2: fence\n 2 -> 0: i = i + 1", 256, Rounds{7, true, false}},
		{"an unknown condition", "0 -> 1: assume p\n 1 -> 0: fence", 256, Rounds{}},
		{"a parameter", "0 -> 1: assume i < p\n 1 -> 2: fence\n 2 -> 0: i = i + 1", 256, Rounds{}},
		{"above the limit", "0 -> 1: assume i < 12\n 1 -> 2: fence\n 2 -> 0: i = i + 1", 11, Rounds{}},
		{"an object", "s -> 0: t = load.s32 [&n]\n 0 -> 1: assume i < t\n 1 -> 2: fence\n 2 -> 0: i = i + 1", 256, Rounds{3, true, true}},
		{"a constant object", "s -> 0: t = load.s32 [&k]\n 0 -> 1: assume i < t\n 1 -> 2: fence\n 2 -> 0: i = i + 1", 256, Rounds{5, true, false}},
		{"an object after a store", "r -> s: store.s32 [&m] = 7\n s -> 0: t = load.s32 [&m]\n 0 -> 1: assume i < t\n 1 -> 2: fence\n 2 -> 0: i = i + 1", 256, Rounds{7, true, true}},
		{"a block", "q -> r: t = alloc 4\n r -> 0: store.s32 [t] = 0\n 0 -> 4: i = load.s32 [t]\n 4 -> 1: assume i < 4\n 1 -> 2: fence\n 2 -> 5: i = load.s32 [t]\n 5 -> 0: store.s32 [t] = i + 1", 256, Rounds{4, true, true}},
		{"never", "0 -> 1: assume i\n 1 -> 0: fence", 256, Rounds{0, true, false}},
	}
	for _, tt := range tests {
		p, _ := factsOf(t, objects+tt.body+"\n}\nthread f\n", nil)
		f := p.Funcs[0]
		for i := range f.Edges {
			if f.Edges[i].Op.Kind == ir.Fence {
				if got := RoundsOf(p, f, i, tt.limit); got != tt.want {
					t.Errorf("%s: got %+v, want %+v", tt.name, got, tt.want)
				}
			}
		}
	}
}
