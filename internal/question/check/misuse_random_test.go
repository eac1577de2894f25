package check

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/certificate"
	"fencepost/internal/memory"
	"fencepost/internal/pipeline"
	"fencepost/internal/property"
	"fencepost/internal/replay"
	"fencepost/query"
	"fencepost/verdict"
)

var misusePrograms = flag.Int("fp.misuse", 200, "random C programs whose memory leaks and notes are compared with their definition")

// Random programs with blocks, mutexes and threads, and what they mean: an interpreter of the statements themselves tries
// all interleavings under SC. It knows no addresses and shares nothing with the front end, the passes or the models.

// doing is a statement of a random program.
type doing struct {
	kind string // see text
	a, b int    // numbers of variables, mutexes or threads
	line int
}

// text returns the statement in C. Locals are x0 and x1, globals g0 and g1, mutexes m0 and m1.
func (d *doing) text() string {
	switch d.kind {
	case "alloc":
		return fmt.Sprintf("x%d = calloc(1, sizeof *x%d);", d.a, d.a)
	case "put":
		return fmt.Sprintf("g%d = x%d;", d.a, d.b)
	case "get":
		return fmt.Sprintf("x%d = g%d;", d.a, d.b)
	case "link":
		return fmt.Sprintf("if (x%d) x%d->next = x%d;", d.a, d.a, d.b)
	case "next":
		return fmt.Sprintf("if (x%d) x%d = x%d->next;", d.b, d.a, d.b)
	case "clear":
		return fmt.Sprintf("x%d = 0;", d.a)
	case "take":
		return fmt.Sprintf("x%d = atomic_exchange(&g%d, 0);", d.a, d.b)
	case "free":
		return fmt.Sprintf("free(x%d); x%d = 0;", d.a, d.a)
	case "lock", "unlock", "destroy":
		return fmt.Sprintf("pthread_mutex_%s(&m%d);", d.kind, d.a)
	case "init":
		return fmt.Sprintf("pthread_mutex_init(&m%d, 0);", d.a)
	case "create":
		return fmt.Sprintf("pthread_create(&t%d, 0, f%d, 0);", d.a, d.a)
	case "join":
		return fmt.Sprintf("pthread_join(t%d, 0);", d.a)
	case "detach":
		return fmt.Sprintf("pthread_detach(t%d);", d.a)
	}
	panic("BUG: unknown statement " + d.kind)
}

// misused is a random program: the statements of two threads and, last, of main.
type misused struct {
	threads [3][]doing
	text    string
}

func generateMisuse(seed uint64) *misused {
	r := rand.New(rand.NewPCG(seed, 52))
	kinds := []string{"alloc", "put", "put", "get", "link", "next", "clear", "take", "free"}
	if r.IntN(2) == 0 {
		kinds = []string{"lock", "unlock", "lock", "unlock", "init", "destroy", "alloc", "put"}
	}
	if r.IntN(4) == 0 {
		kinds = append(kinds, "lock", "unlock")
	}
	some := func(n int) (out []doing) {
		for range n {
			d := doing{kind: kinds[r.IntN(len(kinds))], a: r.IntN(2), b: r.IntN(2)}
			out = append(out, d)
			if d.kind == "lock" && r.IntN(4) > 0 {
				out = append(out, doing{kind: "unlock", a: d.a})
			}
			if d.kind == "take" && r.IntN(3) > 0 {
				out = append(out, doing{kind: "free", a: d.a})
			}
		}
		return out
	}
	m := &misused{}
	for t := range 2 {
		m.threads[t] = some(1 + r.IntN(3))
	}
	main := some(r.IntN(3))
	n := 1 + r.IntN(2)
	for t := range n {
		main = append(main, doing{kind: "create", a: t})
	}
	main = append(main, some(r.IntN(2))...)
	for t := range n {
		if k := r.IntN(6); k > 0 {
			main = append(main, doing{kind: []string{"", "detach", "join", "join", "join", "join"}[k], a: t})
		}
	}
	m.threads[2] = append(main, some(r.IntN(3))...)
	var b strings.Builder
	b.WriteString("#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\nstruct n { _Atomic(struct n *) next; };\n" +
		"_Atomic(struct n *) g0, g1;\npthread_mutex_t m0 = PTHREAD_MUTEX_INITIALIZER, m1 = PTHREAD_MUTEX_INITIALIZER;\n")
	line := strings.Count(b.String(), "\n")
	for t := range m.threads {
		head := fmt.Sprintf("void *f%d(void *arg) { struct n *x0 = 0, *x1 = 0;\n", t)
		if t == 2 {
			head = "int main(void) { struct n *x0 = 0, *x1 = 0; pthread_t t0, t1;\n"
		}
		b.WriteString(head)
		line++
		for i := range m.threads[t] {
			line++
			m.threads[t][i].line = line
			b.WriteString(m.threads[t][i].text() + "\n")
		}
		b.WriteString("(void)x0; (void)x1; return 0; }\n")
		line++
	}
	m.text = b.String()
	return m
}

