package transform_test

import (
	"testing"

	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/transform"
)

// TestClocks: a clock keeps one time exactly if no operation but copies and computations uses what it
// shows, through registers or memory.
func TestClocks(t *testing.T) {
	const pick = "a -> b: r = havoc.timed range 0..2\n b -> c: assume r < 2\n b -> z: assume r >= 2\n "
	tests := []struct {
		name, body string
		matters    bool
	}{
		{"unused", "", false},
		{"computed with", "c -> d: s = r * 8\n d -> e: s = s + s", false},
		{"decides", "c -> d: s = r * 8\n d -> e: assume s > 3\n d -> f: assume s <= 3", true},
		{"the register is used again", "c -> d: s = r * 8\n d -> e: s = load [&x]\n e -> f: assume s > 3\n e -> g: assume s <= 3", false},
		{"the register is used again on one path", "c -> d: s = r * 8\n d -> e: s = 1\n d -> e: nop\n e -> f: assume s > 3", true},
		{"checked", "c -> d: assert r < 2", true},
		{"address", "c -> d: s = load [&x + r]", true},
		{"stored and not read", "c -> d: store [&x] = r", false},
		{"stored and copied", "c -> d: store [&x] = r\n d -> e: s = load [&x]\n e -> f: store [&y] = s", false},
		{"stored and decides", "c -> d: store [&x] = r\n d -> e: s = load [&x]\n e -> f: assume s > 3", true},
		{"stored for another thread", "c -> d: store [&w] = r", true},
		{"stored to memory that is not known", "c -> d: s = load [&y]\n d -> e: store [s] = r", true},
		{"read through memory that is not known", "c -> d: store [&x] = r\n d -> e: s = load [&y]\n e -> f: s = load [s]\n f -> g: assume s > 3", false},
		{"read by a pointer in memory", "c -> d: store [&x] = r\n d -> e: store [&y] = &x\n e -> f: s = load [&y]\n f -> g: s = load [s]\n g -> h: assume s > 3", true},
		{"read by a pointer that was in memory", "c -> d: store [&v] = r\n d -> e: s = load [&y]\n e -> f: s = load [s]\n f -> g: assume s > 3", true},
		{"compared in memory", "c -> d: store [&x] = r\n d -> e: s = rmw.cas [&x], 0, 1 seq_cst fail seq_cst", true},
		{"added in memory", "c -> d: rmw.add [&x], r", true},
		{"observed", "c -> d: store [&o] = r", true},
	}
	for _, tt := range tests {
		text := "program test flat\nobject x size 8\nobject y size 8\nobject w size 8\nobject o size 8\nobject v size 8 addr 0x40000\nobject u size 8 init 262144\nfunc f() {\n reg r\n reg s\n " + pick + tt.body + "\n}\n" +
			"func g() {\n reg t\n a -> b: t = load [&w]\n b -> c: assume t > 3\n}\nthread f = f()\nthread g = g()\n"
		p, diags := irtext.Parse("test.ir", []byte(text))
		if diags.HasErrors() {
			t.Fatalf("%s: %v", tt.name, diags.All)
		}
		out := pass(t, p, "clocks", transform.Options{Objects: []ir.ObjectID{3}})
		want := int64(0)
		if tt.matters {
			want = 2
		}
		if got := out.Funcs[0].Edges[0].Op.Range.Hi; got != want {
			t.Errorf("%s: the clock shows times up to %d, want %d", tt.name, got, want)
		}
	}
}
