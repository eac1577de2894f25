package elf_test

import (
	"fmt"
	"strings"
	"testing"

	"fencepost/query"
)

// packed has programs in C, all accesses to shared variables volatile, whose accesses cross boundaries of 8 bytes or
// do not. The second thread of each runs work(arg).
var packed = []struct{ name, want, text string }{
	{"a member of a variable", "unsafe", `struct { char c; volatile long v; } __attribute__((packed, aligned(8))) x;
void *work(void *a) { x.v = -1; return 0; }
int main(void) { START(0); long r = x.v; assert(r == 0 || r == -1); END; }`},
	{"a member inside a word", "safe", `struct { char c; volatile int v; short s; } __attribute__((packed, aligned(8))) x;
void *work(void *a) { x.v = -1; return 0; }
int main(void) { START(0); int r = x.v; assert(r == 0 || r == -1); END; }`},
	{"a member of two bytes", "unsafe", `struct { char c[7]; volatile short v; } __attribute__((packed, aligned(8))) x;
void *work(void *a) { x.v = -1; return 0; }
int main(void) { START(0); short r = x.v; assert(r == 0 || r == -1); END; }`},
	{"a block of the heap", "unsafe", `struct s { char c; volatile long v; } __attribute__((packed));
void *work(void *a) { ((struct s *)a)->v = -1; return 0; }
int main(void) { struct s *p = calloc(1, sizeof *p); START(p); long r = p->v; assert(r == 0 || r == -1); END; }`},
	{"the first element of an array", "safe", `struct s { volatile int v; char c; } __attribute__((packed)); struct { struct s x[4]; } __attribute__((aligned(16))) y;
void *work(void *a) { y.x[(long)a].v = -1; return 0; }
int main(void) { START((void *)0); int r = y.x[(unsigned long)&y & 7].v; assert(r == 0 || r == -1); END; }`},
	{"the second element of an array", "unsafe", `struct s { volatile int v; char c; } __attribute__((packed)); struct { struct s x[4]; } __attribute__((aligned(16))) y;
void *work(void *a) { y.x[(long)a].v = -1; return 0; }
int main(void) { START((void *)1); int r = y.x[1 + ((unsigned long)&y & 7)].v; assert(r == 0 || r == -1); END; }`},
	{"halves in the order of their addresses", "safe", `struct { int c; volatile long v; } __attribute__((packed, aligned(8))) x;
void *work(void *a) { x.v = -1; return 0; }
int main(void) { START(0); long r = x.v; assert(r != 0xffffffffL << 32 || 1); assert(r == 0 || r == -1 || r == 0xffffffffL || r == -1L << 32); END; }`},
	{"store buffering", "safe unsafe", `struct { char c; volatile long v; volatile long w; } __attribute__((packed, aligned(8))) x; volatile long seen;
void *work(void *a) { x.v = 1; seen = x.w; return 0; }
int main(void) { START(0); x.w = 1; long r = x.v; END_; assert(r != 0 || seen != 0); return 0; }`},
}

const packedPrelude = `#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#define START(arg) pthread_t t; pthread_create(&t, 0, work, arg)
#define END_ pthread_join(t, 0)
#define END END_; return 0
`

// TestSplit: accesses to members of packed structures have the verdicts of the source, at three levels and in linked
// files.
func TestSplit(t *testing.T) {
	for _, c := range packed {
		text := packedPrelude + c.text + "\n"
		want := strings.Fields(c.want)
		for i, model := range []string{"sc", "tso"} {
			want := want[min(i, len(want)-1)]
			if got, why := ask(t, query.Input{Name: "a.c", Text: []byte(text)}, model, 0); got != want {
				t.Errorf("%s, source, %s: %s (%s), want %s", c.name, model, got, why, want)
			}
			for _, flags := range []string{"-c -O0", "-c -O1", "-c -O2", "-O1", "-O2 -no-pie"} {
				if got, why := program(t, text, flags, model, query.COptions{}); got != want {
					t.Errorf("%s, %s, %s: %s (%s), want %s", c.name, flags, model, got, why, want)
				}
			}
		}
	}
}

