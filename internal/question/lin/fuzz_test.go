package lin_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"fencepost/internal/question/lin"
	"fencepost/query"
	"fencepost/verdict"
)

// TestFuzz: random executions of large clients find the known mistakes of the corpus, nothing in what is right, and shorten
// what they find.
func TestFuzz(t *testing.T) {
	for _, c := range []struct {
		file, define string
		model        query.Model
		calls        int
		most         int  // calls of the shortened client, 0: nothing is found
		slow         bool // some seconds
	}{
		{"treiber_reuse.h", "", "tso", 24, 8, true},
		{"treiber_tags.h", "", "tso", 24, 0, false},
		{"ms_queue_reuse.h", "UNCOUNTED", "tso", 20, 6, false},
		{"ms_queue_reuse.h", "", "tso", 20, 0, false},
		{"chase_lev.h", "NO_FENCE", "tso", 40, 4, false},
		{"chase_lev.h", "", "tso", 40, 0, false},
		{"spsc_relaxed.h", "", "pso", 40, 2, false},
		{"spsc_relaxed.h", "", "c11", 24, 2, false},
		{"spsc.h", "", "c11", 24, 5, true}, // full and empty at the same time, as both threads read old indices
		{"ms_queue.h", "", "pso", 24, 0, false},
		{"ms_queue_acquire.h", "", "c11", 20, 6, true},
		{"harris.h", "UNMARKED", "sc", 20, 6, true},
		{"lazy_list.h", "UNCHECKED", "sc", 20, 6, true},
		{"elimination.h", "KEPT", "sc", 20, 4, true},
		{"ticket_lock.h", "BROKEN", "sc", 200, 4, true},
		{"seqlock.h", "BROKEN", "tso", 40, 3, true},
		{"seqlock.h", "", "tso", 40, 0, true},
		{"small/bq_off.h", "", "sc", 30, 0, false}, // one at a time, the code has one element too many, too
		{"small/uaf.h", "", "sc", 30, 4, false},
		{"small/map_bad.h", "", "sc", 30, 6, false},
		{"small/spin_ok.h", "", "pso", 30, 0, false},
	} {
		name := c.file + " " + c.define + " " + string(c.model)
		if c.slow && *lin.Objects < 3000 {
			continue // make fuzz asks these
		}
		text, err := os.ReadFile(filepath.Join("testdata", c.file))
		if err != nil {
			t.Fatal(err)
		}
		opt := query.LinOptions{Models: query.Models{c.model}, Fuzz: c.calls, Runs: 20_000, Options: query.Options{Workers: 1}}
		if c.most == 0 {
			opt.Runs = 300
		}
		if c.define != "" {
			opt.C.Defines = []string{c.define}
		}
		answer, err := lin.Run(t.Context(), query.Input{Name: filepath.Base(c.file), Text: text}, opt)
		if err != nil || answer.HasErrors() || len(answer.Results) != 1 {
			t.Errorf("%s: %v %+v", name, err, answer.Diagnostics)
			continue
		}
		r := &answer.Results[0]
		switch l := r.Linearizability; {
		case c.most == 0 && r.Verdict != verdict.Unknown, c.most > 0 && r.Verdict != verdict.Unsafe:
			t.Errorf("%s: %s %s %v", name, r.Verdict, r.Reason, l)
		case r.Verdict == verdict.Unsafe && !strings.Contains(strings.Join(l.Hints, "\n"), "--seed"):
			t.Errorf("%s: no seed: %q", name, l.Hints)
		case r.Verdict == verdict.Unsafe:
			if n := strings.Count(l.Client, "lin_done[") - strings.Count(l.Client, "= atomic_load_explicit(&lin_done[") - 1; n > c.most {
				t.Errorf("%s: %d calls are left\n%s", name, n, l.Client)
			}
			t.Logf("%s: %d executions, %d steps", name, r.Stats.Executions, r.Stats.Fuzz.Steps)
		}
	}
}

