package text

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// DefaultWidth is the width assumed where Options names none.
const DefaultWidth = 110

// Options say how to render.
type Options struct {
	Color bool // ANSI colours, and characters beyond ASCII
	Width int  // columns of the terminal, 0: DefaultWidth
	Full  bool // every step of an execution, without folds
	// Stored says that the results were read from a file: no question is asked, and options of it do not apply.
	Stored bool
	Asm    bool // the instructions of machine code instead of the lines of its source
}

func (o Options) width() int {
	if o.Width <= 0 {
		return DefaultWidth
	}
	return o.Width
}

// ANSI attributes.
const (
	bold   = "1"
	dim    = "2"
	red    = "1;31"
	green  = "1;32"
	yellow = "1;33"
)

// threadColors are used in turn; red is kept for failures.
var threadColors = [...]string{"36", "35", "34", "32", "33"}

func (o Options) paint(attr, s string) string {
	if !o.Color || attr == "" || s == "" {
		return s
	}
	return "\x1b[" + attr + "m" + s + "\x1b[0m"
}

// cut shortens s to at most width runes and marks the cut.
func (o Options) cut(s string, width int) string {
	if utf8.RuneCountInString(s) <= width {
		return s
	}
	mark := "..."
	if o.Color {
		mark = "…"
	}
	keep := max(0, width-utf8.RuneCountInString(mark))
	return strings.TrimRight(string([]rune(s)[:keep]), " ") + mark
}

// cutLeft shortens s to at most width runes at its beginning and marks the cut.
func (o Options) cutLeft(s string, width int) string {
	n := utf8.RuneCountInString(s)
	if n <= width {
		return s
	}
	mark := ".."
	if o.Color {
		mark = "…"
	}
	return mark + string([]rune(s)[n-max(0, width-utf8.RuneCountInString(mark)):])
}

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}

func padLeft(s string, width int) string {
	return strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s))) + s
}

// oneLine makes text from an input file fit to print in a line: white space is
// folded, and control characters, which could steer the terminal, are dots.
func oneLine(s string) string {
	return strings.Map(printable, strings.Join(strings.Fields(s), " "))
}

func printable(r rune) rune {
	if r == utf8.RuneError || !unicode.IsPrint(r) {
		return '.'
	}
	return r
}

// Count writes n with thousands separators.
func Count(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

func counted(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Count(n) + " " + many
}

// duration writes seconds with the unit that suits them.
func duration(seconds float64) string {
	switch d := time.Duration(seconds * float64(time.Second)); {
	case d < time.Millisecond:
		return "less than 1 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", seconds)
	default:
		return d.Round(time.Second).String()
	}
}

// printer writes lines. Errors of the writer are the caller's to notice.
type printer struct {
	w   io.Writer
	opt Options
}

func (p *printer) line(format string, args ...any) {
	fmt.Fprintf(p.w, format+"\n", args...)
}
