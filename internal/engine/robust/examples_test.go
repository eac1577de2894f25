package robust_test

import (
	"testing"

	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/transform"
)

// Sections are one node of the trace: two programs that a literal reading of
// [BDM13 Lemma 3] gets wrong, and relatives of them.
func TestSections(t *testing.T) {
	for _, c := range []struct {
		name, q string
		robust  bool
	}{
		{"store, load", "b -> c: store [&y] = 1\n c -> d: s = load [&x]\n d -> e: atomicend", false},
		{"load, store", "b -> c: s = load [&x]\n c -> d: store [&y] = 1\n d -> e: atomicend", false},
		{"store only", "b -> c: store [&y] = 1\n c -> e: atomicend", true},
		{"load only", "b -> c: s = load [&x]\n c -> e: atomicend", true},
		{"elsewhere", "b -> c: store [&z] = 1\n c -> d: s = load [&x]\n d -> e: atomicend", true},
	} {
		text := `
program p structured
object x size 8
object y size 8
object z size 8
func p() {
  reg r
  a -> b: store [&x] = 1
  b -> c: r = load [&y]
}
func q() {
  reg s
  a -> b: atomicbegin
  ` + c.q + `
}
thread p = p()
thread q = q()
`
		p, diags := irtext.Parse("test.ir", []byte(text))
		if diags.HasErrors() {
			t.Fatal(diags.All)
		}
		flat, err := transform.Run(p, transform.Options{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(attacks(t, flat, memory.TSO, false)) == 0; got != c.robust {
			t.Errorf("%s: robust %v, want %v", c.name, got, c.robust)
		}
	}
}

// Small programs by hand, one rule each.
func TestRules(t *testing.T) {
	for _, c := range []struct {
		name, p, q string
		robust     bool
	}{
		{"store buffering", "a -> b: store [&x] = 1\n b -> c: r = load [&y]", "a -> b: store [&y] = 1\n b -> c: s = load [&x]", false},
		{"one fence is not enough", "a -> b: store [&x] = 1\n b -> f: fence.full\n f -> c: r = load [&y]", "a -> b: store [&y] = 1\n b -> c: s = load [&x]", false},
		{"two fences", "a -> b: store [&x] = 1\n b -> f: fence.full\n f -> c: r = load [&y]", "a -> b: store [&y] = 1\n b -> f: fence.full\n f -> c: s = load [&x]", true},
		{"exchange drains", "a -> b: rmw.xchg [&x], 1 seq_cst\n b -> c: r = load [&y]", "a -> b: rmw.xchg [&y], 1 seq_cst\n b -> c: s = load [&x]", true},
		{"failed compare-exchange drains", "a -> b: store [&x] = 1\n b -> f: rmw.cas [&z], 7, 8 seq_cst fail seq_cst\n f -> c: r = load [&y]",
			"a -> b: store [&y] = 1\n b -> f: rmw.cas [&z], 7, 8 seq_cst fail seq_cst\n f -> c: s = load [&x]", true},
		{"message passing", "a -> b: store [&x] = 1\n b -> c: store [&y] = 1", "a -> b: s = load [&y]\n b -> c: s = load [&x]", true},
		{"forwarding alone", "a -> b: store [&x] = 1\n b -> c: r = load [&x]", "a -> b: store [&x] = 2", true},
		{"a sleep set would lose it", "a -> b: store [&x] = 1\n b -> c: r = load [&y]", "a -> b: store [&z] = 1\n b -> c: store [&y] = 1\n c -> d: s = load [&x]", false},
	} {
		p, diags := irtext.Parse("test.ir", []byte("program p structured\nobject x size 8\nobject y size 8\nobject z size 8\nfunc p() {\n reg r\n "+
			c.p+"\n}\nfunc q() {\n reg s\n "+c.q+"\n}\nthread p = p()\nthread q = q()\n"))
		if diags.HasErrors() {
			t.Fatal(c.name, diags.All)
		}
		flat, err := transform.Run(p, transform.Options{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(attacks(t, flat, memory.TSO, false)) == 0; got != c.robust {
			t.Errorf("%s: robust %v, want %v", c.name, got, c.robust)
		}
	}
}

// All feasible attacks of store buffering are its two.
func TestAllAttacks(t *testing.T) {
	p, _ := irtext.Parse("test.ir", []byte(`
program sb structured
object x size 8
object y size 8
func p() {
  reg r
  a -> b: store [&x] = 1
  b -> c: r = load [&y]
}
func q() {
  reg s
  a -> b: store [&y] = 1
  b -> c: s = load [&x]
}
thread p = p()
thread q = q()
`))
	flat, err := transform.Run(p, transform.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := attacks(t, flat, memory.TSO, true); len(got) != 2 {
		t.Errorf("%d attacks, want 2", len(got))
	}
}
