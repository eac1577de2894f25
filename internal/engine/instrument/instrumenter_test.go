package instrument_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/instrument"
	"fencepost/internal/testkit"
)

const twoThreads = "\nthread p = p()\nthread q = q()\n"

// TestAttacks: fences and addresses rule out the expected pairs [BDM13 §8].
func TestAttacks(t *testing.T) {
	for _, c := range []struct {
		name, p              string
		asked, fenced, apart int
	}{
		{"plain", "a -> b: store [&x] = 1\n b -> c: r = load [&y]", 1, 0, 0},
		{"fenced", "a -> b: store [&x] = 1\n b -> f: fence.full\n f -> c: r = load [&y]", 0, 1, 0},
		{"one way is not fenced", "a -> b: store [&x] = 1\n b -> f: fence.full\n b -> f: nop\n f -> c: r = load [&y]", 1, 0, 0},
		{"own place", "a -> b: store [&x] = 1\n b -> c: r = load [&x]", 0, 0, 1},
		{"a part of the own place", "a -> b: store.u8 [&y] = 1\n b -> c: r = load [&y]", 1, 0, 0},
		{"a part of what it stored", "a -> b: store [&y] = 1\n b -> c: r = load.u8 [(&y+7)]", 0, 0, 1},
		{"a byte more than it stored", "a -> b: store.u8 [&y] = 1\n b -> c: r = load.u8 [(&y+1)]", 1, 0, 0},
		{"no other thread writes the loaded bytes", "a -> b: store [&x] = 1\n b -> c: r = load [&z]", 0, 0, 1},
		{"no other thread accesses the stored bytes", "a -> b: store [&z] = 1\n b -> c: r = load [&y]", 0, 0, 1},
		{"load first", "a -> b: r = load [&y]\n b -> c: store [&x] = 1", 0, 1, 0},
		{"in a loop", "a -> b: r = load [&y]\n b -> a: store [&x] = 1", 1, 0, 0},
	} {
		flat := testkit.FlatIR(t, "func p() {\n reg r\n "+c.p+"\n}\nfunc q() {\n reg s\n a -> b: rmw.xchg [&y], 1 seq_cst\n b -> c: s = load [&x]\n}"+twoThreads)
		got := listed(t, flat)
		if len(got.Attacks) != c.asked || got.Fenced != c.fenced || got.Apart != c.apart {
			t.Errorf("%s: %d asked, %d fenced, %d apart", c.name, len(got.Attacks), got.Fenced, got.Apart)
		}
	}
}

// TestInstrumentationIsLinear: the number of edges of the instrumented program grows
// linearly with the program [BDM13 §5].
func TestInstrumentationIsLinear(t *testing.T) {
	size := func(n int) int {
		var b strings.Builder
		for _, name := range []string{"p", "q"} {
			fmt.Fprintf(&b, "func %s() {\n reg r\n", name)
			for i := range n {
				fmt.Fprintf(&b, " a%d -> b%d: store [&x] = 1\n b%d -> c%d: r = load [&y]\n c%d -> d%d: rmw.cas [&x], 0, 1 seq_cst fail seq_cst\n", i, i, i, i, i, i)
				fmt.Fprintf(&b, " d%d -> e%d: atomicbegin\n e%d -> f%d: store [&y] = r\n f%d -> a%d: atomicend\n", i, i, i, i, i, i+1)
			}
			b.WriteString("}\n")
		}
		flat := testkit.FlatIR(t, b.String()+twoThreads)
		in, err := instrument.NewInstrumenter(flat, instrument.Options{})
		if err != nil {
			t.Fatal(err)
		}
		inst, err := in.Attack(listed(t, flat).Attacks[0])
		if err != nil {
			t.Fatal(err)
		}
		return int(inst.Program.NextEdge)
	}
	one, two, four := size(10), size(20), size(40)
	if two-one <= 0 || four-two != 2*(two-one) {
		t.Errorf("%d, %d, %d edges for 10, 20, 40 rounds", one, two, four)
	}
}

// TestInstrumentationRefuses: an unsupported operation is reported with its position.
func TestInstrumentationRefuses(t *testing.T) {
	flat := testkit.FlatIR(t, "func p() {\n a -> b: free [&x] @f.c:3:5-3:9\n}\nthread p = p()\n")
	_, err := instrument.NewInstrumenter(flat, instrument.Options{})
	if u := (*engine.Unsupported)(nil); !errors.As(err, &u) || u.Pos.Line != 3 || u.What != "instrumentation does not take free" {
		t.Errorf("%v", err)
	}
}
