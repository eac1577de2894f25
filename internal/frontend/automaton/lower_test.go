package automaton

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"fencepost/internal/ir"
	"fencepost/internal/property"
	"fencepost/internal/source"
)

var update = flag.Bool("update", false, "rewrite the expected automata")

// parse translates a program that must be right.
func parse(t *testing.T, name, text string, opt Options) *Unit {
	t.Helper()
	u, list := Parse(source.NewFile(name, []byte(text)), opt)
	for _, d := range list.All {
		t.Error(show(d))
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
	for _, o := range p.Objects {
		fmt.Fprintf(&b, "object %s size %d unit %d %v % x\n", o.Name, o.Size, o.Unit, o.Type, o.Init)
	}
	for _, th := range p.Threads {
		fn := p.Funcs[th.Func]
		fmt.Fprintf(&b, "thread %s", th.Name)
		if th.Template != "" {
			fmt.Fprintf(&b, " of %s", th.Template)
		}
		if th.Unbounded {
			b.WriteString(" unbounded")
		}
		for _, r := range fn.Regs {
			fmt.Fprintf(&b, " %s=%d", r.Name, r.Init)
		}
		fmt.Fprintf(&b, " from %s\n", fn.Locs[fn.Entry].Name)
		for _, e := range fn.Edges {
			text := strings.Join(strings.Fields(f.Slice(e.Pos)), " ")
			fmt.Fprintf(&b, "  %s -> %s: %s  // %s\n", fn.Locs[e.From].Name, fn.Locs[e.To].Name, p.FormatOp(fn, &e.Op), text)
		}
	}
	fmt.Fprintf(&b, "checks %v\n", u.Props.Checks)
	for _, g := range u.Props.Goals {
		fmt.Fprintf(&b, "goal %q at %v with %s\n", g.Name, g.At, condText(g.With))
	}
	if fin := u.Props.Final; fin != nil {
		fmt.Fprintf(&b, "%v %s\n", fin.Quantifier, condText(fin.Cond))
	}
	b.WriteString("observe")
	for _, v := range u.Props.Observe {
		b.WriteString(" " + v.Name)
	}
	return b.String() + "\n"
}

func condText(c *property.Cond) string {
	if c == nil {
		return "nothing"
	}
	s := c.Text + " over"
	for _, v := range c.Vars {
		s += fmt.Sprintf(" %s:%v", v.Name, v.Type)
	}
	return s
}

// TestLowering holds automata against testdata/lowering.txt.
func TestLowering(t *testing.T) {
	golden(t, "testdata/lowering.txt", func(t *testing.T, name, program string) string {
		return describe(source.NewFile(name, []byte(program)), parse(t, name, program, Options{}))
	})
}

// golden holds what f makes of the first half of each section against the
// second.
func golden(t *testing.T, file string, f func(t *testing.T, name, program string) string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rewritten := string(text)
	for name, section := range sections(t, file) {
		program, want, ok := strings.Cut(section, "=>\n")
		if !ok {
			t.Fatalf("section %q has no =>", name)
		}
		t.Run(name, func(t *testing.T) {
			got := f(t, name, program)
			if *update {
				rewritten = strings.Replace(rewritten, "-- "+name+" --\n"+section, "-- "+name+" --\n"+program+"=>\n"+got, 1)
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
