package testkit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"fencepost/internal/question/export"
	"fencepost/query"
	"fencepost/verdict"
)

// NeedSpin skips the test with a notice if SPIN, or the C compiler that SPIN needs, is
// not installed.
func NeedSpin(t testing.TB) {
	t.Helper()
	for _, tool := range []string{"spin", "gcc"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("notice: needs %s, which is not installed (make deps installs it on Debian)", tool)
		}
	}
}

// SpinAnswer is the result of SPIN for a Promela model.
type SpinAnswer struct {
	// Inconclusive is the reason why there is no verdict, or "" if there is one: a limit
	// on depth, memory or time, a value that does not fit, a cell outside the window.
	Inconclusive string
	TooLarge     bool // it is a value that does not fit: the verifier stopped itself with a trap
	Errors       int
	Violation    string // the first violation, as SPIN prints it
	States       int64
	Output       string
	Total        time.Duration // generate, compile and run
	Search       time.Duration // the last run alone
}

// SpinFlags are the flags for the C compiler and for the verifier that it compiles.
type SpinFlags struct{ Compiler, Verifier []string }

// SpinCheck makes compilation fast, and the verifier stop if a value does not fit into
// an int. SpinFast makes the search fast, with more memory.
var (
	SpinCheck = SpinFlags{
		Compiler: []string{"-O0", "-DMEMLIM=2000", "-fsanitize=signed-integer-overflow,shift", "-fsanitize-undefined-trap-on-error"},
		Verifier: []string{"-w20"},
	}
	SpinFast = SpinFlags{Compiler: []string{"-O2", "-DMEMLIM=6000"}}
)

// depths are the limits on the depth of SPIN's search, tried in turn. SPIN allocates
// memory for the limit, so a large one costs time even if it is not reached.
var depths = []string{"-m10000", "-m1000000", "-m20000000"}

// RunSpin generates, compiles and runs the verifier for a Promela text in dir, and
// returns its answer. An error means that SPIN or the compiler rejects the text.
func RunSpin(ctx context.Context, dir, text string, flags SpinFlags) (*SpinAnswer, error) {
	if err := os.WriteFile(filepath.Join(dir, "model.pml"), []byte(text), 0o644); err != nil {
		return nil, err
	}
	run := func(name string, args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, name, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	start := time.Now()
	if out, err := run("spin", "-a", "model.pml"); err != nil || strings.Contains(out, "Error") {
		return nil, fmt.Errorf("spin -a: %v\n%s", err, out)
	}
	args := append([]string{"-w", "-DSAFETY", "-DVECTORSZ=16384", "-o", "pan", "pan.c"}, flags.Compiler...)
	if out, err := run("gcc", args...); err != nil {
		return nil, fmt.Errorf("gcc: %v\n%s", err, out)
	}
	generated := time.Since(start)
	for i, depth := range depths {
		searching := time.Now()
		out, err := run(filepath.Join(dir, "pan"), append([]string{depth}, flags.Verifier...)...)
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			return nil, fmt.Errorf("pan: %w", err)
		}
		search := time.Since(searching)
		a := &SpinAnswer{Output: out, Search: search, Total: generated + search}
		a.parse(ctx, err)
		if a.Inconclusive != tooDeep || i == len(depths)-1 {
			return a, nil
		}
	}
	panic("BUG: no depth to try")
}

const tooDeep = "depth too small"

var (
	spinErrors = regexp.MustCompile(`errors: (\d+)`)
	spinStates = regexp.MustCompile(`([0-9.e+]+) states, stored`)
	spinFirst  = regexp.MustCompile(`(?m)^pan:1: (.*)$`)
)

func (a *SpinAnswer) parse(ctx context.Context, failed error) {
	if m := spinStates.FindStringSubmatch(a.Output); m != nil {
		f, _ := strconv.ParseFloat(m[1], 64)
		a.States = int64(f)
	}
	if m := spinFirst.FindStringSubmatch(a.Output); m != nil {
		a.Violation = m[1]
	}
	m := spinErrors.FindStringSubmatch(a.Output)
	if m != nil {
		a.Errors, _ = strconv.Atoi(m[1])
	}
	switch {
	case ctx.Err() != nil:
		a.Inconclusive = "out of time"
	case failed != nil && strings.Contains(failed.Error(), "illegal instruction"):
		a.Inconclusive, a.TooLarge = "a value does not fit into an int", true
	case failed != nil:
		a.Inconclusive = "the verifier crashed: " + failed.Error()
	case m == nil:
		a.Inconclusive = "the verifier gave no answer"
	case strings.Contains(a.Violation, "outside_window"):
		a.Inconclusive = "a cell outside the window"
	case strings.Contains(a.Violation, "indexing") || strings.Contains(a.Violation, "out of bound"):
		a.Inconclusive = "the exported text is wrong: " + a.Violation
	case a.Errors > 0:
	case strings.Contains(a.Output, "max search depth too small"):
		a.Inconclusive = tooDeep
	case strings.Contains(a.Output, "Search not completed") || strings.Contains(a.Output, "out of memory"):
		a.Inconclusive = "search not completed"
	}
}

// Export returns the case in a format, or the diagnostics that say why it is refused.
func (c *Case) Export(format query.ExportFormat, model string) (text string, refused []verdict.Diagnostic, err error) {
	answer, err := export.Run(context.Background(), c.Input, query.ExportOptions{Options: c.Options.Options, Deadlock: c.Options.Deadlock, Format: format, Model: query.Model(model)})
	if err == nil && answer.HasErrors() {
		return "", answer.Diagnostics, nil
	}
	return answer.Text, nil, err
}
