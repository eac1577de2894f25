package elf_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Whole C programs for TestGenerated: each function of a program uses one thing that compilers translate in many ways.

// generated is a program that can be made smaller: functions, each with statements that may be left out.
type generated struct {
	globals []string
	units   []genUnit
	threads int  // of the units, how many run as threads; 0: the program has one thread
	racy    bool // threads race on variables that are neither atomic nor volatile
}

// genUnit is a function f(a) with the statements of its body, and what comes before it.
type genUnit struct {
	before []string
	body   []string
	result string
}

const generatedPrelude = `#include <assert.h>
#include <string.h>
#include <stdlib.h>
#include <stdarg.h>
#include <setjmp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#define NI __attribute__((noinline))
typedef unsigned char u8; typedef unsigned short u16; typedef unsigned u32; typedef unsigned long u64;
volatile int n0 = 0, n1 = 1, n2 = 2, n3 = 3; u64 sum = 1; int garr[16]; static u8 gch[32]; static u64 gl[4]; unsigned long out;
`

// text returns the program; last is the end of main.
func (p *generated) text(last string) string {
	var b strings.Builder
	b.WriteString(generatedPrelude)
	for _, g := range p.globals {
		b.WriteString(g + "\n")
	}
	for i, u := range p.units {
		for _, line := range u.before {
			b.WriteString(line + "\n")
		}
		fmt.Fprintf(&b, "NI static u64 f%d(u64 a) {\n  u64 x = a + n1, y = 3;\n", i)
		for _, s := range u.body {
			b.WriteString("  " + s + "\n")
		}
		fmt.Fprintf(&b, "  return %s;\n}\n", u.result)
	}
	for i := range p.threads {
		fmt.Fprintf(&b, "static void *t%d(void *p) { got[%d] = f%d(%d); return 0; }\n", i, i, i, i+1)
	}
	b.WriteString("int main(void) {\n")
	if p.threads == 0 {
		b.WriteString("  for (int i = 0; i < 16; i++) garr[i] = i * 3; for (int i = 0; i < 32; i++) gch[i] = i * 9;\n")
		for i := range p.units {
			fmt.Fprintf(&b, "  sum = sum * 31 + f%d(sum & 63);\n", i)
		}
	} else {
		b.WriteString("  pthread_t t[3];\n")
		for i := 1; i < p.threads; i++ {
			fmt.Fprintf(&b, "  pthread_create(&t[%d], 0, t%d, 0);\n", i, i)
		}
		b.WriteString("  t0(0);\n")
		for i := 1; i < p.threads; i++ {
			fmt.Fprintf(&b, "  pthread_join(t[%d], 0);\n", i)
		}
	}
	b.WriteString(last + "  return 0;\n}\n")
	return b.String()
}

// generation makes one program.
type generation struct {
	*rand.Rand
	p     *generated
	u     *genUnit
	fresh int
}

func (g *generation) line(format string, args ...any) {
	g.u.body = append(g.u.body, fmt.Sprintf(format, args...))
}
func (g *generation) before(format string, args ...any) {
	g.u.before = append(g.u.before, fmt.Sprintf(format, args...))
}
func (g *generation) pick(list ...string) string { return list[g.IntN(len(list))] }
func (g *generation) name(p string) string {
	g.fresh++
	return fmt.Sprintf("%s%d", p, g.fresh)
}

// expr is an expression of unsigned type without side effects.
func (g *generation) expr(d int) string {
	if d == 0 {
		return g.pick("x", "y", "a", "n1", "n2", "n3", "garr[n2]", "gch[x & 31]", "gl[y & 3]", "7", "100", "0x1234", "-1", "255")
	}
	switch o := g.pick("+", "-", "*", "^", "&", "|", "<", "==", "<<", ">>", "/"); o {
	case "<<", ">>":
		return fmt.Sprintf("((u64)%s %s ((%s) & 15))", g.expr(d-1), o, g.expr(d-1))
	case "/":
		return fmt.Sprintf("((u32)%s / (((u32)%s & 7) + 1))", g.expr(d-1), g.expr(d-1))
	default:
		return fmt.Sprintf("(%s %s %s)", g.expr(d-1), o, g.expr(d-1))
	}
}

