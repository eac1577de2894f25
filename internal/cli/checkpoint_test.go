package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"fencepost"
	"fencepost/query"
)

var kills = flag.Int("fp.kills", 3, "how often a check is killed that stores checkpoints")

// explored has what two runs of a check must agree on.
type explored struct {
	Verdict string
	Stats   struct {
		Executions, Transitions, Depth, States int64
		FinalStates                            int64 `json:"final_states"`
		Fingerprint                            string
	}
}

func exploredIn(t *testing.T, text []byte) explored {
	t.Helper()
	var answer struct{ Results []explored }
	if err := json.Unmarshal(text, &answer); err != nil || len(answer.Results) != 1 {
		t.Fatalf("%v: %s", err, text)
	}
	return answer.Results[0]
}

// family writes a member of a family to a file, with a condition that holds.
func familyFile(t *testing.T, name string, n int) string {
	t.Helper()
	text, err := fencepost.Generate(name, n)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text, "assert") && !strings.Contains(text, "never") && !strings.Contains(text, "goal") {
		text += "\nthread nothing { assert 1 == 1; }\n"
	}
	file := filepath.Join(t.TempDir(), fmt.Sprintf("%s%d.fp", name, n))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// stoppable is a check that takes about a second, for each engine that can continue.
type stoppable struct {
	engine string
	family string
	n      int
}

var stoppables = []stoppable{{"rf", "lastzero", 11}, {"explicit", "fib", 5}}

// args returns the arguments of the check, and what one run answers.
func (s stoppable) args(t *testing.T) ([]string, explored) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no process can be killed from here")
	}
	args := []string{"check", familyFile(t, s.family, s.n), "--engine", s.engine, "--unroll", "16", "--json"}
	whole, err := exec.Command("fencepost", args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	want := exploredIn(t, whole)
	if want.Verdict != "safe" || (want.Stats.Fingerprint == "") != (s.engine == "explicit") || want.Stats.Executions+want.Stats.States < 1000 {
		t.Fatalf("%s", whole)
	}
	return args, want
}

// continuing returns the options of a check that begins or continues.
func continuing(name string) []string {
	if _, err := os.Stat(name); err != nil {
		return []string{"--checkpoint", name}
	}
	return []string{"--resume", name}
}

// TestResumeAfterKill: a check that is killed at random moments, and continues from its checkpoints, answers as one that
// is never interrupted.
func TestResumeAfterKill(t *testing.T) {
	for _, s := range stoppables {
		t.Run(s.engine, func(t *testing.T) { resumeAfterKill(t, s) })
	}
}

func resumeAfterKill(t *testing.T, s stoppable) {
	args, want := s.args(t)
	rng := rand.New(rand.NewPCG(7, uint64(*kills)))
	const shortest = 150
	longest := shortest // milliseconds until a kill; where nothing is stored so soon, the next kill comes later
	for killed, stored := 0, 0; killed < *kills || stored == 0; {
		name := filepath.Join(t.TempDir(), "check.fpc")
		for {
			how, before := continuing(name), storedAt(name)
			if how[0] == "--resume" {
				stored++
			}
			cmd := exec.Command("fencepost", slices.Concat(args, how, []string{"--checkpoint-every", "10ms", "--workers", fmt.Sprint(1 + rng.IntN(3))})...)
			var out bytes.Buffer
			cmd.Stdout = &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			timer := time.AfterFunc(time.Duration(rng.IntN(longest))*time.Millisecond, func() { cmd.Process.Kill() })
			if killed >= *kills && stored > 0 {
				timer.Stop()
			}
			err := cmd.Wait()
			timer.Stop()
			if err == nil {
				if got := exploredIn(t, out.Bytes()); got != want {
					t.Fatalf("after %d kills: %+v, want %+v", killed, got, want)
				}
				break
			}
			if code := cmd.ProcessState.ExitCode(); code >= 0 {
				t.Fatalf("exit code %d: %s", code, out.Bytes())
			}
			killed++
			if storedAt(name).Equal(before) {
				longest += longest / 4
			} else {
				longest = max(shortest, longest-longest/4)
			}
		}
	}
}