// meaning sums up all executions of a program.
type meaning struct {
	wrong  bool            // an error or a deadlock
	leaks  bool            // a block is lost in some final state
	finals int             // executions to the end of all threads
	notes  map[string]bool // code:line
}

// world is a state. Objects are numbered from 1; 0 is the null pointer.
type world struct {
	pc, half        [3]int // half: how much of a statement with two steps is done
	running         [3]bool
	joined, free    [3]bool // free: detached
	local           [3][2]int
	global          [2]int
	next            []int
	freed           []bool
	mutex, lockedAt [2]int // mutex: 1 + owner, or -1 if it was destroyed
	made            [2]bool
	created         [3]int // the line
}

func (m *misused) meaning() *meaning {
	out := &meaning{notes: map[string]bool{}}
	start := world{next: []int{0}, freed: []bool{true}}
	start.running[2] = true
	seen := map[string]bool{}
	var visit func(w world)
	visit = func(w world) {
		if key := fmt.Sprint(w); seen[key] {
			return
		} else {
			seen[key] = true
		}
		m.judge(&w, out)
		moved, waits := false, false
		for t := range 3 {
			if !w.running[t] || w.pc[t] == len(m.threads[t]) {
				continue
			}
			n := w
			n.next, n.freed = slices.Clone(w.next), slices.Clone(w.freed)
			switch m.step(&n, t, out) {
			case "waits":
				waits = true
			case "error":
				out.wrong, moved = true, true
			default:
				moved = true
				visit(n)
			}
		}
		if waits && !moved && w.pc[2] < len(m.threads[2]) {
			out.wrong = true
		}
	}
	visit(start)
	return out
}

// judge looks for lost blocks and notes in a state.
func (m *misused) judge(w *world, out *meaning) {
	ended := func(t int) bool { return w.running[t] && w.pc[t] == len(m.threads[t]) }
	for k, word := range w.mutex {
		if word > 0 && word != 3 && ended(word-1) {
			out.notes[fmt.Sprintf("FP0946:%d", w.lockedAt[k])] = true
		}
	}
	all := true
	for t := range 3 {
		all = all && (!w.running[t] || ended(t))
	}
	if ended(2) {
		for t := range 2 {
			if w.running[t] && !w.joined[t] && !w.free[t] {
				out.notes[fmt.Sprintf("FP0947:%d", w.created[t])] = true
			}
		}
	}
	if !all {
		return
	}
	out.finals++
	reached := make([]bool, len(w.next))
	for _, g := range w.global {
		for ; g != 0 && !reached[g] && !w.freed[g]; g = w.next[g] {
			reached[g] = true
		}
	}
	for o := 1; o < len(w.next); o++ {
		out.leaks = out.leaks || !w.freed[o] && !reached[o]
	}
}

// step does the next step of thread t: "", "waits" or "error".
func (m *misused) step(w *world, t int, out *meaning) string {
	d := &m.threads[t][w.pc[t]]
	x := &w.local[t]
	w.pc[t]++
	switch d.kind {
	case "alloc":
		x[d.a] = len(w.next)
		w.next, w.freed = append(w.next, 0), append(w.freed, false)
	case "put":
		w.global[d.a] = x[d.b]
	case "get":
		x[d.a] = w.global[d.b]
	case "link":
		if o := x[d.a]; o != 0 && w.freed[o] {
			return "error"
		} else if o != 0 {
			w.next[o] = x[d.b]
		}
	case "next":
		if o := x[d.b]; o != 0 && w.freed[o] {
			return "error"
		} else if o != 0 {
			x[d.a] = w.next[o]
		}
	case "clear":
		x[d.a] = 0
	case "take":
		x[d.a], w.global[d.b] = w.global[d.b], 0
	case "free":
		if o := x[d.a]; o != 0 && w.freed[o] {
			return "error"
		} else if o != 0 {
			w.freed[o] = true
		}
		x[d.a] = 0
	case "create":
		w.running[d.a], w.created[d.a] = true, d.line
	case "join":
		if w.pc[d.a] < len(m.threads[d.a]) {
			return "waits"
		}
		w.joined[d.a] = true
	case "detach":
		w.free[d.a] = true
	default:
		return m.mutex(w, t, d, out)
	}
	return ""
}

