package statementtest

import (
	"fmt"
	"math/rand"
	"os"
	"regexp"
	"strings"
	"testing"

	"fencepost/internal/diag"
	"fencepost/internal/diag/diagtest"
	"fencepost/internal/frontend/statement"
	"fencepost/internal/ir"
	"fencepost/internal/ir/irtext"
	"fencepost/internal/property"
	"fencepost/internal/source"
)

// Language translates a file of one language.
type Language func(*source.File, statement.Options) (*statement.Unit, *diag.List)

// Sections splits a file at lines of the form "-- name --".
func Sections(t *testing.T, file string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	name := ""
	for _, line := range strings.SplitAfter(string(text), "\n") {
		if s := strings.TrimSpace(line); strings.HasPrefix(s, "-- ") && strings.HasSuffix(s, " --") {
			name = strings.TrimSuffix(strings.TrimPrefix(s, "-- "), " --")
			if _, ok := all[name]; ok {
				t.Fatalf("two sections are called %q", name)
			}
			all[name] = ""
		} else if name != "" {
			all[name] += line
		}
	}
	return all
}

func FuzzSections(f *testing.F, name string) []string {
	text, err := os.ReadFile(name)
	if err != nil {
		f.Fatal(err)
	}
	var all []string
	start := 0
	for i := 1; i+4 < len(text); i++ {
		if string(text[i-1:i+3]) == "\n-- " {
			all = append(all, string(text[start:i]))
			for i < len(text) && text[i] != '\n' {
				i++
			}
			start = i
		}
	}
	return append(all, string(text[start:]))
}

