package c_test

import (
	"fmt"
	"strings"
	"testing"

	"fencepost/internal/frontend/c"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
)

// largeFile is a C file of many lines whose main reaches all of it.
func largeFile(lines int) string {
	var b strings.Builder
	b.WriteString("#include <pthread.h>\n#include <assert.h>\nstruct node { int key; struct node *next; unsigned mark : 1; };\n")
	n := 0
	for ; strings.Count(b.String(), "\n")+30 < lines; n++ {
		fmt.Fprintf(&b, `
static int table%d[16];
static struct node head%d = { .key = %d };
static int find%d(struct node *list, int key) {
  int seen = 0;
  for (struct node *p = list; p; p = p->next) {
    if (p->mark)
      continue;
    if (p->key == key)
      return seen;
    seen++;
  }
  return -1;
}
static int work%d(int a, long b) {
  int local[4] = { a, [2] = 7 };
  switch (a & 3) {
  case 0:
    local[1] = (int)b;
    break;
  case 1 ... 2:
    table%d[a & 15] += local[2] * a;
  default:
    head%d.mark = a > 3;
  }
  if (find%d(&head%d, a) >= 0 && table%d[3] < 100)
    table%d[a & 7]++;
  return local[1] + table%d[a & 7];
}
`, n, n, n, n, n, n, n, n, n, n, n, n)
	}
	b.WriteString("int main(void) {\n  int s = 0;\n")
	for i := range n {
		fmt.Fprintf(&b, "  s += work%d(s, %d);\n", i, i)
	}
	b.WriteString("  return s;\n}\n")
	return b.String()
}

// BenchmarkLargeFile parses, checks and lowers a file of 10,000 lines.
func BenchmarkLargeFile(b *testing.B) {
	text := largeFile(10_000)
	b.ReportMetric(float64(strings.Count(text, "\n")), "lines")
	b.ResetTimer()
	for b.Loop() {
		unit, diags := c.Parse([]*source.File{source.NewFile("large.c", []byte(text))}, c.Options{})
		if unit.Program == nil {
			b.Fatalf("refused:\n%s", testkit.Messages(diags))
		}
	}
}

// BenchmarkSmallFile parses, checks and lowers a small program with the usual headers.
func BenchmarkSmallFile(b *testing.B) {
	text := `#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
#include <stdlib.h>
atomic_int x, y;
int r, s;
static void *one(void *arg) {
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  r = atomic_load_explicit(&y, memory_order_relaxed);
  return arg;
}
static void *two(void *arg) {
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  s = atomic_load_explicit(&x, memory_order_relaxed);
  return arg;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, one, NULL);
  pthread_create(&b, NULL, two, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(r || s);
  return 0;
}
`
	for b.Loop() {
		unit, diags := c.Parse([]*source.File{source.NewFile("small.c", []byte(text))}, c.Options{})
		if unit.Program == nil {
			b.Fatalf("refused:\n%s", testkit.Messages(diags))
		}
	}
}
