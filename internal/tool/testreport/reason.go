package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// logged is a line that a test has logged, with the message.
var logged = regexp.MustCompile(`^ +\w+\.go:\d+: (.*)\n?$`)

// tools are the programs that tests need beside Go, by the words of the messages that say that one is missing.
var tools = []struct {
	name  string
	words *regexp.Regexp
}{
	{"z3", missing(`z3|SMT solver`)},
	{"cvc5", missing(`cvc5`)},
	{"chromium", missing(`chromium`)},
	{"neovim", missing(`nvim`)},
	{"nodejs", missing(`node`)},
	{"clang", missing(`clang`)},
	{"libc++", missing(`libc\+\+`)},
	{"g++", missing(`g\+\+`)},
	{"gcc", missing(`gcc|C compiler`)},
	{"sanitizers", missing(`sanitizers`)},
	{"spin", missing(`spin`)},
	{"graphviz", missing(`Graphviz|dot`)},
	{"rustc", missing(`rustc`)},
	{"patch", missing(`patch`)},
	{"binutils", missing(`ar|as|objcopy|objdump|ld`)},
	{"cadical", missing(`cadical`)},
	{"minisat", missing(`minisat`)},
	{"sh", missing(`sh`)},
}

// missing matches the messages that say that a tool is missing.
func missing(name string) *regexp.Regexp {
	return regexp.MustCompile(`\bno (` + name + `)(\W|$)|(^|\W)(` + name + `) is not (installed|in PATH|on the PATH)|needs (` + name + `), which is not installed`)
}

// missingTool returns the tool that a message says is missing, "" if it says no such thing.
func missingTool(message string) string {
	for _, t := range tools {
		if t.words.MatchString(message) {
			return t.name
		}
	}
	return ""
}

// others are the reasons that are no fault of the machine. Under FENCEPOST_STRICT they are accepted.
var others = []struct {
	name  string
	words *regexp.Regexp
}{
	{"slow: make fuzz runs them", regexp.MustCompile(`-fp\.slow|make fuzz|^takes |^long$|\[slow\]`)},
	{"data that is not in the repository", regexp.MustCompile(`shared data|is not there|no libraries here|no sources of musl|no torture programs`)},
	{"measurements", regexp.MustCompile(`make (cpu|speed|answers|verdicts|portfolio|site-test|native)|a measurement`)},
	{"another system", regexp.MustCompile(`x86-64|_FORTIFY_SOURCE|FIFO|from here|needs root|gcc 12|counts its work|runs? under Linux|run on`)},
	{"not applicable", regexp.MustCompile(`is bounded|^refused: `)},
}

// unknown is the reason of a skipped test with a message that the tables above do not have.
const unknown = "other reasons"

// otherReason returns the class of a message that speaks of no tool.
func otherReason(message string) string {
	for _, o := range others {
		if o.words.MatchString(message) {
			return o.name
		}
	}
	return unknown
}

// list shows reasons with their counts, the most frequent first.
func list(counts map[string]int) string {
	reasons := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		if d := counts[b] - counts[a]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	parts := make([]string, len(reasons))
	for i, r := range reasons {
		parts[i] = fmt.Sprintf("%s (%d)", r, counts[r])
	}
	return strings.Join(parts, ", ")
}

func sum(counts map[string]int) int {
	n := 0
	for _, c := range counts {
		n += c
	}
	return n
}
