package elf_test

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fencepost/internal/ir"
	"fencepost/internal/question/check"
	"fencepost/internal/testkit"
	"fencepost/query"
	"fencepost/verdict"
)

// sourceLine is the line of the source in the text of an instruction: "queue.c:7: mov ..." or "queue.c:7 in put: mov ...".
var sourceLine = regexp.MustCompile(`^[^ :]+:([0-9]+)(?: in [^:]*(?:::[^:]*)*)?: `)

// errorsOf returns the errors of a program under a model, other than violated assertions, as class:line of the source.
// complete is false if the answer is not known, or not in time.
func errorsOf(t *testing.T, in query.Input, model string) (found map[string]bool, complete bool) {
	t.Helper()
	opt := query.CheckOptions{Options: query.Defaults()}
	opt.C.Uninitialised = query.UninitialisedZero // as machine code is read
	opt.Workers, opt.Timeout, opt.KeepGoing, opt.Engines, opt.Buffer = 1, *limit, true, query.Engines{"explicit"}, query.DefaultBuffer
	a, err := check.Run(context.Background(), in, opt.Under(query.Model(model)))
	if err != nil {
		t.Fatal(err)
	}
	if a.HasErrors() {
		return nil, false
	}
	r := a.Results[0]
	found = map[string]bool{}
	if r.Verdict == verdict.Unsafe {
		for _, v := range append([]verdict.Violation{{Question: r.Question, Reason: r.Reason, Pos: r.Pos, Witness: r.Witness}}, r.Others...) {
			if e := errorAt(v); e != "" {
				found[e] = true
			}
		}
	}
	return found, r.Verdict != verdict.Unknown
}

// errorAt returns the class and the line of an error, "" for other violations.
func errorAt(v verdict.Violation) string {
	switch class, ok := ir.ParseCheckClass(string(v.Question)); {
	case !ok, class == ir.Assertion, class == ir.ReachError, class == ir.NotSupported:
		return ""
	case v.Witness != nil && len(v.Witness.Steps) > 0:
		if m := sourceLine.FindStringSubmatch(v.Witness.Steps[len(v.Witness.Steps)-1].Text); m != nil {
			return fmt.Sprintf("%s:%s", class, m[1])
		}
		fallthrough
	case v.Pos != nil:
		return fmt.Sprintf("%s:%d", class, v.Pos.Line)
	default:
		return class.String()
	}
}

// errorReasons are the kinds of reasons why errors differ: parts of an object have no bounds in machine code, and objects
// no types; the compiler has dropped the access; the error is that of the source, and the debug information has another line for it.
var errorReasons = []string{"bounds", "types", "dropped", "line"}

// none stands in the list for the side that does not have an error.
const none = "-"

// TestMemoryErrors: the errors of machine code, such as accesses out of bounds, are errors of the source: each has the
// class and the line of one of the source. The list has the others, and errors that only the source has.
func TestMemoryErrors(t *testing.T) { compareMemoryErrors(t, "gcc") }

// TestMemoryErrorsClang: the same of clang's machine code, for make fuzz.
func TestMemoryErrorsClang(t *testing.T) {
	if !testkit.Slow() {
		t.Skip("clang is compared by make fuzz, with -fp.slow")
	}
	compareMemoryErrors(t, "clang")
}

func compareMemoryErrors(t *testing.T, cc string) {
	if writesNothing() {
		return
	}
	path, reasons, exact := listOf(t, cc, "errors")
	listed := byProgram(reasons)
	wanted := regexp.MustCompile(*only)
	both := 0
	var found, expected, open []difference
	for _, c := range testkit.PartOf(t, testkit.LoadCorpus(t, filepath.Join("..", "..", "..", "testdata", "corpus")), 8) {
		if !strings.HasSuffix(c.Input.Name, ".c") || !exact && listed[c.Name()] != nil || !wanted.MatchString(c.Name()) {
			continue
		}
		for _, model := range []string{"sc", "tso"} {
			if c.Verdict(model) != verdict.Unsafe.String() {
				continue // unsafe machine code is a difference of verdicts then
			}
			source, complete := errorsOf(t, c.Input, model)
			for _, level := range levels {
				object, ok := compileWith(t, cc, c.Input.Name, c.Input.Text, "-c", level)
				if !ok {
					continue
				}
				machine, known := errorsOf(t, query.Input{Name: strings.TrimSuffix(c.Input.Name, ".c") + ".o", Text: object}, model)
				if !complete || !known {
					open = append(open, difference{program: c.Name(), level: level, model: model})
					continue
				}
				same, differ := compareErrors(c.Name(), level, model, source, machine)
				both += same
				found = append(found, differ...)
			}
		}
		expected = append(expected, listedFor(reasons, c.Name())...)
	}
	if judge(t, path, reasons, found, expected, open) {
		return
	}
	for _, d := range found {
		if listed[d.program] == nil {
			t.Errorf("the list does not have the difference %s", d)
		}
	}
	for _, r := range reasons {
		if !slices.Contains(errorReasons, r.kind) {
			t.Errorf("%s: %s is no reason", path, r.kind)
		}
		for _, d := range r.list {
			if r.kind != "line" && d.source == none {
				t.Errorf("%s: %s is an error that only the machine code has", path, d)
			}
		}
	}
	for _, d := range open {
		t.Logf("open: %s", d)
	}
	t.Logf("%s: %d errors are in the source and in the machine code, %d differ as in the list, %d questions are open", version(t, cc), both, len(found), len(open))
	if both < 5 && *only == "" {
		t.Errorf("only %d errors are the same", both)
	}
}

// compareErrors returns how many errors two sets have in common, and which only one has.
func compareErrors(program, level, model string, source, machine map[string]bool) (same int, differ []difference) {
	for _, e := range slices.Sorted(maps.Keys(source)) {
		if machine[e] {
			same++
		} else {
			differ = append(differ, difference{program, level, model, e, none})
		}
	}
	for _, e := range slices.Sorted(maps.Keys(machine)) {
		if !source[e] {
			differ = append(differ, difference{program, level, model, none, e})
		}
	}
	return same, differ
}

// TestOutOfBounds: an access out of bounds names the variable that it misses, also where the code has no name for it.
func TestOutOfBounds(t *testing.T) {
	const prelude = "volatile int n = 4; int a[4]; char c[16]; void *volatile p;\n"
	for _, c := range []struct{ text, want string }{
		{"int main(void) { for (int i = 0; i <= n; i++) a[i] = i; return 0; }", "out-of-bounds: byte 16 of a, which has 16 byte(s)"},
		{"int main(void) { return *(volatile short *)(c + 11 + n); }", "out-of-bounds: byte 16 of c, which has 16 byte(s)"},
		{"int main(void) { p = a; return ((int *)p)[n + 1]; }", "out-of-bounds: 4 byte(s) after the end of a and "},
		{"int main(void) { p = a; return ((int *)p)[-n]; }", " byte(s) before a"},
		{"int main(void) { p = __builtin_malloc(n); return *((char *)p + n); }", "out-of-bounds: byte 4 of malloc#1, which has 4 byte(s)"},
	} {
		for _, flags := range []string{"-c -O0", "-c -O1"} {
			if got, why := program(t, prelude+c.text+"\n", flags, "tso", query.COptions{}); got != "unsafe" || !strings.Contains(why, c.want) {
				t.Errorf("%s, %s: %s (%s), want %q", c.text, flags, got, why, c.want)
			}
		}
	}
}
