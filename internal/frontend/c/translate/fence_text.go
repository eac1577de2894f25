package translate

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"fencepost/internal/frontend/c/translate/read"
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

// kernelHeader has the fences of the Linux kernel.
const kernelHeader = "fencepost/linux.h"

// in is the style in a file: where the preprocessor has been, headers come too late.
func (s FenceStyle) in(f *source.File) FenceStyle {
	if s == C11 && read.IsMarked(f.Text) {
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

// fence is a fence of a kind, or under c11 of an order.
func (s FenceStyle) fence(f ir.FenceAt) string {
	switch {
	case f.Order == ir.OrderUnset || f.Order == ir.SeqCst:
		return s.statement(f.Kind)
	case s == C11:
		return "atomic_thread_fence(memory_order_" + f.Order.String() + ");"
	}
	return "__atomic_thread_fence(__ATOMIC_" + strings.ToUpper(f.Order.String()) + ");"
}

// prepare writes what the fences of a file need before them.
func (s FenceStyle) prepare(f *source.File, kinds []ir.FenceKind) []source.Edit {
	text, head := "", read.FindHead(f.Text)
	switch s {
	case C11:
		if !head.HasAtomics() {
			text = "#include <stdatomic.h>\n"
		}
	case SmpMb:
		if bytes.Contains(f.Text, []byte("<"+kernelHeader+">")) {
			break
		}
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
	at, text := head.Insert(text)
	return []source.Edit{{File: f.Name, Start: at, End: at, Text: text}}
}

// braces are written around one statement, with fences inside.
type braces struct {
	at          *mark
	first, last string // fences before and after the statement
}

// write writes fences. Where braces close, nothing comes between, and the inner ones close
// first.
func (m *marks) write(fences []ir.FenceAt, style FenceStyle) []source.Edit {
	var edits, closing []source.Edit
	var bodies []*braces
	for _, f := range fences {
		a := m.list[f.Site]
		if a.readOnly {
			panic("BUG: a fence is written where the text is not to be changed")
		}
		fence := style.in(a.file).fence(f)
		if !a.bare {
			edits = append(edits, a.edit(fence))
			continue
		}
		at := slices.IndexFunc(bodies, func(b *braces) bool { return b.at.file == a.file && b.at.open == a.open })
		if at < 0 {
			at = len(bodies)
			bodies = append(bodies, &braces{at: a})
		}
		if a.after {
			bodies[at].last = fence
		} else {
			bodies[at].first = fence
		}
	}
	slices.SortStableFunc(bodies, func(a, b *braces) int { return b.at.open - a.at.open })
	ends := map[source.Pos]int{} // by the end of statements: where the braces around the inner ones close
	for _, b := range bodies {
		open, end := b.edits()
		key := source.Pos{File: b.at.file.Name, Line: b.at.last}
		if end.Text != "" {
			end.Start = max(end.Start, ends[key])
			end.End, ends[key] = end.Start, end.Start
			closing = append(closing, end)
		}
		edits = append(edits, open...)
	}
	return append(closing, edits...)
}

func (a *mark) replace(from, to int, text string) source.Edit {
	return source.Edit{File: a.file.Name, Start: from, End: to, Text: text}
}

// edit writes a fence at a fence site.
func (a *mark) edit(fence string) source.Edit {
	indent, begins := a.file.Indent(a.offset)
	switch {
	case a.macro: // its lines end with backslashes
	case begins && a.end:
		return a.replace(a.offset, a.offset, a.step(indent)+fence+"\n"+indent)
	case begins:
		return a.replace(a.offset, a.offset, fence+"\n"+indent)
	}
	return a.replace(a.offset, a.offset, fence+" ")
}

// edits opens the braces and writes what comes before the statement; end closes
// them.
func (b *braces) edits() (open []source.Edit, end source.Edit) {
	a := b.at
	indent, begins := a.file.Indent(a.open)
	if !begins {
		text := "{ "
		if a.prev == a.open {
			text = " { "
		}
		if a.empty {
			return []source.Edit{a.replace(a.open, a.last, text+b.first+" }")}, end
		}
		if b.first != "" {
			text += b.first + " "
		}
		close := " }"
		if b.last != "" {
			close = " " + b.last + " }"
		}
		return []source.Edit{a.replace(a.open, a.open, text)}, a.replace(a.last, a.last, close)
	}
	line := a.prev
	for line > 0 && a.file.Text[line-1] != '\n' {
		line--
	}
	outer := line
	for outer < len(a.file.Text) && (a.file.Text[outer] == ' ' || a.file.Text[outer] == '\t') {
		outer++
	}
	close := "\n" + string(a.file.Text[line:outer]) + "}"
	if b.last != "" {
		close = "\n" + indent + b.last + close
	}
	at := a.last
	if rest := restOfLine(a.file.Text[at:]); rest >= 0 { // a comment stays with its statement
		at += rest
	}
	end = a.replace(at, at, close)
	open = append(open, a.replace(a.prev, a.prev, " {"))
	switch {
	case a.empty:
		open = append(open, a.replace(a.open, a.last, b.first))
	case b.first != "":
		open = append(open, a.replace(a.open, a.open, b.first+"\n"+indent))
	}
	return open, end
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
