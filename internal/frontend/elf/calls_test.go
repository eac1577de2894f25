package elf_test

import (
	"fmt"
	"strings"
	"testing"

	"fencepost/internal/testkit"
	"fencepost/query"
)

// TestCalls: programs whose assertions hold, and that fail with one number changed, for every way in which compilers
// call and jump.
func TestCalls(t *testing.T) {
	for _, c := range calls {
		if !strings.Contains(c.text, c.right) {
			t.Fatalf("%s: no %q", c.name, c.right)
		}
		for _, flags := range []string{"-c -O0", "-c -O1 -fcf-protection", "-c -O1 -fstack-protector-all", "-c -O2 -fno-pie", "-O2", "-O2 -no-pie"} {
			if !testkit.InPart(t, c.name+flags, 3) {
				continue
			}
			if got, why := program(t, c.text, flags, "tso", query.COptions{}); got != "safe" {
				t.Errorf("%s, %s: %s (%s)", c.name, flags, got, why)
			}
			if got, why := program(t, strings.Replace(c.text, c.right, c.wrong, 1), flags, "tso", query.COptions{}); got != "unsafe" {
				t.Errorf("%s, %s, wrong: %s (%s)", c.name, flags, got, why)
			}
		}
	}
}

// TestCallsMain: the functions that run before main do not run again where the program calls main: that is not supported.
func TestCallsMain(t *testing.T) {
	const text = `#include <assert.h>
int n, k; int main(void); int (*volatile p)(void) = main; __attribute__((constructor)) void init(void) { k++; }
int main(void) { if (n++ < 1) return %s(); assert(k == 1); return 0; }
`
	for _, call := range []string{"main", "p"} {
		if got, why := program(t, fmt.Sprintf(text, call), "-c -O1", "sc", query.COptions{}); got != "unknown" || !strings.Contains(why, "calls main") {
			t.Errorf("%s: %s (%s)", call, got, why)
		}
	}
}

