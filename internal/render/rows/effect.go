package rows

import (
	"fmt"
	"strconv"
	"strings"

	"fencepost/verdict"
)

// line folds white space.
func line(s string) string { return strings.Join(strings.Fields(s), " ") }

// StepText returns a step's instruction as the user wrote it, or its kind.
func StepText(s *verdict.Step) string {
	switch {
	case s.Kind == verdict.StepFlush:
		return "flush"
	case s.Text == "" && s.Kind == verdict.StepWake:
		return "wake up"
	case s.Text == "":
		return "(" + s.Kind.String() + ")"
	default:
		return line(s.Text)
	}
}

// EffectOf says what a step did to memory or buffers, and its note; "" if nothing.
func EffectOf(s *verdict.Step) string {
	text, note := onMemory(s), line(s.Note)
	const unsupported = verdict.NotSupportedNote
	switch {
	case s.Kind == verdict.StepFail && note == "":
		return "FAILS"
	case s.Kind == verdict.StepFail && strings.HasPrefix(note, unsupported):
		return strings.ToUpper(unsupported[:len(unsupported)-2]) + note[len(unsupported)-2:]
	case s.Kind == verdict.StepFail:
		return "FAILS: " + note
	case text == "" || note == "":
		return text + note
	default:
		return text + "; " + note
	}
}

// onMemory says what a step did to memory or to the store buffer of its thread.
func onMemory(s *verdict.Step) string {
	cell := line(s.Cell())
	switch {
	case s.Kind == verdict.StepLoad && len(s.FromBytes) > 0:
		return fmt.Sprintf("%s -> %s, bytes %s", cell, line(s.ValueText()), byteSources(s))
	case s.Kind == verdict.StepLoad && s.From > 0:
		return fmt.Sprintf("%s -> %s from own buffer (step %d)", cell, line(s.ValueText()), s.From)
	case s.Kind == verdict.StepLoad:
		return fmt.Sprintf("%s -> %s from memory", cell, line(s.ValueText()))
	case s.Kind == verdict.StepStore && s.Buffered:
		return Assignment(s) + " buffered"
	case s.Kind == verdict.StepStore:
		return Assignment(s) + " in memory"
	case s.Kind == verdict.StepFlush:
		return fmt.Sprintf("%s reaches memory (step %d)", Assignment(s), s.Of+1)
	case s.Kind == verdict.StepRMW && s.Wrote:
		return fmt.Sprintf("%s: %s -> %s in memory", cell, line(s.ValueText()), line(s.WrittenText()))
	case s.Kind == verdict.StepRMW:
		return fmt.Sprintf("%s -> %s from memory, not written", cell, line(s.ValueText()))
	case s.Kind == verdict.StepWake:
		return "wakes up without a signal"
	default:
		return ""
	}
}

// Assignment returns what a store or a flush writes: x = 1, or free node#1.
func Assignment(s *verdict.Step) string {
	if s.Free {
		return "free " + line(s.Cell())
	}
	return fmt.Sprintf("%s = %s", line(s.Cell()), line(s.ValueText()))
}

// byteSources says where the bytes of a load came from that has several sources: runs of
// bytes, lowest address first.
func byteSources(s *verdict.Step) string {
	var parts []string
	for k := 0; k < s.Size; {
		end := k + 1
		for end < s.Size && s.ReadsFrom(end) == s.ReadsFrom(k) {
			end++
		}
		bytes := strconv.Itoa(k)
		if end > k+1 {
			bytes = fmt.Sprintf("%d-%d", k, end-1)
		}
		from := "memory"
		if f := s.ReadsFrom(k); f > 0 {
			from = fmt.Sprintf("buffer (step %d)", f)
		}
		parts = append(parts, bytes+" "+from)
		k = end
	}
	return strings.Join(parts, ", ")
}

// grouped writes n with commas between groups of three digits.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + many
}
