package parse_test

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"fencepost/internal/lang/c/parse"
	"fencepost/internal/lang/c/types"
)

const initialized = `
struct P { int x; short y[2]; };
struct Q { char c; struct P p; union { int u; char v[4]; } w; unsigned b1 : 3, b2 : 7; struct { char d, e; }; };
struct R { struct Q q[2]; struct { } none; char s[5]; struct P *next; struct P last; };
union U { struct P p; char s[12]; int i; };
`

// list writes a list for a type; braces of parts are left out now and then.
func (g *generator) list(t *types.Type, depth int) string {
	switch t.Kind {
	case types.Array, types.Struct, types.Union:
	case types.Pointer:
		return "0"
	default:
		return itoa(int64(g.IntN(100)))
	}
	if t.Kind == types.Array && t.Elem.Kind == types.Char && g.IntN(2) == 0 {
		return g.pick(`"ab"`, `"a"`, `""`, `{ "xy" }`)
	}
	var parts []string
	n := int64(0)
	if t.Kind == types.Array {
		n = t.Len
	} else {
		n = int64(len(t.Record.Fields))
	}
	for range 1 + g.IntN(int(n)+2) {
		switch g.IntN(4) {
		case 0: // with a designator
			if t.Kind == types.Array {
				i := g.Int64N(n)
				name := "[" + itoa(i) + "]"
				if g.IntN(4) == 0 {
					name = "[" + itoa(i) + " ... " + itoa(min(n-1, i+1)) + "]"
				}
				parts = append(parts, name+" = "+g.list(t.Elem, depth+1))
				continue
			}
			if f := &t.Record.Fields[g.IntN(int(n))]; f.Name != "" && (f.Type.Kind != types.Struct || len(f.Type.Record.Fields) > 0) {
				name := "." + f.Name
				if f.Type.Kind == types.Array && g.IntN(3) == 0 {
					parts = append(parts, name+"["+itoa(g.Int64N(f.Type.Len))+"] = "+g.list(f.Type.Elem, depth+1))
					continue
				}
				parts = append(parts, name+" = "+g.list(f.Type, depth+1))
			}
		default:
			parts = append(parts, g.pick("1", "2", "77", "{ 5 }", "{ }", "0x12", "'a'"))
		}
	}
	return "{ " + strings.Join(parts, ", ") + g.pick("", ",") + " }"
}

// TestInitializerBytes compares the bytes of random initialized objects with gcc.
func TestInitializerBytes(t *testing.T) {
	const batch = 150
	for n := range programs(2, 40) {
		g := &generator{Rand: rand.New(rand.NewPCG(uint64(n), 4))}
		u := parsed(t, initialized+"struct P P; struct Q Q; struct R R; union U U; struct R A[2];\n")
		var lines []string
		for i := range batch {
			name := g.pick("P", "Q", "R", "U", "A")
			lines = append(lines, fmt.Sprintf("__typeof__(%s) x%d = %s;", name, i, g.list(u.Lookup(name).Type, 0)))
		}
		head := initialized + "struct P P; struct Q Q; struct R R; union U U; struct R A[2];\n"
		// Lists that gcc refuses are left out.
		_, says := accepts(t, head+strings.Join(lines, "\n")+"\n")
		text, main, want := head, "int printf(const char *, ...);\nstatic void show(const void *p, unsigned long n) { for (unsigned long i = 0; i < n; i++) printf(\"%02x\", ((const unsigned char *)p)[i]); printf(\"\\n\"); }\nint main(void) {\n", ""
		var kept []string
		for i, line := range lines {
			if strings.Contains(says, fmt.Sprintf("<stdin>:%d:", i+1+strings.Count(head, "\n"))) {
				continue
			}
			v, _ := parseDefault(head + line + "\n")
			o := v.Lookup(fmt.Sprintf("x%d", i))
			if len(v.Problems) > 0 {
				t.Errorf("seed %d: %s\n%s", n, v.Problems[0].Message, line)
				continue
			}
			text += line + "\n"
			kept = append(kept, line)
			main += fmt.Sprintf("show(&x%d, sizeof x%d);\n", i, i)
			want += hex.EncodeToString(render(t, v, o)) + "\n"
		}
		if len(kept) < batch/3 {
			t.Errorf("seed %d: only %d of %d lists are correct", n, len(kept), batch)
		}
		got := strings.Split(output(t, text+main+"}\n"), "\n")
		for i, w := range strings.Split(want, "\n") {
			if got[i] != w {
				t.Fatalf("seed %d: gcc says\n%s, we say\n%s\n%s", n, got[i], w, kept[i])
			}
		}
	}
}

// render returns the bytes of an initialized object.
func render(t *testing.T, u *parse.Unit, o *parse.Object) []byte {
	t.Helper()
	out := make([]byte, o.Type.Size())
	for _, item := range o.Init.Items {
		for k := range item.Count {
			at := item.Offset + k*item.Stride
			switch {
			case item.Expr == nil:
				clear(out[at : at+item.Type.Size()])
			case item.Expr.Op == parse.StringConst:
				clear(out[at : at+item.Type.Size()])
				for i, c := range item.Expr.Val.Units {
					if int64(i) < item.Type.Len {
						out[at+int64(i)] = byte(c)
					}
				}
			default:
				v, ok := u.Fold(item.Expr)
				if !ok {
					t.Fatal("no constant")
				}
				if item.Field == nil {
					copy(out[at:at+item.Type.Size()], bytesOf(v, item.Type))
					continue
				}
				for bit := range item.Field.Bits {
					pos := (at-item.Field.Offset)*8 + item.Field.BitOffset + bit
					out[pos/8] &^= 1 << (pos % 8)
					out[pos/8] |= byte(v.Int.Lo>>bit&1) << (pos % 8)
				}
			}
		}
	}
	return out
}
