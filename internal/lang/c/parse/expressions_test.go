package parse_test

import (
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"fencepost/internal/lang/c/parse"
	"fencepost/internal/lang/c/types"
)

const declarations = `
struct S { int a; unsigned b : 3; int c : 32; unsigned long d : 40; long e : 20; char f; short g[4]; struct S *next; _Bool h : 1; const long k; union { int u1; char u2[4]; }; };
enum E { E0, E1 = 5, E2 = -3 }; enum F { F0, F1 = 0xffffffffu }; enum G { G0 = 1L << 40, G1 = -1 }; enum H { H0, H1 = 7 };
char c; signed char sc; unsigned char uc; short s; unsigned short us; int i; unsigned u; long l; unsigned long ul; long long ll; unsigned long long ull;
__int128 t; unsigned __int128 ut; _Bool b; float f; double d; long double ld; _Float128 q; const int ci; volatile long vl; int *pi; const int *pci; int *const cpi;
void *pv; const void *pcv; char *pc; const volatile char *pcvc; int arr[5]; const short arr2[3][4]; int (*fn)(int, char); int func(int, char); struct S st; const struct S cst;
struct S *ps; enum E ee; enum F ef; enum G eg; enum H eh; _Atomic int ai; const _Atomic long cal; _Complex double z; _Complex float zf; void vf(void); double df(); _Float32 f32; _Float64 f64; _Float32x f32x;
int (*parr)[5]; char *const *ppc;
`

var (
	integers = []string{"c", "sc", "uc", "s", "us", "i", "u", "l", "ul", "ll", "ull", "t", "ut", "b", "ci", "vl", "ee", "ef", "eg", "eh", "ai", "cal", "E1", "E2", "F1", "G0", "H1", "st.a", "st.b", "st.c", "st.d", "st.e", "st.h",
		"cst.k", "ps->b", "ps->g[1]", "*pi", "arr[2]", "arr2[1][2]", "'a'", "L'a'", "u'a'", "U'a'", "1", "1u", "1l", "1ul", "0x80000000", "2147483648", "0xffffffffffffffff", "4294967296", "1ll", "sizeof i", "_Alignof(int)", "fn(1, 2)", "func(1, 'x')",
		"\"abc\"[1]", "*pc", "*pcvc", "st.u1", "st.u2[1]", "__builtin_offsetof(struct S, g)", "__builtin_popcount(3)", "(char)1", "pi - pci", "pi == pci", "!pv", "pv < pcv", "&st == ps"}
	floats   = []string{"f", "d", "ld", "q", "1.0", "1.0f", "1.0L", "1e3", "0x1p3f", "df()", "f32", "f64", "f32x", "1.0f32", "1.0f64", "2.0q"}
	pointers = []string{"pi", "pci", "cpi", "pv", "pcv", "pc", "pcvc", "arr", "arr2", "fn", "func", "ps", "&i", "&arr", "&st", "&arr2[1]", "\"abc\"", "L\"abc\"", "u8\"x\"", "&st.g", "st.next", "&cst.k", "&vl", "parr", "*parr", "*ppc", "arr + 1", "&arr[1] - 1", "(void *)0", "(const struct S *)0", "&func", "*fn", "&*pv", "ppc", "&cst", "cst.g", "&ai", "&cal", "(int[]){1, 2}", "&(struct S){1}"}
)

