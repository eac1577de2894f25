// Command testreport reads the output of one or more runs of `go test -json` and prints it as `go test` does: a line per
// package, and the output of what failed. At the end it says how many tests were skipped, and why. `make test` runs it.
//
// While nothing ends for five minutes it says which tests have not, so that the log of a run that was stopped names the
// test that it stood at.
//
// After each run a line "exit N" with the exit code stands in the input; -runs says how many there are. If the variable
// FENCEPOST_STRICT is 1, a test that did not run because a tool is missing is a failure.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

func main() {
	runs := flag.Int("runs", 1, "number of runs of go test in the input")
	flag.Parse()
	r := newReport(os.Stdout, os.Getenv("FENCEPOST_STRICT") == "1")
	if err := r.read(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "testreport:", err)
		os.Exit(2)
	}
	if !r.finish(*runs) {
		os.Exit(1)
	}
}

// event is a line of go test -json.
type event struct {
	Action  string
	Package string
	Test    string
	Output  string
}

// testName names a test of a package; the test is empty for the package itself.
type testName struct{ pkg, test string }

// report collects the events of all runs.
type report struct {
	out    io.Writer
	strict bool

	lines   map[testName][]string
	skipped map[string]int // tests by reason
	partly  map[string]int // tests that ran without a tool, by reason
	failed  int            // packages
	exits   []string
}

func newReport(out io.Writer, strict bool) *report {
	return &report{out: out, strict: strict, lines: map[testName][]string{}, skipped: map[string]int{}, partly: map[string]int{}}
}

func (r *report) read(in io.Reader) error {
	lines, failed := make(chan string), make(chan error, 1)
	go func() {
		defer close(lines)
		text := bufio.NewReader(in)
		for {
			line, err := text.ReadString('\n')
			if line != "" {
				lines <- line
			}
			if err != nil {
				if err != io.EOF {
					failed <- err
				}
				return
			}
		}
	}()
	for {
		select {
		case line, more := <-lines:
			if !more {
				select {
				case err := <-failed:
					return err
				default:
					return nil
				}
			}
			r.line(line)
		case <-time.After(quiet):
			fmt.Fprintf(r.out, "still running: %s\n", strings.Join(r.running(), ", "))
		}
	}
}

// quiet is how long nothing is said before the tests that have not ended are.
const quiet = 5 * time.Minute

// running returns the tests that have begun and not ended.
func (r *report) running() []string {
	var names []string
	for at := range r.lines {
		if at.test != "" && !strings.Contains(at.test, "/") {
			names = append(names, at.pkg+" "+at.test)
		}
	}
	slices.Sort(names)
	return names
}

func (r *report) line(line string) {
	if code, ok := strings.CutPrefix(strings.TrimSpace(line), "exit "); ok {
		r.exits = append(r.exits, code)
		return
	}
	var e event
	if json.Unmarshal([]byte(line), &e) != nil || e.Action == "" {
		fmt.Fprint(r.out, line) // of the go command itself
		return
	}
	at := testName{e.Package, e.Test}
	switch e.Action {
	case "output":
		r.lines[at] = append(r.lines[at], e.Output)
	case "build-output":
		fmt.Fprint(r.out, e.Output)
	case "skip", "pass", "fail":
		r.end(at, e.Action)
	}
}

// end notes the end of a test or of a package.
func (r *report) end(at testName, action string) {
	lines := r.lines[at]
	delete(r.lines, at)
	if at.test != "" {
		r.endTest(at, action, lines)
		return
	}
	if action == "fail" {
		r.failed++
		for p, rest := range r.lines { // of tests that did not end, as after a panic
			if p.pkg == at.pkg {
				fmt.Fprint(r.out, strings.Join(rest, ""))
				delete(r.lines, p)
			}
		}
	}
	for _, l := range lines {
		if l != "PASS\n" && (action == "fail" || strings.HasPrefix(l, "ok ") || strings.HasPrefix(l, "?")) {
			fmt.Fprint(r.out, l)
		}
	}
}

func (r *report) endTest(at testName, action string, lines []string) {
	reason, tool := "", ""
	for _, l := range lines {
		if m := logged.FindStringSubmatch(l); m != nil {
			reason = m[1]
			if tool == "" {
				tool = missingTool(reason)
			}
		}
	}
	switch {
	case action == "fail":
		fmt.Fprint(r.out, strings.Join(lines, ""))
	case action == "skip" && tool != "":
		r.skipped["no "+tool]++
	case action == "skip":
		r.skipped[otherReason(reason)]++
	case tool != "":
		r.partly["no "+tool]++
	}
}

// finish prints the summary and reports whether everything passed.
func (r *report) finish(runs int) bool {
	good := len(r.exits) == runs && r.failed == 0
	for _, code := range r.exits {
		good = good && code == "0"
	}
	total, missing := 0, 0
	for reason, n := range r.skipped {
		total += n
		if strings.HasPrefix(reason, "no ") {
			missing += n
		}
	}
	for _, n := range r.partly {
		missing += n
	}
	if total > 0 {
		fmt.Fprintf(r.out, "%s skipped: %s\n", tests(total), list(r.skipped))
	}
	if len(r.partly) > 0 {
		fmt.Fprintf(r.out, "parts of %s skipped: %s\n", tests(sum(r.partly)), list(r.partly))
	}
	if r.strict && missing > 0 {
		fmt.Fprintf(r.out, "FENCEPOST_STRICT is set, and %s did not run for want of a tool: `make deps` installs the packages\n", tests(missing))
		return false
	}
	if !good {
		fmt.Fprintln(r.out, "FAIL")
	}
	return good
}

func tests(n int) string {
	if n == 1 {
		return "1 test"
	}
	return fmt.Sprintf("%d tests", n)
}
