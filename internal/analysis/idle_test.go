package analysis

import (
	"strings"
	"testing"

	"fencepost/internal/ir"
)

func TestIdleLoops(t *testing.T) {
	const regs = "object x\nfunc f {\n reg i, t, s\n"
	tests := []struct{ name, body, want string }{
		{"none", "a -> b: nop", ""},
		{"spin", "a -> b: t = load [&x]\n b -> a: assume t == 0\n b -> e: assume t", "a b"},
		{"count", "a -> b: assume i < 3\n b -> a: i = i + 1\n a -> e: assume i >= 3", ""},
		{"count down", "a -> b: assume i > 0\n b -> a: i = i - 1\n a -> e: assume i == 0", ""},
		{"count in C", "a -> b: assume i <s32 3\n b -> c: t = i\n c -> a: i = t +s32 1\n a -> e: assume i >=s32 3", ""},
		{"a counter that nothing reads", "a -> b: t = load [&x]\n b -> c: i = i + 1\n c -> a: assume t == 0\n c -> e: assume t", "a b c"},
		{"a small counter", "a -> b: assume i <s8 3\n b -> a: i = i +u8 1\n a -> e: assume i >=s8 3", "a b"},
		{"a large step", "a -> b: assume i < 3\n b -> a: i = i + 1099511627776\n a -> e: assume i >= 3", "a b"},
		{"up and down", "a -> b: i = i + 1\n b -> a: i = i - 1\n a -> e: assume i", "a b"},
		{"a counter that is reset", "a -> b: i = i + 1\n b -> a: assume i < 3\n b -> a: i = 0\n b -> e: assume i == 3", "a b"},
		{"a round that does not count", "a -> b: t = load [&x]\n b -> a: assume t\n b -> c: assume !t\n c -> a: i = i + 1\n a -> e: assume i == 3", "a b c"},
		{"a loop in one that counts", "a -> b: i = i + 1\n b -> c: t = load [&x]\n c -> b: assume t\n c -> a: assume i < 3\n c -> e: assume i == 3", "a b c"},
		{"a count in a count", "a -> b: assume i < 3\n b -> c: t = 0\n c -> d: assume t < 3\n d -> c: t = t + 1\n c -> g: assume t >= 3\n g -> a: i = i + 1\n a -> e: assume i >= 3", ""},
		{"a count in a wait", "a -> b: s = load [&x]\n b -> c: t = 0\n c -> d: assume t < 3\n d -> c: t = t + 1\n c -> a: assume t >= 3 && s == 0\n c -> e: assume s", "a b c d"},
		{"count in machine code", "a -> b: assume i < 3\n b -> c: t = i\n c -> d: s = t +u64 8\n d -> a: i = s\n a -> e: assume i >= 3", ""},
		{"a copy that is counted, too", "a -> b: assume i < 3\n b -> c: t = i\n c -> d: i = i + 1\n d -> a: i = t + 1\n a -> e: assume i >= 3", "a b c d"},
		{"a copy, and nothing added", "a -> b: assume i < 3\n b -> c: t = i\n c -> d: s = t - 1\n d -> a: i = s + 1\n a -> e: assume i >= 3", "a b c d"},
		{"a copy by two ways", "a -> b: t = i\n a -> b: t = s\n b -> a: i = t + 1\n a -> e: assume i == 3", "a b"},
	}
	for _, tt := range tests {
		p, _ := factsOf(t, regs+tt.body+"\n}\nthread f\n", nil)
		var got []string
		for l, c := range IdleLoops(p.Funcs[0]) {
			if c >= 0 {
				got = append(got, p.Funcs[0].Locs[ir.Loc(l)].Name)
			}
		}
		if text := strings.Join(got, " "); text != tt.want || MayIdle(p) != (tt.want != "") {
			t.Errorf("%s: got %q, want %q", tt.name, text, tt.want)
		}
	}
}
