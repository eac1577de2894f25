package explorer_test

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"fencepost/internal/explorer"
)

// linkTo returns the fragment of a link.
func linkTo(t *testing.T, name, model, run, text string) string {
	t.Helper()
	var packed bytes.Buffer
	z, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return "#v=1&name=" + url.QueryEscape(name) + "&model=" + model + "&run=" + run + "&src=" + base64.RawURLEncoding.EncodeToString(packed.Bytes())
}

// TestForgedLinks: a link that was changed in any of its parts is refused if its run is not one of its program, and
// never does anything else.
func TestForgedLinks(t *testing.T) {
	sb := explorer.Examples()[0].Text
	good := linkTo(t, "sb.fp", "tso", "0,0,1,1,f0", sb)
	cases := map[string]struct{ fragment, why string }{
		"another program":          {linkTo(t, "sb.fp", "tso", "0,0,1,1,f0", "var x; thread t { x = 1; }\n"), "step 2"},
		"a program with a fence":   {linkTo(t, "sb.fp", "tso", "0,0,1,1,f0", strings.Replace(sb, "x = 1;", "x = 1; fence;", 1)), "waits: buffer not empty"},
		"another model":            {linkTo(t, "sb.fp", "sc", "0,0,1,1,f0", sb), "step 5"},
		"another language":         {linkTo(t, "sb.litmus", "tso", "0,0,1,1,f0", sb), ""},
		"another step":             {linkTo(t, "sb.fp", "tso", "0,0,1,1,f0,f0", sb), "step 6"},
		"a thread too many":        {linkTo(t, "sb.fp", "tso", "0,7", sb), "step 2"},
		"a name that is no step":   {linkTo(t, "sb.fp", "tso", "0,constructor", sb), "step 2"},
		"no model":                 {strings.Replace(good, "model=tso", "model=", 1), "no memory model"},
		"a newer version":          {strings.Replace(good, "v=1", "v=2", 1), "newer version"},
		"a part of a newer one":    {good + "&fences=3", "newer version"},
		"no version":               {strings.Replace(good, "v=1&", "", 1), "no link of fencepost"},
		"cut off in the program":   {good[:len(good)-20], "cannot be read"},
		"cut off before it":        {good[:strings.Index(good, "&src")+5], ""},
		"cut off in the model":     {good[:strings.Index(good, "model=")+7], "no memory model"},
		"a large program":          {linkTo(t, "sb.fp", "tso", "", strings.Repeat(" ", 50<<20)), "too large"},
		"a long run":               {linkTo(t, "sb.fp", "tso", strings.Repeat("0,", 30_000)+"0", "var x; thread t { while (0 == 0) { x = 1; } }\n"), ""},
		"no text":                  {linkTo(t, "sb.fp", "tso", "0", "\xff\xfe"), "cannot be read"},
		"another form of packing":  {strings.Replace(good, "src=", "src=_w", 1), "cannot be read"},
		"a program that is broken": {linkTo(t, "sb.fp", "tso", "0", "var x; thread t { x = ; }\n"), "-"},
	}
	forms(t, func(t *testing.T, b *tab) {
		b.open(good)
		b.Want(`fp.now.run.join() + $("notice").hidden`, "0,0,1,1,f0true")
		for name, c := range cases {
			b.open(c.fragment)
			b.Want(`fp.now.run.length`, "0")
			if c.why == "-" { // its errors are shown, and no run
				b.Want(`document.body.classList.contains("broken")`, "true")
				continue
			}
			if got := eval[string](b, `$("notice").textContent`); (!strings.Contains(got, "refused") || !strings.Contains(got, c.why)) && !(c.why == "" && eval[bool](b, `document.body.classList.contains("broken")`)) {
				t.Errorf("%s: %q, want %q", name, got, c.why)
			}
		}
		b.open(linkTo(t, "<img src=x onerror=fp.hacked=1>.fp", "tso", "", "var x; thread t { x = 1; } // <script>fp.hacked=1</script><img src=x onerror=fp.hacked=1>\n"))
		b.press("1")
		b.Want(`fp.hacked`, "undefined")
	})
}

// TestCommandLine: the command line that the page copies brings the program along, and shows the same state.
func TestCommandLine(t *testing.T) {
	forms(t, func(t *testing.T, b *tab) {
		b.open("")
		b.replace("var x, y;\n// it's \"$HOME\" `id`\nEND\n")
		b.replace("var x, y;\n// it's \"$HOME\" `id` \\\n/*\nEND\n*/\nthread t1 { reg r; x = 1; r = y; }\nthread t2 { y = 2; }")
		b.press("m", "1", "2", "1")
		b.click("#share")
		b.click("[data-copy=command]")
		dir := t.TempDir()
		// A script that stands for fencepost and prints its arguments and the program.
		script := "#!/bin/sh\nprintf '%s\\n' \"$@\"\necho ==\ncat \"$2\"\n"
		if err := os.WriteFile(filepath.Join(dir, "fencepost"), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("sh", "-c", eval[string](b, "fp.copied"))
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		head, text, _ := strings.Cut(string(out), "==\n")
		args := strings.Fields(head)
		if len(args) != 6 || args[0] != "serve" || args[2] != "--model" || args[4] != "--run" {
			t.Fatalf("%s", out)
		}
		body, err := json.Marshal(explorer.Request{Name: args[1], Text: text, Model: args[3], Run: strings.Split(args[5], ",")})
		if err != nil {
			t.Fatal(err)
		}
		answer, err := explorer.Ask(t.Context(), "state", body, explorer.Limits{Workers: 1}, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := answer.(*explorer.StateAnswer).State
		b.Want(`JSON.stringify([fp.now.model, fp.now.run, fp.now.answer.state.memory, fp.now.answer.state.threads.map((t) => t.buffer.length)])`,
			encoded(t, []any{s.Model, s.Run, s.Memory, []int{len(s.Threads[0].Buffer), len(s.Threads[1].Buffer)}}))
		b.Want(`fp.now.text + "\n" === `+fmt.Sprintf("%q", text), "true")
	})
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestResponsive: while a search runs, the page takes steps.
func TestResponsive(t *testing.T) {
	forms(t, func(t *testing.T, b *tab) {
		b.open("")
		endless(b)
		b.Do(chromedp.KeyEvent("k"))
		b.Until(`/ states?, \d+ s/.test((document.querySelector("#answer .progress") || {}).textContent)`)
		for i := range 3 {
			b.Do(chromedp.KeyEvent("1"))
			b.Until(fmt.Sprintf(`fp.now.answer.rows.length === %d`, i+1))
		}
		b.Want(`document.querySelector("#cancel") !== null`, "true") // it still runs
		b.cancel("#cancel")
		b.Has("#answer", "Canceled")
	})
}
