package elf_test

import (
	"strings"
	"testing"

	"fencepost/internal/testkit"
)

const (
	printingHead = `#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
char *volatile freed; volatile int zero; char full[3] = "abc"; int n;
__attribute__((noinline)) void logs(const char *f, ...) { va_list v; va_start(v, f); vfprintf(stderr, f, v); va_end(v); }
int main(void) {
`
	// The registers of arguments that a function with variable arguments saves are set before all calls.
	printingBlocks = printingHead + `char *p = malloc(4); memcpy(p, "abcd", 4); char *q = malloc(2); q[0] = 0; free(q); freed = q;
`
)

// TestPrinting: what printf and its like read of what they print, and formats that are not supported. want is the
// verdict, or what the reason begins with.
func TestPrinting(t *testing.T) {
	for _, c := range []struct{ want, body string }{
		{"safe", `printf("%d %.4s %p %s\n", 1, p, p, "x"); puts("a");`},
		{"unsafe", `printf("%d %.5s\n", 1, p);`},
		{"unsafe", `printf("%d %s\n", 1, p);`},
		{"unsafe", `fprintf(stderr, "%*d%.*s\n", 3, 2, 5 + zero, p);`},
		{"safe", `fprintf(stderr, "%*d%.*s\n", 3, 2, 4 + zero, p);`},
		{"unsafe", `printf("%d%d%d%d%d%d%s%d\n", 1, 2, 3, 4, 5, 6, freed, 7);`},
		{"safe", `printf("%d%d%d%d%d%d%s%d\n", 1, 2, 3, 4, 5, 6, "a", 7);`},
		{"unsafe", `syslog(3, "%c %s", 'a', freed);`},
		{"unsafe", `printf(freed);`},
		{"unsafe", `printf("%%%s", freed);`},
		{"an execution reaches a construct", `printf("ab%n", &n); if (n) abort();`},
		{"an execution reaches a construct", `printf("%hhn", (signed char *)&n); if (n) abort();`},
		{"an execution reaches a construct", `printf("%1$d%1$n", &n); if (n) abort();`},
		{"an execution reaches a construct", `printf(zero ? "a" : "%n", &n); if (n) abort();`},
		{"safe", `printf(zero ? "a" : "bcd"); if (n) abort();`},
		{"safe", `if (zero) printf("ab%n", &n); if (n) abort();`},
		{"safe", `logs("%d%d%d%d%d%d%.*s", 1, 2, 3, 4, 5, 6, 3, full);`},
		{"unsafe", `logs("%d%d%d%d%d%% %s\n", 1, 2, 3, 4, 5, full);`},
		{"unsafe", `logs("%d%d%d%d%d%d%s", 1, 2, 3, 4, 5, 6, full);`},
		{"an execution reaches a construct", `logs("%d%n\n", 1, &n); if (n) abort();`},
		{"an execution reaches a construct", `logs("%d %f\n", 1, 1.5);`},
	} {
		for _, flags := range []string{"gcc -O0", "gcc -O2", "gcc -O2 -D_FORTIFY_SOURCE=2", "clang -O0", "clang -O2"} {
			if !testkit.InPart(t, c.body+flags, 4) {
				continue
			}
			head := printingBlocks
			if strings.Contains(c.body, "logs") {
				head = printingHead
			}
			got, why := askCompiled(t, head+c.body+" return 0; }\n", flags)
			if got != c.want && !strings.HasPrefix(why, c.want) {
				t.Errorf("%s: %s\n%s (%s), want %s", flags, c.body, got, why, c.want)
			}
		}
	}
}
