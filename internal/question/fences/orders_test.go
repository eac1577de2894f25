package fences_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/internal/question/fences"
	"fencepost/internal/question/verify"
	"fencepost/internal/render/json"
	"fencepost/query"
	"fencepost/verdict"
)

var updateOrders = flag.Bool("update", false, "rewrite the orders in testdata/orders")

// neededOrders returns the text of a program with the orders that are needed in comments after the accesses.
func neededOrders(text string, r *verdict.Result) string {
	lines := strings.Split(text, "\n")
	needs := map[int][]string{}
	for _, o := range r.Repair.Orders {
		word := o.Order
		if o.Access == "failure" {
			word = "failure " + word
		}
		needs[o.Pos.Line] = append(needs[o.Pos.Line], word)
	}
	for i := range lines {
		lines[i], _, _ = strings.Cut(lines[i], " // needs: ")
		if list := needs[i+1]; len(list) > 0 {
			lines[i] += " // needs: " + strings.Join(list, ", ")
		}
	}
	return strings.Join(lines, "\n")
}

// TestClassicOrders finds the orders that classic algorithms need, beginning with relaxed accesses. The comments in the
// programs have them. Every patch compiles, and every certificate is verified.
func TestClassicOrders(t *testing.T) {
	files, err := filepath.Glob("testdata/o*/*.c") // orders has classic algorithms, odd what random programs lack
	if err != nil || len(files) < 44 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			in := query.Input{Name: filepath.Base(file), Text: text}
			opt := query.FenceOptions{Options: query.Defaults()}
			opt.Orders.Weaken, opt.Timeout = true, 0
			answer, err := fences.RunOrders(context.Background(), in, opt)
			if err != nil || answer.HasErrors() {
				t.Fatal(err, answer.Diagnostics)
			}
			r := &answer.Results[0]
			if r.Verdict != verdict.Safe || r.Repair.CostAfter > r.Repair.CostBefore {
				t.Fatalf("%s: %s, cost %d and %d", r.Verdict, r.Reason, r.Repair.CostBefore, r.Repair.CostAfter)
			}
			needed := neededOrders(string(text), r)
			if *updateOrders {
				if err := os.WriteFile(file, []byte(needed), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if needed != string(text) {
				t.Errorf("the orders are others, see -update:\n%s", needed)
			}
			for _, p := range r.Repair.Patches {
				compiles(t, p.Text)
			}
			verifies(t, in, answer)
			for _, models := range []query.Model{query.TSO, query.PSO} {
				opt.Model = models
				answer, err := fences.RunOrders(context.Background(), in, opt)
				if err != nil || answer.HasErrors() {
					t.Fatal(models, err, answer.Diagnostics)
				}
				r := &answer.Results[0]
				if r.Verdict != verdict.Safe || r.Repair.CostAfter > r.Repair.CostBefore {
					t.Errorf("%s: %s: %s, cost %d and %d", models, r.Verdict, r.Reason, r.Repair.CostBefore, r.Repair.CostAfter)
				}
				for _, p := range r.Repair.Patches {
					compiles(t, p.Text)
				}
				verifies(t, in, answer)
			}
		})
	}
}

// compiles compiles a program with gcc, if there is one.
func compiles(t *testing.T, text string) {
	t.Helper()
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Log("no gcc")
		return
	}
	cmd := exec.Command(gcc, "-std=gnu11", "-Wall", "-Werror", "-fsyntax-only", "-x", "c", "-")
	cmd.Stdin = strings.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("gcc: %v\n%s\n%s", err, out, text)
	}
}

