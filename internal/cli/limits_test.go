package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Limits of time in every stage. Each case is a command and a program that is so large for one
// stage that this stage alone takes more than a minute of CPU time. With a time limit of 300 ms the
// command ends by itself, with an answer, after little CPU time; then nothing runs any more.
//
//	go test ./internal/cli -run TestTimeLimit -v                   prints the CPU time of each case
//	go test ./internal/cli -run TestTimeLimit -v -fp.unlimited     runs each case without a limit, for a minute of CPU time
//	make limits                                                    measures how long after the limit each stage stops
//
// This is the only test that reads a clock, and it reads CPU time.

var unlimited = flag.Bool("fp.unlimited", false, "TestTimeLimit: run without limit, and demand that each case takes a minute")

const (
	timeLimit   = "300ms"
	mostSeconds = 10 // of CPU time, with the limit
	longSeconds = 60 // of CPU time, without
)

// limitCase is a command that is too much for one stage.
type limitCase struct {
	stage   string
	args    string // FILE is the program, RESULT a stored result
	file    string // the name of the program
	text    func() string
	small   func() string // a program that check answers at once; its result, as if it were about text, is stored
	memory  string        // a limit of memory that the stage exceeds; "": it needs little
	needs   string        // a program that must be installed
	says    string        // in the answer with the time limit
	bounded bool          // no program makes the stage take a minute, but it must end soon
}

func TestTimeLimit(t *testing.T) {
	for _, c := range limitCases {
		t.Run(strings.ReplaceAll(c.stage, " ", "-"), func(t *testing.T) {
			if *unlimited && c.bounded {
				t.Skip("the work of this stage is bounded")
			}
			args := c.arguments(t)
			if *unlimited {
				c.withoutLimit(t, args)
				return
			}
			cmd := withCPU(mostSeconds+1, "fencepost-then-close", append(args, "--timeout", timeLimit)...)
			if out := c.ends(t, cmd); !strings.Contains(out, c.says) {
				t.Errorf("%q is not in:\n%s", c.says, out)
			}
		})
	}
}

// The same stages with a limit of memory and none of time.
func TestMemoryLimit(t *testing.T) {
	for _, c := range limitCases {
		if c.memory == "" {
			continue
		}
		t.Run(strings.ReplaceAll(c.stage, " ", "-"), func(t *testing.T) {
			cmd := withCPU(mostSeconds+1, "fencepost-then-close", append(c.arguments(t), "--timeout", "0", "--memory", c.memory)...)
			if out := c.ends(t, cmd); !strings.Contains(out, "memory limit of ") {
				t.Errorf("no word about the memory limit:\n%s", out)
			}
		})
	}
}

// BenchmarkTimeLimit measures how long commands take with a time limit. The aim is twice the limit and one second.
func BenchmarkTimeLimit(b *testing.B) {
	for _, c := range limitCases {
		b.Run(strings.ReplaceAll(c.stage, " ", "-"), func(b *testing.B) {
			args := c.arguments(b)
			var all time.Duration
			for b.Loop() {
				_, used := c.start(b, exec.Command("fencepost-then-close", append(args, "--timeout", timeLimit)...))
				all += used
			}
			b.ReportMetric(all.Seconds()/float64(b.N), "cpu-s/op")
		})
	}
}

// arguments writes the program and returns the arguments of the command.
func (c *limitCase) arguments(t testing.TB) []string {
	if _, err := exec.LookPath(c.needs); c.needs != "" && err != nil {
		t.Skipf("%s is not installed", c.needs)
	}
	name := filepath.Join(t.TempDir(), c.file)
	if err := os.WriteFile(name, []byte(c.text()), 0o600); err != nil {
		t.Fatal(err)
	}
	args := strings.Fields(strings.ReplaceAll(c.args, "FILE", name))
	for i := range args {
		if args[i] == "RESULT" {
			args[i] = c.storedResult(t, name)
		}
	}
	return args
}

// storedResult stores the result of check on the small program, with the text of the large one, and
// returns the name of the file.
func (c *limitCase) storedResult(t testing.TB, name string) string {
	small := filepath.Join(t.TempDir(), c.file)
	if err := os.WriteFile(small, []byte(c.small()), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if code := Run([]string{"check", "--engine", "explicit", "--workers", "1", "--timeout", "0", "--json", small}, strings.NewReader(""), &out, &errs); code > exitViolated {
		t.Fatalf("exit code %d\n%s", code, &errs)
	}
	quoted := func(text string) string {
		q, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		return string(q)
	}
	text := strings.ReplaceAll(strings.ReplaceAll(out.String(), quoted(c.small()), quoted(c.text())), quoted(small), quoted(name))
	result := filepath.Join(filepath.Dir(small), "result.json")
	if err := os.WriteFile(result, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return result
}

// ends demands that a command ends by itself, with an answer, after little CPU time.
func (c *limitCase) ends(t *testing.T, cmd *exec.Cmd) string {
	out, used := c.start(t, cmd)
	code := cmd.ProcessState.ExitCode()
	t.Logf("%5.2f s of CPU time, exit code %d", used.Seconds(), code)
	if code < exitHolds || code > exitUnknown {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if used > mostSeconds*time.Second {
		t.Errorf("%s of CPU time with a limit", used)
	}
	return out
}

// withoutLimit runs the command without a limit until it has used a minute of CPU time.
func (c *limitCase) withoutLimit(t *testing.T, args []string) {
	cmd := withCPU(longSeconds+10, "fencepost", append(args, "--timeout", "0")...)
	out, used := c.start(t, cmd)
	t.Logf("%5.2f s of CPU time", used.Seconds())
	if used < longSeconds*time.Second {
		t.Errorf("%s of CPU time without a limit is too little for this test\n%s", used, out)
	}
}

// withCPU makes a command that the system ends when it has used some seconds of CPU time, or a lot of memory.
func withCPU(seconds int, name string, args ...string) *exec.Cmd {
	line := fmt.Sprintf("ulimit -t %d; ulimit -v %d; exec \"$@\"", seconds, 8<<20)
	return exec.Command("sh", append([]string{"-c", line, "sh", name}, args...)...)
}

// start runs a command on one processor. It returns what the command prints, and its CPU time.
func (c *limitCase) start(t testing.TB, cmd *exec.Cmd) (out string, used time.Duration) {
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	if err := cmd.Run(); err != nil {
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) {
			t.Fatal(err)
		}
	}
	out = text.String()
	if len(out) > 2000 {
		out = out[:2000] + " ..."
	}
	if testing.Verbose() {
		t.Log(out)
	}
	return out, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}
