package testkit

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// OutputOf compiles a program with gcc, runs it and returns its output. An assertion that fails ends the test.
func OutputOf(t *testing.T, gcc, text string) string {
	t.Helper()
	dir := t.TempDir()
	src, bin := filepath.Join(dir, "all.c"), filepath.Join(dir, "all")
	if err := os.WriteFile(src, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(gcc, "-O0", "-fwrapv", "-fno-strict-aliasing", "-w", "-o", bin, src, "-lm").CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s\n%s", err, out, text)
	}
	var complaint strings.Builder
	cmd := exec.Command(bin)
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("with gcc: %v\n%s", err, complaint.String())
	}
	return string(out)
}
