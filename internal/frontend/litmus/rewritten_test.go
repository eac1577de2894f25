package litmus_test

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/engine/explicit"
	"fencepost/internal/frontend/litmus"
	"fencepost/internal/ir"
	"fencepost/internal/testkit"
)

// Tests for X86 rewritten to C must end in the states that other programs computed
// for the originals. An instruction becomes one statement, in one of four ways of
// writing C; registers become locals of the same names, and the conditions stay.

// wording is one way to write the instructions.
type wording struct {
	name                                       string
	param, load, store, exchange, full, stores string
}

var wordings = []wording{
	{
		name: "C11", param: "atomic_int *", load: "%[2]s = atomic_load_explicit(%[1]s, memory_order_acquire);",
		store:    "atomic_store_explicit(%s, %s, memory_order_relaxed);",
		exchange: "%[2]s = atomic_exchange_explicit(%[1]s, %[2]s, memory_order_relaxed);",
		full:     "atomic_thread_fence(memory_order_seq_cst);", stores: "atomic_thread_fence(memory_order_release);",
	},
	{
		name: "kernel", param: "int *", load: "%[2]s = READ_ONCE(*%[1]s);", store: "WRITE_ONCE(*%s, %s);",
		exchange: "%[2]s = xchg(%[1]s, %[2]s);", full: "smp_mb();", stores: "smp_wmb();",
	},
	{
		name: "builtins", param: "volatile int *", load: "%[2]s = __atomic_load_n(%[1]s, __ATOMIC_SEQ_CST);",
		store:    "__atomic_store_n(%s, %s, __ATOMIC_RELAXED);",
		exchange: "%[2]s = __atomic_exchange_n(%[1]s, %[2]s, __ATOMIC_ACQ_REL);",
		full:     "__sync_synchronize();", stores: "__atomic_thread_fence(__ATOMIC_ACQ_REL);",
	},
	{
		name: "atomic_t", param: "atomic_t *", load: "%[2]s = atomic_read(%[1]s);", store: "atomic_set(%s, %s);",
		exchange: "%[2]s = atomic_xchg_relaxed(%[1]s, %[2]s);", full: "mb();", stores: "wmb();",
	},
}

var (
	storeImmediate = regexp.MustCompile(`^movl \$(\d+),\((\w+)\)$`)
	loadRegister   = regexp.MustCompile(`^movl \((\w+)\),%e(\w+)$`)
	moveImmediate  = regexp.MustCompile(`^movl \$(\d+),%e(\w+)$`)
	exchangeWith   = regexp.MustCompile(`^xchgl \((\w+)\),%e(\w+)$`)
)

// statement writes an instruction; reg is the register it mentions, variable the location.
func (w *wording) statement(instruction string) (text, reg, variable string, err error) {
	if m := storeImmediate.FindStringSubmatch(instruction); m != nil {
		return fmt.Sprintf(w.store, m[2], m[1]), "", m[2], nil
	}
	if m := loadRegister.FindStringSubmatch(instruction); m != nil {
		return fmt.Sprintf(w.load, m[1], "r"+m[2]), "r" + m[2], m[1], nil
	}
	if m := moveImmediate.FindStringSubmatch(instruction); m != nil {
		return "r" + m[2] + " = " + m[1] + ";", "r" + m[2], "", nil
	}
	if m := exchangeWith.FindStringSubmatch(instruction); m != nil {
		return fmt.Sprintf(w.exchange, m[1], "r"+m[2]), "r" + m[2], m[1], nil
	}
	switch instruction {
	case "":
		return "", "", "", nil
	case "mfence":
		return w.full, "", "", nil
	case "sfence":
		return w.stores, "", "", nil
	}
	return "", "", "", fmt.Errorf("no C for %q", instruction)
}

// function is a thread under construction.
type function struct {
	body            string
	regs, variables []string
}

func addOnce(list []string, s string) []string {
	if s == "" || slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// rewritten is a test of the archive in C.
func rewritten(name, text string, w *wording) (string, error) {
	_, rest, ok := strings.Cut(text, "{\n}\n")
	code, conditions, ok2 := strings.Cut(rest, "locations")
	if !ok || !ok2 {
		return "", fmt.Errorf("not of the form that is rewritten")
	}
	var threads []function
	for i, line := range strings.Split(strings.TrimSpace(code), "\n") {
		for t, cell := range strings.Split(strings.TrimSuffix(strings.TrimSpace(line), ";"), "|") {
			if i == 0 {
				threads = append(threads, function{})
				continue
			}
			s, reg, variable, err := w.statement(strings.TrimSpace(cell))
			if err != nil {
				return "", err
			}
			f := &threads[t]
			f.regs, f.variables = addOnce(f.regs, reg), addOnce(f.variables, variable)
			if s != "" {
				f.body += "  " + s + "\n"
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "C %s\n{ }\n", name)
	for t, f := range threads {
		fmt.Fprintf(&b, "P%d (", t)
		for i, p := range f.variables {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(w.param + p)
		}
		b.WriteString(") {\n")
		for _, r := range f.regs {
			fmt.Fprintf(&b, "  int %s = 0;\n", r)
		}
		b.WriteString(f.body + "}\n")
	}
	return b.String() + "locations" + conditions, nil
}

// archive is the tests kept with the project, and their answers.
func archive(t *testing.T) (tests map[string]string, table string) {
	t.Helper()
	f, err := os.Open(filepath.Join(testkit.Root(t), "testdata", "litmus", "x86.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	tests = map[string]string{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return tests, table
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		switch {
		case err != nil:
			t.Fatal(err)
		case filepath.Ext(h.Name) == ".litmus":
			tests[strings.TrimPrefix(h.Name, "x86/")] = string(text)
		case filepath.Ext(h.Name) == ".tsv":
			table = string(text)
		}
	}
}

// TestRewritten: the tests of the archive, written in C, have the answers of their
// originals under every model.
func TestRewritten(t *testing.T) {
	tests, table := archive(t)
	runs, weak := 0, 0
	var u *litmus.Unit
	var flat *ir.Program
	last, text := "", ""
	for i, line := range strings.Split(strings.TrimSpace(table), "\n") {
		f := strings.Split(line, "\t")
		if i == 0 {
			continue
		}
		w := &wordings[i/3%len(wordings)] // a test has three lines
		name := strings.TrimSuffix(filepath.Base(f[0]), ".litmus")
		if last != f[0] {
			var err error
			if text, err = rewritten(name, tests[f[0]], w); err != nil {
				t.Fatalf("%s: %v", f[0], err)
			}
			last = f[0]
			u, flat = load(t, name, []byte(text))
		}
		for _, m := range testkit.Models {
			if m.String() != f[1] {
				continue
			}
			got, err := testkit.Ask(&explicit.Engine, flat, u.Props, m, testkit.How{Workers: 1})
			if err != nil {
				t.Fatalf("%s under %s: %v", f[0], m, err)
			}
			want := answer{f[2], f[3], sorted(strings.Split(f[5], ";"))}
			compare(t, fmt.Sprintf("%s in %s under %s", f[0], w.name, m), u, got.Finals, want)
			runs++
			if f[3] == "Sometimes" {
				weak++
			}
		}
		if t.Failed() {
			t.Fatalf("stopped at\n%s", text)
		}
	}
	if runs < 900 || weak < 100 {
		t.Errorf("%d runs, %d of them with an outcome that SC forbids: they tell nothing", runs, weak)
	}
}
