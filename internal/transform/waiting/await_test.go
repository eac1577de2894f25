package waiting_test

import (
	"fmt"
	"strings"
	"testing"

	"fencepost/internal/ir/irtext"
	"fencepost/internal/transform/waiting"
)

// TestAwaitLoops: the pass redirects the idle back edges, given by index, and no others.
func TestAwaitLoops(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{"spin", "h -> b: r = load [&x]\n b -> h: assume r == 0\n b -> e: assume r != 0", "1"},
		{"counter", "h -> b: r = load [&x]\n b -> c: s = s + 1\n c -> h: assume r == 0\n c -> e: assume r != 0\n e -> f: store [&x] = s", ""},
		{"value of an earlier round", "a -> h: nop\n h -> b: store [&x] = s\n b -> h: s = load [&x]", ""},
		{"what is read matters at the head", "h -> b: r = load [&x]\n b -> h: assume r == 0\n h -> e: assume r == 7", ""},
		{"store", "h -> b: r = load [&x]\n b -> c: store [&x] = 1\n c -> h: assume r == 0\n c -> e: assume r != 0", ""},
		{"exchange", "h -> b: r = rmw.xchg [&x], 1\n b -> h: assume r != 0\n b -> e: assume r == 0", ""},
		{"compare-exchange that failed", "h -> b: r = rmw.cas [&x], 0, 1\n b -> h: assume r != 0\n b -> e: assume r == 0", "1"},
		{"compare-exchange of something read", "h -> a: s = load [&x]\n a -> b: r = rmw.cas [&x], s, 1\n b -> h: assume r != s\n b -> e: assume r == s", "2"},
		{"compare-exchange that may succeed", "h -> b: r = rmw.cas [&x], 0, 1\n b -> h: assume r < 5\n b -> e: assume r >= 5", ""},
		{"trylock", "h -> b: r = trylock.normal [&x]\n b -> h: assume r != 0\n b -> e: assume r == 0", "1"},
		{"inlined call that stores if it succeeds",
			"h -> b: r = load [&x]\n b -> c: assume r == 0\n c -> m: s = 0\n b -> d: assume r != 0\n d -> g: store [&x] = 5\n g -> m: s = 1\n m -> h: assume s == 0\n m -> e: assume s != 0", "6"},
		{"idle round of a busy loop", "h -> b: r = load [&x]\n b -> h: assume r != 0\n b -> c: assume r == 0\n c -> h: store [&x] = 1", "1"},
		{"nested", "h -> b: r = load [&x]\n b -> c: s = load [&x]\n c -> b: assume s != 0\n c -> d: assume s == 0\n d -> h: assume r != 0\n d -> e: assume r == 0", "2 4"},
		{"loop with a constant bound inside",
			"h -> i: s = 0\n i -> j: assume s < 3\n j -> k: r = load [&x]\n k -> l: assume r == 0\n l -> i: s = s + 1\n k -> h: assume r != 0\n i -> e: assume s >= 3", "5"},
		{"two entries", "a -> h: nop\n a -> b: nop\n h -> b: r = load [&x]\n b -> h: assume r == 0\n b -> e: assume r != 0", ""},
		{"dead code into the loop", "h -> b: r = load [&x]\n b -> h: assume r != 0\n u -> b: store [&x] = 1", "1"},
		{"section that only reads", "h -> a: atomicbegin\n a -> b: r = load [&x]\n b -> c: atomicend\n c -> h: assume r == 0\n c -> e: assume r != 0", "3"},
		{"swapped registers", "h -> a: t = r\n a -> b: r = s\n b -> c: s = t\n c -> h: nop\n h -> e: store [&x] = r - s", ""},
		{"registers put back", "h -> a: t = r\n a -> b: r = load [&x]\n b -> c: assume r == 0\n c -> h: r = t\n h -> e: store [&x] = r", "3"},
	}
	for _, tt := range tests {
		p, diags := irtext.Parse("test.ir", []byte("program test flat\nobject x size 8\nfunc f() {\n reg r\n reg s\n reg t\n "+tt.body+"\n}\nthread f = f()\n"))
		if diags.HasErrors() {
			t.Fatalf("%s: %v", tt.name, diags.All)
		}
		before := irtext.Print(p)
		out := waiting.Await(p, nil)
		if irtext.Print(p) != before {
			t.Errorf("%s: the pass changed its argument", tt.name)
		}
		var bent []string
		for i := range p.Funcs[0].Edges {
			old, now := &p.Funcs[0].Edges[i], &out.Funcs[0].Edges[i]
			if old.ID != now.ID || old.From != now.From {
				t.Errorf("%s: edge %d became something else", tt.name, i)
			}
			if old.To != now.To {
				bent = append(bent, fmt.Sprint(i))
			}
		}
		if got := strings.Join(bent, " "); got != tt.want {
			t.Errorf("%s: got %q, want %q\n%s", tt.name, got, tt.want, irtext.Print(out))
		}
	}
}
