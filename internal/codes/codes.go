package codes

import (
	"embed"
	"regexp"
	"sort"
	"strconv"
	"strings"
)

//go:embed *.txt
var texts embed.FS

// Entry explains one code.
type Entry struct {
	Code   string
	Title  string // a few words; warnings begin with "warning:"
	Advice string // what to do
	// Command is how the example is run, without the program's name; "" if there is no
	// example: what it would take is too large or lies outside the program. "ir" stands
	// for the reader of the printed form, which has no command.
	Command string
	Files   []File
}

// File is one of an example's files. Shown is its text as people want to see it, with
// what is repeated many times written once.
type File struct{ Name, Text, Shown string }

// All returns the entries, ordered by code.
func All() []Entry {
	var out []Entry
	for _, name := range []string{"c.txt", "fp.txt", "ir.txt", "litmus.txt", "x86.txt"} {
		text, err := texts.ReadFile(name)
		if err != nil {
			panic("BUG: " + err.Error())
		}
		out = append(out, parse(string(text))...)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Code < out[j].Code })
	return out
}

// Find is the entry of a code, written in any case.
func Find(code string) (Entry, bool) {
	for _, e := range All() {
		if strings.EqualFold(e.Code, code) {
			return e, true
		}
	}
	return Entry{}, false
}

// parse reads entries: "# CODE title", lines of advice, "> command", and the lines of
// the example after "| ". A line "| file NAME" begins a further file. "{{9 text}}" in
// an example is text nine times.
func parse(text string) []Entry {
	var out []Entry
	for line := range strings.SplitSeq(text, "\n") {
		if head, ok := strings.CutPrefix(line, "# "); ok {
			code, title, _ := strings.Cut(head, " ")
			out = append(out, Entry{Code: code, Title: title})
			continue
		}
		if line == "" {
			continue
		}
		e := &out[len(out)-1]
		command, isCommand := strings.CutPrefix(line, "> ")
		example, isExample := strings.CutPrefix(line, "|")
		switch {
		case isCommand:
			e.Command = command
			e.Files = []File{{Name: firstFile(command)}}
		case isExample:
			e.addLine(strings.TrimPrefix(example, " "))
		default:
			e.Advice = strings.TrimSpace(e.Advice + " " + line)
		}
	}
	return out
}

func (e *Entry) addLine(line string) {
	if name, ok := strings.CutPrefix(line, "file "); ok {
		e.Files = append(e.Files, File{Name: name})
		return
	}
	f := &e.Files[len(e.Files)-1]
	f.Text += repeated.ReplaceAllStringFunc(line, func(s string) string {
		m := repeated.FindStringSubmatch(s)
		n, err := strconv.Atoi(m[1])
		if err != nil {
			panic("BUG: " + err.Error())
		}
		return strings.Repeat(m[2], n)
	}) + "\n"
	f.Shown += repeated.ReplaceAllString(line, "$2 ... ($1 times) ... $2") + "\n"
}

var repeated = regexp.MustCompile(`\{\{(\d+) (.*?)\}\}`)

// firstFile is the first word of a command that is a file of the example.
func firstFile(command string) string {
	for _, w := range strings.Fields(command) {
		if strings.HasPrefix(w, "x.") {
			return w
		}
	}
	return "x." + command
}
