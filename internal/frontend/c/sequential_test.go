package c_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"fencepost/internal/testkit"
	"fencepost/verdict"
)

// TestSequential: the assertions of programs that use one corner of C each hold here
// as they do when gcc has compiled the program.
func TestSequential(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "sequential.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Log("no gcc here: the programs themselves are not checked")
	}
	for _, f := range txtar.Parse(data).Files {
		t.Run(f.Name, func(t *testing.T) {
			if gcc != "" && testkit.InPart(t, f.Name, 3) {
				runWithGCC(t, gcc, f.Data)
			}
			if got := testkit.CheckC(t, string(f.Data)); got != verdict.Safe {
				t.Errorf("%s, want safe", got)
			}
		})
	}
}

// runWithGCC fails if an assertion of the program does.
func runWithGCC(t *testing.T, gcc string, text []byte) {
	t.Helper()
	dir := t.TempDir()
	src, bin := filepath.Join(dir, "x.c"), filepath.Join(dir, "x")
	if err := os.WriteFile(src, text, 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(gcc, "-O0", "-fwrapv", "-fno-strict-aliasing", "-w", "-o", bin, src, "-lm").CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	if out, err := exec.Command(bin).CombinedOutput(); err != nil {
		t.Fatalf("with gcc: %v\n%s", err, out)
	}
}
