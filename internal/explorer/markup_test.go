package explorer_test

import (
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// evil runs a script where a text becomes markup.
const evil = `<img src=x onerror=fp.hacked=1>`

// TestMarkup: names of files, texts of assertions, comments and messages never become markup, wherever they are shown
// or copied to.
func TestMarkup(t *testing.T) {
	const quoted = `"` + evil + `"`
	programs := []struct{ name, text, shown string }{
		{evil + `"'&.fp`, "var x, y;\n// " + evil + "\nthread t1 { reg r; x = 1; r = y; assert r == 0; }\nthread t2 { reg r; y = 1; r = x; }\n", ""},
		{evil + ".litmus", "X86 SB\n" + quoted + "\n{ x=0; y=0; }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n", ""},
		{"a.c", "#include <assert.h>\n#include <pthread.h>\nint x, y;\nvoid *f(void *p) { x = 1; assert(y == 1 && " + quoted + "); return p; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); y = 1; pthread_join(t, 0); return 0; }\n", evil},
		{"b.fp", "var x;\nthread t { x = " + evil + "; }\n", ""},
		{"b.c", "#error " + evil + "\n", evil},
		{"b.litmus", "X86 " + evil + "\n{}\n P0 ;\n MOV [x],$1 ;\nexists (x=1)\n", ""},
	}
	const harmless = `[fp.hacked, document.querySelectorAll("body img, body [onerror]").length].join()`
	forms(t, func(t *testing.T, b *tab) {
		b.open("")
		for _, p := range programs {
			eval[bool](b, `(fp.app.open({ name: `+strconv.Quote(p.name)+`, text: `+strconv.Quote(p.text)+` }, "tso"), true)`)
			b.idle()
			b.Want(`fp.now.name === `+strconv.Quote(p.name), "true")
			b.Want(harmless, ",0")
			if !eval[bool](b, `document.body.classList.contains("broken")`) {
				b.press("v", "g")
				b.Want(harmless, ",0")
				b.press("c", "h", "n")
				b.Want(harmless, ",0")
				for _, kind := range []string{"svg", "markdown", "link", "command", "litmus", "c"} {
					eval[bool](b, `(document.querySelector("[data-copy=`+kind+`]").click(), true)`)
					b.idle()
					if kind == "svg" {
						drawingOnly(t, eval[string](b, `fp.copied`))
					}
				}
			}
			if got := eval[string](b, `document.body.innerText`); !strings.Contains(got, p.shown) {
				t.Errorf("%s: the page does not show %s", p.name, p.shown)
			}
		}
		b.Want(harmless, ",0")
	})
}

// drawingOnly demands that a text is XML without scripts and pictures in it.
func drawingOnly(t *testing.T, text string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	elements := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		elements++
		if slices.Contains([]string{"script", "img", "image", "foreignObject", "a"}, e.Name.Local) {
			t.Errorf("the drawing has an element %s", e.Name.Local)
		}
		for _, a := range e.Attr {
			if strings.HasPrefix(a.Name.Local, "on") || strings.HasSuffix(a.Name.Local, "href") {
				t.Errorf("the drawing has an attribute %s", a.Name.Local)
			}
		}
	}
	if elements < 5 {
		t.Errorf("%d elements: %s", elements, text)
	}
}
