package cunit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"fencepost/internal/ir"
	"fencepost/internal/source"
)

// How fences are written into C text.

// FenceStyle is how a fence is written. The zero value is unset.
type FenceStyle uint8

// The styles.
const (
	_      FenceStyle = iota
	C11               // atomic_thread_fence
	Sync              // GCC's builtins
	Mfence            // inline assembly for x86
	SmpMb             // Linux's macros
)

var styleNames = [...]string{"", "c11", "sync", "mfence", "smp_mb"}

func (s FenceStyle) String() string {
	if int(s) >= len(styleNames) {
		panic(fmt.Sprintf("BUG: unknown style %d", s))
	}
	return styleNames[s]
}

// ParseFenceStyle finds a style by its name.
func ParseFenceStyle(name string) (FenceStyle, bool) {
	i := slices.Index(styleNames[1:], name)
	return FenceStyle(i + 1), i >= 0
}

// FenceStyles are the names of the styles.
func FenceStyles() []string { return styleNames[1:] }

// in is the style in a file: where the preprocessor has been, headers come too late.
func (s FenceStyle) in(f *source.File) FenceStyle {
	if s == C11 && isMarked(f.Text) {
		return Sync
	}
	return s
}

// statement is a fence. On machines with PSO a release fence orders stores.
func (s FenceStyle) statement(kind ir.FenceKind) string {
	full := kind == ir.FullFence
	switch {
	case s == C11 && full:
		return "atomic_thread_fence(memory_order_seq_cst);"
	case s == C11:
		return "atomic_thread_fence(memory_order_release);"
	case s == Sync && full:
		return "__sync_synchronize();"
	case s == Sync:
		return "__atomic_thread_fence(__ATOMIC_RELEASE);"
	case s == Mfence && full:
		return `__asm__ volatile("mfence" ::: "memory");`
	case s == Mfence:
		return `__asm__ volatile("sfence" ::: "memory");`
	case s == SmpMb && full:
		return "smp_mb();"
	case s == SmpMb:
		return "smp_wmb();"
	default:
		panic(fmt.Sprintf("BUG: unknown style %d", s))
	}
}

var (
	includeLine = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*[<"][^>"\n]*[>"].*$`)
	stdatomic   = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*<stdatomic\.h>`)
	conditional = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*(if|ifdef|ifndef|endif)\b`)
)

// prepare writes what the fences of a file need before them.
func (s FenceStyle) prepare(f *source.File, kinds []ir.FenceKind) []source.Edit {
	text := ""
	switch s {
	case C11:
		if !stdatomic.Match(f.Text) {
			text = "#include <stdatomic.h>\n"
		}
	case SmpMb:
		for _, kind := range []ir.FenceKind{ir.FullFence, ir.StoreStoreFence} {
			name := strings.TrimSuffix(s.statement(kind), "();")
			if slices.Contains(kinds, kind) && !regexp.MustCompile(`\b`+name+`\b`).Match(f.Text) {
				text += fmt.Sprintf("#ifndef %s\n#define %s() %s\n#endif\n", name, name, strings.TrimSuffix(Sync.statement(kind), ";"))
			}
		}
	}
	if text == "" {
		return nil
	}
	at, first := headEnd(f.Text)
	if first {
		text += "\n"
	}
	return []source.Edit{{File: f.Name, Start: at, End: at, Text: text}}
}

// headEnd is the end of the last line that includes something unconditionally; first
// says that there is none, and that it is the beginning of the file.
func headEnd(text []byte) (at int, first bool) {
	first = true
	for _, m := range includeLine.FindAllIndex(text, -1) {
		depth := 0
		for _, c := range conditional.FindAllSubmatch(text[:m[0]], -1) {
			if string(c[1]) == "endif" {
				depth--
			} else {
				depth++
			}
		}
		if depth == 0 && m[1] < len(text) {
			at, first = m[1]+1, false
		}
	}
	return at, first
}

// edit writes a fence at a place.
func (a *mark) edit(fence string) []source.Edit {
	insert := func(at int, text string) source.Edit {
		return source.Edit{File: a.file.Name, Start: at, End: at, Text: text}
	}
	indent, begins := a.file.Indent(a.offset)
	if a.bare {
		return a.braces(fence, indent, begins)
	}
	switch {
	case begins && a.end:
		return []source.Edit{insert(a.offset, a.step(indent)+fence+"\n"+indent)}
	case begins:
		return []source.Edit{insert(a.offset, fence+"\n"+indent)}
	}
	return []source.Edit{insert(a.offset, fence+" ")}
}

// braces writes a fence and the braces it needs around it and the one statement
// behind it.
func (a *mark) braces(fence, indent string, begins bool) []source.Edit {
	edit := func(from, to int, text string) source.Edit {
		return source.Edit{File: a.file.Name, Start: from, End: to, Text: text}
	}
	if !begins {
		open := "{ "
		if a.prev == a.offset {
			open = " { "
		}
		if a.empty {
			return []source.Edit{edit(a.offset, a.last, open+fence+" }")}
		}
		return []source.Edit{edit(a.offset, a.offset, open+fence+" "), edit(a.last, a.last, " }")}
	}
	line := a.prev
	for line > 0 && a.file.Text[line-1] != '\n' {
		line--
	}
	outer := line
	for outer < len(a.file.Text) && (a.file.Text[outer] == ' ' || a.file.Text[outer] == '\t') {
		outer++
	}
	closing := "\n" + string(a.file.Text[line:outer]) + "}"
	end := a.last
	if rest := restOfLine(a.file.Text[end:]); rest >= 0 { // a comment stays with its statement
		end += rest
	}
	open := edit(a.prev, a.prev, " {")
	if a.empty {
		return []source.Edit{open, edit(a.offset, a.last, fence), edit(end, end, closing)}
	}
	return []source.Edit{open, edit(a.offset, a.offset, fence+"\n"+indent), edit(end, end, closing)}
}

// restOfLine is the length of the rest of a line that has only blanks and a
// comment, or -1.
func restOfLine(text []byte) int {
	line, _, _ := strings.Cut(string(text), "\n")
	line = strings.TrimSuffix(line, "\r")
	rest := strings.TrimLeft(line, " \t")
	switch {
	case rest == "", strings.HasPrefix(rest, "//") && !strings.HasSuffix(rest, "\\"):
		return len(line)
	case strings.HasPrefix(rest, "/*") && strings.Index(rest, "*/") == len(strings.TrimRight(rest, " \t"))-2:
		return len(line)
	}
	return -1
}

// step is one level of indentation, as the file has it.
func (a *mark) step(indent string) string {
	if strings.HasSuffix(indent, "\t") || strings.Contains(string(a.file.Text), "\n\t") {
		return "\t"
	}
	if strings.Contains(string(a.file.Text), "\n  ") && !regexp.MustCompile(`(?m)^  \S`).Match(a.file.Text) {
		return "    "
	}
	return "  "
}
