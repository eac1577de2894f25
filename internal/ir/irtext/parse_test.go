package irtext

import (
	"math"
	"math/rand"
	"strings"
	"testing"

	"fencepost/internal/diag"
	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// one parses a function body with registers a to d and objects x and y, and
// gives back its only edge.
func one(t *testing.T, line string) (*ir.Program, *ir.Edge) {
	t.Helper()
	p := parseText(t, "object x\nobject y size 24\nfunc f(a, b) {\n reg c, d\n "+line+"\n}\nfunc g() pointer {\n}\n")
	return p, &p.Funcs[0].Edges[0]
}

func TestParsePrecedence(t *testing.T) {
	tests := []struct{ text, want string }{
		{"a + b * c", "(a + (b * c))"},
		{"a - b - c", "((a - b) - c)"},
		{"a << 1 + b < c == d", "(((a << (1 + b)) < c) == d)"},
		{"a | b ^ c & d", "(a | (b ^ (c & d)))"},
		{"a || b && c | d", "(a || (b && (c | d)))"},
		{"a ? b : c ? d : 1", "(a ? b : (c ? d : 1))"},
		{"(a ? b : c) ? d : 1", "((a ? b : c) ? d : 1)"},
		{"-a * !b", "(-a * !b)"},
		{"- 1", "-(1)"},
		{"-1", "-1"},
		{"a -1", "(a - 1)"},
		{"a - -1", "(a - -1)"},
		{"a +u32 b *u8 c", "(a +u32 (b *u8 c))"},
		{"(u32)a + 1", "((u32)a + 1)"},
		{"-u16 a", "-u16 a"},
		{"&x+8", "&x+8"},
		{"&x + 8", "(&x + 8)"},
		{"&x+8*a", "(&x + (8 * a))"},
		{"&y-8 - a", "((&y-8) - a)"},
		{"a & &x", "(a & &x)"},
		{"a && &&g", "(a && &&g)"},
		{"0x10 + 0b11", "(16 + 3)"},
		{"18446744073709551615", "-1"},
		{"-9223372036854775808", "-9223372036854775808"},
		{"a:u8 ? b:u16 : c", "(a:u8 ? b:u16 : c)"},
	}
	for _, tt := range tests {
		p, e := one(t, "l -> l: c = "+tt.text)
		if got := FormatExpr(p, p.Funcs[0], e.Op.Val); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.text, got, tt.want)
		}
	}
}

func TestParseDefaults(t *testing.T) {
	p := parseText(t, `
object x            # eight bytes
object h size 4 init 7
func t1 {
  reg r
  l0 -> l1: store [&x] = 1
  l1 -> l2: r = load.u32 [&h]   # comment
  l2 -> l3: lock [&x]
  l3 -> l4: fence
  l4 -> l5: assert r
}
func t2() {
  m0 -> m1: nop ; id 40
  m1 -> m2: nop
}
thread t1
thread other = t2
`)
	if p.Name != "test.ir" || p.Form != ir.Flat || p.Main != ir.NoThread || p.NextEdge != 42 {
		t.Errorf("program %q %v main %d next %d", p.Name, p.Form, p.Main, p.NextEdge)
	}
	x, h := p.Objects[0], p.Objects[1]
	if x.Size != 8 || x.Unit != 8 || x.Type != ir.S64 || x.Addr != ir.DataBase || h.Unit != 4 || h.Addr != ir.DataBase+32 {
		t.Errorf("objects %+v %+v", x, h)
	}
	f := p.Funcs[0]
	store, load := f.Edges[0], f.Edges[1]
	if store.ID != 0 || store.Origin != 0 || store.Op.Sync.Order != ir.Plain || store.Op.Type != ir.S64 || load.ID != 1 || load.Op.Type != ir.U32 {
		t.Errorf("edges %+v %+v", store, load)
	}
	if f.Edges[2].Op.Mutex.Kind != ir.NormalMutex || f.Edges[3].Op.Fence != ir.FullFence || f.Edges[4].Op.Report.Class != ir.Assertion {
		t.Errorf("edges %+v", f.Edges[2:])
	}
	if f.Entry != 0 || f.Locs[0].Name != "l0" || len(f.Locs) != 6 {
		t.Errorf("locations %v entry %d", f.Locs, f.Entry)
	}
	if e := p.Funcs[1].Edges[1]; e.ID != 41 || e.Origin != 41 {
		t.Errorf("second edge of t2 has id %d, origin %d", e.ID, e.Origin)
	}
	if a, b := p.Threads[0], p.Threads[1]; !a.Start || a.Func != 0 || !b.Start || b.Func != 1 {
		t.Errorf("threads %+v %+v", a, b)
	}
	if errs := ir.Verify(p); len(errs) > 0 {
		t.Error(errs)
	}
}

