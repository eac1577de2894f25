package rows_test

import (
	"fmt"
	"strings"
	"testing"

	"fencepost/internal/render/rows"
	"fencepost/verdict"
)

// run builds a witness step by step.
type run struct{ w verdict.Witness }

func (r *run) add(thread int, kind verdict.StepKind, line int, text string) *verdict.Step {
	r.w.Steps = append(r.w.Steps, verdict.Step{
		Thread: thread, Kind: kind, Edge: line, Of: -1, Instruction: verdict.Instruction{Text: text, Pos: &verdict.Pos{File: "p.c", Line: line, Col: 1, EndLine: line, EndCol: 40}},
	})
	return &r.w.Steps[len(r.w.Steps)-1]
}

func (r *run) access(thread int, kind verdict.StepKind, line int, text, location string, value int64) *verdict.Step {
	s := r.add(thread, kind, line, text)
	s.Location, s.Value, s.Size = location, value, 4
	for _, c := range location {
		s.Addr = s.Addr*31 + uint64(c)*8
	}
	return s
}

func (r *run) store(thread, line int, text, location string, value int64) int {
	r.access(thread, verdict.StepStore, line, text, location, value).Buffered = true
	return len(r.w.Steps) - 1
}

func (r *run) flush(of int) {
	s := r.w.Steps[of]
	s.Kind, s.Of, s.Edge, s.Text, s.Buffered = verdict.StepFlush, of, -1, "", false
	r.w.Steps = append(r.w.Steps, s)
}

// in puts the steps from the given one into a call.
func (r *run) in(from int, stack ...string) {
	for i := from; i < len(r.w.Steps); i++ {
		if r.w.Steps[i].Kind != verdict.StepFlush {
			r.w.Steps[i].Stack = stack
		}
	}
}

func write(v *rows.View) string {
	var b strings.Builder
	var put func(list []rows.Row, indent string)
	put = func(list []rows.Row, indent string) {
		for i := range list {
			r := &list[i]
			name := "-"
			if r.Thread >= 0 {
				name = v.Witness.Threads[r.Thread]
			}
			at := ""
			if r.Pos != nil {
				at = fmt.Sprint(r.Pos.Line)
			}
			text := fmt.Sprintf("%s%d-%d %s %s %s|%s|%s|", indent, r.First+1, r.Last+1, name, r.Fold, at, r.Text, r.EffectText())
			for k := range r.Buffers {
				text += " " + r.Buffers[k].String()
			}
			b.WriteString(strings.TrimRight(text, "|") + "\n")
			put(r.Rows, indent+"  ")
		}
	}
	put(v.Rows, "")
	return b.String()
}

