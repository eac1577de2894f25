package text

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fencepost/internal/render/rows"
	"fencepost/verdict"
)

// The words other renderings share with this one, so that a person who reads two
// of them reads the same sentence. All are plain text on one line.

// Delay says in one sentence which store was delayed past which access.
func Delay(w *verdict.Witness, model string, v verdict.Verdict) string {
	return delaySentence(w, model, v)
}

// AfterUnsupported explains an execution that reaches a construct that is not supported.
const AfterUnsupported = "The last step is not supported: what the program does from there on is not known."

// Printable returns a text as it may be printed to a terminal: on one line, with dots for
// control characters.
func Printable(s string) string { return oneLine(s) }

// Effect says what a step did to memory or buffers, and its note; "" if nothing.
func Effect(s verdict.Step) string { return oneLine(rows.EffectOf(&s)) }

// StepText is a step's instruction as the user wrote it, or its kind.
func StepText(s verdict.Step) string { return oneLine(rows.StepText(&s)) }

// Coverage says how far a safe or not observed reaches: "all executions", or the
// bounds.
func Coverage(c verdict.Coverage) []string {
	var lines []string
	for _, b := range c.Bounds {
		if b.Hit || !c.Exhaustive {
			lines = append(lines, boundText(b))
		}
	}
	switch {
	case len(lines) > 0:
		return lines
	case c.Exhaustive:
		return []string{"all executions"}
	default:
		return []string{"not all executions"}
	}
}

// VerdictWord is the verdict as people say it.
func VerdictWord(r *verdict.Result) string {
	words, robust := robustWords[r.Question]
	switch {
	case robust && r.Verdict == verdict.Safe:
		return words[0]
	case robust && r.Verdict == verdict.Unsafe:
		return words[1]
	case r.Question == verdict.FinalStateList && r.Verdict == verdict.Safe:
		return "explored"
	}
	word, _ := verdictWord(r.Verdict)
	return word
}

// Stats is the size of the search and its time on one line.
func Stats(r *verdict.Result) string { return statsLine(r) }

// Reason returns the reason of an answer on one line, with separators in the numbers of states and executions.
func Reason(reason string) string {
	words := strings.Split(oneLine(reason), " ")
	for i := range words[1:] {
		if isWord(words[i+1], "states") || isWord(words[i+1], "executions") {
			words[i] = separated(words[i])
		}
	}
	return strings.Join(words, " ")
}

// isWord reports whether a text is a word, with or without signs after it.
func isWord(s, word string) bool {
	rest, found := strings.CutPrefix(s, word)
	return found && (rest == "" || !wordByte(rest[0]))
}

// separated returns a text that ends in a number with separators in the number.
func separated(s string) string {
	const least, most = 4, 18 // digits
	before := strings.TrimRight(s, "0123456789")
	digits := s[len(before):]
	if len(digits) < least || len(digits) > most || before != "" && wordByte(before[len(before)-1]) {
		return s
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return s
	}
	return before + Count(n)
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// ProgramName returns the name of a program on one line: the file, or the files of a C program that has several.
func ProgramName(r *verdict.Result) string {
	var others []string
	for name := range r.Sources {
		if name != r.Program && strings.HasSuffix(name, ".c") && strings.HasSuffix(r.Program, ".c") {
			others = append(others, name)
		}
	}
	slices.Sort(others)
	switch len(others) {
	case 0:
		return oneLine(r.Program)
	case 1, 2:
		return oneLine(strings.Join(append([]string{r.Program}, others...), ", "))
	default:
		return fmt.Sprintf("%s and %d other files", oneLine(r.Program), len(others))
	}
}

// Placed puts a position into a reason.
func Placed(reason string, pos *verdict.Pos) string { return placed(reason, pos) }

// Status colours a word about a test: red if something is wrong, else green.
func (o Options) Status(word string, bad bool) string {
	if bad {
		return o.paint(red, word)
	}
	return o.paint(green, word)
}
