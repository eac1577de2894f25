package cli

import (
	"bytes"
	"strings"
	"testing"
)

// Without a solver the answer says how to get one, and the exit code is that of
// something missing.
func TestProveWithoutSolver(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var stdout, stderr bytes.Buffer
	program := "var x; thread a { x = 1; }"
	code := Run([]string{"prove", "-", "--lang", "fp"}, strings.NewReader(program), &stdout, &stderr)
	if code != exitUsage || !strings.Contains(stderr.String(), "apt-get install z3") || !strings.Contains(stderr.String(), "FP0930") || stdout.Len() > 0 {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, &stdout, &stderr)
	}
}