// arithmetic returns an expression that is a number.
func (g *generator) arithmetic(depth int) string {
	if depth == 0 {
		if g.IntN(5) == 0 {
			return g.pick(floats...)
		}
		return g.pick(integers...)
	}
	a, b := "("+g.arithmetic(depth-1)+")", "("+g.arithmetic(g.IntN(depth))+")"
	switch g.IntN(14) {
	case 0:
		return g.pick("-", "+", "!") + a
	case 1:
		return "~(" + g.integer(depth-1) + ")"
	case 2:
		return "(" + g.integer(depth-1) + ")" + g.pick("<<", ">>", "%", "&", "|", "^") + "(" + g.integer(depth-1) + ")"
	case 3:
		return a + " ? " + b + " : (" + g.arithmetic(depth-1) + ")"
	case 4:
		return "(" + g.pick("char", "unsigned short", "int", "unsigned", "long", "unsigned __int128", "float", "double", "long double", "_Bool", "enum E", "enum F", "const int", "_Float128") + ")" + a
	case 5:
		return a + " , +" + b
	case 6:
		return a + " ?: " + b
	case 7:
		return g.pick("i", "c", "us", "l", "f", "st.a", "*pi", "arr[1]", "b", "ee", "uc", "ai") + g.pick(" = ", " += ", " -= ", " *= ") + a
	case 8:
		return g.pick("i++", "--c", "us--", "++f", "+st.b++", "-++st.d", "l--", "++b", "ai++", "~st.e--")
	case 9:
		return a + g.pick("&&", "||", "==", "<", ">=", "!=") + b
	default:
		return a + g.pick("+", "-", "*", "/") + b
	}
}

func (g *generator) integer(depth int) string {
	if depth <= 0 {
		return g.pick(integers...)
	}
	return "(" + g.integer(depth-1) + ")" + g.pick("+", "*", "&", "<<", "%") + "(" + g.integer(depth-2) + ")"
}

// pointer returns an expression that is a pointer or an array.
func (g *generator) pointer() string {
	a, b := g.pick(pointers...), g.pick(pointers...)
	switch g.IntN(8) {
	case 0:
		return "i ? (" + a + ") : (" + b + ")"
	case 1:
		return "i ? (" + a + ") : " + g.pick("0", "(void *)0", "0L")
	case 2:
		return "(" + a + ") + 0"
	case 3:
		return "(0, " + a + ")"
	case 4:
		return "&*(" + a + ")"
	case 5:
		return "(" + a + ") ?: (" + b + ")"
	case 6:
		return "*(" + a + ")"
	default:
		return a
	}
}

// TestTypes compares the types of random expressions with gcc.
func TestTypes(t *testing.T) {
	const batch = 200
	for n := range programs(3, 60) {
		g := &generator{Rand: rand.New(rand.NewPCG(uint64(n), 2))}
		text := declarations
		var exprs []string
		for len(exprs) < batch {
			e := g.arithmetic(g.IntN(4))
			if g.IntN(3) == 0 {
				e = g.pointer()
			}
			exprs = append(exprs, e)
		}
		// Expressions that gcc refuses are left out, and must be refused here too.
		for i, e := range exprs {
			text += fmt.Sprintf("extern __typeof__(%s) x%d;\n", e, i)
		}
		_, says := accepts(t, text)
		refused := map[int]bool{}
		for line := range strings.Lines(says) {
			var at, col int
			if _, err := fmt.Sscanf(line, "<stdin>:%d:%d: error:", &at, &col); err == nil {
				refused[at-1-strings.Count(declarations, "\n")] = true
			}
		}
		text = declarations
		for i, e := range exprs {
			if !refused[i] {
				text += fmt.Sprintf("extern __typeof__(%s) x%d;\n", e, i)
			}
		}
		u := parsed(t, text)
		for i := range exprs {
			if o := u.Lookup(fmt.Sprintf("x%d", i)); o != nil && o.Type.Width == 0 {
				text += fmt.Sprintf("_Static_assert(__builtin_types_compatible_p(__typeof__(x%d), %s), \"%d\");\n", i, named(o.Type), i)
				if o.Type.Kind != types.Function && o.Type.Kind != types.Void {
					text += fmt.Sprintf("_Static_assert(sizeof x%d == %d && _Generic(&x%d, %s: 1, default: 0), \"%d\");\n", i, o.Type.Size(), i, named(types.PointerTo(o.Type)), i)
				}
			}
		}
		if ok, says := accepts(t, text); !ok {
			t.Fatalf("seed %d: %s", n, excerpt(text, says))
		}
	}
}

// named returns a type as C writes it, without the name of parameters.
func named(t *types.Type) string { return strings.ReplaceAll(t.String(), "restrict", "") }