func compare(t *testing.T, got, want string) {
	t.Helper()
	if want = strings.TrimPrefix(want, "\n"); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func violation(r *run) *verdict.Execution {
	return &verdict.Execution{Verdict: verdict.Unsafe, Witness: &r.w, Cause: &verdict.Cause{Kind: verdict.CauseOrder}}
}

// setUp is a main that writes two variables and starts a thread, which calls an accessor.
func setUp() *run {
	r := &run{w: verdict.Witness{Threads: []string{"main", "reader"}, Blocks: []verdict.Block{{Name: "node#1", By: "malloc", Step: 0, Pos: &verdict.Pos{File: "p.c", Line: 10}}}}}
	r.add(0, verdict.StepExec, 10, "n = malloc(8)")
	r.flush(r.store(0, 11, "n->v = 1", "node#1.v", 1))
	r.flush(r.store(0, 12, "unused = 1", "unused", 1))
	r.flush(r.store(0, 13, "n->v = 2", "node#1.v", 2))
	r.add(0, verdict.StepExec, 14, "pthread_create(&t, 0, reader, 0)").Other = 2
	r.add(1, verdict.StepExec, 20, "v = get(n)")
	from := len(r.w.Steps)
	r.access(1, verdict.StepLoad, 30, "return p->v", "node#1.v", 2)
	r.add(1, verdict.StepExec, 31, "}")
	r.in(from, "reader", "get")
	r.add(1, verdict.StepExec, 20, "v = get(n)")
	r.add(1, verdict.StepExec, 21, "i = 0")
	r.add(1, verdict.StepFail, 22, "assert(v == 1)").Note = "v is 2"
	return r
}

func TestRowsOfC(t *testing.T) {
	compare(t, write(rows.Of(violation(setUp()), rows.Options{})), `
1-8 main set-up 10|set-up; starts reader|node#1.v = 2
  1-1 main statement 10|n = malloc(8)|node#1 allocated
  2-3 main statement 11|n->v = 1|node#1.v = 1 in memory
  4-5 main statement 12|unused = 1|unused = 1 in memory
  6-7 main statement 13|n->v = 2|node#1.v = 2 in memory
  8-8 main statement 14|pthread_create(&t, 0, reader, 0)
9-10 reader statement 20|v = get(n)|node#1.v -> 2 from memory
11-14 reader statement 22|assert(v == 1)|FAILS: v is 2
`)
	full := rows.Of(violation(setUp()), rows.Options{Full: true})
	if len(full.Rows) != 11 || full.Hidden != 0 {
		t.Errorf("the full view has %d rows and hides %d steps:\n%s", len(full.Rows), full.Hidden, write(full))
	}
	if v := rows.Of(violation(setUp()), rows.Options{}); len(v.Legend) != 1 || v.Legend[0].Name != "node#1" || v.Hidden != 8 {
		t.Errorf("legend %v, %d hidden steps", v.Legend, v.Hidden)
	}
}

// loop is a thread that stores in a loop while nothing reaches memory, and another one.
func loop(rounds int) *run {
	r := &run{w: verdict.Witness{Threads: []string{"a", "b"}}}
	for i := range rounds {
		r.add(0, verdict.StepExec, 3, "i < n")
		r.store(0, 4, "z = i", "z", int64(i))
	}
	r.access(1, verdict.StepLoad, 9, "r = z", "z", 0)
	r.add(1, verdict.StepFail, 10, "assert r == 1")
	return r
}

func TestRoundsAndBuffers(t *testing.T) {
	v := rows.Of(violation(loop(1500)), rows.Options{})
	if len(v.Rows) != 5 || len(v.Rows[1].Rows) != 1498 {
		t.Fatalf("%d rows", len(v.Rows))
	}
	v.Rows[1].Rows = nil
	compare(t, write(v), `
1-2 a statement 4|z = i|z = 0 buffered| z=0
3-2998 a rounds 4|1,498 more rounds of the loop|| z=0 z=1 (+1,495) z=1497 z=1498
2999-3000 a statement 4|z = i|z = 1499 buffered| z=0 z=1 (+1,496) z=1498 z=1499
3001-3001 b statement 9|r = z|z -> 0 from memory| z=0 z=1 (+1,496) z=1498 z=1499
3002-3002 b statement 10|assert r == 1|FAILS| z=0 z=1 (+1,496) z=1498 z=1499
`)
}

// TestKeyRoundsStay: a round that the explanation names is not folded.
func TestKeyRoundsStay(t *testing.T) {
	r := loop(20)
	e := violation(r)
	e.Cause = &verdict.Cause{Kind: verdict.CauseDelay, First: 21, Second: 40}
	v := rows.Of(e, rows.Options{})
	i := v.RowOf(21)
	if i < 0 || v.Rows[i].Fold != rows.Statement || !v.Rows[i].Key {
		t.Errorf("the delayed store has no row of its own:\n%s", write(v))
	}
}

// TestLoopsInLoops: the rounds of an outer loop have folds.
func TestLoopsInLoops(t *testing.T) {
	r := &run{w: verdict.Witness{Threads: []string{"a", "b"}}}
	for outer := range 6 {
		r.flush(r.store(0, 3, "x = 0", "x", int64(outer)))
		for i := range 5 + outer {
			r.flush(r.store(0, 4, "z = i", "z", int64(i)))
		}
	}
	r.access(1, verdict.StepLoad, 9, "r = z", "z", 0)
	r.access(1, verdict.StepLoad, 10, "r = x", "x", 0)
	v := rows.Of(violation(r), rows.Options{})
	if len(v.Rows) != 4+1+4+2 {
		t.Errorf("%d rows:\n%s", len(v.Rows), write(v))
	}
}

// TestLimit: a witness without structure is cut, and the key rows stay.
func TestLimit(t *testing.T) {
	r := &run{w: verdict.Witness{Threads: []string{"a", "b"}}}
	for i := range 5000 {
		r.access(i%2, verdict.StepLoad, 1+i, "r = x", "x", 0) // every row is another statement
	}
	r.w.Steps[2500].Kind = verdict.StepFail
	for _, limit := range []int{20, 0} {
		v := rows.Of(violation(r), rows.Options{Max: limit})
		most := limit
		if most == 0 {
			most = rows.MaxRows
		}
		if len(v.Rows) > most || len(v.Rows) < most-6 {
			t.Errorf("limit %d: %d rows", limit, len(v.Rows))
		}
		if i := v.RowOf(2500); !v.Rows[i].Fails {
			t.Errorf("limit %d: the failure is not shown", limit)
		}
		next := 0
		for i := range v.Rows {
			if v.Rows[i].First != next {
				t.Fatalf("limit %d: row %d begins at step %d, not %d", limit, i, v.Rows[i].First, next)
			}
			next = v.Rows[i].Last + 1
		}
		if next != len(r.w.Steps) || v.Hidden < 5000-most {
			t.Errorf("limit %d: the rows end at step %d of %d, %d steps hidden", limit, next, len(r.w.Steps), v.Hidden)
		}
	}
}

func TestPrivateMemory(t *testing.T) {
	r := &run{w: verdict.Witness{Threads: []string{"a", "b"}}}
	r.flush(r.store(0, 1, "x = 1", "x", 1))
	for i := range 3 {
		r.flush(r.store(0, 2+i, fmt.Sprintf("p%d = 1", i), fmt.Sprintf("p%d", i), 1))
	}
	r.access(1, verdict.StepLoad, 9, "r = x", "x", 1)
	compare(t, write(rows.Of(violation(r), rows.Options{})), `
1-2 a statement 1|x = 1|x = 1 in memory
3-8 a private 2|3 statements on thread-private memory
  3-4 a statement 2|p0 = 1|p0 = 1 in memory
  5-6 a statement 3|p1 = 1|p1 = 1 in memory
  7-8 a statement 4|p2 = 1|p2 = 1 in memory
9-9 b statement 9|r = x|x -> 1 from memory
`)
}

func TestShortForm(t *testing.T) {
	for text, want := range map[string]string{
		"atomic_store_explicit(&hazard, p, memory_order_release)": "store(hazard, p, release)",
		"p = atomic_load_explicit(&head, memory_order_acquire)":   "p = load(head, acquire)",
		"atomic_load(&x) == 0":                                       "load(x) == 0",
		"__atomic_store_n(&q->tail, t, __ATOMIC_RELEASE)":            "store(q->tail, t, release)",
		"__atomic_add_fetch(&n, 1, __ATOMIC_SEQ_CST)":                "add_fetch(n, 1, seq_cst)",
		"atomic_compare_exchange_strong(&lock, &old, 1)":             "compare_exchange(lock, &old, 1)",
		"atomic_compare_exchange_weak(&lock, &old, 1)":               "compare_exchange_weak(lock, &old, 1)",
		"atomic_flag_test_and_set_explicit(f, memory_order_acquire)": "test_and_set(f, acquire)",
		"atomic_thread_fence(memory_order_seq_cst)":                  "fence(seq_cst)",
		"my_atomic_store(&x, 1)":                                     "my_atomic_store(&x, 1)",
		"atomic_store_mine(&x, memory_order_relaxed)":                "atomic_store_mine(&x, memory_order_relaxed)",
	} {
		if got := rows.ShortForm(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestEmpty: views of witnesses without threads or steps.
func TestEmpty(t *testing.T) {
	if v := rows.Of(&verdict.Execution{Witness: &verdict.Witness{}}, rows.Options{}); len(v.Rows) != 0 {
		t.Error("rows without steps")
	}
	w := &verdict.Witness{Steps: []verdict.Step{{Thread: 3, Kind: verdict.StepLoad}, {Thread: -1, Kind: verdict.StepFlush, Of: 7}}}
	if v := rows.Of(&verdict.Execution{Witness: w}, rows.Options{}); len(v.Rows) != 2 {
		t.Errorf("%d rows of steps without threads", len(v.Rows))
	}
}

// TestRepeats: the steps that repeat for ever are not joined with equal ones before them, not folded, and say so.
func TestRepeats(t *testing.T) {
	r := &run{w: verdict.Witness{Threads: []string{"a"}}}
	for range 4 {
		r.access(0, verdict.StepLoad, 3, "while (!x)", "x", 0)
	}
	r.w.Repeats = 2
	v := rows.Of(&verdict.Execution{Witness: &r.w}, rows.Options{})
	var got []string
	for i := range v.Rows {
		got = append(got, fmt.Sprintf("%d-%d %v %s", v.Rows[i].First, v.Rows[i].Last, v.Rows[i].Repeats, v.Rows[i].EffectText()))
	}
	last := got[len(got)-1]
	if strings.Contains(got[0], "true") || !strings.HasPrefix(last, "2-") && !strings.HasPrefix(last, "3-") || !strings.Contains(last, "again from step 3") {
		t.Errorf("rows: %q", got)
	}
	if !strings.Contains(strings.Join(got, "\n"), "from here on for ever") {
		t.Errorf("no row says that the rest repeats: %q", got)
	}
}