var calls = []struct{ name, right, wrong, text string }{
	{"a switch through a table", "== 13", "== 14", `#include <assert.h>
volatile int in = 3, out;
int f(int x) { switch (x) { case 0: return 5; case 1: return out + 7; case 2: out = 9; return 1; case 3: return 42; case 4: return out*2; case 5: out=3; return 11; case 6: return 13; default: return -1; } }
int main(void) { assert(f(in) == 42); in = 6; assert(f(in) == 13); in = 100; assert(f(in) == -1); in = 1; assert(f(in) == 7); return 0; }
`},
	{"parameters on the stack", "97 + 2", "98 + 2", `#include <assert.h>
__attribute__((noinline)) int f(int a,int b,int c,int d,int e,int g,int h,long i,char j) { volatile int q[2] = {h, g}; return q[0]*10 + i + j + a; }
__attribute__((noinline)) int g(int a,int b,int c,int d,int e,int g,int h,long i) { return f(b,a,c,d,e,g,h,i+1,'a') + h; }
volatile int k = 7;
int main(void) { assert(g(1,2,3,4,5,6,k,8) == 70 + 9 + 97 + 2 + 7); return 0; }
`},
	{"two bytes of a register that a call may change", "== 5", "== 6", `#include <assert.h>
#include <string.h>
short in = 5, out; char buf[8]; void f(void); void *(*volatile keep)(void *, int, unsigned long) = memset;
asm(".text\n.globl f\n.type f,@function\nf: sub $8,%rsp\n lea buf(%rip),%rdi\n xor %esi,%esi\n mov $8,%edx\n call memset@PLT\n"
    "mov in(%rip),%ax\n mov %ax,%cx\n imul %ecx,%ecx\n movzwl in(%rip),%eax\n sub %eax,%ecx\n sub $15,%cx\n mov %cx,out(%rip)\n add $8,%rsp\n ret\n.size f,.-f");
int main(void) { f(); assert(out == 5); return 0; }
`},
	{"results in two registers", "== 15", "== 16", `#include <assert.h>
struct two { long a, b; };
volatile long k = 7;
__attribute__((noinline)) struct two f(long x) { struct two t = {x, k + x}; return t; }
__attribute__((noinline)) struct two g(long x) { return f(x + 1); }
int main(void) { struct two t = g(k); assert(t.a == 8 && t.b == 15); return 0; }
`},
	{"calls through pointers", "== 12", "== 13", `#include <assert.h>
#include <pthread.h>
typedef int (*op)(int, int);
static int add(int a, int b) { return a + b; } static int mul(int a, int b) { return a * b; } static int one(void) { return 1; }
op ops[2] = {add, mul}; volatile int which = 1; int (*volatile single)(void) = one; volatile int bad;
static void *work(void *a) { return (void *)(long)ops[which](3, 4); }
int main(int c, char **v) { pthread_t t; void *r; pthread_create(&t, 0, work, 0); pthread_join(t, &r); assert((long)r == 12); assert(single() == 1); which = 0; assert(ops[which](3,4) == 7);
if (bad) single = 0; return single(); }
`},
	{"variables of 64 bytes on the stack", "== 12", "== 13", `#include <assert.h>
struct big { _Alignas(64) volatile int a; int b; } ;
__attribute__((noinline)) void f(struct big *x, long *y) { x->a += 5; *y += x->b; assert((unsigned long)x % 64 == 0); }
__attribute__((noinline)) int g(int k) { long other = 1; struct big x; x.a = k; x.b = 4; f(&x, &other); return x.a + other; }
volatile int k = 2;
int main(void) { assert(g(k) == 12); return 0; }
`},
	{"a byte of a register after a call", "v != 5", "v != 6", `#include <assert.h>
volatile long x = 5; volatile char y = 3;
__attribute__((noinline)) void f(void) { x += y; x -= y; }
int main(void) { f(); long v = x; assert(!(v == 256 || v == 0x1000000 || v == 65536 || v == 0x1010000)); f(); v = x; char c = y; assert(!((v != 5) | (c != 3))); return 0; }
`},
	{"the address of main", "== 3)", "== 4)", `#include <assert.h>
int main(int c, char **v);
int (*volatile p)(int, char **) = main; int n;
int main(int c, char **v) { if (n++) return 3; assert(p(0, 0) == 3); return 0; }
`},
	{"registers that a callee leaves", "== 7", "== 8", `#include <assert.h>
volatile int x, y = 7;
static __attribute__((noinline)) void f(void) { x = 1; }
__attribute__((noinline)) int g(void) { int t = y; f(); return t; }
int main(void) { assert(g() == 7); return 0; }
`},
	{"an address on the stack that depends on a branch", "== 52", "== 51", `#include <assert.h>
volatile int c = 1;
int f(int c);
__asm__(".text\n.intel_syntax noprefix\n.type f,@function\nf: mov dword ptr [rsp-8], 1\n mov dword ptr [rsp-16], 2\n test edi, edi\n je 1f\n lea rax, [rsp-8]\n jmp 2f\n1: lea rax, [rsp-16]\n"
  "2: mov dword ptr [rax], 5\n mov eax, [rsp-8]\n imul eax, eax, 10\n add eax, [rsp-16]\n ret\n.size f,.-f\n.att_syntax\n");
int main(void) { assert(f(c) == 52); assert(f(0) == 15); return 0; }
`},
	{"an address on the stack after a call", "== 52", "== 51", `#include <assert.h>
volatile int c = 1;
__attribute__((noinline)) int seen(void) { c = 2; return c; }
int f(void);
__asm__(".text\n.intel_syntax noprefix\n.type leaf,@function\nleaf: mov dword ptr [rip+c], 3\n ret\n.size leaf,.-leaf\n.type f,@function\nf: sub rsp, 24\n mov dword ptr [rsp+8], 1\n mov dword ptr [rsp], 2\n"
  " lea rcx, [rsp+8]\n lea rax, [rsp]\n call leaf\n mov dword ptr [rcx], 5\n mov dword ptr [rax], 2\n mov eax, [rsp+8]\n imul eax, eax, 10\n add eax, [rsp]\n add rsp, 24\n ret\n.size f,.-f\n.att_syntax\n");
int main(void) { assert(f() == 52); assert(seen() == 2); return 0; }
`},
	{"a structure on the stack", "== 91", "== 90", `#include <assert.h>
struct s { char a; long b; short c[3]; int d; };
volatile int k = 7;
__attribute__((noinline)) long h(struct s x) { return x.a + x.b + x.c[1] + x.d; }
__attribute__((noinline)) long f(struct s x, int y) { x.c[1] += y; x.d++; return h(x) + x.a; }
int main(void) { struct s x = {1, k, {2, 3, 4}, 10}; assert(f(x, 60 + k + 1) == 91); return 0; }
`},
	{"the stack protector", "== 48", "== 49", `#include <assert.h>
#include <string.h>
volatile int n = 3;
__attribute__((noinline)) int f(int k) { char a[16]; memset(a, k, sizeof a); int s = 0; for (int i = 0; i < 16; i++) s += a[i]; return s; }
int main(void) { assert(f(n) == 48); return 0; }
`},
}
