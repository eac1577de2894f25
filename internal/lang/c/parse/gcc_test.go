package parse_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"fencepost/internal/gcc"
	"fencepost/internal/lang/c/parse"
	"fencepost/internal/lang/c/preprocess"
	"fencepost/internal/lang/c/types"
	"fencepost/internal/testkit"
)

func compiler(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc here: nothing to compare with")
	}
	return path
}

// parsed parses a text that must have no mistakes.
func parsed(t testing.TB, text string) *parse.Unit {
	t.Helper()
	s, err := gcc.Parse(nil)
	if err != nil {
		t.Fatal(err)
	}
	u, says := parseText("a.c", []byte(text), preprocess.ForGCC(s), s)
	if says != "" {
		lines := strings.Split(text, "\n")
		for line := range strings.Lines(says) {
			var at, col int
			if _, err := fmt.Sscanf(line, "a.c:%d:%d:", &at, &col); err == nil {
				t.Errorf("%s%s", line, lines[at-1])
			}
		}
		t.FailNow()
	}
	return u
}

// parseDefault parses a text that may have mistakes.
func parseDefault(text string) (*parse.Unit, string) { return parseAs(text) }

// parseAs is parseDefault with flags of gcc.
func parseAs(text string, flags ...string) (*parse.Unit, string) {
	s, err := gcc.Parse(flags)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return parseText("a.c", []byte(text), preprocess.ForGCC(s), s)
}

