package transform_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"fencepost/internal/ir/irtext"
	"fencepost/internal/memory"
	"fencepost/internal/transform"
)

// TestMutualRecursion: the calls of functions that are in the chain already count together.
func TestMutualRecursion(t *testing.T) {
	text := `
program mutual structured
func even(n) {
  reg r
  l0 -> l1: assume n == 0
  l1 -> l2: return 1
  l0 -> l3: assume n != 0
  l3 -> l4: r = call odd(n - 1)
  l4 -> l5: return r
}
func odd(n) {
  reg r
  l0 -> l1: assume n == 0
  l1 -> l2: return 0
  l0 -> l3: assume n != 0
  l3 -> l4: r = call even(n - 1)
  l4 -> l5: return r
}
func main() {
  reg r
  l0 -> l1: r = call even(%d)
}
thread main = main()
`
	for bound := 1; bound <= 4; bound++ {
		// even and odd are entered once each before a call repeats a function
		for n, ends := range map[int]int{bound + 1: 1, bound + 2: 0} {
			got := finals(t, flatten(t, fmt.Sprintf(text, n), bound), memory.SC)
			if len(got.Finals) != ends {
				t.Errorf("bound %d, even(%d): %d executions end, want %d", bound, n, len(got.Finals), ends)
			}
		}
	}
}

// TestTooLarge: a program that is too large is refused before anything is inlined, with the call
// that makes it so.
func TestTooLarge(t *testing.T) {
	chain := func(calls, functions int) string {
		var b strings.Builder
		b.WriteString("program chain structured\nfunc f0() {\n l0 -> l1: nop\n}\n")
		for i := 1; i <= functions; i++ {
			fmt.Fprintf(&b, "func f%d() {\n", i)
			for c := range calls {
				fmt.Fprintf(&b, " l%d -> l%d: call f%d() @f.c:%d:%d\n", c, c+1, i-1, i, c+1)
			}
			b.WriteString("}\n")
		}
		fmt.Fprintf(&b, "func main() {\n l0 -> l1: call f%d() @main.c:1:1\n}\nthread main = main()\n", functions)
		return b.String()
	}
	tree := func(functions int) string {
		var b strings.Builder
		b.WriteString("program tree structured\n")
		for i := range functions {
			fmt.Fprintf(&b, "func g%d() {\n l0 -> l1: call g%d() @g.c:%d:1\n l1 -> l2: call g%d() @g.c:%d:2\n l0 -> l2: nop\n}\n", i, (i+1)%functions, i, (i+2)%functions, i)
		}
		b.WriteString("func main() {\n l0 -> l1: call g0() @main.c:1:1\n}\nthread main = main()\n")
		return b.String()
	}
	pointers := `
program pointers structured
func one() pointer {
  l0 -> l1: call f40()
}
func two() pointer {
  l0 -> l1: call f40()
}
func main() {
  reg p
  l0 -> l1: p = &&one
  l0 -> l1: p = &&two
  l1 -> l2: call [p]() @main.c:7:3
}
thread main = main()
` + strings.Replace(strings.Replace(strings.Replace(chain(2, 40), "program chain structured", "", 1), "func main() {\n l0 -> l1: call f40() @main.c:1:1\n}\n", "", 1), "thread main = main()\n", "", 1)
	tests := []struct {
		name, text string
		bound      int
		pos, want  string // "": not too large
	}{
		{"small", chain(2, 5), 8, "", ""},
		{"a long chain of single calls", chain(1, 500), 8, "", ""},
		{"doubling", chain(2, 40), 8, "main.c:1:1", "main would have 7.7e+12 instructions after inlining, more than 4.2e+06; most are from the calls in f40"},
		{"recursion", tree(2), 30, "main.c:1:1", "main would have 2.1e+10 instructions after inlining, more than 4.2e+06; most are from the recursion of g0 and g1"},
		{"recursion of many", tree(7), 30, "main.c:1:1", "most are from the recursion of g0, g1 and 5 other functions"},
		{"recursion of functions that end the program", strings.ReplaceAll(tree(2), " l0 -> l2: nop\n", " l2 -> l3: exit\n"), 30, "", ""},
		{"recursion within a small bound", tree(3), 3, "", ""},
		{"pointers", pointers, 8, "main.c:7:3", "most are from the call through a pointer, which can reach 2 functions"},
	}
	for _, tt := range tests {
		p, diags := irtext.Parse("test.ir", []byte(tt.text))
		if diags.HasErrors() {
			t.Fatalf("%s: %v", tt.name, diags)
		}
		_, err := transform.Run(p, transform.Options{Unroll: tt.bound}, nil)
		large := (*transform.TooLarge)(nil)
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case tt.want == "":
		case !errors.As(err, &large):
			t.Errorf("%s: got %v, want too large", tt.name, err)
		case !strings.Contains(large.Text, tt.want) || large.Pos.Pos.String() != tt.pos:
			t.Errorf("%s: got %s: %s, want %s: %s", tt.name, large.Pos.Pos, large.Text, tt.pos, tt.want)
		}
	}
}
