package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Ctrl-C prints what is known so far. Each case interrupts a command that would run for very long, when it
// has printed a line.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no process can be interrupted from here")
	}
	endless := storesAndLoads(10, 40)
	for _, tc := range []struct {
		name  string
		args  string // FILE is the program
		file  string
		text  string
		until string   // the line at which the command is interrupted, on standard output or standard error
		want  []string // in the output; | separates alternatives
	}{
		{"portfolio", "check FILE --workers 1 -v --timeout 0", "p.fp", endless, "smc under tso: turn of", []string{"unknown under TSO", "explicit: interrupted after", "smc: interrupted after"}},
		{"cross-check", "check FILE --workers 1 -v --timeout 0 --cross-check", "p.fp", endless, "smc under tso: turn of", []string{"unknown under TSO", "interrupted after"}},
		// Two threads are quickly searched under SC, where they have no buffers.
		{"several models", "check FILE --workers 1 -v --timeout 0 --model sc,tso", "p.fp", storesAndLoads(2, 30), "smc under tso: turn of", []string{"SC     safe", "TSO    unknown", "explicit: interrupted after"}},
		// The interrupt may arrive before the first round.
		{"engines", "check FILE --workers 1 -v --timeout 0 --engine lazy,bmc", "p.fp", endless, "lazy under tso: turn of", []string{"unknown under TSO", "round 1: interrupted after|: interrupted after 0 states"}},
		{"traces", "traces FILE --timeout 0", "p.fp", endless, "trace 3", []string{"trace 1", "there may be more: interrupted after"}},
		{"litmus", "litmus DIR --workers 1 --timeout 0", "z.litmus", litmusTest(8, 8), "Test sb20 Allowed", []string{"Test sb1 Allowed", "not run|interrupted"}},
	} {
		t.Run(strings.ReplaceAll(tc.name, " ", "-"), func(t *testing.T) {
			dir := t.TempDir()
			files := map[string]string{tc.file: tc.text}
			for i := range 80 { // more than what the command keeps before it prints
				files[fmt.Sprintf("a%02d.litmus", i)] = fmt.Sprintf("X86 sb%d\n{ }\nP0 | P1 ;\nMOV [x],$1 | MOV [y],$1 ;\nMOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n", i+1)
			}
			for name, text := range files {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			args := strings.NewReplacer("FILE", filepath.Join(dir, tc.file), "DIR", dir).Replace(tc.args)
			out, code := interruptAt(t, tc.until, strings.Fields(args)...)
			if code != exitUnknown {
				t.Errorf("exit code %d", code)
			}
			for _, want := range tc.want {
				if !slices.ContainsFunc(strings.Split(want, "|"), func(one string) bool { return strings.Contains(out, one) }) {
					t.Errorf("%q is not in:\n%.2000s\n...\n%s", want, out, out[max(0, len(out)-1500):])
				}
			}
		})
	}
}

// interruptAt runs a command, interrupts it when it has printed a text, and returns its output and exit code.
func interruptAt(t *testing.T, until string, args ...string) (string, int) {
	t.Helper()
	cmd := exec.Command("fencepost", args...)
	lines, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = w, w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	var out bytes.Buffer
	in := bufio.NewReader(io.TeeReader(lines, &out))
	for {
		line, err := in.ReadString('\n')
		if strings.Contains(line, until) {
			break
		}
		if err != nil {
			_ = cmd.Wait()
			t.Fatalf("the command ended before it printed %q:\n%.3000s", until, out.String())
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Error(err)
	}
	if _, err := io.Copy(io.Discard, in); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait()
	return out.String(), cmd.ProcessState.ExitCode()
}
