package automaton_test

import (
	"strings"
	"testing"

	"fencepost/internal/engine/explicit"
	"fencepost/internal/frontend/automaton"
	"fencepost/internal/memory"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

// finals is the final states of a program under SC.
func finals(t *testing.T, text string) string {
	t.Helper()
	u, list := automaton.Parse(source.NewFile("test", []byte(text)), automaton.Options{})
	if u.Program == nil {
		t.Fatalf("%+v", list.All)
	}
	flat, err := transform.Run(u.Program, transform.Options{Unroll: 8}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := testkit.Ask(&explicit.Engine, flat, u.Props, memory.SC, testkit.How{})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(append(got.Finals, got.Checks...), "; ")
}

// TestDeadCode: a jump leads where it leads also if something stands after it, and
// a thread that jumps in a circle has not ended.
func TestDeadCode(t *testing.T) {
	for body, want := range map[string]string{
		"loop { continue; skip; } x = 1;":                                         "",
		"loop { continue; } x = 1;":                                               "",
		"L: if (1) { goto L; skip; } x = 1;":                                      "",
		"L: if (0) skip; else { goto L; skip; } x = 1;":                           "",
		"L: { goto L; skip; } x = 1;":                                             "",
		"L: goto L; skip; x = 1;":                                                 "",
		"while (1) { continue; skip; } x = 1;":                                    "",
		"while (x == 0) { continue; skip; } x = 1;":                               "",
		"do { continue; skip; } while (1); x = 1;":                                "",
		"do { continue; skip; } while (x == 0); x = 1;":                           "",
		"loop { loop { break; skip; } }":                                          "",
		"loop { do { break; skip; } while (1); }":                                 "",
		"loop { while (1) { break; skip; } skip; }":                               "",
		"loop { if (1) { continue; skip; } break; }":                              "",
		"loop { either { continue; skip; } or { continue; x = 2; } x = 3; }":      "",
		"L: either { goto L; skip; } or { goto L; skip; }":                        "",
		"atomic { loop { continue; skip; } } x = 1;":                              "",
		"atomic { L: if (1) { goto L; skip; } x = 2; } x = 1;":                    "",
		"loop { either { continue; skip; } or { break; skip; } } x = 1;":          "x=1",
		"do { continue; skip; } while (0); x = 1;":                                "x=1",
		"do { break; x = 2; } while (1); x = 1;":                                  "x=1",
		"loop { break; x = 2; } x = 1;":                                           "x=1",
		"while (1) { break; x = 2; } x = 1;":                                      "x=1",
		"while (x == 0) { break; x = 2; } x = 1;":                                 "x=1",
		"while (0) { continue; x = 2; } x = 1;":                                   "x=1",
		"return; x = 1;":                                                          "x=0",
		"if (1) { return; x = 2; } x = 1;":                                        "x=0",
		"if (x == 0) { return; x = 2; } x = 1;":                                   "x=0",
		"either { return; x = 2; } or { skip; return; x = 3; } x = 1;":            "x=0",
		"loop { return; x = 2; }":                                                 "x=0",
		"goto L; x = 2; L: x = 1;":                                                "x=1",
		"goto L; M: x = 2; goto N; L: goto M; x = 3; N:":                          "x=2",
		"if (1) { goto L; M: x = 2; goto N; } L: goto M; x = 3; N:":               "x=2",
		"atomic { goto L; x = 2; L: } x = x + 1;":                                 "x=1",
		"atomic { if (1) { goto L; x = 2; } x = 3; L: x = x + 4; } x = x + 1;":    "x=5",
		"loop { if (x == 0) { x = 1; continue; x = 2; } break; x = 3; } x = x+4;": "x=5",
	} {
		if got := finals(t, "var x; thread t { "+body+" }"); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}

// TestShortCircuit: a place that && || ?: skip is not read, in conditions that are
// tested in one step, too.
func TestShortCircuit(t *testing.T) {
	const bad = "out-of-bounds"
	for body, want := range map[string]string{
		"await i < 2 && a[i] == 0;":                                          "",
		"await i >= 2 && a[i] == 0;":                                         bad,
		"await i >= 2 || a[i] == 1; r = 1;":                                  "r=1",
		"await i < 2 || a[i] == 1;":                                          bad,
		"await i < 2 ? a[i] == 1 : i == 5; r = 1;":                           "r=1",
		"await i < 2 ? a[i] == 1 : i == 4;":                                  "",
		"await i == 5 ? a[i] == 1 : 1;":                                      bad,
		"await !(i < 2 && a[i] == 0); r = 1;":                                "r=1",
		"await (i < 2 ? a[i] : 7) == 7; r = 1;":                              "r=1",
		"await i >= 2 || mem[i << 60] == 1; r = 1;":                          "r=1",
		"await i < 2 || mem[i << 60] == 1; r = 1;":                           "bad-address",
		"await 0 && a[0] == 0; r = 1;":                                       "",
		"await 1 || a[0] == 1; r = 1;":                                       "r=1",
		"await a[0] == 1 || i == 5; r = 1;":                                  "r=1",
		"await i == 5 && a[1] == 0; r = 1;":                                  "r=1",
		"await i == 4 && a[1] == 0; r = 1;":                                  "",
		"either { await i < 2 && a[i] == 0; } or { r = 1; }":                 "r=1",
		"havoc(r, r >= 0 && r <= a[i]);":                                     bad,
		"i = 1; havoc(r, r >= 0 && r <= a[i]);":                              "r=0",
		"havoc(r, i < 2 && r >= 0 && r <= a[i]);":                            "",
		"havoc(r, i < 2 && r >= 0 && r <= a[i] || r == 7);":                  "r=7",
		"havoc(r, r >= 1 && r <= 2 && (i >= 2 || a[i] == r));":               "r=1; r=2",
		"havoc(r, r >= 1 && r <= 2 && (i < 2 || a[i] == r));":                bad,
		"havoc(r, 0 && r == a[0]); r = 1;":                                   "",
		"havoc(r, r == 3 || 0 && r == a[0]); assert r == 2;":                 "assertion",
		"havoc(r, r == 3 || i == 5 && 0); assert r == 2;":                    "assertion",
		"havoc(r, r == (i < 2 ? a[i] : 3));":                                 "r=3",
		"reg q in 1..9; havoc(q, i < 2 ? q == a[i] : q == 4); r = q;":        "r=4",
		"reg q in 0..9; havoc(q, !(i >= 2 && q > 1) || a[i]); r = 1;":        bad,
		"reg q in 2..3; havoc(q, i >= 2 && q > 2 || i == 1 && a[i]); r = q;": "r=3",
	} {
		text := "var a[2]; thread t { reg r, i = 5; " + body + " }"
		got := finals(t, text)
		var rs []string
		for _, s := range strings.Split(got, "; ") {
			switch class, _, isCheck := strings.Cut(s, "@"); {
			case isCheck:
				rs = append(rs, class)
			case s != "":
				rs = append(rs, strings.TrimPrefix(strings.Fields(s)[0], "t:"))
			}
		}
		if got := strings.Join(rs, "; "); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}

// TestByteOrderMark: the mark that some editors write is no part of the program.
func TestByteOrderMark(t *testing.T) {
	for name, c := range map[string]struct {
		parse parser
		text  string
	}{
		"fp":       {automaton.Parse, "var x; thread t { x = 1; }"},
		"trencher": {automaton.ParseTrencher, "memory_size 1\nthread t\ninitial a\ntransition a b noop\nend\n"},
		"memorax":  {automaton.ParseMemorax, "forbidden A data x = 0 process text A: nop"},
	} {
		if u, list := c.parse(source.NewFile(name, []byte("\ufeff"+c.text)), automaton.Options{}); u.Program == nil {
			t.Errorf("%s: %+v", name, list.All)
		}
		if u, _ := c.parse(source.NewFile(name, []byte("\ufeff\ufeff"+c.text)), automaton.Options{}); u.Program != nil {
			t.Errorf("%s: two marks are taken", name)
		}
	}
}
