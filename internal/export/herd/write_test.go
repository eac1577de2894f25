package herd_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/export"
	"fencepost/internal/export/herd"
	"fencepost/internal/frontend/litmus"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/source"
	"fencepost/internal/testkit"
	"fencepost/internal/transform"
)

var (
	litmusRandoms = flag.Int("litmus.random", 150, "random programs to export as litmus tests and read again")
	seed          = flag.Uint64("litmus.seed", 1, "seed of the first random program")
)

// readLitmus reads a litmus test that must be right.
func readLitmus(t testing.TB, name, text string) (*litmus.Unit, *ir.Program) {
	t.Helper()
	u, list := litmus.Parse(source.NewFile(name, []byte(text)), litmus.Options{})
	if list.HasErrors() || u.Program == nil {
		t.Fatalf("%s\n%s", testkit.Messages(list), text)
	}
	flat := *u.Program
	flat.Form = ir.Flat
	return u, &flat
}

// TestLitmusArchive: tests of the archive, exported and read again, have the final states that other programs
// computed for the originals, under every model.
func TestLitmusArchive(t *testing.T) {
	table, err := os.ReadFile(testkit.Shared(t, "litmus", "expected.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	dir, runs := testkit.Shared(t, "litmus", "x86"), 0
	var u *litmus.Unit
	var flat *ir.Program
	last, text := "", ""
	for _, line := range strings.Split(strings.TrimSpace(string(table)), "\n")[1:] {
		f := strings.Split(line, "\t")
		if !testkit.InPart(t, f[0], 30) {
			continue
		}
		if last != f[0] {
			original, err := os.ReadFile(filepath.Join(dir, f[0]))
			if err != nil {
				t.Fatal(err)
			}
			first, prog := readLitmus(t, f[0], string(original))
			var refusals []export.Refusal
			if text, refusals = herd.Write(prog, first.Props); len(refusals) > 0 {
				t.Fatalf("%s: %s", f[0], refusals[0].Reason)
			}
			u, flat = readLitmus(t, f[0], text)
			last = f[0]
		}
		m := testkit.Models[slices.IndexFunc(testkit.Models, func(m memory.Model) bool { return m.String() == f[1] })]
		got, err := testkit.Ask(testkit.Explicit, flat, u.Props, m, testkit.How{Workers: 1})
		if err != nil {
			t.Fatalf("%s under %s: %v", f[0], m, err)
		}
		sum, err := u.Summarize(got.Finals)
		if err != nil {
			t.Fatal(err)
		}
		verdict := map[bool]string{true: "Ok", false: "No"}[sum.Ok]
		if !slices.Equal(sortedStates(got.Finals), sortedStates(strings.Split(f[5], ";"))) || verdict != f[2] || sum.Observation() != f[3] {
			t.Fatalf("%s under %s: %s %s with states %q, want %s %s with %s\n%s", f[0], m, verdict, sum.Observation(), got.Finals, f[2], f[3], f[5], text)
		}
		runs++
	}
	t.Logf("%d answers compared", runs)
	if runs < 150 {
		t.Errorf("only %d answers compared", runs)
	}
}

// sortedStates returns final states with sorted parts, sorted.
func sortedStates(finals []string) []string {
	var out []string
	for _, f := range finals {
		parts := strings.Fields(f)
		slices.Sort(parts)
		out = append(out, strings.Join(parts, " "))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestLitmusRandom: random programs, exported and read again, have the final states, failing assertions and answers of
// the originals as the enumerator finds them, under every model.
func TestLitmusRandom(t *testing.T) {
	var compared, failing, weak int
	reasons := map[string]int{}
	profiles := []testkit.Profile{{Name: "core"}, {Name: "plain", Plain: true}, {Name: "overlap", Overlap: true}, {Name: "mixed", Mixed: true}, {Name: "overlap-plain", Overlap: true, Plain: true}}
	for i := range *litmusRandoms {
		s := *seed + uint64(i)
		prog, props := testkit.Generate(s, profiles[s%uint64(len(profiles))]).Flat()
		props.Goals, props.Deadlock, props.Endless = nil, false, false
		if s%2 == 0 {
			props.Final = nil
		}
		if props.Checks { // loops beside assertions
			var err error
			if prog, props, err = transform.Unroll(prog, props, 2, nil); err != nil {
				t.Fatal(err)
			}
		}
		text, refusals := herd.Write(prog, props)
		if len(refusals) > 0 {
			reasons[refusals[0].Reason]++
			continue
		}
		u, flat := readLitmus(t, "exported.litmus", text)
		states := 0
		for _, m := range testkit.Models {
			want, err := testkit.Oracle(prog, props, m)
			if errors.Is(err, testkit.ErrTooBig) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			got, err := testkit.Ask(testkit.Explicit, flat, u.Props, m, testkit.How{Workers: 1})
			if errors.Is(err, testkit.ErrTooBig) {
				break
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			finals, fails := litmusStates(t, text, props, got.Finals)
			asked := want.Final || len(want.Checks) > 0
			if !slices.Equal(finals, sortedStates(want.Finals)) || fails != (len(want.Checks) > 0) || got.Final != asked && (props.Final != nil || fails) {
				t.Fatalf("seed %d under %s: final states %q, want %q; fails %v, want %v; condition %v, want %v\n%s\n%s", s, m, finals, want.Finals, fails, want.Checks, got.Final, asked, irtext.Print(prog), text)
			}
			compared++
			if fails {
				failing++
			}
			if len(finals) > states && states > 0 {
				weak++
			}
			states = len(finals)
		}
	}
	t.Logf("%d answers compared, %d with a failing assertion, %d with more states than under the stronger model; refused: %v", compared, failing, weak, reasons)
	if *litmusRandoms >= 100 && (compared < 100 || failing == 0 || weak == 0) {
		t.Error("the random programs do not distinguish right from wrong exports")
	}
}

// litmusStates returns the final states of an exported test in the names of the original, without those in which a
// thread was stopped, and whether an assertion has failed in one.
func litmusStates(t *testing.T, text string, props *property.Set, finals []string) (states []string, fails bool) {
	t.Helper()
	names := map[string]string{}
	if _, list, ok := strings.Cut(text, "locations ["); ok {
		list, _, _ = strings.Cut(list, ";]\n")
		for i, n := range strings.Split(list, "; ") {
			if !strings.ContainsAny(n, ":[") {
				n = "[" + n + "]"
			}
			names[n] = props.Observe[i].Name
		}
	}
next:
	for _, f := range finals {
		var parts []string
		stopped, failed := false, false
		for _, p := range strings.Fields(f) {
			name, value, _ := strings.Cut(p, "=")
			if strings.HasSuffix(name, ":r15") {
				stopped, failed = stopped || value == "1", failed || value == "2"
				continue
			}
			if names[name] == "" {
				t.Fatalf("unknown variable %s in %s", name, f)
			}
			parts = append(parts, fmt.Sprintf("%s=%s", names[name], value))
		}
		fails = fails || failed
		if stopped || failed {
			continue next
		}
		states = append(states, strings.Join(parts, " "))
	}
	return sortedStates(states), fails
}
