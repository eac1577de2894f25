package explore

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/testkit"
	"fencepost/query"
	"fencepost/verdict"
)

var walks = flag.Int("fp.walks", 250, "random programs with a random walk each")

const sb = `var x, y;
thread t1 {
  reg r1;
  x = 1;
  r1 = y;
}
thread t2 {
  reg r2;
  y = 1;
  r2 = x;
}
exists t1:r1 == 0 && t2:r2 == 0;
`

const mutexes = `#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *u(void *arg) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; }
int main(void) { pthread_t a; pthread_create(&a, 0, u, 0); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; }
`

func ask(t *testing.T, text string, opt query.ExploreOptions) *verdict.State {
	t.Helper()
	name := "p.fp"
	if strings.HasPrefix(text, "#include") {
		name = "p.c"
	}
	state, diags, err := Run(context.Background(), query.Input{Name: name, Text: []byte(text)}, opt)
	if err != nil || state == nil {
		t.Fatalf("%v %v", err, diags)
	}
	return state
}

// TestWalks: on random walks through random programs under all models, every state is that of package replay, with the
// same steps possible, the run leads there again, and a step that is not offered is refused.
func TestWalks(t *testing.T) {
	profiles := append(slices.Clone(testkit.Profiles), testkit.Rare...)
	cycles, ends := 0, map[string]int{}
	for seed := range uint64(*walks) {
		profile := profiles[seed%uint64(len(profiles))]
		flat, props := testkit.Generate(seed, profile).Flat()
		model := []memory.Model{memory.TSO, memory.PSO, memory.SC}[seed/uint64(len(profiles))%3]
		p := pipeline.Open(query.Input{Name: "p.fp"}).Program.With(props)
		rng := rand.New(rand.NewPCG(seed, 7))
		w := newWalk(p, flat, model)
		for range 40 {
			if err := w.agree(); err != nil {
				t.Fatalf("seed %d (%s) under %s, run %v: %v", seed, profile.Name, model, w.names, err)
			}
			s := w.state()
			checkState(t, s)
			if s.Cause != nil {
				cycles++
			}
			if len(s.Next) == 0 {
				ends[s.End]++
				break
			}
			next := s.Next[rng.IntN(len(s.Next))]
			for range 3 { // stores that wait long show more
				if next.Step.Kind == verdict.StepFlush {
					next = s.Next[rng.IntN(len(s.Next))]
				}
			}
			again := newWalk(p, flat, model)
			opt := query.ExploreOptions{Run: s.Run, Add: next.Name, Advance: rng.IntN(2) == 0}
			if refused, err := again.takeRun(context.Background(), &opt); refused != nil || err != nil {
				t.Fatalf("seed %d (%s) under %s: %v %v", seed, profile.Name, model, refused, err)
			}
			if got := again.rec.Witness().Steps[len(s.Run)]; !sameStep(&got, &next.Step) {
				t.Fatalf("seed %d (%s): promised %+v, did %+v", seed, profile.Name, next.Step, got)
			}
			forged := query.ExploreOptions{Run: append(slices.Clone(s.Run), notOffered(s))}
			if refused, _ := newWalk(p, flat, model).takeRun(context.Background(), &forged); refused == nil || refused.Index != len(s.Run) {
				t.Fatalf("seed %d (%s): step %s of %v was taken", seed, profile.Name, forged.Run[len(s.Run)], s.Next)
			}
			w = again
		}
		stored := newWalk(p, flat, model)
		if refused := stored.witness(w.rec.Witness()); refused != nil || !slices.Equal(stored.names, w.names) {
			t.Fatalf("seed %d (%s): the execution as a run is %v, want %v: %v", seed, profile.Name, stored.names, w.names, refused)
		}
	}
	t.Logf("%d states with a cycle, ends %v", cycles, ends)
	if cycles == 0 || ends[endFinal] == 0 {
		t.Error("no walk met a cycle or came to an end: the test shows little")
	}
}

// sameStep compares what a step was said to do with what it did.
func sameStep(a, b *verdict.Step) bool {
	x, y := *a, *b
	x.Text, y.Text = "", ""
	return fmt.Sprintf("%+v", dropPos(x)) == fmt.Sprintf("%+v", dropPos(y))
}

func dropPos(s verdict.Step) verdict.Step {
	s.Pos = nil
	return s
}

// notOffered returns the name of a step that is not possible.
func notOffered(s *verdict.State) string {
	offered := func(name string) bool {
		return slices.ContainsFunc(s.Next, func(n verdict.NextStep) bool { return n.Name == name })
	}
	for t := range s.Threads {
		for _, name := range []string{fmt.Sprint(t), fmt.Sprintf("f%d", t), fmt.Sprintf("%d.1", t)} {
			if !offered(name) {
				return name
			}
		}
	}
	return "99"
}

