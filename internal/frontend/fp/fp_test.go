package fp

import (
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/internal/frontend/statement"
	"fencepost/internal/frontend/statement/statementtest"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/source"
)

// shape is a program without names and positions of its locations and
// registers: locations are numbered in the order a walk from the entry meets them.
func shape(p *ir.Program) string {
	var b strings.Builder
	for _, f := range p.Funcs {
		number := map[ir.Loc]int{f.Entry: 0}
		for todo := []ir.Loc{f.Entry}; len(todo) > 0; todo = todo[1:] {
			for _, i := range f.Out(todo[0]) {
				e := &f.Edges[i]
				if _, ok := number[e.To]; !ok {
					number[e.To] = len(number)
					todo = append(todo, e.To)
				}
				fmt.Fprintf(&b, "%d %s %d\n", number[e.From], irtext.FormatOp(p, f, &e.Op), number[e.To])
			}
		}
	}
	return b.String()
}

// TestSpellings: the structured and the labelled spelling are the same program.
func TestSpellings(t *testing.T) {
	structured := parse(t, "a.fp", `
var x, y;
thread t {
  reg r;
  while (r != 3) { x = 1; r = y; either { fence; } or { r = r + 1; } }
  y = 2;
}`, statement.Options{})
	labelled := parse(t, "b.fp", `
vars x y;
thread t regs r init a begin
  e: mem[y] := 2; goto f;
  a: assume r != 3; goto b;
  a: assume r == 3; goto e;
  b: mem[x] <- 1; goto c;
  c: r <- mem[y]; goto d;
  d: mfence; goto a;
  d: r <- r + 1; goto a;
  f: end`, statement.Options{})
	if a, b := shape(structured.Program), shape(labelled.Program); a != b {
		t.Errorf("structured:\n%s\nlabelled:\n%s", a, b)
	}
}

// TestLabelsOfOneStatement: several labels of a statement are one location, wherever they stand.
func TestLabelsOfOneStatement(t *testing.T) {
	u := parse(t, "a.fp", `
var x;
thread t {
  a: b: x = 1; goto c;
  b: x = 2; goto a;
  { { c: } } reg r; d: e: reg s; x = 3;
  if (x) f: { g: x = 4; }
  if (x) h: { }
}
goal t:a; goal t:b; goal t:c; goal t:d; goal t:e; goal t:f; goal t:g;`, statement.Options{})
	var at []ir.Loc
	for _, g := range u.Props.Goals {
		at = append(at, g.At[0].Locs[0])
	}
	if at[0] != at[1] || at[2] != at[3] || at[3] != at[4] || at[5] != at[6] || at[0] == at[2] || at[2] == at[5] {
		t.Errorf("locations %v", at)
	}
	f := u.Program.Funcs[0]
	if n := len(f.Out(at[0])); n != 2 {
		t.Errorf("%d edges leave a", n)
	}
	if f.Locs[at[0]].Name != "a" || f.Locs[at[2]].Name != "c" {
		t.Errorf("named %s and %s", f.Locs[at[0]].Name, f.Locs[at[2]].Name)
	}
}

// TestGrammar covers productions that the lowering tests leave out.
func TestGrammar(t *testing.T) {
	u := parse(t, "g.fp", `
# a comment
/* another */ program p';
const a = 1, b = a << 2 | 0x1F ^ 3 & ~1, n = 2;
var long l = -a; var v [ n ] := { 1 };
domain -1 .. b;
memory 2 + 3;
thread w[i] * n regs r1 r2, r3 init start begin
  start: r1 := !r2 != -r3;
  r1 = r2 == 1 ? r3 : r2 <= 3 ? 4 : 5;
  if (r1<-1) skip;
  { { skip; }; } ;
  l2: reg q in 0 .. i;
  do { skip; } while (r1 > 2 || r2 >= 3 && r1 % 2 * 3 - 1 >> 1 < 5);
  skip; return;
  if (r1) either { skip; } or { skip; }; else loop { continue; }
  skip end;
thread u { reg x; x: }
goal "g" with l == 1;
goal w[0]:start, u:x with (w[1]:r1 ? (w[0]:r1) : v[1]) == mem[l] / 2 + l.half[1];
forall !(u:x == 1) || &v[1] != 0;
`, statement.Options{})
	p := u.Program
	if p.Name != "p'" || len(p.Threads) != 3 || p.Threads[1].Name != "w[1]" || !p.Threads[2].Start {
		t.Errorf("program %q with threads %+v", p.Name, p.Threads)
	}
	f := p.Funcs[2]
	if f.Entry != u.Props.Goals[1].At[1].Locs[0] || len(f.Edges) != 0 {
		t.Error("the empty thread does not start at its end")
	}
	if g := u.Props.Goals[1]; len(g.With.Vars) != 5 || !g.MentionsMemory() || g.With.Vars[4].Name != "l.bytes[2..3]" {
		t.Errorf("goal %+v", g.With)
	}
	if !u.Props.Final.Cond.Eval([]int64{1}) {
		t.Error("the address of v[1] counts as 0")
	}
}

