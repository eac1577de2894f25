package check_test

import (
	"context"
	"testing"

	"fencepost/internal/certificate"
	"fencepost/internal/question/check"
	"fencepost/query"
)

// TestWaitsWithPrivateStores: a loop that waits for ever has no proof that it ends because it writes a variable that no
// other thread can reach.
func TestWaitsWithPrivateStores(t *testing.T) {
	const text = `#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y;
void *waits(void *arg) { int i = 0; int *p = &i; while (!x) { BODY; } return 0; }
void *sets(void *arg) { y = 1; SET; assert(y == 1); return 0; }
int main(void) { pthread_t t, u; pthread_create(&t, 0, waits, 0); pthread_create(&u, 0, sets, 0); pthread_join(u, 0); pthread_join(t, 0); }
`
	for _, c := range []struct {
		body, set string
		ends      bool
	}{
		{"*p = !*p", "", false}, {"*p = !*p", "x = 1", true}, {"int j = 0; int *q = &j; *q = !*q; *p = *q", "", false},
		{"*p = 1", "", false}, {"if (*p < 2) ++*p", "", false}, {"if (++*p == 3) break", "", true},
	} {
		for _, m := range []query.Model{query.SC, query.TSO, query.PSO, query.C11} {
			opt := query.CheckOptions{Options: query.Defaults()}
			opt.C.Defines = []string{"SET=" + c.set, "BODY=" + c.body}
			in := query.Input{Name: "waits.c", Text: []byte(text)}
			if err := check.Proof(context.Background(), in, opt, m, certificate.KindRanks); m != query.C11 && (err == nil) != c.ends {
				t.Errorf("%s, %q under %s: %v", c.body, c.set, m, err)
			}
			if err := check.Proof(context.Background(), in, opt, m, certificate.KindClasses); err == nil && !c.ends {
				t.Errorf("%s, %q under %s: a tree says that a loop ends which waits", c.body, c.set, m)
			}
		}
	}
}
