package diag

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"fencepost/internal/source"
)

// Severity of a diagnostic.
type Severity uint8

// The severities. The zero value is unset.
const (
	_ Severity = iota
	Error
	Warning
)

func (s Severity) String() string {
	switch s {
	case Error:
		return "error"
	case Warning:
		return "warning"
	default:
		panic(fmt.Sprintf("BUG: unknown severity %d", s))
	}
}

// Diagnostic is one message about one position in the input.
type Diagnostic struct {
	Severity Severity
	Code     string // stable, such as FP0103
	Span     source.Span
	Message  string
	Notes    []string
}

// limit is how many errors a List keeps; noise as input must not drown the user.
const limit = 20

// List collects diagnostics of one run of a front end.
type List struct {
	All     []Diagnostic
	errors  int
	Dropped int // errors past the limit
}

// Errorf adds an error and returns it so that notes can be attached.
func (l *List) Errorf(code string, at source.Span, format string, args ...any) *Diagnostic {
	l.errors++
	if l.errors > limit {
		l.Dropped++
		return &Diagnostic{}
	}
	return l.add(Error, code, at, format, args)
}

// Warnf adds a warning.
func (l *List) Warnf(code string, at source.Span, format string, args ...any) *Diagnostic {
	return l.add(Warning, code, at, format, args)
}

func (l *List) add(sev Severity, code string, at source.Span, format string, args []any) *Diagnostic {
	l.All = append(l.All, Diagnostic{Severity: sev, Code: code, Span: at, Message: fmt.Sprintf(format, args...)})
	return &l.All[len(l.All)-1]
}

// Note attaches a note to a diagnostic.
func (d *Diagnostic) Note(format string, args ...any) *Diagnostic {
	d.Notes = append(d.Notes, fmt.Sprintf(format, args...))
	return d
}

// Full reports whether the list has so many errors that further ones would not help.
func (l *List) Full() bool { return l.errors >= limit }

// HasErrors reports whether any error was added.
func (l *List) HasErrors() bool { return l.errors > 0 }

// Sort orders the diagnostics by position, errors as found among equals.
func (l *List) Sort() {
	sort.SliceStable(l.All, func(i, j int) bool { return l.All[i].Span.Before(l.All[j].Span.Pos) })
}

// excerptWidth is how many bytes of a long line an excerpt shows.
const excerptWidth = 120

// byteOrderMark may begin a file. It is not part of the text and has no width.
const byteOrderMark = '\ufeff'

// Excerpt is the source line of d with carets under the span, or "" without a
// position. Tabs are kept so that the caret stays aligned; what cannot be printed,
// and each byte of broken UTF-8, is shown as '.'.
func Excerpt(f *source.File, d Diagnostic) string {
	if f == nil || !d.Span.IsValid() {
		return ""
	}
	line := f.Line(d.Span.Line)
	if strings.TrimSpace(line) == "" {
		return "" // nothing to point at
	}
	col := min(d.Span.Col-1, len(line))
	last := col + 1
	if d.Span.EndLine == d.Span.Line {
		last = max(last, min(d.Span.EndCol-1, len(line)))
	} else if d.Span.EndLine > d.Span.Line {
		last = max(last, len(line))
	}
	start := 0
	if col > excerptWidth*2/3 {
		start = col - excerptWidth/2
	}
	// Characters are not cut in two.
	for start > 0 && !utf8.RuneStart(line[start]) && start > col-excerptWidth {
		start--
	}
	end := min(len(line), start+excerptWidth)

	var text, marks strings.Builder
	width := 0
	for i := start; i < end; {
		r, size := utf8.DecodeRuneInString(line[i:])
		at := i
		i += size
		if r == byteOrderMark && at == 0 {
			continue
		}
		switch {
		case r == '\t':
		case r == utf8.RuneError && size <= 1 || !unicode.IsPrint(r):
			r = '.'
		}
		text.WriteRune(r)
		switch {
		case i > col && at < last:
			width++
		case i <= col && r == '\t':
			marks.WriteByte('\t')
		case i <= col:
			marks.WriteByte(' ')
		}
	}
	marks.WriteString("^")
	marks.WriteString(strings.Repeat("~", max(0, width-1)))
	return text.String() + "\n" + marks.String()
}

// Character returns the first character of a text for a message: quoted, or as a number if
// it is not valid UTF-8.
func Character(text []byte) string {
	r, size := utf8.DecodeRune(text)
	if r == utf8.RuneError && size <= 1 {
		return "byte 0x" + strconv.FormatUint(uint64(text[0]), 16)
	}
	return strconv.QuoteRune(r)
}
