package fp_test

import (
	"strings"
	"testing"

	"fencepost/internal/engine/explicit"
	"fencepost/internal/frontend/fp"
	"fencepost/internal/frontend/statement"
	"fencepost/internal/memory"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

// finals is the final states of a program under SC.
func finals(t *testing.T, text string) string {
	t.Helper()
	u, list := fp.Parse(source.NewFile("test", []byte(text)), statement.Options{})
	if u.Program == nil {
		t.Fatalf("%+v", list.All)
	}
	flat, err := transform.Run(u.Program, transform.Options{Unroll: 8, Observed: true}, nil)
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

// TestShortCircuit: a cell that && || ?: skip is not read, in conditions that are
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

// TestFarIndex: an index so far off that its address wraps around is noticed.
func TestFarIndex(t *testing.T) {
	cases := map[string]testkit.Meaning{}
	for _, index := range []string{"1 << 61", "(1 << 61) + 1", "0 - (1 << 61)", "1 << 62", "1 << 63", "1 << 59", "0 - (1 << 59)", "-1", "4"} {
		array := testkit.Meaning{"var a[4]; thread t { reg r; r = " + index + "; a[r] = 1; }", "out-of-bounds", "out-of-bounds"}
		cases["a["+index+"]"] = array
		cell := testkit.Meaning{"memory 4; thread t { reg r; r = " + index + "; mem[r] = 1; r = mem[r]; }", "bad-address", "bad-address"}
		if index == "-1" || index == "4" {
			cell[1], cell[2] = "", ""
		}
		cases["mem["+index+"]"] = cell
	}
	cases["parts"] = testkit.Meaning{"var a[4]; thread t { reg r; r = 1 << 62; r = a.word[r + 8]; }", "out-of-bounds", "out-of-bounds"}
	cases["bytes"] = testkit.Meaning{"var a[4]; thread t { reg r; r = a.byte[r - 1]; }", "out-of-bounds", "out-of-bounds"}
	cases["through &"] = testkit.Meaning{
		"var a[4] = { 5, 6 }; thread t { reg r, s; r = &a[0]; s = mem[r + 1]; assert s == 6; mem[r + 3] = 1; mem[r + 4] = 1; }", "bad-address", "bad-address",
	}
	cases["bounded"] = testkit.Meaning{"var a[4]; thread t { reg r; a[r & 3] = 1; mem[r & 7] = 2; }", "", ""}
	testkit.CheckMeanings(t, fp.Parse, cases)
}
