package c_test

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"

	"fencepost/internal/question/check"
	"fencepost/internal/question/litmus"
	"fencepost/internal/testkit"
	"fencepost/query"
	"fencepost/verdict"
)

var everyLitmus = flag.Bool("fp.litmus", false, "rewrite all litmus tests beside the repository to C, not only those kept with it")

// Litmus tests rewritten to C must get the answers the litmus front end gives. A
// thread becomes a function whose registers are locals, an instruction one
// statement, in one of three dialects; the condition becomes an assertion, after
// the joins, that it does not hold. So the assertion fails exactly if the litmus
// test observes its condition.

// dialect is one way to write the instructions in C.
type dialect struct {
	declare, load, store, exchange, full, stores string
}

var dialects = []dialect{
	{
		declare: "volatile int %s;\n", load: "%[2]s = %[1]s;", store: "%s = %s;",
		exchange: `__asm__ __volatile__("xchgl %%0,%%1" : "+r"(%[2]s), "+m"(%[1]s) : : "memory");`,
		full:     `__asm__ __volatile__("mfence" ::: "memory");`, stores: `__asm__ __volatile__("sfence" ::: "memory");`,
	},
	{
		declare: "atomic_int %s;\n", load: "%[2]s = atomic_load_explicit(&%[1]s, memory_order_acquire);",
		store:    "atomic_store_explicit(&%s, %s, memory_order_relaxed);",
		exchange: "%[2]s = atomic_exchange_explicit(&%[1]s, %[2]s, memory_order_relaxed);",
		full:     "atomic_thread_fence(memory_order_seq_cst);", stores: "atomic_thread_fence(memory_order_release);",
	},
	{
		declare: "int %s;\n", load: "%[2]s = __atomic_load_n(&%[1]s, __ATOMIC_SEQ_CST);",
		store:    "__atomic_store_n(&%s, %s, __ATOMIC_RELAXED);",
		exchange: "%[2]s = __atomic_exchange_n(&%[1]s, %[2]s, __ATOMIC_ACQ_REL);",
		full:     "__sync_synchronize();", stores: "__atomic_thread_fence(__ATOMIC_ACQ_REL);",
	},
}

var (
	storeImmediate = regexp.MustCompile(`^movl \$(\d+),\((\w+)\)$`)
	loadRegister   = regexp.MustCompile(`^movl \((\w+)\),%(\w+)$`)
	moveImmediate  = regexp.MustCompile(`^movl \$(\d+),%(\w+)$`)
	exchange       = regexp.MustCompile(`^xchgl \((\w+)\),%(\w+)$`)
	finalRegister  = regexp.MustCompile(`(\d):r(\w\w)=`)
	finalVariable  = regexp.MustCompile(`\[(\w+)\]=`)
)

// litmusC is a litmus test as a C program.
type litmusC struct {
	dialect
	vars, regs map[string]bool
}

func (l *litmusC) statement(thread int, instruction string) (string, error) {
	reg := func(name string) string {
		name = fmt.Sprintf("r%d_%s", thread, name)
		l.regs[name] = true
		return name
	}
	variable := func(name string) string {
		l.vars[name] = true
		return name
	}
	if m := storeImmediate.FindStringSubmatch(instruction); m != nil {
		return fmt.Sprintf(l.store, variable(m[2]), m[1]), nil
	}
	if m := loadRegister.FindStringSubmatch(instruction); m != nil {
		return fmt.Sprintf(l.load, variable(m[1]), reg(m[2])), nil
	}
	if m := moveImmediate.FindStringSubmatch(instruction); m != nil {
		return reg(m[2]) + " = " + m[1] + ";", nil
	}
	if m := exchange.FindStringSubmatch(instruction); m != nil {
		return fmt.Sprintf(l.exchange, variable(m[1]), reg(m[2])), nil
	}
	switch instruction {
	case "":
		return "", nil
	case "mfence":
		return l.full, nil
	case "sfence":
		return l.stores, nil
	}
	return "", fmt.Errorf("no C for %q", instruction)
}

