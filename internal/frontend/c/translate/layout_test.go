package translate_test

import (
	"fmt"
	"math/rand"
	"os/exec"
	"strings"
	"testing"

	"fencepost/internal/testkit"
	"fencepost/verdict"
)

// Structs and unions, generated and laid out by gcc, must have the same layout here: sizes, alignments,
// offsets, and the bytes of objects whose members were written by initialisers and assignments. A program
// is some types. gcc compiles all of them at once and prints assertions.

// layoutGenerator makes the types of one program. All names begin with its prefix.
type layoutGenerator struct {
	r       *rand.Rand
	prefix  string
	types   strings.Builder
	records []*record
	fresh   int
}

// record is a struct or union.
type record struct {
	name     string   // such as "struct p1_t2"
	members  []string // that have an address
	values   []string // scalars that are written
	bits     []string // bit-fields
	union    bool
	flexible bool
	inside   map[string]bool // members of anonymous unions
}

var layoutScalars = []string{
	"char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long", "unsigned long", "long long", "_Bool",
	"enum small", "small1", "long2", "short8", "int16",
}

const layoutPreamble = `#include <stddef.h>
#include <string.h>
enum small { ZERO, ONE, TWO = 7 };
typedef int small1 __attribute__((aligned(1)));
typedef long long2 __attribute__((aligned(2)));
typedef short short8 __attribute__((aligned(8)));
typedef int int16 __attribute__((__aligned__));
`

func (g *layoutGenerator) pick(list ...string) string { return list[g.r.Intn(len(list))] }

func (g *layoutGenerator) name() string {
	g.fresh++
	return fmt.Sprintf("m%d", g.fresh)
}

// attribute is one of a member, mostly none.
func (g *layoutGenerator) attribute() string {
	switch g.r.Intn(8) {
	case 0:
		return " __attribute__((packed))"
	case 1:
		return fmt.Sprintf(" __attribute__((aligned(%d)))", 1<<g.r.Intn(6))
	case 2:
		return fmt.Sprintf(" __attribute__((packed, aligned(%d)))", 1<<g.r.Intn(4))
	}
	return ""
}

// member writes a member of a record and notes its name.
func (g *layoutGenerator) member(r *record, depth int) {
	n := g.name()
	out := &g.types
	switch k := g.r.Intn(20); {
	case k < 7:
		before := g.pick("", "", "", "", "", "_Alignas(16) ", "__attribute__((aligned(4))) ", "const ")
		fmt.Fprintf(out, "%s%s %s%s;\n", before, g.pick(layoutScalars...), n, g.attribute())
		r.members = append(r.members, n)
		if before != "const " {
			r.values = append(r.values, n)
		}
	case k < 12:
		t := g.pick(layoutScalars[:12]...)
		if g.r.Intn(8) == 0 {
			t = g.pick("small1", "long2")
		}
		fmt.Fprintf(out, "%s %s : %d%s;\n", t, n, 1+g.r.Intn(bitsOf(t)), g.attribute())
		r.bits = append(r.bits, n)
	case k == 12:
		t := g.pick(layoutScalars[:11]...)
		fmt.Fprintf(out, "%s : %d;\n", t, g.pick3(0, 0, 1+g.r.Intn(bitsOf(t))))
	case k == 13:
		t := g.pick("float", "double", "long double", "__int128", "unsigned __int128", "void *", "char *")
		fmt.Fprintf(out, "%s %s%s;\n", t, n, g.attribute())
		r.members = append(r.members, n)
		if t == "float" || t == "double" || strings.HasSuffix(t, "128") {
			r.values = append(r.values, n)
		}
	case k == 14:
		fmt.Fprintf(out, "%s %s[%d]%s;\n", g.pick(layoutScalars[:12]...), n, 1+g.r.Intn(3), g.attribute())
		r.members = append(r.members, n)
		r.values = append(r.values, n+"[0]")
	case k < 17 && len(g.records) > 0:
		inner := g.records[g.r.Intn(len(g.records))]
		if inner.flexible {
			return
		}
		length := g.pick("", "", "[2]")
		fmt.Fprintf(out, "%s %s%s%s;\n", inner.name, n, length, g.attribute())
		r.members = append(r.members, n)
	case k >= 18 && depth < 2:
		kind, values, bits := g.pick("struct", "union"), len(r.values), len(r.bits)
		fmt.Fprintf(out, "%s%s {\n", kind, g.pick("", "", " __attribute__((packed))"))
		for range 1 + g.r.Intn(4) {
			g.member(r, depth+1)
		}
		for _, m := range append(append([]string(nil), r.values[values:]...), r.bits[bits:]...) {
			r.inside[m] = r.inside[m] || kind == "union"
		}
		fmt.Fprintf(out, "int %s;\n}%s;\n", g.name(), g.pick("", "", " __attribute__((aligned(8)))", " __attribute__((packed))"))
	default:
		fmt.Fprintf(out, "%s %s, %s%s;\n", g.pick(layoutScalars...), n, n+"b", g.attribute())
		r.members = append(r.members, n, n+"b")
		r.values = append(r.values, n, n+"b")
	}
}