// verifies checks a stored answer.
func verifies(t *testing.T, in query.Input, answer query.Answer) {
	t.Helper()
	var b bytes.Buffer
	if err := json.Report(&b, answer.Results, nil); err != nil {
		t.Fatal(err)
	}
	results, err := json.Read(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	got, err := verify.Results(context.Background(), in, results, query.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range got.Checks {
		if c.Err != nil {
			t.Errorf("%s: %v", c.Name, c.Err)
		}
	}
}

// TestOrderText tests how accesses are written with another order.
func TestOrderText(t *testing.T) {
	const head = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n"
	const tail = "int main(void) { pthread_t a; pthread_create(&a, 0, one, 0); two(); pthread_join(a, 0); return 0; }\n"
	tests := map[string]struct{ text, want string }{
		"a call with an order": {
			"atomic_int f; int d;\nvoid *one(void *p) { d = 1; atomic_store_explicit(&f, 1, memory_order_relaxed); return 0; }\n" +
				"void two(void) { if (__atomic_load_n(&f, __ATOMIC_RELAXED)) d = 2; }\n",
			"atomic_store_explicit(&f, 1, memory_order_release)|__atomic_load_n(&f, __ATOMIC_ACQUIRE)",
		},
		"a macro": {
			"#define GET(x) atomic_load_explicit(&(x), memory_order_relaxed)\natomic_int f; int d;\n" +
				"void *one(void *p) { d = 1; atomic_store(&f, 1); return 0; }\nvoid two(void) { if (GET(f)) d = 2; }\n",
			"#define GET(x) atomic_load_explicit(&(x), memory_order_acquire)",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			in := query.Input{Name: "a.c", Text: []byte(head + test.text + tail)}
			answer, err := fences.RunOrders(context.Background(), in, query.FenceOptions{Options: query.Defaults()})
			if err != nil || answer.HasErrors() {
				t.Fatal(err, answer.Diagnostics)
			}
			r := &answer.Results[0]
			if r.Verdict != verdict.Safe || len(r.Repair.Patches) != 1 {
				t.Fatalf("%s: %s, %d patches", r.Verdict, r.Reason, len(r.Repair.Patches))
			}
			for part := range strings.SplitSeq(test.want, "|") {
				if !strings.Contains(r.Repair.Patches[0].Text, part) {
					t.Errorf("no %q in\n%s", part, r.Repair.Patches[0].Text)
				}
			}
			compiles(t, r.Repair.Patches[0].Text)
			verifies(t, in, answer)
		})
	}
}

// TestOrderOperators tests how operators become calls.
func TestOrderOperators(t *testing.T) {
	text := `#include <pthread.h>
#include <stdatomic.h>
atomic_int a, b, c[2];
int d;
void *one(void *p) {
  d = 1;
  a = b;
  b += 2;
  c[1]++;
  --a;
  if (b) c[0] = a + c[1];
  return 0;
}
int main(void) { pthread_t t; pthread_create(&t, 0, one, 0); int r = a; pthread_join(t, 0); return r; }
`
	opt := query.FenceOptions{Options: query.Defaults()}
	opt.Orders.Weaken = true
	answer, err := fences.RunOrders(context.Background(), query.Input{Name: "a.c", Text: []byte(text)}, opt)
	if err != nil || answer.HasErrors() {
		t.Fatal(err, answer.Diagnostics)
	}
	got := answer.Results[0].Repair.Patches[0].Text
	const x = "memory_order_relaxed"
	for _, want := range []string{
		fmt.Sprintf("  atomic_store_explicit(&a, atomic_load_explicit(&b, %s), %s);", x, x),
		fmt.Sprintf("  atomic_fetch_add_explicit(&b, 2, %s);", x),
		fmt.Sprintf("  atomic_fetch_add_explicit(&c[1], 1, %s);", x),
		fmt.Sprintf("  atomic_fetch_sub_explicit(&a, 1, %s);", x),
		fmt.Sprintf("  if (atomic_load_explicit(&b, %s)) atomic_store_explicit(&c[0], atomic_load_explicit(&a, %s) + atomic_load_explicit(&c[1], %s), %s);", x, x, x, x),
		fmt.Sprintf("int r = atomic_load_explicit(&a, %s);", x),
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	compiles(t, got)
}

// TestFenceBeforeOperator tests that a fence and a call that an operator becomes can begin at one position.
func TestFenceBeforeOperator(t *testing.T) {
	text := `#include <pthread.h>
#include <stdatomic.h>
atomic_int f;
int d;
void *one(void *p) {
  d = 1;
  f = 1;
  return 0;
}
int main(void) { pthread_t t; pthread_create(&t, 0, one, 0); if (f) d = 2; pthread_join(t, 0); return 0; }
`
	opt := query.FenceOptions{Options: query.Defaults()}
	opt.Orders.Weaken, opt.Orders.Max = true, []string{"a.c:7=relaxed"}
	answer, err := fences.RunOrders(context.Background(), query.Input{Name: "a.c", Text: []byte(text)}, opt)
	if err != nil || answer.HasErrors() {
		t.Fatal(err, answer.Diagnostics)
	}
	got := answer.Results[0].Repair.Patches[0].Text
	if want := "  atomic_thread_fence(memory_order_release);\n  atomic_store_explicit(&f, 1, memory_order_relaxed);\n"; !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
	compiles(t, got)
}

// TestFenceInFunctionOfMacro tests that a fence stands inside of a function that is the expansion of a macro.
func TestFenceInFunctionOfMacro(t *testing.T) {
	text := `#include <pthread.h>
#include <stdatomic.h>
#define RELEASE(name) static void name(void) { SET; }
#define SET atomic_fetch_add_explicit(&f, 1, memory_order_relaxed)
atomic_int f;
int d, e;
RELEASE(release)
void *one(void *arg) { d = 1; release(); return arg; }
void *two(void *arg) { e = 1; release(); return arg; }
int main(void) {
  pthread_t t, u;
  pthread_create(&t, 0, one, 0);
  if (atomic_load_explicit(&f, memory_order_acquire))
    d = 2;
  pthread_create(&u, 0, two, 0);
  if (atomic_load_explicit(&f, memory_order_acquire) == 2)
    e = 2;
  pthread_join(t, 0);
  pthread_join(u, 0);
  return 0;
}
`
	opt := query.FenceOptions{Options: query.Defaults(), Model: query.C11, For: query.ForAssertions}
	answer, err := fences.Run(context.Background(), query.Input{Name: "a.c", Text: []byte(text)}, opt)
	if err != nil || answer.HasErrors() {
		t.Fatal(err, answer.Diagnostics)
	}
	got := answer.Results[0].Repair.Patches[0].Text
	if strings.Contains(got, "atomic_thread_fence(memory_order_release);\nRELEASE") || !strings.Contains(got, "atomic_thread_fence(memory_order_release);") {
		t.Error(got)
	}
	compiles(t, got)
}

// TestOrderLimits tests what the user can keep, and answers without orders.
func TestOrderLimits(t *testing.T) {
	text, err := os.ReadFile("testdata/orders/mp.c")
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		set     func(*query.FenceOptions)
		orders  string
		fences  int
		verdict verdict.Verdict
	}{
		"keep":  {func(o *query.FenceOptions) { o.Orders.Keep = []string{"mp.c:11"} }, "seq_cst acquire", 0, verdict.Safe},
		"max":   {func(o *query.FenceOptions) { o.Orders.Max = []string{"mp.c:16=relaxed"} }, "release relaxed", 1, verdict.Safe},
		"files": {func(o *query.FenceOptions) { o.Files = "*.h" }, "seq_cst seq_cst", 0, verdict.Safe},
		"x86":   {func(o *query.FenceOptions) { o.Orders.Processor = query.ProcessorX86 }, "release acquire", 0, verdict.Safe},
		"power": {func(o *query.FenceOptions) { o.Orders.Processor = query.ProcessorPower }, "release acquire", 0, verdict.Safe},
		"dear loads": {func(o *query.FenceOptions) {
			o.Orders.Processor = query.ProcessorFile
			o.Orders.Costs = query.Input{Name: "costs", Text: []byte("load acquire 90 # dear\nload seq_cst 95\nmp.c:11 2\n")}
		}, "release relaxed", 1, verdict.Safe},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			opt := query.FenceOptions{Options: query.Defaults()}
			opt.Orders.Weaken = true
			test.set(&opt)
			answer, err := fences.RunOrders(context.Background(), query.Input{Name: "mp.c", Text: text}, opt)
			if err != nil || answer.HasErrors() {
				t.Fatal(err, answer.Diagnostics)
			}
			r := &answer.Results[0]
			var orders []string
			for _, o := range r.Repair.Orders {
				orders = append(orders, o.Order)
			}
			if got := strings.Join(orders, " "); got != test.orders || len(r.Fences) != test.fences || r.Verdict != test.verdict {
				t.Errorf("%s: %s, %d fences", r.Verdict, got, len(r.Fences))
			}
		})
	}
	wrong := []byte(strings.Replace(string(text), "data == 42", "data == 41", 1))
	answer, err := fences.RunOrders(context.Background(), query.Input{Name: "mp.c", Text: wrong}, query.FenceOptions{Options: query.Defaults()})
	if err != nil || answer.HasErrors() || answer.Results[0].Verdict != verdict.Unsafe || answer.Results[0].Repair.Hopeless == nil {
		t.Errorf("an assertion that always fails: %v %+v", err, answer)
	}
}
