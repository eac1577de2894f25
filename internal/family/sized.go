package family

import (
	"fmt"
	"strings"
)

// Programs that are long: two threads with the accesses of store buffering, one of which calls functions of 20 lines in
// between. Their work is private, so there are few executions.

// LoopsInC returns a program in C whose functions, of about so many lines, have two counted loops over an array, branches and a switch.
func LoopsInC(lines int) string {
	var functions, calls strings.Builder
	for i := range lines / 20 {
		fmt.Fprintf(&functions, `static int f%d(int k) {
  int t[8];
  int s = k;
  for (int i = 0; i < 8; i++)
    t[i] = i * k + %d;
  for (int i = 0; i < 8; i++)
    s += t[i];
  if (s > 100)
    s -= 100;
  else
    s += 7;
  switch (s & 3) {
  case 0: s += 1; break;
  case 1: s ^= 5; break;
  case 2: s -= 2; break;
  default: s = -s;
  }
  return s;
}

`, i, i)
		fmt.Fprintf(&calls, "  s += f%d(s);\n", i)
	}
	return sized(functions.String(), "int s = 3;\n"+calls.String()+"  r1 = s;")
}

// PointersInC returns a program in C with a chain of functions that a pointer to a local variable passes through.
func PointersInC(lines int) string {
	var functions strings.Builder
	n := lines / 20
	for i := range n {
		call := "(void)b;"
		if i > 0 {
			call = fmt.Sprintf("f%d(p, b);", i-1)
		}
		fmt.Fprintf(&functions, `static void f%d(int *p, int k) {
  int a = *p;
  int b = k + %d;
  if (a > b)
    a = a - b;
  else
    a = a + b;
  if (k & 1)
    b = b * 3;
  a ^= b;
  a += %d;
  b = a >> 2;
  if (b == 17)
    a = 3;
  *p = a;
  *p += 1;
  %s
}

`, i, i, i, call)
	}
	return sized(functions.String(), fmt.Sprintf("int v = 3;\n  f%d(&v, 5);\n  r1 = v;", n-1))
}

// sized returns a program one of whose threads does some work between two accesses.
func sized(functions, work string) string {
	return `#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int r1, r2;

` + functions + `static void work(void) {
  ` + work + `
}

static void *left(void *unused) {
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  work();
  r2 = atomic_load_explicit(&y, memory_order_relaxed);
  return unused;
}

static void *right(void *unused) {
  atomic_store(&y, 1);
  (void)atomic_load(&x);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, left, 0);
  pthread_create(&b, 0, right, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(r2 >= 0);
}
`
}