// excerpt returns the first lines that gcc complains about.
func excerpt(text, says string) string {
	lines := strings.Split(text, "\n")
	out := ""
	for line := range strings.Lines(says) {
		var at, col int
		if _, err := fmt.Sscanf(line, "<stdin>:%d:%d: error:", &at, &col); err == nil {
			out += line + lines[at-1] + "\n"
			var i int
			if k := strings.LastIndex(lines[at-1], "\""); k > 0 {
				fmt.Sscanf(lines[at-1][strings.LastIndex(lines[at-1][:k], "\"")+1:], "%d", &i)
				for _, l := range lines {
					if strings.HasSuffix(l, fmt.Sprintf(" x%d;", i)) {
						out += l + "\n"
					}
				}
			}
			if len(out) > 1500 {
				break
			}
		}
	}
	return out
}

// constant returns a constant expression.
func (g *generator) constant(depth int) string {
	if depth == 0 {
		if g.IntN(4) == 0 {
			return g.pick("1.5", "0.1f", "1e10", "3.0L", "0x1.8p-3", "1e-310", "0.1", "1e300", "2.5f", "-0.0", "1e20", "0.1L", "1e-45f", "16777217.0f", "1.1q")
		}
		return g.pick("0", "1", "2", "7", "-1", "255", "256", "0x7fffffff", "0x80000000", "0xffffffff", "-2147483647-1", "1L", "0xffffffffffffffff", "0x7fffffffffffffffL", "'a'", "'\\377'", "3u", "5ul",
			"100000", "E1", "E2", "F1", "G0", "sizeof(int)", "sizeof(struct S)", "(char)200", "(unsigned char)300", "(short)40000", "1LL << 40", "(__int128)1 << 100", "-(unsigned __int128)3", "_Alignof(double)", "L'\\xffff'", "u'\\xffff'", "__builtin_offsetof(struct S, g[2])",
			"(long)&((struct S *)0)->f", "\"abc\"[1]", "__builtin_popcountl(77)", "__builtin_bswap32(1)", "__builtin_clz(5)", "__builtin_ctzl(8)", "__builtin_constant_p(1)", "__builtin_strlen(\"hello\")", "__builtin_expect(3, 1)")
	}
	a, b := "("+g.constant(depth-1)+")", "("+g.constant(g.IntN(depth))+")"
	switch g.IntN(13) {
	case 0:
		return g.pick("-", "+", "!") + a
	case 1:
		return "~(long)" + a
	case 2:
		return "(" + g.pick("int", "unsigned", "long", "unsigned long", "__int128", "short", "unsigned char") + ")" + a + g.pick("<<", ">>") + "((int)" + b + " & 15)"
	case 3:
		return a + " ? " + b + " : (" + g.constant(depth-1) + ")"
	case 4, 5:
		return "(" + g.pick("char", "signed char", "unsigned char", "unsigned short", "short", "int", "unsigned", "long", "unsigned long", "__int128", "unsigned __int128", "float", "double", "long double", "_Bool", "enum E") + ")" + a
	case 6:
		return "(long)" + a + g.pick("&", "|", "^", "%", "/") + "(" + g.pick("long", "unsigned long", "int", "unsigned") + ")" + b
	case 7:
		return a + g.pick("&&", "||") + b
	case 8:
		return a + g.pick("==", "!=", "<", ">", "<=", ">=") + b
	case 9:
		return a + " ?: " + b
	default:
		return a + g.pick("+", "-", "*", "/") + b
	}
}