func (g *generation) statement() string {
	to := g.pick("x", "y", "x", "y", "gl[x & 3]", "garr[y & 15]", "gch[x & 31]")
	switch g.IntN(5) {
	case 0:
		return fmt.Sprintf("if (%s) %s = %s; else y += 2;", g.expr(1), to, g.expr(1))
	case 1:
		return fmt.Sprintf("for (int i = 0; i < n%d; i++) %s += %s + i;", 1+g.IntN(3), to, g.expr(1))
	}
	return fmt.Sprintf("%s %s %s;", to, g.pick("=", "+=", "^=", "-="), g.expr(2))
}

// program makes a program with one thread.
func (g *generation) program() *generated {
	for range 2 + g.IntN(4) {
		g.u = &genUnit{result: "x * 3 + y"}
		if g.IntN(3) == 0 {
			g.line("%s", g.statement())
		}
		g.feature()
		if g.IntN(3) == 0 {
			g.line("%s", g.statement())
		}
		g.p.units = append(g.p.units, *g.u)
	}
	return g.p
}

func (g *generation) feature() {
	common := []func(){g.array, g.array, g.structure, g.structure, g.structure, g.switches, g.switches, g.switches, g.pointers, g.threadLocals, g.statics, g.strings, g.unions, g.small, g.copies, g.wide, g.recursion, g.heap}
	rare := []func(){g.varargs, g.variable, g.jumps, g.gotos, g.gotos, g.gotos} // mostly not supported
	if g.IntN(25) == 0 {
		rare[g.IntN(len(rare))]()
		return
	}
	common[g.IntN(len(common))]()
}

func (g *generation) array() {
	for range 1 + g.IntN(2) {
		v, t, size := g.name("v"), g.pick("int", "char", "short", "long", "u8", "u16"), []int{3, 4, 6, 8, 12, 20, 33, 50}[g.IntN(8)]
		index := fmt.Sprintf("(x + n%d) %% %d", g.IntN(4), size)
		g.line("%s%s %s[%d]; for (int i = 0; i < %d; i++) %s[i] = i * %d + x;", g.pick("volatile ", ""), t, v, size, size, v, 1+g.IntN(9))
		g.line("%s[%s] = %s;", v, index, g.expr(1))
		switch g.IntN(3) {
		case 0:
			g.line("{ u64 s = 0; for (int i = %d; i-- > 0; ) s = s * 3 + (u8)%s[i]; y += s; }", size, v)
		case 1:
			g.line("{ %s *p = (%s *)%s + n2; y ^= p[n0 - 1] + p[-2] + *p; }", t, t, v)
		}
		g.line("x += %s[%s] + (u64)%s[n2];", v, index, v)
	}
}

// structure passes a structure by value.
func (g *generation) structure() {
	s, f := g.name("s"), g.name("h")
	t, n := g.pick("char", "short", "int", "long", "u8"), 1+g.IntN(12)
	more := g.pick("", " int k;", " long k;", " char k;")
	k := "k"
	if more == "" {
		k = "a[0]"
	}
	g.before("struct %s { %s a[%d];%s };", s, t, n, more)
	var params, args []string
	for range g.IntN(4) {
		params, args = append(params, fmt.Sprintf("%s q%d", g.pick("int", "long", "u8", "short"), len(params))), append(args, g.pick("x", "y", "n2", "5"))
	}
	at := g.IntN(len(params) + 1)
	params = append(params[:at:at], append([]string{"struct " + s + " b"}, params[at:]...)...)
	args = append(args[:at:at], append([]string{"b"}, args[at:]...)...)
	for range g.IntN(6) * g.IntN(2) {
		params, args = append(params, fmt.Sprintf("long r%d", len(params))), append(args, g.pick("x", "n3", "9"))
	}
	params, args = append(params, "int i"), append(args, fmt.Sprintf("(x + n%d) %% %d", g.IntN(4), n))
	if g.IntN(3) == 0 { // the address goes on
		g.before("NI static u64 g%s(struct %s *b, int i) { b->a[i] += 3; return b->a[i] + b->a[%d - i]; }", f, s, n-1)
		g.before("NI static u64 %s(%s) { return g%s(&b, i) + b.a[i] + b.%s; }", f, strings.Join(params, ", "), f, k)
	} else {
		g.before("NI static u64 %s(%s) { %s return b.a[i] * 10 + b.%s + %s; }", f, strings.Join(params, ", "), g.pick("", "b.a[i]++;", "b.a[n0] ^= 5;"), k,
			g.pick("1", fmt.Sprintf("b.a[%d - i]", n-1), "i"))
	}
	g.before("NI static struct %s m%s(int v) { struct %s b; memset(&b, 0, sizeof b); for (int i = 0; i < %d; i++) b.a[i] = v + i; b.%s ^= 3; return b; }", s, f, s, n, k)
	g.line("struct %s b = m%s(x); %s b.a[x %% %d] += 2;", s, f, g.pick("", "struct "+s+" c = b; b = c;"), n)
	g.line("y += %s(%s);", f, strings.Join(args, ", "))
	if g.IntN(4) == 0 {
		g.line("{ u64 (*volatile p)(%s) = %s; x ^= p(%s); }", strings.Join(params, ", "), f, strings.Join(args, ", "))
	}
}

