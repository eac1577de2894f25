package cli

import (
	"io"
	"os"

	"fencepost/internal/render/text"

	"golang.org/x/term"
)

// terminal reports whether w is a terminal, and how wide.
func terminal(w io.Writer) (width int, ok bool) {
	f, isFile := w.(*os.File)
	if !isFile || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		width = text.DefaultWidth
	}
	return width, true
}

// maxWidth keeps tables together on very wide terminals.
const maxWidth = 200

// style says how to render to w.
func (a *app) style(w io.Writer) text.Options {
	width, isTerminal := a.terminal(w)
	opt := text.Options{Width: min(width, maxWidth), Full: a.full, Asm: a.asm, Stored: a.storedText}
	switch a.color.value {
	case "always":
		opt.Color = true
	case "never":
	default:
		opt.Color = isTerminal && a.getenv("NO_COLOR") == "" && a.getenv("TERM") != "dumb"
	}
	return opt
}
