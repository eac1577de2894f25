package c_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/internal/testkit"
)

// TestCompiles: gcc takes the C programs of the corpus and of the examples without
// a warning, with its own headers: they are C, not our dialect of it.
func TestCompiles(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc here: the C programs are not compiled")
	}
	programs := map[string][]byte{}
	for _, dir := range []string{filepath.Join(testkit.Root(t), "testdata", "corpus"), filepath.Join("testdata", "corpus")} {
		for _, c := range testkit.LoadCorpus(t, dir) {
			if strings.HasSuffix(c.Input.Name, ".c") {
				programs[c.Input.Name] = c.Input.Text
			}
		}
	}
	examples, err := filepath.Glob(filepath.Join(testkit.Root(t), "examples", "*.c"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range examples {
		if programs[path], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	if len(programs) < 100 {
		t.Errorf("only %d programs", len(programs))
	}
	delete(programs, "c-struct-empty-member.c") // gcc has no option against its warnings of declarations that declare nothing
	for name, text := range programs {
		if bytes.Contains(text, []byte("__CPROVER_ASYNC")) /* labels that nothing jumps to */ || !testkit.InPart(t, filepath.Base(name), 5) {
			continue
		}
		cmd := exec.Command(gcc, "-Wall", "-pthread", "-fsyntax-only", "-idirafter", "translate/read/include", "-x", "c", "-")
		cmd.Stdin = bytes.NewReader(text)
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s", filepath.Base(name), err, out)
		}
	}
}