func TestParseDiagnostics(t *testing.T) {
	const frame = "object x\nfunc f(a) {\n %\n}\nthread f\n"
	tests := []struct{ name, text, want string }{
		{"unknown register", "l -> l: a = b", "3:14: IR0003: no register b"},
		{"unknown object", "l -> l: a = load [&z]", "3:21: IR0003: no object z"},
		{"unknown function", "l -> l: call g()", "3:15: IR0003: no function g"},
		{"no operation", "l -> l:", "IR0002: expected a register, found the end of the line"},
		{"no arrow", "l l: nop", "3:2: IR0002: expected an edge, reg, loc, entry or '}', found l"},
		{"rest of line", "l -> l: nop nop", "3:14: IR0002: expected the end of the line, found nop"},
		{"missing destination", "l -> l: load [&x]", "3:10: IR0007: load needs a destination"},
		{"cas without new value", "l -> l: rmw.cas [&x], 1", "IR0007: rmw needs a second value for cas"},
		{"rmw without function", "l -> l: rmw [&x], 1", "IR0007: rmw needs an RMW function"},
		{"misplaced clause", "l -> l: store [&x] = 1 when a", "IR0007: store cannot have a condition"},
		{"misplaced destination", "l -> l: a = nop", "IR0007: nop cannot have a destination"},
		{"empty range", "l -> l: a = havoc range 2..1", "IR0007: havoc has an empty range"},
		{"unset order", "l -> l: store [&x] = 1 unset", "IR0007: store needs a memory order"},
		{"suffix", "l -> l: a = load.f16 [&x]", "IR0002: load has no variant f16"},
		{"float operator", "l -> l: a = a &f64 a", "3:16: IR0007: & does not work at f64"},
		{"float number", "l -> l: a = -1.5", "3:14: IR0005: -1.5 needs a type of floating point, as in -1.5:f64"},
		{"large float", "l -> l: a = 1.0e39:f32", "IR0005: 1.0e39 is not a number of type f32"},
		{"conversion", "l -> l: a = (s32 of f32)a", "3:22: IR0007: there is no conversion of f32 to s32"},
		{"float sum", "l -> l: rmw.add.f64 [&x], 1", "IR0007: rmw computes with integers at f64"},
		{"class", "l -> l: assert a class bad-luck", "IR0002: no class of checks bad-luck"},
		{"number", "l -> l: a = 18446744073709551616", "IR0005: 18446744073709551616 is not a 64-bit number"},
		{"negative number", "l -> l: a = -9223372036854775809", "IR0005: 9223372036854775809 is not a 64-bit number"},
		{"digits", "l -> l: a = 0xzz", "IR0005: 0xzz is not a 64-bit number"},
		{"edge id", "l -> l: nop ; id 2147483647", "IR0005: no edge ids left"},
		{"wide edge id", "l -> l: nop ; id 4294967296", "IR0005: 4294967296 does not fit 32 bits"},
		{"character", "l -> l: a = $", "3:14: IR0001: unexpected character '$'"},
		{"open string", "l -> l: bound \"x", "IR0001: string is not closed"},
		{"bad escape", `l -> l: bound "\q"`, "IR0001: malformed string"},
		{"position", "l -> l: nop @a.c:3", "IR0001: malformed position"},
		{"register twice", "reg b, b", "IR0004: register b is declared twice"},
		{"keyword register", "reg load", "IR0002: load is a keyword; quote it to name a register"},
		{"location twice", "l -> l: nop\n loc l", "4:2: IR0004: location l is used above"},
		{"deep parentheses", "l -> l: a = " + strings.Repeat("(", 40_000) + "a", "IR0006: expression is nested more than 10000 deep"},
		{"deep signs", "l -> l: a = " + strings.Repeat("!", 40_000) + "a", "IR0006: expression is nested more than 10000 deep"},
		{"long sum", "l -> l: a = a" + strings.Repeat(" + a", 20_000), "IR0006: expression is nested more than 10000 deep"},
		{"deep choice", "l -> l: a = " + strings.Repeat("a ? a : ", 40_000) + "a", "IR0006: expression is nested more than 10000 deep"},
		{"object in function", "object y", "3:2: IR0002: function f is not closed"},
		{"stray brace", "}\n}", "4:1: IR0002: expected a declaration, found }"},
		{"object twice", "}\nobject x\nfunc g {", "IR0004: object x is declared twice"},
		{"init too large", "}\nobject b size 1 init 256\nfunc g {", "IR0005: 256 does not fit an element of 1 bytes"},
		{"init of odd unit", "}\nobject b size 3 init 1\nfunc g {", "IR0005: elements of 3 bytes cannot be given by init"},
		{"bytes", "}\nobject b bytes \"0g\"\nfunc g {", "IR0005: malformed bytes"},
		{"unit", "}\nobject b unit 0\nfunc g {", "IR0005: a unit has at least one byte"},
		{"type", "}\nobject b type s3\nfunc g {", "IR0002: expected a type, found s3"},
		{"thread function", "}\nthread q\nfunc g {", "IR0003: no function q"},
		{"main", "}\nmain q\nfunc g {", "IR0003: no thread q"},
	}
	for _, tt := range tests {
		p, diags := Parse("t.ir", []byte(strings.Replace(frame, "%", tt.text, 1)))
		if p != nil || !strings.Contains(listing(diags), tt.want) {
			t.Errorf("%s: program %v, got\n%swant %s", tt.name, p != nil, listing(diags), tt.want)
		}
	}
}