// mutex does a step of a statement about a mutex.
func (m *misused) mutex(w *world, t int, d *doing, out *meaning) string {
	word := &w.mutex[d.a]
	switch {
	case d.kind == "init":
		if w.made[d.a] {
			out.notes[fmt.Sprintf("FP0948:%d", d.line)] = true
		}
		*word, w.made[d.a] = 0, true
	case d.kind == "destroy" && w.half[t] == 0:
		if *word != 0 {
			return "error"
		}
		w.half[t] = 1
		w.pc[t]--
	case d.kind == "destroy":
		*word, w.made[d.a], w.half[t] = -1, false, 0
	case *word < 0:
		return "error"
	case d.kind == "lock" && *word != 0:
		return "waits"
	case d.kind == "lock":
		*word, w.lockedAt[d.a] = t+1, d.line
	case *word != t+1:
		return "error"
	default:
		*word = 0
	}
	return ""
}

// TestMisuse compares memory leaks and notes with their definition on random programs: under SC with an interpreter of the
// statements, under TSO and PSO with the enumeration of all states by the second implementation of the models.
func TestMisuse(t *testing.T) {
	count := map[string]int{}
	for i := range *misusePrograms {
		m := generateMisuse(uint64(i))
		if problem := compareMisuse(t.Context(), m, count); problem != "" {
			t.Errorf("program %d: %s\n%s", i, problem, m.text)
		}
	}
	t.Log(count)
	for _, what := range []string{"wrong", "leak", "no leak", "FP0946", "FP0947", "FP0948"} {
		if *misusePrograms >= 200 && count[what] == 0 {
			t.Errorf("no program has: %s", what)
		}
	}
}

func compareMisuse(ctx context.Context, m *misused, count map[string]int) string {
	want := m.meaning()
	in := query.Input{Name: "x.c", Text: []byte(m.text)}
	opt := query.CheckOptions{}
	opt.Workers = 1
	ask := func(leaks bool, model query.Model) (*verdict.Result, string) {
		o := opt.Under(model)
		o.Leaks = leaks
		answer, err := Run(ctx, in, o)
		if err != nil {
			return nil, err.Error()
		}
		return &answer.Results[0], ""
	}
	res, problem := ask(false, query.SC)
	switch {
	case problem != "":
		return problem
	case (res.Verdict == verdict.Unsafe) != want.wrong:
		return fmt.Sprintf("%s (%s), but the definition says wrong: %t", res.Verdict, res.Reason, want.wrong)
	case want.wrong:
		count["wrong"]++
		return ""
	}
	notes := map[string]bool{}
	for _, w := range res.Warnings {
		if w.Code >= "FP0946" && w.Code <= "FP0949" {
			notes[fmt.Sprintf("%s:%d", w.Code, w.Pos.Line)] = true
			count[w.Code]++
		}
	}
	if !maps.Equal(notes, want.notes) {
		return fmt.Sprintf("notes: got %v, want %v", notes, want.notes)
	}
	if want.finals == 0 {
		return ""
	}
	run := pipeline.Open(in)
	flat, err := Read(ctx, run, &opt)
	if err != nil {
		return err.Error()
	}
	if problem := certifyMisuse(ctx, run, want.leaks, count); problem != "" {
		return problem
	}
	for _, model := range []query.Model{query.SC, query.TSO, query.PSO} {
		leaks := want.leaks
		if model != query.SC {
			which, _ := replay.ParseModel(string(model))
			all, err := replay.Enumerate(flat, &property.Set{Leaks: true}, which, replay.Limits{States: 20_000})
			if err != nil {
				return err.Error()
			}
			if all.Truncated {
				continue
			}
			leaks = slices.ContainsFunc(all.Finals, func(text string) bool { return text != "" })
		}
		res, problem := ask(true, model)
		if problem != "" {
			return problem
		}
		if got := res.Verdict == verdict.Unsafe && res.Question == verdict.MemoryLeaks; got != leaks || res.Verdict == verdict.Unknown {
			return fmt.Sprintf("%s: %s (%s), but the definition says leak: %t", model, res.Verdict, res.Reason, leaks)
		}
		count[map[bool]string{true: "leak", false: "no leak"}[leaks]]++
	}
	return ""
}

// certifyMisuse makes a proof under SC that no block is lost, which there must be exactly if none is.
func certifyMisuse(ctx context.Context, run *pipeline.Run, leaks bool, count map[string]int) string {
	q := &question{Program: run.Program, model: memory.SC}
	q.opt.Leaks = true
	model, plain, props, err := provable(q, false)
	if err != nil {
		return err.Error()
	}
	covered, err := certificate.States(ctx, io.Discard, certificate.Statement{}, plain, props, model, certificate.Limits{})
	refuted := (*certificate.Refuted)(nil)
	if err != nil && !errors.As(err, &refuted) || leaks != (err != nil) {
		return fmt.Sprintf("the proof: %v, but the definition says leak: %t", err, leaks)
	}
	if err == nil {
		count["certified"] += covered.Size
	}
	return ""
}
