package rf_test

import (
	"fmt"
	"strings"
	"testing"

	"fencepost/internal/engine"
	"fencepost/internal/engine/rf"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/property"
	"fencepost/internal/testkit"
)

// program returns a program with one thread per list of operations.
func program(t testing.TB, threads ...[]string) *ir.Program {
	t.Helper()
	var text strings.Builder
	text.WriteString("program family flat\n")
	for c := range 10 {
		fmt.Fprintf(&text, "object x%d size 8\n", c)
	}
	for i, ops := range threads {
		fmt.Fprintf(&text, "func t%d() {\n  reg r\n  reg s\n", i)
		for k, op := range ops {
			fmt.Fprintf(&text, "  L%d -> L%d: %s\n", k, k+1, op)
		}
		text.WriteString("}\n")
	}
	for i := range threads {
		how := ""
		if i > 0 && strings.HasPrefix(threads[0][0], "s = spawn") {
			how = " spawned"
		}
		fmt.Fprintf(&text, "thread t%d = t%d()%s\n", i, i, how)
	}
	p, diags := irtext.Parse("family.ir", []byte(text.String()))
	if diags.HasErrors() {
		t.Fatal(diags.All, text.String())
	}
	return p
}

func factorial(n int) int64 {
	if n < 2 {
		return 1
	}
	return int64(n) * factorial(n-1)
}

// family is a program whose number of classes is known.
type family struct {
	name    string
	threads [][]string
	want    [3]int64 // SC, TSO, PSO
}

// families has programs of n threads.
func families(n int) []family {
	var writers, adders, ring [][]string
	var starts, joins []string
	for i := range n {
		writers = append(writers, []string{fmt.Sprintf("store [&x0] = %d", i+1)})
		adders = append(adders, []string{"r = rmw.add [&x0], 1"})
		ring = append(ring, []string{fmt.Sprintf("store [&x%d] = 1", i), fmt.Sprintf("r = load [&x%d]", (i+1)%n)})
		starts, joins = append(starts, fmt.Sprintf("s = spawn {t%d}()", i+1)), append(joins, fmt.Sprintf("join %d", i+1))
	}
	main := append(append(starts, joins...), "r = load [&x0]")
	same := func(k int64) [3]int64 { return [3]int64{k, k, k} }
	return []family{
		{"writers", writers, same(1)},
		{"writers and a reader", append(append([][]string{}, writers...), []string{"r = load [&x0]"}), same(int64(n) + 1)},
		{"writers, read in the end", append([][]string{main}, writers...), same(int64(n))},
		{"fetch and add", adders, same(factorial(n))},
		{"store buffering", ring, [3]int64{1<<n - 1, 1 << n, 1 << n}},
	}
}

// TestFamilies: numbers of classes that can be counted by hand.
func TestFamilies(t *testing.T) {
	all := []family{
		{"2+2W", [][]string{{"store [&x0] = 1", "store [&x1] = 2"}, {"store [&x1] = 1", "store [&x0] = 2"}}, [3]int64{1, 1, 1}},
		{"two writers of two stores", [][]string{{"store [&x0] = 1", "store [&x0] = 2"}, {"store [&x0] = 3", "store [&x0] = 4"}, {"r = load [&x0]", "s = load [&x0]"}}, [3]int64{19, 19, 19}},
	}
	for n := 2; n <= 5; n++ {
		all = append(all, families(n)...)
	}
	for _, f := range all {
		p := program(t, f.threads...)
		for k, m := range testkit.Models {
			n, err := rf.ExploreAll(&engine.Task{Program: p, Props: &property.Set{}, Model: m, NoReduction: true}, rf.Options{}, func([]memory.Step) {})
			if err != nil || n.Complete != f.want[k] || n.Classes != f.want[k] {
				t.Errorf("%s of %d threads under %s: %d classes, %d complete, want %d (%v)", f.name, len(f.threads), m, n.Classes, n.Complete, f.want[k], err)
			}
		}
	}
}

// TestJoinInPart: a revisit needs a witness of a part of a graph in which a join has read that its thread has started, and
// the end of the thread is not in the part.
func TestJoinInPart(t *testing.T) {
	p := program(t,
		[]string{"s = spawn {t1}()", "s = spawn {t2}()", "s = spawn {t3}()", "join 1", "join 2", "join 3", "r = load [&x0]"},
		[]string{"store [&x0] = 4", "r = load [&x1]", "store [&x2] = r"},
		[]string{"store [&x1] = 1", "store [&x0] = 1", "store [&x0] = 2", "r = load [&x0]", "s = load [&x0]", "store [&x3] = r"},
		[]string{"store [&x0] = 3"})
	for k, m := range testkit.Models {
		want := [3]int64{17, 26, 26}[k]
		n, err := rf.ExploreAll(&engine.Task{Program: p, Props: &property.Set{}, Model: m}, rf.Options{}, nil)
		if err != nil || n.Classes != want {
			t.Errorf("%s: %d classes, want %d (%v)", m, n.Classes, want, err)
		}
	}
}
