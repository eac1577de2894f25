package svg_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/render/relation"
	"fencepost/internal/render/svg"
	"fencepost/verdict"
)

// tikzError reads a picture as far as TeX would fail on it: braces and environments, statements that end, commands and
// styles that exist, coordinates, and signs that mean something else.
func tikzError(text string) error {
	known := []string{"begin", "end", "node", "draw", "texttt", "scriptsize", "footnotesize", "bfseries", "textbackslash", "textasciicircum", "textasciitilde", "textless", "textgreater", "textbar", "char", "to", "cdot", "dots", "usepackage"}
	body := regexp.MustCompile(`(?m)^%.*\n`).ReplaceAllString(text, "")
	if strings.Count(body, `\begin{tikzpicture}[`) != 1 || !strings.HasSuffix(body, "\\end{tikzpicture}\n") {
		return fmt.Errorf("no picture")
	}
	for _, m := range regexp.MustCompile(`\\([a-zA-Z]+)`).FindAllStringSubmatch(body, -1) {
		if !slices.Contains(known, m[1]) {
			return fmt.Errorf("unknown command %s", m[0])
		}
	}
	depth := 0
	plain := regexp.MustCompile(`\\[^a-zA-Z]`).ReplaceAllString(body, "")
	for _, r := range plain {
		switch {
		case r == '{':
			depth++
		case r == '}':
			depth--
		case strings.ContainsRune("&#_%^~", r) || r > 126 || r < 32 && r != '\n':
			return fmt.Errorf("the sign %q", r)
		}
		if depth < 0 {
			return fmt.Errorf("a brace too many")
		}
	}
	if depth != 0 || strings.Count(plain, "$")%2 != 0 {
		return fmt.Errorf("%d braces and %d dollars are open", depth, strings.Count(plain, "$")%2)
	}
	_, rest, _ := strings.Cut(body, "]\n")
	at := `\(-?\d+,-?\d+\)`
	statement := regexp.MustCompile(`^  (\\node\[[a-z, =\\]+\]( \(n\d+\))? at ` + at + ` \{.*\}|\\draw\[(order|closing)\] ` + at + ` \.\. controls ` + at + ` and ` + at + ` \.\. ` + at + `);$`)
	for line := range strings.Lines(strings.TrimSuffix(rest, "\\end{tikzpicture}\n")) {
		if !statement.MatchString(strings.TrimSuffix(line, "\n")) {
			return fmt.Errorf("no statement: %s", line)
		}
	}
	return nil
}

// TestTikZ: the picture for LaTeX has every node and every arrow of the drawing, whatever the names in the program. Where
// there is a TeX, it compiles.
func TestTikZ(t *testing.T) {
	odd := long()
	odd.Witness.Threads = []string{`a\b{c}$d&e#f_g%h^i~j`, `"-->|<'` + "`é→\x00"}
	stored := stored(t, "dekker.json")
	for name, e := range map[string]*verdict.Execution{"stored": &stored[0], "long": long(), "odd": odd, "empty": {Witness: &verdict.Witness{Threads: []string{"a"}}}} {
		var picture, drawn strings.Builder
		if err := svg.TikZ(&picture, name+"\n\\evil%", e, relation.HerdNames); err != nil {
			t.Fatal(err)
		}
		if err := svg.File(&drawn, name, []verdict.Execution{*e}, relation.HerdNames); err != nil {
			t.Fatal(err)
		}
		if err := tikzError(picture.String()); err != nil {
			t.Errorf("%s: %v\n%s", name, err, picture.String())
		}
		for in, want := range map[string]string{"\\node[access": `<g class="nd`, "\\draw[": `<g class="ed`, "\\draw[closing": ` c"><path`, ", delayed": `nd c d"`} {
			if got, drawn := strings.Count(picture.String(), in), strings.Count(drawn.String(), want); got != drawn {
				t.Errorf("%s: %d of %s, the drawing has %d", name, got, in, drawn)
			}
		}
		compiles(t, picture.String())
	}
	for _, bad := range []string{"\\node[access] at (1,2) {_};", "\\node[access] at (1,2) {{};", "\\node[access] at (1,2) {}", "\\draw[order] (1,2) .. (3,4);", "\\node[access] at (1,2) {\\input{x}};"} {
		if tikzError("\\begin{tikzpicture}[x=1bp]\n  "+bad+"\n\\end{tikzpicture}\n") == nil {
			t.Errorf("the reader of the test accepts %s", bad)
		}
	}
}

// compiles runs TeX on a picture, if there is one.
func compiles(t *testing.T, picture string) {
	t.Helper()
	if _, err := exec.LookPath("pdflatex"); err != nil {
		t.Log("no pdflatex here: the picture was only read by the test's own reader")
		return
	}
	cmd := exec.Command("pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-jobname=p", "-output-directory="+filepath.ToSlash(t.TempDir()))
	cmd.Stdin = strings.NewReader("\\documentclass{article}\n\\usepackage{tikz}\n\\begin{document}\n" + picture + "\\end{document}\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("pdflatex: %v\n%s\n%s", err, out, picture)
	}
}
