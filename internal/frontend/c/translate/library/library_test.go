package library_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"fencepost/internal/testkit"
	"fencepost/verdict"
)

// TestLibrary: programs of one thread whose assertions say what the library
// computes. They hold here and, where there is a gcc, on the machine.
func TestLibrary(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("testdata", "*.c"))
	if err != nil || len(paths) < 3 {
		t.Fatalf("%d programs (%v)", len(paths), err)
	}
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Log("no gcc here: the programs are not run on the machine")
	}
	for _, p := range paths {
		t.Run(filepath.Base(p), func(t *testing.T) {
			text, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			if got := testkit.CheckC(t, string(text)); got != verdict.Safe {
				t.Errorf("here: %s", got)
			}
			if gcc == "" {
				return
			}
			bin := filepath.Join(t.TempDir(), "program")
			if out, err := exec.Command(gcc, "-Wall", "-o", bin, p).CombinedOutput(); err != nil || len(out) > 0 {
				t.Fatalf("gcc: %v\n%s", err, out)
			}
			if out, err := exec.Command(bin).CombinedOutput(); err != nil {
				t.Errorf("on the machine: %v\n%s", err, out)
			}
		})
	}
}

// TestRefusals: calls that the library does not support are refused, on their line and
// with their code, and nothing else is.
func TestRefusals(t *testing.T) {
	testkit.CheckRefusals(t, "testdata/refusals.txtar")
}
