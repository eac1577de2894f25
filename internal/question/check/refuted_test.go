package check_test

import (
	"context"
	"errors"
	"flag"
	"slices"
	"testing"

	"fencepost/internal/certificate"
	"fencepost/internal/question/check"
	"fencepost/internal/testkit"
	"fencepost/query"
	"fencepost/verdict"
)

var everyRefuted = flag.Bool("fp.refuted", false, "refute what is unsafe in the whole corpus, not in a part of it")

// Whatever an engine says, the checker accepts no proof that a program of the corpus is safe which is not. Many of these
// programs are there because an engine once said so.
func TestUnsafeIsNeverCertified(t *testing.T) {
	refuted, open := map[string]int{}, map[string]int{}
	cases := slices.Concat(testkit.LoadCorpus(t, "../../../testdata/corpus"), testkit.LoadCorpus(t, "../../frontend/c/testdata/corpus"))
	for i, c := range cases {
		if !*everyRefuted && i%12 != 5 {
			continue
		}
		opt := c.Options
		if opt.Races || opt.Leaks || opt.Robustness || opt.AnyThreads {
			continue
		}
		for _, m := range c.Models() {
			if c.Verdict(string(m)) != verdict.Unsafe.String() {
				continue
			}
			for _, kind := range []string{certificate.KindClasses, certificate.KindStates, certificate.KindClauses} {
				err := check.Proof(context.Background(), c.Input, opt.Under(query.Model(m)), m, kind)
				switch violation := (*certificate.Refuted)(nil); {
				case err == nil:
					t.Errorf("%s under %s: unsafe, and certified by %s", c.Name(), m, kind)
				case errors.As(err, &violation):
					refuted[kind]++
				default:
					open[kind]++
					t.Logf("%s under %s by %s: %v", c.Name(), m, kind, err)
				}
			}
		}
	}
	t.Logf("refuted: %v; without a proof for another reason: %v", refuted, open)
	if refuted[certificate.KindClasses] == 0 || refuted[certificate.KindStates] == 0 || refuted[certificate.KindClauses] == 0 {
		t.Error("nothing is refuted")
	}
}

// A model of the clauses is followed by the rules of replay: a violation that needs one input of 2^32, a certain order of
// stores, or the end of all threads is one.
func TestModelsOfClausesRefute(t *testing.T) {
	const begin = "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\nint __VERIFIER_nondet_int(void);\nint x, y, r, s;\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;\n"
	const end = "int main(void) {\n\tpthread_t t, u;\n\tpthread_create(&t, 0, f, 0);\n\tpthread_create(&u, 0, g, 0);\n\tpthread_join(t, 0);\n\tpthread_join(u, 0);\n"
	for _, c := range []struct{ name, text string }{
		{"input", "void *f(void *p) { x = __VERIFIER_nondet_int(); return 0; }\nvoid *g(void *p) { s = x; return 0; }\n" + end + "\tassert(s != 123456789);\n}\n"},
		{"buffers", "void *f(void *p) { x = 1; r = y; return 0; }\nvoid *g(void *p) { y = 1; s = x; return 0; }\n" + end + "\tassert(r + s > 0);\n}\n"},
		{"locks", "void *f(void *p) { pthread_mutex_lock(&m); pthread_mutex_lock(&n); pthread_mutex_unlock(&n); pthread_mutex_unlock(&m); return 0; }\n" +
			"void *g(void *p) { pthread_mutex_lock(&n); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_mutex_unlock(&n); return 0; }\n" + end + "}\n"},
		{"blocks", "int *b;\nvoid *f(void *p) { x = *b; return 0; }\nvoid *g(void *p) { free(b); return 0; }\nint main(void) {\n\tpthread_t t, u;\n\tb = malloc(sizeof *b);\n\t*b = 1;\n" +
			"\tpthread_create(&t, 0, f, 0);\n\tpthread_create(&u, 0, g, 0);\n\tpthread_join(t, 0);\n\tpthread_join(u, 0);\n}\n"},
	} {
		for _, m := range []query.Model{query.TSO, query.PSO} {
			err := check.Proof(context.Background(), query.Input{Name: c.name + ".c", Text: []byte(begin + c.text)}, query.CheckOptions{}, m, certificate.KindClauses)
			if violation := (*certificate.Refuted)(nil); !errors.As(err, &violation) || violation.Beyond {
				t.Errorf("%s under %s: %v", c.name, m, err)
			}
		}
	}
}