func (g *layoutGenerator) pick3(a, b, c int) int { return []int{a, b, c}[g.r.Intn(3)] }

// bitsOf is the largest width of a bit-field of a type.
func bitsOf(t string) int {
	switch {
	case t == "_Bool":
		return 1
	case strings.HasSuffix(t, "char"):
		return 8
	case strings.HasSuffix(t, "short"):
		return 16
	case strings.HasPrefix(t, "long") || strings.HasSuffix(t, "long"):
		return 64
	}
	return 32
}

// record writes a struct or union.
func (g *layoutGenerator) record() {
	kind := g.pick("struct", "struct", "struct", "union")
	r := &record{name: fmt.Sprintf("%s %st%d", kind, g.prefix, len(g.records)), union: kind == "union", inside: map[string]bool{}}
	pack := g.r.Intn(5) == 0
	if pack {
		g.types.WriteString(g.pick("#pragma pack(push, 1)\n", "#pragma pack(push, 2)\n", "#  pragma pack (push,4) // comment\n", "#pragma pack(push, x, 8)\n", "#pragma pack(push)\n#pragma pack(2)\n#pragma pack()\n"))
	}
	before, after := g.pick("", "", "", "", " __attribute__((packed))"), g.pick("", "", "", "", " __attribute__((packed))", " __attribute__((aligned(4)))", " __attribute__((packed, aligned(2)))")
	fmt.Fprintf(&g.types, "%s%s %s {\n", kind, before, strings.Fields(r.name)[1])
	for range 1 + g.r.Intn(6) {
		g.member(r, 0)
	}
	fmt.Fprintf(&g.types, "char %send;\n", g.prefix)
	r.members = append(r.members, g.prefix+"end")
	if kind == "struct" && g.r.Intn(6) == 0 {
		fmt.Fprintf(&g.types, "%s %sflex[];\n", g.pick(layoutScalars[:12]...), g.prefix)
		r.members = append(r.members, g.prefix+"flex")
		r.flexible = true
	}
	fmt.Fprintf(&g.types, "}%s;\n", after)
	if pack {
		g.types.WriteString("#pragma pack(pop)\n")
	}
	g.records = append(g.records, r)
}

