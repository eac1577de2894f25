package check_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/question/check"
	"fencepost/query"
	"fencepost/verdict"
)

// RCU has two definitions: that of litmus tests, whose final states were compared with those of the kernel's model, and
// the one of C programs, in which grace periods are loops that wait. Both have the same final states.

// rcuThread returns the statements of a random thread, and the number of its registers: two accesses, with something
// between them, and perhaps inside of read-side sections.
func rcuThread(r *rand.Rand, writes *int) (body []string, regs int) {
	add := func(texts ...string) { body = append(body, texts...) }
	variable := r.IntN(2)
	access := func() {
		name := string("xy"[variable%2])
		if variable++; r.IntN(2) == 0 {
			*writes++
			add(fmt.Sprintf("WRITE_ONCE(*%s, %d);", name, *writes))
			return
		}
		add(fmt.Sprintf("r%d = READ_ONCE(*%s);", regs, name))
		regs++
	}
	section := r.IntN(2) == 0
	if section {
		add("rcu_read_lock();")
	}
	access()
	switch k := r.IntN(8); {
	case k < 2 && !section:
		add("synchronize_rcu();")
	case k < 2:
		add("rcu_read_unlock();", "rcu_read_lock();")
	case k < 3:
		add("rcu_read_lock();", "rcu_read_unlock();")
	case k < 6:
		add([]string{"smp_mb();", "smp_wmb();", "smp_rmb();"}[k-3])
	}
	access()
	if section {
		add("rcu_read_unlock();")
	}
	return body, regs
}

// rcuPrograms returns one random program as a litmus test and as a program in C.
func rcuPrograms(seed uint64) (litmus, program string) {
	r := rand.New(rand.NewPCG(seed, 53))
	var test, text, main, ends strings.Builder
	test.WriteString("C rcu\n{}\n")
	text.WriteString("#include <fencepost/linux.h>\nint x_, y_;\nstatic int *x = &x_, *y = &y_;\n")
	locations := "locations [x; y;"
	writes := 0
	for t := range 2 + r.IntN(4)/3 {
		body, regs := rcuThread(r, &writes)
		params, decl, out := "int *x, int *y", "", ""
		for k := range regs {
			decl += fmt.Sprintf("  int r%d;\n", k)
			params += fmt.Sprintf(", int *o%d%d", t, k)
			out += fmt.Sprintf("  *o%d%d = r%d;\n", t, k, k)
			locations += fmt.Sprintf(" o%d%d;", t, k)
			fmt.Fprintf(&text, "int o%d%d_;\nstatic int *o%d%d = &o%d%d_;\n", t, k, t, k, t, k)
		}
		code := decl + "  " + strings.Join(body, "\n  ") + "\n" + out
		fmt.Fprintf(&test, "P%d(%s) {\n%s}\n", t, params, code)
		fmt.Fprintf(&text, "static void *thread%d(void *unused) {\n%s  return 0;\n}\n", t, code)
		fmt.Fprintf(&main, "  pthread_t t%d;\n  pthread_create(&t%d, 0, thread%d, 0);\n", t, t, t)
		fmt.Fprintf(&ends, "  pthread_join(t%d, 0);\n", t)
	}
	test.WriteString(locations + "]\nforall (true)\n")
	return test.String(), text.String() + "int main(void) {\n" + main.String() + ends.String() + "  return 0;\n}\n"
}

var rcuValue = regexp.MustCompile(`\b(x|y|o\d\d)_?\]? ?= ?(\d+)`)

// rcuFinals returns the final states of a program as the values of its variables.
func rcuFinals(t *testing.T, name, text string, model query.Model) []string {
	t.Helper()
	opt := query.CheckOptions{Finals: true, KeepGoing: true}
	opt.Workers, opt.Models = 1, []query.Model{model}
	answer, err := check.Run(context.Background(), query.Input{Name: name, Text: []byte(text)}, opt)
	if err != nil || answer.HasErrors() || answer.Results[0].Verdict == verdict.Unknown || answer.Results[0].Verdict == verdict.Unsafe && name == "rcu.c" {
		t.Fatalf("%s: %v %+v\n%s", name, err, answer, text)
	}
	var out []string
	for _, s := range answer.Results[0].FinalStates {
		values := map[string]bool{}
		for _, m := range rcuValue.FindAllStringSubmatch(fmt.Sprint(s), -1) {
			if m[2] != "0" { // a variable that no thread writes may be left out
				values[m[1]+"="+m[2]] = true
			}
		}
		var all []string
		for v := range values {
			all = append(all, v)
		}
		slices.Sort(all)
		out = append(out, strings.Join(all, " "))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestKernelRCU: programs in C with RCU have the final states of the same litmus tests.
func TestKernelRCU(t *testing.T) {
	weak := 0
	for seed := range uint64(45) {
		litmus, program := rcuPrograms(seed)
		var before []string
		for _, model := range []query.Model{query.SC, query.TSO, query.PSO} {
			want, have := rcuFinals(t, "rcu.litmus", litmus, model), rcuFinals(t, "rcu.c", program, model)
			if !slices.Equal(want, have) {
				t.Fatalf("seed %d, %s: the litmus test has\n%s\nthe program has\n%s\n%s\n%s", seed, model, strings.Join(want, "\n"), strings.Join(have, "\n"), litmus, program)
			}
			if model != query.SC && !slices.Equal(before, want) {
				weak++
			}
			before = want
		}
	}
	if weak < 5 {
		t.Errorf("only %d models differ from stronger ones", weak)
	}
}
