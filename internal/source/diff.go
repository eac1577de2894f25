package source

import (
	"fmt"
	"strconv"
	"strings"
)

// Unified diffs. The idea: of two texts, the lines that stay are a longest common
// subsequence; with few changes it is found by going as far as possible along equal
// lines for 0, 1, 2, ... changed lines (Myers' greedy algorithm).

// context is how many lines are shown around a change.
const context = 3

// Diff is the change from one text to another as a unified diff, "" if there is
// none. `patch -p1` applies it where the file has that name.
func Diff(name string, before, after []byte) string {
	a, b := splitLines(before), splitLines(after)
	script := changes(a, b)
	var out strings.Builder
	for i := 0; i < len(script); {
		if script[i].op == ' ' {
			i++
			continue
		}
		start, end := max(0, i-context), i
		for gap := 0; end < len(script) && gap <= 2*context; end++ {
			gap++
			if script[end].op != ' ' {
				gap = 0
			}
		}
		for end > i && script[end-1].op == ' ' {
			end--
		}
		end = min(len(script), end+context)
		if out.Len() == 0 {
			fmt.Fprintf(&out, "--- %s\n+++ %s\n", headerName("a/"+name), headerName("b/"+name))
		}
		hunk(&out, script[start:end])
		i = end
	}
	return out.String()
}

// headerName is a file name as git writes it into the header of a diff, which
// patch(1) reads too: in quotes, with C's escapes, if it has control characters,
// quotes or backslashes; with a tab at the end if it has blanks.
func headerName(name string) string {
	var quoted strings.Builder
	escaped := false
	for i := range len(name) {
		c := name[i]
		switch esc := strings.IndexByte("\a\b\t\n\v\f\r\"\\", c); {
		case esc >= 0:
			quoted.WriteByte('\\')
			quoted.WriteByte("abtnvfr\"\\"[esc])
			escaped = true
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&quoted, "\\%03o", c)
			escaped = true
		default:
			quoted.WriteByte(c)
		}
	}
	switch {
	case escaped:
		return `"` + quoted.String() + `"`
	case strings.Contains(name, " "):
		return name + "\t"
	default:
		return name
	}
}

// line of an edit script: kept (' '), removed ('-') or added ('+'), with how many
// lines of each text stand before it.
type line struct {
	op   byte
	text string
	a, b int
}