// checkState: every thread that runs can go on or is blocked, and never both.
func checkState(t *testing.T, s *verdict.State) {
	t.Helper()
	for i := range s.Threads {
		moves := slices.ContainsFunc(s.Next, func(n verdict.NextStep) bool { return n.Step.Thread == i && n.Step.Kind != verdict.StepFlush })
		blocked := slices.ContainsFunc(s.Blocked, func(b verdict.BlockedStep) bool { return b.Thread == i && b.Reason != "" })
		status := s.Threads[i].Status
		over := s.End == endFailed || s.End == endExit || status == "ended" || status == "not started"
		if over && (moves || blocked) || !over && moves == blocked {
			t.Fatalf("thread %d (%s) of %v: moves %v, blocked %v", i, status, s.Run, moves, blocked)
		}
		for _, e := range s.Threads[i].Buffer {
			if e.Flush != "" && !slices.ContainsFunc(s.Next, func(n verdict.NextStep) bool { return n.Name == e.Flush && n.Step.Of == e.Step }) {
				t.Fatalf("entry %+v has no step in %v", e, s.Next)
			}
		}
	}
}

// TestStoreBuffering: four steps close the cycle of store buffering, the store that was delayed has a name, and with
// the fence the run is not possible any more.
func TestStoreBuffering(t *testing.T) {
	s := ask(t, sb, query.ExploreOptions{Model: "tso", Advance: true})
	for i, step := range []string{"0", "0", "1", "1"} {
		if s.Cause != nil {
			t.Errorf("a cycle after %d steps", i)
		}
		s = ask(t, sb, query.ExploreOptions{Model: "tso", Run: s.Run, Add: step, Advance: true})
	}
	if s.Cause == nil || s.Cause.Thread != "t1" || s.Witness.Steps[s.Cause.First].EntryText() != "x=1" {
		t.Fatalf("cause %+v", s.Cause)
	}
	if got := fmt.Sprint(s.Threads[0].Buffer, s.Threads[0].Regs, s.Memory); got != "[{x 1 false false 0 f0}] [{r1 0}] [{x 0} {y 0}]" {
		t.Error(got)
	}
	fenced, diags, err := InsertFence(context.Background(), query.Input{Name: "p.fp", Text: []byte(sb)}, query.ExploreOptions{Model: "tso", Run: s.Run})
	if err != nil || !strings.Contains(fenced, "x = 1;\n  fence;\n  r1 = y;") {
		t.Fatalf("%q %v %v", fenced, diags, err)
	}
	after := ask(t, fenced, query.ExploreOptions{Model: "tso", Run: s.Run, Lenient: true, Advance: true})
	if after.Cause != nil || len(after.Left) != 1 || after.Left[0].Reason != "t1 waits: buffer not empty" || len(after.Blocked) != 1 || after.Blocked[0].Text != "fence" {
		t.Errorf("cause %v, left %+v, blocked %+v", after.Cause, after.Left, after.Blocked)
	}
	for _, step := range []string{"f0", "f1"} {
		s = ask(t, sb, query.ExploreOptions{Model: "tso", Run: s.Run, Add: step, Advance: true})
	}
	if s.End != endFinal || s.Observed == "" || s.Final != "t1:r1=0 t2:r2=0 x=1 y=1" {
		t.Errorf("end %q, observed %q, final %q", s.End, s.Observed, s.Final)
	}
}

// TestRefused: a run that is not possible names its first wrong step.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		run   string
		index int
		why   string
	}{
		{"f0", 0, "no store of t1 can reach memory now"},
		{"0 0 0", 2, "t1 has ended"},
		{"0 7", 1, "the program has 2 threads"},
		{"0 01", 1, "no step has this name"},
		{"0.0", 0, "t1 has 1 steps here"},
		{"x", 0, "no step has this name"},
		{"-1", 0, "no step has this name"},
	} {
		_, _, err := Run(context.Background(), query.Input{Name: "p.fp", Text: []byte(sb)}, query.ExploreOptions{Model: "tso", Run: strings.Fields(c.run)})
		wrong := (*query.RunError)(nil)
		if !errors.As(err, &wrong) || wrong.Index != c.index || !strings.Contains(wrong.Why, c.why) {
			t.Errorf("%s: %v", c.run, err)
		}
	}
	long := slices.Repeat([]string{"0"}, query.MaxRun+1)
	if _, _, err := Run(context.Background(), query.Input{Name: "p.fp", Text: []byte(sb)}, query.ExploreOptions{Model: "tso", Run: long}); err == nil {
		t.Error("a run that is too long was taken")
	}
	if state, diags, err := Run(context.Background(), query.Input{Name: "p.fp", Text: []byte("var x; thread t { x = ; }")}, query.ExploreOptions{Model: "tso"}); state != nil || err != nil || len(diags) == 0 {
		t.Errorf("%v %v %v", state, diags, err)
	}
}