// TestPrecedence evaluates constants as C does.
func TestPrecedence(t *testing.T) {
	for text, want := range map[string]int64{
		"1 + 2 * 3": 7, "(1 + 2) * 3": 9, "10 - 3 - 2": 5, "1 << 2 + 1": 8, "7 & 3 == 3": 1, "1 | 2 ^ 3 & 6": 1,
		"1 < 2 == 1": 1, "0 || 2 && 3": 1, "0 ? 1 : 2 ? 3 : 4": 3, "-7 / 2": -3, "-7 % 4": -3, "!0 + ~0": 0, "- -3": 3,
		"18446744073709551615": -1, "0x8000000000000000": -9223372036854775808, "007": 7, "-8 >> 1": -4,
	} {
		u := parse(t, "p.fp", "thread t { reg r = "+text+"; }", statement.Options{})
		if got := u.Program.Funcs[0].Regs[0].Init; got != want {
			t.Errorf("%s is %d, not %d", text, got, want)
		}
	}
}

// TestTemplateCount: --threads decides how many threads "* n" is.
func TestTemplateCount(t *testing.T) {
	text := "var x; thread w[i] * n { x = i; }"
	u := parse(t, "w.fp", text, statement.Options{Threads: 3})
	if n := len(u.Program.Threads); n != 3 || u.Program.Threads[2].Name != "w[2]" || u.Program.Threads[0].Unbounded {
		t.Errorf("%+v", u.Program.Threads)
	}
	_, list := Parse(source.NewFile("w.fp", []byte(text)), statement.Options{Threads: 65})
	if !statementtest.Has(list, statement.CodeCount) {
		t.Errorf("65 threads: %v", list.All)
	}
}

// TestExpect: the first expect comment and its position.
func TestExpect(t *testing.T) {
	u := parse(t, "e.fp", "thread t { skip; }\n/* expect:  sc=safe\n tso=unsafe */", statement.Options{})
	if u.Expect != "sc=safe tso=unsafe" || u.ExpectPos.Line != 2 || u.ExpectPos.Col != 4 {
		t.Errorf("%q at %v", u.Expect, u.ExpectPos)
	}
}

// TestExamples: the examples of the repository and of the manual translate.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../../../examples/*.fp")
	if err != nil || len(files) < 3 {
		t.Fatalf("%d examples, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if u := parse(t, file, string(text), statement.Options{}); u.Expect == "" || u.Props.Empty() {
			t.Errorf("%s expects %q, asks %+v", file, u.Expect, u.Props)
		}
	}
	manual, err := os.ReadFile("../../../docs/languages/fp.md")
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(manual), "```\n")
	if len(parts) < 3 {
		t.Fatal("the manual has no examples")
	}
	for i := 1; i < len(parts); i += 2 {
		parse(t, fmt.Sprintf("fp.md example %d", (i+1)/2), parts[i], statement.Options{})
	}
}

