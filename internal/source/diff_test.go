package source

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// patched applies a diff of ours to a text, line by line, as patch(1) does without
// fuzz.
func patched(t *testing.T, before []byte, diff string) string {
	t.Helper()
	old := splitLines(before)
	var out strings.Builder
	at := 0
	lines := strings.SplitAfter(diff, "\n")
	for i := 0; i < len(lines) && lines[i] != ""; i++ {
		l := lines[i]
		switch {
		case strings.HasPrefix(l, "---"), strings.HasPrefix(l, "+++"):
		case strings.HasPrefix(l, "@@"):
			var a, n, b, m int
			if _, err := fmt.Sscanf(l, "@@ -%d,%d +%d,%d @@", &a, &n, &b, &m); err != nil {
				t.Fatal(err)
			}
			if n > 0 {
				a--
			}
			for ; at < a; at++ {
				out.WriteString(old[at])
			}
		default:
			text := l[1:]
			if i+1 < len(lines) && strings.HasPrefix(lines[i+1], "\\") {
				text = strings.TrimSuffix(text, "\n")
				i++
			}
			if l[0] != '+' {
				if old[at] != text {
					t.Fatalf("line %d is %q, the diff says %q", at+1, old[at], text)
				}
				at++
			}
			if l[0] != '-' {
				out.WriteString(text)
			}
		}
	}
	for ; at < len(old); at++ {
		out.WriteString(old[at])
	}
	if diff != "" {
		got, err := Patch(before, diff)
		if err != nil || string(got) != out.String() {
			t.Fatalf("Patch gives %q (%v), want %q", got, err, out.String())
		}
	}
	return out.String()
}

func TestDiff(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 3000 {
		text := func() []byte {
			var b strings.Builder
			for range r.IntN(30) {
				fmt.Fprintf(&b, "%d\n", r.IntN(4))
			}
			s := b.String()
			if r.IntN(3) == 0 {
				s = strings.TrimSuffix(s, "\n")
			}
			return []byte(s)
		}
		a, b := text(), text()
		d := Diff("f", a, b)
		if (d == "") != (string(a) == string(b)) {
			t.Fatalf("diff of %q and %q is %q", a, b, d)
		}
		if got := patched(t, a, d); got != string(b) {
			t.Fatalf("%q with\n%sis %q, want %q", a, d, got, b)
		}
	}
}

// The tool of the same name takes our diffs, too.
func TestDiffPatch(t *testing.T) {
	tool, err := exec.LookPath("patch")
	if err != nil {
		t.Skip("no patch(1) here")
	}
	var a, b strings.Builder
	for i := range 40 {
		fmt.Fprintln(&a, "line", i)
		if i%13 == 3 {
			fmt.Fprintln(&b, "fence")
		}
		fmt.Fprintln(&b, "line", i)
	}
	for _, name := range []string{"f", "two words.c", "line\nbreak.c", "+++ b/x\n@@ -1 +1 @@\n.c", `quote".c`, `back\slash.c`, "tab\t.c", "\x01\x7f.c", "ä.c"} {
		dir := t.TempDir()
		file := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(file, []byte(a.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(tool, "-p1")
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(Diff(filepath.Base(file), []byte(a.String()), []byte(b.String())))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%q: %v: %s", name, err, out)
			continue
		}
		if got, _ := os.ReadFile(file); string(got) != b.String() {
			t.Errorf("%q: patch makes\n%s", name, got)
		}
	}
}

func TestHeaderName(t *testing.T) {
	for name, want := range map[string]string{
		"a/f.c": "a/f.c", "a/two words.c": "a/two words.c\t", "a/x\ny": `"a/x\ny"`, `a/"\`: `"a/\"\\"`, "a/\x01 \x7f": `"a/\001 \177"`, "a/ä": "a/ä",
	} {
		if got := headerName(name); got != want {
			t.Errorf("%q becomes %s, want %s", name, got, want)
		}
	}
}

func TestApply(t *testing.T) {
	f := NewFile("f", []byte("one two\n  three\n"))
	got := string(Apply(f, []Edit{{"f", 10, 10, "x "}, {"f", 4, 7, "2"}, {"g", 0, 0, "no"}, {"f", 10, 10, "y "}}))
	if want := "one 2\n  x y three\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	g := NewFile("f", []byte("a\r\n  b\r\n"))
	if got := string(Apply(g, []Edit{{"f", 5, 5, "x\n  "}})); got != "a\r\n  x\r\n  b\r\n" {
		t.Errorf("%q", got)
	}
	if in, ok := f.Indent(10); in != "  " || !ok {
		t.Errorf("indent %q %v", in, ok)
	}
	if _, ok := f.Indent(4); ok {
		t.Error("the second word begins no line")
	}
	if off, ok := f.Offset(Pos{Line: 2, Col: 3}); off != 10 || !ok {
		t.Errorf("offset %d %v", off, ok)
	}
}