// parsedOnly parses a text without the bodies of its functions.
func parsedOnly(t testing.TB, text string) *parse.Unit {
	t.Helper()
	s, err := gcc.Parse(nil)
	if err != nil {
		t.Fatal(err)
	}
	opt := preprocess.ForGCC(s)
	return parse.Parse(preprocess.Run("a.c", []byte(text), opt), parse.Options{Standard: opt.Standard})
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// accepts asks gcc whether a text is correct.
func accepts(t testing.TB, text string) (bool, string) {
	t.Helper()
	cmd := exec.Command(compiler(t), "-fsyntax-only", "-w", "-x", "c", "-")
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.CombinedOutput()
	return err == nil, string(out)
}

func programs(few, many int) int {
	if testkit.Slow() {
		return many
	}
	return few
}

// TestLayouts compares the layout of random structs and unions with gcc: sizes, alignments,
// offsets, and the bits of bit-fields.
func TestLayouts(t *testing.T) {
	const batch = 50
	for n := range programs(3, 80) {
		g := &generator{Rand: rand.New(rand.NewPCG(uint64(n), 1))}
		var text strings.Builder
		text.WriteString("typedef int aligned_int __attribute__((aligned(16)));\ntypedef long small_long __attribute__((aligned(2)));\ntypedef int small_int __attribute__((aligned(1)));\nenum e { E1, E2 = 70000 };\nenum __attribute__((packed)) pe { P1, P2 };\n")
		for i := range batch {
			g.record(&text, i)
		}
		u := parsed(t, text.String())
		var want strings.Builder
		main := text.String() + "int printf(const char *, ...); void *memset(void *, int, unsigned long);\nint main(void) {\n"
		for i := range batch {
			o := u.Lookup(fmt.Sprintf("v%d", i))
			r := o.Type.Record
			main += fmt.Sprintf("printf(\"%d %%lu %%lu %%lu\\n\", (unsigned long)sizeof v%d, (unsigned long)_Alignof(__typeof__(v%d)), (unsigned long)__alignof__(v%d));\n", i, i, i, i)
			fmt.Fprintf(&want, "%d %d %d %d\n", i, o.Type.Size(), o.Type.Align(), o.Type.Align())
			for j := range r.Fields {
				f := &r.Fields[j]
				switch {
				case f.Name == "":
				case f.IsBitField():
					main += fmt.Sprintf("{ unsigned char *b = (unsigned char *)&v%d; memset(b, 0, sizeof v%d); v%d.%s = -1; printf(\"%s\"); for (unsigned long i = 0; i < sizeof v%d * 8; i++) if (b[i / 8] >> i %% 8 & 1) printf(\" %%lu\", i); printf(\"\\n\"); }\n", i, i, i, f.Name, f.Name, i)
					want.WriteString(f.Name)
					for bit := range f.Bits {
						if f.Type.Kind == types.Bool && bit > 0 {
							break
						}
						fmt.Fprintf(&want, " %d", f.BitOffset+bit)
					}
					want.WriteString("\n")
				default:
					main += fmt.Sprintf("printf(\"%s %%lu\\n\", (unsigned long)__builtin_offsetof(__typeof__(v%d), %s));\n", f.Name, i, f.Name)
					fmt.Fprintf(&want, "%s %d\n", f.Name, f.Offset)
				}
			}
		}
		main += "}\n"
		if got := output(t, main); got != want.String() {
			reportLines(t, n, got, want.String(), text.String())
		}
	}
}

// reportLines reports the first line that differs, with the struct that it is about.
func reportLines(t *testing.T, seed int, got, want, text string) {
	t.Helper()
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	last := ""
	for i := range min(len(a), len(b)) {
		if len(strings.Fields(b[i])) == 4 && b[i][0] >= '0' && b[i][0] <= '9' {
			last = strings.Fields(b[i])[0]
		}
		if a[i] != b[i] {
			end := strings.Index(text, "v"+last+" ;")
			def := text[strings.LastIndex(text[:end], " ;\n")+3 : end]
			t.Fatalf("seed %d: gcc says %q, we say %q\n%s", seed, a[i], b[i], def)
		}
	}
	t.Fatalf("seed %d: %d and %d lines", seed, len(a), len(b))
}

// output compiles and runs a program.
func output(t testing.TB, text string) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "a")
	cmd := exec.Command(compiler(t), "-w", "-o", bin, "-x", "c", "-")
	cmd.Stdin = strings.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	var b bytes.Buffer
	run := exec.Command(bin)
	run.Stdout = &b
	if err := run.Run(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// generator makes declarations and expressions.
type generator struct {
	*rand.Rand
	names int
}

func (g *generator) pick(words ...string) string { return words[g.IntN(len(words))] }

// record writes a struct or union with a variable.
func (g *generator) record(b *strings.Builder, i int) {
	pack := g.IntN(6) == 0
	if pack {
		fmt.Fprintf(b, "#pragma pack(%s)\n", g.pick("1", "2", "4", "8", "push, 1", "push, 2"))
	}
	fmt.Fprintf(b, "%s %s{\n", g.pick("struct", "struct", "struct", "union"), g.pick("", "", "", "__attribute__((packed)) ", "__attribute__((aligned(8))) ", "__attribute__((packed, aligned(4))) "))
	g.names = 0
	for range 1 + g.IntN(7) {
		g.member(b, 0)
	}
	fmt.Fprintf(b, "} %sv%d ;\n", g.pick("", "", "", "__attribute__((packed)) "), i)
	if pack {
		b.WriteString("#pragma pack()\n")
	}
}

func (g *generator) member(b *strings.Builder, depth int) {
	g.names++
	name := fmt.Sprintf("m%d", g.names)
	switch n := g.IntN(12); {
	case n < 5:
		t := g.pick("int", "unsigned", "char", "unsigned char", "short", "unsigned short", "long", "unsigned long", "long long", "_Bool", "enum e", "unsigned __int128", "small_long", "small_int", "aligned_int")
		width := map[string]int{"char": 8, "unsigned char": 8, "short": 16, "unsigned short": 16, "int": 32, "unsigned": 32, "enum e": 32, "small_int": 32, "aligned_int": 32, "_Bool": 1, "unsigned __int128": 128}[t]
		if width == 0 {
			width = 64
		}
		bits := 1 + g.IntN(width)
		if g.IntN(3) == 0 { // as wide as an integer
			bits = min(width, 8<<g.IntN(4))
		}
		attr := g.pick("", "", "", "", "", " __attribute__((packed))", " __attribute__((aligned(4)))")
		switch g.IntN(10) {
		case 0:
			fmt.Fprintf(b, "\t%s : 0;\n", t)
		case 1:
			fmt.Fprintf(b, "\t%s : %d;\n", t, bits)
		default:
			fmt.Fprintf(b, "\t%s %s : %d%s;\n", t, name, bits, attr)
		}
	case n == 5 && depth < 2:
		fmt.Fprintf(b, "\t%s %s{\n", g.pick("struct", "union"), g.pick("", "", "__attribute__((packed)) "))
		for range 1 + g.IntN(3) {
			g.member(b, depth+1)
		}
		g.names++
		fmt.Fprintf(b, "\t} s%d%s;\n", g.names, g.pick("", "[2]", " __attribute__((packed))"))
	default:
		t := g.pick("char", "short", "int", "long", "float", "double", "long double", "void *", "__int128", "aligned_int", "small_long", "enum e", "enum pe",
			"_Bool", "_Complex float", "_Complex double", "_Atomic int", "_Atomic long", "struct { char c; }", "struct { char c; long l; }", "_Float128")
		attr := g.pick("", "", "", "", " __attribute__((packed))", " __attribute__((aligned(2)))", " __attribute__((aligned(32)))", " __attribute__((packed, aligned(2)))")
		if g.IntN(8) == 0 {
			t = "_Alignas(" + g.pick("8", "16", "double") + ") " + g.pick("char", "short", "int", "long")
			attr = ""
		}
		dims := g.pick("", "", "", "[3]", "[1][2]", "[0]")
		if t == "aligned_int" { // elements must not be aligned wider than they are
			dims = ""
		}
		fmt.Fprintf(b, "\t%s %s%s%s;\n", t, name, dims, attr)
	}
}
