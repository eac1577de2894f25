package bmc_test

import (
	"strings"
	"testing"

	"fencepost/query"
	"fencepost/verdict"
)

// TestCErrors: the errors of C are found where they are, under every model, and not where
// they are not.
func TestCErrors(t *testing.T) {
	const head = `
#include <pthread.h>
#include <stdlib.h>
#include <assert.h>
struct node { int value; struct node *next; };
struct node *top;
int flag;
int *out;
`
	const fork = "\nint main(void) { pthread_t t; top = malloc(sizeof *top); pthread_create(&t, 0, other, 0); "
	cases := map[string]struct{ text, class string }{
		"store against free":     {"void *other(void *a) { top->value = 1; return 0; }" + fork + "free(top); pthread_join(t, 0); return 0; }", "use-after-free"},
		"load against free":      {"void *other(void *a) { return top->value ? a : 0; }" + fork + "free(top); pthread_join(t, 0); return 0; }", "use-after-free"},
		"free against free":      {"void *other(void *a) { free(top); return 0; }" + fork + "free(top); pthread_join(t, 0); return 0; }", "double-free"},
		"after the join":         {"void *other(void *a) { top->value = 1; return 0; }" + fork + "pthread_join(t, 0); free(top); return 0; }", ""},
		"the block comes again":  {"void *other(void *a) { struct node *n = malloc(sizeof *n); if (n == top) flag = 1; return 0; }" + fork + "free(top); pthread_join(t, 0); assert(!flag); return 0; }", "assertion"},
		"another size does not":  {"void *other(void *a) { char *n = malloc(64); if (n == (char *)top) flag = 1; return 0; }" + fork + "free(top); pthread_join(t, 0); assert(!flag); return 0; }", ""},
		"not the beginning":      {"void *other(void *a) { free(&top->next); return 0; }" + fork + "pthread_join(t, 0); return 0; }", "invalid-free"},
		"not a block":            {"void *other(void *a) { free(&flag); return 0; }" + fork + "pthread_join(t, 0); return 0; }", "invalid-free"},
		"null":                   {"void *other(void *a) { top->next->value = 1; return 0; }" + fork + "pthread_join(t, 0); return 0; }", "null-dereference"},
		"free null":              {"void *other(void *a) { free(top->next); return 0; }" + fork + "pthread_join(t, 0); return 0; }", ""},
		"beyond the end":         {"void *other(void *a) { int *p = malloc(12); p[3] = 1; return 0; }" + fork + "pthread_join(t, 0); return 0; }", "out-of-bounds"},
		"a local after its time": {"void *other(void *a) { int mine = 1; out = &mine; return 0; }" + fork + "pthread_join(t, 0); return *out; }", "use-after-free"},
	}
	for name, c := range cases {
		for _, model := range []string{"sc", "tso", "pso"} {
			opt := bounds{2, 3, 4, 3}.options()
			opt.C.Uninitialised = query.UninitialisedZero // fields of blocks are null
			got := ask(t, query.Input{Name: "test.c", Text: []byte(head + c.text)}, model, opt)
			switch {
			case c.class == "" && got.Verdict != verdict.Safe:
				t.Errorf("%s under %s: %s (%s), want safe", name, model, got.Verdict, got.Reason)
			case c.class != "" && (got.Verdict != verdict.Unsafe || !strings.Contains(got.Reason, c.class)):
				t.Errorf("%s under %s: %s (%s), want %s", name, model, got.Verdict, got.Reason, c.class)
			}
		}
	}
}