// TestConstants compares the values of random constant expressions with gcc.
func TestConstants(t *testing.T) {
	const batch = 200
	for n := range programs(3, 60) {
		g := &generator{Rand: rand.New(rand.NewPCG(uint64(n), 3))}
		text := declarations
		for i := range batch {
			e := g.constant(g.IntN(5))
			text += fmt.Sprintf("__typeof__(%s) x%d = %s;\n", e, i, e)
		}
		s := unparsed(text)
		u, _ := s.unit, s.says
		text = declarations
		lines := strings.Split(s.text, "\n")
		main := "int printf(const char *, ...);\nstatic void show(const void *p, unsigned long n) { for (unsigned long i = 0; i < n; i++) printf(\"%02x\", ((const unsigned char *)p)[i]); printf(\"\\n\"); }\nint main(void) {\n"
		want, count := "", 0
		var kept []string
		for i := range batch {
			o := u.Lookup(fmt.Sprintf("x%d", i))
			if o == nil || o.Init == nil || o.Init.Expr == nil {
				continue
			}
			v, ok := u.Fold(o.Init.Expr)
			if !ok || v.Kind == parse.AddressValue {
				continue
			}
			count++
			line := lines[strings.Count(declarations, "\n")+i]
			text += line + "\n"
			kept = append(kept, line)
			size := o.Type.Size()
			if o.Type.Kind == types.LongDouble {
				size = 10
			}
			main += fmt.Sprintf("show(&x%d, %d);\n", i, size)
			want += hex.EncodeToString(bytesOf(v, o.Type)[:size]) + "\n"
		}
		if count < batch/2 {
			t.Errorf("seed %d: only %d of %d expressions are constants", n, count, batch)
		}
		got := strings.Split(output(t, text+main+"}\n"), "\n")
		for i, w := range strings.Split(want, "\n") {
			if got[i] != w {
				t.Fatalf("seed %d: gcc says %s, we say %s\n%s", n, got[i], w, kept[i])
			}
		}
	}
}

type parsedText struct {
	unit *parse.Unit
	says string
	text string
}

// unparsed parses a text that may have mistakes.
func unparsed(text string) parsedText {
	u, says := parseDefault(text)
	return parsedText{u, says, text}
}

// bytesOf returns the bytes of a constant in memory.
func bytesOf(v parse.Value, t *types.Type) []byte {
	out := make([]byte, 16)
	put := func(at int, x uint64, n int) {
		for i := range n {
			out[at+i] = byte(x >> (8 * i))
		}
	}
	switch {
	case v.Kind == parse.IntValue:
		put(0, v.Int.Lo, 8)
		put(8, v.Int.Hi, 8)
	case t.Kind == types.Float:
		put(0, uint64(math.Float32bits(float32(v.Float.Bits64))), 4)
	case t.Kind == types.Double:
		put(0, math.Float64bits(v.Float.Bits64), 8)
	case v.Float.Big == nil:
		put(0, 0, 8)
	case v.Float.Big.IsInf():
		sign := uint64(0)
		if v.Float.Big.Signbit() {
			sign = 0x8000
		}
		if t.Kind == types.LongDouble {
			put(0, 1<<63, 8)
			put(8, 0x7fff|sign, 2)
		} else {
			put(14, 0x7fff|sign, 2)
		}
	default:
		wide(v.Float.Big, t, put)
	}
	return out
}

// wide writes the bytes of a long double or a _Float128.
func wide(x *big.Float, t *types.Type, put func(at int, x uint64, n int)) {
	sign := uint64(0)
	if x.Signbit() {
		sign = 0x8000
	}
	if x.Sign() == 0 {
		at := 14
		if t.Kind == types.LongDouble {
			at = 8
		}
		put(at, sign, 2)
		return
	}
	mant := new(big.Float)
	exp := x.MantExp(mant)
	bits := uint(64)
	if t.Kind == types.Float128 {
		bits = 113
	}
	m, _ := new(big.Float).SetMantExp(new(big.Float).Abs(mant), int(bits)).Int(nil)
	if t.Kind == types.LongDouble {
		put(0, m.Uint64(), 8)
		put(8, uint64(exp-1+16383)|sign, 2)
		return
	}
	m.SetBit(m, 112, 0)
	lo := new(big.Int).And(m, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
	hi := new(big.Int).Rsh(m, 64).Uint64()
	put(0, lo, 8)
	put(8, hi, 6)
	put(14, uint64(exp-1+16383)|sign, 2)
}
