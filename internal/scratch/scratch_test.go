//go:build linux || darwin

package scratch

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestMain lets the test binary be a run that makes a directory and a file and is killed.
func TestMain(m *testing.M) {
	if at := os.Getenv("SCRATCH_TEST"); at != "" {
		dir, _, err := Dir("scratch-test-")
		if err != nil {
			panic(err)
		}
		f, err := File(at, ".point-")
		if err != nil {
			panic(err)
		}
		os.Stdout.WriteString(dir + "\n" + f.Name() + "\n")
		if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
			panic(err)
		}
		select {}
	}
	os.Exit(m.Run())
}

// TestLeftovers: what a killed run leaves is removed by the next, and nothing else is: not what another run uses, not
// a file of another name.
func TestLeftovers(t *testing.T) {
	temp, at := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temp)
	keep := filepath.Join(at, ".point-notes")
	if err := os.WriteFile(keep, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	young := filepath.Join(temp, "scratch-test-123")
	if err := os.Mkdir(young, 0o700); err != nil { // another run has just made it, and not locked it yet
		t.Fatal(err)
	}
	used, remove, err := Dir("scratch-test-")
	if err != nil {
		t.Fatal(err)
	}
	file, err := File(at, ".point-")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "SCRATCH_TEST="+at)
	out, _ := cmd.Output() // it is killed
	left := strings.Fields(string(out))
	if len(left) != 2 {
		t.Fatalf("%q", out)
	}
	for _, name := range append(left, used, file.Name(), keep, young) {
		if _, err := os.Stat(name); err != nil {
			t.Fatal(err)
		}
	}
	_, removeNext, err := Dir("scratch-test-")
	if err != nil {
		t.Fatal(err)
	}
	defer removeNext()
	next, err := File(at, ".point-")
	if err != nil {
		t.Fatal(err)
	}
	defer next.Close()
	for _, name := range left {
		if _, err := os.Stat(name); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", name, err)
		}
	}
	for _, name := range []string{used, file.Name(), keep, young} {
		if _, err := os.Stat(name); err != nil {
			t.Error(err)
		}
	}
	remove()
	if _, err := os.Stat(used); !os.IsNotExist(err) {
		t.Errorf("%v", err)
	}
}
