//go:build !fencepost_small

package svg

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"fencepost/internal/render/relation"
	"fencepost/verdict"
)

// tikzHead opens a picture. Lengths are taken from the drawing, which grows downwards.
const tikzHead = `%% %s
%% In the preamble: \usepackage{tikz}
\begin{tikzpicture}[x=0.75bp, y=-0.75bp, >=latex, font=\footnotesize,
  access/.style={draw=gray, fill=gray!6, rounded corners=4bp, align=center, minimum width=%.1fbp, minimum height=30bp, inner sep=1bp},
  cyclic/.style={draw=red!75!black, thick},
  delayed/.style={fill=red!8},
  order/.style={->, draw=gray},
  closing/.style={->, draw=red!75!black, thick},
  name/.style={font=\scriptsize, fill=white, inner sep=1bp}]
`

// TikZ writes the graph of an execution as a picture for LaTeX. It needs the package tikz and none of its libraries.
func TikZ(w io.Writer, title string, e *verdict.Execution, names relation.Names) error {
	d := newDrawing(e, "", names)
	var b strings.Builder
	fmt.Fprintf(&b, tikzHead, strings.Map(printable, title), 0.75*float64(d.node))
	for c, t := range d.columns {
		fmt.Fprintf(&b, "  \\node[font=\\bfseries] at (%d,16) {%s};\n", side+d.node/2+c*(d.node+gap), tex(cut(e.Witness.Threads[t], maxLabel)))
	}
	for i, n := range d.order.Nodes {
		style := "access"
		if d.on[i] {
			style += ", cyclic"
		}
		if n.Step == d.delayed {
			style += ", delayed"
		}
		words := "\\texttt{" + tex(d.label[i]) + "}"
		if d.line[i] != "" {
			words += "\\\\ {\\scriptsize " + tex(d.line[i]) + "}"
		}
		fmt.Fprintf(&b, "  \\node[%s] (n%d) at (%d,%d) {%s};\n", style, i, d.x[i], d.y[i], words)
	}
	for _, edge := range d.edges() {
		style := "order"
		if d.cycle[edge] {
			style = "closing"
		}
		c := d.curve(edge)
		fmt.Fprintf(&b, "  \\draw[%s] (%d,%d) .. controls (%d,%d) and (%d,%d) .. (%d,%d);\n", style, c.x1, c.y1, c.c1x, c.c1y, c.c2x, c.c2y, c.x2, c.y2)
		fmt.Fprintf(&b, "  \\node[name] at (%d,%d) {%s};\n", c.lx, c.ly, tex(names.Of(edge.Kind)))
	}
	if note := d.note(); note != "" {
		fmt.Fprintf(&b, "  \\node[anchor=west, font=\\scriptsize] at (16,%d) {%s};\n", d.height-10, tex(note))
	}
	b.WriteString("\\end{tikzpicture}\n")
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing TikZ: %w", err)
	}
	return nil
}

func printable(r rune) rune {
	if r > unicode.MaxASCII || !unicode.IsPrint(r) {
		return '.'
	}
	return r
}

// texSigns are the signs that mean something to TeX, or that its fonts do not have. A single - or ' in braces joins with
// no neighbour to another sign.
var texSigns = map[rune]string{
	'\\': "\\textbackslash{}", '{': "\\{", '}': "\\}", '$': "\\$", '&': "\\&", '#': "\\#", '_': "\\_", '%': "\\%",
	'^': "\\textasciicircum{}", '~': "\\textasciitilde{}", '<': "\\textless{}", '>': "\\textgreater{}", '|': "\\textbar{}",
	'"': "{\\char34}", '-': "{-}", '\'': "{'}", '`': "{`}", '→': "$\\to$", '·': "$\\cdot$", '…': "\\dots{}",
}

// tex returns a text as TeX shows it. What TeX may not have is a dot.
func tex(s string) string {
	var b strings.Builder
	for _, r := range s {
		if sign, ok := texSigns[r]; ok {
			b.WriteString(sign)
		} else {
			b.WriteRune(printable(r))
		}
	}
	return b.String()
}
