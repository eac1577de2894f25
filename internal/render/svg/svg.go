package svg

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"fencepost/internal/render/relation"
	"fencepost/verdict"
)

// style colours a drawing that stands alone, in light and dark. Inside a page the
// page's own style sheet does, with the same class names.
const style = `<style>
.fp{--bg:#fff;--ink:#1c2430;--dim:#5b6675;--line:#94a0b0;--node:#f5f7fa;--cyc:#c8203f;--cycbg:#fdecef;font:13px ui-monospace,Menlo,Consolas,monospace}
@media (prefers-color-scheme:dark){.fp{--bg:#12161d;--ink:#e4e9f0;--dim:#9aa6b5;--line:#66717f;--node:#1c232d;--cyc:#ff7088;--cycbg:#3a1a22}}
.fp .bg{fill:var(--bg)}
.fp text{fill:var(--ink)}
.fp .ti{font:600 14px system-ui,sans-serif}
.fp .th{font-weight:600;text-anchor:middle}
.fp .no{fill:var(--dim);font:12px system-ui,sans-serif}
.fp .nd rect{fill:var(--node);stroke:var(--line)}
.fp .nd text{text-anchor:middle}
.fp .nd .ln{fill:var(--dim);font-size:11px}
.fp .nd.c rect{stroke:var(--cyc);stroke-width:2}
.fp .nd.d rect{fill:var(--cycbg)}
.fp .ed path{fill:none;stroke:var(--line);stroke-width:1.4}
.fp .ed text{fill:var(--dim);font-size:11px;text-anchor:middle;paint-order:stroke;stroke:var(--bg);stroke-width:4px}
.fp .ed.c path{stroke:var(--cyc);stroke-width:2.4}
.fp .ed.c text{fill:var(--cyc);font-weight:700}
.fp .ar{fill:var(--line)}
.fp .arc{fill:var(--cyc)}
</style>
`

// File writes a drawing of its own with one graph per execution, below each other. Relations have the names given.
func File(w io.Writer, title string, executions []verdict.Execution, names relation.Names) error {
	var body strings.Builder
	width, y := 360, 16
	for i := range executions {
		d := newDrawing(&executions[i], fmt.Sprintf("g%d", i), names)
		width = max(width, d.width, 40+8*utf8.RuneCountInString(d.caption()))
		fmt.Fprintf(&body, "<text class=\"ti\" x=\"16\" y=\"%d\">%s</text>\n<g transform=\"translate(0 %d)\">\n", y+14, escape(d.caption()), y+24)
		d.write(&body)
		body.WriteString("</g>\n")
		y += 24 + d.height + 20
	}
	if len(executions) == 0 {
		fmt.Fprintf(&body, "<text class=\"no\" x=\"16\" y=\"%d\">No execution to draw.</text>\n", y+14)
		y += 32
	}
	_, err := fmt.Fprintf(w, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"fp\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">\n<title>%s</title>\n%s<rect class=\"bg\" width=\"100%%\" height=\"100%%\"/>\n%s</svg>\n",
		width, y, width, y, escape(title), style, body.String())
	if err != nil {
		return fmt.Errorf("writing SVG: %w", err)
	}
	return nil
}

// Inline is the graph of an execution as an element of an HTML page, which brings
// the style. Nodes carry data-step, and the classes of edges are the names of the papers. The prefix keeps ids
// apart within the page.
func Inline(e *verdict.Execution, prefix string) string {
	d := newDrawing(e, prefix, relation.HerdNames)
	var b strings.Builder
	fmt.Fprintf(&b, "<svg class=\"fp\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"group\" aria-label=\"%s\">\n",
		d.width, d.height, d.width, d.height, escape(d.description()))
	d.write(&b)
	b.WriteString("</svg>")
	return b.String()
}

// escaper does what html.EscapeString does, without the table of all names that package html brings along.
var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")

// escape makes text safe inside elements and quoted attributes. What is not
// printable is a dot: XML has no way to write it.
func escape(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return '.'
		}
		return r
	}, s)
	return escaper.Replace(s)
}

func cut(s string, width int) string {
	if utf8.RuneCountInString(s) <= width {
		return s
	}
	return string([]rune(s)[:width-1]) + "…"
}
