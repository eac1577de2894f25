// Package lesson has the rule of tasks for students: mend a program with fences alone.
//
// A task is a program with comments:
//
//	// task: Make it impossible that both threads read 0.
//	// fences: at most 2
//	// expect: tso=safe
//
// An answer is the same program with at most that many fences in it. Comments and blanks may differ, and fences may be
// inserted, moved and removed. Whether the answer does what expect demands is a question for an engine, which is not
// asked here.
package lesson

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Task is the part of a task that its comments say.
type Task struct {
	Words  string // what to do
	Fences int    // at most
	text   string
}

// Read reads a task. ok is false for a program that is none.
func Read(text string) (task Task, ok bool) {
	task = Task{Fences: -1, text: text}
	for line := range strings.Lines(text) {
		comment, isComment := strings.CutPrefix(strings.TrimSpace(line), "//")
		comment = strings.TrimSpace(comment)
		if words, found := strings.CutPrefix(comment, "task:"); isComment && found {
			task.Words = strings.TrimSpace(task.Words + " " + strings.TrimSpace(words))
		} else if words, found := strings.CutPrefix(comment, "fences: at most "); isComment && found {
			n, err := strconv.Atoi(words)
			if err != nil || n < 0 || task.Fences >= 0 {
				return task, false
			}
			task.Fences = n
		}
	}
	return task, task.Words != "" && task.Fences >= 0
}

// Expects reports whether a comment with expect: has a pair, such as tso=safe.
func (t Task) Expects(pair string) bool {
	for line := range strings.Lines(t.text) {
		words := strings.Fields(line)
		for i := 2; i < len(words) && words[0] == "//" && words[1] == "expect:"; i++ {
			if words[i] == pair {
				return true
			}
		}
	}
	return false
}

// Problem says why a text is no answer to the task, "" if it is one.
func (t Task) Problem(answer string) string {
	before, _, inTask := parts(t.text)
	after, fences, inside := parts(answer)
	for i := range max(len(before), len(after)) {
		if i >= len(before) || i >= len(after) || before[i] != after[i] {
			return "only fences may be changed: " + difference(before, after, i)
		}
	}
	for _, at := range inside {
		if !slices.Contains(inTask, at) {
			return fmt.Sprintf("a fence stands after %q: put it between statements, or braces around it and the statement", after[at-1])
		}
	}
	for _, at := range inTask {
		if !slices.Contains(inside, at) {
			return fmt.Sprintf("the fence after %q has to stay: it is all of a statement's body", before[at-1])
		}
	}
	if fences > t.Fences {
		return fmt.Sprintf("%d fences are too many: the task allows %d", fences, t.Fences)
	}
	return ""
}

func difference(before, after []string, i int) string {
	near := func(list []string) string {
		if i >= len(list) {
			return "the end"
		}
		return strings.TrimSpace(strings.Join(list[max(0, i-2):min(len(list), i+3)], " "))
	}
	return fmt.Sprintf("the task has %q where the answer has %q", near(before), near(after))
}

// The ways to write a fence, as words.
var fences = [][]string{
	{"fence", ";"},
	{"atomic_thread_fence", "(", "memory_order_seq_cst", ")", ";"},
	{"__sync_synchronize", "(", ")", ";"},
}

// parts returns the words of a program without comments and fences, and how many fences it has. A line of the
// preprocessor is one word. inside are the numbers of the words before which fences stand that are not between statements.
func parts(text string) (list []string, count int, inside []int) {
	for _, w := range words(text) {
		list = append(list, w)
		for _, f := range fences {
			at := len(list) - len(f)
			if at < 0 || !equal(list[at:], f) {
				continue
			}
			if list, count = list[:at], count+1; !betweenStatements(list) {
				inside = append(inside, at)
			}
		}
	}
	return list, count, inside
}

// betweenStatements reports whether a statement can begin after some words without being a part of the statement before:
// after else, a fence would free what it is put before.
func betweenStatements(before []string) bool {
	if len(before) == 0 {
		return true
	}
	switch last := before[len(before)-1]; {
	case last == ";", last == "{", last == "}", last[0] == '#':
		return true
	case last == ":": // of a label, or of a conditional expression
		for i := len(before) - 2; i >= 0 && !strings.Contains(";{}", before[i]); i-- {
			if before[i] == "?" {
				return false
			}
		}
		return true
	}
	return false
}

func equal(a, b []string) bool {
	for i := range b {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// spliced joins lines that end with a backslash with the next ones, also in comments.
func spliced(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		head := strings.TrimRight(line, " \t\r\n")
		if rest, goesOn := strings.CutSuffix(head, "\\"); goesOn && strings.HasSuffix(line, "\n") {
			line = rest
		}
		out.WriteString(line)
	}
	return out.String()
}

// words returns the words of a program: names and numbers, texts in quotes, and single signs.
func words(text string) []string {
	text = spliced(text)
	var out []string
	fresh := true // nothing but blanks so far in this line
	for i := 0; i < len(text); {
		rest, n := text[i:], 1
		switch c := text[i]; {
		case strings.HasPrefix(rest, "//"):
			n = upTo(rest, "\n", 0)
		case strings.HasPrefix(rest, "/*"):
			n = upTo(rest[2:], "*/", 2) + 2
		case c == '#' && fresh:
			n = upTo(rest, "\n", 0)
			line, _, _ := strings.Cut(rest[:n], "//")
			out = append(out, strings.Join(strings.Fields(line), " "))
		case c == '"' || c == '\'':
			for n = 1; n < len(rest) && rest[n] != c && rest[n] != '\n'; n++ {
				if rest[n] == '\\' {
					n++
				}
			}
			n = min(n+1, len(rest))
			out = append(out, rest[:n])
		case isWord(c):
			for n < len(rest) && isWord(rest[n]) {
				n++
			}
			out = append(out, rest[:n])
		case c != ' ' && c != '\t' && c != '\r' && c != '\n':
			out = append(out, rest[:1])
		}
		fresh = text[i] == '\n' || fresh && (text[i] == ' ' || text[i] == '\t')
		i += n
	}
	return out
}

// upTo returns the length of a text up to a mark, with extra bytes of the mark.
func upTo(text, mark string, extra int) int {
	if at := strings.Index(text, mark); at >= 0 {
		return at + extra
	}
	return len(text)
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