// TestSplitVectors: a move of 16 bytes is two accesses of 8 bytes, each of which is split where it crosses a boundary.
func TestSplitVectors(t *testing.T) {
	const text = packedPrelude + `#include <emmintrin.h>
struct { char c[%d]; long v[2]; } __attribute__((packed, aligned(16))) x;
void *work(void *a) { _mm_storeu_si128((__m128i *)x.v, _mm_set1_epi32(-1)); return 0; }
int main(void) { START(0); __m128i r = _mm_loadu_si128((__m128i *)x.v);
  long low = _mm_cvtsi128_si64(r), high = _mm_cvtsi128_si64(_mm_unpackhi_epi64(r, r));
  assert(%s); END; }
`
	const whole, halves = "low == high", "(low == 0 || low == -1) && (high == 0 || high == -1)"
	for _, c := range []struct {
		at           int
		assert, want string
	}{{0, whole, "unsafe"}, {0, halves, "safe"}, {8, halves, "safe"}, {4, halves, "unsafe"}, {1, halves, "unsafe"}} {
		for _, flags := range []string{"-c -O0", "-c -O2", "-O1"} {
			if got, why := program(t, fmt.Sprintf(text, c.at, c.assert), flags, "sc", query.COptions{}); got != c.want {
				t.Errorf("at %d, %s, %s: %s (%s), want %s", c.at, c.assert, flags, got, why, c.want)
			}
		}
	}
}

// TestSplitLocks: a locked instruction is one step at any address, and a load beside it is not.
func TestSplitLocks(t *testing.T) {
	const text = packedPrelude + `struct { char c[5]; volatile int v; } __attribute__((packed, aligned(8))) x;
static int add(volatile int *p, int n) { int old = n; __asm__ volatile("%s %%0, %%1" : "+r"(old), "+m"(*p) : : "memory"); return old; }
void *work(void *a) { add(&x.v, 0x101010); return 0; }
int main(void) { START(0); int r = %s; assert(r == 0 || r == 0x101010); END; }
`
	for _, c := range []struct{ op, read, want string }{
		{"lock xaddl", "add(&x.v, 0)", "safe"}, {"xchgl", "add(&x.v, 5)", "safe"}, {"lock xaddl", "x.v", "unsafe"}, {"xchgl", "x.v", "unsafe"},
		{"xaddl", "add(&x.v, 0)", "unsafe"},
	} {
		for _, flags := range []string{"-c -O0", "-c -O2"} {
			if got, why := program(t, fmt.Sprintf(text, c.op, c.read), flags, "tso", query.COptions{}); got != c.want {
				t.Errorf("%s, %s, %s: %s (%s), want %s", c.op, c.read, flags, got, why, c.want)
			}
		}
	}
}

// TestSplitMany: in a program with many accesses whose alignment is not known, one that crosses a boundary is not
// supported, and the others are as they were.
func TestSplitMany(t *testing.T) {
	const text = `#include <assert.h>
char x[64]; char *volatile p = x + %d;
__attribute__((noinline)) void put(int *q) { q[0] = 1; q[1] = 2; q[2] = 3; q[3] = 4; q[4] = 5; q[5] = 6; q[6] = 7; q[7] = 8; }
__attribute__((noinline)) int sum(volatile int *q) { return q[0] + q[1] + q[2] + q[3] + q[4] + q[5] + q[6] + q[7]; }
int main(void) { put((int *)p); assert(sum((int *)p) == 36); return 0; }
`
	for at, want := range map[int]string{4: "safe", 5: "unknown"} {
		if got, why := program(t, fmt.Sprintf(text, at), "-c -O1", "sc", query.COptions{}); got != want || want == "unknown" && !strings.Contains(why, "across a boundary") {
			t.Errorf("at %d: %s (%s), want %s", at, got, why, want)
		}
	}
}