// TestLimits: what is too large is refused, and quickly.
func TestLimits(t *testing.T) {
	deep := strings.Repeat
	for name, c := range map[string]struct{ text, code string }{
		"parentheses":   {"thread t { reg r; r = " + deep("(", 1<<18), statement.CodeDepth},
		"signs":         {"thread t { reg r; r = " + deep("-", 1<<18), statement.CodeDepth},
		"sum":           {"thread t { reg r; r = 1" + deep("+1", 1<<18), statement.CodeDepth},
		"blocks":        {"thread t { " + deep("{", 1<<18), statement.CodeDepth},
		"ifs":           {"thread t { " + deep("if (1) ", 1<<18), statement.CodeDepth},
		"loops":         {"thread t { " + deep("loop { ", 1<<18), statement.CodeDepth},
		"else":          {"thread t { " + deep("if (1) skip; else ", 1<<18), statement.CodeDepth},
		"subscripts":    {"thread t { reg r; r = " + deep("mem[", 1<<18), statement.CodeDepth},
		"conditionals":  {"thread t { reg r; r = " + deep("1 ? 1 : ", 1<<18), statement.CodeDepth},
		"statements":    {"thread t { " + deep("skip;", 1<<21) + "}", statement.CodeTooLarge},
		"edges":         {"thread t * 64 { " + deep("skip;", 1<<15) + "}", statement.CodeTooLarge},
		"instances":     {"thread t * 1000000000 { skip; }", statement.CodeCount},
		"array":         {"var a[1 << 40]; thread t { skip; }", statement.CodeMemory},
		"long name":     {"thread t { goto " + deep("x", 1<<20) + "; }", statement.CodeLabel},
		"long number":   {"thread t { reg r; r = " + deep("9", 1<<20) + "; }", statement.CodeNumber},
		"all bad":       {deep("\xff", 2<<20), statement.CodeChar},
		"bad and blank": {deep("\xff ", 1<<20), statement.CodeChar},
		"semicolons":    {deep(";", 2<<20), statement.CodeSyntax},
		"words":         {deep("thread ", 1<<20), statement.CodeReserved},
	} {
		_, list := Parse(source.NewFile("l.fp", []byte(c.text)), statement.Options{})
		if !statementtest.Has(list, c.code) {
			t.Errorf("%s: %d diagnostics without %s", name, len(list.All), c.code)
		}
		for _, d := range list.All {
			if len(d.Message) > 300 {
				t.Errorf("%s: a message of %d bytes", name, len(d.Message))
			}
		}
	}
}

// TestNoise: megabytes of nonsense end with few diagnostics.
func TestNoise(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	bytes := make([]byte, 10<<20)
	r.Read(bytes)
	pieces := []string{"thread t {", "}", "{", "x", "=", ";", "var x;", "if (", ")", "goto", "l:", "1", "+", "mem[", "]", "\n", "end", "never", "cas(", ","}
	var tokens strings.Builder
	for tokens.Len() < 10<<20 {
		tokens.WriteString(pieces[r.Intn(len(pieces))] + " ")
	}
	for _, text := range [][]byte{bytes, []byte(tokens.String())} {
		_, list := Parse(source.NewFile("noise.fp", text), statement.Options{})
		if !list.HasErrors() || len(list.All) > 40 {
			t.Errorf("%d diagnostics", len(list.All))
		}
	}
}

// TestManyLabels: a long automaton with many labels, repeated and aliased.
func TestManyLabels(t *testing.T) {
	const n = 10000
	var b strings.Builder
	b.WriteString("var x; thread t init l0 begin\n")
	for i := range n {
		fmt.Fprintf(&b, "l%d: m%d: x = %d; goto l%d;\nl%d: skip; goto m%d;\n", i, i, i, (i+1)%n, i, n-1-i)
	}
	b.WriteString("end\n")
	u := parse(t, "m.fp", b.String(), statement.Options{})
	f := u.Program.Funcs[0]
	if len(f.Edges) != 2*n || len(f.Locs) != n+1 {
		t.Errorf("%d edges, %d locations", len(f.Edges), len(f.Locs))
	}
}

// TestByteOrderMark: the mark that some editors write is no part of the program.
func TestByteOrderMark(t *testing.T) {
	statementtest.ByteOrderMark(t, Parse, "var x; thread t { x = 1; }")
}