// storedAt returns when a checkpoint was stored last.
func storedAt(name string) time.Time {
	info, err := os.Stat(name)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// TestResumeAfterEnd: a check stores a checkpoint when it is interrupted, when it is told to end, and when its time is
// over, though no time for a checkpoint has come. It continues from there with the answer of one run.
func TestResumeAfterEnd(t *testing.T) {
	for _, s := range stoppables {
		for _, how := range []struct {
			name   string
			signal os.Signal // nil: a time limit
			why    string
		}{{"interrupt", os.Interrupt, "interrupted after"}, {"terminate", syscall.SIGTERM, "interrupted after"}, {"timeout", nil, "time limit reached after"}} {
			t.Run(s.engine+"-"+how.name, func(t *testing.T) { resumeAfterEnd(t, s, how.signal, how.why) })
		}
	}
}

// resumeAfterEnd ends a check again and again. The time until the end is adapted: a process that has not begun to listen
// dies of a signal, and one that is over first has stored nothing on the way.
func resumeAfterEnd(t *testing.T, s stoppable, signal os.Signal, why string) {
	args, want := s.args(t)
	args = append(args, "--checkpoint-every", "1h", "--workers", "1")
	wait, ended := 200*time.Millisecond, 0
	name := filepath.Join(t.TempDir(), "check.fpc")
	for {
		all := slices.Concat(args, continuing(name))
		if signal == nil {
			all = append(all, "--timeout", wait.String())
		}
		cmd := exec.Command("fencepost", all...)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if signal != nil {
			timer := time.AfterFunc(wait, func() { _ = cmd.Process.Signal(signal) })
			defer timer.Stop()
		}
		_ = cmd.Wait()
		switch code := cmd.ProcessState.ExitCode(); {
		case code == exitHolds && ended > 0:
			if got := exploredIn(t, out.Bytes()); got != want {
				t.Fatalf("after %d interruptions: %+v, want %+v", ended, got, want)
			}
			t.Logf("continued %d times", ended)
			return
		case code == exitHolds: // it was over first
			wait /= 2
			if err := os.Remove(name); err != nil {
				t.Fatalf("no checkpoint at the end: %v", err)
			}
		case code == exitUnknown && strings.Contains(errs.String(), "continue with --resume "+name):
			if !strings.Contains(out.String(), why) {
				t.Fatalf("want %q in %s", why, out.Bytes())
			}
			if _, err := os.Stat(name); err != nil {
				t.Fatal(err)
			}
			if ended++; ended > 2 { // it may have come no further than the first states
				wait *= 2
			}
		case code < 0, code == exitUnknown, code == exitUsage && signal == nil: // the search had not begun
			wait *= 2
		default:
			t.Fatalf("exit code %d: %s%s", code, out.Bytes(), errs.Bytes())
		}
	}
}

// TestCheckpointRefusals: damaged checkpoints, and those of another question, are refused.
func TestCheckpointRefusals(t *testing.T) {
	for i, s := range stoppables {
		t.Run(s.engine, func(t *testing.T) { checkpointRefusals(t, s.engine, stoppables[1-i].engine) })
	}
}

func checkpointRefusals(t *testing.T, engine, second string) {
	file, other := familyFile(t, "sbn", 4), familyFile(t, "sbn", 5)
	dir := t.TempDir()
	good := filepath.Join(dir, "good")
	if code, out := runHere(t, "check", file, "--engine", engine, "--checkpoint", good); code != exitHolds {
		t.Fatal(out)
	}
	if code, out := runHere(t, "check", file, "--engine", engine, "--resume", good); code != exitHolds || !strings.Contains(out, "safe") {
		t.Errorf("a finished check: %s", out)
	}
	data, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(dir, "bad")
	refused := func(what, want string, args ...string) {
		t.Helper()
		if code, out := runHere(t, args...); code != exitUsage || !strings.Contains(out, want) {
			t.Errorf("%s: exit code %d: %s", what, code, out)
		}
	}
	for n := range data {
		if n%max(7, len(data)/400) > 0 && n < len(data)-80 {
			continue
		}
		changed := bytes.Clone(data)
		changed[n] ^= 1
		for what, text := range map[string][]byte{"truncated": data[:n], "changed": changed} {
			if err := os.WriteFile(bad, text, 0o600); err != nil {
				t.Fatal(err)
			}
			refused(fmt.Sprintf("%s at %d", what, n), "not a checkpoint, or a damaged one", "check", file, "--engine", engine, "--resume", bad)
		}
	}
	refused("another program", "another program", "check", other, "--engine", engine, "--resume", good)
	refused("another model", "another memory model", "check", file, "--model", "pso", "--engine", engine, "--resume", good)
	refused("other options", "other options", "check", file, "--deadlock", "--engine", engine, "--resume", good)
	refused("another engine", map[string]string{"rf": "not a checkpoint", "explicit": "a checkpoint of engine explicit"}[engine], "check", file, "--engine", second, "--resume", good)
	refused("no file", "no such file", "check", file, "--engine", engine, "--resume", filepath.Join(dir, "none"))
	refused("a file that exists", "exists", "check", file, "--engine", engine, "--checkpoint", good)
	refused("no shards", "--engine explicit", "check", file, "--engine", "explicit", "--shard", "0/2")
	refused("fair executions", "--liveness fair", "check", file, "--engine", "explicit", "--liveness", "fair", "--checkpoint", filepath.Join(dir, "new"))
	refused("a directory", "is not a file", "check", file, "--engine", engine, "--resume", dir)
	refused("another engine", "--engine smc", "check", file, "--engine", "smc", "--checkpoint", filepath.Join(dir, "new"))
	refused("several models", "several memory models", "check", file, "--model", "sc,tso", "--checkpoint", filepath.Join(dir, "new"))
}

// runHere runs fencepost in this process.
func runHere(t *testing.T, args ...string) (int, string) {
	t.Helper()
	var out bytes.Buffer
	code := Run(withoutLimit(args), strings.NewReader(""), &out, &out)
	return code, out.String()
}

// TestInterruptedWhileReading: a check in parts that is interrupted before its program is read is unknown, and not
// refused.
func TestInterruptedWhileReading(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	in := query.Input{Name: "p.c", Text: []byte("int x; int main(void) { x = 1; return 0; }\n")}
	for name, change := range map[string]func(*checkFlags){
		"checkpoint": func(f *checkFlags) { f.parts.checkpoint = filepath.Join(t.TempDir(), "point") },
		"shard":      func(f *checkFlags) { f.parts.shard = shardValue{0, 2} },
		"states": func(f *checkFlags) {
			f.parts.checkpoint, f.opt.Engines = filepath.Join(t.TempDir(), "point"), query.Engines{"explicit"}
		},
	} {
		f := &checkFlags{opt: query.CheckOptions{Options: query.Defaults()}}
		f.parts.every = time.Hour
		change(f)
		answer, err := exploreInParts(ended, &app{stderr: io.Discard}, in, f)
		if err != nil || answer.HasErrors() || len(answer.Results) != 1 || exitOf(&answer.Results[0]) != exitUnknown {
			t.Errorf("%s: %v %+v", name, err, answer)
		}
	}
}
