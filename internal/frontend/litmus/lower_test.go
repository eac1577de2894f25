package litmus

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"fencepost/internal/diag"
	"fencepost/internal/diag/diagtest"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/property"
	"fencepost/internal/source"
)

var update = flag.Bool("update", false, "rewrite the expected automata")

// section is a part of a test file between lines of the form "-- name --".
type section struct{ name, text string }

func sections(t testing.TB, file string) []section {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []section
	seen := map[string]bool{}
	for _, line := range strings.SplitAfter(string(text), "\n") {
		if s := strings.TrimSpace(line); strings.HasPrefix(s, "-- ") && strings.HasSuffix(s, " --") {
			name := strings.TrimSuffix(strings.TrimPrefix(s, "-- "), " --")
			if seen[name] {
				t.Fatalf("two sections are called %q", name)
			}
			seen[name] = true
			all = append(all, section{name: name})
		} else if len(all) > 0 {
			all[len(all)-1].text += line
		}
	}
	return all
}

// parse translates a test that must be right.
func parse(t *testing.T, name, text string) *Unit {
	t.Helper()
	u, list := Parse(source.NewFile(name, []byte(text)), Options{})
	for _, d := range list.All {
		if d.Severity == diag.Error {
			t.Error(diagtest.Show(d))
		}
	}
	if u.Program == nil {
		t.FailNow()
	}
	for _, err := range ir.Verify(u.Program) {
		t.Error(err)
	}
	return u
}

// describe writes a unit compactly: edges with the text they stand for.
func describe(f *source.File, u *Unit) string {
	var b strings.Builder
	p := u.Program
	fmt.Fprintf(&b, "test %s %s %q %v hash %q kind %s\n", u.Arch, u.Name, u.Doc, u.Meta, u.Hash(), u.Kind())
	for _, o := range p.Objects {
		fmt.Fprintf(&b, "object %s size %d unit %d %v [% x]\n", o.Name, o.Size, o.Unit, o.Type, o.Init)
	}
	for _, th := range p.Threads {
		fn := p.Funcs[th.Func]
		fmt.Fprintf(&b, "thread %s", th.Name)
		for _, r := range fn.Regs {
			fmt.Fprintf(&b, " %s=%d", r.Name, r.Init)
		}
		fmt.Fprintf(&b, " from %s\n", fn.Locs[fn.Entry].Name)
		for _, e := range fn.Edges {
			text := strings.Join(strings.Fields(f.Slice(e.Pos)), " ")
			fmt.Fprintf(&b, "  %s -> %s: %s  // %s\n", fn.Locs[e.From].Name, fn.Locs[e.To].Name, irtext.FormatOp(p, fn, &e.Op), text)
		}
	}
	fmt.Fprintf(&b, "checks %v\n", u.Props.Checks)
	fmt.Fprintf(&b, "%s\n", u.Condition)
	fmt.Fprintf(&b, "filter %s\n", condText(u.Filter))
	fmt.Fprintf(&b, "final %v %s\n", u.Props.Final.Quantifier, condText(u.Props.Final.Cond))
	b.WriteString("observe")
	for _, v := range u.Props.Observe {
		fmt.Fprintf(&b, " %s:%v", v.Name, v.Type)
	}
	values := make([]int64, len(u.Props.Observe))
	for i := range values {
		values[i] = int64(i)
	}
	return b.String() + "\nstate " + u.State(values) + "\n"
}

func condText(c *property.Cond) string {
	if c == nil {
		return "none"
	}
	s := c.Text + " over"
	for _, v := range c.Vars {
		s += fmt.Sprintf(" %s:%v", v.Name, v.Type)
	}
	return s
}

// TestLowering holds automata against testdata/lowering.txt.
func TestLowering(t *testing.T) {
	const file = "testdata/lowering.txt"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rewritten := string(text)
	for _, s := range sections(t, file) {
		program, want, ok := strings.Cut(s.text, "=>\n")
		if !ok {
			t.Fatalf("section %q has no =>", s.name)
		}
		t.Run(s.name, func(t *testing.T) {
			f := source.NewFile(s.name, []byte(program))
			got := describe(f, parse(t, s.name, program))
			if *update {
				head := "-- " + s.name + " --\n"
				rewritten = strings.Replace(rewritten, head+s.text, head+program+"=>\n"+got, 1)
				return
			}
			if got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
	if *update {
		if err := os.WriteFile(file, []byte(rewritten), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
