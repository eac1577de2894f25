package html

import (
	"embed"
	"fmt"
	"html/template"
	"io"

	"fencepost/verdict"
)

//go:embed page/page.html page/style.css page/app.js
var files embed.FS

func file(name string) string {
	text, err := files.ReadFile("page/" + name)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return string(text)
}

// Report writes the page. What comes from programs goes through html/template's
// escaping; only our own style sheet, script and drawings do not.
func Report(w io.Writer, results []verdict.Result) error {
	t, err := template.New("page").Parse(file("page.html"))
	if err != nil {
		panic("BUG: " + err.Error())
	}
	v := newPage(results)
	v.Style, v.Script = template.CSS(file("style.css")), template.JS(file("app.js"))
	if err := t.Execute(w, v); err != nil {
		return fmt.Errorf("writing HTML: %w", err)
	}
	return nil
}
