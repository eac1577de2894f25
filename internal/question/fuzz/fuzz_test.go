package fuzz_test

import (
	"context"
	"os"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"fencepost/internal/question/fuzz"
	"fencepost/query"
	"fencepost/verdict"
)

func example(t testing.TB, name string) query.Input {
	t.Helper()
	text, err := os.ReadFile("../../../examples/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return query.Input{Name: name, Text: text}
}

func ask(t testing.TB, in query.Input, opt query.FuzzOptions) *verdict.Result {
	t.Helper()
	answer, err := fuzz.Run(context.Background(), in, opt)
	if err != nil || answer.HasErrors() {
		t.Fatalf("%v %+v", err, answer.Diagnostics)
	}
	return &answer.Results[0]
}

// TestSeed: a seed is enough to run an execution again, and the number of workers does not change what is found.
func TestSeed(t *testing.T) {
	in := example(t, "dekker.c")
	for _, model := range []query.Model{query.TSO, query.PSO} {
		first := ask(t, in, query.FuzzOptions{Models: query.Models{model}, Runs: 1000, Options: query.Options{Workers: 1}})
		if first.Verdict != verdict.Unsafe || first.Stats.Fuzz.Found < 2 {
			t.Fatalf("%s: %s, %+v", model, first.Verdict, first.Stats.Fuzz)
		}
		again := ask(t, in, query.FuzzOptions{Models: query.Models{model}, Runs: 1, Seed: int(first.Stats.Fuzz.Found)})
		many := ask(t, in, query.FuzzOptions{Models: query.Models{model}, Runs: 1000, Options: query.Options{Workers: 4}})
		for _, r := range []*verdict.Result{again, many} {
			if r.Stats.Fuzz.Found != first.Stats.Fuzz.Found || !reflect.DeepEqual(r.Witness, first.Witness) {
				t.Errorf("%s: another execution: seed %d, first seed %d", model, r.Stats.Fuzz.Found, first.Stats.Fuzz.Found)
			}
		}
	}
}

// TestNeverSafe: a program without a violation, small as it is, gets the answer unknown, with what was tried.
func TestNeverSafe(t *testing.T) {
	r := ask(t, example(t, "dekker.c"), query.FuzzOptions{Models: query.Models{query.SC}, Runs: 500, Options: query.Options{Workers: 1}})
	f := r.Stats.Fuzz
	if r.Verdict != verdict.Unknown || r.Stats.Executions != 500 || !strings.Contains(r.Reason, "500 executions") {
		t.Errorf("%s: %s, %+v", r.Verdict, r.Reason, r.Stats)
	}
	if f.Preempted < 10 || f.Preempted > f.Points || f.Stores != 0 || f.Steps < 500 {
		t.Errorf("%+v", f)
	}
}

// TestRefused: fair executions are refused, and so is a search without an end.
func TestRefused(t *testing.T) {
	in := example(t, "dekker.c")
	for name, opt := range map[string]query.FuzzOptions{
		"fair": {Models: query.Models{query.TSO}, Runs: 1, Endless: query.Endless{Liveness: query.LivenessFair}},
	} {
		answer, err := fuzz.Run(t.Context(), in, opt)
		if err != nil || !answer.HasErrors() || !strings.Contains(answer.Diagnostics[0].Message, name) {
			t.Errorf("%s: %v %+v", name, err, answer.Diagnostics)
		}
	}
	if _, err := fuzz.Run(t.Context(), in, query.FuzzOptions{}); err == nil {
		t.Error("a search without an end is not refused")
	}
}

// plain is plain C: threads that compute on arrays of their own and meet at a counter.
const plain = `#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node { struct node *next; int key; };
atomic_int sum;
int shared[8];

static int hash(int x) {
  unsigned h = x * 2654435761u;
  h ^= h >> 13;
  return h & 1023;
}

void *work(void *arg) {
  long me = (long)arg;
  struct node *list = NULL;
  for (int i = 0; i < 40; i++) {
    struct node *n = malloc(sizeof *n);
    n->key = hash(i + (int)me);
    n->next = list;
    list = n;
  }
  int found = 0;
  while (list) {
    struct node *n = list;
    for (int k = 0; k < 4; k++)
      if ((n->key & 3) == k)
        shared[(me * 4 + k) & 7] += 1;
    found += n->key;
    list = n->next;
    free(n);
  }
  atomic_fetch_add(&sum, found);
  return NULL;
}

int main(void) {
  pthread_t t[2];
  for (long i = 0; i < 2; i++)
    pthread_create(&t[i], NULL, work, (void *)i);
  for (int i = 0; i < 2; i++)
    pthread_join(t[i], NULL);
  assert(sum > 0);
}
`

// cpu returns the seconds of CPU that the process has used.
func cpu(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// BenchmarkSteps measures the steps per second of CPU, on plain C.
func BenchmarkSteps(b *testing.B) {
	for _, model := range []query.Model{query.SC, query.TSO, query.PSO, query.C11} {
		b.Run(string(model), func(b *testing.B) {
			before := cpu(b)
			r := ask(b, query.Input{Name: "plain.c", Text: []byte(plain)}, query.FuzzOptions{Models: query.Models{model}, Runs: b.N, Options: query.Options{Workers: 1}})
			if r.Verdict != verdict.Unknown {
				b.Fatalf("%s: %s", r.Verdict, r.Reason)
			}
			b.ReportMetric(float64(r.Stats.Fuzz.Steps)/(cpu(b)-before), "steps/cpu-s")
			b.ReportMetric(float64(r.Stats.Fuzz.Steps)/float64(b.N), "steps/op")
		})
	}
}
