package text

import (
	"io"
	"strings"

	"fencepost/verdict"
)

// Diagnostic prints a message about the input: position, severity, message, code,
// the source line with a caret, notes.
func Diagnostic(w io.Writer, d verdict.Diagnostic, opt Options) {
	p := &printer{w: w, opt: opt}
	p.message(string(d.Severity), d.Code, &d.Pos, d.Message)
	if d.Excerpt != "" {
		for i, l := range strings.Split(strings.TrimRight(d.Excerpt, "\n"), "\n") {
			if i > 0 {
				l = opt.paint(green, l)
			}
			p.line("  %s", l)
		}
	}
	for _, n := range d.Notes {
		p.line("  note: %s", oneLine(n))
	}
	for _, h := range d.Help {
		p.line("  help: %s", oneLine(h))
	}
}

// message prints `file:line:col: severity: message [CODE]`.
func (p *printer) message(severity, code string, pos *verdict.Pos, message string) {
	at := "fencepost"
	if pos != nil && (pos.File != "" || pos.Line != 0) {
		at = pos.String()
	}
	if code != "" {
		code = " [" + code + "]"
	}
	color := red
	if severity == "warning" {
		color = yellow
	}
	p.line("%s: %s %s%s", oneLine(at), p.opt.paint(color, severity+":"), oneLine(message), code)
}
