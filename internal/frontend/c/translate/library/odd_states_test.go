package library_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/internal/question/check"
	"fencepost/query"
	"fencepost/verdict"
)

// Library calls in odd states, such as a lock of what the thread has already: the models return what glibc returns.

// oddDifferences has the cases in which the models do something else on purpose: words of the answer about glibc's
// result, and why.
var oddDifferences = map[int]struct{ answer, why string }{
	12: {"not supported", "values near SEM_VALUE_MAX are not supported"},
	24: {"assertion fails", "a wait may end without a signal before the time is over"},
	25: {"assertion fails", "no time limit is refused"},
	26: {"assertion fails", "no time limit is refused"},
	28: {"assertion fails", "no time limit is refused"},
	29: {"assertion fails", "no time limit is refused"},
	31: {"not supported", "values near SEM_VALUE_MAX are not supported"},
	33: {"deadlock", "a writer that locks again waits"},
	34: {"deadlock", "a writer that locks again waits"},
	35: {"bad-destroy", "an error of the program"},
	40: {"assertion fails", "a writer that locks again waits until the time is over"},
	41: {"assertion fails", "a writer that locks again waits until the time is over"},
	45: {"assertion fails", "no time limit is refused"},
	46: {"assertion fails", "no time limit is refused"},
	47: {"bad-unlock", "an error of the program"},
}

// TestOddStates compares every case of testdata/odd/odd_states.c with what the C library here does.
func TestOddStates(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("notice: no gcc here")
	}
	source, program := filepath.Join("testdata", "odd", "odd_states.c"), filepath.Join(t.TempDir(), "odd")
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(gcc, "-w", "-pthread", source, "-o", program).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cases := strings.Count(string(text[strings.Index(string(text), "static int odd("):]), "  case ")
	if cases < 45 {
		t.Errorf("only %d cases", cases)
	}
	for k := range cases {
		out, err := exec.Command(program, fmt.Sprint(k)).Output()
		if err != nil {
			t.Fatalf("case %d: %v", k, err)
		}
		result := strings.TrimSpace(string(out))
		var opt query.CheckOptions
		opt.Models, opt.Workers = []query.Model{query.SC}, 1
		opt.C.Defines = []string{fmt.Sprintf("CASE=%d", k), fmt.Sprintf("EXPECT=(%s)", result)}
		answer, err := check.Run(context.Background(), query.Input{Name: "odd_states.c", Text: text}, opt)
		if err != nil || answer.HasErrors() {
			t.Fatalf("case %d: %v %v", k, err, answer.Diagnostics)
		}
		got := answer.Results[0]
		switch want, differs := oddDifferences[k]; {
		case differs && (got.Verdict == verdict.Safe || !strings.Contains(got.Reason, want.answer)):
			t.Errorf("case %d, glibc returns %s: %s, %s; want %q: %s", k, result, got.Verdict, got.Reason, want.answer, want.why)
		case !differs && got.Verdict != verdict.Safe:
			t.Errorf("case %d, glibc returns %s: %s, %s", k, result, got.Verdict, got.Reason)
		}
	}
}