// TestReasons: what each kind of waiting says.
func TestReasons(t *testing.T) {
	for _, c := range []struct{ program, run, want string }{
		{"var x; thread t { x = 1; fence; }", "0", "waits: buffer not empty"},
		{"var x; thread t { await x == 1; }", "", "waits: x is 0"},
		{"var x; thread t { reg r; r = x; assume r == 1; x = 2; }", "0", "stopped: the assumption does not hold"},
		{mutexes, "0 0 1", "waits: mutex m is held by u"},
		{"var x, y; thread t { atomic { x = 1; y = 1; } } thread u { reg r; r = x; }", "0", "waits: t is inside an atomic section"},
	} {
		s := ask(t, c.program, query.ExploreOptions{Model: "tso", Run: strings.Fields(c.run), Advance: true})
		if len(s.Blocked) != 1 || s.Blocked[0].Reason != c.want {
			t.Errorf("%s: %+v, want %s", c.program, s.Blocked, c.want)
		}
	}
}

// waiting has every kind of wait of C programs.
const waiting = `#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
pthread_barrier_t b;
int ready, x;
void *u(void *arg) { pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m); pthread_barrier_wait(&b); x = 1; return 0; }
int main(void) {
  pthread_t a;
  pthread_barrier_init(&b, 0, 2);
  pthread_create(&a, 0, u, 0);
  pthread_mutex_lock(&m);
  while (!ready) pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
  pthread_barrier_wait(&b);
  pthread_join(a, 0);
  return 0;
}
`

// TestWaits: random walks meet every kind of wait, and each says what it waits for.
func TestWaits(t *testing.T) {
	found := map[string]bool{}
	rng := rand.New(rand.NewPCG(3, 4))
	run := pipeline.Open(query.Input{Name: "p.c", Text: []byte(waiting)})
	var start *walk
	if err := run.Do(t.Context(), func(ctx context.Context) (err error) {
		start, err = open(context.Background(), run, "tso", query.Options{})
		return err
	}); err != nil || start == nil {
		t.Fatal(err, run.Diagnostics)
	}
	for range 60 {
		w := newWalk(start.p, start.flat, start.model)
		for {
			w.advance()
			s := w.state()
			for _, b := range s.Blocked {
				found[s.Threads[b.Thread].Name+" "+b.Reason] = true
			}
			if len(s.Next) == 0 {
				break
			}
			name := s.Next[rng.IntN(len(s.Next))].Name
			st, why := w.find(name)
			if why != "" {
				t.Fatal(why)
			}
			w.take(st, name)
		}
	}
	for _, want := range []string{
		"main waits: mutex m is held by u", "u waits: mutex m is held by main", "main waits: buffer not empty",
		"main waits: other threads have not arrived at the barrier", "u waits: other threads have not arrived at the barrier",
		"main waits: u has not ended", "main waits: stores of u are in its store buffer",
	} {
		if !found[want] {
			t.Errorf("no thread says %q; they say %v", want, slices.Sorted(maps.Keys(found)))
		}
	}
	for reason := range found {
		if strings.Contains(reason, "cut off") || strings.Contains(reason, "stopped") {
			t.Errorf("%s, but the program has no bound", reason)
		}
	}
}

// TestGraph: the graph of store buffering has the outcome that only TSO has, and no state of SC is marked.
func TestGraph(t *testing.T) {
	for model, want := range map[query.Model]string{"sc": "3 0", "tso": "4 1", "pso": "4 1"} {
		g, diags, err := Graph(context.Background(), query.Input{Name: "p.fp", Text: []byte(sb)}, model, 300, query.Options{})
		if err != nil || g == nil {
			t.Fatal(diags, err)
		}
		finals, weak := 0, 0
		for _, n := range g.Nodes {
			if n.Final != "" {
				finals++
				if n.Weak {
					weak++
				}
			}
		}
		if got := fmt.Sprint(finals, weak); got != want || !g.Complete || !g.Compared {
			t.Errorf("%s: %s final and weak states, want %s; complete %v", model, got, want, g.Complete)
		}
	}
	g, _, err := Graph(context.Background(), query.Input{Name: "p.fp", Text: []byte(sb)}, "tso", 5, query.Options{})
	if err != nil || g.Complete || len(g.Nodes) != 5 {
		t.Errorf("%+v %v", g, err)
	}
	// Ten stores that wait have millions of orders, and few states.
	many := "var x, y, a, b, c, d, e, f, g, h; thread t1 { reg r; x = 1; r = y; a = 1; b = 1; c = 1; d = 1; e = 1; f = 1; g = 1; h = 1; } thread t2 { reg s; y = 1; s = x; }"
	g, diags, err := Graph(context.Background(), query.Input{Name: "p.fp", Text: []byte(many)}, "pso", 1200, query.Options{})
	if err != nil || g == nil || !g.Compared {
		t.Fatal(diags, err)
	}
}
