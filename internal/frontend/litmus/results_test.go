package litmus_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"fencepost/internal/engine/explicit"
	"fencepost/internal/testkit"
)

// results runs a test under every model and writes what it shows. The search and
// the enumerator of package replay must agree.
func results(t *testing.T, name, text string) string {
	t.Helper()
	u, flat := load(t, name, []byte(text))
	var b strings.Builder
	for _, m := range testkit.Models {
		got, err := testkit.Ask(&explicit.Engine, flat, u.Props, m, testkit.How{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		oracle, err := testkit.Oracle(flat, u.Props, m)
		if err != nil {
			t.Fatal(err)
		}
		if d := testkit.Difference(oracle, got); d != "" || len(got.Checks) > 0 {
			t.Errorf("%s: the search differs from the enumerator in %s; checks %v", m, d, got.Checks)
		}
		sum, err := u.Summarize(got.Finals)
		if err != nil {
			t.Fatal(err)
		}
		if sum.Ok != (got.Final == (u.Kind() == "Allowed")) {
			t.Errorf("%s: the summary says %v, the engine found an example or counterexample: %v", m, sum.Ok, got.Final)
		}
		fmt.Fprintf(&b, "%s: %v %s %d %d\n", m, sum.Ok, sum.Observation(), sum.Positive, sum.Negative)
		for _, s := range sum.States {
			fmt.Fprintf(&b, "  %s\n", s)
		}
	}
	return b.String()
}

// TestResults holds what tests show against testdata/results.txt, and tests in C
// against testdata/c-results.txt.
func TestResults(t *testing.T) {
	for _, file := range []string{"testdata/results.txt", "testdata/c-results.txt"} {
		t.Run(file, func(t *testing.T) { compareResults(t, file) })
	}
}

func compareResults(t *testing.T, file string) {
	update := flag.Lookup("update").Value.String() == "true"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(text), "\n-- ")
	for i, part := range parts[1:] {
		name, body, _ := strings.Cut(part, " --\n")
		program, want, ok := strings.Cut(body+"\n", "=>\n")
		if !ok {
			t.Fatalf("section %q has no =>", name)
		}
		t.Run(name, func(t *testing.T) {
			got := results(t, name, program)
			if strings.TrimSpace(got) != strings.TrimSpace(want) && !update {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
			parts[i+1] = name + " --\n" + program + "=>\n" + strings.TrimRight(got, "\n")
		})
	}
	if update {
		if err := os.WriteFile(file, []byte(strings.Join(parts, "\n-- ")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestProcessor holds instructions, parts of registers and flags against what a
// processor computed.
func TestProcessor(t *testing.T) {
	text, err := os.ReadFile("testdata/processor.txt")
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(text), "\n-- ")[1:]
	if len(parts) == 0 {
		t.Fatal("no tests")
	}
	for _, part := range parts {
		name, program, _ := strings.Cut(part, " --\n")
		u, flat := load(t, name, []byte(program))
		got, err := testkit.Ask(&explicit.Engine, flat, u.Props, testkit.Models[0], testkit.How{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		sum, err := u.Summarize(got.Finals)
		if err != nil {
			t.Fatal(err)
		}
		if !sum.Ok || len(sum.States) != 1 {
			t.Errorf("%s\ngot %v", program, sum.States)
		}
	}
}