// switchOn is a switch.
func (g *generation) switchOn(on string, d int) string {
	var b strings.Builder
	step := []int{1, 1, 1, 2, 7, 100}[g.IntN(6)]
	first := []int{0, 0, 1, 3, -2}[g.IntN(5)]
	fmt.Fprintf(&b, "switch (%s) {", on)
	for i := range 4 + g.IntN(7) {
		if g.IntN(10) == 0 {
			continue
		}
		body := g.pick("x++;", "y ^= x;", "x += 3;", "y--;", "n1 = 1;", "gl[1] += x;", "garr[n3] = y;", "x = y * 5;", fmt.Sprintf("y += %d;", g.IntN(1000)))
		if d > 0 && g.IntN(6) == 0 {
			body = g.switchOn("y % 9", d-1)
		}
		fmt.Fprintf(&b, " case %d: %s %s", first+i*step, body, g.pick("break;", "break;", "break;", ""))
	}
	b.WriteString(g.pick(" default: y += 9; }", " }", " default: x -= 4; }"))
	return b.String()
}

func (g *generation) switches() {
	for range 1 + g.IntN(3) {
		on := g.pick("x % 5", "(u32)y % 9", "(int)(x & 15) - 2", "x & 7", "(u8)y", "gch[x & 31] % 11", "(int)x", "x % 700")
		s := g.switchOn(on, 1)
		if g.IntN(3) == 0 {
			s = fmt.Sprintf("for (int i = 0; i < %d; i++) { %s x += n1; }", 2+g.IntN(3), s)
		}
		g.line("%s", s)
	}
}

func (g *generation) gotos() {
	code := "0"
	for range 3 + g.IntN(4) {
		code += fmt.Sprintf(", %d", g.IntN(3))
	}
	g.line("{ static void *const t[] = {&&l0, &&l1, &&l2, &&l3}; static const u8 c[] = {%s, 3}; const u8 *p = c; goto *t[*p++]; l0: x += 3; goto *t[*p++]; l1: x *= 2; goto *t[*p++]; l2: y ^= x; goto *t[*p++]; l3:; }", code)
}

func (g *generation) pointers() {
	t := g.name("o")
	g.before("static u64 %sa(u64 x, u64 y) { return x + y; } static u64 %sb(u64 x, u64 y) { return x * 3 - y; } static u64 %sc(u64 x, u64 y) { return y ? x ^ y : 7; }", t, t, t)
	g.before("static u64 (*const %s[])(u64, u64) = {%sa, %sb, %sc}; struct %s { int k; u64 (*f)(u64, u64); }; static struct %s %sv = {4, %sb};", t, t, t, t, t, t, t, t)
	g.line("x = %s[x %% 3](x, y); y += %sv.f(y, n2);", t, t)
	g.line("%sv.f = %s[y %% 3]; x ^= %sv.f(x, %sv.k);", t, t, t, t)
}

func (g *generation) threadLocals() {
	v := g.name("w")
	n := 2 + g.IntN(6)
	g.before("static __thread int %ss = 5; __thread %s %sa[%d]; __thread u8 %sc[5] = \"abcd\"; static __thread long *%sp;", v, g.pick("int", "char", "long", "short"), v, n, v, v)
	g.line("%sa[x %% %d] = %s; %ss += x; %sc[y %% 5]++;", v, n, g.expr(1), v, v)
	g.line("for (int i = 0; i < %d; i++) y = y * 3 + %sa[i]; x += %ss + %sc[n3] + (%sp == 0);", n, v, v, v, v)
}

