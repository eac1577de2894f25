package testkit_test

import (
	"context"
	"fmt"
	"testing"

	"fencepost/internal/pipeline"
	"fencepost/verdict"
)

// TestDataRaces: what orders two accesses in C11, and what does not [C11 §5.1.2.4].
func TestDataRaces(t *testing.T) {
	const frame = `#include <pthread.h>
#include <stdatomic.h>
int data;
atomic_int flag, other;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *p(void *a) { %s return 0; }
void *q(void *a) { %s return 0; }
int main(void) { pthread_t s, t; pthread_create(&s, 0, p, 0); %s pthread_create(&t, 0, q, 0); pthread_join(s, 0); pthread_join(t, 0); return data; }
`
	store := func(v, o string) string {
		return fmt.Sprintf("atomic_store_explicit(&%s, 1, memory_order_%s);", v, o)
	}
	read := func(v, o, then string) string {
		return fmt.Sprintf("if (atomic_load_explicit(&%s, memory_order_%s)) { %s }", v, o, then)
	}
	for _, tc := range []struct {
		name, p, q, main string
		race             bool
	}{
		{name: "two stores", p: "data = 1;", q: "data = 2;", race: true},
		{name: "two loads", p: "int r = data; (void)r;", q: "int r = data; (void)r;"},
		{name: "joined in between", p: "data = 1;", q: "data = 2;", main: "pthread_join(s, 0); s = s;", race: false},
		{name: "mutex", p: "pthread_mutex_lock(&m); data = 1; pthread_mutex_unlock(&m);", q: "pthread_mutex_lock(&m); data = 2; pthread_mutex_unlock(&m);"},
		{name: "release, acquire", p: "data = 1;" + store("flag", "release"), q: read("flag", "acquire", "data = 2;")},
		{name: "relaxed, acquire", p: "data = 1;" + store("flag", "relaxed"), q: read("flag", "acquire", "data = 2;"), race: true},
		{name: "release, relaxed", p: "data = 1;" + store("flag", "release"), q: read("flag", "relaxed", "data = 2;"), race: true},
		{name: "release fence", p: "data = 1; atomic_thread_fence(memory_order_release);" + store("flag", "relaxed"), q: read("flag", "acquire", "data = 2;")},
		{name: "acquire fence", p: "data = 1;" + store("flag", "release"), q: read("flag", "relaxed", "atomic_thread_fence(memory_order_acquire); data = 2;")},
		{name: "release sequence", p: "data = 1;" + store("flag", "release") + "atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed);", q: read("flag", "acquire", "data = 2;")},
		{name: "seq_cst", p: "data = 1;" + store("flag", "seq_cst"), q: read("flag", "seq_cst", "data = 2;")},
		{name: "another flag", p: "data = 1;" + store("flag", "release"), q: read("other", "acquire", "data = 2;")},
		{name: "atomic against atomic", p: store("flag", "relaxed"), q: store("flag", "relaxed")},
	} {
		main := tc.main
		text := fmt.Sprintf(frame, tc.p, tc.q, main)
		if tc.main != "" { // the first thread is joined before the second starts
			text = fmt.Sprintf(frame[:len(frame)-len("pthread_join(s, 0); pthread_join(t, 0); return data; }\n")]+"pthread_join(t, 0); return data; }\n", tc.p, tc.q, "pthread_join(s, 0);")
		}
		opt := pipeline.Defaults()
		opt.Timeout, opt.Races = 0, true
		answer, err := pipeline.Check(context.Background(), pipeline.Input{Name: "race.c", Text: []byte(text)}, []string{"sc", "tso", "pso"}, opt)
		if err != nil || answer.HasErrors() {
			t.Fatalf("%s: %v %v", tc.name, err, answer.Diagnostics)
		}
		for _, r := range answer.Results {
			if (r.Verdict == verdict.Unsafe) != tc.race {
				t.Errorf("%s under %s: %s %s", tc.name, r.Model, r.Verdict, r.Reason)
			}
		}
	}
}
