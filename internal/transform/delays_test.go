package transform_test

import (
	"fmt"
	"strings"
	"testing"

	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/transform"
)

// TestDelays: the pass removes loops that only count, and what is computed for them alone. Edges are
// given by index: the ones that are gone, and the ones that do nothing any more.
func TestDelays(t *testing.T) {
	const count = "h -> b: assume r < s\n b -> h: r = r + 1\n h -> e: assume r >= s\n "
	tests := []struct{ name, body, want string }{
		{"counts up", "a -> h: r = 0\n " + count, "gone 1, nop 0 2 3"},
		{"counts down", "a -> h: r = 9\n h -> b: assume r > 0\n b -> h: r = r - 1\n h -> e: assume r <= 0", "gone 1, nop 0 2 3"},
		{"until equal", "a -> h: r = 9\n h -> b: assume r != 0\n b -> h: r = r - 1\n h -> e: assume r == 0", "gone 1, nop 0 2 3"},
		{"the counter is on the right", "a -> h: r = 0\n h -> b: assume s > r\n b -> h: r = r + 1\n h -> e: assume s <= r", "gone 1, nop 0 2 3"},
		{"tested before it is changed", "a -> h: r = 9\n h -> b: t = r\n b -> c: r = t - 1\n c -> h: assume t != 0\n c -> e: assume t == 0", "gone 3, nop 0 1 2 4"},
		{"tested after it is changed", "a -> h: r = 0\n h -> b: r = r + 1\n b -> h: assume r < 5\n b -> e: assume r >= 5", "gone 2, nop 0 1 3"},
		{"used afterwards", "a -> h: r = 0\n " + count + "e -> f: store [&x] = r", ""},
		{"the limit is used afterwards", "z -> a: s = load [&x]\n a -> h: r = 0\n " + count + "e -> f: store [&x] = s", "gone 2, nop 1 3 4"},
		{"back-off", "z -> a: s = 4\n a -> i: t = load [&x]\n i -> j: assume t == 0\n j -> h: r = 0\n " + count + "e -> a: s = s + s\n i -> f: assume t != 0", "gone 4, nop 0 3 5 6 7"},
		{"back-off that decides", "z -> a: s = 4\n a -> i: t = load [&x]\n i -> j: assume t == 0\n j -> h: r = 0\n " + count + "e -> a: s = s + s\n i -> f: assume t != 0\n f -> g: assume s == 8", "gone 4, nop 3 5 6"},
		{"back-off with a limit", "z -> a: s = 4\n a -> i: t = load [&x]\n i -> j: assume t == 0\n j -> h: r = 0\n " + count + "e -> k: assume s < 8\n k -> a: s = s + s\n e -> a: assume s >= 8\n i -> f: assume t != 0", "gone 4 7, nop 0 3 5 6 8 9"},
		{"limit that does something", "z -> a: s = 4\n a -> i: t = load [&x]\n i -> j: assume t == 0\n j -> h: r = 0\n " + count + "e -> k: assume s < 8\n k -> l: store [&x] = 1\n l -> a: s = s + s\n e -> a: assume s >= 8\n i -> f: assume t != 0", "gone 4, nop 3 5 6"},
		{"branch without a delay", "a -> b: assume r < 8\n b -> e: s = 1\n a -> e: assume r >= 8", ""},
		{"choice of a pause", "z -> a: s = 0\n a -> i: t = load [&x]\n i -> j: assume t != 0\n i -> f: assume t == 0\n j -> k: assume s < 4\n j -> l: assume s >= 4\n k -> n: assert 1\n l -> m: assume s < 16\n l -> n: assume s >= 16\n m -> n: r = s\n n -> a: s = s + 1", "gone 4 7, nop 0 5 8 10"},
		{"choice of a pause that does something", "z -> a: s = 0\n a -> i: t = load [&x]\n i -> j: assume t != 0\n i -> f: assume t == 0\n j -> k: assume s < 4\n j -> l: assume s >= 4\n k -> n: store [&x] = 1\n l -> n: nop\n n -> a: s = s + 1", ""},
		{"choice of a pause that checks something", "z -> a: s = 0\n a -> i: t = load [&x]\n i -> j: assume t != 0\n i -> f: assume t == 0\n j -> k: assume s < 4\n j -> l: assume s >= 4\n k -> n: assert s != 2\n l -> n: nop\n n -> a: s = s + 1", ""},
		{"choice that may wait", "z -> a: s = 0\n a -> i: t = load [&x]\n i -> j: assume t != 0\n i -> f: assume t == 0\n j -> k: assume s < 4\n j -> l: assume s >= 4\n k -> n: assume s == 0\n l -> n: nop\n n -> a: s = s + 1", ""},
		{"choice with a delay", "z -> a: s = 0\n a -> i: t = load [&x]\n i -> j: assume t != 0\n i -> f: assume t == 0\n j -> k: assume s < 4\n j -> h: assume s >= 4\n k -> e: nop\n h -> b: assume r < s\n b -> h: r = r + 1\n h -> e: assume r >= s\n e -> a: s = s + 1", "gone 4 7, nop 0 5 8 9 10"},
		{"choice with a loop that may not end", "z -> a: s = 0\n a -> i: t = load [&x]\n i -> j: assume t != 0\n i -> f: assume t == 0\n j -> k: assume s < 4\n j -> h: assume s >= 4\n k -> e: nop\n h -> b: assume r < s\n b -> h: r = r - 1\n h -> e: assume r >= s\n e -> a: s = s + 1", ""},
		{"variable with an address", "a -> h: store [&y] = 0\n h -> b: r = load [&y]\n b -> c: assume r < s\n c -> d: r = load [&y]\n d -> h: store [&y] = r + 1\n b -> e: assume r >= s", "gone 2, nop 0 1 3 4 5"},
		{"two threads have the variable", "a -> h: store [&x] = 0\n h -> b: r = load [&x]\n b -> c: assume r < s\n c -> d: r = load [&x]\n d -> h: store [&x] = r + 1\n b -> e: assume r >= s", ""},
		{"the address is known", "z -> a: t = &y\n a -> h: store [&y] = 0\n h -> b: r = load [&y]\n b -> c: assume r < s\n c -> d: r = load [&y]\n d -> h: store [&y] = r + 1\n b -> e: assume r >= s\n e -> f: store [&x] = t", ""},
		{"waits", "a -> h: r = load [&x]\n h -> b: assume r < s\n b -> h: r = load [&x]\n h -> e: assume r >= s", ""},
		{"does something", "a -> h: r = 0\n h -> b: assume r < s\n b -> c: store [&x] = 1\n c -> h: r = r + 1\n h -> e: assume r >= s", ""},
		{"checks something", "a -> h: r = 0\n h -> b: assume r < s\n b -> c: assert r != 3\n c -> h: r = r + 1\n h -> e: assume r >= s", ""},
		{"another exit", "a -> h: r = 0\n " + count + "b -> f: assume r == 3", ""},
		{"may not end: counts away", "a -> h: r = 0\n h -> b: assume r < s\n b -> h: r = r - 1\n h -> e: assume r >= s", ""},
		{"may not end: last number", "a -> h: r = 0\n h -> b: assume r <= s\n b -> h: r = r + 1\n h -> e: assume r > s", ""},
		{"may not end: the limit grows", "a -> h: r = 0\n h -> b: assume r < s\n b -> c: r = r + 1\n c -> h: s = s + 1\n h -> e: assume r >= s", ""},
		{"may not end: steps of two", "a -> h: r = 9\n h -> b: assume r != 0\n b -> h: r = r - 2\n h -> e: assume r == 0", ""},
		{"may not end: wraps below the limit", "a -> h: r = 0\n h -> b: assume r <s32 300\n b -> h: r = r +u8 1\n h -> e: assume r >=s32 300", ""},
		{"may not end: a limit outside the type", "z -> a: s = load [&x]\n a -> h: r = 0\n h -> b: assume r <u8 s\n b -> h: r = r +u8 1\n h -> e: assume r >=u8 s", ""},
		{"a limit of the type", "z -> a: s = load.u8 [&x]\n a -> h: r = 0\n h -> b: assume r <u8 s\n b -> h: r = r +u8 1\n h -> e: assume r >=u8 s", "gone 2, nop 1 3 4"},
		{"constant last number", "a -> h: r = 0\n h -> b: assume r <=u8 254\n b -> h: r = r +u8 1\n h -> e: assume r >u8 254", "gone 1, nop 0 2 3"},
		{"may not end: constant last number", "a -> h: r = 0\n h -> b: assume r <=u8 255\n b -> h: r = r +u8 1\n h -> e: assume r >u8 255", ""},
	}
	for _, tt := range tests {
		text := "program test flat\nobject x size 8\nobject y size 8\nfunc f() {\n reg r\n reg s\n reg t\n " + tt.body + "\n}\n" +
			"func g() {\n a -> b: store [&x] = 5\n}\nthread f = f()\nthread g = g()\n"
		p, diags := irtext.Parse("test.ir", []byte(text))
		if diags.HasErrors() {
			t.Fatalf("%s: %v", tt.name, diags.All)
		}
		out := pass(t, p, "delays", transform.Options{})
		left := map[ir.EdgeID]ir.OpKind{}
		for i := range out.Funcs[0].Edges {
			left[out.Funcs[0].Edges[i].ID] = out.Funcs[0].Edges[i].Op.Kind
		}
		got := ""
		for what, is := range map[string]func(*ir.Edge) bool{
			"gone": func(e *ir.Edge) bool { _, ok := left[e.ID]; return !ok },
			"nop":  func(e *ir.Edge) bool { k, ok := left[e.ID]; return ok && k == ir.Nop && e.Op.Kind != ir.Nop },
		} {
			for i := range p.Funcs[0].Edges {
				if is(&p.Funcs[0].Edges[i]) {
					what += fmt.Sprint(" ", i)
				}
			}
			if strings.HasPrefix(what, "gone ") {
				got = what + got
			} else if strings.HasPrefix(what, "nop ") {
				got += ", " + what
			}
		}
		if got != tt.want {
			t.Errorf("%s: got %q, want %q\n%s", tt.name, got, tt.want, irtext.Print(out))
		}
		if out := pass(t, p, "delays", transform.Options{Observed: true}); irtext.Print(out) != irtext.Print(p) {
			t.Errorf("%s: something that is observed was removed", tt.name)
		}
	}
}

// pass runs one pass.
func pass(t *testing.T, p *ir.Program, name string, opt transform.Options) *ir.Program {
	t.Helper()
	for _, pass := range transform.Passes {
		if pass.Name == name {
			out, err := pass.Run(p, opt)
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
	}
	t.Fatalf("no pass %s", name)
	return nil
}
