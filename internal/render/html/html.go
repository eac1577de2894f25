package html

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"

	"fencepost/internal/render/relation"
	"fencepost/verdict"
)

//go:embed page
var files embed.FS

func file(name string) string {
	text, err := files.ReadFile("page/" + name)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return string(text)
}

// script returns files of our script as one function.
func script(names ...string) template.JS {
	var b strings.Builder
	b.WriteString("\"use strict\";\n(() => {\n")
	for _, name := range names {
		b.WriteString(file(name))
	}
	b.WriteString("})();\n")
	return template.JS(b.String())
}

// write fills a template in. What comes from programs goes through html/template's escaping; only our own style
// sheet, script and drawings do not.
func write(w io.Writer, name string, v any) error {
	pair := func(head string, rows any) []any { return []any{head, rows} }
	t, err := template.New(name).Funcs(template.FuncMap{"pair": pair}).ParseFS(files, "page/parts.html", "page/"+name)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	if err := t.ExecuteTemplate(w, name, v); err != nil {
		return fmt.Errorf("writing HTML: %w", err)
	}
	return nil
}

// frame is the part of the input that all templates share.
type frame struct {
	Title  string
	Style  template.CSS
	Script template.JS
	// Drawings is the style sheet inside the drawings of the page, if they have one.
	Drawings string
}

// Policy is the Content-Security-Policy of a page: the browser runs our script and uses our style sheet, and nothing
// else that may have got into the page; nothing is loaded from anywhere, and no form is sent.
func (f frame) Policy() string {
	sum := func(text string) string {
		hash := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'"
	}
	styles := sum(string(f.Style))
	if f.Drawings != "" {
		styles += " " + sum(f.Drawings)
	}
	return "default-src 'none'; script-src " + sum(string(f.Script)) + "; style-src " + styles + "; base-uri 'none'; form-action 'none'"
}

// Report writes the page of results. Relations have the names given until the reader wants others.
func Report(w io.Writer, results []verdict.Result, names relation.Names) error {
	return write(w, "page.html", newPage(results).with(names))
}

// with adds the style sheet, the script and the names of relations.
func (p *page) with(names relation.Names) *page {
	p.Data.Herd = names == relation.HerdNames
	p.Style, p.Script = template.CSS(file("style.css")), script("core.js", "layout.js", "steps.js", "panes.js", "lists.js", "app.js")
	return p
}
