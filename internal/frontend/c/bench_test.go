package c_test

import (
	"fmt"
	"strings"
	"testing"

	"fencepost/internal/frontend/c"
	"fencepost/internal/source"
	"fencepost/verdict"
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
			b.Fatalf("refused:\n%s", messages(diags))
		}
	}
}

// TestLargeTable: a table of 100,000 numbers and one of 20,000 structs are taken, each
// in one line of text, and hold what the text says.
func TestLargeTable(t *testing.T) {
	var b strings.Builder
	b.WriteString("#include <assert.h>\nstruct e { short k; const char *v; };\nstatic const int numbers[] = {")
	for i := range 100_000 {
		fmt.Fprintf(&b, "%d,", i*7%1000)
	}
	b.WriteString("};\nstatic struct e pairs[] = {")
	for i := range 20_000 {
		fmt.Fprintf(&b, "{%d,\"v%d\"},", i, i%10)
	}
	b.WriteString("};\nint main(void) {\n  assert(sizeof numbers == 400000 && numbers[99999] == 993 && pairs[19999].k == 19999 && pairs[13].v[1] == '3');\n  return 0;\n}\n")
	if got := answer(t, b.String()); got != verdict.Safe {
		t.Errorf("%s, want safe", got)
	}
}
