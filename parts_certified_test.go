package fencepost_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"fencepost"
	"fencepost/query"
	"fencepost/verdict"
)

// certifiedQuestion has a proof by classes with some hundred nodes; the loop of the second waits, and is proved by ranks.
var certifiedQuestions = []struct{ name, kind, text string }{
	{"tree.c", "classes", `#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
atomic_int x, y, z;
void *p(void *a) { atomic_store(&x, 1); atomic_fetch_add(&z, 1); int r = y; atomic_fetch_add(&z, 1 + r - r); return 0; }
void *q(void *a) { atomic_store(&y, 1); atomic_fetch_add(&z, 1); int r = x; atomic_fetch_add(&z, 1 + r - r); return 0; }
int main(void) { pthread_t t, u; pthread_create(&t, 0, p, 0); pthread_create(&u, 0, q, 0);
  pthread_join(t, 0); pthread_join(u, 0); assert(z == 4); }
`},
	{"waits.c", "ranks", `#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
atomic_int x; int d;
void *p(void *a) { d = 1; atomic_store(&x, 1); return 0; }
void *q(void *a) { while (!x) ; assert(d == 1); return 0; }
int main(void) { pthread_t t, u; pthread_create(&t, 0, p, 0); pthread_create(&u, 0, q, 0);
  pthread_join(t, 0); pthread_join(u, 0); }
`},
	{"sb.c", "", `#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
atomic_int x, y; int r, s;
void *p(void *a) { atomic_store_explicit(&x, 1, memory_order_relaxed); r = atomic_load_explicit(&y, memory_order_relaxed); return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, p, 0); atomic_store_explicit(&y, 1, memory_order_relaxed);
  s = atomic_load_explicit(&x, memory_order_relaxed); pthread_join(t, 0); assert(r || s); }
`},
}

// proved looks whether an answer is as certifiedQuestions says, and whether the certificate is accepted.
func proved(t *testing.T, what, kind string, in query.Input, res *verdict.Result, file []byte) {
	t.Helper()
	if kind == "" {
		if res.Verdict != verdict.Unsafe || len(file) > 0 {
			t.Errorf("%s: %s, certificate of %d bytes", what, res.Verdict, len(file))
		}
		return
	}
	c := res.Coverage.Certificate
	if res.Verdict != verdict.Safe || c == nil || c.Kind != kind {
		t.Errorf("%s: %s (%s), certificate %+v", what, res.Verdict, res.Reason, c)
		return
	}
	answer, err := fencepost.VerifyCertificate(context.Background(), in, bytes.NewReader(file), query.Options{})
	if err != nil || len(answer.Checks) != 1 || answer.Checks[0].Err != nil {
		t.Errorf("%s: the certificate is refused: %v %+v", what, err, answer.Checks)
	}
}

// TestShardsCertified: shards make parts of a proof, which the merged answer has; where there is no such proof it has
// another one. A search that stops while the proof is made goes on with it.
func TestShardsCertified(t *testing.T) {
	for _, q := range certifiedQuestions {
		in := query.Input{Name: q.name, Text: []byte(q.text)}
		opt := query.CheckOptions{Models: []query.Model{query.TSO}, Proofs: query.Proofs{Certified: true}}
		for _, n := range []int{1, 2, 5} {
			var file bytes.Buffer
			parts := shards(t, in, opt, n)
			merged, err := fencepost.Merge(context.Background(), parts, query.Proofs{Certificate: &file})
			if err != nil {
				t.Fatal(err)
			}
			proved(t, q.name+" in shards", q.kind, in, &merged.Results[0], file.Bytes())
		}

		var file bytes.Buffer
		opt.Certificate = &file
		open := func() *fencepost.Exploration {
			x, diags, err := fencepost.NewExploration(context.Background(), in, opt)
			if err != nil || x == nil {
				t.Fatal(err, diags)
			}
			return x
		}
		x := open()
		at, proofs := x.Begin(), 0
		for stops := 0; stops < 500; stops++ {
			x = open() // a new process each time
			ctx, stop := context.WithCancel(context.Background())
			end, err := x.Continue(ctx, at, 1, time.Nanosecond, func(fencepost.Checkpoint) { stop() })
			stop()
			if err != nil {
				t.Fatal(err)
			}
			data, err := end.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			if at, err = x.Checkpoint(data); err != nil {
				t.Fatal(err)
			}
			if at.Searching() {
				continue
			}
			if _, begins := x.Proof(at.Found); !begins && len(at.Tasks) == 0 {
				break
			}
			if proofs++; proofs%10 == 0 { // an answer now says that the proof is missing
				answer, err := open().Answer(context.Background(), at.Found, "", at.Took)
				if err != nil || answer.Results[0].Verdict != verdict.Unknown {
					t.Fatalf("%s: an unfinished proof: %v %s", q.name, err, answer.Results[0].Verdict)
				}
			}
		}
		if q.kind == "classes" && proofs < 20 {
			t.Errorf("%s: only %d stops while the proof was made", q.name, proofs)
		}
		answer, err := x.Answer(context.Background(), at.Found, "", at.Took)
		if err != nil {
			t.Fatal(err)
		}
		proved(t, q.name+" continued", q.kind, in, &answer.Results[0], file.Bytes())
	}
}
