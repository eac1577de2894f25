package verify_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fencepost/internal/question/check"
	"fencepost/internal/question/fences"
	"fencepost/internal/question/lin"
	qlitmus "fencepost/internal/question/litmus"
	"fencepost/internal/question/param"
	"fencepost/internal/question/prove"
	"fencepost/internal/question/robust"
	"fencepost/internal/question/traces"
	"fencepost/internal/question/verify"
	"flag"
	"fmt"
	"os/exec"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	stored "fencepost/internal/render/json"
	"fencepost/internal/testkit"
	"fencepost/query"
	"fencepost/verdict"
)

var likeFields = flag.Int("fp.fields", 1, "how many of many like fields are changed, beside the last")

// storedAnswer is a program and what was stored about it.
type storedAnswer struct {
	name string
	in   query.Input
	text []byte // as printed with --json
	read any    // what is read from the text
}

func input(name, text string) query.Input {
	return query.Input{Name: name, Text: []byte(text)}
}

var (
	sbText = `var x, y;
thread a { reg r; x = 1; r = y; }
thread b { reg s; y = 1; s = x; }
never a:r == 0 && b:s == 0;
`
	fenced = input("dir/fenced.fp", strings.NewReplacer("x = 1;", "x = 1; fence;", "y = 1;", "y = 1; fence;").Replace(sbText))
	sb     = input("dir/sb.fp", sbText)
	bound  = input("loop.fp", `var x, y, go;
thread a { reg r; while (go == 0) { x = 1; } r = y; }
thread b { reg s; go = 1; y = 1; s = x; assert s != 2; }
`)
	many = input("many.fp", `var x, y;
thread a { reg r; x = 1; r = y; assert r == 1; }
thread b { reg s; y = 1; s = x; assert s == 1; }
`)
	sees   = input("sees.fp", strings.Replace(sbText, "never", "exists", 1))
	sees2  = input("sees2.fp", strings.Replace(sbText, "never a:r == 0 && b:s == 0", "exists a:r == 5", 1))
	waits  = input("waits.fp", "var x, y;\nthread a { await x == 1; }\nthread b { y = 1; }\n")
	racy   = input("racy.c", "#include <pthread.h>\nint x;\nvoid *w(void *a) { x = 1; return 0; }\nint main(void) { pthread_t t; pthread_create(&t, 0, w, 0); int r = x; pthread_join(t, 0); return r; }\n")
	heap   = input("heap.c", "#include <stdlib.h>\nstatic int *take(void) { return malloc(4); }\nint main(void) { int *p = take(); *p = 1; free(p); return *p; }\n")
	mp     = input("mp.fp", "var d, f;\nthread a { d = 1; f = 1; }\nthread b { reg r, s; r = f; s = d; }\nnever b:r == 1 && b:s == 0;\n")
	inside = input("inside.c", `#include <pthread.h>
int x, y, r;
void *left(void *arg) { r = (x = 1, y); return arg; }
void *right(void *arg) { int s = (y = 1, x); return arg; }
int main(void) { pthread_t a, b; pthread_create(&a, 0, left, 0); pthread_create(&b, 0, right, 0); return 0; }
`)
	macros = input("macro.c", `#include <pthread.h>
#define LEFT x = 1; r = y
int x, y, r, s;
void *left(void *arg) { LEFT; return arg; }
void *right(void *arg) { y = 1; s = x; return arg; }
int main(void) { pthread_t a, b; pthread_create(&a, 0, left, 0); pthread_create(&b, 0, right, 0); return 0; }
`)
	section = input("section.fp", "var x;\nthread t1 { x = 1; L: skip; }\nthread t2 { reg r; atomic { r = x; M: skip; } }\ngoal t1:L, t2:M with t2:r == 0;\n")
	tickets = input("count.fp", "var x;\nthread t * n { reg r; r = x; x = r + 1; assert r < 1; }\n")
	calm    = input("calm.fp", "var x;\nthread t * n { reg r; r = cas(x, 0, 1); assert r <= 1; }\n")
	litmus  = input("SB.litmus", `X86 SB
{ x=0; y=0; }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\ 1:EAX=0)
`)
)