// objects are an object of each type, and statements that write its members and print the bytes.
func (g *layoutGenerator) objects() (global, local string) {
	var b, s strings.Builder
	for i, r := range g.records {
		if r.flexible {
			continue
		}
		scalars := append(append([]string(nil), r.values...), r.bits...)
		var init []string
		for _, m := range scalars {
			if g.r.Intn(3) > 0 && !strings.Contains(m, "[") && !r.inside[m] {
				init = append(init, fmt.Sprintf(".%s = %d", m, g.r.Intn(1<<16)-1<<15))
			}
			if r.union && len(init) > 0 {
				break
			}
		}
		if len(init) > 0 && !r.union {
			fmt.Fprintf(&b, "%s %sg%d = { %s };\n", r.name, g.prefix, i, strings.Join(init, ", "))
		} else {
			fmt.Fprintf(&b, "%s %sg%d;\n", r.name, g.prefix, i)
		}
		fmt.Fprintf(&s, "  bytes(\"%sg%d\", &%sg%d, sizeof %sg%d);\n", g.prefix, i, g.prefix, i, g.prefix, i)
		for _, m := range scalars {
			fmt.Fprintf(&s, "  DO(%sg%d.%s = (int)0x%xu)\n", g.prefix, i, m, g.r.Uint32())
		}
		fmt.Fprintf(&s, "  bytes(\"%sg%d\", &%sg%d, sizeof %sg%d);\n", g.prefix, i, g.prefix, i, g.prefix, i)
		for _, m := range scalars {
			fmt.Fprintf(&s, "  value(\"%sg%d.%s\", %sg%d.%s);\n", g.prefix, i, m, g.prefix, i, m)
		}
	}
	return b.String(), s.String()
}

// questions are the sizes, alignments and offsets.
func (g *layoutGenerator) questions() string {
	var b strings.Builder
	for _, r := range g.records {
		fmt.Fprintf(&b, "  constant(\"sizeof(%s)\", sizeof(%s));\n  constant(\"_Alignof(%s)\", _Alignof(%s));\n", r.name, r.name, r.name, r.name)
		for _, m := range r.members {
			fmt.Fprintf(&b, "  constant(\"offsetof(%s, %s)\", offsetof(%s, %s));\n", r.name, m, r.name, m)
			if !r.flexible {
				fmt.Fprintf(&b, "  value(\"__alignof__(((%s *)0)->%s)\", __alignof__(((%s *)0)->%s));\n", r.name, m, r.name, m)
			}
		}
	}
	return b.String()
}

// layoutMain prints the assertions.
const layoutMain = `#include <stdio.h>
#define DO(statement) statement; puts(#statement ";");
static void constant(const char *what, unsigned long is) { printf("_Static_assert(%s == %lu, \"\");\n", what, is); }
static void value(const char *what, long is) { printf("assert((long)%s == %ldL%s);\n", what, is == (-1UL >> 1) + 1 ? is + 1 : is, is == (-1UL >> 1) + 1 ? " - 1" : ""); }
static void bytes(const char *what, void *p, unsigned long n) {
  for (unsigned long i = 0; i + 8 <= n; i += 8) {
    unsigned long w;
    memcpy(&w, (char *)p + i, 8);
    printf("memcpy(&w, (char *)&%s + %lu, 8); assert(w == %luUL);\n", what, i, w);
  }
  for (unsigned long i = n & ~7UL; i < n; i++) printf("assert(((unsigned char *)&%s)[%lu] == %d);\n", what, i, ((unsigned char *)p)[i]);
}
`

func TestLayoutGCC(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc here: layouts are not compared")
	}
	count := 40
	if testkit.Slow() {
		count = 2000
	}
	const batch = 40
	for first := 0; first < count; first += batch {
		layoutBatch(t, gcc, first, min(batch, count-first))
		if t.Failed() {
			return
		}
	}
}

// layoutBatch compares some programs, which gcc compiles together.
func layoutBatch(t *testing.T, gcc string, first, count int) {
	var types, locals strings.Builder
	for i := first; i < first+count; i++ {
		g := &layoutGenerator{r: rand.New(rand.NewSource(int64(i))), prefix: fmt.Sprintf("p%d_", i)}
		for range 1 + g.r.Intn(4) {
			g.record()
		}
		global, local := g.objects()
		types.WriteString(g.types.String() + global)
		locals.WriteString(g.questions() + local)
	}
	text := layoutPreamble + layoutMain + types.String() + "int main(void) {\n" + locals.String() + "  return 0;\n}\n"
	full := "#include <assert.h>\n" + layoutPreamble + types.String() + "int main(void) {\n  unsigned long w;\n" + testkit.OutputOf(t, gcc, text) + "  return 0;\n}\n"
	if got := testkit.CheckC(t, full); got != verdict.Safe {
		t.Errorf("programs %d to %d: %s, want safe\n%s", first, first+count-1, got, full)
	}
}