func (g *generation) statics() {
	v := g.name("z")
	g.before("__attribute__((weak)) int %sw = 5; __attribute__((weak)) u64 %sf(u64 x) { return x + %sw; } extern void %su(void) __attribute__((weak)); static const %s %st[] = {3, 1, 4, 1, 5, 9, 2, 6};", v, v, v, v, g.pick("u8", "int", "long", "short"), v)
	g.before("static int %sd[2][3] = {{1, 2, 3}, {4, 5, 6}}; static int *%sq[] = {&%sd[0][1], &%sd[1][2], %sd[1]}; int %se[5];", v, v, v, v, v, v)
	g.line("x += %sf(y) + (%su != 0) + %st[x & 7]; %sw++;", v, v, v, v)
	g.line("y ^= *%sq[x %% 3] + %sd[y & 1][x %% 3]; *%sq[y %% 3] += 2; for (int *p = %se; p != %se + 5; p++) *p = x + (p - %se); y += %se[n3];", v, v, v, v, v, v, v)
}

func (g *generation) strings() {
	g.line("{ const char *p = %s ? \"hello world\" : \"low world\", *q = \"world\", *r = \"ld\"; x += p[n3] * 5 + q[x %% 6] + r[n1] + strlen(q); y += p[x & 7]; }", g.expr(1))
}

func (g *generation) unions() {
	v := g.name("n")
	g.before("union %su { int i; short h[2]; u8 c[8]; long l; }; static union %su %sg; struct %sb { short s; unsigned b:5; int c:7; long d; unsigned e:3, f:13; u8 g[5]; } static %sv;", v, v, v, v, v)
	g.line("%sg.%s = %s; x += %sg.l + %sg.c[x & 7] + %sg.h[n1];", v, g.pick("i", "h[n1]", "c[x & 7]", "l"), g.expr(1), v, v, v)
	g.line("%sv.%s = %s; %sv.%s += x; y += %sv.b + %sv.c + %sv.e * %sv.f + %sv.g[n2];", v, g.pick("b", "c", "e", "f"), g.expr(1), v, g.pick("b", "c", "f", "g[y % 5]", "d"), v, v, v, v, v)
}

func (g *generation) small() {
	g.line("{ u8 p = x, q = y; signed char r = x * 7; u16 s = y; short t = x; for (int i = 0; i < %d; i++) { p = p * 5 + q; q = (q << 3) | (q >> 5); r -= p; s = (s << 5) | (s >> 11); t = t * r + s; } x += p + q * 256u; y += r + s + t; }", 1+g.IntN(5))
	g.line("x += __builtin_bswap32(y) + __builtin_popcount((u32)x) * 3 + (__builtin_ctz((u32)y | 16)) + ((signed char)x >> 2) + (short)y %% 7;")
}

func (g *generation) copies() {
	v := g.name("c")
	n := []int{16, 24, 32, 40, 48, 64, 80, 33}[g.IntN(8)]
	g.before("struct %s { char a[%d]; }; static struct %s %sg, %sh;", v, n, v, v, v)
	g.line("struct %s p, q; memset(&p, x, sizeof p); p.a[x %% %d] = 9; q = p; %sg = q; %sh = %sg; memcpy(%sg.a + 3, q.a, %d); x += %sg.a[y %% %d] + %sh.a[n3] * 3;", v, n, v, v, v, v, n-5, v, n, v)
	g.line("%s y += (memcmp(&%sg, &%sh, sizeof %sg) != 0) + %sg.a[%d];", g.pick("", "memmove("+v+"h.a + 2, "+v+"h.a, 9);"), v, v, v, v, n-1)
}

func (g *generation) wide() {
	g.line("{ unsigned __int128 p = (unsigned __int128)x * 0x123456789abcdef1u + y, q = p << (x & 63); p += q >> %d; x ^= (u64)(p >> 64); y += (u64)p + (p > q) + (__int128)q %% 1; }", g.IntN(100))
	g.u.body[len(g.u.body)-1] = strings.Replace(g.u.body[len(g.u.body)-1], " + (__int128)q % 1", "", 1)
}

func (g *generation) recursion() {
	f := g.name("r")
	g.before("NI static u64 %s(u64 n, u64 *acc) { u64 l[3]; l[n %% 3] = n; if (n < 2) return *acc + l[n %% 3]; *acc += l[n %% 3] * 3; return %s(n - 1, acc) + l[n %% 3]; }", f, f)
	g.line("y += %s(x %% 5, &x);", f)
}