// storedAnswers are answers of every command.
func storedAnswers(t *testing.T) []storedAnswer {
	t.Helper()
	ctx := context.Background()
	var out []storedAnswer
	add := func(name string, in query.Input, answer query.Answer, err error) {
		t.Helper()
		if err != nil || answer.HasErrors() || len(answer.Results) == 0 {
			t.Fatalf("%s: %v %+v", name, err, answer.Diagnostics)
		}
		var text bytes.Buffer
		if err := stored.Report(&text, answer.Results, nil); err != nil {
			t.Fatal(err)
		}
		out = append(out, storedAnswer{name: name, in: in, text: text.Bytes()})
	}
	checked := func(name string, in query.Input, model string, set func(*query.CheckOptions)) {
		t.Helper()
		opt := query.CheckOptions{Options: query.Defaults()}
		opt.Timeout = 0
		if set != nil {
			set(&opt)
		}
		answer, err := check.Run(ctx, in, opt.Under(query.Model(model)))
		add("check "+name, in, answer, err)
	}
	isRobust := func(name string, in query.Input, set func(*query.RobustOptions)) {
		t.Helper()
		opt := query.RobustOptions{Options: query.Defaults()}
		opt.Timeout = 0
		if set != nil {
			set(&opt)
		}
		answer, err := robust.Run(ctx, in, opt)
		add("robust "+name, in, answer, err)
	}
	repaired := func(name string, in query.Input, set func(*query.FenceOptions)) {
		t.Helper()
		opt := fences.Defaults(query.FenceOptions{Options: query.Defaults()})
		opt.Timeout = 0
		if set != nil {
			set(&opt)
		}
		answer, err := fences.Run(ctx, in, opt)
		add("fences "+name, in, answer, err)
	}
	checked("safe", fenced, "tso", nil)
	checked("unsafe", sb, "tso", nil)
	checked("unsafe pso", mp, "pso", nil)
	checked("within a bound", bound, "pso", func(o *query.CheckOptions) { o.Buffer = 3 })
	checked("all violations", many, "tso", func(o *query.CheckOptions) { o.KeepGoing = true })
	checked("final states", fenced, "tso", func(o *query.CheckOptions) { o.Finals, o.Endings = true, true })
	checked("observed", sees, "tso", nil)
	checked("not observed", sees2, "tso", nil)
	checked("deadlock", waits, "tso", func(o *query.CheckOptions) { o.Deadlock = true })
	checked("data race", racy, "tso", func(o *query.CheckOptions) { o.Races = true })
	checked("heap", heap, "sc", nil)
	checked("cycle", sb, "pso", func(o *query.CheckOptions) { o.Robustness = true })
	checked("no cycle", fenced, "tso", func(o *query.CheckOptions) { o.Robustness = true })
	checked("smc", sb, "tso", func(o *query.CheckOptions) { o.Engines = query.Engines{"smc"} })
	checked("section", section, "tso", func(o *query.CheckOptions) { o.Engines = query.Engines{"explicit"} })
	isRobust("yes", fenced, nil)
	isRobust("no", sb, nil)
	isRobust("all", many, func(o *query.RobustOptions) { o.KeepGoing = true })
	isRobust("state", sb, func(o *query.RobustOptions) { o.Criterion = query.CriterionState })
	isRobust("state yes", fenced, func(o *query.RobustOptions) { o.Criterion = query.CriterionState })
	isRobust("trf", sb, func(o *query.RobustOptions) { o.Criterion = query.CriterionTRF })
	isRobust("trf yes", waits, func(o *query.RobustOptions) { o.Criterion = query.CriterionTRF })
	repaired("two", sb, func(o *query.FenceOptions) { o.Directory = "/home/somebody" })
	repaired("none needed", fenced, nil)
	repaired("all optimal", mp, func(o *query.FenceOptions) {
		o.For, o.Model, o.AllOptimal = query.ForAssertions, "pso", true
	})
	repaired("profile", sb, func(o *query.FenceOptions) {
		o.Cost, o.Profile = query.CostProfile, input("costs", "2 7\n")
	})
	repaired("no place", inside, nil)
	repaired("under SC", many, func(o *query.FenceOptions) { o.For = query.ForAssertions })
	repaired("elsewhere", macros, nil)
	repaired("section", section, func(o *query.FenceOptions) { o.For = query.ForAssertions })
	repaired("remove", input("both.fp", strings.Replace(string(fenced.Text), "thread b", "thread c { fence; }\nthread b", 1)), func(o *query.FenceOptions) { o.Remove = true })
	repaired("not removable", sb, func(o *query.FenceOptions) { o.Remove = true })
	addC11(ctx, add)
	addOthers(ctx, add)
	if _, err := exec.LookPath("z3"); err != nil {
		t.Log("z3 is not installed")
	}
	var all []verdict.Trace
	found, err := traces.Run(ctx, sb, query.TraceOptions{Options: query.Defaults(), Each: func(t *verdict.Trace) { all = append(all, *t) }})
	set := found.Set
	if err != nil {
		t.Fatal(err)
	}
	set.Traces = all
	var text bytes.Buffer
	if err := stored.Traces(&text, &set); err != nil {
		t.Fatal(err)
	}
	return append(out, storedAnswer{name: "traces", in: sb, text: text.Bytes()})
}