// condition is the condition after exists, in C.
func (l *litmusC) condition(text string) string {
	text = finalRegister.ReplaceAllStringFunc(text, func(s string) string {
		m := finalRegister.FindStringSubmatch(s)
		name := fmt.Sprintf("r%s_e%s", m[1], m[2])
		l.regs[name] = true
		return name + " == "
	})
	text = finalVariable.ReplaceAllStringFunc(text, func(s string) string {
		name := finalVariable.FindStringSubmatch(s)[1]
		l.vars[name] = true
		return name + " == "
	})
	return strings.NewReplacer(`/\`, "&&", `\/`, "||", "~", "!").Replace(text)
}

// litmusToC rewrites a test.
func litmusToC(text string, d dialect) (string, error) {
	_, text, ok := strings.Cut(text, "{\n}\n")
	code, rest, ok2 := strings.Cut(text, "locations")
	_, cond, ok3 := strings.Cut(rest, "exists ")
	if !ok || !ok2 || !ok3 {
		return "", fmt.Errorf("not of the form that is rewritten")
	}
	l := &litmusC{dialect: d, vars: map[string]bool{}, regs: map[string]bool{}}
	var bodies []string
	for i, line := range strings.Split(strings.TrimSpace(code), "\n") {
		for t, cell := range strings.Split(strings.TrimSuffix(strings.TrimSpace(line), ";"), "|") {
			if i == 0 {
				bodies = append(bodies, "")
				continue
			}
			s, err := l.statement(t, strings.TrimSpace(cell))
			if err != nil {
				return "", err
			}
			if s != "" {
				bodies[t] += "  " + s + "\n"
			}
		}
	}
	condition := strings.TrimSpace(l.condition(cond))
	var b strings.Builder
	b.WriteString("#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n")
	for _, v := range sorted(l.vars) {
		fmt.Fprintf(&b, d.declare, v)
	}
	for t, body := range bodies {
		b.WriteString(l.thread(t, body))
	}
	b.WriteString("int main(void) {\n")
	for t := range bodies {
		fmt.Fprintf(&b, "  pthread_t t%d;\n  void *v%d;\n  pthread_create(&t%d, NULL, P%d, NULL);\n", t, t, t, t)
	}
	for t := range bodies {
		fmt.Fprintf(&b, "  pthread_join(t%d, &v%d);\n", t, t)
		for i, r := range l.registers(t) {
			fmt.Fprintf(&b, "  int %s = (long)v%d >> %d & 255;\n", r, t, 8*i)
		}
	}
	fmt.Fprintf(&b, "  assert(!%s);\n  return 0;\n}\n", condition)
	return b.String(), nil
}

// registers returns the registers of a thread.
func (l *litmusC) registers(t int) []string {
	var out []string
	for _, r := range sorted(l.regs) {
		if strings.HasPrefix(r, fmt.Sprintf("r%d_", t)) {
			out = append(out, r)
		}
	}
	return out
}

// thread is a function; its registers are locals, and leave it as its result, a
// byte each, so that the program has no stores the test has not.
func (l *litmusC) thread(t int, body string) string {
	begin, result := "", "0"
	for i, r := range l.registers(t) {
		begin += "  int " + r + " = 0;\n"
		result += fmt.Sprintf(" | (long)%s << %d", r, 8*i)
	}
	return fmt.Sprintf("void *P%d(void *arg) {\n%s%s  return (void *)(%s);\n}\n", t, begin, body, result)
}

func sorted(set map[string]bool) []string {
	var out []string
	for s := range set {
		out = append(out, s)
	}
	sort.Strings(out)
	return out
}

// litmusTests are the tests to rewrite, by name.
func litmusTests(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	if *everyLitmus {
		dir := testkit.Shared(t, "litmus", "x86")
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			out[filepath.Base(path)] = string(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	f, err := os.Open(filepath.Join(testkit.Root(t), "testdata", "litmus", "x86.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(r); err != nil {
			t.Fatal(err)
		} else if filepath.Ext(h.Name) == ".litmus" {
			out[filepath.Base(h.Name)] = string(text)
		}
	}
}

// TestLitmus: C and litmus agree on the tests under every model.
func TestLitmus(t *testing.T) {
	models := []string{"sc", "tso", "pso"}
	tests := litmusTests(t)
	var names []string
	least := 300
	for name := range tests {
		if *everyLitmus || testkit.InPart(t, name, 6) {
			names = append(names, name)
		}
	}
	if !*everyLitmus && !testkit.Slow() {
		least = 30
	}
	sort.Strings(names)
	observed := map[string]int{}
	for i, name := range names {
		program, err := litmusToC(tests[name], dialects[i%len(dialects)])
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want := litmusAnswers(t, name, tests[name], models)
		opt := query.CheckOptions{Options: query.Defaults()}
		opt.Workers, opt.Timeout = 1, 0
		a, err := check.Run(context.Background(), query.Input{Name: name + ".c", Text: []byte(program)}, opt.Under(query.NamedModels(models...)...))
		if err != nil || a.HasErrors() {
			t.Fatalf("%s: %v %+v\n%s", name, err, a.Diagnostics, program)
		}
		for _, r := range a.Results {
			if !r.Coverage.Exhaustive && r.Verdict == verdict.Safe {
				t.Errorf("%s: %s is bounded: %+v", name, r.Model, r.Coverage)
			}
			if got := r.Verdict == verdict.Unsafe; got != want[r.Model] {
				t.Errorf("%s: %s: C observes the condition: %v, litmus: %v\n%s", name, r.Model, got, want[r.Model], program)
			}
			if want[r.Model] {
				observed[r.Model]++
			}
		}
	}
	if len(names) < least || observed["tso"] < least/6 || observed["pso"] <= observed["tso"] || observed["sc"] > 0 {
		t.Errorf("%d tests with conditions observed %v: they tell nothing", len(names), observed)
	}
	t.Logf("%d tests under %d models, conditions observed %v", len(names), len(models), observed)
}

// litmusAnswers says under which models a test observes its condition.
func litmusAnswers(t *testing.T, name, text string, models []string) map[string]bool {
	t.Helper()
	opt := query.CheckOptions{Options: query.Defaults()}
	opt.Workers, opt.Timeout = 1, 0
	a, err := litmus.Run(context.Background(), query.Input{Name: name, Text: []byte(text)}, query.LitmusOptions{Options: opt.Options, Models: query.NamedModels(models...)})
	if err != nil || len(a.Results) != len(models) {
		t.Fatalf("%s: %v %+v", name, err, a.Diagnostics)
	}
	out := map[string]bool{}
	for _, r := range a.Results {
		out[r.Model] = r.Litmus.Positive > 0
	}
	return out
}