func (g *generation) heap() {
	v := g.name("l")
	g.before("struct %s { int v; struct %s *next; char pad[%d]; };", v, v, 1+g.IntN(20))
	g.line("{ struct %s *h = 0; for (int i = 0; i < 3; i++) { struct %s *e = malloc(sizeof *e); e->v = x + i; e->next = h; e->pad[0] = i; h = e; } while (h) { struct %s *e = h->next; y = y * 5 + h->v + h->pad[0]; free(h); h = e; } }", v, v, v)
	g.line("{ int *p = calloc(6, sizeof *p); for (int i = 0; i < 6; i++) p[i] += i * x; y += p[x %% 6]; free(p); }")
}

func (g *generation) varargs() {
	f := g.name("va")
	g.before("NI static u64 %s(int n, ...) { va_list l; va_start(l, n); u64 s = 0; while (n-- > 0) s = s * 3 + va_arg(l, long); va_end(l); return s; }", f)
	g.line("x += %s(%d, (long)x, (long)y, 3L, 4L, 5L, 6L, 7L, (long)n2);", f, 1+g.IntN(8))
}

func (g *generation) variable() {
	g.line("{ int n = 2 + x %% 4; %s for (int i = 0; i < n; i++) p[i] = i + x; y += p[n1]; }", g.pick("int p[n];", "int *p = __builtin_alloca(n * sizeof *p);"))
}

func (g *generation) jumps() {
	g.line("{ jmp_buf b; volatile int i = 0; if (setjmp(b) < 2) { i++; longjmp(b, i); } y += i; }")
}

// concurrent makes a program with two or three threads, whose results depend on their order. The variables that they share
// are atomic, volatile, which leaves compilers as little choice, or plain.
func (g *generation) concurrent() *generated {
	kind := g.pick("atomic_int", "atomic_int", "volatile int", "int")
	g.p.racy = kind == "int"
	g.p.globals = append(g.p.globals, kind+" A, B, C[2]; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int P, Q[3]; u64 got[3]; __thread int own[3];")
	g.p.threads = 2 + g.IntN(2)*g.IntN(2)
	order := func() string { return "memory_order_" + g.pick("relaxed", "relaxed", "release", "seq_cst") }
	load := func() string { return "memory_order_" + g.pick("relaxed", "acquire", "seq_cst") }
	for t := range g.p.threads {
		g.u = &genUnit{result: "x"}
		g.line("x = 0;")
		for range 2 + g.IntN(2) - t/2 {
			v := g.pick("A", "B", "C[n1]", "C[n0]", "A", "B")
			switch k := g.IntN(9); {
			case kind != "atomic_int" && k <= 2:
				g.line("%s = %d;", v, 1+g.IntN(3))
			case kind != "atomic_int" && k <= 5:
				g.line("x = x * 5 + %s;", v)
			case kind != "atomic_int" && k == 7:
				g.line("%s;", g.pick(v+"++", v+" += 2", "x = x * 5 + "+v+"++"))
			case k <= 2:
				g.line("atomic_store_explicit(&%s, %d, %s);", v, 1+g.IntN(3), order())
			case k <= 5:
				g.line("x = x * 5 + atomic_load_explicit(&%s, %s);", v, load())
			case k == 6:
				g.line("pthread_mutex_lock(&m); P = P * 2 + %d; Q[n%d] += P; x = x * 5 + Q[n2]; pthread_mutex_unlock(&m);", t, g.IntN(3))
			case k == 7:
				g.line("x = x * 5 + %s;", g.pick("atomic_fetch_add(&"+v+", 1)", "atomic_exchange(&"+v+", 3)", "({ int e = 1; atomic_compare_exchange_strong(&"+v+", &e, 2); })"))
			default:
				g.line("%s", g.pick("{ int l[4]; for (int i = 0; i < 4; i++) l[i] = i * 2; x += l[(x + n1) & 3]; }", "own[(x + n1) % 3] += 2; x += own[n1];", "switch (x % 5) { case 0: x += 2; break; case 1: x++; break; case 2: x *= 2; break; case 3: x = 1; break; case 4: x = 9; }", "atomic_thread_fence(memory_order_seq_cst);"))
			}
		}
		g.p.units = append(g.p.units, *g.u)
	}
	return g.p
}
