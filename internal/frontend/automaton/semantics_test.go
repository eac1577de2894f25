package automaton_test

import (
	"fmt"
	"strings"
	"testing"

	"fencepost/internal/engine/explicit"
	"fencepost/internal/frontend/automaton"
	"fencepost/internal/memory"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

// ask is which goals are reached and which classes of checks fail under a model,
// as the explicit engine and the enumerator both say.
func ask(t *testing.T, parse parser, text string, m memory.Model) string {
	t.Helper()
	u, list := parse(source.NewFile("test", []byte(text)), automaton.Options{})
	if u.Program == nil {
		t.Fatalf("%+v", list.All)
	}
	u.Props.Deadlock = true // one more thing the two must agree on
	flat, err := transform.Run(u.Program, transform.Options{Unroll: 8}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := testkit.Ask(&explicit.Engine, flat, u.Props, m, testkit.How{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := testkit.Oracle(flat, u.Props, m)
	if err != nil {
		t.Fatal(err)
	}
	if d := testkit.Difference(want, got); d != "" {
		t.Errorf("%s: the engine and the enumerator differ: %s", m, d)
	}
	var words []string
	for _, g := range got.Goals {
		words = append(words, fmt.Sprint(g))
	}
	for _, c := range got.Checks {
		class, _, _ := strings.Cut(c, "@")
		words = append(words, class)
	}
	return strings.Join(words, " ")
}

// meaning is a program and what happens under SC and TSO.
type meaning struct{ text, sc, tso string }

func check(t *testing.T, parse parser, cases map[string]meaning) {
	t.Helper()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := ask(t, parse, c.text, memory.SC); got != c.sc {
				t.Errorf("sc: %q, want %q", got, c.sc)
			}
			if got := ask(t, parse, c.text, memory.TSO); got != c.tso {
				t.Errorf("tso: %q, want %q", got, c.tso)
			}
		})
	}
}

// TestFarIndex: an index so far off that its address wraps around is noticed.
func TestFarIndex(t *testing.T) {
	cases := map[string]meaning{}
	for _, index := range []string{"1 << 61", "(1 << 61) + 1", "0 - (1 << 61)", "1 << 62", "1 << 63", "1 << 59", "0 - (1 << 59)", "-1", "4"} {
		array := meaning{text: "var a[4]; thread t { reg r; r = " + index + "; a[r] = 1; }", sc: "out-of-bounds", tso: "out-of-bounds"}
		cases["a["+index+"]"] = array
		cell := meaning{text: "memory 4; thread t { reg r; r = " + index + "; mem[r] = 1; r = mem[r]; }", sc: "bad-address", tso: "bad-address"}
		if index == "-1" || index == "4" {
			cell.sc, cell.tso = "", ""
		}
		cases["mem["+index+"]"] = cell
	}
	cases["parts"] = meaning{"var a[4]; thread t { reg r; r = 1 << 62; r = a.word[r + 8]; }", "out-of-bounds", "out-of-bounds"}
	cases["bytes"] = meaning{"var a[4]; thread t { reg r; r = a.byte[r - 1]; }", "out-of-bounds", "out-of-bounds"}
	cases["through &"] = meaning{
		"var a[4] = { 5, 6 }; thread t { reg r, s; r = &a[0]; s = mem[r + 1]; assert s == 6; mem[r + 3] = 1; mem[r + 4] = 1; }", "bad-address", "bad-address",
	}
	cases["bounded"] = meaning{"var a[4]; thread t { reg r; a[r & 3] = 1; mem[r & 7] = 2; }", "", ""}
	check(t, automaton.Parse, cases)
}

func TestTrencherMeaning(t *testing.T) {
	sb := func(between string) string {
		var b strings.Builder
		for i := range 2 {
			fmt.Fprintf(&b, "thread t%d\ninitial a\nfinal e\ntransition a b write 1 %d\n", i, i)
			fmt.Fprintf(&b, "%s\ntransition c d read r %d\ntransition d e check == r 0\nend\n", between, 1-i)
		}
		return b.String()
	}
	check(t, automaton.ParseTrencher, map[string]meaning{
		"store buffering": {sb("transition b c noop"), "", "0"},
		"fenced":          {sb("transition b c mfence"), "", ""},
		"locked":          {sb("transition b b1 lock\ntransition b1 c unlock"), "", ""},
		"two final states": {"thread t\ninitial a\nfinal b\nfinal c\ntransition a c noop\nend\n" +
			"thread u\ninitial a\ntransition a b check 0\nend", "0", "0"},
		"addresses are values": {"thread t\ninitial a\nfinal e\ntransition a b write 7 -3\ntransition b c read r -3\n" +
			"transition c d write 9 r\ntransition d d1 read s 7\ntransition d1 e check == s 9\nend", "0", "0"},
		"far address": {"thread t\ninitial a\ntransition a b local r 2305843009213693952\ntransition b c read s r\nend", "bad-address", "bad-address"},
		"division":    {"thread t\ninitial a\nfinal b\ntransition a b check ! / 1 r\nend", "division-by-zero", "division-by-zero"},
		// While t stops with the memory locked, u cannot read.
		"held": {"thread t\ninitial a\nfinal b\ntransition a b lock\nend\nthread u\ninitial a\nfinal b\ntransition a b read r 0\nend", "0", "0"},
		"held for good": {"thread t\ninitial a\nfinal c\ntransition a b lock\ntransition b c write 1 0\nend\n" +
			"thread u\ninitial a\nfinal c\ntransition a b read r 0\ntransition b c check == r 1\nend", "", ""},
		"lock in lock":        {"thread t\ninitial a\nfinal c\ntransition a b lock\ntransition b c lock\nend", "", ""},
		"unlock without lock": {"thread t\ninitial a\nfinal b\ntransition a b unlock\nend", "", ""},
		"one way with the lock": {"thread t\ninitial a\nfinal c\ntransition a b lock\ntransition a b noop\ntransition b c unlock\nend\n" +
			"thread u\ninitial a\nfinal b\ntransition a b read r 0\nend", "0", "0"},
	})
}

func TestMemoraxMeaning(t *testing.T) {
	sb := func(write string) string {
		return "forbidden C C data x = 0 y = 0 process text " + write + "x := 1; read: y = 0; C: nop process text " + write + "y := 1; read: x = 0; C: nop"
	}
	one := func(data, registers, text string) string {
		if registers != "" {
			registers = " registers " + registers
		}
		return "forbidden A data " + data + " process" + registers + " text " + text + "; A: nop"
	}
	check(t, automaton.ParseMemorax, map[string]meaning{
		"store buffering": {sb("write: "), "", "0"},
		"locked write":    {sb("locked write: "), "", ""},
		"syncwr":          {sb("syncwr: "), "", ""},
		"locked block":    {strings.NewReplacer("L x := 1", "locked { write: x := 1; nop; nop }", "L y := 1", "locked { write: y := 1; nop; nop }").Replace(sb("L ")), "", ""},
		"fence":           {strings.ReplaceAll(sb("write: "), "; read", "; fence; read"), "", ""},
		"cas drains":      {strings.ReplaceAll(strings.Replace(sb("write: "), "y = 0 process", "y = 0 z = 0 process", 1), "; read", "; cas(z, 0, 0); read"), "", ""},

		"write outside":   {one("x = 0 : [0:1]", "$r = 2", "write: x := $r"), "", ""},
		"write inside":    {one("x = 0 : [0:1]", "$r = 1", "write: x := $r"), "0", "0"},
		"assign outside":  {one("x = 0", "$r = 1 : [0:1]", "$r := $r + 1"), "", ""},
		"read outside":    {one("x = 2", "$r = 1 : [0:1]", "read: $r := x"), "", ""},
		"read inside":     {one("x = 2", "$r = 1 : [0:2]", "read: $r := x; assume: $r = 2"), "0", "0"},
		"cas outside":     {one("x = 0 : [0:1]", "$r = 2", "cas(x, 0, $r)"), "", ""},
		"cas differs":     {one("x = 0", "", "cas(x, 1, 0)"), "", ""},
		"cas":             {one("x = 0", "", "cas(x, 0, 5); read: x = 5"), "0", "0"},
		"wait":            {one("x = 0", "", "read: x = 1"), "", ""},
		"pointer":         {one("x = 0 y = 4", "$p = 1 $r = 0", "read: $r := [$p]; assume: $r = 4; write: [$p - 1] := 6; read: x = 6"), "0", "0"},
		"pointer outside": {one("x = 0 y = 4", "$p = 2", "write: [$p] := 0"), "", ""},
		"branches":        {one("x = 0", "$r = 0 : [0:2]", "either { $r := 1 or $r := 2 }; while $r > 1 do $r := $r - 1; assume: $r = 1"), "0", "0"},

		"any variable":         {one("x = * : [3:4]", "", "read: x = 4"), "0", "0"},
		"any variable outside": {one("x = * : [3:4]", "", "read: x = 0"), "", ""},
		"any register":         {one("x = 0", "$r = * : [3:4]", "assume: $r = 4"), "0", "0"},
		"any register outside": {one("x = 0", "$r = * : [3:4]", "assume: $r < 3 || $r > 4"), "", ""},
		"one choice for all":   {"forbidden A A data x = * : [0:1] process text read: x = 0; A: nop process text read: x = 1; A: nop", "", ""},

		"neighbours": {
			"forbidden A A A process data f = 1 text read: f[my] = 1; read: f[0] = 2; read: f[1] = 3; A: nop " +
				"process data f = 2 text read: f[my] = 2; read: f[0] = 1; read: f[1] = 3; A: nop " +
				"process data f = 3 text read: f[my] = 3; read: f[0] = 1; read: f[1] = 2; A: nop", "0", "0",
		},
		"copies": {"forbidden A * B; A A A; * * B data x = 0 process(2) data own = 0 text cas(x, 0, 1); A: write: own[my] := 1; nop " +
			"process text read: own[0] = 1; A: read: own[1] = 1; B: nop", "", ""},
		// A branch of a locked block that blocks is not taken, and what it wrote is
		// never seen.
		"blocked branch": {
			"forbidden A A; * B data x = 0 y = 0 process text locked { write: y := 1; write: x := 2; read: x = 0 or read: x = 0; write: x := 1; write: x := 3 }; A: nop " +
				"process text read: x = 3; A: read: y = 1; B: nop", "0", "0",
		},
		"macros": {
			"forbidden A A macro p(v, w) process text write: v := inc(1); read: w = (inc(inc(1)) - 1); A: nop endmacro " +
				"macro inc(n) n + 1 endmacro data x = 0 y = 0 p(x, y) p(y, x)", "0", "0",
		},
	})
}