// addC11 adds answers about C11's own model.
func addC11(ctx context.Context, add func(name string, in query.Input, answer query.Answer, err error)) {
	for _, c := range []struct {
		name string
		in   query.Input
		opt  query.CheckOptions
	}{
		{name: "unsafe", in: mp},
		{name: "data race", in: racy},
		{name: "final states", in: sb, opt: query.CheckOptions{Finals: true, Endings: true}},
		{name: "deadlock", in: waits, opt: query.CheckOptions{Deadlock: true}},
	} {
		c.opt.Options = query.Defaults()
		c.opt.Timeout = 0
		answer, err := check.Run(ctx, c.in, c.opt.Under(query.C11))
		add("check c11 "+c.name, c.in, answer, err)
	}
	opt := query.RobustOptions{Options: query.Defaults(), Models: query.Models{query.C11}}
	opt.Timeout = 0
	answer, err := robust.Run(ctx, sb, opt)
	add("robust c11", sb, answer, err)
}

// addOthers adds answers about any number of threads, of litmus and of prove.
func addOthers(ctx context.Context, add func(name string, in query.Input, answer query.Answer, err error)) {
	answer, err := param.Check(ctx, tickets, query.CheckOptions{Options: query.Defaults()}.Under(query.SC))
	add("check --param unsafe", tickets, answer, err)
	answer, err = param.Check(ctx, calm, query.CheckOptions{Options: query.Defaults()}.Under(query.SC))
	add("check --param safe", calm, answer, err)
	answer, err = param.Robust(ctx, calm, query.RobustOptions{Options: query.Defaults()})
	add("robust --param", calm, answer, err)
	test, err := qlitmus.Run(ctx, litmus, query.LitmusOptions{Options: query.Defaults(), Witnesses: true})
	add("litmus", litmus, query.Answer{Results: test.Results, Diagnostics: test.Diagnostics}, err)
	object := input("object.h", "#include <stdatomic.h>\nstatic atomic_int n;\nint add(void) { int v = n; n = v + 1; return v; }\n")
	for _, calls := range []int{2, 3} {
		answer, err = lin.Run(ctx, object, query.LinOptions{Options: query.Defaults(), Calls: calls})
		add(fmt.Sprint("lin ", calls), object, answer, err)
		object.Text = bytes.Replace(object.Text, []byte("int v = n; n = v + 1; return v;"), []byte("return atomic_fetch_add(&n, 1);"), 1)
	}
	if _, err := exec.LookPath("z3"); err == nil {
		answer, err := prove.Run(ctx, calm, query.ProveOptions{Options: query.Defaults()})
		add("prove", calm, answer, err)
		answer, err = prove.Run(ctx, sb, query.ProveOptions{Options: query.Defaults()})
		add("prove open", sb, answer, err)
	}
}

// verify reads and verifies what is stored; accepted is false if anything is wrong.
func (a *storedAnswer) verify(t *testing.T, text []byte) (accepted bool, answer query.VerifyAnswer, first error) {
	t.Helper()
	read, err := readAnswer(text)
	if err != nil {
		return false, answer, err
	}
	return a.verifyRead(t, read, text)
}

// verifyRead is verify for what was read from a text.
func (a *storedAnswer) verifyRead(t *testing.T, read any, text []byte) (accepted bool, answer query.VerifyAnswer, first error) {
	t.Helper()
	var err error
	if results, ok := read.([]verdict.Result); ok {
		answer, err = verify.Results(context.Background(), a.in, results, query.Options{})
	} else {
		answer, err = verify.Traces(context.Background(), a.in, read.([]verdict.TraceSet), query.Options{})
	}
	if err != nil {
		t.Fatalf("%s: %v\n%s", a.name, err, text)
	}
	if answer.HasErrors() {
		return false, answer, fmt.Errorf("refused: %+v", answer.Diagnostics)
	}
	for _, c := range answer.Checks {
		if c.Err != nil {
			return false, answer, fmt.Errorf("%s: %w", c.Name, c.Err)
		}
	}
	return len(answer.Checks) > 0, answer, nil
}

// same reports whether the stored answer is read the same way.
func (a *storedAnswer) same(read any) bool {
	if a.read == nil {
		a.read, _ = readAnswer(a.text)
	}
	return reflect.DeepEqual(read, a.read)
}

// readAnswer returns what is read from a text: results or sets of traces.
func readAnswer(text []byte) (any, error) {
	if sets, err := stored.ReadTraces(text); err != nil {
		return nil, err
	} else if sets != nil {
		return sets, nil
	}
	return stored.Read(text)
}