// TestFuzzSeed: the seed that an answer names runs the execution again.
func TestFuzzSeed(t *testing.T) {
	text, err := os.ReadFile("testdata/elimination.h")
	if err != nil {
		t.Fatal(err)
	}
	opt := query.LinOptions{Models: query.Models{"tso"}, Fuzz: 20, Runs: 5000}
	opt.Workers, opt.C.Defines = 1, []string{"KEPT"}
	first := ask(t, string(text), opt)
	if first.Verdict != verdict.Unsafe {
		t.Fatalf("%s %s", first.Verdict, first.Reason)
	}
	at := regexp.MustCompile(`--seed (\d+) --runs 1 --depth`).FindStringSubmatch(strings.Join(first.Linearizability.Hints, "\n"))
	if at == nil {
		t.Fatalf("no seed in %q", first.Linearizability.Hints)
	}
	opt.Seed, _ = strconv.Atoi(at[1])
	opt.Runs = 1
	again := ask(t, string(text), opt)
	if again.Verdict != verdict.Unsafe || again.Linearizability.Client != first.Linearizability.Client {
		t.Errorf("%s %s: another client than\n%s", again.Verdict, again.Reason, first.Linearizability.Client)
	}
}

// TestFuzzRefused: what random executions cannot answer is refused.
func TestFuzzRefused(t *testing.T) {
	for want, opt := range map[string]query.LinOptions{
		"--return open": {Return: query.ReturnOpen}, "--spec stack": {Spec: "stack"}, "--mutate": {Mutate: true},
	} {
		opt.Fuzz, opt.Runs = 10, 1
		answer, err := lin.Run(t.Context(), query.Input{Name: "object.h", Text: []byte("int n;\nint next(void) { return n++; }\n")}, opt)
		if err != nil || len(answer.Diagnostics) != 1 || !strings.Contains(answer.Diagnostics[0].Message, want) {
			t.Errorf("%s: %v %v", want, err, answer.Diagnostics)
		}
	}
}

// TestFuzzBlocking: calls of a blocking queue may wait for ever, and two locks in opposite orders may not.
func TestFuzzBlocking(t *testing.T) {
	const queue = "#include <pthread.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nstatic pthread_cond_t c = PTHREAD_COND_INITIALIZER;\nstatic int a[8], n, h;\n" +
		"void q_put(int v) { pthread_mutex_lock(&m); a[(h + n++) % 8] = v; pthread_cond_signal(&c); pthread_mutex_unlock(&m); }\n" +
		"int q_get(void) { pthread_mutex_lock(&m); while (!n) pthread_cond_wait(&c, &m); int v = a[h]; h = (h + 1) % 8; n--; pthread_mutex_unlock(&m); return v; }\n"
	res := ask(t, queue, query.LinOptions{Models: query.Models{"sc"}, Fuzz: 6, Runs: 400})
	if res.Verdict != verdict.Unknown {
		t.Errorf("%s %s", res.Verdict, res.Reason)
	}
	const locks = "#include <pthread.h>\nstatic pthread_mutex_t p = PTHREAD_MUTEX_INITIALIZER, q = PTHREAD_MUTEX_INITIALIZER;\nstatic int n;\n" +
		"int up(void) { pthread_mutex_lock(&p); pthread_mutex_lock(&q); int v = n++; pthread_mutex_unlock(&q); pthread_mutex_unlock(&p); return v; }\n" +
		"int down(void) { pthread_mutex_lock(&q); pthread_mutex_lock(&p); int v = n--; pthread_mutex_unlock(&p); pthread_mutex_unlock(&q); return v; }\n"
	res = ask(t, locks, query.LinOptions{Models: query.Models{"sc"}, Fuzz: 6, Runs: 400})
	if res.Verdict != verdict.Unsafe || res.Question != "deadlock" {
		t.Errorf("%s: %s %s", res.Question, res.Verdict, res.Reason)
	}
}
