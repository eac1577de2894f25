package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestArchives: check and test read archives of the corpus; several programs in one are refused.
func TestArchives(t *testing.T) {
	const corpus = "../../testdata/corpus/bakery.txtar"
	out, _, code := runArgs("check", corpus)
	if code != 1 || !strings.HasPrefix(out, "bakery.fp: unsafe under TSO") {
		t.Errorf("exit code %d: %s", code, out)
	}
	out, _, code = runArgs("test", corpus)
	if code != 0 || !strings.Contains(out, "1 program, 4 expectations: 4 as expected") {
		t.Errorf("exit code %d: %s", code, out)
	}
	two := filepath.Join(t.TempDir(), "two.txtar")
	if err := os.WriteFile(two, []byte("-- a.fp --\nvar x;\n-- b.fp --\nvar x;\n-- expect --\nsc=safe\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"check", "test"} {
		out, errs, code := runArgs(command, two)
		if code != 3 || !strings.Contains(out+errs, "several programs, a.fp and b.fp") {
			t.Errorf("%s: exit code %d: %s%s", command, code, out, errs)
		}
	}
}

func runArgs(args ...string) (out, errs string, code int) {
	var stdout, stderr bytes.Buffer
	code = Run(args, strings.NewReader(""), &stdout, &stderr)
	return stdout.String(), stderr.String(), code
}
