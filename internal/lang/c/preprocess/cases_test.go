package preprocess_test

import (
	"os"
	"path/filepath"
	"testing"

	"fencepost/internal/testkit"
)

// TestCases compares small programs with gcc.
func TestCases(t *testing.T) {
	for _, flags := range [][]string{{}, {"-std=c17"}, {"-std=gnu2x"}, {"-std=c2x"}, {"-std=c89"}, {"-std=gnu89"}} {
		dir := t.TempDir()
		for name, text := range files {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for _, text := range cases {
			if len(flags) > 0 && !testkit.InPart(t, flags[0]+text, 8) {
				continue
			}
			agree(t, dir, text, append(flags, "-I", "inc", "-I", "inc2")...)
		}
	}
}

var files = map[string]string{
	"h.h":         "#ifndef H\n#define H\nh1\n#endif\n",
	"once.h":      "#pragma once\nonce1 __INCLUDE_LEVEL__ __FILE__\n",
	"multi.h":     "multi __LINE__ __FILE__ __COUNTER__\n",
	"inc/n.h":     "n1 __FILE__\n#include_next <n.h>\n",
	"inc2/n.h":    "n2 __FILE__\n",
	"inc/sub/a.h": "#include \"b.h\"\n",
	"inc/sub/b.h": "subb __FILE__ __BASE_FILE__ __INCLUDE_LEVEL__\n",
	"guard2.h":    "/* c */\n#if !defined(G2)\n#define G2\ng2\n#endif\n",
	"noguard.h":   "#ifndef NG\nng\n#endif\ntail\n",
	"funend.h":    "f",
	"else.h":      "#ifndef EL\n#define EL\nfirst\n#else\nsecond\n#endif\n",
}

var cases = []string{
	"#define a b\n#define b a\na b a\n",
	"#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)\n",
	"#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n#define h g(~\n#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n#define q(x) x\n#define r(x,y) x ## y\n#define str(x) # x\nf(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\ng(x+(3,4)-w) | h 5) & m\n(f)^m(m);\np() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };\nchar c[2][6] = { str(hello), str() };\n",
	"#define str(s) # s\n#define xstr(s) str(s)\n#define debug(s, t) printf(\"x\" # s \"= %d, x\" # t \"= %s\", x ## s, x ## t)\n#define INCFILE(n) vers ## n\n#define glue(a, b) a ## b\n#define xglue(a, b) glue(a, b)\n#define HIGHLOW \"hello\"\n#define LOW LOW \", world\"\ndebug(1, 2);\nfputs(str(strncmp(\"abc\\0d\", \"abc\", '\\4') // this goes away\n== 0) str(: @\\n), s);\nxstr(INCFILE(2).h)\nglue(HIGH, LOW);\nxglue(HIGH, LOW)\n",
	"#define t(x,y,z) x ## y ## z\nint j[] = { t(1,2,3), t(,4,5), t(6,,7), t(8,9,), t(10,,), t(,11,), t(,,12), t(,,) };\n",
	"#define debug(...) fprintf(stderr, __VA_ARGS__)\n#define showlist(...) puts(#__VA_ARGS__)\n#define report(test, ...) ((test)?puts(#test): printf(__VA_ARGS__))\ndebug(\"Flag\");\ndebug(\"X = %d\\n\", x);\nshowlist(The first, second, and third items.);\nreport(x>y, \"x is %d but y is %d\", x, y);\n",
	"#define e(f, a...) p(f, ## a)\n#define e2(f, ...) p(f, ## __VA_ARGS__)\n#define e3(...) p(x, ## __VA_ARGS__)\ne(1) e(1,) e(1,2,3) e2(1) e2(1,) e2(1,2) e3() e3(1) e3(1,2)\n",
	"#define F(a,...) f(0 __VA_OPT__(,) __VA_ARGS__)\n#define G(X, ...) f(0, X __VA_OPT__(,) __VA_ARGS__)\n#define SDEF(sname, ...) S sname __VA_OPT__(= { __VA_ARGS__ })\n#define EMP\nF(a,b,c) F() F(EMP) F(a) F(a,) F(a,EMP) G(a, b, c) G(a, ) G(a) SDEF(foo); SDEF(bar, 1, 2);\n",
	"#define H2(X, Y, ...) __VA_OPT__(X ## Y,) __VA_ARGS__\n#define H3(X, ...) #__VA_OPT__(X##X X##X)\n#define H4(X, ...) __VA_OPT__(a X ## X) ## b\n#define H5A(...) __VA_OPT__()/**/__VA_OPT__()\n#define H5B(X) a ## X ## b\n#define H5C(X) H5B(X)\nH2(a, b, c, d) H3(, 0) H4(, 1) H5C(H5A()) H3(x,y) H3(x)\n",
	"#define m1(...) a ## __VA_OPT__(b c) ## d\n#define m2(x, ...) #__VA_OPT__(x __VA_ARGS__) x\nm1() m1(1) m2(1) m2(1,2  3, 4) m2(\"a\\n\", 'b', \"c\")\n",
	"__LINE__ __FILE__ __COUNTER__ __COUNTER__ __INCLUDE_LEVEL__ __DATE__ __TIME__ __BASE_FILE__\n#line 100 \"foo.c\"\n__LINE__ __FILE__\n# 7 \"bar.c\" 3\n__LINE__ __FILE__\n#line 5\n__LINE__ __FILE__\n",
	"#define f(x) x __LINE__\n#define g __LINE__\n#define id(x) x\nf(\n__LINE__\n__LINE__\n) __LINE__\ng\nid(\ng\n) id(__LINE__\n__LINE__) f\n(\n3) id(id(\n__LINE__ g))\nid\n\n(__LINE__ g f(1))\n",
	"#include \"h.h\"\n#include \"h.h\"\n#include \"once.h\"\n#include \"once.h\"\n#include \"multi.h\"\n#include \"multi.h\"\n#include <n.h>\n#include <sub/a.h>\n#include \"guard2.h\"\n#include \"guard2.h\"\n#include \"noguard.h\"\n#define NG\n#include \"noguard.h\"\n#include \"else.h\"\n#include \"else.h\"\n",
	"#define f(x) [x]\n#include \"funend.h\"\n(3)\n",
	"#define X \"multi.h\"\n#define Y <n.h>\n#define Z <sub/ a.h>\n#define n m\n#include X\n#define A <\n#include A sub/a.h>\n",
	"#if __has_include(\"h.h\") && !__has_include(\"no.h\") && __has_include(<n.h>)\nyes\n#endif\n#ifdef __has_include\nyes\n#endif\n#if __has_include_next(<n.h>)\ny\n#else\nn\n#endif\n#define S <n.h>\n#if __has_include(S)\nz\n#endif\n",
	"__has_attribute(packed) __has_attribute(__packed__) __has_attribute(nope) __has_c_attribute(fallthrough) __has_cpp_attribute(gnu::packed) __has_c_attribute(gnu::packed) __has_builtin(__builtin_expect) __has_builtin(nope) __has_attribute(deprecated) __has_attribute(fallthrough) __has_attribute(nodiscard) __has_attribute(maybe_unused) __has_attribute(gnu::unused) __has_c_attribute(nodiscard) __has_c_attribute(__deprecated__) __has_c_attribute(foo::bar) __has_c_attribute(maybe_unused)\n#if __has_attribute(aligned) && __has_builtin(__builtin_trap)\nboth\n#endif\n",
	"#if 1 + 2 * 3 == 7 && (1 ? 2 : 3) == 2 && -1 < 0 && -1 > 0u && (2 || 1 / 0) && !(0 && 1 / 0) && (1 ? 1 : 1 / 0)\nok\n#endif\n#if 'a' == 97 && '\\377' < 0 && 'ab' == 24930 && L'\\xffff' == 65535 && '\\x7f' == 127\nchar\n#endif\n#if 0x10 == 16 && 010 == 8 && 0b11 == 3 && 1ULL == 1 && 18446744073709551615u == -1\nnum\n#endif\n#if 9223372036854775807 + 1 < 0\nwrap\n#endif\n#if (-1 >> 1) == -1 && (1 << 70) == 0 && (8 >> -1) == 16\nshift\n#endif\n#if ~0u == 18446744073709551615u\nt\n#endif\n#if (2, 3) == 3\ncomma\n#endif\n",
	"#if foo\n#elif 1\ny\n#else\nn\n#endif\n#ifdef A\n#elifdef B\n#elifndef C\nelifndef\n#else\nelse\n#endif\n",
	"#if 0\n#elif 1 / 0\n#endif\n", "#if 1\n#elif 1 / 0\n#elif garbage (\n#endif\n", "#if 1\nunterminated\n", "#endif\n", "#else\n", "#if 0\n#else\n#else\n#endif\n", "#if 1\n#else\n#elif 1\n#endif\n",
	"#define\n", "#define 3\n", "#define defined\n", "#undef defined\n", "#define f(a,a) a\n", "#define f(a) #b\n", "#define f(a) ## a\n", "#define f(a) a ##\n", "#define f(__VA_ARGS__) a\n", "#define o # b\no\n", "#define f( x\n", "#define f(...,x) x\n",
	"#define f(x) x\nf(1,2)\n", "#define f(x,y) x\nf(1)\n", "#define f() x\nf(1)\n", "#define f() x\nf( )f()\n", "#define f(x) [x]\nf() f( ) f((,))\n", "#define f(x) x\nf(1\n", "#define f(x) x\nf\n",
	"#define c(a,b) a##b\nc(+,+) c(.,1) c(1,.5) c(L,'a') c(L,\"x\") c(<,<=) c(%:,%:) c(x,1) c(-,>) c(u8,\"x\") c(e,+)\n", "#define c(a,b) a##b\nc(1e,+) c(0x,1p)\n", "#define c(a,b) a##b\nc(/,/)\n", "#define c(a,b) a##b\nc(x,+)\n", "#define c(a,b) a##b\nc(\"a\",\"b\")\n", "#define c(a,b) a##b\nc(:,:)\n",
	"#define EMPTY\n#define LPAREN (\n#define RPAREN )\n#define F(x, y) x + y\n#define ELLIP_FUNC(...) __VA_ARGS__\nELLIP_FUNC(F, LPAREN, 'a', 'b', RPAREN);\nF EMPTY (1,2) F LPAREN 1,2 RPAREN\n",
	"#define foo() bar\nfoo\n()\nfoo\n#define x\n()\n", "#define foo(x) bar x\nfoo (a\n#define y 1\n y\n#undef foo\n#define foo(x) baz\n) foo(y)\n", "#define foo(x) bar x\nfoo(1\n#if 0\n2\n#else\n3\n#endif\n)\n",
	"#define NIL(xxx) xxx\n#define G_0(arg) NIL(G_1)(arg)\n#define G_1(arg) NIL(arg)\nG_0(42)\n", "#define AA BB\n#define BB AA CC\n#define CC BB\nAA BB CC\n", "#define f(x) f\nf(1)(2)(3)\n#define g(x) x g\ng(1)(2) (3)\n", "#define foo(X) X foo(X)\nfoo(foo(1)) foo foo(2)\n",
	"#define s(x) #x\n#define xs(x) s(x)\n#define e\n#define sp  a  +  b\n#define fn(x) [x]\ns( a  b\n c ) xs(sp) xs(e) xs( e e ) xs(a e b) xs(fn(1)fn( 2 ) fn) xs(-fn(-)) xs(e-e) s() s(\"\\n\" '\"' L\"\\\\\") xs((e)) xs(fn e (1)) xs(fn\n(1)) xs(a/**/b) xs(a/**/ /**/b) s(a/**/b)\n",
	"#define s(x) #x\n#define xs(x) s(x)\n#define f(x) x\n#define g(x) < x >\n#define h(x)<x>\nxs(f(a)) xs(f( a )b) xs(g(a)b) xs(h(a) b) xs(h( a )) xs(f(f)(x)) xs(f(f) (x)) xs(f (f) (x) y) xs(.f(f)) xs(f.f( )) xs(f(\n)x)\n",
	"#define s(x) #x\ns(\\) s(\\\\) s('\\''a) s(@ ` \\n)\n", "#define cat(x,y) x ## y\n#define xcat(x,y) cat(x,y)\n#define one 1\n#define AB ab\nxcat(A,B) cat(A,B) xcat(one,one) cat(one,one) xcat(xcat(A,B),C) cat(cat(1,2),3)\n", "#define hash_hash # ## #\n#define mkstr(a) # a\n#define in_between(a) mkstr(a)\n#define join(c, d) in_between(c hash_hash d)\nchar p[] = join(x, y);\n",
	"#pragma foo bar\na\n_Pragma(\"omp parallel\") b _Pragma(\"x \\\"y\\\" \\\\ z\")\n#define P(x) _Pragma(#x) x\nP(GCC diag)\n#define N 4\n#pragma foo N\n", "#define M 1\n#pragma push_macro(\"M\")\n#undef M\n#define M 2\nM\n#pragma pop_macro(\"M\")\nM\n", "#pragma GCC poison bad\nok bad\n", "#pragma GCC poison bad\n#ifdef bad\n#endif\n", "#pragma GCC error \"x\"\n", "_Pragma\n", "_Pragma(x)\n", "#if defined _Pragma\nx\n#endif\n", "#ifdef _Pragma\nx\n#endif\n",
	"a\\\nb \"x\\\ny\" // c \\\nd\ne /* \\\n*/ f\\ \ng\n#def\\\nine X\\\nY 1\nXY\n__LINE__\n", "a??=b??(c??/\nd??'e??<f??!g??>h??-i ???/\nj\n", "<: :> <% %> %: %:%: %:\n%:define Q 1\nQ\n", "R\"(a\\\nb)\" R\"x(a)y\")x\" u8R\"(z)\" LR\"(\n)\" uR\"(q)\"\n", "u8\"a\" u\"b\" U\"c\" L\"d\" u'e' U'f' L'g' u8'h'\n", "1'000'000 0x1'f 1e+5 0x1p+3 1.2.3 .5e-x 1_a$\n", "\\u00c1b \\U000000c1 Áx\n#define Á 1\n\\u00c1 Á\n", "'abc\n", "\"abc\n", "it's\n\"a", "#if 0\nit's /* */ \"\n'\n#endif\nb\n", "#if 0\n\" /* \"\n#endif\n/* */b\n", "#if 0\n/*\n#endif\n*/\n#endif\nx\n", "/* no end\n", "@ ` $a a$ \\ x\n", "a::b : : :: ::: :>\n", "...... .. .\n", "+++++ --- -->> <<<= >>>=\n", "a/**/b/ /c/*/*/d//e\nf\n", "#\n# /* x */\n#!\n", "#nope\n", "#if 0\n#nope\n#endif\n", "#embed <x>\n", "# define Z 3 // c\nZ /**/ Z\n", "  #  define Z 3\n/* */ # define W 4\nZ W\n", "x # define Z 3\nZ\n", "#error x's\n", "#warning x's\na\n", "#ident \"x\"\na\n", "#line x\n", "#line 1 x\n", "#line\n", "#include\n", "#include foo\n", "#include <foo\n", "#include \"\"\n", "#include \"nofile.h\"\n", "#if\n#endif\n", "#if 1 2\n#endif\n", "#if (1\n#endif\n", "#if 1.0\n#endif\n", "#if \"a\"\n#endif\n", "#if a = 1\n#endif\n", "#if defined\n#endif\n", "#if defined(\n#endif\n", "#if defined(a\n#endif\n", "#if 1 ? 2\n#endif\n", "#if 09\n#endif\n", "#if 0x\n#endif\n", "#if 1ull\na\n#endif\n#if 1lul\n#endif\n", "#if ''\n#endif\n", "#if __has_include\n#endif\n", "#if __has_include(\n#endif\n", "#if __has_include(x)\n#endif\n", "#if __has_attribute\n#endif\n", "__has_include(<a>)\n", "__has_attribute(1)\n", "#ifdef\n#endif\n", "#ifdef 3\n#endif\n", "#if 1 == 1L && true\na\n#endif\n#if true\nt\n#else\nf\n#endif\n", "__VA_ARGS__ __VA_OPT__ x\n", "#define f(x) __VA_ARGS__\nf(1)\n", "#define f(x) __VA_OPT__(x)\nf(1)\n", "#define f(x...) __VA_ARGS__ x\nf(1)\n", "#define f(...) __VA_OPT__ x\n", "#define f(...) __VA_OPT__(x\n", "#define f(...) __VA_OPT__(## x)\n", "#define f(...) __VA_OPT__(x ##)\n", "#define f(...) __VA_OPT__(__VA_OPT__())\n",
	"#define f(x, ...) x ## __VA_ARGS__ , ## __VA_ARGS__ y\nf(a) f(a,) f(a,b) f(a,b,c) f(,b)\n", "#define f(...) a, ## __VA_ARGS__ ## b\nf() f(1) f(1,2)\n", "#define A(x...) [x]\n#define B A(1\nB,2) A(,) A()\n", "#define i(x) h(x\n#define h(x) x(void) \ni(i))\n", "#define apply(f, ...) f(__VA_ARGS__)\n#define add(a, b) a + b\napply(add, 1, 2) apply(apply, add, 3, 4)\n", "#define DEFER(x) x EMPTY()\n#define EMPTY()\n#define A() 123\n#define EXPAND(x) x\nDEFER(A)() EXPAND(DEFER(A)())\n", "#define REC() A REC2 ()()\n#define REC2() REC\n#define EVAL(x) E2(E2(E2(x)))\n#define E2(x) E3(E3(x))\n#define E3(x) x\nEVAL(REC())\n",
	"#define f(a) a __COUNTER__ a\nf(__COUNTER__) f(x)\n#if __COUNTER__ == 3\ny\n#endif\n__COUNTER__\n",
	"#define f(x) a x\nf(\n#pragma omp parallel\nb)\n",
	"#import \"multi.h\"\n#import \"multi.h\"\n",
	"#define __FILE__ 3\n__FILE__\n#undef __LINE__\n__LINE__\n", "#define X 1\n#define X 1\n#define X 2\nX\n",
}