func hunk(out *strings.Builder, lines []line) {
	olds, news := 0, 0
	for _, l := range lines {
		if l.op != '+' {
			olds++
		}
		if l.op != '-' {
			news++
		}
	}
	first := func(before, n int) int { // a stretch without lines is named by the line before
		if n == 0 {
			return before
		}
		return before + 1
	}
	fmt.Fprintf(out, "@@ -%d,%d +%d,%d @@\n", first(lines[0].a, olds), olds, first(lines[0].b, news), news)
	for _, l := range lines {
		out.WriteByte(l.op)
		out.WriteString(l.text)
		if !strings.HasSuffix(l.text, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

func splitLines(text []byte) []string {
	lines := strings.SplitAfter(string(text), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// changes is a shortest edit script.
func changes(a, b []string) []line {
	offset := len(a) + len(b)
	furthest := make([]int, 2*offset+2) // lines of a passed, by diagonal
	var rounds [][]int
	for d := 0; ; d++ {
		rounds = append(rounds, append([]int(nil), furthest[offset-d:offset+d+1]...))
		for k := -d; k <= d; k += 2 {
			x := 0
			if k == -d || k != d && furthest[offset+k-1] < furthest[offset+k+1] {
				x = furthest[offset+k+1]
			} else {
				x = furthest[offset+k-1] + 1
			}
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			furthest[offset+k] = x
			if x >= len(a) && x-k >= len(b) {
				return backtrack(a, b, rounds)
			}
		}
	}
}

// backtrack reads the script off the rounds, last line first, and turns it round.
func backtrack(a, b []string, rounds [][]int) []line {
	var out []line
	x, y := len(a), len(b)
	for d := len(rounds) - 1; d >= 0; d-- {
		before := func(k int) int { return rounds[d][k+d] } // of diagonal k, -d <= k <= d
		k := x - y
		from := k - 1
		if k == -d || k != d && before(k-1) < before(k+1) {
			from = k + 1
		}
		startX, startY := 0, 0
		if d > 0 {
			startX = before(from)
			startY = startX - from
		}
		for x > startX && y > startY && (d == 0 || x-1 >= startX+btoi(from == k-1) && y-1 >= startY+btoi(from == k+1)) {
			x, y = x-1, y-1
			out = append(out, line{' ', a[x], x, y})
		}
		if d == 0 {
			break
		}
		if from == k+1 {
			y--
			out = append(out, line{'+', b[y], x, y})
		} else {
			x--
			out = append(out, line{'-', a[x], x, y})
		}
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Patch applies a unified diff of one file to a text. Every line that the diff says is there
// must be there, and the counts in its headers must be right.
func Patch(before []byte, diff string) ([]byte, error) {
	lines := splitLines(before)
	var out strings.Builder
	at := 0
	rest := splitLines([]byte(diff))
	if len(rest) < 2 || !strings.HasPrefix(rest[0], "--- ") || !strings.HasPrefix(rest[1], "+++ ") {
		return nil, fmt.Errorf("the patch does not begin with the names of the file")
	}
	for rest = rest[2:]; len(rest) > 0; {
		h, err := hunkHead(rest[0])
		if err != nil {
			return nil, err
		}
		if h.oldAt < at || h.oldAt > len(lines) {
			return nil, fmt.Errorf("%q: there is no such line", strings.TrimSpace(rest[0]))
		}
		for ; at < h.oldAt; at++ {
			out.WriteString(lines[at])
		}
		rest = rest[1:]
		for h.old > 0 || h.new > 0 {
			if len(rest) == 0 {
				return nil, fmt.Errorf("the patch ends in the middle of a change")
			}
			op, text := rest[0][0], rest[0][1:]
			rest = rest[1:]
			if len(rest) > 0 && strings.HasPrefix(rest[0], "\\") { // no newline at the end of the file
				text, rest = strings.TrimSuffix(text, "\n"), rest[1:]
			}
			if op == '+' || op == ' ' {
				out.WriteString(text)
				h.new--
			}
			if op == '-' || op == ' ' {
				if at >= len(lines) || lines[at] != text {
					return nil, fmt.Errorf("line %d is not %q", at+1, strings.TrimSuffix(text, "\n"))
				}
				at++
				h.old--
			}
			if op != '+' && op != '-' && op != ' ' || h.old < 0 || h.new < 0 {
				return nil, fmt.Errorf("the patch is broken after line %d of the file", at)
			}
		}
	}
	for ; at < len(lines); at++ {
		out.WriteString(lines[at])
	}
	return []byte(out.String()), nil
}

// hunkAt is where a hunk begins in the old text, from 0, and how many lines it has.
type hunkAt struct{ oldAt, old, new int }

func hunkHead(line string) (hunkAt, error) {
	var h hunkAt
	var newAt int
	fields := strings.Fields(line)
	if len(fields) < 4 || fields[0] != "@@" || fields[3] != "@@" {
		return h, fmt.Errorf("%q is no head of a change", strings.TrimSuffix(line, "\n"))
	}
	for i, f := range []struct {
		sign       string
		at, length *int
	}{{"-", &h.oldAt, &h.old}, {"+", &newAt, &h.new}} {
		*f.length = 1
		at, length, ok := strings.Cut(strings.TrimPrefix(fields[1+i], f.sign), ",")
		var err error
		if *f.at, err = strconv.Atoi(at); err == nil && ok {
			*f.length, err = strconv.Atoi(length)
		}
		if err != nil || *f.at < 0 || *f.length < 0 {
			return h, fmt.Errorf("%q is no head of a change", strings.TrimSuffix(line, "\n"))
		}
	}
	if h.old > 0 {
		h.oldAt--
	}
	return h, nil
}