// TestParseGoesOn finds one mistake per line and no others.
func TestParseGoesOn(t *testing.T) {
	_, diags := Parse("t.ir", []byte(`object x sise 8
func f(a {
  reg r
  l -> m: r = load &x
  m -> n: q = 1
  n -> o: r = (1 +
  o -> p: r = 1
  p -> : nop
`))
	got := listing(diags)
	for _, want := range []string{"1:10: IR0002", "2:10: IR0002", "4:20: IR0002", "5:11: IR0003", "6:19: IR0002", "8:8: IR0002", "9:1: IR0002: function f is not closed"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing from\n%s", want, got)
		}
	}
	if len(diags.All) != 7 {
		t.Errorf("%d diagnostics, want 7\n%s", len(diags.All), got)
	}
}

func TestParseInitEncoding(t *testing.T) {
	p := parseText(t, "object a size 16 init -1 9223372036854775808\nobject b size 4 unit 2 init -2 65535\n")
	if got := string(p.Objects[0].Init); got != "\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x80" {
		t.Errorf("a is %x", got)
	}
	if got := string(p.Objects[1].Init); got != "\xfe\xff\xff\xff" {
		t.Errorf("b is %x", got)
	}
	if v := decodeElement(p.Objects[0].Init[8:], ir.S64); v != math.MinInt64 {
		t.Errorf("second element is %d", v)
	}
}

// TestParseDamaged takes out, doubles and swaps tokens of a good program: no
// panic, an error or a program that prints and parses again.
func TestParseDamaged(t *testing.T) {
	toks := lex(source.NewFile("e.ir", []byte(everything)), &diag.List{})
	rnd := rand.New(rand.NewSource(1))
	good := 0
	for range 2000 {
		var words []string
		for _, tok := range toks {
			words = append(words, everything[tok.start:tok.end])
		}
		for range 1 + rnd.Intn(2) {
			i, j := rnd.Intn(len(words)), rnd.Intn(len(words))
			switch rnd.Intn(4) {
			case 0:
				words[i] = ""
			case 1:
				words[i] += " " + words[i]
			case 2:
				words[i] = words[j]
			case 3:
				words[i], words[j] = words[j], words[i]
			}
		}
		p, diags := Parse("e.ir", []byte(strings.Join(words, " ")))
		if (p == nil) != diags.HasErrors() {
			t.Fatalf("program %v with %d diagnostics", p != nil, len(diags.All))
		}
		if p != nil {
			good++
			roundTrip(t, p)
			ir.Verify(p)
		}
	}
	if good == 0 || good == 2000 {
		t.Errorf("%d of 2000 damaged programs parse", good)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(everything))
	f.Add([]byte("func f { \n l -> l: nop\n}\nthread f"))
	f.Add([]byte("object x init 1\nfunc f(a = -1 @\"\":1:1) {\n 0 -> \"0\": a = -&x-8:u8 ; via f @:1:2\n}\n"))
	f.Add([]byte("program \"\\xff\" unset\ncells\nobject a addr 18446744073709551615 size -1\nnext -3"))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, diags := Parse("f.ir", text)
		if diags.HasErrors() {
			if p != nil {
				t.Fatal("a program in spite of errors")
			}
			return
		}
		printed := Print(p)
		q, diags := Parse("f.ir", []byte(printed))
		if diags.HasErrors() {
			t.Fatalf("does not parse again: %s\n%s", listing(diags), printed)
		}
		if again := Print(q); again != printed {
			t.Fatalf("printed\n%s\nthen\n%s", printed, again)
		}
		if len(ir.Verify(p)) != len(ir.Verify(q)) {
			t.Fatalf("verifies differently after printing:\n%v\n%v", ir.Verify(p), ir.Verify(q))
		}
	})
}
