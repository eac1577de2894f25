package main

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"fencepost/internal/explorer"
)

// TestSmallPart: the part of the playground that is loaded first has neither C nor machine code in it, nor regular
// expressions, which bring 0.1 MB along.
func TestSmallPart(t *testing.T) {
	list := exec.Command("go", "list", "-deps", "-tags", "fencepost_small", ".")
	list.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.Lines(string(out)) {
		for _, part := range []string{"internal/frontend/c", "internal/frontend/elf", "internal/lang/c", "regexp"} {
			if strings.Contains(name, part) {
				t.Errorf("the small part has %s", strings.TrimSpace(name))
			}
		}
	}
}

// TestMeasure: a first load that is too large is an error, however much else there is.
func TestMeasure(t *testing.T) {
	noise := make([]byte, maxFirstLoad)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	for _, c := range []struct {
		files []explorer.Asset
		ok    bool
	}{
		{[]explorer.Asset{{Name: "index.html", Text: noise[:1000]}, {Name: "engine-whole.js", Text: noise}}, true},
		{[]explorer.Asset{{Name: "index.html", Text: noise[:2000]}, {Name: "engine.js", Text: noise[2000:]}}, false},
	} {
		if err := measure(c.files); (err == nil) != c.ok {
			t.Errorf("%v", err)
		}
	}
}

// TestSlim: a script without its comments and its indentation is the same script; other files stay as they are.
func TestSlim(t *testing.T) {
	script := explorer.Asset{Name: "a.js", Text: []byte("// why\n\nf(() => {\n  // more\n  g(\"// no comment\"); // kept\n});\n")}
	if got := string(slim(script)); got != "f(() => {\ng(\"// no comment\"); // kept\n});\n" {
		t.Errorf("%q", got)
	}
	if css := (explorer.Asset{Name: "a.css", Text: []byte("  a {}\n")}); string(slim(css)) != "  a {}\n" {
		t.Error("a style sheet was changed")
	}
	for _, a := range explorer.Assets() {
		if strings.HasSuffix(a.Name, ".js") && strings.Count(string(a.Text), "`")%2 != 0 {
			t.Errorf("%s: a text over several lines would be changed", a.Name)
		}
	}
}

// TestJoined: the page of the playground loads one script, which has all scripts in the order of the page, and no script
// is left out.
func TestJoined(t *testing.T) {
	page := []byte("<head>\n<script src=\"b.js\" defer></script>\n<script src=\"a.js\" defer></script>\n</head>\n")
	assets := []explorer.Asset{{Name: "a.js", Text: []byte("\"use strict\";\na();\n")}, {Name: "b.js", Text: []byte("// why\n\"use strict\";\nb();\n")}, {Name: "s.css", Text: []byte("x")}}
	files, err := joined(page, assets)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, f := range files {
		got += f.Name + ": " + string(f.Text) + "\n"
	}
	if want := "index.html: <head>\n<script src=\"page.js\" defer></script>\n</head>\n\npage.js: \"use strict\";\nb();\na();\n\ns.css: x\n"; got != want {
		t.Errorf("%s", got)
	}
	if _, err := joined(page, assets[:1]); err == nil {
		t.Error("a script that is missing is no error")
	}
	if _, err := joined(page, append(assets, explorer.Asset{Name: "c.js"})); err == nil {
		t.Error("a script that the page does not load is no error")
	}
}
