package lin

import (
	"os"
	"slices"
	"strings"
	"testing"

	"fencepost/query"
	"fencepost/verdict"
)

// TestPendingAnswer: what is said about a call that has not returned, with a client whose main does not wait for it.
func TestPendingAnswer(t *testing.T) {
	const text = "#include <stdatomic.h>\nstatic atomic_int x, flag;\nvoid wait_for(void) { x = 1; while (!flag); x = 0; }\nint get(void) { return x; }\n"
	for _, model := range []query.Model{query.SC, query.TSO, query.PSO, query.C11} {
		answer, err := Run(t.Context(), query.Input{Name: "object.h", Text: []byte(text)}, query.LinOptions{Models: query.Models{model}, Calls: 2})
		if err != nil || len(answer.Results) != 1 {
			t.Fatalf("%s: %v %+v", model, err, answer.Diagnostics)
		}
		r := &answer.Results[0]
		if r.Verdict != verdict.Unsafe || !strings.Contains(r.Reason, "whether or not pending calls have taken effect") {
			t.Errorf("%s: %s %s", model, r.Verdict, r.Reason)
			continue
		}
		calls := r.Linearizability.History.Calls
		if len(calls) != 2 || !calls[0].Pending || calls[0].Results != nil || calls[1].Pending || !slices.Equal(calls[1].Results, []string{"1"}) {
			t.Errorf("%s: %+v", model, calls)
		}
		if client := r.Linearizability.Client; strings.Contains(client, "pthread_join") || !strings.Contains(client, "assert(!(lin_result[0] == 1))") {
			t.Errorf("%s:\n%s", model, client)
		}
	}
}

// TestSpecificationWaits: a call that waits in the specification, too, may be pending.
func TestSpecificationWaits(t *testing.T) {
	const spec = "int units; void sem_down(void) { while (units <= 0); units--; } void sem_up(void) { units++; } int sem_value(void) { return units; }"
	text, err := os.ReadFile("testdata/small/semaphore.h")
	if err != nil {
		t.Fatal(err)
	}
	for define, want := range map[string]verdict.Verdict{"PLAIN": verdict.Safe, "RESERVED": verdict.Unsafe} {
		opt := query.LinOptions{Models: query.Models{query.SC}, Calls: 2, Ops: "sem_down,sem_value", SpecFile: query.Input{Name: "spec.c", Text: []byte(spec)}}
		opt.C.Defines = []string{define}
		answer, err := Run(t.Context(), query.Input{Name: "semaphore.h", Text: text}, opt)
		if err != nil || len(answer.Results) != 1 || answer.Results[0].Verdict != want {
			t.Errorf("%s: %v %+v %+v", define, err, answer.Diagnostics, answer.Results)
		}
	}
}

// TestDeadlockFirst: where a call waits although all calls come to their end one at a time, the deadlock is reported, and not
// what the others returned.
func TestDeadlockFirst(t *testing.T) {
	const text = "#include <pthread.h>\nstatic pthread_mutex_t p = PTHREAD_MUTEX_INITIALIZER, q = PTHREAD_MUTEX_INITIALIZER;\nstatic _Atomic int n;\n" +
		"void up(void) { n++; pthread_mutex_lock(&p); pthread_mutex_lock(&q); n--; pthread_mutex_unlock(&q); pthread_mutex_unlock(&p); }\n" +
		"void down(void) { n++; pthread_mutex_lock(&q); pthread_mutex_lock(&p); n--; pthread_mutex_unlock(&p); pthread_mutex_unlock(&q); }\n"
	answer, err := Run(t.Context(), query.Input{Name: "object.h", Text: []byte(text)}, query.LinOptions{Models: query.Models{query.SC}, Calls: 2})
	if err != nil || len(answer.Results) != 1 {
		t.Fatalf("%v %+v", err, answer.Diagnostics)
	}
	if r := &answer.Results[0]; r.Verdict != verdict.Unsafe || r.Question != verdict.NonTermination && r.Question != "deadlock" || r.Linearizability.History != nil {
		t.Errorf("%s: %s %s", r.Question, r.Verdict, r.Reason)
	}
}

// TestWithPending: the choices of pending calls, up to the exchange of threads.
func TestWithPending(t *testing.T) {
	put, take := &Operation{Name: "put", Params: []Param{{Kind: ValueArg}}, Result: "void"}, &Operation{Name: "take", Result: "int"}
	of := func(op *Operation, v int) call { return call{op: op, args: []int{v}[:len(op.Params)]} }
	for _, c := range []struct {
		client *client
		want   []string
	}{
		{
			&client{threads: [][]call{{of(put, 1)}, {of(put, 2)}, {of(take, 0)}}},
			[]string{"put(1) || put(2) || take() (pending)", "put(1) || put(2) (pending) || take()", "put(1) || put(2) (pending) || take() (pending)", "put(1) (pending) || put(2) (pending) || take()"},
		},
		{
			&client{threads: [][]call{{of(put, 1), of(take, 0)}, {of(take, 0)}}},
			[]string{"put(1); take() || take() (pending)", "put(1); take() (pending) || take()", "put(1) (pending) || take()", "put(1); take() (pending) || take() (pending)"},
		},
	} {
		var got []string
		for _, p := range c.client.withPending() {
			got = append(got, p.String())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.client, got, c.want)
		}
	}
}