// Describe writes a unit compactly: edges with the text they stand for.
func Describe(f *source.File, u *statement.Unit) string {
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
			fmt.Fprintf(&b, "  %s -> %s: %s  // %s\n", fn.Locs[e.From].Name, fn.Locs[e.To].Name, irtext.FormatOp(p, fn, &e.Op), text)
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

// Golden holds what f makes of the first half of each section against the
// second.
func Golden(t *testing.T, file string, update bool, f func(t *testing.T, name, program string) string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rewritten := string(text)
	for name, section := range Sections(t, file) {
		program, want, ok := strings.Cut(section, "=>\n")
		if !ok {
			t.Fatalf("section %q has no =>", name)
		}
		t.Run(name, func(t *testing.T) {
			got := f(t, name, program)
			if update {
				rewritten = strings.Replace(rewritten, "-- "+name+" --\n"+section, "-- "+name+" --\n"+program+"=>\n"+got, 1)
				return
			}
			if got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
	if update {
		if err := os.WriteFile(file, []byte(rewritten), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func Has(list *diag.List, code string) bool {
	for _, d := range list.All {
		if d.Code == code {
			return true
		}
	}
	return false
}

// Sound checks what holds of every input: diagnostics have a position, and a program
// without errors verifies and has text after every edge.
func Sound(t *testing.T, text []byte, parse Language) {
	file := source.NewFile("fuzz", text)
	u, list := parse(file, statement.Options{})
	for _, d := range list.All {
		if !d.Span.IsValid() || d.Code == "" || d.Message == "" {
			t.Fatalf("diagnostic %+v", d)
		}
	}
	if list.HasErrors() != (u.Program == nil) {
		t.Fatal("a program beside errors, or neither")
	}
	if u.Program == nil {
		return
	}
	for _, err := range ir.Verify(u.Program) {
		t.Error(err)
	}
	for _, fn := range u.Program.Funcs {
		for i := range fn.Edges {
			if file.Slice(fn.Edges[i].Pos) == "" {
				t.Fatalf("edge without text: %s", irtext.FormatOp(u.Program, fn, &fn.Edges[i].Op))
			}
		}
	}
}

// FuzzParse calls Sound with random texts that are made from the sections of a file.
func FuzzParse(f *testing.F, file string, parse Language) {
	for _, text := range FuzzSections(f, file) {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) { Sound(t, text, parse) })
}

// account is everything a translation says: diagnostics, and the automata if it
// succeeded.
func account(t *testing.T, parse Language, name, text string) string {
	t.Helper()
	f := source.NewFile(name, []byte(text))
	u, list := parse(f, statement.Options{})
	var b strings.Builder
	for _, d := range list.All {
		b.WriteString(d.Severity.String() + " " + d.Code + " " + strings.TrimPrefix(d.Span.Pos.String(), name+":") + ": " + d.Message + "\n")
		for _, n := range d.Notes {
			b.WriteString("  " + strings.ReplaceAll(n, name+":", "") + "\n")
		}
	}
	if list.HasErrors() != (u.Program == nil) || list.HasErrors() != (u.Props == nil) {
		t.Error("a program beside errors, or neither")
	}
	if u.Program != nil {
		for _, err := range ir.Verify(u.Program) {
			t.Error(err)
		}
		b.WriteString(Describe(f, u))
	}
	return b.String()
}

// Examples compares what a language makes of the programs of testdata/NAME.txt with
// what the file expects. Every code of codes.go must occur in it and in the manual.
func Examples(t *testing.T, name string, update bool, parse Language) {
	t.Helper()
	seen := map[string]bool{}
	Golden(t, "testdata/"+name+".txt", update, func(t *testing.T, section, text string) string {
		got := account(t, parse, section, text)
		for _, code := range regexp.MustCompile(`FP\d{4}`).FindAllString(got, -1) {
			seen[code] = true
		}
		return got
	})
	diagtest.CheckCodes(t, "codes.go", `FP\d{4}`, name+".md", seen)
}

// Manual demands that the examples of the manual of a language translate.
func Manual(t *testing.T, name string, parse Language) {
	t.Helper()
	manual, err := os.ReadFile("../../../docs/languages/" + name + ".md")
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(manual), "```\n")
	if len(parts) < 3 {
		t.Fatalf("the manual of %s has no example", name)
	}
	for i := 1; i < len(parts); i += 2 {
		u, list := parse(source.NewFile(name, []byte(parts[i])), statement.Options{})
		if len(list.All) > 0 || u.Expect == "" || len(u.Props.Goals) == 0 {
			t.Errorf("%s, example %d: %+v, expects %q", name, (i+1)/2, list.All, u.Expect)
		}
	}
}

// Limit is a text that is too large or nested too deeply, and the code it gets.
type Limit [2]string

// Limits demands that texts which are too large are refused with short messages.
func Limits(t *testing.T, parse Language, limits map[string]Limit) {
	t.Helper()
	for name, c := range limits {
		_, list := parse(source.NewFile("l", []byte(c[0])), statement.Options{})
		if !Has(list, c[1]) {
			t.Errorf("%s: %d diagnostics without %s", name, len(list.All), c[1])
		}
		for _, d := range list.All {
			if len(d.Message) > 300 {
				t.Errorf("%s: a message of %d bytes", name, len(d.Message))
			}
		}
	}
}

// Noise demands that megabytes of random words end with few diagnostics. The words
// are separated by '|'.
func Noise(t *testing.T, parse Language, words string) {
	t.Helper()
	r := rand.New(rand.NewSource(1))
	pieces := strings.Split(words, "|")
	var b strings.Builder
	for b.Len() < 4<<20 {
		b.WriteString(pieces[r.Intn(len(pieces))] + " ")
	}
	if _, list := parse(source.NewFile("noise", []byte(b.String())), statement.Options{}); !list.HasErrors() || len(list.All) > 60 {
		t.Errorf("%d diagnostics", len(list.All))
	}
}

// ByteOrderMark demands that one mark before a program is skipped, and two are not.
func ByteOrderMark(t *testing.T, parse Language, text string) {
	t.Helper()
	if u, list := parse(source.NewFile("mark", []byte("\ufeff"+text)), statement.Options{}); u.Program == nil {
		t.Errorf("%+v", list.All)
	}
	if u, _ := parse(source.NewFile("mark", []byte("\ufeff\ufeff"+text)), statement.Options{}); u.Program != nil {
		t.Error("two marks are accepted")
	}
}

// FuzzFences demands that a text with a fence at every fence site is read again, and
// has as many more fences as the sites have steps.
func FuzzFences(f *testing.F, seeds string, parse Language) {
	for _, text := range FuzzSections(f, seeds) {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		file := source.NewFile("fuzz", text)
		u, _ := parse(file, statement.Options{Sites: true})
		if u.Program == nil {
			return
		}
		for _, err := range ir.Verify(u.Program) {
			t.Fatal(err)
		}
		want := fenceSteps(u.Program)
		var all []ir.FenceAt
		for i, p := range u.Sites {
			all = append(all, ir.FenceAt{Site: ir.SiteID(i), Kind: ir.FullFence})
			want += len(p.Edges)
		}
		changed := source.Apply(file, u.Write(all))
		again, list := parse(source.NewFile("fuzz", changed), statement.Options{})
		if again.Program == nil {
			t.Fatalf("refused: %v\n%s", list.All, changed)
		}
		if got := fenceSteps(again.Program); got != want {
			t.Fatalf("%d fences, want %d\n%s", got, want, changed)
		}
	})
}

func fenceSteps(p *ir.Program) int {
	n := 0
	for _, f := range p.Funcs {
		for i := range f.Edges {
			if f.Edges[i].Op.Kind == ir.Fence {
				n++
			}
		}
	}
	return n
}