// change is one change of a document.
type change struct {
	path string // with the indices of lists
	what string
	make func() // changes the tree
	undo func()
}

// changes lists changes of every value below a node of a document: another value, none, and
// for lists one element less and one twice.
func changes(path string, get any, set func(any), out []change) []change {
	add := func(what string, to any) {
		out = append(out, change{path, what, func() { set(to) }, func() { set(get) }})
	}
	switch x := get.(type) {
	case map[string]any:
		for k, v := range x {
			out = append(out, change{path + "." + k, "deleted", func() { delete(x, k) }, func() { x[k] = v }})
			out = changes(path+"."+k, v, func(to any) { x[k] = to }, out)
		}
	case []any:
		if len(x) > 0 {
			add("one less", x[:len(x)-1])
			add("one twice", append(slices.Clone(x), x[0]))
		}
		for i, v := range x {
			out = changes(fmt.Sprintf("%s[%d]", path, i), v, func(to any) { x[i] = to }, out)
		}
	case string:
		add("another word", x+"x")
		if n := len(x); n > 1 {
			add("shorter", x[:n-1])
		}
	case json.Number:
		n, err := x.Int64()
		if err == nil {
			add("more", json.Number(fmt.Sprint(n+1)))
			add("less", json.Number(fmt.Sprint(n-1)))
		} else {
			add("more", json.Number("1e9"))
		}
	case bool:
		add("turned", !x)
	}
	return out
}

var detail = regexp.MustCompile(`steps\[\]|nodes|edges|cycle|state\[\]`)

var index = regexp.MustCompile(`\[\d+\]`)

// TestVerifyEveryField: whatever is changed in a stored answer is found, or the field is on the
// list of what is not checked. Of fields of many like things some are changed, among them the
// first and the last.
func TestVerifyEveryField(t *testing.T) {
	done := map[string]bool{} // a command with a field and a change of it
	costly := map[string]bool{"fences two": true, "fences profile": true, "fences all optimal": true}
	for _, a := range storedAnswers(t) {
		t.Run(a.name, func(t *testing.T) {
			accepted, answer, err := a.verify(t, a.text)
			if !accepted {
				t.Fatalf("rejected as it is: %v\n%s", err, a.text)
			}
			for _, f := range answer.NotChecked {
				if regexp.MustCompile(`verdict|witness|sources|fences|cost|patch|bound|coverage`).MatchString(f) {
					t.Errorf("%s must be checked", f)
				}
			}
			dec := json.NewDecoder(bytes.NewReader(a.text))
			dec.UseNumber()
			var doc map[string]any
			if err := dec.Decode(&doc); err != nil {
				t.Fatal(err)
			}
			result := doc["results"].([]any)[0]
			byKind := map[string][]change{}
			for _, c := range changes("", result, nil, nil) {
				key := index.ReplaceAllString(c.path, "[]") + ": " + c.what
				byKind[key] = append(byKind[key], c)
			}
			tried, skipped := 0, 0
			// Steps and edges of executions that an answer of the same command had are changed with
			// -fp.slow only. Reading C and proofs take their time: a part of their fields is changed.
			slow := a.name == "fences elsewhere" || a.name == "fences no place" || strings.HasPrefix(a.name, "prove")
			for key, list := range byKind {
				of := strings.Fields(a.name)[0] + key
				if (slow || done[of]) && detail.MatchString(key) && !testkit.Slow() || slow && !testkit.InPart(t, key, 10) || costly[a.name] && !testkit.InPart(t, key, 3) || detail.MatchString(key) && !testkit.InPart(t, key, 3) {
					continue
				}
				done[of] = true
				if slices.ContainsFunc(answer.NotChecked, func(f string) bool {
					rest, ok := strings.CutPrefix(key, "."+f)
					return ok && strings.ContainsAny(rest[:1], ".[:")
				}) {
					skipped++
					continue
				}
				slices.SortFunc(list, func(a, b change) int { return strings.Compare(a.path, b.path) })
				for i, c := range list {
					if some := max(1, len(list)/(*likeFields)); i%some != 0 && i != len(list)-1 {
						continue
					}
					c.make()
					text, err := json.Marshal(doc)
					c.undo()
					if err != nil {
						t.Fatal(err)
					}
					read, err := readAnswer(text)
					if err == nil && a.same(read) {
						continue // a field left out has its zero value
					}
					tried++
					if err != nil {
						continue // it is not read, and so not accepted
					}
					if accepted, _, _ := a.verifyRead(t, read, text); accepted {
						t.Errorf("%s %s: accepted", c.path, c.what)
					}
				}
			}
			t.Logf("%d changes tried, %d fields not checked", tried, skipped)
			if tried < 10 {
				t.Error("too few changes")
			}
		})
	}
}
